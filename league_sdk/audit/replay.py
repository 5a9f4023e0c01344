"""Replay of a match, move by move, from its record.

The loop and the streams of chance are the audit's own, on purpose: with those of `league_sdk.game` it would share their
mistakes, and find none.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from league_sdk.audit.chance import Chance, NoChance
from league_sdk.errors import InvalidMove
from league_sdk.game import Game, Outcome
from league_sdk.json_value import Json

JOINED = "GAME_JOIN_ACK"


@dataclass(frozen=True, slots=True)
class Moves:
    """Players' answers to requests for a move, in order, illegal ones included."""

    answers: Mapping[str, Sequence[Json]]
    from_transcript: bool  # else from the result


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a replay."""

    outcome: Outcome | None  # None if the moves ran out
    lacking: frozenset[str]  # had to move, without a legal move recorded
    left: frozenset[str]  # with surplus answers
    chosen: Mapping[str, Json]  # legal moves of the unfinished turn
    last_answers: Mapping[str, Json]  # illegal ones, after which the moves ran out
    state: Any
    stood_in: Sequence[tuple[int, str, Json]] = ()  # turn, player and move of each stand-in's move
    replaced: Mapping[str, "Replaced"] = field(default_factory=dict[str, "Replaced"])  # by player


@dataclass(frozen=True, slots=True)
class Replaced:
    """The first turn in which a stand-in moved for a player."""

    state: Any
    legal: bool  # the transcript has a legal move of the player for it
    last_answers: Mapping[str, Json]  # the player's illegal one, if any


def transcript_moves(result: Mapping[str, Json], players: Sequence[str]) -> Moves | None:
    """Every answer to a request for a move in the transcript; None without one."""
    entries = cast(Sequence[Mapping[str, Json]], result.get("transcript") or ())
    if not entries:
        return None
    answers: dict[str, list[Json]] = {player: [] for player in players}
    for entry in entries:
        if "choice" in entry and entry.get("from") in answers:
            answers[entry["from"]].append(entry["choice"])
    return Moves(answers, from_transcript=True)


def result_moves(result: Mapping[str, Json], players: Sequence[str], *, single: bool) -> Moves | None:
    """The result's `choices`, each read as one move (`single`) or a list; else None."""
    choices = cast(Mapping[str, Json], result["details"]).get("choices")
    if not isinstance(choices, Mapping):
        return None
    told = cast(Mapping[str, Json], choices)
    answers = {player: _listed(told[player], single=single) for player in players if player in told}
    return Moves({player: answers.get(player, []) for player in players}, from_transcript=False)


def _listed(choice: Json, *, single: bool) -> list[Json]:
    return [choice] if single or not isinstance(choice, list) else cast(list[Json], choice)


def play(
    game: Game[Any], players: Sequence[str], moves: Moves, seed: str | None, stand_ins: Mapping[str, int] | None = None
) -> Ending:
    """Replay a match; illegal answers in a transcript are skipped, as in the match.

    `stand_ins` has the first turn of each stand-in by player; their moves are drawn again.

    Raises ChanceNeeded without a seed that the game needs, and InvalidMove for an illegal move in a result.
    """
    waiting = {player: deque(moves.answers[player]) for player in players}
    since, stood_in, replaced = stand_ins or {}, list[tuple[int, str, Json]](), dict[str, Replaced]()
    state = game.start(tuple(players), _chance(seed, "start"))
    turn = 1
    while game.outcome(state) is None:
        chosen: dict[str, Json] = {}
        last: dict[str, Json] = {}
        to_move = game.to_move(state)
        absent = [player for player in to_move if turn >= since.get(player, turn + 1)]
        for player in to_move:
            _next_legal(game, state, player, waiting[player], chosen, last, skip=moves.from_transcript)
        for player in absent:
            wrong = {player: last.pop(player)} if player in last else {}
            replaced.setdefault(player, Replaced(state, player in chosen, wrong))
            chosen.pop(player, None)
        lacking = frozenset(to_move) - chosen.keys() - {*absent}
        if lacking or not to_move:
            return Ending(None, lacking, _left(waiting), chosen, last, state, stood_in, replaced)
        for player in absent:
            chosen[player] = game.stand_in(state, player, _chance(seed, f"stand-in:{turn}:{player}"))
            stood_in.append((turn, player, chosen[player]))
        state = game.apply(state, {player: chosen[player] for player in to_move}, _chance(seed, str(turn)))
        turn += 1
    return Ending(game.outcome(state), frozenset(), _left(waiting), {}, {}, state, stood_in, replaced)


def check_move(game: Game[Any], state: Any, player: str, move: Json) -> None:
    """Refuse (InvalidMove) an illegal move, also one that the rules cannot read.

    Rules may raise anything at a strange value, which its sender must not turn into a fault of theirs.
    """
    try:
        game.check(state, player, move)
    except InvalidMove:
        raise
    except Exception as error:
        if any(type(move) is type(option) and move == option for option in game.legal_moves(state, player)):
            raise
        raise InvalidMove(f"the rules cannot read this move ({type(error).__name__})") from error


def _next_legal(
    game: Game[Any],
    state: Any,
    player: str,
    answers: deque[Json],
    chosen: dict[str, Json],
    last: dict[str, Json],
    *,
    skip: bool,
) -> None:
    """Take a player's next legal answer to `chosen`, else its last one to `last`."""
    while answers:
        answer = answers.popleft()
        try:
            check_move(game, state, player, answer)
        except InvalidMove:
            if not skip:
                raise
            last[player] = answer
        else:
            chosen[player] = answer
            return


def _left(waiting: Mapping[str, deque[Json]]) -> frozenset[str]:
    return frozenset(player for player, answers in waiting.items() if answers)


def _chance(seed: str | None, stream: str) -> Chance | NoChance:
    return NoChance() if seed is None else Chance(f"{seed}:{stream}")
