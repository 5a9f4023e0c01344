"""A seat: who an agent is, and whom it lets speak to it."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk import tokens
from league_sdk.domain.model import Role
from league_sdk.domain.records.epoch import Epoch
from league_sdk.errors import (
    AuthTokenInvalid,
    AuthTokenMissing,
    Forbidden,
    InvalidField,
    PlayerNotRegistered,
    RefereeNotRegistered,
)
from league_sdk.protocol.match import GameInvitation, GameOver, GameResult
from league_sdk.protocol.operator import MatchStep
from league_sdk.protocol.rounds import RoundCompletedMessage
from league_sdk.settings import ConfigError
from servers.agent import identity as seats
from servers.agent.access import Access
from servers.agent.identity import Credentials, CredentialsFile, Seat
from tests.requirements.marker import requirement
from tests.servers.fakes import LEAGUE, NOW, OPERATOR, context

PEER_TOKEN = "what the manager shows"
CREDENTIALS = Credentials("P01", LEAGUE, "the player's own token", PEER_TOKEN)
ENVELOPE: dict[str, Any] = {
    "sender": "referee:REF01",
    "timestamp": NOW,
    "conversation_id": "c",
    "league_id": LEAGUE,
    "round_id": 1,
}
FROM_MANAGER = RoundCompletedMessage(**ENVELOPE, matches_played=1, next_round_id=None).model_copy(
    update={"sender": "league_manager"}
)


def invitation(match_id: str = "R1M1", attempt: int | None = 1) -> GameInvitation:
    return GameInvitation(
        **ENVELOPE,
        match_id=match_id,
        game_type="even_odd",
        role_in_match="PLAYER_A",
        opponent_id="P02",
        attempt=attempt,
    )


def over(match_id: str = "R1M1") -> GameOver:
    return GameOver(**ENVELOPE, match_id=match_id, game_result=GameResult(status="DRAW"))


def ticket(match_id: str = "R1M1", attempt: int = 1, peer_token: str = PEER_TOKEN) -> str:
    return tokens.match_ticket(peer_token, match_id, attempt)


def seated(credentials: Credentials | None = CREDENTIALS, operator: str | None = OPERATOR) -> Seat:
    taken = Seat(Role.PLAYER, "Ada", operator)
    taken.settle(credentials)
    return taken


class TestWhoItIs:
    def test_before_registration_it_signs_with_its_name(self):
        assert Seat(Role.PLAYER, "Ada").sender == "player:Ada"

    def test_then_with_its_id(self):
        assert (seated().sender, seated().agent_id) == ("player:P01", "P01")

    def test_secrets_do_not_show(self):
        assert "token" not in repr(CREDENTIALS).replace("auth_token", "").replace("peer_token", "")
        assert PEER_TOKEN not in repr(CREDENTIALS)


class TestTheManager:
    def test_it_proves_itself_by_the_peer_token(self):
        caller = seated().identify(Access.MANAGER, FROM_MANAGER, PEER_TOKEN, context())
        assert (caller.role, caller.agent_id, caller.operator) == (Role.LEAGUE_MANAGER, "league_manager", False)
        assert (caller.address, caller.dialect) == ("127.0.0.1", "mcp")

    @pytest.mark.parametrize(
        "token", ["a guess", CREDENTIALS.auth_token, ticket(), tokens.peer_token(OPERATOR, LEAGUE, "P02"), ""]
    )
    def test_nothing_else_will_do(self, token: str):
        with pytest.raises(AuthTokenInvalid):
            seated().identify(Access.MANAGER, FROM_MANAGER, token, context())

    def test_saying_nothing_will_not_do_either(self):
        with pytest.raises(AuthTokenMissing):
            seated().identify(Access.MANAGER, FROM_MANAGER, None, context())

    @pytest.mark.parametrize("credentials", [None, Credentials("P01", LEAGUE, "token")])
    def test_a_manager_that_gives_no_peer_token_is_taken_at_its_word(self, credentials: Credentials | None):
        caller = seated(credentials).identify(Access.MANAGER, FROM_MANAGER, None, context())
        assert caller.role is Role.LEAGUE_MANAGER


class TestEpochs:
    def call(self, seat: Seat, told: Any, token: str = PEER_TOKEN) -> None:
        """A call of the manager with this epoch field."""
        seat.check_epoch(seat.identify(Access.MANAGER, FROM_MANAGER, token, context()), told)

    def test_an_agent_follows_the_first_manager_of_a_later_epoch_and_keeps_that(self):
        seat, kept = seated(), list[Credentials]()
        seat.keep = kept.append
        self.call(seat, None)
        self.call(seat, {"number": 1, "id": "one"})
        self.call(seat, {"number": 1, "id": "one"})
        assert [credentials.epoch for credentials in kept] == [Epoch(1, "one")]
        assert seat.credentials == kept[0]

    @pytest.mark.parametrize("told", [None, {"number": 1, "id": "one"}, {"number": 2, "id": "another"}])
    def test_it_refuses_an_older_manager_and_another_restore_of_the_same_number(self, told: Any):
        seat = seated(CREDENTIALS.following(Epoch(2, "two")))
        with pytest.raises(Forbidden, match="follows the manager of epoch 2") as refused:
            self.call(seat, told)
        assert refused.value.context == {"epoch": {"number": 2, "id": "two"}}

    def test_nobody_without_the_peer_token_moves_it_to_another_epoch(self):
        seat = seated()
        with pytest.raises(AuthTokenInvalid):
            self.call(seat, {"number": 9, "id": "mine"}, token="a guess")
        referee = seat.identify(Access.TICKET, invitation(), ticket(), context())
        seat.check_epoch(referee, {"number": 9, "id": "mine"})
        untold = seated(Credentials("P01", LEAGUE, "token"))
        untold.check_epoch(untold.identify(Access.MANAGER, FROM_MANAGER, None, context()), {"number": 9, "id": "mine"})
        for each in (seat, untold):
            assert each.credentials is not None
            assert each.credentials.epoch == Epoch()

    @pytest.mark.parametrize("told", ["2", 2, [], {}, {"number": True, "id": "x"}, {"number": -1, "id": "x"}])
    def test_an_epoch_of_another_form_is_refused(self, told: Any):
        with pytest.raises(InvalidField):
            self.call(seated(), told)

    def test_credentials_of_older_releases_are_of_no_epoch(self, tmp_path: Path):
        file = tmp_path / "p.json"
        file.write_text('{"agent_id": "P01", "league_id": "cup", "auth_token": "x", "peer_token": null}')
        file.chmod(0o600)
        found = CredentialsFile(file).load()
        assert found is not None
        assert found.epoch == Epoch()


class TestReferees:
    def test_an_invitation_is_let_in_by_the_ticket_of_its_match(self):
        caller = seated().identify(Access.TICKET, invitation(), ticket(), context())
        assert (caller.role, caller.agent_id) == (Role.REFEREE, "REF01")

    @pytest.mark.parametrize(
        "token",
        [ticket("R1M2"), ticket(attempt=2), ticket(peer_token="another player's"), PEER_TOKEN, "a guess", ""],
    )
    def test_nothing_else_opens_the_door(self, token: str):
        with pytest.raises(AuthTokenInvalid):
            seated().identify(Access.TICKET, invitation(), token, context())

    @pytest.mark.parametrize("attempt", [1, 2, 5])
    def test_an_invitation_need_not_say_for_which_attempt_it_is(self, attempt):
        player = seated()
        unsaid = invitation(attempt=None)
        assert player.identify(Access.TICKET, unsaid, ticket(attempt=attempt), context())
        assert player.identify(Access.TICKET, over(), ticket(attempt=attempt), context())
        for wrong in (ticket("R1M2", attempt), "a guess", ticket(attempt=100)):
            with pytest.raises(AuthTokenInvalid):
                player.identify(Access.TICKET, unsaid, wrong, context())
        if attempt > 1:
            with pytest.raises(AuthTokenInvalid):
                player.identify(Access.TICKET, unsaid, ticket(attempt=1), context())

    def test_no_ticket_at_all(self):
        with pytest.raises(AuthTokenMissing):
            seated().identify(Access.TICKET, invitation(), None, context())

    def test_what_follows_the_invitation_needs_the_same_ticket(self):
        player = seated()
        player.identify(Access.TICKET, invitation(), ticket(), context())
        assert player.identify(Access.TICKET, over(), ticket(), context())
        for wrong in (ticket("R1M2"), "a guess", ""):
            with pytest.raises(AuthTokenInvalid):
                player.identify(Access.TICKET, over(), wrong, context())

    @pytest.mark.parametrize("token", ["", "a guess", ticket()])
    def test_a_match_without_an_invitation_lets_nobody_in(self, token: str):
        with pytest.raises(AuthTokenInvalid):
            seated().identify(Access.TICKET, over(), token, context())

    def test_a_match_that_is_played_again_shuts_out_the_referee_of_the_attempt_before(self):
        player = seated()
        player.identify(Access.TICKET, invitation(attempt=1), ticket(attempt=1), context())
        player.identify(Access.TICKET, invitation(attempt=2), ticket(attempt=2), context())
        with pytest.raises(AuthTokenInvalid):
            player.identify(Access.TICKET, over(), ticket(attempt=1), context())
        with pytest.raises(AuthTokenInvalid, match="attempt 1 at R1M1 was given up"):
            player.identify(Access.TICKET, invitation(attempt=1), ticket(attempt=1), context())
        assert player.identify(Access.TICKET, over(), ticket(attempt=2), context())

    def test_the_result_may_be_told_twice(self):
        player = seated()
        player.identify(Access.TICKET, invitation(), ticket(), context())
        for _ in range(2):
            assert player.identify(Access.TICKET, over(), ticket(), context())

    def test_only_so_many_matches_are_remembered_the_oldest_go_first(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(seats, "TICKETS_KEPT", 2)
        player = seated()
        for match_id in ("R1M1", "R2M1", "R3M1"):
            player.identify(Access.TICKET, invitation(match_id), ticket(match_id), context())
        with pytest.raises(AuthTokenInvalid):
            player.identify(Access.TICKET, over("R1M1"), ticket("R1M1"), context())
        assert player.identify(Access.TICKET, over("R3M1"), ticket("R3M1"), context())

    @pytest.mark.parametrize("credentials", [None, Credentials("P01", LEAGUE, "token")])
    def test_without_a_peer_token_whoever_invites_is_let_in(self, credentials: Credentials | None):
        assert seated(credentials).identify(Access.TICKET, invitation(), None, context())


class TestTheOperator:
    @pytest.mark.parametrize("access", [Access.OPERATOR, Access.MANAGER, Access.TICKET])
    def test_its_token_opens_every_door(self, access: Access):
        caller = seated().identify(access, MatchStep(match_id="R1M1"), OPERATOR, context())
        assert caller.operator
        assert caller.role is None

    def test_its_tools_need_it(self):
        with pytest.raises(AuthTokenMissing):
            seated().identify(Access.OPERATOR, MatchStep(), None, context())
        with pytest.raises(AuthTokenInvalid):
            seated().identify(Access.OPERATOR, MatchStep(), PEER_TOKEN, context())

    @pytest.mark.parametrize("operator", [None, ""])
    @pytest.mark.parametrize("token", [None, "", "a guess"])
    def test_without_an_operator_its_tools_are_closed(self, operator: str | None, token: str | None):
        with pytest.raises(Forbidden, match="without an operator's token"):
            seated(operator=operator).identify(Access.OPERATOR, MatchStep(), token, context())


class TestBeforeRegistration:
    @pytest.mark.parametrize(
        ("role", "error"), [(Role.PLAYER, PlayerNotRegistered), (Role.REFEREE, RefereeNotRegistered)]
    )
    @pytest.mark.parametrize("access", [Access.MANAGER, Access.TICKET, Access.OPERATOR])
    def test_nobody_can_be_known_yet(self, role: Role, error: type[Exception], access: Access):
        with pytest.raises(error, match="not registered yet"):
            Seat(role, "Ada").identify(access, FROM_MANAGER, "whatever", context())

    def test_but_the_operator_is(self):
        caller = Seat(Role.REFEREE, "Ada", OPERATOR).identify(Access.OPERATOR, MatchStep(), OPERATOR, context())
        assert caller.operator

    @pytest.mark.anyio
    async def test_a_call_waits_for_a_registration_that_is_under_way(self):
        waiting, order = Seat(Role.PLAYER, "Ada"), list[str]()

        async def call() -> None:
            await waiting.ready()
            order.append(waiting.sender)

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call)
                await anyio.wait_all_tasks_blocked()
                assert order == []
                waiting.settle(CREDENTIALS)
        assert order == ["player:P01"]

    @pytest.mark.anyio
    async def test_but_not_for_ever(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(seats, "READY_SEC", 0.01)
        with anyio.fail_after(30):
            await Seat(Role.PLAYER, "Ada").ready()

    @pytest.mark.anyio
    async def test_nor_at_all_once_it_is_settled(self):
        with anyio.fail_after(0.5):
            await seated(None).ready()


class TestTheCredentialsFile:
    def test_there_are_none_at_first(self, tmp_path: Path):
        assert CredentialsFile(tmp_path / "none").load() is None

    @requirement("000-PL-START-02", "003-RES-03")
    def test_they_come_back_as_they_were(self, tmp_path: Path):
        file = CredentialsFile(tmp_path / "folder" / "P01.json")
        file.save(CREDENTIALS)
        assert file.load() == CREDENTIALS
        file.save(Credentials("P02", LEAGUE, "token"))
        assert file.load() == Credentials("P02", LEAGUE, "token")

    def test_nobody_else_can_read_them(self, tmp_path: Path):
        path = tmp_path / "P01.json"
        CredentialsFile(path).save(CREDENTIALS)
        assert path.stat().st_mode & 0o077 == 0

    def test_and_they_are_not_read_if_somebody_could(self, tmp_path: Path):
        path = tmp_path / "P01.json"
        CredentialsFile(path).save(CREDENTIALS)
        path.chmod(0o644)
        with pytest.raises(ConfigError, match="chmod 600"):
            CredentialsFile(path).load()

    @pytest.mark.parametrize("text", ["", "{", "[]", "null", '"P01"', '{"agent_id": "P01"}', '{"what": 1}'])
    def test_damaged_ones_are_refused_with_what_to_do(self, tmp_path: Path, text: str):
        path = tmp_path / "P01.json"
        path.write_text(text)
        path.chmod(0o600)
        with pytest.raises(ConfigError, match=str(path)):
            CredentialsFile(path).load()
