"""The ports for authors of games and strategies: no I/O, no clock, no protocol.

A game is a pure state machine over immutable states. The league and the referee see it through `Game` alone, so a new
game is one file and nothing else changes. It fits games of two or more players, with simultaneous or alternating moves,
one round or many, open or hidden information: `to_move` lists the players to choose now, `observe` gives each player's
view, and `apply` takes the choices of all of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Generic, Protocol, TypeAlias, TypeVar

from league_sdk.clock import HashRng, Rng
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
    """

    winner: str | None
    scores: Mapping[str, float]
    reason: str
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])


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


class IllegalChoice(ValueError):
    """Raised by a strategy whose choice turns out to be illegal."""


class ChoiceTooLate(Exception):
    """Raised by a strategy that found no move in time."""


@dataclass(frozen=True, slots=True)
class PastMatch:
    """One finished match, as a player remembers it.

    Attributes:
        match_id: Such as `R1M1`.
        league_id: The league it was played in.
        opponent_id: The opponent's id in that league.
        opponent_name: The opponent's display name, the same in all leagues; empty if unknown.
        result: `WIN`, `DRAW` or `LOSS`.
        my_moves: The player's moves, in order.
        opponent_moves: The opponent's moves, in order.
        points: League points it earned.
        details: Other fields of the result.
        game_type: The game; empty if unknown.
        spent: The cost of asking a language model for its moves, as JSON; empty without one.
        substituted: Moves that were not the strategy's own: number by reason.
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
    """All information that a strategy gets for a choice.

    Attributes:
        game_type: The game's name.
        league_id: The league.
        match_id: The match.
        round_id: The league's round, from 1.
        player_id: The player's own id.
        opponent_id: The opponent's id.
        legal_moves: The moves to choose from; never empty.
        observation: The player's view of the game.
        my_moves: The player's moves in this match so far.
        opponent_moves: The opponent's public moves in this match so far.
        history: The player's finished matches, oldest first, against any opponent, in any league.
        standings: The last standings received, as JSON rows; empty before the first.
        counters: For simultaneous games, a good reply to each move; empty if the game has none.
        opponents: The ids of all opponents in seat order, the one of `opponent_id` first.
        opponents_moves: The public moves of each opponent in this match so far, by id.
        stand_ins: The ids of opponents that failed: a stand-in moves for them.
        deadline: Time in UTC at which the choice is ended, with time left for the answer's way; None without one.
        rng: Chance for this choice; reproducible if the player was given a seed.
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
    opponents: tuple[str, ...] = ()
    opponents_moves: Mapping[str, tuple[Move, ...]] = field(default_factory=dict[str, tuple[Move, ...]])
    stand_ins: tuple[str, ...] = ()
    deadline: datetime | None = None
    rng: Rng = field(default_factory=lambda: HashRng("view"))

    def random_move(self) -> Move:
        """A legal move, each with the same probability."""
        return self.rng.choice(self.legal_moves)

    def against_opponent(self) -> tuple[PastMatch, ...]:
        """The matches of `history` in this game against this opponent, oldest first."""
        return tuple(
            past
            for past in self.history
            if past.opponent_id == self.opponent_id and past.game_type in ("", self.game_type)
        )

    def seen_moves(self) -> tuple[Move, ...]:
        """Every known move of the present opponent, oldest first, this match included."""
        earlier = tuple(move for past in self.against_opponent() for move in past.opponent_moves)
        return earlier + self.opponent_moves


StrategyFunction: TypeAlias = Callable[[PlayerView], Move | Awaitable[Move]]
"""A strategy is one function from a view to a move, plain or async."""


class LanguageModel(Protocol):
    """A language model, as a strategy sees it; the player limits its time and cost."""

    @property
    def prompt(self) -> str:
        """The operator's prompt, in place of the strategy's own; empty if there is none."""
        ...

    def rules(self, game_type: str) -> str:
        """A game's description, in its author's words; empty if it is not installed."""
        ...

    async def ask(self, view: PlayerView, instructions: str, question: str) -> str:
        """The model's answer: any text, not to be trusted.

        Args:
            view: The choice that the answer is for.
            instructions: The system prompt: never contains text of other agents.
            question: The situation; text of other agents is quoted in it as data.

        Raises:
            Exception: There was no answer in time, the budget is used up, …
        """
        ...


@dataclass(frozen=True, slots=True)
class Strategy:
    """A named strategy, as the registry keeps it.

    Attributes:
        name: Such as `frequency`: lower case, digits and hyphens.
        description: One sentence.
        make: Builds the function for one player; the argument is the text after the name (`always-even` gives `even` to
            `always`), or an empty string.
        argument: The argument of `name-<argument>` in a word, such as `positions`; empty if it takes none.
        make_with_model: Builds it in place of `make` when a language model is available.
        argument_is_move: True if the argument is a move: an unknown one is refused before a start.
        aliases: Other names of it. An underscore is read as a hyphen in every name, so it needs no alias.
    """

    name: str
    description: str
    make: Callable[[str], StrategyFunction]
    argument: str = ""
    make_with_model: Callable[[str, LanguageModel], StrategyFunction] | None = None
    argument_is_move: bool = False
    aliases: tuple[str, ...] = ()


def strategy(name: str, description: str = "") -> Callable[[StrategyFunction], Strategy]:
    """Make a named strategy out of a function, for a file in a folder of plug-ins.

    Args:
        name: Such as `contrarian`: lower case, digits and hyphens.
        description: One sentence; the first line of the function's docstring when left out.

    Returns:
        A decorator that replaces the function by its `Strategy`.
    """

    def named(function: StrategyFunction) -> Strategy:
        sentence = description or (function.__doc__ or "").strip().partition("\n")[0]
        return Strategy(name, sentence, lambda _: function)

    return named
