"""Registration of an agent: it asks until there is an answer, and keeps it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.model import Role
from league_sdk.errors import AuthTokenInvalid, Forbidden, PeerUnreachable, RateLimited, ResponseTimeout
from league_sdk.ports import MalformedReply
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.registration import (
    LeagueRegisterRequest,
    LeagueRegisterResponse,
    RefereeRegisterRequest,
    RefereeRegisterResponse,
)
from servers.agent.identity import Credentials, CredentialsFile, Seat
from servers.agent.registration import ASK_AGAIN_MAX_SEC, Registrar, RegistrationRefused
from tests.requirements.marker import requirement
from tests.servers.fakes import LEAGUE, NOW, SPECS, FakeJournal, FakePeers, player_request, referee_request

pytestmark = pytest.mark.anyio
URL = "http://localhost:8000/mcp"
AWAY = PeerUnreachable("connection refused")


def answer(**fields: Any) -> LeagueRegisterResponse:
    """The manager's answer: a seat, unless told otherwise."""
    seat = {"status": "ACCEPTED", "player_id": "P01", "auth_token": "given", "league_id": LEAGUE, "peer_token": "peer"}
    message = {"message_type": "LEAGUE_REGISTER_RESPONSE", "protocol": "league.v2", "timestamp": NOW, **seat, **fields}
    given = {name: value for name, value in message.items() if value is not None}
    return Codec(SPECS).parse(given, LeagueRegisterResponse)


class Applicant:
    """A player that wants a seat."""

    def __init__(
        self, folder: Path, *, remembered: Credentials | None = None, patience: float | None = None, league_id: str = ""
    ) -> None:
        self.seat, self.peers, self.clock = Seat(Role.PLAYER, "Ada"), FakePeers(), ManualClock()
        self.journal, self.waited, self.folder = FakeJournal(), list[str](), folder
        self.registrar = self.make(remembered=remembered, league_id=league_id, patience=patience)

    def make(self, *, remembered: Credentials | None = None, league_id: str = "", **more: Any) -> Registrar:
        usual: dict[str, Any] = {
            "request": lambda token: Codec(SPECS).parse(player_request("Ada", token), LeagueRegisterRequest),
            "reply": LeagueRegisterResponse,
        }
        return Registrar(
            seat=self.seat,
            manager_url=URL,
            peers=self.peers,
            credentials=self.file,
            remembered=remembered,
            league_id=league_id,
            ids=ManualIds(),
            clock=self.clock,
            journal=self.journal,
            timeout=10.0,
            **usual | more,
        )

    def file(self, league_id: str) -> CredentialsFile:
        return CredentialsFile(self.folder / f"{league_id}.json")

    async def register(self, *answers: Any) -> Credentials:
        self.peers.script(LeagueRegisterRequest, *answers)
        with anyio.fail_after(30):
            return await self.registrar.register(self.waited.append)


@pytest.fixture
def applicant(tmp_path: Path) -> Callable[..., Applicant]:
    return lambda **more: Applicant(tmp_path, **more)


@requirement(
    "000-REF-START-02",
    "000-PL-START-02",
    "002-TIME-03",
    "003-LIMIT-01",
    "003-REF-02",
    "003-PLAYER-02",
    "003-TEST-A-01",
    "003-TEST-I-01",
    "003-RES-03",
)
async def test_a_seat_is_taken_and_kept(applicant: Callable[..., Applicant]):
    ada = applicant()
    expected = Credentials("P01", LEAGUE, "given", "peer")
    assert await ada.register(answer()) == expected
    assert ada.seat.credentials == ada.file(LEAGUE).load() == expected
    (call,) = ada.peers.calls
    assert (call.peer.endpoint, call.timeout, call.retry) == (URL, 10.0, False)
    assert ada.waited == []


async def test_it_proposes_a_token_of_its_own_and_remembers_it_before_it_asks(applicant: Callable[..., Applicant]):
    ada = applicant(league_id=LEAGUE)
    with pytest.raises(RegistrationRefused):
        await ada.register(MalformedReply("?"))
    assert ada.peers.calls[0].message.auth_token == "tok-1"
    assert ada.file(LEAGUE).load() == Credentials("", LEAGUE, "tok-1")


async def test_a_referee_shows_a_secret_that_a_starting_manager_made_while_it_asked(
    applicant: Callable[..., Applicant],
):
    rex, secrets = applicant(), iter([None, "made by now"])

    def request(token: str | None) -> RefereeRegisterRequest:
        shown = {**referee_request("Rex", token), "referee_secret": next(secrets)}
        return Codec(SPECS).parse(shown, RefereeRegisterRequest)

    def reply(**fields: str) -> RefereeRegisterResponse:
        message = {"message_type": "REFEREE_REGISTER_RESPONSE", "protocol": "league.v2", "timestamp": NOW, **fields}
        return Codec(SPECS).parse(message, RefereeRegisterResponse)

    rex.registrar = rex.make(request=request, reply=RefereeRegisterResponse)
    seat = {"referee_id": "REF01", "auth_token": "given", "league_id": LEAGUE, "peer_token": "peer"}
    rex.peers.script(
        RefereeRegisterRequest,
        reply(status="REJECTED", reason="no secret", error_code="E013"),
        reply(status="ACCEPTED", **seat),
    )
    with anyio.fail_after(30):
        assert (await rex.registrar.register()).agent_id == "REF01"
    assert [call.message.referee_secret for call in rex.peers.calls] == [None, "made by now"]


async def test_the_token_of_an_earlier_run_asks_for_the_same_seat(applicant: Callable[..., Applicant]):
    ada = applicant(remembered=Credentials("P01", LEAGUE, "earlier", "peer"), league_id=LEAGUE)
    await ada.register(answer(auth_token="earlier"))
    assert ada.peers.calls[0].message.auth_token == "earlier"


@requirement("003-TEST-A-01")
async def test_a_manager_that_is_not_there_yet_is_asked_again_with_growing_pauses(applicant: Callable[..., Applicant]):
    ada = applicant()
    silent = [AWAY, ResponseTimeout("nothing"), RateLimited("busy")] * 3
    await ada.register(*silent, answer())
    assert ada.clock.slept == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0, 2.0]
    assert max(ada.clock.slept) == ASK_AGAIN_MAX_SEC
    away = "what answers there is no league manager that is ready (connection refused)"
    reasons = [away, "it did not answer in time", "it is overloaded"] * 3
    assert ada.waited == [f"waiting for the league manager at {URL}: {reason}" for reason in reasons]
    told = [("INFO", {"endpoint": URL, "reason": reason}) for reason in reasons]
    assert ada.journal.named("WAITING_FOR_MANAGER") == told
    assert {call.message.auth_token for call in ada.peers.calls} == {"tok-1"}


async def test_one_that_meets_a_rehearsal_waits_for_the_league_and_says_so(applicant: Callable[..., Applicant]):
    ada, why = applicant(), "a rehearsal is going on; the league opens after it"
    await ada.register(RateLimited(why, rehearsal=True), answer())
    assert ada.waited == [f"waiting for the league manager at {URL}: {why}"]


@requirement("project-WIRE-09")
async def test_it_says_why_it_waits_when_that_changes_and_from_time_to_time(applicant: Callable[..., Applicant]):
    ada, looks = applicant(), list[str]()

    async def look(endpoint: str) -> str:
        looks.append(endpoint)
        return f"reason {len(looks)}"

    ada.registrar = ada.make(look=look)
    broken = PeerUnreachable("the connection broke")
    await ada.register(*[AWAY] * 50, *[broken] * 2, answer())
    # 50 tries in about 95 s: the first, and one more after a minute.
    assert [text.rpartition(": ")[2] for text in ada.waited] == ["reason 1", "reason 1", "reason 2"]
    assert looks == [URL, URL]


async def test_a_join_secret_that_is_refused_is_answered_with_its_setting(applicant: Callable[..., Applicant]):
    ada = applicant()
    refused = Forbidden("this league has another join secret", field="join_secret")
    with pytest.raises(
        RegistrationRefused,
        match=r"another join secret \(E013\); give it in LEAGUE_JOIN_SECRET",
    ):
        await ada.register(refused)


@pytest.mark.parametrize(
    "why",
    [
        "the invitation of 'Ada' was revoked; ask your instructor",
        "'Ada' has to pass 'league check' before it joins: your instructor runs 'league class check' for it",
        "nobody of this class is invited as 'Ada': use the player's name on your card",
    ],
)
async def test_a_secret_that_would_not_help_is_not_asked_for(applicant: Callable[..., Applicant], why: str):
    ada = applicant()
    with pytest.raises(RegistrationRefused, match=rf"{why} \(E013\)$"):
        await ada.register(Forbidden(why, field="join_secret"))


async def test_a_manager_that_many_ask_is_given_more_time_for_its_answer(applicant: Callable[..., Applicant]):
    ada, late = applicant(), ResponseTimeout("nothing")
    await ada.register(late, AWAY, late, late, late, answer())
    assert [call.timeout for call in ada.peers.calls] == [10, 20, 20, 40, 60, 60]


async def test_it_is_given_no_more_time_than_there_is_patience(applicant: Callable[..., Applicant]):
    for patience, times in ((25.0, [10, 20, 25]), (5.0, [10, 10, 10])):
        ada = applicant(patience=patience)
        await ada.register(ResponseTimeout("nothing"), ResponseTimeout("nothing"), answer())
        assert [call.timeout for call in ada.peers.calls] == times


async def test_patience_ends(applicant: Callable[..., Applicant]):
    ada = applicant(patience=5.0)
    with pytest.raises(
        RegistrationRefused, match=f"no league manager answered at {URL} within 5 s: what answers there is no"
    ):
        await ada.register(AWAY)
    assert 5.0 < sum(ada.clock.slept) < 8.0
    assert ada.seat.credentials is None


@requirement("000-REF-START-03", "003-TEST-A-01")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        pytest.param(
            answer(
                status="REJECTED",
                reason="Registration closed",
                error_code="E020",
                player_id=None,
                auth_token=None,
                league_id=None,
                peer_token=None,
            ),
            r"refused 'Ada': Registration closed \(E020\)",
            id="rejected",
        ),
        pytest.param(
            answer(status="REJECTED", player_id=None, auth_token=None, league_id=None, peer_token=None),
            "refused 'Ada': no reason given$",
            id="rejected without a word",
        ),
        pytest.param(AuthTokenInvalid("the auth_token is another agent's"), r"another agent's \(E012\)", id="an error"),
        pytest.param(
            MalformedReply("it is a web page"),
            r"is no league manager: not an MCP endpoint of one \(it is a web page",
            id="no manager",
        ),
    ],
)
async def test_a_refusal_is_final_and_told(applicant: Callable[..., Applicant], said: Any, told: str):
    ada = applicant()
    with pytest.raises(RegistrationRefused, match=told) as caught:
        await ada.register(said)
    assert URL in str(caught.value)
    assert len(ada.peers.calls) == 1
    assert ada.seat.credentials is None


@pytest.mark.parametrize("seat", [{"player_id": "../P01"}, {"league_id": "../../etc"}])
async def test_ids_that_could_name_files_elsewhere_are_not_taken(applicant: Callable[..., Applicant], seat: Any):
    ada = applicant()
    with pytest.raises(RegistrationRefused, match="cannot be file names"):
        await ada.register(answer(**seat))
    assert ada.seat.credentials is None
