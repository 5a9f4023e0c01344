"""Batches of matches: their order, and the rows that each gives."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from league_sdk import plugins
from league_sdk.domain.model import Scoring
from league_sdk.fairness import Draw, seed_of_match, seeded_nonce
from league_sdk.game import Game, MatchLoop, Move, PastMatch, PlayerView, Strategy
from servers.experiments.match_loop import LEAGUE_ID, Contestant, play
from servers.experiments.spec import LEAGUE, ExperimentSpec, game_of

ID_COLUMN = "id"
"""The first column: repetition, pairing and match, such as `R1P1-2M3`."""
COLUMNS = (
    "repetition",
    "match",  # from 1 within a pairing and repetition; 1 and 2, 3 and 4, … are pairs
    "first",
    "second",
    "winner",  # empty for a draw
    "first_score",
    "second_score",
    "turns",
    "first_substituted",
    "second_substituted",
    "first_fault",
    "second_fault",
)
LEAGUE_COLUMNS = (
    "first_seconds",  # mean of a move, by the referee's clock
    "second_seconds",
    "first_tokens",  # of language models, in and out
    "second_tokens",
    "first_cost_usd",
    "second_cost_usd",
)
"""Further columns of matches played in leagues; empty where nothing is known."""
SCORING = Scoring()


class MatchFailed(Exception):
    """The game failed in a match; the message says in which."""


def columns_of(spec: ExperimentSpec) -> tuple[str, ...]:
    """The columns of a table that begins now."""
    return (ID_COLUMN, *COLUMNS, *(LEAGUE_COLUMNS if spec.engine == LEAGUE else ()))


@dataclass(frozen=True, slots=True)
class Batch:
    """Successive matches of two strategies."""

    repetition: int
    pairing: tuple[int, int]
    first_match: int
    matches: int


def batches(spec: ExperimentSpec) -> Iterator[Batch]:
    """All batches in their order: the pairings of a repetition advance together."""
    # The players' memory binds the matches of a repetition together.
    size = spec.matches if spec.memory else spec.batch
    for repetition in range(1, spec.repetitions + 1):
        for start in range(0, spec.matches, size):
            for pairing in combinations(range(len(spec.strategies)), 2):
                yield Batch(repetition, pairing, start + 1, min(size, spec.matches - start))


def play_batch(spec: ExperimentSpec, batch: Batch) -> str:
    """Play a batch; its rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_rows(spec, batch))
    return text.getvalue()


def _rows(spec: ExperimentSpec, batch: Batch) -> Iterator[Sequence[object]]:
    game, chosen = _resolved(spec.to_json())
    players = spec.players
    pairing = pairing_of(batch)
    pair = [
        Contestant(f"P{place + 1 if spec.paired else seat:02d}", players[place], _no_choice)
        for seat, place in enumerate(batch.pairing, 1)
    ]
    for match in range(batch.first_match, batch.first_match + batch.matches):
        if not spec.memory or match == 1:
            for seat, place in zip(pair, batch.pairing, strict=True):
                strategy, argument = chosen[place]
                seat.choose = strategy.make(argument)
        seats = pair if match % 2 else pair[::-1]
        if spec.paired:
            seed, match_id, chance = spec.seed, f"{pairing}M{match}", f"{spec.seed}:{pairing}:{(match + 1) // 2}"
        else:
            seed, match_id = f"{spec.seed}:{pairing}", f"R{match}M1"
            chance = league_chance(seed, match_id, [seat.name for seat in seats])
        try:
            played = play(game, seats, seed=seed, chance=chance, match_id=match_id, round_id=match)
        except Exception as error:
            names = " against ".join(seat.name for seat in seats)
            told = f"{type(error).__name__}: {error}"
            raise MatchFailed(f"{game.name} failed in match {match_id}, {names}: {told}") from error
        if spec.memory:
            for seat, other in (seats, seats[::-1]):
                seat.history += (_past(game, seat, other, match_id, played),)
        winner, scores = (end := played.end).winner, end.scores
        yield (
            f"{pairing}M{match}",
            batch.repetition,
            match,
            *(seat.name for seat in seats),
            next((seat.name for seat in seats if seat.player_id == winner), ""),
            *(f"{scores.get(seat.player_id, 0):g}" for seat in seats),
            played.turn,
            *(seat.substituted for seat in seats),
            *(seat.fault for seat in seats),
        )


def pairing_of(batch: Batch) -> str:
    """The name of a batch's repetition and pairing."""
    return f"R{batch.repetition}P{batch.pairing[0] + 1}-{batch.pairing[1] + 1}"


def league_chance(seed: str, match_id: str, names: Sequence[str]) -> str:
    """The seed of a match's chance in a seeded league; names in seat order."""
    draw = Draw.seeded(seed_of_match(seed, match_id), LEAGUE_ID, match_id)
    return draw.seed([seeded_nonce(seed, name, match_id, draw.commitment) for name in names])


def _no_choice(view: PlayerView) -> Move:
    raise NotImplementedError(view)


def _past(game: Game[Any], me: Contestant, other: Contestant, match_id: str, played: MatchLoop[Any]) -> PastMatch:
    """A match as a player remembers it."""
    winner, moves = played.end.winner, game.public_moves(played.state)
    result = "DRAW" if winner is None else "WIN" if winner == me.player_id else "LOSS"
    return PastMatch(
        match_id=match_id,
        league_id=LEAGUE_ID,
        opponent_id=other.player_id,
        opponent_name=other.name,
        result=result,
        my_moves=tuple(moves.get(me.player_id, ())),
        opponent_moves=tuple(moves.get(other.player_id, ())),
        points={"WIN": SCORING.win, "DRAW": SCORING.draw, "LOSS": SCORING.loss}[result],
        details={"scores": dict(played.end.scores), **played.end.details},
        game_type=game.name,
        substituted=dict(me.reasons),
    )


@lru_cache(maxsize=4)
def _resolved(text: str) -> tuple[Game[Any], list[tuple[Strategy, str]]]:
    """Game and strategies of an experiment, which take long to find."""
    spec = ExperimentSpec.from_json(text)
    return game_of(spec), [plugins.named_strategy(name, spec.plugins) for name in spec.strategies]
