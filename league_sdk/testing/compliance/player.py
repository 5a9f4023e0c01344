"""What a player is put through: a league's whole course, then everything that it has to refuse."""

from collections.abc import Mapping
from typing import Any

from league_sdk.clock import HashRng
from league_sdk.domain.model import Role
from league_sdk.errors import InvalidMove
from league_sdk.game import Json
from league_sdk.protocol.catalog import CallSpec, calls_for
from league_sdk.testing.compliance.answers import Object, as_object
from league_sdk.testing.compliance.exam import ON_THE_WIRE, Exam
from league_sdk.testing.compliance.rules import A_MATCH, EVERY_MESSAGE
from league_sdk.testing.compliance.script import OPPONENT, PLAYER, Script
from league_sdk.testing.compliance.wire import BARE, BareWire

INVITATION, JOIN_ACK = "GAME_INVITATION", "GAME_JOIN_ACK"
MOST_TURNS = 500
"""No game that is checked with goes on for longer."""


class PlayerExam:
    """One player in one dialect.

    Args:
        exam: How it is asked.
        script: What is said to it.
        number: Which dialect this is, from 1: matches of different dialects have different ids.
    """

    def __init__(self, exam: Exam, script: Script, number: int) -> None:
        self._exam = exam
        self._script = script
        self._round = number
        self._calls = {call.tool: call for call in calls_for(Role.PLAYER, [script.game.move_spec])}

    @property
    def calls(self) -> tuple[CallSpec, ...]:
        """Every call that a player gets."""
        return tuple(self._calls.values())

    async def run(self) -> None:
        """Everything but the end of the league."""
        await self._exam.list_tools(self.calls)
        await self._tell("notify_round", self._script.round_announcement(self._round, self._match(1)))
        await self._whole_match()
        await self._lost_match()
        await self._tell("update_standings", self._script.standings(self._round))
        await self._tell("notify_round_completed", self._script.round_completed(self._round))
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
        """Invitation, moves, an error in between, result; and each of them a second time."""
        match_id = self._match(1)
        invitation = self._script.invitation(match_id, self._round)
        reply = await self._exam.ask(self._invite, invitation)
        self._note_accepted(invitation, reply)
        again = await self._exam.ask(self._invite, invitation, "a GAME_INVITATION a second time is accepted again")
        if reply is None and again is None:
            self._exam.skip("a match is played to its end", A_MATCH, "it did not come to the match")
            return
        result = await self._play(match_id)
        over = self._script.game_over(match_id, self._round, result)
        await self._tell("notify_match_result", over)
        await self._tell("notify_match_result", over, "a GAME_OVER a second time is acknowledged again")

    def _note_accepted(self, invitation: Mapping[str, Json], reply: Object | None) -> None:
        expected = "true: it plays; declining loses the match"
        if reply is None:
            self._exam.skip(f"{JOIN_ACK}: comes to the match", JOIN_ACK, "there is no reply to look at")
            return
        problem = "" if reply.get("accept") is True else f"accept is {reply.get('accept')!r}"
        moot = self._exam.has_failed(f"{JOIN_ACK}: accept")
        problem = f"as before: {problem}" if moot else problem
        name, sent = f"{JOIN_ACK}: comes to the match", dict(invitation)
        self._exam.note(name, JOIN_ACK, problem, expected, sent=sent, received=reply, skipped=moot)

    async def _play(self, match_id: str) -> Mapping[str, Json]:
        """Play the game against an opponent that takes the first legal move; the result for GAME_OVER."""
        game, rng = self._script.game, HashRng(match_id)
        state = game.start((PLAYER, OPPONENT), rng)
        for turn in range(1, MOST_TURNS):
            asked = game.to_move(state)
            if not asked:
                break
            moves: dict[str, Any] = {OPPONENT: game.legal_moves(state, OPPONENT)[0]} if OPPONENT in asked else {}
            if PLAYER in asked:
                move = await self._ask_for_move(match_id, state, turn)
                legal = self._is_legal(state, move)
                moves[PLAYER] = move if legal else game.legal_moves(state, PLAYER)[0]
            state = game.apply(state, moves, rng)
        outcome = game.outcome(state)
        if outcome is None:
            return {"winner_player_id": None}
        score = {name: 1 if outcome.winner is None else 3 * (name == outcome.winner) for name in (PLAYER, OPPONENT)}
        return {**outcome.details, "winner_player_id": outcome.winner, "reason": outcome.reason, "score": score}

    async def _ask_for_move(self, match_id: str, state: Any, turn: int) -> Json:
        """Ask; in the first turn once more as if the answer had got lost, and once after a GAME_ERROR."""
        spec = self._script.game.move_spec
        call = self._script.move_call(match_id, self._round, state, turn)
        first = turn == 1
        reply = await self._exam.ask(self._move, call, "" if first else f"{spec.call_type} in a later turn is answered")
        self._note_move(call, reply, state, f"{spec.response_type}: a legal move")
        if first:
            label = f"{spec.call_type} a second time gets a move again"
            again = await self._exam.ask(self._move, call, label)
            if again is not None:
                self._note_move(call, again, state, f"{label}, a legal one")
            await self._tell("notify_game_error", self._script.game_error(match_id, self._round))
            label = f"{spec.call_type} after a GAME_ERROR gets a move again"
            retried = await self._exam.ask(self._move, call, label)
            if retried is not None:
                self._note_move(call, retried, state, f"{label}, a legal one")
        return None if reply is None else reply.get(spec.choice_field)

    def _note_move(self, call: Mapping[str, Json], reply: Object | None, state: Any, name: str) -> None:
        game = self._script.game
        field, legal = game.move_spec.choice_field, list(game.legal_moves(state, PLAYER))
        if reply is None:
            self._exam.skip(name, A_MATCH, "there is no reply to look at")
            return
        move = reply.get(field)
        problem = (
            "" if self._is_legal(state, move) else f"{field} is {str(move)[:200]!r}, of type {type(move).__name__}"
        )
        expected = f"{field} is one of {legal}, exactly"
        answered = game.move_spec.response_type
        moot = bool(problem) and self._exam.has_failed(f"{answered}: {field}", f"{answered}: a legal move")
        problem = f"as before: {problem}" if moot else problem
        self._exam.note(name, A_MATCH, problem, expected, sent=dict(call), received=reply, skipped=moot)

    def _is_legal(self, state: Any, move: Json) -> bool:
        try:
            self._script.game.check(state, PLAYER, move)
        except InvalidMove:
            return False
        return True

    async def _lost_match(self) -> None:
        """In the second seat, to a match that the opponent does not come to."""
        match_id = self._match(2)
        invitation = self._script.invitation(match_id, self._round, second=True)
        await self._exam.ask(self._invite, invitation, "GAME_INVITATION in the second seat is accepted")
        result = {"winner_player_id": PLAYER, "score": {PLAYER: 3, OPPONENT: 0}}
        over = self._script.game_over(match_id, self._round, result, technical=True)
        await self._tell("notify_match_result", over, "a GAME_OVER after a technical loss is acknowledged")

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
        told = answer.broken or (f"error {answer.error.number}" if answer.error else "")
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
