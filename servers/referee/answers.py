"""Answers that a player sends in calls of its own, after an acknowledgement."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio

from league_sdk import tokens
from league_sdk.errors import AuthTokenInvalid, AuthTokenMissing, InvalidField, InvalidState, PlayerNotRegistered
from league_sdk.ports import MalformedReply
from league_sdk.protocol.match import GameReply
from league_sdk.protocol.replies import UnfitReply, require_same_match

_ENVELOPE: Final = {"auth_token", "timestamp", "arrival_timestamp", "conversation_id", "sender", "turn"}
"""Fields that may differ between an answer and the same answer sent again."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Credentials by which a referee recognises a player."""

    # the referee's own credential for the player in this match; None where it was given none
    ticket: str | None = field(default=None, repr=False)
    # the digest of the player's own token, where the referee was told it
    token_digest: str | None = field(default=None, repr=False)

    def check(self, token: str | None) -> bool:
        """Refuse a token that is not the player's; whether one could be checked at all."""
        if not self.ticket and not self.token_digest:
            return False
        if token is None:
            raise AuthTokenMissing("show the auth_token that came with the invitation", field="auth_token")
        if not self.belongs(token):
            raise AuthTokenInvalid("the auth_token is not that of this player and match", field="auth_token")
        return True

    def belongs(self, token: str) -> bool:
        """True for the player's ticket of this match, or its own token."""
        ticket = bool(self.ticket) and tokens.same(token, self.ticket or "")
        own = bool(self.token_digest) and tokens.matches(token, self.token_digest or "")
        return ticket or own


@dataclass(slots=True)
class Question:
    """An open question to a player."""

    kind: type[GameReply]  # the message that is the answer
    conversation_id: str  # the conversation that it belongs to
    turn: int | None = None  # which turn of the match a move is for; None for an invitation
    answer: Any = None  # what was pushed, once it has been
    given: anyio.Event = field(default_factory=anyio.Event)


class PushedAnswers:
    """Takes the pushed answers of one match: each once, while it is asked for."""

    def __init__(self, proofs: Mapping[str, Proof]) -> None:
        self._proofs = proofs
        self._questions: dict[str, Question] = {}
        self._taken: dict[tuple[str, int | None], GameReply] = {}

    def check(self, player: str, token: str | None) -> bool:
        """Establish that a player is calling; whether that could be proved."""
        proof = self._proofs.get(player)
        if proof is None:
            raise PlayerNotRegistered(f"{player!r} is not in this match", field="player_id", value=player)
        return proof.check(token)

    def owner(self, token: str | None) -> str:
        """The player whose ticket or token this is; empty for any other."""
        return next((player for player, proof in self._proofs.items() if token and proof.belongs(token)), "")

    @contextmanager
    def question(
        self, player: str, kind: type[GameReply], conversation_id: str, turn: int | None = None
    ) -> Generator[Question]:
        """Ask a player: until the context ends, an answer may be pushed."""
        question = self._questions[player] = Question(kind, conversation_id, turn)
        try:
            yield question
        finally:
            if self._questions.get(player) is question:
                del self._questions[player]

    def take(self, answer: GameReply) -> None:
        """Take an answer. The same one again changes nothing.

        Two equal moves are told apart by the turn that they echo, never by their time stamps. A move that echoes none
        answers the question that is open.
        """
        player, turn = answer.player_id, getattr(answer, "turn", None)
        question = self._questions.get(player)
        if question is None or question.kind is not type(answer) or turn not in (None, question.turn):
            if self._repeats(answer, turn):
                return
            raise InvalidState(f"{player} is not asked for that now: it is too late, or too early", player_id=player)
        if answer.conversation_id not in ("", question.conversation_id):
            expected = question.conversation_id
            raise InvalidField("the answer belongs to another conversation", field="conversation_id", expected=expected)
        if question.answer is not None:
            if _content(answer) == _content(question.answer):
                return
            raise InvalidState(f"{player} has given another answer already", player_id=player)
        self._taken.pop((player, question.turn), None)
        self._taken[player, question.turn] = question.answer = answer
        question.given.set()

    def _repeats(self, answer: GameReply, turn: int | None) -> bool:
        """True for an answer taken before: for its turn, else the player's last one."""
        given = [taken for (player, _), taken in self._taken.items() if player == answer.player_id]
        earlier = self._taken.get((answer.player_id, turn)) if turn is not None else given[-1] if given else None
        return earlier is not None and _content(answer) == _content(earlier)


def _content(answer: GameReply) -> object:
    return type(answer), answer.model_dump(exclude=_ENVELOPE)


def must_be_about(answer: Any, match_id: str, player: str) -> None:
    """Refuse an answer that is about another match or from another player."""
    try:
        require_same_match(answer, match_id, player)
    except UnfitReply as unfit:
        raise MalformedReply(str(unfit), unfit.received) from unfit
