"""The replay of a match that is over, by the rules of its game, step by step."""

import logging
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from league_sdk.bounds import shorten
from league_sdk.domain.model import MatchResult, ResultStatus
from league_sdk.domain.ranking.places import places_of
from league_sdk.errors import InvalidMove
from league_sdk.game import Game, Outcome, stand_in_move, turns
from league_sdk.json_value import Json
from servers.read_model.draws import check_draw
from servers.read_model.matches import conversation

logger = logging.getLogger(__name__)

MOST_STEPS = 500
"""Limit of a replay's steps; longer matches are told by their messages alone."""
BROKEN_OFF = "The match was not played to its end."
LONGEST_POSITION = 4000
"""Characters of a position that are kept."""
LONGEST_PICTURE = 40_000
"""Characters of an SVG; a longer one is left out."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A position of a match."""

    turn: int  # from 1; 0 is the position before the first move
    moves: Mapping[str, Json]  # what was played to come to it, by player id
    position: str  # how the game draws it, over one or more lines
    picture: str = ""  # the same as SVG; empty where the game draws none
    stand_ins: tuple[str, ...] = ()  # players for whom a stand-in moved


@dataclass(frozen=True, slots=True)
class Replay:
    """A match, replayed."""

    frames: tuple[Frame, ...] = ()  # its positions; empty when it cannot be replayed
    agrees: bool | None = None  # whether it came to the recorded end; None when it did not come to an end
    why_not: str = ""  # why it was not replayed to its end; empty when it was


def replay(league_id: str, result: MatchResult, game: Game[Any] | None, *, whole: bool = False) -> Replay:
    """Replay a match from transcript and draw; a technical loss up to its end."""
    if game is None:
        return Replay(why_not="The game is not installed here.")
    seed = check_draw(league_id, result).seed
    if not seed and result.status is ResultStatus.TECHNICAL_LOSS:
        return Replay(why_not=BROKEN_OFF)
    if not seed:
        return Replay(why_not="The referee revealed no random draw, so the match cannot be replayed.")
    answers = {player: deque[Json]() for player in result.players}
    # A player that failed hides what it sent, and its legal moves before that are needed.
    whole = whole or bool(result.stand_ins)
    told = [(entry.get("from"), entry.get("choice")) for entry in result.transcript] if whole else []
    for speaker, choice in told or [(line.speaker, line.choice) for line in conversation(result)]:
        if choice is not None and isinstance(speaker, str) and speaker in answers:
            answers[speaker].append(choice)
    try:
        return _played(result, game, seed, answers)
    except Exception as error:
        # The rules of a game are somebody else's code, and the record of a match may hold anything.
        logger.warning("match %s cannot be replayed: %r", result.match_id, error)
        return Replay(why_not="The rules of the game reject the recorded moves.")


def _played(result: MatchResult, game: Game[Any], seed: str, answers: Mapping[str, deque[Json]]) -> Replay:
    match = turns(game, result.players, seed)
    frames, moves, away = list[Frame](), dict[str, Json](), tuple[str, ...]()
    for movers in match:
        state, turn = match.state, match.turn
        frames.append(Frame(turn - 1, moves, position(game, state), picture(game, state), away))
        if turn > MOST_STEPS:
            return Replay(why_not=f"It has more than {MOST_STEPS} turns.")
        away = tuple(player for player in movers if turn >= result.stand_ins.get(player, turn + 1))
        try:
            moves = {player: _legal(game, state, player, answers[player]) for player in movers if player not in away}
        except IndexError:
            if result.status is not ResultStatus.TECHNICAL_LOSS:
                raise
            return Replay(tuple(frames) if turn > 1 else (), why_not=BROKEN_OFF)
        drawn = {player: stand_in_move(game, state, player, seed, turn) for player in away}
        match.moves = moves = {player: drawn[player] if player in drawn else moves[player] for player in movers}
    frames.append(Frame(match.turn, moves, position(game, match.state), picture(game, match.state), away))
    return Replay(tuple(frames), _same_end(result, match.end))


def _same_end(result: MatchResult, end: Outcome) -> bool:
    failed = {fault.player_id for fault in result.faults}
    return places_of(end, result.players, failed) == result.places if failed else end.winner == result.winner


def _legal(game: Game[Any], state: Any, player: str, answers: deque[Json]) -> Json:
    """The next legal answer: after an illegal one the player was asked again."""
    from league_sdk.audit.replay import check_move  # the whole audit, which no agent needs to begin

    while True:
        answer = answers.popleft()
        try:
            check_move(game, state, player, answer)
        except InvalidMove:
            continue
        return answer


def position(game: Game[Any], state: Any) -> str:
    """A state as text, cut to what is shown."""
    return shorten(game.render(state), LONGEST_POSITION)


def picture(game: Game[Any], state: Any) -> str:
    """A state as SVG; empty for none, and for one that is too long."""
    drawn = game.svg(state)
    return drawn if len(drawn) <= LONGEST_PICTURE else ""
