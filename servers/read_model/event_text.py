"""The text of every event: for the feed, the terminal and the league log."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from league_sdk.dialect import MCP, V2, Dialect, parse_dialect
from league_sdk.domain import events
from league_sdk.domain.events import Event
from league_sdk.domain.league import League
from league_sdk.domain.model import Agent, MatchResult, ResultStatus
from league_sdk.names import game_name
from league_sdk.tournament import Advanced, TieDecision
from servers.agent.manager_lock import PAUSED
from servers.read_model.series_text import series_text
from servers.read_model.text import count, printable

USUAL = str(Dialect(MCP, V2))
"""The dialect that is not worth a word."""


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A part of a sentence."""

    text: str  # the words; where it names an agent, a name that the agent gave itself
    agent_id: str = ""  # the agent that it names, or empty
    match_id: str = ""  # the match that it names, or empty
    linked: bool = False  # whether the agent has a page
    by_agent: bool = False  # whether an agent wrote it


@dataclass(frozen=True, slots=True)
class EventText:
    """The text of an event."""

    kind: str  # `league`, `player`, `referee`, `round`, `win`, `draw`, `technical`, `again` or `void`
    # a sentence for everybody, without a capital at its beginning and a full stop at its end
    spans: tuple[TextSpan, ...]
    tail: str = ""  # its end for the operator: may quote addresses

    @property
    def line(self) -> str:
        """The line for a terminal: with the ids of agents, and the tail."""
        parts = (f"{span.text} ({span.agent_id})" if span.by_agent else span.text for span in self.spans)
        return f"{''.join(parts)}{self.tail}"

    @property
    def sentence(self) -> tuple[TextSpan, ...]:
        first, *others = self.spans
        plain = not (first.by_agent or first.match_id)
        opening = replace(first, text=first.text[:1].upper() + first.text[1:]) if plain else first
        return (opening, *others, TextSpan("."))


LogLine: TypeAlias = tuple[str, str, dict[str, Any]]
"""A line of the league log: event type, level and details."""


def event_text(league: League, event: Event) -> EventText | None:
    return EVENTS[type(event)].text(league, event)


def log_lines(league: League, event: Event) -> list[LogLine]:
    """The lines of an event in the league log."""
    return EVENTS[type(event)].log(league, event)


def result_line(league: League, result: MatchResult) -> str:
    """The line of a match's end at a terminal."""
    return _result(league, result).line


def _say(kind: str, *parts: TextSpan | str, tail: str = "") -> EventText:
    return EventText(kind, tuple(TextSpan(part) if isinstance(part, str) else part for part in parts), tail)


def _because(reason: str) -> str:
    return f": {printable(reason, 200)}" if reason else ""


def _agent(league: League, agent_id: str) -> TextSpan:
    agent = league.players.get(agent_id) or league.referees.get(agent_id) or league.dismissed.get(agent_id)
    if agent is None:
        return TextSpan(agent_id, agent_id, linked=False)
    return TextSpan(printable(agent.display_name), agent_id, linked=agent_id in league.players, by_agent=True)


def _match(match_id: str) -> TextSpan:
    return TextSpan(match_id, match_id=match_id)


def _created(_: League, event: events.LeagueCreated) -> EventText:
    rules = event.rules
    players = count(rules.expected_players, "player") if rules.expected_players else "players"
    waiting = f"waiting for {players} and {count(rules.expected_referees, 'referee')}"
    until = f" until {rules.registration_deadline}" if rules.registration_deadline else ""
    open_now = f"league {rules.league_id} is open for registration{until}"
    return _say("league", open_now, tail=f": {game_name(rules.game_type)}, {waiting}")


def _registered(league: League, agent: Agent, role: str, tail: str = "") -> EventText:
    unusual = parse_dialect(agent.dialect).certain_wire and agent.dialect != USUAL
    spoken = f", speaking {printable(agent.dialect)}" if unusual else ""
    hosted = ", at a hosted seat" if agent.hosted else ""
    return _say(role, _agent(league, agent.agent_id), f" registered as {role}", tail=f"{hosted}{spoken}{tail}")


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
    return _say("player" if agent_id in league.players else "referee", _agent(league, agent_id), " is back")


def _removed(league: League, event: events.PlayerRemoved) -> EventText:
    """The void matches are told with it, rather than one by one."""
    number = sum(cause == event.cause for cause in league.voided.values())
    number += sum(1 for _ in league.open_matches(event.player_id))  # void with the next records
    void = f"; {count(number, 'match')} {'is' if number == 1 else 'are'} void" if number else ""
    told = f" was removed by the operator{_because(event.reason)}{void}"
    return _say("player", _agent(league, event.player_id), told)


def _withdrew(league: League, event: events.AgentWithdrew) -> EventText:
    """The matches lost by it are told with it, rather than one by one."""
    if event.agent_id in league.referees:
        told = f" withdrew{_because(event.reason)}; it gets no new match"
        return _say("referee", _agent(league, event.agent_id), told)
    number = sum(not result.referee_id and result.reason == event.cause for result in league.results.values())
    number += sum(1 for _ in league.open_matches(event.agent_id))  # lost with the next records
    lost = f"; {count(number, 'match')} {'is' if number == 1 else 'are'} lost by default" if number else ""
    return _say("player", _agent(league, event.agent_id), f" withdrew{_because(event.reason)}{lost}")


def _scheduled(league: League, _: events.ScheduleCreated) -> EventText:
    if league.endless:
        return _say("league", "schedule: rounds until the operator closes the league")
    if league.expected_rounds:
        return _say("league", f"schedule: {count(league.total_rounds, 'round')}, paired one by one")
    return _say("league", f"schedule: {count(league.total_rounds, 'round')}, {count(league.total_matches, 'match')}")


def _started(league: League, _: events.LeagueStarted) -> EventText:
    agents = f"{count(len(league.players), 'player')} and {count(len(league.referees), 'referee')}"
    return _say("league", "the league started", tail=f" with {agents}")


def _round(league: League, event: events.RoundStarted) -> EventText:
    scheduled = league.round(event.round_id)
    coming = [fixture for fixture in scheduled.fixtures if not league.by_default(fixture.match_id)]
    pairs = ", ".join(f"{fixture.match_id} {'-'.join(fixture.players)}" for fixture in coming[:10]) or "no match"
    more = f" and {len(coming) - 10} more" if len(coming) > 10 else ""
    byes = f"; bye: {', '.join(scheduled.byes)}" if scheduled.byes else ""
    title = f" ({scheduled.title})" if scheduled.title else ""
    started = f"{_numbered(league, event.round_id)}{title} started"
    return _say("round", started, tail=f": {pairs}{more}{byes}")


def _round_completed(league: League, event: events.RoundCompleted) -> EventText:
    top = [f"{row.rank}. {printable(row.display_name)} {row.points}" for row in league.standings()[:4]]
    complete = f"{_numbered(league, event.round_id)} complete"
    return _say("round", complete, *_advanced(league, event.advanced), tail=f": {', '.join(top)}")


def _advanced(league: League, advanced: Sequence[Advanced]) -> list[str | TextSpan]:
    """The players that neither matches nor walkovers let advance, and why."""
    told: list[str | TextSpan] = []
    for each in advanced:
        why = "by lots" if each.by == TieDecision.LOTS else "as the higher seed"
        told += ["; ", _agent(league, each.player_id), " advances over ", _agent(league, each.over), f" {why}"]
    return told


def _numbered(league: League, round_id: int) -> str:
    return f"round {round_id}" + ("" if league.goes_on else f" of {league.total_rounds}")


def _assigned(league: League, event: events.MatchAssigned) -> EventText | None:
    if event.attempt == 1:
        return None
    referee = _agent(league, event.referee_id)
    return _say("again", _match(event.match_id), " is played again by ", referee, tail=_because(event.reason))


def _recorded(league: League, event: events.MatchRecorded) -> EventText | None:
    return _result(league, event.result) if event.result.referee_id else None


def _result(league: League, result: MatchResult) -> EventText:
    if result.places:
        return _placed(league, result)
    ordered = sorted(result.players, key=lambda player: player != result.winner)
    first, second = (_agent(league, player) for player in ordered)
    match, why, of = _match(result.match_id), _because(result.reason), series_text(league, result, ordered)
    if result.status is ResultStatus.WIN:
        return _say("win", match, ": ", first, " beat ", second, *of, tail=why)
    if result.status is ResultStatus.DRAW:
        return _say("draw", match, ": ", first, " drew with ", second, *of, tail=why)
    if result.winner is None:
        return _say("technical", match, ": ", first, " and ", second, " both lost technically", *of, tail=why)
    return _say("technical", match, ": ", first, " won by technical loss of ", second, *of, tail=why)


def _placed(league: League, result: MatchResult) -> EventText:
    """A match of three or more: everybody with its place, the best first."""
    kind = {ResultStatus.WIN: "win", ResultStatus.DRAW: "draw"}.get(result.status, "technical")
    parts: list[Any] = [_match(result.match_id), ": "]
    for number, (player, place) in enumerate(sorted(result.places.items(), key=lambda each: each[1])):
        parts += [f"{', ' * bool(number)}{place}. ", _agent(league, player)]
    return _say(kind, *parts, tail=_because(result.reason))


def _voided(league: League, event: events.MatchVoided) -> EventText | None:
    if event.cause in league.removed.values():
        return None
    return _say("void", _match(event.match_id), " is void", tail=_because(event.cause))


def _closed(_: League, event: events.LeagueClosed) -> EventText:
    return _say("league", "no further round is paired", tail=_because(event.reason))


def _completed(league: League, event: events.LeagueCompleted) -> EventText:
    title = "champion" if len(event.champions) == 1 else "champions"
    named = [part for champion in event.champions for part in (TextSpan(", "), _agent(league, champion))][1:]
    return _say("league", f"the league is complete; {title}: ", *named, *_advanced(league, event.advanced))


def _stopped(_: League, event: events.LeagueStopped) -> EventText:
    if event.reason == PAUSED:
        return _say("league", "the league is paused")
    return _say("league", "the league is stopped", tail=_because(event.reason))


def _resumed(_: League, event: events.LeagueResumed) -> EventText:
    del event
    return _say("league", "the league resumed")


def _info(event_type: str, **details: Any) -> list[LogLine]:
    return [(event_type, "INFO", details)]


def _warning(event_type: str, **details: Any) -> list[LogLine]:
    return [(event_type, "WARNING", details)]


def _log_agent(role: str, agent: Agent) -> list[LogLine]:
    details = {f"{role}_id": agent.agent_id, "display_name": agent.display_name, "endpoint": agent.endpoint}
    return _info(f"{role.upper()}_REGISTERED", **details, dialect=agent.dialect)


def _log_result(league: League, event: events.MatchRecorded) -> list[LogLine]:
    result = event.result
    return [
        *_info(
            "MATCH_RESULT_RECEIVED",
            match_id=result.match_id,
            referee_id=result.referee_id,
            status=str(result.status),
            winner_id=result.winner,
            score=dict(result.score),
        ),
        *_info(
            "STANDINGS_UPDATED",
            match_id=result.match_id,
            matches_completed=len(league.results),
            leaders=list(league.leaders()),
        ),
    ]


def _log_void(league: League, event: events.MatchVoided) -> list[LogLine]:
    level = "INFO" if event.cause in league.removed.values() else "ERROR"
    return [("MATCH_VOIDED", level, {"match_id": event.match_id, "cause": event.cause})]


@dataclass(frozen=True, slots=True)
class _Row:
    """One kind of event: its text, and its lines of the league log."""

    text: Callable[[League, Any], EventText | None]
    log: Callable[[League, Any], list[LogLine]]


EVENTS: Mapping[type, _Row] = {
    events.LeagueCreated: _Row(
        _created, lambda league, e: _info("LEAGUE_CREATED", league_id=league.league_id, game_type=e.rules.game_type)
    ),
    events.AgentsExpected: _Row(
        lambda _league, _event: None,
        lambda _, e: _info(
            "AGENTS_EXPECTED", by=e.by, names=[f"{agent.role}:{agent.display_name}" for agent in e.agents]
        ),
    ),
    events.RefereeRegistered: _Row(
        lambda league, e: _registered(league, e.referee, "referee"), lambda _, e: _log_agent("referee", e.referee)
    ),
    events.PlayerEntered: _Row(_entered, lambda _, e: _log_agent("player", e.player)),
    events.PlayerRegistered: _Row(_player, lambda _, e: _log_agent("player", e.player)),
    events.AgentReturned: _Row(
        _returned, lambda _, e: _info("AGENT_RETURNED", agent_id=e.agent.agent_id, endpoint=e.agent.endpoint)
    ),
    events.PlayerRemoved: _Row(
        _removed, lambda _, e: _warning("PLAYER_REMOVED", player_id=e.player_id, reason=e.reason)
    ),
    events.AgentWithdrew: _Row(_withdrew, lambda _, e: _info("AGENT_WITHDREW", agent_id=e.agent_id, reason=e.reason)),
    events.ScheduleCreated: _Row(
        _scheduled,
        lambda league, e: _info(
            "SCHEDULE_CREATED", total_rounds=league.total_rounds, total_matches=league.total_matches, reason=e.reason
        ),
    ),
    events.LeagueStarted: _Row(
        _started,
        lambda league, _: _info(
            "LEAGUE_STARTED",
            league_id=league.league_id,
            total_players=len(league.players),
            total_rounds=league.total_rounds,
        ),
    ),
    events.RoundPaired: _Row(
        lambda _league, _event: None,
        lambda _, e: _info(
            "ROUND_PAIRED",
            round_id=e.round.round_id,
            title=e.round.title,
            matches_count=len(e.round.fixtures),
            byes=list(e.round.byes),
        ),
    ),
    events.RoundStarted: _Row(
        _round,
        lambda league, e: _info(
            "ROUND_STARTED", round_id=e.round_id, matches_count=len(league.round(e.round_id).fixtures)
        ),
    ),
    events.MatchAssigned: _Row(
        _assigned,
        lambda _, e: _info(
            "MATCH_ASSIGNED",
            match_id=e.match_id,
            referee_id=e.referee_id,
            attempt=e.attempt,
            **({"reason": e.reason} if e.reason else {}),
        ),
    ),
    events.MatchRecorded: _Row(_recorded, _log_result),
    events.MatchVoided: _Row(_voided, _log_void),
    events.RoundCompleted: _Row(
        _round_completed,
        lambda league, e: _info(
            "ROUND_COMPLETED", round_id=e.round_id, completed_matches=len(league.round(e.round_id).fixtures)
        ),
    ),
    events.LeagueClosed: _Row(_closed, lambda _, e: _info("LEAGUE_CLOSED", reason=e.reason)),
    events.LeagueCompleted: _Row(
        _completed,
        lambda league, e: _info(
            "LEAGUE_COMPLETED",
            winner_id=e.champions[0],
            champions=list(e.champions),
            final_standings=[row.player_id for row in league.standings()],
        ),
    ),
    events.LeagueStopped: _Row(_stopped, lambda _, e: _warning("LEAGUE_STOPPED", reason=e.reason)),
    events.LeagueResumed: _Row(_resumed, lambda _, e: _info("LEAGUE_RESUMED", reason=e.reason)),
}
