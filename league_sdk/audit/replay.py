"""A match played again, move by move, from what was recorded of it."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from league_sdk.audit.chance import Chance, NoChance
from league_sdk.errors import InvalidMove
from league_sdk.game import Game, Outcome

Json: TypeAlias = Any
"""A JSON value."""

JOINED = "GAME_JOIN_ACK"


@dataclass(frozen=True, slots=True)
class Moves:
    """What players answered when they were asked for a move, in order.

    Attributes:
        answers: Player id to answers; each was asked for, and may have been illegal.
        from_transcript: Whether that comes from the messages of the match, rather than from its result.
    """

    answers: Mapping[str, Sequence[Json]]
    from_transcript: bool


@dataclass(frozen=True, slots=True)
class Ending:
    """Where a match came to, played again.

    Attributes:
        outcome: How the game ended; None when the moves ran out before.
        lacking: Who had to move at the end and has no legal move recorded.
        left: Who has answers left over that nobody asked for.
        chosen: The legal moves of the turn that was not finished.
        last_answers: By player: the last answer before the moves ran out, when it was illegal.
        state: The game's state.
    """

    outcome: Outcome | None
    lacking: frozenset[str]
    left: frozenset[str]
    chosen: Mapping[str, Json]
    last_answers: Mapping[str, Json]
    state: Any


def transcript_moves(result: Mapping[str, Json], players: Sequence[str]) -> Moves | None:
    """Every answer to a call for a move, by the transcript; None when there is no such transcript."""
    entries = cast(Sequence[Mapping[str, Json]], result.get("transcript") or ())
    if not entries:
        return None
    answers: dict[str, list[Json]] = {player: [] for player in players}
    for entry in entries:
        if "choice" in entry and entry.get("from") in answers:
            answers[entry["from"]].append(entry["choice"])
    return Moves(answers, from_transcript=True)


def result_moves(result: Mapping[str, Json], players: Sequence[str], *, single: bool) -> Moves | None:
    """The moves that the result names as `choices`; None when it names none.

    Args:
        result: The result.
        players: Their ids.
        single: Whether an entry is one move, rather than a list of moves.
    """
    choices = cast(Mapping[str, Json], result["details"]).get("choices")
    if not isinstance(choices, Mapping):
        return None
    told = cast(Mapping[str, Json], choices)
    answers = {player: _listed(told[player], single=single) for player in players if player in told}
    return Moves({player: answers.get(player, []) for player in players}, from_transcript=False)


def _listed(choice: Json, *, single: bool) -> list[Json]:
    return [choice] if single or not isinstance(choice, list) else cast(list[Json], choice)


def play(game: Game[Any], players: Sequence[str], moves: Moves, seed: str | None) -> Ending:
    """Play a match again.

    Args:
        game: The rules.
        players: Ids in seat order.
        moves: What they answered. Of a transcript, illegal answers are passed over: they were asked again.
        seed: What chance followed from; None when it is not known.

    Raises:
        ChanceNeeded: The game needs chance, and there is no seed.
        InvalidMove: A move that the result names is not legal.
    """
    waiting = {player: deque(moves.answers[player]) for player in players}
    state = game.start(tuple(players), _chance(seed, "start"))
    turn = 1
    while game.outcome(state) is None:
        chosen: dict[str, Json] = {}
        last: dict[str, Json] = {}
        to_move = game.to_move(state)
        for player in to_move:
            _next_legal(game, state, player, waiting[player], chosen, last, skip=moves.from_transcript)
        lacking = frozenset(to_move) - chosen.keys()
        if lacking or not to_move:
            return Ending(None, lacking, _left(waiting), chosen, last, state)
        state = game.apply(state, chosen, _chance(seed, str(turn)))
        turn += 1
    return Ending(game.outcome(state), frozenset(), _left(waiting), {}, {}, state)


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
    """Take a player's next legal answer into `chosen`; if there is none, its last illegal one into `last`."""
    while answers:
        answer = answers.popleft()
        try:
            game.check(state, player, answer)
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
