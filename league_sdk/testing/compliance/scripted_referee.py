"""The checker's referee, served: takes the answers that a player pushes to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from league_sdk import tokens
from league_sdk.domain.model import Role
from league_sdk.errors import AuthTokenInvalid, AuthTokenMissing, InvalidField, InvalidState, LeagueError, RequestKind
from league_sdk.json_value import Json
from league_sdk.ports import CallContext, CallRefused
from league_sdk.protocol.calls import push_call
from league_sdk.testing.compliance.script import REFEREE, Script
from league_sdk.testing.compliance.scripted_agents import HeardMessage, ScriptedAgent

JOINED = "receive_game_join_ack"


@dataclass(slots=True)
class PendingQuestion:
    """A message that a player may answer by a call of its own, and that answer."""

    message: Mapping[str, Json]
    tool: str
    answer: Mapping[str, Json] | None = None


class ScriptedReferee(ScriptedAgent):
    """Referee that takes pushed answers by the same rules as a league's referee."""

    translates = True

    def __init__(self, script: Script) -> None:
        super().__init__(script, Role.REFEREE, REFEREE)
        self.agent_id = REFEREE
        self._moves = push_call(script.game.move_spec).tool
        self._question: PendingQuestion | None = None
        self._taken: list[Mapping[str, Json]] = []
        self.answers = {JOINED: self._take, self._moves: self._take}

    def ask(self, message: Mapping[str, Json]) -> PendingQuestion:
        """Open a question, in place of the one before."""
        invited = message["message_type"] == "GAME_INVITATION"
        self._question = PendingQuestion(message, JOINED if invited else self._moves)
        return self._question

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        try:
            return await super().call(tool, arguments, context)
        except LeagueError as error:
            raise CallRefused(
                error.spec.number_for(RequestKind.MATCH), str(error), {"error_code": error.code}
            ) from error

    def _take(self, heard: HeardMessage) -> dict[str, Any]:
        message, question = heard.message, self._question
        self.script.codec.parse(message, heard.call.request, spec=heard.call.spec)
        about = {name: message.get(name) for name in ("league_id", "round_id", "match_id", "player_id")}
        self._check_token(str(message["match_id"]), heard.token)
        if question is None or question.tool != heard.call.tool or question.message["match_id"] != message["match_id"]:
            if not any(_content(message) == _content(earlier) for earlier in self._taken):
                raise InvalidState("it is not asked for that now: it is too late, or too early")
            return about
        if message.get("conversation_id") not in ("", question.message["conversation_id"]):
            raise InvalidField("the answer belongs to another conversation", field="conversation_id")
        if question.answer is None:
            question.answer = message
            self._taken.append(message)
        elif _content(question.answer) != _content(message):
            raise InvalidState("another answer was given already")
        return about

    def _check_token(self, match_id: str, token: str | None) -> None:
        """Refuse any token but the ticket of the match and the player's own."""
        ticket = self.script.ticket(match_id)
        if ticket is None:
            return
        if token is None:
            raise AuthTokenMissing("show the auth_token that came with the invitation", field="auth_token")
        if not any(known and tokens.same(token, known) for known in (ticket, self.script.auth_token)):
            raise AuthTokenInvalid("the auth_token is not that of this player and match", field="auth_token")


def _content(message: Mapping[str, Json]) -> dict[str, Json]:
    """The part of an answer that stays when it is sent again."""
    changing = {"auth_token", "timestamp", "arrival_timestamp", "conversation_id", "sender", "turn"}
    return {name: value for name, value in message.items() if name not in changing}
