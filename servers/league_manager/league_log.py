"""The league log: stored events, told under the names that the log's readers know."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from league_sdk.domain.events import (
    AgentReturned,
    LeagueCompleted,
    LeagueCreated,
    LeagueResumed,
    LeagueStarted,
    LeagueStopped,
    MatchAssigned,
    MatchRecorded,
    MatchVoided,
    PlayerRegistered,
    PlayerRemoved,
    Record,
    RefereeRegistered,
    RoundCompleted,
    RoundStarted,
    ScheduleCreated,
)
from league_sdk.domain.league import League
from league_sdk.ports import Journal
from servers.read_model import brief

Entry = tuple[str, str, dict[str, Any]]
"""Event type, level and details of a log line."""


def log_records(journal: Journal, league: League, records: Sequence[Record]) -> None:
    """Write a line of the league log for each record."""
    for record in records:
        event = brief(record).event
        for event_type, level, details in _LINES[type(event)](league, event):
            journal.event(event_type, level, **details)


def _created(league: League, event: LeagueCreated) -> list[Entry]:
    return [("LEAGUE_CREATED", "INFO", {"league_id": league.league_id, "game_type": event.rules.game_type})]


def _referee(_: League, event: RefereeRegistered) -> list[Entry]:
    referee = event.referee
    details = {"referee_id": referee.agent_id, "display_name": referee.display_name, "endpoint": referee.endpoint}
    return [("REFEREE_REGISTERED", "INFO", {**details, "dialect": referee.dialect})]


def _player(_: League, event: PlayerRegistered) -> list[Entry]:
    player = event.player
    details = {"player_id": player.agent_id, "display_name": player.display_name, "endpoint": player.endpoint}
    return [("PLAYER_REGISTERED", "INFO", {**details, "dialect": player.dialect})]


def _returned(_: League, event: AgentReturned) -> list[Entry]:
    return [("AGENT_RETURNED", "INFO", {"agent_id": event.agent.agent_id, "endpoint": event.agent.endpoint})]


def _removed(_: League, event: PlayerRemoved) -> list[Entry]:
    return [("PLAYER_REMOVED", "WARNING", {"player_id": event.player_id, "reason": event.reason})]


def _scheduled(league: League, event: ScheduleCreated) -> list[Entry]:
    details = {"total_rounds": len(league.rounds), "total_matches": league.total_matches, "reason": event.reason}
    return [("SCHEDULE_CREATED", "INFO", details)]


def _started(league: League, _: LeagueStarted) -> list[Entry]:
    details = {
        "league_id": league.league_id,
        "total_players": len(league.players),
        "total_rounds": len(league.rounds),
    }
    return [("LEAGUE_STARTED", "INFO", details)]


def _round_started(league: League, event: RoundStarted) -> list[Entry]:
    matches = len(league.round(event.round_id).fixtures)
    return [("ROUND_STARTED", "INFO", {"round_id": event.round_id, "matches_count": matches})]


def _assigned(_: League, event: MatchAssigned) -> list[Entry]:
    details: dict[str, Any] = {"match_id": event.match_id, "referee_id": event.referee_id, "attempt": event.attempt}
    return [("MATCH_ASSIGNED", "INFO", details | ({"reason": event.reason} if event.reason else {}))]


def _recorded(league: League, event: MatchRecorded) -> list[Entry]:
    result = event.result
    received = {
        "match_id": result.match_id,
        "referee_id": result.referee_id,
        "status": str(result.status),
        "winner_id": result.winner,
        "score": dict(result.score),
    }
    leaders = list(league.leaders())
    updated = {"match_id": result.match_id, "matches_completed": len(league.results), "leaders": leaders}
    return [("MATCH_RESULT_RECEIVED", "INFO", received), ("STANDINGS_UPDATED", "INFO", updated)]


def _voided(league: League, event: MatchVoided) -> list[Entry]:
    wanted = event.cause in league.removed.values()
    return [("MATCH_VOIDED", "INFO" if wanted else "ERROR", {"match_id": event.match_id, "cause": event.cause})]


def _round_completed(league: League, event: RoundCompleted) -> list[Entry]:
    matches = len(league.round(event.round_id).fixtures)
    return [("ROUND_COMPLETED", "INFO", {"round_id": event.round_id, "completed_matches": matches})]


def _completed(league: League, event: LeagueCompleted) -> list[Entry]:
    order = [row.player_id for row in league.standings()]
    details = {"winner_id": event.champions[0], "champions": list(event.champions), "final_standings": order}
    return [("LEAGUE_COMPLETED", "INFO", details)]


def _stopped(_: League, event: LeagueStopped) -> list[Entry]:
    return [("LEAGUE_STOPPED", "WARNING", {"reason": event.reason})]


def _resumed(_: League, event: LeagueResumed) -> list[Entry]:
    return [("LEAGUE_RESUMED", "INFO", {"reason": event.reason})]


_LINES: Mapping[type, Callable[[League, Any], list[Entry]]] = {
    LeagueCreated: _created,
    RefereeRegistered: _referee,
    PlayerRegistered: _player,
    AgentReturned: _returned,
    PlayerRemoved: _removed,
    ScheduleCreated: _scheduled,
    LeagueStarted: _started,
    RoundStarted: _round_started,
    MatchAssigned: _assigned,
    MatchRecorded: _recorded,
    MatchVoided: _voided,
    RoundCompleted: _round_completed,
    LeagueCompleted: _completed,
    LeagueStopped: _stopped,
    LeagueResumed: _resumed,
}
