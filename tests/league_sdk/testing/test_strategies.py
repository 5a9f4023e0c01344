"""`check_strategy` passes sound strategies of every kind, and finds each fault that is planted into one."""

import asyncio
import random
import threading
from collections.abc import Iterator
from typing import Any

import anyio
import pytest

from league_sdk import plugins
from league_sdk.game import Game, Move, PlayerView, Strategy, StrategyFunction
from league_sdk.testing import ContractBroken, check_strategy

GAMES = plugins.games()
EVEN_ODD = GAMES["even_odd"]
RPS = GAMES["rock_paper_scissors"]
TIC_TAC_TOE = GAMES["tic_tac_toe"]


def first(view: PlayerView) -> Move:
    return view.legal_moves[0]


async def first_async(view: PlayerView) -> Move:
    await asyncio.sleep(0)
    return view.legal_moves[0]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize(
    "strategy", [first, first_async, lambda view: first_async(view), lambda view: view.rng.choice(view.legal_moves)]
)
def test_a_sound_strategy_passes(strategy: StrategyFunction, game: Game[Any]):
    check_strategy(strategy, game)


def assert_found(strategy: Strategy | StrategyFunction, game: Game[Any], message: str, **options: Any) -> None:
    with pytest.raises(ContractBroken, match=message):
        check_strategy(strategy, game, **options)


@pytest.mark.parametrize(
    ("strategy", "game"),
    [
        (lambda view: "no such move", EVEN_ODD),
        (lambda view: None, EVEN_ODD),
        (lambda view: "Even", EVEN_ODD),
        (lambda view: list(view.legal_moves), EVEN_ODD),
        (lambda view: "b2", TIC_TAC_TOE),
        (lambda view: (view.seen_moves() or view.legal_moves)[-1], TIC_TAC_TOE),
    ],
)
def test_an_illegal_move_is_found(strategy: StrategyFunction, game: Game[Any]):
    assert_found(strategy, game, "which is not among the legal moves")


@pytest.mark.parametrize(
    "strategy",
    [
        lambda view: view.history[-1].my_moves[0],
        lambda view: view.legal_moves[1 // 0],
        lambda view: exec("raise SystemExit"),
    ],
)
def test_a_strategy_that_raises_is_found(strategy: StrategyFunction):
    assert_found(strategy, EVEN_ODD, "match 1, turn 1: the strategy raised")


def test_an_async_strategy_that_raises_is_found():
    async def crash(view: PlayerView) -> Move:
        raise KeyError("x")

    assert_found(crash, EVEN_ODD, "the strategy raised KeyError")


def test_relying_on_counters_is_found():
    assert_found(lambda view: view.counters[view.legal_moves[0]], EVEN_ODD, "without counters: .* KeyError")


def test_relying_on_an_earlier_match_of_the_same_game_is_found():
    def parrot(view: PlayerView) -> Move:
        return view.history[-1].opponent_moves[-1] if view.history else view.legal_moves[0]

    assert_found(parrot, EVEN_ODD, "with the history of another game: .*not among the legal moves")


def test_relying_on_a_choice_between_moves_is_found():
    def second(view: PlayerView) -> Move:
        return view.legal_moves[1]

    assert_found(second, EVEN_ODD, "with 'odd' as the only legal move: the strategy raised IndexError")


def test_chance_from_elsewhere_is_found():
    def dice(view: PlayerView) -> Move:
        return random.choice(view.legal_moves)

    assert_found(dice, TIC_TAC_TOE, "the same views and the same seed gave other moves")
    check_strategy(dice, TIC_TAC_TOE, reproducible=False)


def test_memory_of_its_own_is_found_in_a_bare_function():
    calls: list[PlayerView] = []

    def counting(view: PlayerView) -> Move:
        calls.append(view)
        return view.legal_moves[len(calls) % 7 % len(view.legal_moves)]

    assert_found(counting, RPS, "the same views and the same seed gave other moves", matches=2)


def test_a_named_strategy_is_made_anew_and_may_remember():
    def make(argument: str) -> StrategyFunction:
        calls: list[PlayerView] = []

        def counting(view: PlayerView) -> Move:
            calls.append(view)
            return view.legal_moves[len(calls) % len(view.legal_moves)]

        return counting

    check_strategy(Strategy("counting", "Counts its calls.", make), RPS)


def take_a_counter(view: PlayerView) -> None:
    view.counters.clear()  # type: ignore[attr-defined]


def note_something_down(view: PlayerView) -> None:
    view.observation["note"] = 1  # type: ignore[index]


def spoil_the_memory(view: PlayerView) -> None:
    for match in view.history:
        match.details["seen"] = True  # type: ignore[index]


@pytest.mark.parametrize("change", [take_a_counter, note_something_down, spoil_the_memory])
def test_changing_what_is_shown_is_found(change: Any):
    def vandal(view: PlayerView) -> Move:
        change(view)
        return view.legal_moves[0]

    assert_found(vandal, RPS, "changed what it was shown")


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_a_plain_strategy_that_never_comes_back_is_found(gate: threading.Event):
    assert_found(lambda view: gate.wait(), EVEN_ODD, "no move after 0.05 s", time_limit=0.05)


def test_an_async_strategy_that_never_comes_back_is_found(gate: threading.Event):
    async def wait(view: PlayerView) -> Move:
        await asyncio.to_thread(gate.wait)
        return "even"

    assert_found(wait, EVEN_ODD, "no move after 0.05 s", time_limit=0.05)


@pytest.mark.anyio
async def test_it_can_be_called_while_an_event_loop_is_running():
    with anyio.fail_after(30):
        await asyncio.sleep(0)
        check_strategy(first_async, EVEN_ODD)


def make_first(argument: str) -> StrategyFunction:
    return first


@pytest.mark.parametrize(
    ("strategy", "options", "message"),
    [
        (Strategy("Bad Name", "Something.", make_first), {}, "name must be like"),
        (Strategy("good", " ", make_first), {}, "needs a description"),
        (Strategy("good", "Something.", make_first), {"argument": "x"}, "takes no argument"),
        (Strategy("good", "Something.", lambda argument: None), {}, "make must return a function"),  # type: ignore[arg-type,return-value]
        ("even", {}, "a strategy is a function"),
        (first, {"matches": 0}, "at least one match"),
    ],
)
def test_what_is_no_strategy_is_found(strategy: Any, options: dict[str, Any], message: str):
    assert_found(strategy, EVEN_ODD, message, **options)


def test_the_argument_reaches_the_strategy():
    check_strategy(plugins.strategies()["always"], EVEN_ODD, argument="odd")
    assert_found(plugins.strategies()["always"], EVEN_ODD, "has no move 'rock'", argument="rock")


def test_both_seats_are_tried():
    seats: set[str] = set()

    def look(view: PlayerView) -> Move:
        seats.add(str(view.observation["mark"]))
        return view.legal_moves[0]

    check_strategy(look, TIC_TAC_TOE, matches=2)
    assert seats == {"X", "O"}


def test_the_history_grows_from_match_to_match():
    lengths: list[int] = []

    def look(view: PlayerView) -> Move:
        lengths.append(len(view.history))
        return view.legal_moves[0]

    check_strategy(look, EVEN_ODD, matches=4, reproducible=False)
    assert lengths[:4] == [0, 1, 2, 3]
