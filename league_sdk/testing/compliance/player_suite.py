"""Cases for a player: a league's whole course, then messages to refuse."""

from collections.abc import Mapping
from typing import Any

from league_sdk.clock import HashRng
from league_sdk.dialect import V1, V2
from league_sdk.json_value import Json
from league_sdk.testing.compliance.bad_messages import ENVELOPES, TOKENS, BadMessage
from league_sdk.testing.compliance.match_suite import ERROR, INVITE, JOIN_ACK, OVER, MatchSuite
from league_sdk.testing.compliance.reply_rules import A_MATCH, EVERY_MESSAGE
from league_sdk.testing.compliance.responses import as_object
from league_sdk.testing.compliance.script import OPPONENT, PLAYER
from league_sdk.testing.compliance.suite import ALL_CALLS, ON_THE_WIRE
from league_sdk.testing.compliance.wire import BareWire

INVITATIONS = (
    *ENVELOPES,
    BadMessage("without match_id", {"match_id": None}, "E003"),
    BadMessage("with a number as match_id", {"match_id": 7}, "E002"),
    BadMessage("with a text as round_id", {"round_id": "one"}, "E002"),
)
MOVE_CALLS = (
    BadMessage("without match_id", {"match_id": None}, "E003"),
    BadMessage("with a text as context", {"context": "none"}, "E002"),
    BadMessage("with a number as deadline", {"deadline": 7}, "E002"),
)
NOT_JSON_RPC: tuple[tuple[str, Json, int], ...] = (
    ("something that is no JSON is refused", b'{"jsonrpc": "2.0", "method": ', -32700),
    ("a request without a method is refused", {"jsonrpc": "2.0", "id": 1, "params": {}}, -32600),
)
UNKNOWN_FIELD: Mapping[str, Json] = {"a_field_of_the_future": {"and": ["what", "is", "in", "it"]}}
DRAWN: Mapping[str, Json] = {"winner_player_id": None}


class PlayerSuite(MatchSuite):
    """One player in one dialect; in play during the course of a normal league."""

    async def run(self) -> None:
        """A league's whole course, then other cases, without the end of the league."""
        script, number = self.script, self.number
        self.binding = self.in_play = self.counts
        await self.list_tools(INVITE, self.spec.tool)
        self.binding = False
        await self.ask("notify_round", script.round_announcement(number, self.match_id(1)))
        await self._whole_match()
        await self._second_match()
        await self.ask("update_standings", script.standings(number))
        await self.ask("notify_round_completed", script.round_completed(number))
        self.in_play = False
        if script.translator.protocol != V2:
            self.skip(
                "other messages, valid and invalid", ALL_CALLS, f"they are sent in {V2}, and it registers in {V1}"
            )
            return
        others = [self.match_id(each) for each in range(3, 9)]
        await self.call("notify_round", script.round_announcement(number, *others))
        await self._lost_match()
        await self._repeats()
        message = script.invitation(self.match_id(3), number)
        await self.ask(INVITE, {**message, **UNKNOWN_FIELD}, "a field that nobody knows is ignored")
        message = script.invitation(self.match_id(3), number)
        message["timestamp"] = message["timestamp"].replace("Z", "+00:00")
        await self.ask(INVITE, message, "a timestamp that ends in +00:00 is read")
        await self._other_game()
        await self._refusals()
        await self._tokens()
        await self._json_rpc()
        again = script.invitation(self.match_id(6), number)
        await self.ask(INVITE, again, "a GAME_INVITATION after all that is accepted")

    async def end(self) -> None:
        """The end of the league, after which an agent may go."""
        tool, message = "notify_league_completed", self.script.league_completed()
        self.binding = self.in_play = False
        answer = await self.call(tool, message)
        if self.script.peer_token is None and answer.error is not None and answer.error.code == "E008":
            why = "it is in no league, and says so; --manager-port lets it register"
            self.skip("LEAGUE_COMPLETED: a reply, and no error", "LEAGUE_COMPLETED", why)
        else:
            self.judge_reply(tool, message, answer)

    # The course of a match

    async def _whole_match(self) -> None:
        match_id = self.match_id(1)
        if not await self.invite(match_id):
            self.skip("a match is played to its end", A_MATCH, "it did not come to the match")
            return
        await self.ask(OVER, self.script.game_over(match_id, self.number, await self.play(match_id)))

    async def _second_match(self) -> None:
        match_id = self.match_id(2)
        await self.call("notify_round", self.script.round_announcement(self.number, match_id))
        if await self.invite(match_id, second=True):
            over = self.script.game_over(match_id, self.number, await self.play(match_id, second=True))
            await self.ask(OVER, over, "a GAME_OVER of a second match is acknowledged")

    async def _lost_match(self) -> None:
        """A match that the opponent does not come to."""
        match_id = self.match_id(8)
        await self.call(INVITE, self.script.invitation(match_id, self.number))
        result = {"winner_player_id": PLAYER, "score": {PLAYER: 3, OPPONENT: 0}}
        over = self.script.game_over(match_id, self.number, result, technical=True)
        await self.ask(OVER, over, "a GAME_OVER after a technical loss is acknowledged")

    async def _repeats(self) -> None:
        """Every message of a match twice, as after a lost answer; a move after an error."""
        match_id, game = self.match_id(7), self.script.game
        invitation = self.script.invitation(match_id, self.number)
        await self.call(INVITE, invitation)
        again = await self.ask(INVITE, invitation, "a GAME_INVITATION a second time is accepted again")
        if again is None:
            return
        state = game.start((PLAYER, OPPONENT), HashRng(match_id))
        if PLAYER in game.to_move(state):
            await self._repeated_moves(match_id, state)
        over = self.script.game_over(match_id, self.number, DRAWN)
        await self.call(OVER, over)
        await self.ask(OVER, over, "a GAME_OVER a second time is acknowledged again")

    async def _repeated_moves(self, match_id: str, state: Any) -> None:
        call = self.script.move_call(match_id, self.number, state, 1)
        await self.call(self.spec.tool, call)
        await self._repeated_move(call, state, "a second time")
        await self.ask(ERROR, self.script.game_error(match_id, self.number))
        await self._repeated_move(call, state, "after a GAME_ERROR")

    async def _repeated_move(self, call: Mapping[str, Json], state: Any, when: str) -> None:
        label = f"{self.spec.call_type} {when} gets a move again"
        reply = await self.ask(self.spec.tool, call, label)
        if reply is None:
            return
        problem, expected = self.illegal(state, reply), self.expected_move(state)
        moot = bool(problem) and self.has_failed(f"{self.spec.response_type}: a legal move")
        self.note(f"{label}, a legal one", A_MATCH, problem, expected, sent=call, received=reply, moot=moot)

    async def _other_game(self) -> None:
        message = self.script.invitation(self.match_id(4), self.number) | {"game_type": "a_game_that_nobody_plays"}
        answer = await self.call(INVITE, message)
        accept = as_object(answer.reply).get("accept")
        code = answer.error.code if answer.error else None
        problem = answer.broken
        if not problem and accept is not False and code != "E017":
            problem = "it is accepted" if accept else "it is neither declined nor refused with E017"
        moot = self.has_failed(f"{JOIN_ACK}: accept", "GAME_INVITATION: a well-formed response")
        expected = "a game that the player does not play is declined (accept is false), or refused with E017"
        name = "an invitation to another game is declined"
        self.note(name, "GAME_INVITATION", problem, expected, answer, moot=moot)

    # Messages that have to be refused

    async def _refusals(self) -> None:
        script, number, match_id, move = self.script, self.number, self.match_id(5), self.spec.tool
        await self.unknown_tool(script.standings(number))
        await self.refuse_all(INVITE, script.invitation(match_id, number), INVITATIONS)
        await self.refused(INVITE, {}, "with nothing in it", "E003", EVERY_MESSAGE)
        state = script.game.start((PLAYER, OPPONENT), HashRng("no match"))
        # A player that knows a match by its ticket cannot know this one.
        codes = "E008 E007" if script.peer_token is None else "E008 E007 E012"
        never = script.move_call(self.match_id(99), number, state, 1)
        await self.refused(move, never, "for a match without invitation", codes)
        invitation = script.invitation(match_id, number)
        await self.ask(INVITE, invitation, "a valid GAME_INVITATION after invalid ones is accepted")
        await self.refuse_all(move, script.move_call(match_id, number, state, 1), MOVE_CALLS)
        no_match = BadMessage("without match_id", {"match_id": None}, "E003")
        await self.refuse_all(OVER, script.game_over(match_id, number, DRAWN), [no_match])
        text = BadMessage("with a text as matches", {"matches": "none"}, "E002")
        await self.refuse_all("notify_round", script.round_announcement(number, match_id), [text])

    async def _tokens(self) -> None:
        """Wrong tokens, if the player has registered and so knows the right ones.

        Faults are advice: a player that trusts every caller loses nothing by it in a friendly league.
        """
        other = {"auth_token": self.script.ticket(self.match_id(4))}
        announcement = self.script.round_announcement(self.number, self.match_id(5))
        invitation = self.script.invitation(self.match_id(5), self.number)
        of_another = BadMessage("with another match's auth_token", other, "E012")
        for tool, message, cases in (
            ("notify_round", announcement, TOKENS),
            (INVITE, invitation, (*TOKENS, of_another)),
        ):
            if self.script.peer_token is not None:
                await self.refuse_all(tool, message, cases, advice=True)
                continue
            for case in cases:
                why = "it did not register with the check, whose token it would need; --manager-port lets it register"
                self.skip(f"a {message['message_type']} {case.how} is refused", EVERY_MESSAGE, why)

    async def _json_rpc(self) -> None:
        message = self.script.invitation(self.match_id(5), self.number)
        answer = await self.call(INVITE, message, request_id="a-text-as-id")
        told = answer.broken or answer.odd or (answer.error.text if answer.error else "")
        expected = "the id of a request, a number or a text, comes back as it is"
        self.note("a text as the id of a request comes back", ON_THE_WIRE, told, expected, answer)
        arguments: Json = [message]
        answer = await self.call(INVITE, arguments)
        problem = answer.broken or "it was taken"
        if answer.error is not None:
            number = answer.error.number
            problem = "" if number in (None, -32602, -32600) else f"error {number}"
        expected = "a message is an object; anything else is JSON-RPC error -32602"
        self.note("a list in the place of a message is refused", ON_THE_WIRE, problem, expected, answer)
        if isinstance(self.wire, BareWire):
            await self._not_json(self.wire)

    async def _not_json(self, wire: BareWire) -> None:
        for name, body, number in NOT_JSON_RPC:
            exchange = await wire.http.post(body, self.script.timeouts.response)
            code: Json = as_object(as_object(exchange.body).get("error")).get("code")
            problem = exchange.broken or ("" if code == number else f"HTTP {exchange.status}, error {code}")
            sent = body.decode() if isinstance(body, bytes) else body
            self.note(name, ON_THE_WIRE, problem, f"JSON-RPC error {number}", sent=sent, received=exchange.body)
