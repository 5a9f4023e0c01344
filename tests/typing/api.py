# pyright: strict
"""The public API as a type checker sees it. Never run: pyright reads it with everything else.

Lines that are wrong on purpose carry the error that they have to cause; pyright reports an error that is ignored
without being there.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_type

from league_sdk import (
    Experiment,
    ExperimentResults,
    Game,
    HashRng,
    InvalidMove,
    LeagueError,
    Move,
    MoveSpec,
    Outcome,
    PastMatch,
    Player,
    PlayerView,
    Rng,
    Strategy,
    StrategyFunction,
    strategy,
)

assert_type(Experiment("tic_tac_toe", ["random", "always-b2"], matches=20, seed=7).run("one"), ExperimentResults)
Experiment("tic_tac_toe")  # pyright: ignore[reportCallIssue]
Experiment("tic_tac_toe", ["random"], matches="20")  # pyright: ignore[reportArgumentType]

player = Player("Ada")
Player("Ada", game="tic_tac_toe", manager="http://localhost:8000/mcp", port=8101, seed=7, patience=3.5)
Player("Ada", "tic_tac_toe")  # pyright: ignore[reportCallIssue]
Player(7)  # pyright: ignore[reportArgumentType]
Player("Ada", game=7)  # pyright: ignore[reportArgumentType]


@player.strategy
def choose(view: PlayerView) -> str:
    assert_type(view.legal_moves, tuple[Move, ...])
    assert_type(view.opponent_moves, tuple[Move, ...])
    assert_type(view.history, tuple[PastMatch, ...])
    assert_type(view.rng, Rng)
    assert_type(view.rng.choice(["even", "odd"]), str)
    view.legal_moves = ()  # pyright: ignore[reportAttributeAccessIssue]
    return "even"


assert_type(choose(PlayerView("g", "L", "R1M1", 1, "P01", "P02", ("even",))), str)


@Player("Bob").strategy
async def choose_later(view: PlayerView) -> Move:
    return view.legal_moves[0]


@Player("Cyd").strategy  # pyright: ignore[reportArgumentType, reportUntypedFunctionDecorator]
def choose_nothing() -> str:
    return "even"


assert_type(player.run(), None)
plays: Awaitable[int] = player.play(print)


@strategy("mine", "Mine.")
def mine(view: PlayerView) -> Move:
    return view.legal_moves[0]


assert_type(mine, Strategy)
made: StrategyFunction = mine.make("")
decorator: Callable[[StrategyFunction], Strategy] = strategy("mine")


@dataclass(frozen=True)
class State:
    players: tuple[str, ...]
    number: int = 0


class Guess(Game[State]):
    name = "guess"
    move_spec = MoveSpec(choice_field="number")

    def start(self, players: Sequence[str], rng: Rng) -> State:
        return State(tuple(players))

    def to_move(self, state: State) -> tuple[str, ...]:
        return () if state.number else state.players

    def legal_moves(self, state: State, player: str) -> tuple[Move, ...]:
        return (1, 2, 3)

    def apply(self, state: State, moves: Mapping[str, Move], rng: Rng) -> State:
        return State(state.players, rng.randint(1, 3))

    def outcome(self, state: State) -> Outcome | None:
        return Outcome(None, {}, "Over.", {"number": state.number}) if state.number else None


class Nothing(Game[State]):
    name = "nothing"


Nothing()  # pyright: ignore[reportAbstractUsage]
game = Guess()
assert_type(game.start(("P01", "P02"), HashRng("seed")), State)
assert_type(game.outcome(State(())), Outcome | None)
Player("Ada", game=game)
Player("Ada", game=Guess)
any_game: Game[Any] = game

try:
    game.check(State(()), "P01", 4)
except InvalidMove as error:
    league_error: LeagueError = error
    assert_type(error.context, dict[str, Any])
