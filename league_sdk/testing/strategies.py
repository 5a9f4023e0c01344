"""The contract of a strategy, checked by play: see `check_strategy`."""

import asyncio
import copy
import inspect
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from league_sdk.clock import HashRng
from league_sdk.game import (
    Game,
    LanguageModel,
    Move,
    Outcome,
    PastMatch,
    PlayerView,
    Strategy,
    StrategyFunction,
    first_state,
    turns,
)
from league_sdk.plugins import STRATEGY_NAME
from league_sdk.testing.contract import ContractBroken, among, require

ME = "P01"
OPPONENT = "P02"


def check_strategy(
    strategy: Strategy | StrategyFunction,
    game: Game[Any],
    *,
    argument: str = "",
    matches: int = 12,
    seed: str = "check_strategy",
    time_limit: float = 5.0,
    reproducible: bool = True,
    model: LanguageModel | None = None,
) -> None:
    """Let `strategy` play `game` against random moves, and check its contract.

    Checked are: every choice is a legal move and comes in time; its view is not changed; it copes without history, with
    the history of other games, without counters, and with a single legal move; and the same views, with the same seed
    behind their chance, give the same moves.

    Args:
        strategy: The function, or the named strategy. Functions are made anew for each series; a bare function that
            remembers earlier calls is not reproducible.
        game: A game for two players.
        argument: For a named strategy that takes one.
        matches: Matches to play, at least 1, in alternating seats.
        seed: The seed of all chance.
        time_limit: Seconds for one choice.
        reproducible: Check the last promise; False for a strategy that asks a language model.
        model: The language model of a named strategy that needs one.

    Raises:
        ContractBroken: At the first broken promise.
    """
    require(matches >= 1, "check_strategy has to play at least one match")
    make = _maker(strategy, argument, model)
    moves = _Series(game, make(), seed, time_limit).play(matches)
    if reproducible:
        again = _Series(game, make(), seed, time_limit).play(matches)
        require(
            moves == again,
            f"the same views and the same seed gave other moves: {moves!r} and then {again!r}. Draw chance from "
            "`view.rng` alone, or pass reproducible=False",
        )
    _check_odd_situations(game, make, seed, time_limit)


def _maker(
    strategy: Strategy | StrategyFunction, argument: str, model: LanguageModel | None
) -> Callable[[], StrategyFunction]:
    if not isinstance(strategy, Strategy):
        require(callable(strategy), f"a strategy is a function of one view, not {strategy!r}")
        return lambda: strategy
    name = strategy.name
    require(bool(STRATEGY_NAME.fullmatch(name)), f"a strategy's name must be like 'my-strategy', and is {name!r}")
    require(bool(strategy.description.strip()), f"{name}: a strategy needs a description of one sentence")
    require(not argument or strategy.argument != "", f"{name} takes no argument, so {argument!r} cannot be passed")
    with_model = strategy.make_with_model
    require(model is not None or with_model is None, f"{name} needs a language model: pass one as `model`")

    def make() -> StrategyFunction:
        return strategy.make(argument) if with_model is None or model is None else with_model(argument, model)

    made: Any = make()
    require(callable(made), f"{name}: make must return a function of one view, and returned {made!r}")
    return make


def _check_odd_situations(game: Game[Any], make: Callable[[], StrategyFunction], seed: str, time_limit: float) -> None:
    plain = _Series(game, make(), seed, time_limit).first_view()
    strange = tuple(
        PastMatch(f"R9M{number}", "elsewhere", OPPONENT, "", "DRAW", my_moves=moves, opponent_moves=moves)
        for number, moves in enumerate([(), ("no such move",), (7, None, 0.5), ({"x": [1]}, ["y"])])
    )
    known = tuple(
        PastMatch(f"R8M{number}", "elsewhere", OPPONENT, "", "DRAW", (move,), (move,))
        for number, move in enumerate(plain.legal_moves)
    )
    situations = {
        "without counters": replace(plain, counters={}),
        "with the history of another game": replace(plain, history=strange),
        "with a history but no counters": replace(plain, history=known, counters={}),
    }
    for name, view in situations.items():
        chosen = _ask_once(make, view, time_limit, f"{game.name}, {name}")
        single = replace(view, legal_moves=(chosen,))
        _ask_once(make, single, time_limit, f"{game.name}, {name} and with {chosen!r} as the only legal move")


def _ask_once(make: Callable[[], StrategyFunction], view: PlayerView, time_limit: float, where: str) -> Move:
    asker = _Asker(make(), time_limit)
    try:
        return asker.ask(view, where)
    finally:
        asker.close()


@dataclass
class _Series:
    """Some matches against random moves, each in the history of the next."""

    game: Game[Any]
    function: StrategyFunction
    seed: str
    time_limit: float

    def play(self, matches: int) -> list[list[Move]]:
        """The strategy's choices, match by match."""
        asker = _Asker(self.function, self.time_limit)
        history: list[PastMatch] = []
        try:
            for number in range(matches):
                history.append(self._match(asker, number, tuple(history)))
        finally:
            asker.close()
        return [list(past.my_moves) for past in history]

    def first_view(self) -> PlayerView:
        """The strategy's first view, in a seat that moves first."""
        for players in ((ME, OPPONENT), (OPPONENT, ME)):
            state = first_state(self.game, players, self.seed)
            if ME in self.game.to_move(state):
                return self._view(state, 0, 0, (), {ME: [], OPPONENT: []})
        raise ContractBroken(f"{self.game.name}: with neither seat can the strategy move first")

    def _match(self, asker: "_Asker", number: int, history: tuple[PastMatch, ...]) -> PastMatch:
        players = (ME, OPPONENT) if number % 2 == 0 else (OPPONENT, ME)
        match = turns(self.game, players, f"{self.seed}:{number}")
        made: dict[str, list[Move]] = {ME: [], OPPONENT: []}
        for movers in match:
            moves, state, turn = dict[str, Move](), match.state, match.turn - 1
            if ME in movers:
                view = self._view(state, number, turn, history, made)
                moves[ME] = asker.ask(view, f"{self.game.name}, match {number + 1}, turn {turn + 1}")
            if OPPONENT in movers:
                chance = HashRng(f"{self.seed}:{number}:{turn}:opponent")
                moves[OPPONENT] = chance.choice(self.game.legal_moves(state, OPPONENT))
            for player, move in moves.items():
                made[player].append(move)
            match.moves = moves
        return self._remember(match.end, number, made)

    def _view(
        self, state: Any, number: int, turn: int, history: tuple[PastMatch, ...], made: dict[str, list[Move]]
    ) -> PlayerView:
        public = self.game.public_moves(state)
        return PlayerView(
            game_type=self.game.name,
            league_id="check",
            match_id=f"R{number + 1}M1",
            round_id=number + 1,
            player_id=ME,
            opponent_id=OPPONENT,
            legal_moves=self.game.legal_moves(state, ME),
            observation=self.game.observe(state, ME),
            my_moves=tuple(made[ME]),
            opponent_moves=tuple(public.get(OPPONENT, ())),
            history=history,
            counters=dict(self.game.counters),
            rng=HashRng(f"{self.seed}:{number}:{turn}:view"),
        )

    def _remember(self, outcome: Outcome, number: int, made: dict[str, list[Move]]) -> PastMatch:
        result, points = {None: ("DRAW", 1), ME: ("WIN", 3)}.get(outcome.winner, ("LOSS", 0))
        return PastMatch(
            match_id=f"R{number + 1}M1",
            league_id="check",
            opponent_id=OPPONENT,
            opponent_name="opponent",
            result=result,
            my_moves=tuple(made[ME]),
            opponent_moves=tuple(made[OPPONENT]),
            points=points,
        )


class _Asker:
    """Calls a strategy in a thread with its own event loop, so that it may get stuck."""

    def __init__(self, function: StrategyFunction, time_limit: float) -> None:
        self._function = function
        self._time_limit = time_limit
        self._jobs: queue.SimpleQueue[tuple[PlayerView, Future[Move]] | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="check_strategy", daemon=True).start()

    def ask(self, view: PlayerView, where: str) -> Move:
        """The strategy's choice, checked against the contract."""
        shown = replace(view, rng=HashRng("unused"))
        before = copy.deepcopy(_facts(shown))
        answer: Future[Move] = Future()
        self._jobs.put((view, answer))
        try:
            error = answer.exception(self._time_limit)
        except TimeoutError:
            raise ContractBroken(f"{where}: no move after {self._time_limit:g} s") from None
        require(
            _facts(shown) == before, f"{where}: the strategy changed what it was shown: {before!r} became {shown!r}"
        )
        if error is not None:
            raise ContractBroken(f"{where}: the strategy raised {type(error).__name__}: {error}") from error
        move = answer.result()
        require(
            among(move, view.legal_moves),
            f"{where}: the strategy chose {move!r}, which is not among the legal moves {view.legal_moves!r}",
        )
        return move

    def close(self) -> None:
        self._jobs.put(None)

    def _work(self) -> None:
        with asyncio.Runner() as runner:
            while job := self._jobs.get():
                view, answer = job
                try:
                    move = self._function(view)
                    answer.set_result(runner.run(_finish(move)) if inspect.isawaitable(move) else move)
                except BaseException as error:
                    answer.set_exception(error)


async def _finish(move: Any) -> Move:
    return await move


def _facts(view: PlayerView) -> list[Any]:
    return [view.legal_moves, view.observation, view.my_moves, view.opponent_moves, view.history, view.counters]
