"""Pure conversions between messages and the domain's values."""

from collections.abc import Iterable, Mapping
from typing import Any

from league_sdk.domain.league_state import League, PlayerProgress
from league_sdk.domain.model import PROTOCOL_VERSION, Agent, Fault, Fixture, MatchResult, Role, Scoring
from league_sdk.domain.pairings.schedule import SINGLE, SeriesGame, series_games
from league_sdk.domain.ranking.standing import Standing
from league_sdk.protocol.match import FaultInfo, MatchResultReport, ResultBody, ResultDetails
from league_sdk.protocol.operator import ScoringInfo
from league_sdk.protocol.queries import FailureInfo, LeagueStatus, PlayerStats, ScheduledMatch
from league_sdk.protocol.registration import PlayerMeta, RefereeMeta
from league_sdk.protocol.rounds import Champion, MatchInfo, RecordHead, StandingRow
from league_sdk.protocol.substituted import counted

_NO_SERIES: Mapping[str, SeriesGame] = {}
MOST_FAILURES = 100  # failures of a player in one answer: the most recent ones


def agent_from_meta(meta: PlayerMeta | RefereeMeta, game_type: str, derived: tuple[str, ...] = ()) -> Agent:
    """An agent that registers, without id and token; the league's game by default."""
    referee = meta if isinstance(meta, RefereeMeta) else None
    return Agent(
        agent_id="",
        role=Role.REFEREE if referee else Role.PLAYER,
        display_name=meta.display_name,
        endpoint=meta.contact_endpoint,
        token_digest="",
        version=meta.version,
        game_types=meta.game_types if "game_types" in meta.model_fields_set else (game_type,),
        protocol_version=meta.protocol_version or PROTOCOL_VERSION,
        max_concurrent_matches=referee.max_concurrent_matches if referee else 1,
        dialect=meta.dialect or "",
        instance_id=meta.instance_id or "",
        derived=derived,
    )


def standing_rows(standings: Iterable[Standing]) -> tuple[StandingRow, ...]:
    return tuple(StandingRow(**row.to_json()) for row in standings)


def champions(league: League) -> tuple[Champion, ...]:
    """The winners of a completed league, in the order of the standings; empty before."""
    return tuple(
        Champion(player_id=row.player_id, display_name=row.display_name, points=row.points)
        for row in league.standings()
        if row.player_id in league.champions
    )


def _all_players(fixture: Fixture) -> tuple[str, ...] | None:
    return fixture.players if len(fixture.players) > 2 else None


def match_infos(
    fixtures: Iterable[Fixture],
    referees: Mapping[str, str],
    agents: Mapping[str, Agent],
    game_type: str,
    series: Mapping[str, SeriesGame] = _NO_SERIES,
) -> tuple[MatchInfo, ...]:
    """The matches of a round as announced; `referees` and `series` are by match id."""
    return tuple(
        MatchInfo(
            match_id=fixture.match_id,
            game_type=game_type,
            player_a_id=fixture.players[0],
            player_b_id=fixture.players[1],
            players=_all_players(fixture),
            referee_endpoint=agents[referees[fixture.match_id]].endpoint,
            referee_id=referees[fixture.match_id],
            series_id=one.series_id,
            game=one.game,
        )
        for fixture in fixtures
        for one in (series.get(fixture.match_id, SINGLE),)
    )


def scheduled_match(league: League, fixture: Fixture) -> ScheduledMatch:
    match_id = fixture.match_id
    result, assignment = league.results.get(match_id), league.assignments.get(match_id)
    if match_id in league.voided:
        status = "VOID"
    elif result is not None:
        status = "COMPLETED"
    else:
        status = "SCHEDULED" if assignment is None else "ASSIGNED"
    series = series_games(league.rounds, fixture.round_id).get(match_id, SINGLE)
    return ScheduledMatch(
        match_id=match_id,
        round_id=fixture.round_id,
        player_a_id=fixture.players[0],
        player_b_id=fixture.players[1],
        players=_all_players(fixture),
        game_type=league.rules.game_type,
        status=status,
        referee_id=None if assignment is None else assignment.referee_id,
        referee_endpoint=None if assignment is None else league.referee(assignment.referee_id).endpoint,
        winner=None if result is None else result.winner,
        result=None if result is None else str(result.status),
        series_id=series.series_id,
        game=series.game,
    )


def scheduled_matches(league: League) -> tuple[ScheduledMatch, ...]:
    return tuple(scheduled_match(league, fixture) for scheduled in league.rounds for fixture in scheduled.fixtures)


def league_status(league: League, head: RecordHead | None = None) -> LeagueStatus:
    return LeagueStatus(
        state=str(league.state),
        players=len(league.players),
        referees=len(league.referees),
        current_round=league.rounds_started,
        total_rounds=league.total_rounds,
        matches_completed=len(league.results),
        total_matches=league.total_matches,
        void_matches=dict(league.voided) or None,
        sitting_out=len(league.sitting_out) or None,
        record_head=head,
        registration_deadline=league.rules.registration_deadline,
    )


def player_stats(record: PlayerProgress, *, failures: bool = False, endpoint: str | None = None) -> PlayerStats:
    """A player's record; `failures` adds the reasons for its technical losses."""
    row = record.standing
    return PlayerStats(
        **row.to_json(),
        technical_losses=row.technical_losses,
        remaining=record.remaining,
        win_rate=row.win_rate,
        returns=record.returns,
        endpoint=endpoint,
        failures=_failures(record) if failures else None,
    )


def scoring_info(scoring: Scoring) -> ScoringInfo:
    return ScoringInfo(win=scoring.win, draw=scoring.draw, loss=scoring.loss, technical_loss=scoring.technical_loss)


def scoring(info: ScoringInfo | None) -> Scoring:
    """League points as a referee received them; the defaults if it received none."""
    if info is None:
        return Scoring()
    return Scoring(win=info.win, draw=info.draw, loss=info.loss, technical_loss=info.technical_loss)


def report(result: MatchResult) -> ResultBody:
    """A result as reported to the league; the inverse of `match_result`."""
    named = {"status": str(result.status), "reason": result.reason or None}
    return ResultBody(
        winner=result.winner,
        score=dict(result.score),
        details=ResultDetails.model_validate({**result.details, **named}),
        faults=tuple(_fault_info(fault) for fault in result.faults) or None,
        lifecycle=dict(result.lifecycle) or None,
        transcript=tuple(dict(entry) for entry in result.transcript) or None,
        substituted={player: dict(reasons) for player, reasons in result.substituted.items()} or None,
    )


def match_result(message: MatchResultReport, fixture: Fixture, referee_id: str, attempt: int = 1) -> MatchResult:
    """The result that a referee (by its token) reports; `attempt` if it names none."""
    body = message.result
    marks = {"evidence_omitted": True} if message.evidence_omitted else {}
    return MatchResult(
        match_id=fixture.match_id,
        round_id=message.round_id,
        players=fixture.players,
        status=body.status,
        winner=body.winner,
        score=dict(body.score),
        referee_id=referee_id,
        attempt=message.attempt or attempt,
        reason=body.details.reason or "",
        details={**body.game_details, **marks},
        faults=tuple(_fault(info) for info in body.faults or ()),
        lifecycle=dict(body.lifecycle or {}),
        transcript=body.transcript or (),
        substituted=counted(body.substituted, fixture.players),
    )


def ignored_counts(message: MatchResultReport, result: MatchResult) -> bool:
    """True if some of a report's counts of substituted moves were not believed."""
    told = message.result.substituted
    return told is not None and told != result.substituted


def _failures(record: PlayerProgress) -> tuple[FailureInfo, ...]:
    own = [
        FailureInfo(**_fault_info(fault).model_dump(), match_id=result.match_id, round_id=result.round_id)
        for result in record.results
        for fault in result.faults
        if fault.player_id == record.standing.player_id
    ]
    return tuple(own[-MOST_FAILURES:])


def _fault_info(fault: Fault) -> FaultInfo:
    return FaultInfo.model_validate({**fault.to_json(), "evidence": dict(fault.evidence) or None})


def _fault(info: FaultInfo) -> Fault:
    told: dict[str, Any] = {**dict(info), "evidence": dict(info.evidence or {})}
    return Fault(**told)
