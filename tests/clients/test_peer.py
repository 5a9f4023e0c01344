import asyncio
from dataclasses import replace
from typing import Any

import anyio
import pytest

from clients.circuit import CircuitBreakers, CircuitSettings
from clients.message_queue import MessageQueue, Overloaded
from clients.outbound import Outbound, Route
from clients.peer import HOSTED_GRACE_SEC, PeerClient
from clients.retry import RetryPolicy
from clients.session_manager import SessionManager
from clients.tool_registry import ToolRegistry
from league_sdk.clock import HashRng, ManualClock
from league_sdk.dialect import Dialect
from league_sdk.errors import (
    AuthTokenInvalid,
    InternalError,
    InvalidField,
    InvalidMove,
    MissingField,
    PeerUnreachable,
    PlayerNotRegistered,
    RateLimited,
    ResponseTimeout,
)
from league_sdk.ports import (
    ANSWER_WITHIN,
    NO_PULSE,
    OWN_PART,
    Acknowledged,
    CallRefused,
    MalformedReply,
    OutOfFiles,
    Peer,
    Priority,
    SaysUnreachable,
    SeatsAway,
    UnforeseenError,
)
from league_sdk.protocol.envelope import Message
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio

P01 = Peer("P01", "fake:p01", token="s3cret")


class Question(Message, frozen=True):
    message_type: str = "QUESTION"
    conversation_id: str = "conv-1"
    auth_token: str | None = None


class Answer(Message, frozen=True):
    message_type: str = "ANSWER"
    conversation_id: str
    text: str


class FakeCodec:
    def parse(self, arguments, expect, *, spec=None):
        if "text" not in arguments:
            raise MissingField("text is missing", field="text")
        return expect.model_validate(arguments)

    def render(self, message, *, spec=None):
        return message.model_dump(exclude_none=True)


class FakeJournal:
    def __init__(self) -> None:
        self.lines: list[tuple[Any, ...]] = []
        self.details: list[dict[str, Any]] = []

    def sent(self, message_type, peer, details=None):
        self.lines.append(("sent", message_type, peer))
        self.details.append(dict(details or {}))

    def received(self, message_type, peer, details=None):
        self.lines.append(("received", message_type, peer))
        self.details.append(dict(details or {}))

    def event(self, event_type, level="INFO", **details):
        self.lines.append((event_type, level, details["peer"], details.get("failed_tries")))


class SlowClock(ManualClock):
    """The heartbeat sleeps for ever; a backoff passes at once."""

    async def sleep(self, seconds: float) -> None:
        if seconds == 30.0:
            await anyio.sleep_forever()
        await super().sleep(seconds)


class Tally:
    """Writes down what is counted."""

    def __init__(self) -> None:
        self.tries: list[tuple[str, str, str]] = []
        self.seconds: list[float] = []
        self.again: list[tuple[str, str]] = []
        self.fields: list[tuple[str, str]] = []

    def tried(self, tool, peer, outcome, seconds):
        self.tries.append((tool, peer, outcome))
        self.seconds.append(seconds)

    def derived(self, peer, field):
        self.fields.append((peer, field))

    def tries_again(self, tool, code):
        self.again.append((tool, code))


class World:
    """A PeerClient, and everything around it that a test looks at."""

    def __init__(self, connector, **circuit) -> None:
        self.connector = connector
        self.clock = SlowClock()
        self.journal = FakeJournal()
        self.tally = Tally()
        self.sessions = SessionManager([connector], self.clock)
        self.queue = MessageQueue(capacity=0, concurrency=1)
        self.outbound = Outbound(
            self.sessions,
            self.queue,
            RetryPolicy(self.clock, HashRng("jitter"), max_retries=2),
            CircuitBreakers(self.clock, CircuitSettings(**circuit)),
            ToolRegistry(),
            self.tally,
        )
        self.client = PeerClient(
            self.outbound, FakeCodec(), lambda message: Route(("ask", "please_tell")), self.journal
        )

    def answers(self, *script: Any) -> None:
        """Each call gets the next of these; an exception is raised. The last one repeats for ever."""
        pending = list(script)

        async def answer(tool, arguments):
            step = pending.pop(0) if len(pending) > 1 else pending[0]
            if isinstance(step, BaseException):
                raise step
            return step

        self.connector.answer = answer

    async def ask(self, **options):
        with anyio.fail_after(30):
            return await self.client.call(P01, options.pop("message", Question()), Answer, timeout=3, **options)

    @property
    def calls(self):
        return [call for connection in self.connector.opened for call in connection.calls]


class Invitation(Question, frozen=True):
    match_id: str = "R1M1"
    attempt: int = 1
    protocol: str = "league.v2"


def unknown(*names: str, number: int = -32603) -> CallRefused:
    """The refusal of a framework whose schemas do not say that they exclude other arguments."""
    lines = "".join(f"{name}\n  Unexpected keyword argument [type=unexpected_keyword_argument]\n" for name in names)
    return CallRefused(number, f"{len(names)} validation errors for call[ask]\n{lines}")


def reply(**changes: Any) -> dict[str, Any]:
    return {"message_type": "ANSWER", "conversation_id": "conv-1", "text": "42", **changes}


@pytest.fixture
async def world(connector):
    made = World(connector)
    async with made.sessions:
        yield made


@requirement(
    "000-LM-ROUND-05",
    "000-REF-RESP-03",
    "000-PL-RESP-03",
    "000-CL-VAL-01",
    "000-CL-RESP-01",
    "003-PLAYER-09",
    "003-RES-04",
)
async def test_a_message_goes_to_its_tool_with_the_peers_token_and_its_answer_comes_back(world):
    world.answers(reply())
    assert await world.ask() == Answer(conversation_id="conv-1", text="42")
    sent = {"message_type": "QUESTION", "conversation_id": "conv-1", "auth_token": "s3cret"}
    assert world.calls == [("ask", sent, 3)]
    assert world.journal.lines == [("sent", "QUESTION", "P01"), ("received", "ANSWER", "P01")]


async def test_a_peer_is_not_to_blame_when_no_file_can_be_opened_here(world):
    world.answers(OutOfFiles("Too many open files"))
    for _ in range(20):
        with pytest.raises(Overloaded, match="no connection can be opened here: Too many open files"):
            await world.ask(retry=False)
    world.answers(reply())
    assert (await world.ask()).text == "42"


async def test_both_lines_of_a_call_say_which_match_it_is_about(world):
    world.answers(reply())
    await world.ask(message=Invitation())
    sent, received = world.journal.details
    assert (sent["match_id"], received["match_id"]) == ("R1M1", "R1M1")


class TestAHostedPeer:
    """A player whose seats process answers for it."""

    PEER = replace(P01, hosted=True)

    async def ask(self, world):
        with anyio.fail_after(30):
            return await world.client.call(self.PEER, Question(), Answer, timeout=3, retry=False)

    async def test_its_seats_process_is_told_how_long_the_player_has_and_gets_a_little_longer(self, world):
        world.answers(reply())
        await self.ask(world)
        ((_, arguments, limit),) = world.calls
        assert arguments[ANSWER_WITHIN] == 3
        assert limit == 3 + HOSTED_GRACE_SEC

    @pytest.mark.parametrize(
        "broken", [PeerUnreachable("refused", dropped=False), PeerUnreachable("reset"), ResponseTimeout("silent")]
    )
    async def test_a_connection_that_breaks_and_silence_are_those_of_the_seats_process(self, world, broken):
        world.answers(broken)
        with pytest.raises(SeatsAway):
            await self.ask(world)

    async def test_a_foreign_cancellation_is_too(self, world):
        world.answers(asyncio.CancelledError())
        with pytest.raises(SeatsAway):
            await self.ask(world)

    @pytest.mark.parametrize(("code", "kind"), [("E001", ResponseTimeout), ("E009", PeerUnreachable)])
    async def test_an_answer_is_about_the_player_whatever_it_says(self, world, code, kind):
        world.answers(CallRefused(1, "the player at this seat is silent", {"error_code": code}))
        with pytest.raises(kind) as raised:
            await self.ask(world)
        assert not isinstance(raised.value, SeatsAway)

    @pytest.mark.parametrize(("code", "kind"), [("E001", ResponseTimeout), ("E009", PeerUnreachable)])
    async def test_an_error_in_an_answer_is_the_players_own_word(self, world, code, kind):
        """A losing player that says so had its matches played again until it won."""
        world.answers({"message_type": "LEAGUE_ERROR", "error_code": code})
        with pytest.raises(kind) as raised:
            await self.ask(world)
        assert not isinstance(raised.value, SeatsAway)

    async def test_a_player_is_gone_only_by_the_word_of_its_seats_process(self, world):
        world.answers(
            CallRefused(9, "no player listens at this seat", {"error_code": "E009", NO_PULSE: True}),
            CallRefused(9, "I am gone", {"error_code": "E009"}),
            {"message_type": "LEAGUE_ERROR", "error_code": "E009", NO_PULSE: True},
        )
        with pytest.raises(PeerUnreachable) as raised:
            await self.ask(world)
        assert type(raised.value) is PeerUnreachable
        for _ in range(2):
            with pytest.raises(SaysUnreachable):
                await self.ask(world)

    async def test_an_answer_of_the_seats_process_about_itself_is_not(self, world):
        world.answers(CallRefused(23, "too many connections", {"error_code": "E023", OWN_PART: "seats"}))
        with pytest.raises(SeatsAway):
            await self.ask(world)

    async def test_files_that_cannot_be_opened_here_are_nobodys_elses(self, world):
        world.answers(OutOfFiles("Too many open files"))
        with pytest.raises(Overloaded):
            await self.ask(world)


@requirement("000-CL-NOT-02")
async def test_a_token_that_is_there_already_is_kept(world):
    world.answers(reply())
    await world.ask(message=Question(auth_token="of my own"))
    assert world.calls[0][1]["auth_token"] == "of my own"


async def test_what_is_said_to_many_is_written_once_and_bears_each_ones_own_token(world):
    world.answers(reply())
    question, written = Question(), list[Any]()
    render = world.client._codec.render
    world.client._codec.render = lambda message, spec=None: written.append(message) or render(message)
    for number in range(3):
        peer = Peer(f"P{number}", f"fake:p{number}", token=f"token {number}")
        await world.client.call(peer, question, Answer, timeout=3, priority=Priority.BROADCAST)
    await world.ask(message=question)
    await world.ask(message=Question(), priority=Priority.BROADCAST)
    tokens = [arguments["auth_token"] for _, arguments, _ in world.calls]
    assert tokens == ["token 0", "token 1", "token 2", "s3cret", "s3cret"]
    assert len(written) == 3


@requirement("000-CL-NOT-02")
async def test_without_a_token_none_is_shown(world):
    world.answers(reply())
    with anyio.fail_after(30):
        await world.client.call(Peer("P01", "fake:p01"), Question(), Answer, timeout=3)
    assert "auth_token" not in world.calls[0][1]


@requirement(
    "000-REF-FAIL-02",
    "000-CL-SEND-02",
    "000-CL-RESP-02",
    "000-CL-NOT-03",
    "000-CL-FAIL-01",
    "001-PRIN-05",
    "001-COMP-10",
    "001-TIME-03",
    "001-ERR-04",
    "003-CLIENT-05",
    "003-RES-01",
    "004-ERR-02",
    "project-AGENT-04",
)
@pytest.mark.parametrize("error", [ResponseTimeout("slow"), PeerUnreachable("gone"), RateLimited("busy")])
async def test_a_passing_failure_is_tried_again(world, error):
    world.answers(error, error, reply())
    assert (await world.ask()).text == "42"
    assert len(world.calls) == 3
    assert len(world.clock.slept) == 2
    retries = [line for line in world.journal.lines if line[0] == "RETRY"]
    assert retries == [("RETRY", "WARNING", "P01", 1), ("RETRY", "WARNING", "P01", 2)]


async def test_every_try_is_counted_with_what_became_of_it(world):
    world.answers(ResponseTimeout("slow"), reply(), MalformedReply("no message"), OutOfFiles("none left"))
    await world.ask()
    with pytest.raises(MalformedReply):
        await world.ask()
    with pytest.raises(Overloaded):
        await world.ask(retry=False)
    assert world.tally.tries == [("ask", "P01", said) for said in ("E001", "ok", "malformed", "overloaded")]
    assert world.tally.again == [("ask", "E001")]
    assert all(seconds >= 0 for seconds in world.tally.seconds)


async def test_a_peer_that_was_not_asked_took_no_time(connector):
    world = World(connector, threshold=1)
    async with world.sessions:
        world.answers(PeerUnreachable("gone"))
        for _ in range(2):
            with pytest.raises(PeerUnreachable):
                await world.ask(retry=False)
    assert world.tally.tries == [("ask", "P01", "E009"), ("ask", "P01", "circuit_open")]
    assert world.tally.seconds[1] == 0


@requirement(
    "000-REF-FAIL-02",
    "000-CL-SEND-02",
    "000-CL-RESP-02",
    "000-CL-NOT-03",
    "000-CL-FAIL-01",
    "001-PRIN-05",
    "001-COMP-10",
    "001-TIME-03",
    "003-CLIENT-05",
    "003-RES-01",
    "004-ERR-02",
    "project-AGENT-04",
)
async def test_the_failure_comes_out_when_the_tries_are_used_up(world):
    world.answers(ResponseTimeout("slow"))
    with pytest.raises(ResponseTimeout, match="slow"):
        await world.ask()
    assert len(world.calls) == 3


async def test_the_caller_may_count_the_tries_himself(world):
    world.answers(ResponseTimeout("slow"), reply())
    with pytest.raises(ResponseTimeout):
        await world.ask(retry=False)
    assert len(world.calls) == 1


@requirement("project-TRUST-03")
async def test_what_no_one_foresaw_is_tried_again_over_a_new_connection_and_logged(world, caplog):
    world.answers(KeyError("private"), asyncio.CancelledError(), reply())
    assert (await world.ask(retry=True)).text == "42"
    assert len(world.connector.opened) == 3
    broke = [line for line in world.journal.lines if line[0] == "CALL_BROKE"]
    assert broke == [("CALL_BROKE", "ERROR", "P01", None)]
    assert "KeyError: 'private'" in caplog.text


async def test_it_is_tried_again_even_where_the_caller_counts_the_tries_but_not_for_ever(world):
    world.answers(KeyError("private"))
    with pytest.raises(UnforeseenError, match="KeyError on the calling side") as caught:
        await world.ask(retry=False)
    assert len(world.calls) == 3
    assert "private" not in caught.value.message
    assert world.tally.tries == [("ask", "P01", "E099")] * 3


async def test_no_circuit_opens_over_a_fault_of_ours(connector):
    world = World(connector, threshold=1)
    async with world.sessions:
        world.answers(KeyError("x"), reply())
        assert (await world.ask()).text == "42"


async def test_an_e099_that_the_peer_answers_is_not_ours(world):
    world.answers(refused(-32603, "E099", error_description="UnforeseenError", context={"retryable": True}))
    with pytest.raises(InternalError) as caught:
        await world.ask()
    assert not isinstance(caught.value, UnforeseenError)
    assert len(world.calls) == 1


async def test_a_message_that_cannot_be_written_is_our_fault_too(world):
    world.client._route = lambda message: {}["no route"]
    with pytest.raises(UnforeseenError):
        await world.ask()


async def test_a_ping_lets_out_nothing_unforeseen(world):
    async with world.sessions.lease(P01.endpoint) as connection:
        connection.broken = KeyError("x")
    with pytest.raises(UnforeseenError):
        await world.client.ping(P01, timeout=3)
    async with world.sessions.lease(P01.endpoint) as connection:
        connection.broken = CallRefused(-32601, "Method not found")
    await world.client.ping(P01, timeout=3)


def refused(number, code=None, **data):
    return CallRefused(number, "no", {"error_code": code, **data} if code else data or None)


@requirement("000-CL-SEND-02", "000-CL-RESP-01", "000-CL-NOT-03", "003-CLIENT-05", "003-TEST-A-05", "004-OBJ-10")
@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (refused(4001, "E012", error_description="wrong token"), AuthTokenInvalid),
        (refused(4004, "E004", context={"field": "move"}), InvalidMove),
        (refused(-32602, "E003"), MissingField),
        (refused(-32602), InvalidField),
        (refused(4002), PlayerNotRegistered),
        (refused(-32603), InternalError),
        (refused(-32603, "E777"), InternalError),
        (refused(-32603, "E099", context="not an object"), InternalError),
    ],
)
async def test_a_refusal_becomes_the_error_that_it_stands_for_and_is_not_tried_again(world, refusal, error):
    world.answers(refusal, reply())
    with pytest.raises(error) as caught:
        await world.ask()
    assert type(caught.value) is error
    assert len(world.calls) == 1
    assert world.journal.lines[-1] == ("received", "JSONRPC_ERROR", "P01")


async def test_the_context_of_a_refusal_is_kept(world):
    world.answers(refused(4004, "E004", error_description="INVALID_MOVE", context={"field": "move", "message": "x"}))
    with pytest.raises(InvalidMove, match="no") as caught:
        await world.ask()
    assert caught.value.context == {"field": "move", "message": "x", "transport_sec": 0.0, "agent_sec": 0.0}


async def test_a_busy_peer_is_asked_again(world):
    world.answers(refused(23, "E023"), reply())
    assert (await world.ask()).text == "42"


async def test_a_league_error_as_a_reply_is_an_error_all_the_same(world):
    world.answers({"message_type": "LEAGUE_ERROR", "error_code": "E005", "error_description": "who?", "context": {}})
    with pytest.raises(PlayerNotRegistered, match="who"):
        await world.ask()


@requirement("000-CL-SEND-02", "000-CL-VAL-01", "004-TEST-13")
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("just text", "the reply is str, not a message"),
        (None, "the reply is NoneType"),
        (reply(conversation_id="conv-2"), "belongs to another conversation than conv-1"),
        ({"message_type": "ANSWER", "conversation_id": "conv-1"}, "not a valid Answer: text is missing"),
    ],
)
async def test_a_reply_that_does_not_fit_is_malformed_and_not_asked_for_again(world, answer, why):
    world.answers(answer, reply())
    with pytest.raises(MalformedReply, match=why):
        await world.ask()
    assert len(world.calls) == 1


async def test_a_reply_without_a_conversation_continues_ours(world):
    world.answers({"message_type": "ANSWER", "text": "42"})
    assert (await world.ask()).conversation_id == "conv-1"


async def test_a_request_without_a_conversation_takes_any(world):
    class Loose(Message, frozen=True):
        message_type: str = "QUESTION"

    world.answers(reply(conversation_id="whatever"))
    assert (await world.ask(message=Loose())).conversation_id == "whatever"


async def test_aliases_are_tried_in_turn_on_a_peer_that_cannot_list_and_the_right_one_is_remembered(world):
    async def answer(tool, arguments):
        if tool != "please_tell":
            raise CallRefused(-32601, "Method not found")
        return reply()

    world.connector.answer = answer
    await world.ask()
    await world.ask()
    assert [call[0] for call in world.calls] == ["ask", "please_tell", "please_tell"]


async def test_a_refusal_by_the_tool_itself_is_not_asked_for_under_other_names(world):
    world.answers(refused(4004, "E004"))
    with pytest.raises(InvalidMove):
        await world.ask()
    assert [call[0] for call in world.calls] == ["ask"]


def test_a_route_needs_a_tool():
    with pytest.raises(ValueError, match="at least one tool"):
        Route(())


async def test_a_peer_that_knows_no_name_of_the_tool_has_an_error(world):
    world.answers(CallRefused(-32601, "Method not found"))
    with pytest.raises(InternalError, match="Method not found"):
        await world.ask()
    assert [call[0] for call in world.calls] == ["ask", "please_tell"]


@requirement("001-PRIN-05", "001-COMP-10", "001-TIME-04", "project-AGENT-04")
async def test_a_peer_that_fails_too_often_is_not_called_for_a_while(connector):
    world = World(connector, threshold=3, reset_timeout=1000.0)
    async with world.sessions:
        world.answers(PeerUnreachable("gone"))
        with pytest.raises(PeerUnreachable, match="gone"):
            await world.ask()
        with pytest.raises(PeerUnreachable, match="failed 3 times in a row"):
            await world.ask(retry=False)
        assert len(world.calls) == 3
        world.answers(reply())
        world.clock.advance(1000)
        assert (await world.ask()).text == "42"


@requirement("project-AGENT-04")
async def test_a_broken_connection_is_made_again_for_the_next_try(world):
    world.answers(PeerUnreachable("broke"), reply())
    await world.ask()
    assert len(world.connector.opened) == 2


@requirement("003-CLIENT-04", "project-AGENT-04")
async def test_a_call_stands_in_the_queue(world):
    world.answers(reply())
    async with world.queue.turn(Priority.MATCH):
        with pytest.raises(RateLimited):
            await world.ask(retry=False, priority=Priority.BROADCAST)
    assert world.calls == []
    await world.ask(retry=False)


async def test_a_ping_goes_past_the_queue(world):
    async with world.queue.turn(Priority.MATCH):
        await world.client.ping(P01, timeout=1)
    assert world.connector.opened[0].pings == 1


async def test_a_ping_to_nobody_is_unreachable(world):
    world.connector.refuse = PeerUnreachable("nobody")
    with anyio.fail_after(30), pytest.raises(PeerUnreachable, match="nobody"):
        await world.client.ping(P01, timeout=1)


async def test_a_ping_that_cannot_even_connect_in_time_is_a_timeout(world):
    world.connector.gate = anyio.sleep_forever
    with anyio.fail_after(30), pytest.raises(ResponseTimeout, match="P01 did not answer a ping"):
        await world.client.ping(P01, timeout=0.01)


class OtherCodec(FakeCodec):
    def parse(self, arguments, expect, *, spec=None):
        return super().parse({**arguments, "text": arguments["said"]}, expect)

    def render(self, message, *, spec=None):
        return {"protocol": "other", **super().render(message)}


class TestDialects:
    @pytest.fixture
    def polyglot(self, world):
        world.client = PeerClient(
            world.outbound, FakeCodec(), lambda message: Route(("ask",)), world.journal, {"other": OtherCodec()}
        )
        return world

    async def test_a_peer_is_written_to_in_its_protocol(self, polyglot):
        polyglot.answers({"protocol": "other", "conversation_id": "conv-1", "said": "42"})
        foreigner = Peer("P01", "fake:p01", dialect=Dialect(protocol="other"))
        answer = await polyglot.client.call(foreigner, Question(), Answer, timeout=3)
        assert answer.text == "42"
        assert polyglot.calls[0][1]["protocol"] == "other"

    async def test_an_answer_is_read_in_the_protocol_that_it_names(self, polyglot):
        polyglot.answers({"protocol": "other", "conversation_id": "conv-1", "said": "42"}, reply(text="43"))
        assert (await polyglot.ask()).text == "42"
        assert (await polyglot.ask()).text == "43"
        assert "protocol" not in polyglot.calls[0][1]


class Noted(Message, frozen=True):
    message_type: str = "NOTED"
    conversation_id: str = ""
    status: str = "ACKNOWLEDGED"


class TestBareAcknowledgements:
    async def test_one_is_not_the_answer_and_says_so(self, world):
        world.answers({"status": "ok"})
        with pytest.raises(Acknowledged, match="the request arrived, and is no Answer") as told:
            await world.ask()
        assert told.value.received == {"status": "ok"}

    async def test_where_no_more_was_asked_for_it_is_enough(self, world):
        world.answers({"status": "ok"})
        noted = await world.client.call(P01, Question(), Noted, timeout=3)
        assert noted.conversation_id == "conv-1"


async def test_a_player_with_an_endpoint_of_its_own_cannot_say_that_it_is_gone(world):
    world.answers(CallRefused(9, "no player listens", {"error_code": "E009", NO_PULSE: True}))
    with pytest.raises(SaysUnreachable):
        await world.ask(retry=False)


async def test_a_peer_may_have_less_time_to_connect(world):
    world.connector.gate = anyio.sleep_forever
    peer = Peer("P01", "fake:p01", connect_sec=0.01)
    with pytest.raises(PeerUnreachable, match=r"no connection within 0\.01 s"):
        await world.client.call(peer, Question(), Answer, timeout=3, retry=False)


async def test_that_time_is_over_once_it_is_connected(world):
    async def late(tool, arguments):
        await anyio.sleep(0.05)
        return reply()

    world.connector.answer = late
    peer = Peer("P01", "fake:p01", connect_sec=0.04)
    assert (await world.client.call(peer, Question(), Answer, timeout=3, retry=False)).text == "42"


@requirement("project-WIRE-04")
@pytest.mark.parametrize("number", [-32602, -32603])
async def test_fields_that_a_framework_refuses_as_unknown_are_left_out_from_then_on(world, number: int):
    world.answers(unknown("attempt", "protocol", number=number), reply(), reply())
    for _ in range(2):
        await world.ask(message=Invitation(), retry=False)
    sent = [set(arguments) for _, arguments, _ in world.calls]
    whole = {"message_type", "conversation_id", "auth_token", "match_id", "attempt", "protocol"}
    assert sent == [whole, whole - {"attempt", "protocol"}, whole - {"attempt", "protocol"}]
    assert world.tally.tries == [("ask", "P01", "ok")] * 2, "the refusal is no try of its own"
    assert ("FIELDS_LEFT_OUT", "WARNING", "P01", None) in world.journal.lines


@requirement("project-WIRE-04")
@pytest.mark.parametrize("never", ["auth_token", "match_id"])
async def test_a_token_and_a_match_are_never_left_out(world, never: str):
    world.answers(unknown("attempt", never))
    with pytest.raises(InvalidField, match="refuses fields it does not know: "):
        await world.ask(message=Invitation(), retry=False)
    assert len(world.calls) == 1


async def test_the_call_without_them_has_what_is_left_of_the_time_and_is_the_last(world):
    async def slow(tool, arguments):
        await world.clock.sleep(1.0)
        raise unknown("attempt") if "attempt" in arguments else unknown("protocol")

    world.connector.answer = slow
    with pytest.raises(InvalidField, match="refuses fields it does not know: protocol"):
        await world.ask(message=Invitation(), retry=False)
    assert [timeout for _, _, timeout in world.calls] == [3, 2.0]


async def test_a_refusal_that_took_the_whole_time_is_not_repeated(world):
    async def late(tool, arguments):
        await world.clock.sleep(3.0)
        raise unknown("attempt")

    world.connector.answer = late
    with pytest.raises(InvalidField):
        await world.ask(message=Invitation(), retry=False)
    assert len(world.calls) == 1


async def test_a_peer_that_was_started_anew_gets_the_whole_message(world):
    world.answers(unknown("attempt"), reply(), PeerUnreachable("gone"), reply())
    await world.ask(message=Invitation(), retry=False)
    with pytest.raises(PeerUnreachable):
        await world.ask(message=Invitation(), retry=False)
    await world.ask(message=Invitation(), retry=False)
    assert ["attempt" in arguments for _, arguments, _ in world.calls] == [True, False, False, True]
