"""The text of every event: for the feed, the terminal and the league log."""

from collections.abc import Mapping, Sequence
from typing import Any

from league_sdk.dialect import MCP, V2, Dialect, parse_dialect
from league_sdk.domain import events
from league_sdk.domain.events import Event
from league_sdk.domain.league import League
from league_sdk.domain.league_state import NO_CHAMPION
from league_sdk.domain.model import Agent, MatchResult, ResultStatus
from league_sdk.domain.ranking.standings import at_fault
from league_sdk.names import game_name, listed
from league_sdk.tournament import Advanced, TieDecision
from servers.agent.manager_lock import PAUSED, is_pause
from servers.read_model.event_rows import EventRow, LogLine, info, warning
from servers.read_model.leadership_text import LEADERSHIP
from servers.read_model.round_names import round_name
from servers.read_model.series_text import series_text
from servers.read_model.sitting_out_text import REJOINED, SITTING_OUT
from servers.read_model.spans import EventText, TextSpan, agent_span, because, match_span, public_cause, say
from servers.read_model.text import count, printable

USUAL = str(Dialect(MCP, V2))
"""The dialect that is not worth a word."""


def event_text(league: League, event: Event) -> EventText | None:
    return EVENTS[type(event)].text(league, event)


def log_lines(league: League, event: Event) -> list[LogLine]:
    """The lines of an event in the league log."""
    return EVENTS[type(event)].log(league, event)


def result_line(league: League, result: MatchResult) -> str:
    """The line of a match's end at a terminal."""
    return _result(league, result).line


def _created(_: League, event: events.LeagueCreated) -> EventText:
    rules = event.rules
    players = count(rules.expected_players, "player") if rules.expected_players else "players"
    waiting = f"waiting for {players} and {count(rules.expected_referees, 'referee')}"
    until = f" until {rules.registration_deadline}" if rules.registration_deadline else ""
    open_now = f"league {rules.league_id} is open for registration{until}"
    return say("league", open_now, tail=f": {game_name(rules.game_type)}, {waiting}")


def _registered(league: League, agent: Agent, role: str, tail: str = "") -> EventText:
    unusual = parse_dialect(agent.dialect).certain_wire and agent.dialect != USUAL
    spoken = f", speaking {printable(agent.dialect)}" if unusual else ""
    hosted = ", at a hosted seat" if agent.hosted else ""
    return say(role, agent_span(league, agent.agent_id), f" registered as {role}", tail=f"{hosted}{spoken}{tail}")


def _player(league: League, event: events.PlayerRegistered) -> EventText:
    number, expected = len(league.players), league.rules.expected_players
    players = f"{count(number, 'player')} so far" if expected is None else f"{number} of {expected} players"
    return _registered(league, event.player, "player", f"; {players}")


def _entered(league: League, event: events.PlayerEntered) -> EventText:
    missed = count(league.missed[event.player.agent_id], "missed round")
    worth = "the points of a draw for each" if event.bye_points == "draw" else "without points"
    return _registered(league, event.player, "player", f", after the start; {missed}, {worth}")


def _returned(league: League, event: events.AgentReturned) -> EventText:
    agent_id = event.agent.agent_id
    return say("player" if agent_id in league.players else "referee", agent_span(league, agent_id), " is back")


def _removed(league: League, event: events.PlayerRemoved) -> EventText:
    """The void matches are told with it, rather than one by one."""
    number = sum(cause == event.cause for cause in league.voided.values())
    number += sum(1 for _ in league.open_matches(event.player_id))  # void with the next records
    void = f"; {count(number, 'match')} {'is' if number == 1 else 'are'} void" if number else ""
    told = f" was removed by the operator{because(event.reason)}{void}"
    return say("player", agent_span(league, event.player_id), told)


def _withdrew(league: League, event: events.AgentWithdrew) -> EventText:
    """The matches lost by it are told with it, rather than one by one."""
    if event.agent_id in league.referees:
        told = f" withdrew{because(event.reason)}; it gets no new match"
        return say("referee", agent_span(league, event.agent_id), told)
    number = sum(not result.referee_id and result.reason == event.cause for result in league.results.values())
    number += sum(1 for _ in league.open_matches(event.agent_id))  # lost with the next records
    lost = f"; {count(number, 'match')} {'is' if number == 1 else 'are'} lost by default" if number else ""
    return say("player", agent_span(league, event.agent_id), f" withdrew{because(event.reason)}{lost}")


def _sat_out(league: League, event: events.PlayerSatOut) -> EventText:
    why, told = SITTING_OUT[event.reason], because(event.detail)
    missed = f": no answer in {', '.join(event.matches)}" if event.matches else ""
    return say("player", agent_span(league, event.player_id), f" sits out{why}{missed or told}")


def _rejoined(league: League, event: events.PlayerRejoined) -> EventText:
    return say(
        "player", agent_span(league, event.player_id), f" plays again{REJOINED[event.by]}{because(event.detail)}"
    )


def _scheduled(league: League, _: events.ScheduleCreated) -> EventText:
    if league.endless:
        return say("league", "schedule: rounds until the operator closes the league")
    if league.expected_rounds:
        return say("league", f"schedule: {count(league.total_rounds, 'round')}, paired one by one")
    return say("league", f"schedule: {count(league.total_rounds, 'round')}, {count(league.total_matches, 'match')}")


def _started(league: League, _: events.LeagueStarted) -> EventText:
    agents = f"{count(len(league.players), 'player')} and {count(len(league.referees), 'referee')}"
    return say("league", "the league started", tail=f" with {agents}")


def _round(league: League, event: events.RoundStarted) -> EventText:
    scheduled = league.round(event.round_id)
    coming = league.coming(event.round_id)
    pairs = listed([f"{fixture.match_id} {'-'.join(fixture.players)}" for fixture in coming], 10) or "no match"
    byes = f"; bye: {', '.join(scheduled.byes)}" if scheduled.byes else ""
    title = f" ({scheduled.title})" if scheduled.title and scheduled.paired_by != "bracket" else ""
    started = f"{round_name(league, event.round_id)}{title} started"
    return say("round", started, tail=f": {pairs}{byes}")


def _round_completed(league: League, event: events.RoundCompleted) -> EventText:
    top = [f"{row.rank}. {printable(row.display_name)} {row.points}" for row in league.standings()[:4]]
    complete = f"{round_name(league, event.round_id)} complete"
    return say("round", complete, *_advanced(league, event.advanced), tail=f": {', '.join(top)}")


def _advanced(league: League, advanced: Sequence[Advanced]) -> list[str | TextSpan]:
    """The players that neither matches nor walkovers let advance, and why."""
    told: list[str | TextSpan] = []
    for each in advanced:
        why = "by lots" if each.by == TieDecision.LOTS else "as the higher seed"
        told += ["; ", agent_span(league, each.player_id), " advances over ", agent_span(league, each.over), f" {why}"]
    return told


def _assigned(league: League, event: events.MatchAssigned) -> EventText | None:
    if event.attempt == 1:
        return None
    referee = agent_span(league, event.referee_id)
    return say("again", match_span(event.match_id), " is played again by ", referee, tail=because(event.reason))


def _recorded(league: League, event: events.MatchRecorded) -> EventText | None:
    return _result(league, event.result) if event.result.referee_id or event.result.not_played else None


def _result(league: League, result: MatchResult) -> EventText:
    if result.places:
        return _placed(league, result)
    ordered = sorted(result.players, key=lambda player: player != result.winner)
    first, second = (agent_span(league, player) for player in ordered)
    match, why, of = match_span(result.match_id), because(result.reason), series_text(league, result, ordered)
    if result.status is ResultStatus.WIN:
        return say("win", match, ": ", first, " beat ", second, *of, tail=why)
    if result.status is ResultStatus.DRAW:
        return say("draw", match, ": ", first, " drew with ", second, *of, tail=why)
    if result.not_played:
        return _not_played(league, result, ordered)
    if result.winner is None:
        return say("technical", match, ": ", first, " and ", second, " both lost technically", *of, tail=why)
    return say("technical", match, ": ", first, " won by technical loss of ", second, *of, tail=why)


def _not_played(league: League, result: MatchResult, ordered: Sequence[str]) -> EventText:
    """A match of players of which some sit out: nobody was asked to play."""
    match, sitting = match_span(result.match_id), at_fault(result)
    first, second = (agent_span(league, player) for player in ordered)
    if result.winner is None:
        return say("technical", match, " is not played: ", first, " and ", second, " sit out")
    whom = second if ordered[1] in sitting else first
    return say("technical", match, " is not played: ", whom, " sits out, and ", first, " has the points")


def _placed(league: League, result: MatchResult) -> EventText:
    """A match of three or more: everybody with its place, the best first."""
    kind = {ResultStatus.WIN: "win", ResultStatus.DRAW: "draw"}.get(result.status, "technical")
    parts: list[Any] = [match_span(result.match_id), ": "]
    for number, (player, place) in enumerate(sorted(result.places.items(), key=lambda each: each[1])):
        parts += [f"{', ' * bool(number)}{place}. ", agent_span(league, player)]
    return say(kind, *parts, tail=because(result.reason))


def _voided(league: League, event: events.MatchVoided) -> EventText | None:
    if event.cause in league.removed.values():
        return None
    parts = public_cause(event.cause)
    rest = event.cause.removeprefix(parts).removeprefix(": ")
    return say("void", match_span(event.match_id), f" is void{because(parts)}", tail=because(rest))


def _closed(_: League, event: events.LeagueClosed) -> EventText:
    return say("league", "no further round is paired", tail=because(event.reason))


def _completed(league: League, event: events.LeagueCompleted) -> EventText:
    if not event.champions:
        return say("league", f"the league is complete; {NO_CHAMPION}", *_advanced(league, event.advanced))
    title = "champion" if len(event.champions) == 1 else "champions"
    named = [part for champion in event.champions for part in (TextSpan(", "), agent_span(league, champion))][1:]
    return say("league", f"the league is complete; {title}: ", *named, *_advanced(league, event.advanced))


def _stopped(_: League, event: events.LeagueStopped) -> EventText:
    if event.reason == PAUSED:
        return say("league", "the league is paused")
    if is_pause(event.reason):
        return say("league", f"the league is {printable(event.reason, 400)}")
    return say("league", "the league is stopped", tail=because(event.reason))


def _cancelled(_: League, event: events.LeagueCancelled) -> EventText:
    return say("league", f"the league is cancelled by the {printable(event.by)}", tail=because(event.reason))


def _deadline(_: League, event: events.DeadlineMoved) -> EventText:
    return say("league", f"registration closes at {event.deadline} now, as the {printable(event.by)} has decided")


def _resumed(_: League, event: events.LeagueResumed) -> EventText:
    del event
    return say("league", "the league resumed")


def _log_agent(role: str, agent: Agent) -> list[LogLine]:
    details = {f"{role}_id": agent.agent_id, "display_name": agent.display_name, "endpoint": agent.endpoint}
    return info(f"{role.upper()}_REGISTERED", **details, dialect=agent.dialect)


def _log_result(league: League, event: events.MatchRecorded) -> list[LogLine]:
    result = event.result
    return [
        *info(
            "MATCH_RESULT_RECEIVED",
            match_id=result.match_id,
            referee_id=result.referee_id,
            status=str(result.status),
            winner_id=result.winner,
            score=dict(result.score),
        ),
        *info(
            "STANDINGS_UPDATED",
            match_id=result.match_id,
            matches_completed=len(league.results),
            leaders=list(league.leaders()),
        ),
    ]


def _log_void(league: League, event: events.MatchVoided) -> list[LogLine]:
    level = "INFO" if event.cause in league.removed.values() else "ERROR"
    return [("MATCH_VOIDED", level, {"match_id": event.match_id, "cause": event.cause})]


EVENTS: Mapping[type, EventRow] = {
    events.LeagueCreated: EventRow(
        _created, lambda league, e: info("LEAGUE_CREATED", league_id=league.league_id, game_type=e.rules.game_type)
    ),
    **LEADERSHIP,
    events.AgentsExpected: EventRow(
        lambda _league, _event: None,
        lambda _, e: info(
            "AGENTS_EXPECTED", by=e.by, names=[f"{agent.role}:{agent.display_name}" for agent in e.agents]
        ),
    ),
    events.RefereeRegistered: EventRow(
        lambda league, e: _registered(league, e.referee, "referee"), lambda _, e: _log_agent("referee", e.referee)
    ),
    events.PlayerEntered: EventRow(_entered, lambda _, e: _log_agent("player", e.player)),
    events.PlayerRegistered: EventRow(_player, lambda _, e: _log_agent("player", e.player)),
    events.RefereeInvited: EventRow(
        lambda _, e: say("referee", f"a referee {printable(e.display_name)!r} is invited"),
        lambda _, e: info("REFEREE_INVITED", display_name=e.display_name),
    ),
    events.InvitationRevoked: EventRow(
        lambda _, e: say("referee", f"the invitation of {printable(e.display_name)!r} was revoked"),
        lambda _, e: info("INVITATION_REVOKED", display_name=e.display_name),
    ),
    events.AgentReturned: EventRow(
        _returned, lambda _, e: info("AGENT_RETURNED", agent_id=e.agent.agent_id, endpoint=e.agent.endpoint)
    ),
    events.PlayerRemoved: EventRow(
        _removed, lambda _, e: warning("PLAYER_REMOVED", player_id=e.player_id, reason=e.reason)
    ),
    events.AgentWithdrew: EventRow(
        _withdrew, lambda _, e: info("AGENT_WITHDREW", agent_id=e.agent_id, reason=e.reason)
    ),
    events.PlayerSatOut: EventRow(
        _sat_out,
        lambda _, e: warning(
            "PLAYER_SITS_OUT", player_id=e.player_id, reason=str(e.reason), detail=e.detail, matches=list(e.matches)
        ),
    ),
    events.PlayerRejoined: EventRow(
        _rejoined, lambda _, e: info("PLAYER_REJOINED", player_id=e.player_id, by=str(e.by), detail=e.detail)
    ),
    events.ScheduleCreated: EventRow(
        _scheduled,
        lambda league, e: info(
            "SCHEDULE_CREATED", total_rounds=league.total_rounds, total_matches=league.total_matches, reason=e.reason
        ),
    ),
    events.LeagueStarted: EventRow(
        _started,
        lambda league, _: info(
            "LEAGUE_STARTED",
            league_id=league.league_id,
            total_players=len(league.players),
            total_rounds=league.total_rounds,
        ),
    ),
    events.RoundPaired: EventRow(
        lambda _league, _event: None,
        lambda _, e: info(
            "ROUND_PAIRED",
            round_id=e.round.round_id,
            title=e.round.title,
            matches_count=len(e.round.fixtures),
            byes=list(e.round.byes),
        ),
    ),
    events.RoundStarted: EventRow(
        _round,
        lambda league, e: info(
            "ROUND_STARTED", round_id=e.round_id, matches_count=len(league.round(e.round_id).fixtures)
        ),
    ),
    events.MatchAssigned: EventRow(
        _assigned,
        lambda _, e: info(
            "MATCH_ASSIGNED",
            match_id=e.match_id,
            referee_id=e.referee_id,
            attempt=e.attempt,
            **({"reason": e.reason} if e.reason else {}),
        ),
    ),
    events.DrawCommitted: EventRow(
        lambda _league, _event: None,
        lambda _, e: info("DRAW_COMMITTED", match_id=e.match_id, attempt=e.attempt, commitment=e.commitment),
    ),
    events.MatchRecorded: EventRow(_recorded, _log_result),
    events.MatchVoided: EventRow(_voided, _log_void),
    events.RoundCompleted: EventRow(
        _round_completed,
        lambda league, e: info(
            "ROUND_COMPLETED", round_id=e.round_id, completed_matches=len(league.round(e.round_id).fixtures)
        ),
    ),
    events.LeagueClosed: EventRow(_closed, lambda _, e: info("LEAGUE_CLOSED", reason=e.reason)),
    events.LeagueCompleted: EventRow(
        _completed,
        lambda league, e: info(
            "LEAGUE_COMPLETED",
            winner_id=e.champions[0] if e.champions else None,
            champions=list(e.champions),
            final_standings=[row.player_id for row in league.standings()],
        ),
    ),
    events.LeagueStopped: EventRow(_stopped, lambda _, e: warning("LEAGUE_STOPPED", reason=e.reason)),
    events.LeagueCancelled: EventRow(_cancelled, lambda _, e: warning("LEAGUE_CANCELLED", reason=e.reason, by=e.by)),
    events.DeadlineMoved: EventRow(_deadline, lambda _, e: info("DEADLINE_MOVED", deadline=e.deadline, by=e.by)),
    events.LeagueResumed: EventRow(_resumed, lambda _, e: info("LEAGUE_RESUMED", reason=e.reason)),
}
