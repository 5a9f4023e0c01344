"""Judgement of one match from its record: chance, moves, outcome, faults."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeAlias, cast

from league_sdk.audit import replay
from league_sdk.audit.chance import (
    ALGORITHM,
    LONGEST_NONCE,
    ChanceNeeded,
    commitment_of,
    draw_ids,
    seed_of,
    seeded_secret,
)
from league_sdk.audit.replay import JOINED, Ending, Moves, Replaced, play, result_moves, transcript_moves
from league_sdk.audit.table import DRAW, TECHNICAL_LOSS, WIN, Decided
from league_sdk.errors import InvalidMove
from league_sdk.game import Game
from league_sdk.json_value import Json

INVALID_MOVE = "E004"
STOOD_IN = "STAND_IN_MOVE"
"""The type of a transcript's entry for a stand-in's move."""

PHASES: Mapping[str, tuple[str, ...]] = {
    "no_join": ("join",),
    "declined": ("join",),
    "no_move": ("move",),
    "illegal_move": ("move",),
    "name_not_found": ("join", "move"),
    "connection_refused": ("join", "move"),
    "connection_dropped": ("join", "move"),
    "malformed_reply": ("join", "move"),
    "crashed_handler": ("join", "move"),
    "withdrew": (),  # no referee may report these two; `course.py` knows when they are right
    "sits_out": (),
}
"""Phases in which each cause can occur; also the list of causes."""

Fault: TypeAlias = tuple[str, str]  # the kind of a finding, and its sentence


@dataclass(slots=True)
class MatchVerdict:
    """The judgement of a match."""

    faults: list[Fault]
    draw_verified: bool = False  # commitment and seed were recomputed
    replayed: bool = False
    unverified: str = ""  # the reason, if a part could not be recomputed


def judge(match: Decided, game: Game[Any], rules: Mapping[str, Json], version: int = 1) -> MatchVerdict:
    """Judge a match between the scheduled players under the scheduled referee.

    In records of `version` 1 a match of three or more ended with the first technical loss.
    """
    played_on = _played_on(match, version)
    verdict = MatchVerdict([*_status(match, played_on), *_score(match, rules), *_substituted(match)])
    seed = _draw(match, rules, verdict)
    verdict.faults += _transcript_draw(match)
    if match.status == TECHNICAL_LOSS:
        verdict.faults += _blame(match, played_on)
        verdict.faults += _joins(match)
    try:
        faults, verdict.replayed = _replay(match, game, seed, played_on, revealed=verdict.draw_verified)
        verdict.faults += faults
    except ChanceNeeded:
        verdict.unverified = verdict.unverified or "chance decides in this game, and the referee revealed no draw"
    except Exception as error:
        # The rules of a game are foreign code, and the record may contain anything.
        verdict.faults.append(("outcome", f"the game cannot be recomputed: {type(error).__name__}: {error}"))
    return verdict


def _played_on(match: Decided, version: int) -> bool:
    """True if those without fault had to play to the end."""
    left = len(match.players) - len(match.guilty)
    return match.status == TECHNICAL_LOSS and left > 1 and (version > 1 or "scores" in match.result["details"])


def _status(match: Decided, played_on: bool) -> Iterator[Fault]:
    if match.status not in (WIN, DRAW, TECHNICAL_LOSS):
        yield "outcome", f"its status is {match.status!r}"
    if match.winner is not None and match.winner not in match.players:
        yield "outcome", f"its winner {match.winner!r} does not play in it"
    if (match.status == WIN and match.winner is None) or (match.status == DRAW and match.winner is not None):
        yield "outcome", f"its status is {match.status}, and its winner {match.winner}"
    if len(match.players) > 2:
        yield from _places(match, played_on)
    if match.status != TECHNICAL_LOSS and match.result["faults"]:
        yield "blame", f"faults are recorded, and its status is {match.status}"


def _places(match: Decided, played_on: bool) -> Iterator[Fault]:
    """Check the places of three or more players against faults and the game's scores."""
    scores = _mapping(match.result["details"].get("scores"))
    if match.status != TECHNICAL_LOSS or played_on:
        if not scores.keys() >= set(match.players):
            yield "outcome", "it has no scores of all its players: it has to be played to its end"
            return
        worth = {player: -math.inf if player in match.guilty else scores[player] for player in match.players}
    else:
        worth = {player: float(player not in match.guilty) for player in match.players}
    expected = {player: sum(other > own for other in worth.values()) + 1 for player, own in worth.items()}
    if not same(dict(match.places), expected):
        yield "outcome", f"its places are {dict(match.places)}; recomputed, {expected}"


def _score(match: Decided, rules: Mapping[str, Json]) -> Iterator[Fault]:
    expected = match.points(rules["scoring"])
    if not same(match.result["score"], expected):
        yield "score", f"its score is {match.result['score']}; by the league's rules it is {expected}"


def _substituted(match: Decided) -> Iterator[Fault]:
    """Compare counts of substituted moves with the transcript's marks, if any."""
    marked: dict[str, dict[str, int]] = {}
    for entry in _entries(match):
        player, reason = entry.get("from"), entry.get("substituted")
        if isinstance(player, str) and isinstance(reason, str):
            of_player = marked.setdefault(player, {})
            of_player[reason] = of_player.get(reason, 0) + 1
    strangers = sorted(match.substituted.keys() - set(match.players))
    if strangers:
        yield "substituted", f"it counts substituted moves of {strangers[0]!r}, who does not play in it"
    if marked and not same(marked, match.substituted):
        told = short(match.substituted)
        yield "substituted", f"its substituted moves are {told}; by its transcript, {short(marked)}"


def _draw(match: Decided, rules: Mapping[str, Json], verdict: MatchVerdict) -> str | None:
    """Recompute the seed of the match; None if too little was revealed."""
    reveal = match.result["details"].get("draw")
    if not isinstance(reveal, Mapping):
        verdict.unverified = "the referee revealed no draw"
        return None
    told = cast(Mapping[str, Json], reveal)
    if told.get("algorithm", ALGORITHM) != ALGORITHM:
        verdict.unverified = f"its draw follows the formula {told['algorithm']!r}, which is not known here"
        return None
    secret, nonces = told.get("secret"), told.get("nonces")
    if not isinstance(secret, str) or not isinstance(nonces, Mapping):
        verdict.faults.append(("draw", "its draw has no secret or no nonces"))
        return None
    given = [cast(Mapping[str, Json], nonces).get(player, "") for player in match.players]
    faults = list(_nonces(match, cast(Mapping[str, Json], nonces), given))
    if faults:
        verdict.faults += faults
        return None
    attempt, told_commitment = match.result["attempt"], told.get("commitment")
    bound = {one: commitment_of(secret, one, match.match_id, attempt) for one in draw_ids(rules["league_id"])}
    league = next((one for one, known in bound.items() if known == told_commitment), rules["league_id"])
    commitment = bound[league]
    seed = seed_of(secret, league, match.match_id, attempt, given)
    if told_commitment != commitment:
        faults.append(("draw", "the secret of its draw is not the one that was committed to"))
    if told.get("seed", seed) != seed:
        faults.append(("draw", "the seed of its draw does not follow from the secret and the nonces"))
    if rules["seed"] is not None and secret != seeded_secret(rules["seed"], league, match.match_id, attempt):
        faults.append(("draw", "the secret of its draw is not the one that follows from the league's seed"))
    verdict.faults += faults
    verdict.draw_verified = not faults
    return seed


def _nonces(match: Decided, nonces: Mapping[str, Json], given: Sequence[Json]) -> Iterator[Fault]:
    strangers = sorted(nonces.keys() - set(match.players))
    if strangers:
        yield "draw", f"its draw has a nonce of {strangers[0]!r}, who does not play in it"
    for player, nonce in zip(match.players, given, strict=True):
        if not isinstance(nonce, str) or len(nonce) > LONGEST_NONCE:
            yield "draw", f"the nonce of {player} is not a text of at most {LONGEST_NONCE} characters"


def _transcript_draw(match: Decided) -> Iterator[Fault]:
    """Compare messages before the match with the reveal after it."""
    told = _mapping(match.result["details"].get("draw"))
    joined = _mapping(told.get("nonces"))
    given: set[str] = set()
    for entry in _entries(match):
        published, nonce, player = entry.get("draw_commitment"), entry.get("draw_nonce"), entry.get("from")
        if not entry.get("accept", True):
            nonce = None  # whoever declines has no part in the draw, whatever it says
        if nonce and isinstance(player, str):
            given.add(player)
        if published is not None and published != told.get("commitment"):
            yield "draw", "its invitation published another commitment than the one that was revealed"
        if nonce is not None and player in match.players and nonce != joined.get(player):
            yield "draw", f"{player} gave another nonce than the one that was revealed"
    for player in match.players:
        if _entries(match) and joined.get(player) and player not in given:
            yield "draw", f"a nonce of {player} was revealed that it never gave"


def _blame(match: Decided, played_on: bool) -> Iterator[Fault]:
    faults = cast(Sequence[Mapping[str, Json]], match.result["faults"])
    named = [fault["player_id"] for fault in faults]
    if len(set(named)) != len(named) or not set(named) <= set(match.players):
        yield "blame", f"its faults name {named}, and its players are {list(match.players)}"
    first = [player for player in match.players if player not in match.guilty]
    if played_on:
        first = [player for player in first if match.places[player] == 1]
    winner = first[0] if len(first) == 1 else None
    if match.winner != winner:
        yield "outcome", f"its winner is {match.winner}; by the faults it is {winner}"
    for fault in faults:
        if fault["phase"] not in PHASES.get(fault["cause"], ()):
            yield (
                "blame",
                f"{fault['player_id']} cannot have the fault {fault['cause']!r} in the {fault['phase']} phase",
            )
        if type(fault["tries"]) is not int or fault["tries"] < 1:
            yield "blame", f"{fault['player_id']} was asked {fault['tries']!r} times"


def _joins(match: Decided) -> Iterator[Fault]:
    """Find players that are blamed for not joining although they joined."""
    came = {
        entry.get("from") for entry in _entries(match) if entry.get("message_type") == JOINED and entry.get("accept")
    }
    for fault in match.result["faults"]:
        if fault["phase"] == "join" and fault["player_id"] in came:
            yield "blame", f"{fault['player_id']} is blamed for not joining, and its transcript says that it did"


def _replay(
    match: Decided, game: Game[Any], seed: str | None, played_on: bool, *, revealed: bool
) -> tuple[list[Fault], bool]:
    """Replay the match; True if that was possible to the end."""
    moves = transcript_moves(match.result, match.players)
    if match.status == TECHNICAL_LOSS:
        since = _mapping(match.result["details"].get("stand_ins"))
        if not all(player in match.guilty and type(turn) is int for player, turn in since.items()):
            return [("blame", f"its stand-ins are {short(dict(since))}; its faults name {sorted(match.guilty)}")], False
        absent = {fault["player_id"] for fault in match.result["faults"] if fault["phase"] == "join"}
        if moves is None or (absent and not played_on and not absent <= since.keys()):
            return [], False
        ending = play(game, match.players, moves, seed, since)
        stood_in = list(_stood_in(match, game, ending))
        if played_on:
            return [*stood_in, *_finished(match, ending, exact=revealed)], True
        return [*stood_in, *_unfinished(match, game, ending, exact=revealed)], True
    if moves is None or not any(moves.answers.values()):
        ending = _from_result(match, game, seed)
        if ending is None:
            return [], False
    else:
        ending = play(game, match.players, moves, seed)
    return list(_finished(match, ending, exact=revealed)), True


def _stood_in(match: Decided, game: Game[Any], ending: Ending) -> Iterator[Fault]:
    """Compare stand-ins with their players' moves, and their moves with a new draw."""
    for fault in match.result["faults"]:
        player, replaced = fault["player_id"], ending.replaced.get(fault["player_id"])
        if replaced is None and fault["phase"] == "move" and ending.outcome is not None:
            yield "blame", f"{player} is blamed, and its transcript holds its moves"
        if replaced is not None and replaced.legal:
            yield "blame", f"{player} is blamed, and its transcript holds its move"
        elif replaced is not None and fault["cause"] == "illegal_move":
            yield from _illegal(match, fault, game, replaced)
    told = [
        (entry.get("turn"), entry.get("for"), entry.get("choice"))
        for entry in _entries(match)
        if entry.get("message_type") == STOOD_IN
    ]
    for (turn, player, move), drawn in zip_longest(told, ending.stood_in, fillvalue=(None, None, None)):
        if not same([turn, player, move], [*drawn]):
            yield (
                "outcome",
                f"in turn {drawn[0] or turn} the stand-in of {drawn[1] or player} chose {short(move)}; "
                f"drawn again, {short(drawn[2])}",
            )
            return


def _from_result(match: Decided, game: Game[Any], seed: str | None) -> Ending | None:
    """Replay from the result's moves, read as lists of moves or as one move each."""
    ending: Ending | None = None
    for single in (False, True):
        moves: Moves | None = result_moves(match.result, match.players, single=single)
        if moves is None:
            return None
        try:
            ending = play(game, match.players, moves, seed)
        except InvalidMove:
            if single and ending is None:
                raise
            continue
        if ending.outcome is not None:
            return ending
    return ending


def _finished(match: Decided, ending: Ending, *, exact: bool) -> Iterator[Fault]:
    outcome = ending.outcome
    if outcome is None:
        yield "outcome", f"the game is not over after its moves: {', '.join(sorted(ending.lacking))} has to move"
        return
    if ending.left:
        yield "outcome", f"the game was over before the last move of {', '.join(sorted(ending.left))}"
    status = DRAW if outcome.winner is None else WIN
    played_on = match.status == TECHNICAL_LOSS
    if not played_on and (match.status, match.winner) != (status, outcome.winner):
        yield "outcome", f"it ended {_told(match.status, match.winner)}; recomputed, {_told(status, outcome.winner)}"
    details = match.result["details"]
    for name, value in {"scores": dict(outcome.scores), **outcome.details}.items():
        if name in details and not same(details[name], value):
            yield "outcome", f"its {name} is {short(details[name])}; recomputed, {short(value)}"
        elif exact and name not in details:
            yield "outcome", f"its {name} is not recorded; recomputed, {short(value)}"
    told = (outcome.reason, outcome.earlier_reason or outcome.reason)
    if exact and not played_on and match.result["reason"] not in told:
        yield "outcome", f"its reason is {short(match.result['reason'])}; recomputed, {short(outcome.reason)}"


def _unfinished(match: Decided, game: Game[Any], ending: Ending, *, exact: bool) -> Iterator[Fault]:
    """Compare a technical loss with its replay: blamed players must lack a move."""
    if ending.outcome is not None:
        yield "blame", "it is a technical loss, and its transcript holds every move to its end"
        return
    for player in sorted(match.guilty - ending.lacking - ending.replaced.keys()):
        yield "blame", f"{player} is blamed, and its transcript holds its move"
    for player in sorted(ending.lacking - match.guilty):
        yield "blame", f"{player} is not blamed, and its transcript holds no legal move of it"
    if exact and not same(match.result["details"].get("choices"), ending.chosen):
        told = short(match.result["details"].get("choices"))
        yield "outcome", f"its choices are {told}; by its transcript, {short(ending.chosen)}"
    for fault in match.result["faults"]:
        if fault["cause"] == "illegal_move" and fault["player_id"] in ending.lacking:
            yield from _illegal(match, fault, game, ending)


def _illegal(match: Decided, fault: Mapping[str, Json], game: Game[Any], ending: Ending | Replaced) -> Iterator[Fault]:
    player = fault["player_id"]
    if player not in ending.last_answers:
        # Its strategy raised, or made what cannot be sent: it said so by the error of an invalid move.
        if any(entry.get("from") == player and entry.get("error_code") == INVALID_MOVE for entry in _entries(match)):
            return
        yield "blame", f"{player} is blamed for an illegal move, and its transcript holds none"
        return
    received = fault["evidence"].get("received", ending.last_answers[player])
    try:
        replay.check_move(game, ending.state, player, received)
    except InvalidMove:
        return
    yield "blame", f"{player} is blamed for the move {short(received)}, which is legal"


def _entries(match: Decided) -> Sequence[Mapping[str, Json]]:
    return match.result["transcript"]


def _mapping(value: Json) -> Mapping[str, Json]:
    return cast(Mapping[str, Json], value) if isinstance(value, Mapping) else {}


def _told(status: str, winner: str | None) -> str:
    return "in a draw" if winner is None and status == DRAW else f"{status}, winner {winner}"


_SIMPLE = (str, int, bool, type(None))  # types whose equal values are the same JSON, without encoding them


def same(one: Json, other: Json) -> bool:
    """True if two values are the same JSON; 1 and 1.0 are, 1 and true are not."""
    if type(one) is type(other) and type(one) in _SIMPLE:
        return one == other
    return _plain(one) == _plain(other)


def _plain(value: Json) -> str:
    return json.dumps(_numbers(value), sort_keys=True)


def _numbers(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _numbers(item) for key, item in cast(Mapping[str, Json], value).items()}
    if isinstance(value, list | tuple):
        return [_numbers(item) for item in cast(Sequence[Json], value)]
    return value


def short(value: Json) -> str:
    """A value in few characters, safe to print."""
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
