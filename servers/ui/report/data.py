"""What the script of a report draws matches and players from: short lists, since there may be thousands of matches."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from league_sdk.domain.league import League
from league_sdk.domain.model import MatchResult
from league_sdk.game import Game
from servers.read_model import (
    CAUSES,
    SUBSTITUTIONS,
    Kind,
    Limits,
    Line,
    MatchRow,
    PlayerRecord,
    TechnicalLoss,
    check_draw,
    conversation,
    match_rows,
    reasons_text,
    replay,
    speed,
)
from servers.read_model.text import legible, printable
from servers.ui.charts import replies_chart

Json: TypeAlias = Any
"""A JSON value."""

LONGEST_REASON = 300
LONGEST_CHOICE = 200


@dataclass(slots=True)
class Texts:
    """Texts that many matches have in common, each kept once.

    Attributes:
        known: Text to its place.
    """

    known: dict[str, int] = field(default_factory=dict[str, int])

    def place(self, text: str) -> int:
        """Where a text is kept."""
        return self.known.setdefault(text, len(self.known))


def league_data(
    league: League, game: Game[Any] | None, limits: Limits, records: Sequence[PlayerRecord]
) -> dict[str, Json]:
    """Everything that is shown only when somebody asks for it: players and matches.

    Args:
        league: The league.
        game: The rules of its game; None when it is not installed here.
        limits: How long players had for answers.
        records: What each player did, in the order of the standings.

    Returns:
        `players`, in the order of the standings; `matches`, in the order of the schedule, with players as places in
        `players` and texts as places in `texts`.
    """
    seats = {record.standing.player_id: place for place, record in enumerate(records)}
    failures: dict[tuple[str, str], list[str]] = {}
    for record in records:
        for failure in record.failures:
            failures.setdefault((failure.match_id, record.standing.player_id), []).append(failure_text(failure))
    texts = Texts()
    return {
        "players": [_player(record, limits) for record in records],
        "matches": [_match(league, match, game, seats, failures, texts) for match in match_rows(league)],
        "referees": {agent.agent_id: printable(agent.display_name) for agent in league.referees.values()},
        "limits": {"join": limits.join, "move": limits.move},
        "texts": list(texts.known),
    }


def failure_text(failure: TechnicalLoss) -> str:
    """Why a player lost technically, in a sentence without its beginning."""
    told = CAUSES[failure.cause] if failure.cause else "was at fault; its referee does not say how"
    tries = f"; asked {failure.tries} times" if failure.tries > 1 else ""
    return f"{told}{tries}"


def _player(record: PlayerRecord, limits: Limits) -> dict[str, Json]:
    speeds = {kind.value: speed(record.exchanges, (kind,)) for kind in (Kind.JOIN, Kind.MOVE)}
    row = record.standing
    return {
        "id": row.player_id,
        "name": printable(row.display_name),
        "removed": row.removed,
        "row": [row.rank, row.played, row.wins, row.draws, row.losses, row.technical_losses, row.points],
        "rate": record.win_rate,
        "byes": list(record.byes),
        "failures": [[failure.match_id, failure_text(failure)] for failure in record.failures],
        "substituted": [[each.match_id, reasons_text(each.reasons)] for each in record.substituted],
        "speeds": {
            kind: [found.answers, found.median, found.p95, found.slowest] for kind, found in speeds.items() if found
        },
        "chart": replies_chart([asked for asked in record.exchanges if asked.kind is Kind.MOVE], limits.move),
    }


def _match(
    league: League,
    match: MatchRow,
    game: Game[Any] | None,
    seats: Mapping[str, int],
    failures: Mapping[tuple[str, str], Sequence[str]],
    texts: Texts,
) -> dict[str, Json]:
    told: dict[str, Json] = {
        "id": match.match_id,
        "round": match.round_id,
        "players": [seats[player] for player in match.players],
        "stage": str(match.stage),
        "referee": match.referee_id,
        "attempt": match.attempt,
    }
    result = league.results.get(match.match_id)
    if result is None:
        return told
    return told | {
        "status": str(match.status),
        "winner": None if match.winner is None else seats[match.winner],
        "points": [(match.score or {}).get(player, 0) for player in match.players],
        "reason": texts.place(printable(match.reason, LONGEST_REASON)),
        "seconds": match.seconds,
        "faults": [[seats[player], text] for player in match.at_fault for text in failures[match.match_id, player]],
        "substituted": [
            [seats[player], sum(reasons.values()), reasons_text(reasons)]
            for player, reasons in result.substituted.items()
        ],
        "lines": [_line(line, match.players, texts) for line in conversation(result)],
        "draw": _draw(league, result),
        "replay": _replay(league, result, game, texts),
    }


def _line(line: Line, players: Sequence[str], texts: Texts) -> list[Json]:
    """Offset, type, speaker and listener (-1 is the referee), then what there is; nothing at the end is left out."""
    told: list[Json] = [
        line.offset,
        texts.place(printable(line.message_type)),
        _seat(line.speaker, players),
        _seat(line.listener, players),
        None if line.choice is None else texts.place(_shown(line.choice)),
        line.waited,
        None if line.accepted is None else int(line.accepted),
        texts.place(printable(line.error_code)) if line.error_code else None,
        texts.place(SUBSTITUTIONS[line.substituted]) if line.substituted else None,
    ]
    while told[-1] is None:
        del told[-1]
    return told


def _seat(agent: str, players: Sequence[str]) -> int:
    return players.index(agent) if agent in players else -1


def _shown(choice: Json) -> str:
    return printable(choice if isinstance(choice, str) else json.dumps(choice, ensure_ascii=False), LONGEST_CHOICE)


def _draw(league: League, result: MatchResult) -> dict[str, Json]:
    draw = check_draw(league.league_id, result)
    return {
        "commitment": printable(draw.commitment, 128),
        "secret": printable(draw.secret, 128),
        "nonces": [printable(draw.nonces.get(player, ""), 128) for player in result.players],
        "seed": draw.seed,
        "checks": [[check.claim, int(check.held)] for check in draw.checks],
    }


def _replay(league: League, result: MatchResult, game: Game[Any] | None, texts: Texts) -> dict[str, Json]:
    played = replay(league.league_id, result, game)
    return {
        "frames": [
            [
                [_shown(frame.moves[player]) if player in frame.moves else None for player in result.players],
                texts.place(legible(frame.position)),
            ]
            for frame in played.frames
        ],
        "agrees": played.agrees,
        "why": played.why_not,
    }
