"""The ports that the author of a game or of a strategy meets. No I/O, no clock, no protocol.

A game is a pure state machine over immutable states. The league and the referee see it through `Game` alone, so
a new game is one file and nothing else changes. Games of two or more players, with simultaneous or alternating
moves, one round or many, open or hidden information all fit: `to_move` says who has to choose now, `observe` says
what each of them may see, and `apply` takes the choices of all who had to choose.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from league_sdk.clock import HashRng, Rng
from league_sdk.errors import InvalidMove

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list or dict with string keys."""

Move: TypeAlias = Json
"""A move as it travels: a JSON value whose meaning belongs to the game."""

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class MoveSpec:
    """How a game's moves are spelled on the wire. A game that declares nothing gets these defaults.

    Attributes:
        tool: The player's tool for a move.
        tool_aliases: Other names of that tool.
        call_type: `message_type` of the request for a move.
        response_type: `message_type` of the answer.
        response_aliases: Other `message_type`s that are read as the answer.
        choice_field: The field of the answer that holds the move.
        push_tool: The referee's tool for an answer that comes as a call of its own; named after the answer when empty.
        v1_response_type: What `league.v1` calls the answer; `response_type` when empty.
        resolve_tool: The referee's tool for the step that resolves a match, when played by hand.
        resolving_label: What the RESOLVING state is called in files and messages.
        invalid_move_name: What E004 is called.
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
    """How a match ended, as the game sees it.

    Attributes:
        winner: The winning player's id, or None for a draw.
        scores: The game's own score of each player (rounds won, say); league points are the league's affair.
        reason: One sentence that a spectator understands.
        details: JSON fields that the result carries on the wire, such as the moves and what chance brought.
    """

    winner: str | None
    scores: Mapping[str, float]
    reason: str
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that is over, as the writer of a game's notation gets it.

    Attributes:
        league_id: The league.
        league_name: What people call it; empty when nobody gave it a name.
        match_id: Such as `R1M1`.
        round_id: The league's round, from 1.
        date: When it ended: ISO 8601 in UTC, such as `2025-01-15T10:00:03.120Z`.
        players: The players' ids in seat order.
        names: Their display names, by id. Agents chose them: they may hold any character.
        turns: The legal moves of each turn, by player id, as `Game.apply` got them.
        winner: The winner's id; None for a draw, or when both lost technically.
        score: League points by player id.
        reason: How it ended, in a sentence.
        faults: What was at fault, by player id, such as `no_move`; empty when the game was played to its end.
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
    """The rules of one game. Subclass it, give it a `name`, and implement the abstract methods.

    Instances hold options but no match: every match is a state of type `S`, which must be immutable.
    All chance comes from the `Rng` that is handed in.
    """

    name: ClassVar[str]
    """The game type on the wire, such as `tic_tac_toe`: lower case, digits and underscores."""
    display_name: ClassVar[str] = ""
    """What people call it; the name when empty."""
    description: ClassVar[str] = ""
    """One sentence that explains it to somebody who is about to play."""
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 2
    move_spec: ClassVar[MoveSpec] = MoveSpec()
    counters: ClassVar[Mapping[str, str]] = {}
    """For simultaneous games: a good reply to each move, if one knew it. Strategies that predict use it."""

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

    @abstractmethod
    def apply(self, state: S, moves: Mapping[str, Move], rng: Rng) -> S:
        """The state after everybody in `to_move` has chosen.

        Args:
            state: A state that is not over.
            moves: One legal move for each player in `to_move(state)`, and no other.
            rng: For whatever chance decides now.
        """

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """How it ended, or None while it goes on. Not None exactly when `to_move` is empty."""

    def observe(self, state: S, player: str) -> dict[str, Json]:
        """What `player` may see of `state`, as JSON. By default nothing: right for a single hidden choice."""
        del state, player
        return {}

    def public_moves(self, state: S) -> dict[str, list[Move]]:
        """The moves each player has made so far, as far as everybody may know them; player id to list."""
        del state
        return {}

    def render(self, state: S) -> str:
        """The state as text for a person, over one or more lines."""
        return str(state)

    def notation(self, match: PlayedMatch) -> str:
        """A match in the notation in which programs and people exchange this game, such as PGN for chess.

        `league export --format notation` writes the matches one after the other, with an empty line between them.

        Returns:
            Text over one or more lines; empty, which is the default, when the game has no such notation.
        """
        del match
        return ""

    def check(self, state: S, player: str, move: Move) -> None:
        """Refuse a move that is not allowed.

        Raises:
            InvalidMove: `move` is not in `legal_moves`; the context says what was expected.
        """
        legal = self.legal_moves(state, player)
        # `True == 1` and `1 == 1.0` in Python, not on the wire: the type has to agree as well.
        if not any(type(move) is type(option) and move == option for option in legal):
            raise InvalidMove(
                f"{move!r} is not a legal move",
                field=self.move_spec.choice_field,
                value=move,
                expected=list(legal),
            )


class IllegalChoice(ValueError):
    """Raised by a strategy whose choice turns out to be no legal move."""


class ChoiceTooLate(Exception):
    """Raised by a strategy that found no move in the time that it had."""


@dataclass(frozen=True, slots=True)
class PastMatch:
    """One finished match, as a player remembers it.

    Attributes:
        match_id: Such as `R1M1`.
        league_id: The league it was played in.
        opponent_id: The opponent's id in that league.
        opponent_name: The opponent's display name, which lasts across leagues; empty when unknown.
        result: `WIN`, `DRAW` or `LOSS`.
        my_moves: The moves I made, in order.
        opponent_moves: The moves the opponent made, in order.
        points: League points it earned.
        details: What the result carried beside that.
        game_type: The game; empty when unknown.
        spent: What asking a language model for its moves took, as JSON; empty when none was asked.
        substituted: Of my moves, those that were not my strategy's own: how many, by reason.
    """

    match_id: str
    league_id: str
    opponent_id: str
    opponent_name: str
    result: str
    my_moves: tuple[Move, ...] = ()
    opponent_moves: tuple[Move, ...] = ()
    points: int = 0
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])
    game_type: str = ""
    spent: Mapping[str, Json] = field(default_factory=dict[str, Json])
    substituted: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class PlayerView:
    """All that a strategy is told when it has to choose.

    Attributes:
        game_type: The game's name.
        league_id: The league.
        match_id: The match.
        round_id: The league's round, from 1.
        player_id: Who I am.
        opponent_id: Who I play against.
        legal_moves: What I may choose from; never empty.
        observation: What the game lets me see.
        my_moves: My moves in this match so far.
        opponent_moves: The opponent's moves in this match so far, as far as I may know them.
        history: My finished matches, oldest first, against anybody, in any league.
        standings: The last standings I was sent, as JSON rows; empty before the first.
        counters: For simultaneous games, a good reply to each move; empty when the game has none.
        deadline: When my answer has to be there, or None.
        rng: Chance for this choice; reproducible when the player was given a seed.
    """

    game_type: str
    league_id: str
    match_id: str
    round_id: int
    player_id: str
    opponent_id: str
    legal_moves: tuple[Move, ...]
    observation: Mapping[str, Json] = field(default_factory=dict[str, Json])
    my_moves: tuple[Move, ...] = ()
    opponent_moves: tuple[Move, ...] = ()
    history: tuple[PastMatch, ...] = ()
    standings: tuple[Mapping[str, Json], ...] = ()
    counters: Mapping[str, str] = field(default_factory=dict[str, str])
    deadline: datetime | None = None
    rng: Rng = field(default_factory=lambda: HashRng("view"))

    def against_opponent(self) -> tuple[PastMatch, ...]:
        """The part of `history` in this game against the present opponent, oldest first."""
        return tuple(
            past
            for past in self.history
            if past.opponent_id == self.opponent_id and past.game_type in ("", self.game_type)
        )

    def seen_moves(self) -> tuple[Move, ...]:
        """Every known move of the present opponent, oldest first: earlier matches, then this one."""
        earlier = tuple(move for past in self.against_opponent() for move in past.opponent_moves)
        return earlier + self.opponent_moves


StrategyFunction: TypeAlias = Callable[[PlayerView], Move | Awaitable[Move]]
"""A strategy is one function: what I see in, my move out; plain or async."""


class LanguageModel(Protocol):
    """A language model, as a strategy sees it. Which one it is, its time and its money are the player's affair."""

    @property
    def prompt(self) -> str:
        """What whoever runs the player wants it to be told instead of the strategy's own words; empty for those."""
        ...

    def rules(self, game_type: str) -> str:
        """What a game says about itself, in words of its author; empty when it is not installed."""
        ...

    async def ask(self, view: PlayerView, instructions: str, question: str) -> str:
        """What the model answers; any text, to be looked at before it is believed.

        Args:
            view: The choice that the answer is for.
            instructions: What it is told to do: never contains what another agent said.
            question: The situation; what others said is quoted in it as data.

        Raises:
            Exception: There was no answer in time, there is no money left for one, …
        """
        ...


@dataclass(frozen=True, slots=True)
class Strategy:
    """A named strategy, as the registry keeps it.

    Attributes:
        name: Such as `frequency`: lower case, digits and hyphens.
        description: One sentence.
        make: Builds the function for one player; the argument is what follows the name (`always-even` gives
            `even` to `always`), or an empty string.
        takes_argument: Whether `name-<argument>` is understood.
        make_with_model: Builds it in place of `make` where a language model is at hand.
        argument_is_move: Whether the argument is a move: one that the game does not have is refused before a start.
        aliases: Other names of it. An underscore is read as a hyphen in every name, so it needs no alias.
    """

    name: str
    description: str
    make: Callable[[str], StrategyFunction]
    takes_argument: bool = False
    make_with_model: Callable[[str, LanguageModel], StrategyFunction] | None = None
    argument_is_move: bool = False
    aliases: tuple[str, ...] = ()


def strategy(name: str, description: str = "") -> Callable[[StrategyFunction], Strategy]:
    """Make a named strategy out of a function, for a file in a folder of plug-ins.

    Args:
        name: Such as `contrarian`: lower case, digits and hyphens.
        description: One sentence; the first line of the function's docstring when left out.

    Returns:
        A decorator; what it leaves under the function's name is the `Strategy`.
    """

    def named(function: StrategyFunction) -> Strategy:
        sentence = description or (function.__doc__ or "").strip().partition("\n")[0]
        return Strategy(name, sentence, lambda _: function)

    return named
