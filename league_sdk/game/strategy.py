"""The port for authors of strategies: one function from a view to a move."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

from league_sdk.clock import HashRng, Rng
from league_sdk.game.rules import Move
from league_sdk.json_value import Json


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
