"""The port for authors of games."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeAlias, TypeVar

from league_sdk.clock import Rng
from league_sdk.errors import InvalidMove
from league_sdk.json_value import Json

Move: TypeAlias = Json
"""A move as it travels: a JSON value whose meaning belongs to the game."""

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class MoveSpec:
    """The spelling of a game's moves on the wire, with defaults.

    Attributes:
        tool: The player's tool for a move.
        tool_aliases: Other names of that tool.
        call_type: `message_type` of the request for a move.
        response_type: `message_type` of the answer.
        response_aliases: Other `message_type`s that are read as the answer.
        choice_field: The field of the answer that holds the move.
        push_tool: The referee's tool for an answer by a separate call; named after the answer when empty.
        v1_response_type: The answer's type in `league.v1`; `response_type` when empty.
        resolve_tool: The referee's tool for the step that resolves a match, when played by hand.
        resolving_label: The name of the RESOLVING state in files and messages.
        invalid_move_name: The name of E004.
    """

    tool: str = "choose_move"
    tool_aliases: tuple[str, ...] = ()
    call_type: str = "MOVE_CALL"
    response_type: str = "MOVE_RESPONSE"
    response_aliases: tuple[str, ...] = ()
    choice_field: str = "move"
    push_tool: str = ""
    v1_response_type: str = ""
    resolve_tool: str = "resolve_match"
    resolving_label: str = "RESOLVING"
    invalid_move_name: str = "INVALID_MOVE"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a match, as the game sees it.

    Attributes:
        winner: The winning player's id, or None for a draw.
        scores: The game's own score of each player (such as rounds won); the league awards its points itself. With
            three players or more they give the places, the highest first, and the winner is the player first alone.
        reason: One sentence that a spectator understands.
        details: JSON fields of the result on the wire, such as the moves and the results of chance.
        earlier_reason: The sentence of the game's earlier versions, where they had another: records keep theirs.
    """

    winner: str | None
    scores: Mapping[str, float]
    reason: str
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])
    earlier_reason: str = ""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A finished match, as input of a game's notation.

    Attributes:
        league_id: The league.
        league_name: Its name for people; may be empty.
        match_id: Such as `R1M1`.
        round_id: The league's round, from 1.
        date: Time of its end: ISO 8601 in UTC, such as `2025-01-15T10:00:03.120Z`.
        players: The players' ids in seat order.
        names: Their display names, by id. Agents chose them: they may contain any character.
        turns: The legal moves of each turn, by player id, as `Game.apply` got them.
        winner: The winner's id; None for a draw, or when both lost technically.
        score: League points by player id.
        reason: One sentence that explains the result.
        faults: Causes of technical losses, by player id, such as `no_move`; empty when the game was played to its end.
    """

    league_id: str
    league_name: str
    match_id: str
    round_id: int
    date: str
    players: tuple[str, ...]
    names: Mapping[str, str]
    turns: tuple[Mapping[str, Move], ...]
    winner: str | None
    score: Mapping[str, int]
    reason: str = ""
    faults: Mapping[str, str] = field(default_factory=dict[str, str])


class Game(ABC, Generic[S]):
    """The rules of one game. Subclass it, set `name`, implement the abstract methods.

    Instances hold options but no match: that is an immutable state of type `S`. All chance comes from the `Rng`.
    """

    name: ClassVar[str]
    """The game type on the wire, such as `tic_tac_toe`: lower case, digits and underscores."""
    display_name: ClassVar[str] = ""
    """The game's name for people; `name` when empty."""
    description: ClassVar[str] = ""
    """One sentence that explains the game to a new player."""
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 2
    scored: ClassVar[bool] = False
    """True when the scores of an outcome say more than who won: a league can then rank by goal difference."""
    hidden: ClassVar[bool] = True
    """False when every player sees all of a state: the page of a running match then shows its position to everybody.

    Choices of a turn under way are no part of a state, so it can be False in simultaneous games as well. Such a game
    has all moves in `public_moves`.
    """
    result_fields: ClassVar[tuple[str, ...]] = ()
    """Details of an outcome that players are told as null of a match that was not played to its end."""
    move_spec: ClassVar[MoveSpec] = MoveSpec()
    counters: ClassVar[Mapping[str, str]] = {}
    """For simultaneous games: a good reply to each known move, for strategies that predict."""

    @property
    def pure_chance(self) -> bool:
        """True if no choice is better than another: ratings tell nothing apart."""
        return False

    @abstractmethod
    def start(self, players: Sequence[str], rng: Rng) -> S:
        """The state before the first move.

        Args:
            players: The players' ids, in the order of their seats.
            rng: For chance in the set-up, such as a deal.
        """

    @abstractmethod
    def to_move(self, state: S) -> tuple[str, ...]:
        """The players who have to choose now, in seat order; empty when the game is over."""

    @abstractmethod
    def legal_moves(self, state: S, player: str) -> tuple[Move, ...]:
        """The moves that `player` may choose from now, in a fixed order."""

    def random_move(self, state: S, player: str, rng: Rng) -> Move:
        """One of `legal_moves`, drawn by one `rng.choice`.

        Override it where a single move is made faster than all; the same draw must give the same move.
        """
        return rng.choice(self.legal_moves(state, player))

    def stand_in(self, state: S, player: str, rng: Rng) -> Move:
        """The legal move for a player that failed, in a match of three or more.

        Override it where a random move helps one of those who play on. The audit draws it again.
        """
        return self.random_move(state, player, rng)

    @abstractmethod
    def apply(self, state: S, moves: Mapping[str, Move], rng: Rng) -> S:
        """The state after all players in `to_move` have chosen.

        Args:
            state: A state that is not over.
            moves: One legal move for each player in `to_move(state)`, and no other.
            rng: For chance in this turn.
        """

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """The outcome; None exactly while `to_move` has players."""

    def observe(self, state: S, player: str) -> dict[str, Json]:
        """A player's view of `state`, as JSON; by default empty, for one hidden choice."""
        del state, player
        return {}

    def public_moves(self, state: S) -> dict[str, list[Move]]:
        """The public moves made so far: player id to list."""
        del state
        return {}

    def render(self, state: S) -> str:
        """The state as text for a person, over one or more lines."""
        return str(state)

    def svg(self, state: S) -> str:
        """The state as an SVG image, shown as one: no script runs. Empty for `render`."""
        del state
        return ""

    def notation(self, match: PlayedMatch) -> str:
        """A match in the game's usual notation for exchange, such as PGN for chess.

        `league export --format notation` writes the matches one after the other, with an empty line between them.

        Returns:
            Text over one or more lines; empty, which is the default, for a game without notation.
        """
        del match
        return ""

    def check(self, state: S, player: str, move: Move) -> None:
        """Refuse an illegal move.

        Raises:
            InvalidMove: `move` is not in `legal_moves`; the context has the expectation.
        """
        legal = self.legal_moves(state, player)
        # `True == 1` and `1 == 1.0` in Python, not on the wire: the type has to agree as well.
        if not any(type(move) is type(option) and move == option for option in legal):
            field = self.move_spec.choice_field
            raise InvalidMove(f"{move!r} is not a legal move", field=field, value=move, expected=list(legal))
