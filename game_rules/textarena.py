"""TextArena's games: `textarena:connectfour`, `textarena:kuhnpoker_short`.

TextArena is a library of text games for language models: L. Guertler et al., "TextArena" (2025). Its moves are free
text; a match needs a list to choose from. So a game can be played whose moves this module can write down: each is
tried on a copy of the game, and is legal if the game takes it. Chance is Python's own generator, seeded from the
match's chance for every step, so that a match can be replayed from its seed.
"""

import copy
import importlib
import random
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import product
from typing import Any

from league_sdk.clock import Rng
from league_sdk.game import Game, Json, Move, Outcome
from league_sdk.game_library import GameLibrary, GameRefused, LibraryGame
from league_sdk.names import game_type

Candidates = Callable[[Any], Iterator[str]]
"""Texts that may be moves in a position, given its environment."""


@dataclass(frozen=True, slots=True)
class Family:
    """Games of one set of rules.

    Attributes:
        title: Its name for people.
        candidates: Its moves.
        players: The players of a match.
        hidden: As `Game.hidden`.
    """

    title: str
    candidates: Candidates
    players: int = 2
    hidden: bool = False


def _these(*moves: str) -> Candidates:
    return lambda _: iter(moves)


def _numbers(count: int, text: str = "[{}]") -> Candidates:
    return lambda _: (text.format(number) for number in range(count))


def _columns(env: Any) -> Iterator[str]:
    return (f"[col {column}]" for column in range(env.num_cols))


def _heaps(env: Any) -> Iterator[str]:
    return (
        f"[{heap} {taken}]" for heap, size in enumerate(env.state.game_state["piles"]) for taken in range(1, size + 1)
    )


def _squares(env: Any) -> Iterator[str]:
    return (f"[{row}, {column}]" for row, column in product(range(env.N), repeat=2))


def _bids(env: Any) -> Iterator[str]:
    dice = sum(env.state.game_state["remaining_dice"].values())
    yield "[Call]"
    yield from (f"[Bid: {quantity}, {face}]" for quantity in range(1, dice + 1) for face in range(1, 7))


_CARDS = tuple(f"[{card}]" for card in ("A", *map(str, range(2, 11)), "J", "Q", "K"))

FAMILIES: Mapping[str, Family] = {
    "ConnectFour": Family("Connect four", _columns),
    "GameOfPureStrategy": Family("Game of pure strategy", _these(*_CARDS), hidden=True),
    "IteratedMatchingPennies": Family("Iterated matching pennies", _these("[heads]", "[tails]"), hidden=True),
    "IteratedRockPaperScissors": Family(
        "Iterated rock-paper-scissors", _these("[rock]", "[paper]", "[scissors]"), hidden=True
    ),
    "KuhnPoker": Family("Kuhn poker", _these("[check]", "[bet]", "[call]", "[fold]"), hidden=True),
    "LiarsDice": Family("Liar's dice", _bids, hidden=True),
    "Nim": Family("Nim", _heaps),
    "Othello": Family("Othello", _squares),
    "PigDice": Family("Pig", _these("[roll]", "[hold]")),
    "ThreePlayerGOPS": Family("Game of pure strategy for three", _these(*_CARDS), 3, hidden=True),
    "ThreePlayerTicTacToe": Family("Tic-tac-toe for three", _numbers(25), 3),
    "TicTacToe": Family("Tic-tac-toe", _numbers(9)),
    "UltimateTicTacToe": Family(
        "Ultimate tic-tac-toe", lambda _: (f"[{board} {cell}]" for board, cell in product(range(9), repeat=2))
    ),
    "WildTicTacToe": Family("Wild tic-tac-toe", lambda _: (f"[{m} {n}]" for m, n in product("XO", range(9)))),
}
"""The games whose moves can be written down, by the first part of their names."""


@dataclass(frozen=True, slots=True)
class ArenaState:
    """A position of a match, with the moves that led to it."""

    players: tuple[str, ...]
    seed: int
    made: tuple[tuple[str, Move], ...]
    env: Any = field(compare=False, repr=False)  # an environment: copied before each step
    legal: tuple[str, ...] = field(compare=False, repr=False)

    def __deepcopy__(self, memo: object) -> "ArenaState":
        return replace(self, env=copy.deepcopy(self.env))


class ArenaGame(Game[ArenaState]):
    """A game of TextArena, by the rules of its environment."""

    @property
    @abstractmethod
    def env_id(self) -> str:
        """The id of its environment, without wrappers."""

    @property
    @abstractmethod
    def family(self) -> Family:
        """Its rules."""

    def start(self, players: Sequence[str], rng: Rng) -> ArenaState:
        """The position after the set-up."""
        seed = rng.randint(0, 2**31 - 1)
        env = _textarena().make(self.env_id)
        with _chance(seed):
            env.reset(num_players=len(players), seed=seed)
        return self._state(ArenaState(tuple(players), seed, (), env, ()))

    def to_move(self, state: ArenaState) -> tuple[str, ...]:
        """The player whose text is waited for."""
        seat: int = state.env.state.current_player_id
        return () if state.env.state.done else (state.players[seat],)

    def legal_moves(self, state: ArenaState, player: str) -> tuple[Move, ...]:
        """The texts that the environment takes."""
        return state.legal if player in self.to_move(state) else ()

    def apply(self, state: ArenaState, moves: Mapping[str, Move], rng: Rng) -> ArenaState:
        """Step the environment with the text."""
        ((player, move),) = moves.items()
        env = copy.deepcopy(state.env)
        with _chance(rng.randint(0, 2**31 - 1)):
            env.step(str(move))
        return self._state(replace(state, made=(*state.made, (player, move)), env=env))

    def outcome(self, state: ArenaState) -> Outcome | None:
        """The player with the highest reward wins; several with the highest draw."""
        if not state.env.state.done:
            return None
        told: Mapping[int, float] = state.env.state.rewards or {}
        info: Mapping[int, Mapping[str, Any]] = state.env.state.game_info
        rewards = {player: float(told.get(seat, 0)) for seat, player in enumerate(state.players)}
        best = [player for player in state.players if rewards[player] == max(rewards.values())]
        verdict = f"{best[0]} wins" if len(best) == 1 else "It is a draw"
        reason = " ".join(self._named(state, str(info[0].get("reason", ""))).split())
        return Outcome(
            winner=best[0] if len(best) == 1 else None,
            scores=rewards,
            reason=f"{verdict}. {reason}".rstrip(),
            details={"choices": _by_player(state), "rewards": dict[str, Json](rewards)},
        )

    def observe(self, state: ArenaState, player: str) -> dict[str, Json]:
        """The rules and everything told to the player; of boards the latest only."""
        seat, kinds = state.players.index(player), _textarena().ObservationType
        told: list[tuple[int, str, Any]] = state.env.state.observations[seat]
        boards = [place for place, (_, _, kind) in enumerate(told) if kind == kinds.GAME_BOARD]
        rules = [text for _, text, kind in told if kind == kinds.PROMPT]
        lines = [
            text if sender < 0 else f"Player {sender}: {text}"
            for place, (sender, text, kind) in enumerate(told)
            if kind != kinds.PROMPT and (kind != kinds.GAME_BOARD or self.hidden or place == boards[-1])
        ]
        return {"seat": seat, "rules": "\n".join(rules), "text": "\n".join(lines)}

    def public_moves(self, state: ArenaState) -> dict[str, list[Move]]:
        """All moves; with hidden information none before the end."""
        return {} if self.hidden and not state.env.state.done else _by_player(state)

    def render(self, state: ArenaState) -> str:
        """The latest board that was told to all, or the moves."""
        kinds = _textarena().ObservationType
        told = state.env.state.observations[0]
        boards = [text for _, text, kind in told if kind == kinds.GAME_BOARD] if not self.hidden else []
        moves = [f"{player}: {move}" for player, move in state.made]
        return "\n".join([*(boards[-1:] or moves), ", ".join(f"{n} {name}" for n, name in enumerate(state.players))])

    def _state(self, state: ArenaState) -> ArenaState:
        """The state with its legal moves."""
        if state.env.state.done:
            return replace(state, legal=())
        # The log of messages makes a copy costly, and no difference.
        bare = copy.deepcopy(state.env)
        bare.state.logs, bare.state.observations = [], {seat: [] for seat in range(len(state.players))}
        legal = tuple(text for text in self.family.candidates(state.env) if _takes(bare, text))
        if not legal:
            raise ValueError(f"{self.name}: no move is known in a position after {state.made!r}")
        return replace(state, legal=legal)

    @staticmethod
    def _named(state: ArenaState, text: str) -> str:
        for seat, player in enumerate(state.players):
            text = text.replace(f"Player {seat}", player)
        return text


@contextmanager
def _chance(seed: int) -> Generator[None]:
    """Python's generator from a seed, and afterwards as it was before."""
    before = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)


def _takes(env: Any, text: str) -> bool:
    """True if a copy of the environment takes the text as a move."""
    trial = copy.deepcopy(env)
    seat = trial.state.current_player_id
    with _chance(0):
        trial.step(text)
    return not (trial.state.error_count or trial.state.game_info[seat]["invalid_move"])


def _by_player(state: ArenaState) -> dict[str, list[Move]]:
    return {player: [move for mover, move in state.made if mover == player] for player in state.players}


class TextArena(GameLibrary):
    """TextArena's games whose moves can be listed."""

    name = "textarena"
    description = "TextArena: text games for language models, such as connect four, poker and liar's dice."
    install = "pip install textarena  # it brings a chess library under the GPL, so no extra of ours does"

    def games(self) -> Sequence[LibraryGame]:
        """Every registered game, by its name in lower case."""
        return [_entry(name, env_id) for name, env_id in _registered().items()]

    def game(self, text: str) -> Game[Any]:
        """The game of that name.

        Raises:
            GameRefused: There is no such game, or its moves cannot be listed.
            ImportError: TextArena is not installed.
        """
        return _game(text)()


@lru_cache(maxsize=64)
def _game(text: str) -> type[ArenaGame]:
    env_id = _registered().get(text)
    if env_id is None:
        raise GameRefused(f"TextArena has no game {text!r}")
    entry = _entry(text, env_id)
    if entry.refusal:
        raise GameRefused(entry.refusal)
    family = FAMILIES[_family(env_id)]
    return type(
        f"TextArena_{text}",
        (ArenaGame,),
        {
            "name": game_type(f"{TextArena.name}:{text}"),
            "__doc__": f"{family.title}, by TextArena.",
            "display_name": family.title,
            "description": f"{family.title}, by the rules of TextArena's {env_id}. A move is a text in brackets.",
            "env_id": f"{env_id}-raw",
            "family": family,
            "min_players": family.players,
            "max_players": family.players,
            "hidden": family.hidden,
        },
    )


def _entry(name: str, env_id: str) -> LibraryGame:
    family = FAMILIES.get(_family(env_id))
    if family is None:
        return LibraryGame(name, env_id, refusal="moves: they are free text, or for one player, and cannot be listed")
    return LibraryGame(
        name, f"{family.title} ({env_id})", min_players=family.players, max_players=family.players, hidden=family.hidden
    )


def _family(env_id: str) -> str:
    return env_id.partition("-")[0]


@cache
def _registered() -> Mapping[str, str]:
    """Ids of environments without wrappers, by the names they have here."""
    registry = importlib.import_module("textarena.envs.registration").ENV_REGISTRY
    plain = [env_id.removesuffix("-raw") for env_id in registry if env_id.endswith("-raw")]
    return {env_id.lower().replace("-v0", "").replace("-", "_"): env_id for env_id in plain}


def _textarena() -> Any:
    return importlib.import_module("textarena")
