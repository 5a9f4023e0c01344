"""OpenSpiel's games: `openspiel:connect_four`, `openspiel:kuhn_poker(players=3)`.

OpenSpiel is a library of games for research: M. Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in
Games" (2019). A game is loaded when it is named. Its chance nodes are resolved by the match's own chance, so that a
match can be replayed from its seed.
"""

import importlib
import re
import subprocess
import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from game_rules.openspiel.boards import PICTURES, chess_text, pgn
from league_sdk.clock import Rng
from league_sdk.game import Game, Json, Move, Outcome, PlayedMatch
from league_sdk.game_library import GameLibrary, GameRefused, LibraryGame
from league_sdk.names import game_type, joined

PATIENCE = 30
"""Seconds for a game with parameters to be set up."""


@dataclass(slots=True, eq=False)  # not frozen, which takes three times as long to make; never changed all the same
class SpielState:
    """A position without chance to draw, with the moves so far."""

    players: tuple[str, ...]
    made: tuple[tuple[str, Move], ...]
    position: Any = field(repr=False)  # a pyspiel.State: cloned before each change
    legal: Mapping[str, Sequence[int]] = field(repr=False)  # actions of the players to move
    texts: dict[str, Mapping[str, int]] | None = field(default=None, repr=False)  # of `actions_of`
    drawn: tuple[str, int] | None = field(default=None, repr=False)  # text and action of `random_move`

    @property
    def history(self) -> tuple[int, ...]:
        """The actions and draws so far."""
        return tuple(self.position.history())

    def __eq__(self, other: object) -> bool:
        """True for the same players, moves and draws."""
        if not isinstance(other, SpielState):
            return NotImplemented
        return (self.players, self.made, self.history) == (other.players, other.made, other.history)

    def __hash__(self) -> int:
        """The hash of players and moves."""
        return hash((self.players, self.made))

    def __deepcopy__(self, memo: object) -> "SpielState":
        """A copy by `clone`; a copy by text form may lose a part."""
        return replace(self, position=self.position.clone())

    def actions_of(self, player: str) -> Mapping[str, int]:
        """The player's legal actions by text, made on demand; empty unless it is to move."""
        if player not in self.legal:
            return _NONE
        if self.texts is None:
            self.texts = {}
        if player not in self.texts:
            self.texts[player] = _by_text(self.position, self.players.index(player), self.legal[player])
        return self.texts[player]

    def action_of(self, player: str, text: str) -> int:
        """The legal action of that text."""
        if self.drawn is not None and self.drawn[0] == text:
            return self.drawn[1]
        return self.actions_of(player)[text]


class SpielGame(Game[SpielState]):
    """A game of OpenSpiel, by the rules of its loaded `pyspiel.Game`."""

    distinct = False  # True if the rules give all legal actions different texts
    simultaneous = False  # True if there may be nodes at which several move

    @property
    @abstractmethod
    def spiel(self) -> Any:
        """The loaded game."""

    def start(self, players: Sequence[str], rng: Rng) -> SpielState:
        """The first position in which a player moves."""
        return _settle(tuple(players), (), self.spiel.new_initial_state(), rng)

    def to_move(self, state: SpielState) -> tuple[str, ...]:
        """The player of the node; at a simultaneous node all who have a choice."""
        return tuple(state.legal)

    def legal_moves(self, state: SpielState, player: str) -> tuple[Move, ...]:
        """OpenSpiel's text of each legal action, in the order of their numbers."""
        return tuple(state.actions_of(player))

    def random_move(self, state: SpielState, player: str, rng: Rng) -> Move:
        """One of `legal_moves`; its text alone where the rules make all texts distinct."""
        if not self.distinct or len(state.legal) > 1:
            return super().random_move(state, player, rng)
        action = rng.choice(state.legal[player])
        text: str = state.position.action_to_string(action)
        state.drawn = text, action
        return text

    def check(self, state: SpielState, player: str, move: Move) -> None:
        """Refuse what is not the text of a legal action; there may be thousands."""
        if not (isinstance(move, str) and move in state.actions_of(player)):
            super().check(state, player, move)

    def apply(self, state: SpielState, moves: Mapping[str, Move], rng: Rng) -> SpielState:
        """Apply the actions of these texts, then draw at chance nodes."""
        position, made = state.position.clone(), moves.items()
        if self.simultaneous and position.is_simultaneous_node():
            made = [(player, moves[player]) for player in state.players if player in moves]
            chosen = {player: state.action_of(player, str(move)) for player, move in made}
            position.apply_actions([chosen.get(player, 0) for player in state.players])
        else:
            [(player, move)] = made
            position.apply_action(state.action_of(player, str(move)))
        return _settle(state.players, (*state.made, *made), position, rng)

    def outcome(self, state: SpielState) -> Outcome | None:
        """The player with the highest return wins; several with the highest draw."""
        if state.legal or not state.position.is_terminal():
            return None
        returns = dict(zip(state.players, map(float, state.position.returns()), strict=True))
        highest = max(returns.values())
        best = [player for player in state.players if returns[player] == highest]
        return Outcome(
            winner=best[0] if len(best) == 1 else None,
            scores=returns,
            reason=_verdict(returns, best),
            details={"choices": _by_player(state), "returns": {**returns}},
            earlier_reason=_earlier_verdict(returns, best),
        )

    def observe(self, state: SpielState, player: str) -> dict[str, Json]:
        """The seat's information state, and its legal actions as OpenSpiel's numbers.

        With perfect information: the position as text, and the numbers of all actions and draws so far, from which
        OpenSpiel's own position can be built again.
        """
        seat, kind = state.players.index(player), self.spiel.get_type()
        seen: dict[str, Json] = {"seat": seat, "actions": list(state.legal.get(player, ()))}
        if not self.hidden:
            return {**seen, "state": str(state.position), "history": list(state.history)}
        if kind.provides_information_state_string:
            return {**seen, "state": state.position.information_state_string(seat)}
        return {**seen, "state": state.position.observation_string(seat)}

    def public_moves(self, state: SpielState) -> dict[str, list[Move]]:
        """All moves; with hidden information none before the end."""
        if self.hidden and not state.position.is_terminal():
            return {}
        return _by_player(state)

    def render(self, state: SpielState) -> str:
        """OpenSpiel's text of the position, for chess below a board, and the seats."""
        seats = ", ".join(f"{seat} {player}" for seat, player in enumerate(state.players))
        text = str(state.position).rstrip()
        if self.spiel.get_type().short_name == "chess":
            text = f"{chess_text(text)}\n\n{text}"
        return f"{text}\n\n{seats}".lstrip("\n")

    def svg(self, state: SpielState) -> str:
        """A drawn board for chess and connect four."""
        draw = PICTURES.get(self.spiel.get_type().short_name)
        return draw(str(state.position)) if draw else ""

    def notation(self, match: PlayedMatch) -> str:
        """PGN for chess, whose texts of actions are those of PGN."""
        return pgn(match) if self.spiel.get_type().short_name == "chess" else ""


_DISTINCT = frozenset({"chess", "connect_four", "kuhn_poker", "leduc_poker", "tic_tac_toe"})
_CHANCE = -1
"""OpenSpiel's player id of chance, `pyspiel.PlayerId.CHANCE`."""
_NONE: Mapping[str, int] = {}


def _earlier_verdict(returns: Mapping[str, float], best: Sequence[str]) -> str:
    """The same as records of earlier versions have it."""
    told = ", ".join(f"{player} {value:g}" for player, value in returns.items())
    return f"{f'{best[0]} wins' if len(best) == 1 else 'It is a draw'}. Returns: {told}."


def _verdict(returns: Mapping[str, float], best: Sequence[str]) -> str:
    """The end of a match as a sentence, with the returns."""
    others = [player for player in returns if player not in best]
    against = [f"{returns[player]:g}" + (f" of {player}" if len(returns) > 2 else "") for player in others]
    end = joined(against)
    first, highest = " and ".join(best), f"a return of {returns[best[0]]:g}"
    if len(best) > 1:
        return f"It is a draw: {first} have {highest} each" + (f", against {end}." if end else ".")
    return f"{first} wins with {highest}" + (f" against {end}." if end else ".")


def _settle(players: tuple[str, ...], made: tuple[tuple[str, Move], ...], position: Any, rng: Rng) -> SpielState:
    """The state after drawing at each chance node that `position` comes to."""
    mover: int = position.current_player()  # negative for chance, at the end, and where several move
    while mover == _CHANCE:
        outcomes: list[tuple[int, float]] = position.chance_outcomes()
        left = rng.random() * sum([share for _, share in outcomes])
        drawn = outcomes[-1][0]
        for action, share in outcomes:
            left -= share
            if left < 0:
                drawn = action
                break
        position.apply_action(drawn)
        mover = position.current_player()
    if mover >= 0:
        legal = {players[mover]: position.legal_actions()}
    elif position.is_simultaneous_node():
        found = ((player, position.legal_actions(seat)) for seat, player in enumerate(players))
        legal = {player: actions for player, actions in found if actions}
    else:
        legal = {}
    return SpielState(players, made, position, legal)


def _by_text(position: Any, seat: int, actions: Sequence[int]) -> Mapping[str, int]:
    """Actions of a seat by text; its number follows a text of several."""
    text_of = position.action_to_string
    texts: list[str] = [text_of(seat, action) for action in actions]
    if len(set(texts)) < len(texts):
        texts = [
            text if texts.count(text) == 1 else f"{text} #{action}" for text, action in zip(texts, actions, strict=True)
        ]
    return dict(zip(texts, actions, strict=True))


def _by_player(state: SpielState) -> dict[str, list[Move]]:
    moves: dict[str, list[Move]] = {player: [] for player in state.players}
    for player, move in state.made:
        moves[player].append(move)
    return moves


class OpenSpiel(GameLibrary):
    """OpenSpiel's games, by their names and parameters in its own notation."""

    name = "openspiel"
    description = "OpenSpiel: 100 and more board, card and matrix games, such as chess, go, backgammon and poker."
    install = "pip install 'mcp-agent-league[games]'"

    def games(self) -> Sequence[LibraryGame]:
        """Every registered game with its default parameters."""
        return [_entry(kind) for kind in _pyspiel().registered_games()]

    def game(self, text: str) -> Game[Any]:
        """The game of that name and parameters.

        Raises:
            GameRefused: It refuses its parameters, or cannot keep a promise of `Game`.
            ImportError: OpenSpiel is not installed.
        """
        return _game(text)()


@lru_cache(maxsize=256)
def _game(text: str) -> type[SpielGame]:
    spiel = _load(text)
    kind, seats = spiel.get_type(), spiel.num_players()
    if why := _refusal(kind, seats):
        raise GameRefused(why)
    information = kind.Information
    about = "Moves are the texts of OpenSpiel's actions."
    return type(
        f"OpenSpiel_{kind.short_name}",
        (SpielGame,),
        {
            "name": game_type(f"{OpenSpiel.name}:{text}"),
            "__doc__": f"{kind.long_name}, by OpenSpiel.",
            "display_name": kind.long_name,
            "description": f"{kind.long_name}, by the rules of OpenSpiel's {text}. {about}",
            "spiel": spiel,
            "distinct": kind.short_name in _DISTINCT,
            "simultaneous": kind.dynamics == kind.Dynamics.SIMULTANEOUS,
            "min_players": seats,
            "max_players": seats,
            "hidden": kind.information == information.IMPERFECT_INFORMATION,
            "scored": (spiel.min_utility(), spiel.max_utility()) != (-1.0, 1.0),
        },
    )


def _load(text: str) -> Any:
    """OpenSpiel's game, or GameRefused with its own words."""
    pyspiel = _pyspiel()
    name, parameters, _ = text.partition("(")
    kind = next((kind for kind in pyspiel.registered_games() if kind.short_name == name), None)
    if kind is None:
        raise GameRefused(f"OpenSpiel has no game {name!r}")
    if parameters:
        _try(text)
    elif not kind.default_loadable:
        raise GameRefused(f"OpenSpiel needs parameters for it: {', '.join(kind.parameter_specification)}")
    return pyspiel.load_game(text)


_TRIAL = """
import pyspiel, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
try:
    str(pyspiel.load_game(sys.argv[1]).new_initial_state())
except Exception as error:
    print(error)
"""


_PLACE = re.compile(r"^/\S+:\d+ ")  # a line of OpenSpiel's own source, before some of its messages


def _try(text: str) -> None:
    """Load a game in a child process: some parameters end it, or fill the memory."""
    try:
        trial = subprocess.run(  # noqa: S603 - our own program, with the text as an argument
            [sys.executable, "-c", _TRIAL, text], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise GameRefused(f"OpenSpiel did not set it up in {PATIENCE} seconds") from error
    if trial.returncode:
        said = trial.stderr.strip().rpartition("\n")[2]
        raise GameRefused(f"OpenSpiel broke down while it set it up (exit {trial.returncode}) {said}".rstrip())
    if trial.stdout.strip():
        raise GameRefused(f"OpenSpiel says: {_PLACE.sub('', trial.stdout.strip())}")


def _refusal(kind: Any, seats: int) -> str:
    """The first promise of `Game` that OpenSpiel's game cannot keep; empty if none."""
    observable = kind.provides_information_state_string or kind.provides_observation_string
    hidden = kind.information == kind.Information.IMPERFECT_INFORMATION
    for broken, why in (
        (kind.dynamics == kind.Dynamics.MEAN_FIELD, "turns: a mean field game has no single players to move"),
        (seats < 2, "seats: it is for one player, and a match has two or more"),
        (
            kind.chance_mode == kind.ChanceMode.SAMPLED_STOCHASTIC,
            "replay: it draws chance by itself, so a match cannot be played again from its seed",
        ),
        (kind.utility == kind.Utility.IDENTICAL, "outcome: all players share one result, so none can win"),
        (hidden and not observable, "observation: it does not tell what a single player sees"),
    ):
        if broken:
            return why
    return ""


def _entry(kind: Any) -> LibraryGame:
    parameters = kind.parameter_specification
    given: int = parameters.get("players", parameters.get("num_players", 0))
    seats: int = given if given > 0 else kind.min_num_players
    missing = f"defaults: these parameters must be given: {', '.join(parameters)}"
    return LibraryGame(
        name=kind.short_name,
        title=kind.long_name,
        min_players=seats,
        max_players=seats,
        hidden=kind.information == kind.Information.IMPERFECT_INFORMATION,
        simultaneous=kind.dynamics == kind.Dynamics.SIMULTANEOUS,
        refusal=_refusal(kind, seats) if kind.default_loadable else missing,
    )


def _pyspiel() -> Any:
    return importlib.import_module("pyspiel")
