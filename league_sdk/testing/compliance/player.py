"""What a player is put through: a league's whole course, then everything that it has to refuse."""

from collections.abc import Mapping
from typing import Any

from league_sdk.clock import HashRng
from league_sdk.domain.model import Role
from league_sdk.game import Json
from league_sdk.protocol.catalog import CallSpec, calls_for
from league_sdk.testing.compliance.answers import Object, as_object
from league_sdk.testing.compliance.exam import ON_THE_WIRE, Exam
from league_sdk.testing.compliance.match_course import JOIN_ACK, MatchCourse, expected_move, illegal
from league_sdk.testing.compliance.rules import A_MATCH, EVERY_MESSAGE
from league_sdk.testing.compliance.script import OPPONENT, PLAYER, Script
from league_sdk.testing.compliance.wire import BARE, BareWire

INVITATION = "GAME_INVITATION"


class PlayerExam:
    """One player in one dialect.

    Args:
        exam: How it is asked.
        script: What is said to it.
        number: Which dialect this is, from 1: matches of different dialects have different ids.
        counts: Whether this is how a league would speak to it; else what goes wrong is an advice.

    Attributes:
        in_play: Whether it is asked no more than a league asks; who falls silent afterwards loses no match by it.
    """

    def __init__(self, exam: Exam, script: Script, number: int, *, counts: bool = True) -> None:
        self._exam = exam
        self._script = script
        self._round = number
        self._counts = counts
        self._course = MatchCourse(exam, script, number, counts=counts)
        self._calls = {call.tool: call for call in calls_for(Role.PLAYER, [script.game.move_spec])}
        self.in_play = counts

    @property
    def calls(self) -> tuple[CallSpec, ...]:
        """Every call that a player gets."""
        return tuple(self._calls.values())

    async def run(self) -> None:
        """Everything but the end of the league: first a league's course, then what a good player does beside it."""
        self._exam.binding = self._counts
        await self._exam.list_tools(self.calls, needed=(self._invite.tool, self._move.tool))
        self._exam.binding = False
        await self._tell("notify_round", self._script.round_announcement(self._round, self._match(1)))
        await self._whole_match()
        await self._second_match()
        await self._tell("update_standings", self._script.standings(self._round))
        await self._tell("notify_round_completed", self._script.round_completed(self._round))
        self.in_play = False
        await self._lost_match()
        await self._repeats()
        await self._read_generously()
        await self._other_game()
        await self._refusals()
        await self._tokens()
        await self._json_rpc()
        again = self._script.invitation(self._match(6), self._round)
        await self._exam.ask(self._invite, again, "a GAME_INVITATION after all that is accepted")

    async def end(self) -> None:
        """The end of the league, after which an agent may go."""
        call, message = self._calls["notify_league_completed"], self._script.league_completed()
        self._exam.binding = False
        answer = await self._exam.call(call, message)
        if self._script.peer_token is None and answer.error is not None and answer.error.code == "E008":
            why = "it is in no league, and says so; --manager-port lets it register"
            self._exam.skip("LEAGUE_COMPLETED: a reply, and no error", "LEAGUE_COMPLETED", why)
        else:
            self._exam.judge_reply(call, message, answer)

    @property
    def _invite(self) -> CallSpec:
        return self._calls["handle_game_invitation"]

    @property
    def _move(self) -> CallSpec:
        return self._calls[self._script.game.move_spec.tool]

    def _match(self, number: int) -> str:
        return f"R{self._round}M{number}"

    async def _tell(self, tool: str, message: Mapping[str, Json], label: str = "") -> Object | None:
        return await self._exam.ask(self._calls[tool], message, label)

    # The course of a match

    async def _whole_match(self) -> None:
        """Invitation, moves and result."""
        match_id = self._match(1)
        if not await self._course.invite(match_id):
            self._exam.skip("a match is played to its end", A_MATCH, "it did not come to the match")
            return
        result = await self._course.play(match_id)
        await self._tell("notify_match_result", self._script.game_over(match_id, self._round, result))

    async def _second_match(self) -> None:
        """Another match, in the second seat."""
        match_id = self._match(2)
        if await self._course.invite(match_id, second=True):
            result = await self._course.play(match_id, second=True)
            over = self._script.game_over(match_id, self._round, result)
            await self._tell("notify_match_result", over, "a GAME_OVER of a second match is acknowledged")

    async def _lost_match(self) -> None:
        """A match that the opponent does not come to."""
        match_id = self._match(8)
        await self._exam.call(self._invite, self._script.invitation(match_id, self._round))
        result = {"winner_player_id": PLAYER, "score": {PLAYER: 3, OPPONENT: 0}}
        over = self._script.game_over(match_id, self._round, result, technical=True)
        await self._tell("notify_match_result", over, "a GAME_OVER after a technical loss is acknowledged")

    async def _repeats(self) -> None:
        """Each message of a match a second time, as if an answer had got lost, and a move after a GAME_ERROR."""
        match_id, game = self._match(7), self._script.game
        invitation = self._script.invitation(match_id, self._round)
        await self._exam.call(self._invite, invitation)
        again = await self._exam.ask(self._invite, invitation, "a GAME_INVITATION a second time is accepted again")
        if again is None:
            return
        state = game.start((PLAYER, OPPONENT), HashRng(match_id))
        if PLAYER in game.to_move(state):
            await self._repeated_moves(match_id, state)
        over = self._script.game_over(match_id, self._round, {"winner_player_id": None})
        await self._exam.call(self._calls["notify_match_result"], over)
        await self._tell("notify_match_result", over, "a GAME_OVER a second time is acknowledged again")

    async def _repeated_moves(self, match_id: str, state: Any) -> None:
        spec = self._script.game.move_spec
        call = self._script.move_call(match_id, self._round, state, 1)
        await self._exam.call(self._move, call)
        for when in ("a second time", "after a GAME_ERROR"):
            label = f"{spec.call_type} {when} gets a move again"
            reply = await self._exam.ask(self._move, call, label)
            if reply is not None:
                problem = illegal(self._script, state, reply)
                moot = bool(problem) and self._exam.has_failed(f"{spec.response_type}: a legal move")
                problem = f"as before: {problem}" if moot else problem
                expected = expected_move(self._script, state)
                self._exam.note(
                    f"{label}, a legal one", A_MATCH, problem, expected, sent=call, received=reply, skipped=moot
                )
            if when == "a second time":
                await self._tell("notify_game_error", self._script.game_error(match_id, self._round))

    # What is unusual and still right

    async def _read_generously(self) -> None:
        unknown = {"a_field_of_the_future": {"and": ["what", "is", "in", "it"]}}
        message = self._script.invitation(self._match(3), self._round) | unknown
        await self._exam.ask(self._invite, message, "a field that nobody knows is ignored")
        message = self._script.invitation(self._match(3), self._round)
        message["timestamp"] = message["timestamp"].replace("Z", "+00:00")
        await self._exam.ask(self._invite, message, "a timestamp that ends in +00:00 is read")

    async def _other_game(self) -> None:
        message = self._script.invitation(self._match(4), self._round) | {"game_type": "a_game_that_nobody_plays"}
        answer = await self._exam.call(self._invite, message)
        reply = as_object(answer.reply)
        code = answer.error.code if answer.error else None
        problem = answer.broken
        if not problem and reply.get("accept") is not False and code != "E017":
            problem = "it is accepted" if reply.get("accept") else "it is neither declined nor refused with E017"
        moot = self._exam.has_failed(f"{JOIN_ACK}: accept", "GAME_INVITATION: a well-formed response")
        problem = f"as before: {problem}" if moot else problem
        expected = "a game that the player does not play is declined (accept is false), or refused with E017"
        self._exam.note(
            "an invitation to another game is declined", INVITATION, problem, expected, answer, skipped=moot
        )

    # What has to be refused

    async def _refusals(self) -> None:
        await self._exam.unknown_tool(self._script.standings(self._round))
        invitation = self._script.invitation(self._match(5), self._round)
        invalid: tuple[tuple[str, dict[str, Json], tuple[str, ...], str], ...] = (
            ("without protocol", without(invitation, "protocol"), ("E003",), EVERY_MESSAGE),
            ("in another protocol", invitation | {"protocol": "league.v99"}, ("E018",), EVERY_MESSAGE),
            ("without message_type", without(invitation, "message_type"), ("E003",), EVERY_MESSAGE),
            ("with another message_type", invitation | {"message_type": "GAME_OVER"}, ("E002",), EVERY_MESSAGE),
            ("without sender", without(invitation, "sender"), ("E003",), EVERY_MESSAGE),
            ("from a malformed sender", invitation | {"sender": "somebody"}, ("E002",), EVERY_MESSAGE),
            ("without timestamp", without(invitation, "timestamp"), ("E003",), EVERY_MESSAGE),
            (
                "without a zone in its timestamp",
                invitation | {"timestamp": "2025-01-15T10:00:00"},
                ("E021",),
                EVERY_MESSAGE,
            ),
            (
                "with a timestamp of another zone",
                invitation | {"timestamp": "2025-01-15T12:00:00+02:00"},
                ("E021",),
                EVERY_MESSAGE,
            ),
            ("without match_id", without(invitation, "match_id"), ("E003",), INVITATION),
            ("with a number as match_id", invitation | {"match_id": 7}, ("E002",), INVITATION),
            ("with a text as round_id", invitation | {"round_id": "one"}, ("E002",), INVITATION),
            ("with nothing in it", {}, ("E003",), EVERY_MESSAGE),
        )
        for how, message, codes, section in invalid:
            await self._exam.refused(f"a GAME_INVITATION {how} is refused", self._invite, message, codes, section)
        await self._bad_move_calls()

    async def _bad_move_calls(self) -> None:
        game = self._script.game
        name = game.move_spec.call_type
        state = game.start((PLAYER, OPPONENT), HashRng("no match"))
        never = self._script.move_call(self._match(99), self._round, state, 1)
        # Who knows a match by its ticket cannot know this one.
        codes = ("E008", "E007") if self._script.peer_token is None else ("E008", "E007", "E012")
        label = f"a {name} for a match without invitation is refused"
        await self._exam.refused(label, self._move, never, codes, A_MATCH)
        invitation = self._script.invitation(self._match(5), self._round)
        await self._exam.ask(self._invite, invitation, "a valid GAME_INVITATION after invalid ones is accepted")
        call = self._script.move_call(self._match(5), self._round, state, 1)
        for how, message, code in (
            ("without context", without(call, "context"), "E003"),
            ("with a text as context", call | {"context": "none"}, "E002"),
            ("without deadline", without(call, "deadline"), "E003"),
        ):
            await self._exam.refused(f"a {name} {how} is refused", self._move, message, (code,), A_MATCH)
        over = self._script.game_over(self._match(5), self._round, {"winner_player_id": None})
        broken = without(over, "game_result")
        result = self._calls["notify_match_result"]
        await self._exam.refused("a GAME_OVER without game_result is refused", result, broken, ("E003",), "GAME_OVER")
        announcement = self._script.round_announcement(self._round, self._match(5)) | {"matches": "none"}
        call_spec = self._calls["notify_round"]
        label = "a ROUND_ANNOUNCEMENT with a text as matches is refused"
        await self._exam.refused(label, call_spec, announcement, ("E002",), "ROUND_ANNOUNCEMENT")

    async def _tokens(self) -> None:
        """Whose token is taken, where the player has registered and so knows what to ask for.

        An advice: a player that believes everybody loses nothing by it in a league of people who mean well.
        """
        announcement = self._script.round_announcement(self._round, self._match(5))
        invitation = self._script.invitation(self._match(5), self._round)
        other = self._script.ticket(self._match(4))
        cases = (
            ("a ROUND_ANNOUNCEMENT without auth_token", "notify_round", without(announcement, "auth_token"), "E011"),
            ("a ROUND_ANNOUNCEMENT with a wrong auth_token", "notify_round", with_token(announcement, "wrong"), "E012"),
            (
                "a GAME_INVITATION without auth_token",
                "handle_game_invitation",
                without(invitation, "auth_token"),
                "E011",
            ),
            (
                "a GAME_INVITATION with a wrong auth_token",
                "handle_game_invitation",
                with_token(invitation, "wrong"),
                "E012",
            ),
            (
                "a GAME_INVITATION with another match's auth_token",
                "handle_game_invitation",
                with_token(invitation, other),
                "E012",
            ),
        )
        for what, tool, message, code in cases:
            if self._script.peer_token is None:
                why = "the player is registered nowhere, so it knows no token; --manager-port lets it register"
                self._exam.skip(f"{what} is refused", EVERY_MESSAGE, why)
            else:
                await self._exam.refused(
                    f"{what} is refused", self._calls[tool], message, (code,), EVERY_MESSAGE, advice=True
                )

    async def _json_rpc(self) -> None:
        """What JSON-RPC itself asks for."""
        message = self._script.invitation(self._match(5), self._round)
        answer = await self._exam.call(self._invite, message, request_id="a-text-as-id")
        told = answer.broken or answer.odd or (answer.error.text if answer.error else "")
        expected = "the id of a request, a number or a text, comes back as it is"
        self._exam.note("a text as the id of a request comes back", ON_THE_WIRE, told, expected, answer)
        arguments: Json = [message]
        answer = await self._exam.call(self._invite, arguments)
        problem = answer.broken if answer.error is None else ""
        problem = problem or ("it was taken" if answer.error is None else "")
        number = answer.error.number if answer.error is not None else None
        if number is not None and number not in (-32602, -32600):
            problem = f"error {number}"
        expected = "a message is an object; anything else is JSON-RPC error -32602"
        self._exam.note("a list in the place of a message is refused", ON_THE_WIRE, problem, expected, answer)
        if self._exam.wire.dialect == BARE and isinstance(self._exam.wire, BareWire):
            await self._not_json(self._exam.wire)

    async def _not_json(self, wire: BareWire) -> None:
        cases: tuple[tuple[str, Json, int], ...] = (
            ("something that is no JSON is refused", b'{"jsonrpc": "2.0", "method": ', -32700),
            ("a request without a method is refused", {"jsonrpc": "2.0", "id": 1, "params": {}}, -32600),
        )
        for name, body, number in cases:
            exchange = await wire.raw(body, timeout=self._exam.timeouts.response)
            code: Json = as_object(as_object(exchange.body).get("error")).get("code")
            problem = exchange.broken or ("" if code == number else f"HTTP {exchange.status}, error {code}")
            sent = body.decode() if isinstance(body, bytes) else body
            expected = f"JSON-RPC error {number}"
            self._exam.note(name, ON_THE_WIRE, problem, expected, sent=sent, received=exchange.body)


def without(message: Mapping[str, Json], *fields: str) -> dict[str, Json]:
    """A message with some fields left out."""
    return {name: value for name, value in message.items() if name not in fields}


def with_token(message: Mapping[str, Json], token: str | None) -> dict[str, Json]:
    """A message with another token."""
    return {**message, "auth_token": token}
