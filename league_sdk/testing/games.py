"""The contract of a game, checked by playing: `check_game(MyGame())` in a test."""

import copy
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar, cast

from league_sdk.clock import HashRng, Rng
from league_sdk.errors import InvalidMove
from league_sdk.game import Game, Move, Outcome, PlayedMatch, first_state, next_state
from league_sdk.json_value import Json
from league_sdk.plugins import GAME_NAME
from league_sdk.testing.contract import ContractBroken, among, require, require_json

S = TypeVar("S")

Secrets: TypeAlias = Callable[[S, str], Iterable[Json]]
"""Given a state and a player, the values in it that this player must not learn."""

_IDS = ("P07", "P03", "P11", "P05", "P02", "P13", "P01", "P08")  # out of order: seats must not be sorted
_MOST_MISSPELLED = 20  # legal moves of a state whose other spellings are tried; a board may have hundreds
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_TYPE = re.compile(r"[A-Z][A-Z0-9_]*")
_ENVELOPE = ("protocol", "message_type", "sender", "timestamp", "conversation_id", "auth_token")
_TAKEN = frozenset((*_ENVELOPE, "league_id", "round_id", "match_id", "player_id"))


def check_game(
    game: Game[S],
    *,
    matches: int = 25,
    seed: str = "check_game",
    max_turns: int = 1_000,
    secrets: Secrets[S] | None = None,
) -> None:
    """Play `game` at random and check that it keeps the contract of `Game`.

    Checked are its names and wire names; that turns, legal moves, refusals, observations, renderings and outcomes are
    consistent in every state; that states are immutable values; that all chance comes from the seed and an instance
    holds no match (a match replayed from its seed, with others in between, is the same match); and that it ends.

    Args:
        game: The game, with any options.
        matches: Matches to play for each number of players, at least 1.
        seed: The seed of their chance.
        max_turns: Turns after which a match counts as endless.
        secrets: Values that must not leak, if the game hides something. Only a game's author can know them.

    Raises:
        ContractBroken: At the first broken promise.
    """
    require(matches >= 1, "check_game has to play at least one match")
    _check_names(game)
    for count in range(game.min_players, min(game.max_players, game.min_players + 2, len(_IDS)) + 1):
        players = _IDS[:count]
        _check_counters(game, players)
        for number in range(matches):
            match = _Match(game, players, f"{seed}:{count}:{number}", max_turns, secrets)
            match.play()
            match.replay()


def _check_names(game: Game[Any]) -> None:
    name, spec = getattr(game, "name", None), game.move_spec
    require(isinstance(name, str) and bool(GAME_NAME.fullmatch(name)), f"name must be like 'my_game', and is {name!r}")
    require(
        2 <= game.min_players <= game.max_players,
        f"min_players and max_players must be at least 2 and in order, not {game.min_players} and {game.max_players}",
    )
    for word in (spec.tool, *spec.tool_aliases, spec.choice_field, spec.resolve_tool):
        require(bool(_WORD.fullmatch(word)), f"move_spec: {word!r} must be lower case with underscores")
    for word in (spec.call_type, spec.response_type, *spec.response_aliases, spec.resolving_label):
        require(bool(_TYPE.fullmatch(word)), f"move_spec: {word!r} must be upper case with underscores")
    require(bool(_TYPE.fullmatch(spec.invalid_move_name)), "move_spec: invalid_move_name must be upper case")
    require(spec.call_type != spec.response_type, "move_spec: call_type and response_type must differ")
    require(spec.choice_field not in _TAKEN, f"move_spec: the field {spec.choice_field!r} belongs to every message")


def _check_counters(game: Game[Any], players: Sequence[str]) -> None:
    state = game.start(list(players), HashRng("counters"))
    legal = {move for player in game.to_move(state) for move in game.legal_moves(state, player) if _text(move)}
    for move, reply in game.counters.items():
        require(
            move in legal and reply in legal,
            f"counters: {move!r} and its reply {reply!r} must be moves that are legal at the start",
        )


def _text(move: Move) -> bool:
    return isinstance(move, str)


@dataclass
class _Match(Generic[S]):
    """One match, played at random, with every promise checked in every state."""

    game: Game[S]
    players: tuple[str, ...]
    seed: str
    max_turns: int
    secrets: Secrets[S] | None
    turns: list[dict[str, Move]] = field(default_factory=list[dict[str, Move]])
    states: list[S] = field(default_factory=list[S])

    @property
    def where(self) -> str:
        return f"{self.game.name}, seed {self.seed!r}, turn {len(self.turns) + 1}"

    def play(self) -> None:
        players = list(self.players)
        state = first_state(self.game, players, self.seed)
        require(players == list(self.players), f"{self.where}: start changed the list of players")
        choices = self._rng("choices")
        while True:
            self.states.append(state)
            before = copy.deepcopy(state)
            movers = self._check_state(state)
            if not movers:
                break
            require(len(self.turns) < self.max_turns, f"{self.where}: no end after {self.max_turns} turns")
            moves = {player: choices.choice(self.game.legal_moves(state, player)) for player in movers}
            given = copy.deepcopy(moves)
            following = next_state(self.game, state, given, self.seed, len(self.turns) + 1)
            require(given == moves, f"{self.where}: apply changed the moves that it was given")
            require(state == before, f"{self.where}: a state was changed; apply must return a new one: {state!r}")
            self.turns.append(moves)
            state = following
        self._check_notation(self.game.outcome(state))

    def replay(self) -> None:
        """Replay the same moves from the same seed, with other matches begun in between."""
        state = first_state(self.game, self.players, self.seed)
        for number, (moves, expected) in enumerate(zip(self.turns, self.states, strict=False)):
            self._check_same(state, expected, number)
            self._interfere()
            state = next_state(self.game, state, copy.deepcopy(moves), self.seed, number + 1)
        self._check_same(state, self.states[-1], len(self.turns))
        first, again = self.game.outcome(self.states[-1]), self.game.outcome(state)
        require(first == again, f"{self.where}: the same match ended differently: {first!r} and {again!r}")

    def _check_same(self, state: S, expected: S, turn: int) -> None:
        require(
            state == expected,
            f"{self.game.name}, seed {self.seed!r}: the same seed and moves led to another state in turn {turn + 1}: "
            f"{expected!r} and then {state!r}. Draw chance from `rng` alone, keep no match in the game object, and let "
            "states compare by value (a frozen dataclass does)",
        )

    def _interfere(self) -> None:
        """Play one turn of another match on the same game object."""
        state = self.game.start(tuple(reversed(self.players)), self._rng("other start"))
        movers = self.game.to_move(state)
        if movers:
            moves = {player: self.game.legal_moves(state, player)[-1] for player in movers}
            self.game.apply(state, moves, self._rng("other turn"))

    def _rng(self, purpose: object) -> Rng:
        return HashRng(f"{self.seed}:{purpose}")

    def _check_state(self, state: S) -> tuple[str, ...]:
        """Check everything that holds in a single state; return the players to move."""
        game, where, before = self.game, self.where, copy.deepcopy(state)
        movers = game.to_move(state)
        require(
            list(movers) == [player for player in self.players if player in movers],
            f"{where}: to_move must name players of this match once each, in seat order, and gave {movers!r}",
        )
        for player in self.players:
            self._check_moves(state, player, player in movers)
            self._check_sight(state, player)
        self._check_public_moves(state)
        text = game.render(state)
        require(_text(text) and bool(text.strip()), f"{where}: render must give some text, and gave {text!r}")
        outcome = game.outcome(state)
        require(
            (outcome is None) == bool(movers),
            f"{where}: outcome must be None exactly while somebody is to move; it is {outcome!r}, and {movers!r} are",
        )
        if outcome is not None:
            self._check_outcome(outcome)
        require(state == before, f"{where}: looking at a state changed it (or it does not compare by value): {state!r}")
        return movers

    def _check_moves(self, state: S, player: str, to_move: bool) -> None:
        where = f"{self.where}, player {player}"
        legal = self.game.legal_moves(state, player)
        for move in legal:
            require_json(move, f"{where}: the move")
        require(legal == self.game.legal_moves(state, player), f"{where}: legal_moves must not change between calls")
        if not to_move:
            require(not legal, f"{where}: legal_moves must be empty for who is not to move, and gave {legal!r}")
        else:
            require(len(legal) > 0, f"{where}: legal_moves must not be empty for who is to move")
            drawn, due = self.game.random_move(state, player, self._rng("one")), self._rng("one").choice(legal)
            require(drawn == due, f"{where}: random_move must be rng.choice of legal_moves, {due!r}, and is {drawn!r}")
            self._check_stand_in(state, player, legal)
        for place, move in enumerate(legal):
            require(not among(move, legal[:place]), f"{where}: legal_moves names {move!r} twice")
            try:
                self.game.check(state, player, move)
            except InvalidMove as error:
                raise ContractBroken(f"{where}: check refused the legal move {move!r}: {error}") from error
        for move in _doubtful(legal):
            self._check_refused(state, player, move, where)

    def _check_stand_in(self, state: S, player: str, legal: tuple[Move, ...]) -> None:
        drawn, again = (self.game.stand_in(state, player, self._rng("stand-in")) for _ in range(2))
        where = f"{self.where}, player {player}"
        require(among(drawn, legal), f"{where}: stand_in must give a legal move, and gave {drawn!r}")
        require(drawn == again, f"{where}: stand_in gave {drawn!r} and then {again!r} from the same chance")

    def _check_refused(self, state: S, player: str, move: Move, where: str) -> None:
        try:
            self.game.check(state, player, move)
        except InvalidMove:
            return
        except Exception as error:
            raise ContractBroken(f"{where}: check must raise InvalidMove for {move!r}, not {error!r}") from error
        raise ContractBroken(f"{where}: check accepted {move!r}, which is not a legal move")

    def _check_sight(self, state: S, player: str) -> None:
        observation: Any = self.game.observe(state, player)
        require(isinstance(observation, dict), f"{self.where}: observe must give a dict, and gave {observation!r}")
        require_json(observation, f"{self.where}: what {player} observes")
        for secret in self.secrets(state, player) if self.secrets else ():
            for source, told in (("observe", observation), ("public_moves", self.game.public_moves(state))):
                require(
                    not _contains(told, secret),
                    f"{self.where}: {source} tells {player} the secret {secret!r}: {told!r}",
                )

    def _check_public_moves(self, state: S) -> None:
        public = self.game.public_moves(state)
        require_json(public, f"{self.where}: public_moves")
        for player, moves in public.items():
            require(player in self.players, f"{self.where}: public_moves names the stranger {player!r}")
            made = iter(self._made(player))
            require(
                all(any(move == other for other in made) for move in moves),
                f"{self.where}: public_moves gives {player} the moves {moves!r}, who made {self._made(player)!r}",
            )
        missing = [player for player in self.players if len(public.get(player, ())) < len(self._made(player))]
        require(
            self.game.hidden or not missing,
            f"{self.where}: hidden is False, and public_moves leaves out moves of {', '.join(missing)}",
        )

    def _check_outcome(self, outcome: Outcome) -> None:
        where = self.where
        require(outcome.winner is None or outcome.winner in self.players, f"{where}: winner is {outcome.winner!r}")
        require(
            set(outcome.scores) == set(self.players) and all(math.isfinite(score) for score in outcome.scores.values()),
            f"{where}: scores must give each player a finite number, and are {outcome.scores!r}",
        )
        first = [player for player, score in outcome.scores.items() if score == max(outcome.scores.values())]
        require(
            len(self.players) == 2 or outcome.winner == (first[0] if len(first) == 1 else None),
            f"{where}: the winner among {len(self.players)} must be the player with the highest score alone, or None "
            f"when several have it; scores are {outcome.scores!r}, and winner is {outcome.winner!r}",
        )
        require(bool(outcome.reason.strip()), f"{where}: reason must be a sentence for a spectator")
        require_json(dict(outcome.details), f"{where}: details")
        choices: dict[str, Json] = outcome.details.get("choices") or {}
        require(
            set(choices) == set(self.players),
            f"{where}: details need `choices`, from every player's id to its move or list of moves, not {choices!r}",
        )
        for player in self.players:
            made, told = self._made(player), choices[player]
            require(
                told == made or (len(made) == 1 and told == made[0]),
                f"{where}: choices say that {player} made {told!r}, who made {made!r}",
            )

    def _check_notation(self, outcome: Outcome | None) -> None:
        """Notation has to be text, and present for all matches or for none."""
        winner = outcome.winner if outcome else None
        told: list[Any] = []
        for turns in (self.turns, ()):
            played = PlayedMatch(
                league_id="check",
                league_name="",
                match_id="R1M1",
                round_id=1,
                date="2025-01-15T10:00:00.000Z",
                players=self.players,
                names={player: f"Player {player}" for player in self.players},
                turns=tuple(turns),
                winner=winner,
                score={player: 3 * (player == winner) for player in self.players},
            )
            told.append(self.game.notation(played))
        require(all(_text(text) for text in told), f"{self.where}: notation must give text, and gave {told!r}")
        require(
            len({bool(text.strip()) for text in told}) == 1,
            f"{self.where}: notation must give text for every match or for none, also for one that broke off at once",
        )

    def _made(self, player: str) -> list[Move]:
        return [moves[player] for moves in self.turns if player in moves]


def _doubtful(legal: tuple[Move, ...]) -> list[Move]:
    """Illegal moves that resemble legal ones: other spellings and types, nonsense."""
    candidates: list[Move] = [None, "", "no such move", {"no": "such move"}, [], -1, 10**9, 0.5, True, False]
    for move in legal[:_MOST_MISSPELLED]:
        candidates.append([move])
        if isinstance(move, str):
            candidates += [move.upper(), move.capitalize(), f" {move}", f"{move}\n"]
        elif isinstance(move, int):
            candidates += [float(move), bool(move), str(move)]
    return [move for move in candidates if not among(move, legal)]


def _contains(value: Json, secret: Json) -> bool:
    """True if `secret` is `value` or inside it, as a key or a value."""
    if among(secret, (value,)):
        return True
    parts: list[Json] = []
    if isinstance(value, dict):
        parts = [part for item in cast(dict[str, Json], value).items() for part in item]
    elif isinstance(value, list):
        parts = cast(list[Json], value)
    return any(_contains(part, secret) for part in parts)
