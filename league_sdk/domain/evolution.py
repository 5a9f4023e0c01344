"""The fold of a league from its events.

Only impossible events are refused here; `league.py` decides about commands.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from sys import intern
from typing import Any

from league_sdk.domain import events
from league_sdk.domain.events import Event
from league_sdk.domain.league_state import League
from league_sdk.domain.lifecycles import LEAGUE, RESUMES, LeagueState, LeagueTrigger
from league_sdk.domain.model import Assignment, DepartedResults, Role
from league_sdk.domain.pairings.fixtures import compact
from league_sdk.domain.participants.sitting_out import SittingOut, absences_after
from league_sdk.domain.ranking.standings import Tally, at_fault
from league_sdk.domain.records.epoch import Epoch
from league_sdk.names import name_key


def evolve(league: League | None, event: Event) -> League:
    """The league after an event. `None` is the league before its first one.

    Raises:
        ValueError: The event cannot come first, or comes first a second time.
        InvalidState: The league's state machine does not allow it here.
    """
    if isinstance(event, events.LeagueCreated):
        if league is not None:
            raise ValueError("a league is created once, by its first event")
        return League(event.rules, format_version=event.format_version, operator_digest=event.operator_digest)
    if league is None:
        raise ValueError(f"a league begins with LeagueCreated, not with {type(event).__name__}")
    return _EVOLVERS[type(event)](league, event)


def fold(events: Iterable[Event]) -> League:
    """The league that these events lead to.

    Raises:
        ValueError: There is no event, or the first is not LeagueCreated, or a later one is.
        InvalidState: Their order is impossible.
    """
    league: League | None = None
    for event in events:
        league = evolve(league, event)
    if league is None:
        raise ValueError("a league begins with LeagueCreated, and there is no event at all")
    return league


def _operator_token_changed(league: League, event: events.OperatorTokenChanged) -> League:
    if event.how == "kept":
        return replace(league, operator_digest=event.digest)
    return replace(league, operator_digest=event.digest, unaware=frozenset({*league.players, *league.referees}))


def _run_planned(league: League, event: events.RunPlanned) -> League:
    return replace(league, plan=event.plan)


def _made_read_only(league: League, event: events.MadeReadOnly) -> League:
    return replace(league, read_only=event.reason, older_manager=event.manager)


def _epoch_begun(league: League, event: events.EpochBegun) -> League:
    return replace(league, epoch=Epoch(event.number, event.id), read_only="")


def _agents_expected(league: League, event: events.AgentsExpected) -> League:
    expected = {(agent.role, name_key(agent.display_name)): agent for agent in event.agents}
    return replace(league, expected={**league.expected, **expected})


def _referee_invited(league: League, event: events.RefereeInvited) -> League:
    return replace(league, invited={**league.invited, name_key(event.display_name): event.digest})


def _invitation_revoked(league: League, event: events.InvitationRevoked) -> League:
    key = name_key(event.display_name)
    came = {agent_id for agent_id, agent in league.active_referees.items() if name_key(agent.display_name) == key}
    invited = {name: digest for name, digest in league.invited.items() if name != key}
    return replace(league, invited=invited, revoked=league.revoked | came)


def _referee_registered(league: League, event: events.RefereeRegistered) -> League:
    return replace(league, referees={**league.referees, event.referee.agent_id: event.referee})


def _player_registered(league: League, event: events.PlayerRegistered) -> League:
    return replace(league, players={**league.players, event.player.agent_id: event.player})


def _player_entered(league: League, event: events.PlayerEntered) -> League:
    player_id, tally = event.player.agent_id, league.tally
    for _ in range(league.rounds_completed if event.bye_points == "draw" else 0):
        tally = tally.add_byes((player_id,), league.rules.scoring.draw)
    return replace(
        _player_registered(league, event),
        entered={**league.entered, player_id: event.bye_points},
        missed={**league.missed, player_id: len(league.rounds)},
        tally=tally,
    )


def _agent_returned(league: League, event: events.AgentReturned) -> League:
    agent_id = event.agent.agent_id
    agents = {**league.agents(event.agent.role), agent_id: event.agent}
    returns = {**league.returns, agent_id: league.returns.get(agent_id, 0) + 1}
    league = replace(league, returns=returns, unaware=league.unaware - {agent_id})
    if event.agent.role is Role.REFEREE:
        return replace(league, referees=agents)
    return replace(league, players=agents)


def _player_removed(league: League, event: events.PlayerRemoved) -> League:
    return _without(league, event.player_id, event.cause)


def _agent_withdrew(league: League, event: events.AgentWithdrew) -> League:
    league = replace(league, withdrew={**league.withdrew, event.agent_id: league.rounds_started})
    return league if event.agent_id in league.referees else _without(league, event.agent_id, event.cause)


def _without(league: League, player_id: str, cause: str) -> League:
    player, removed = league.player(player_id), {**league.removed, player_id: cause}
    sitting_out = {agent_id: state for agent_id, state in league.sitting_out.items() if agent_id != player_id}
    league = replace(league, sitting_out=sitting_out) if player_id in league.sitting_out else league
    if league.scheduled:
        left_after = {**league.left_after, player_id: len(league.rounds)}
        return _expunge(replace(league, removed=removed, left_after=left_after), player_id)
    players = {agent_id: agent for agent_id, agent in league.players.items() if agent_id != player_id}
    return replace(league, players=players, removed=removed, dismissed={**league.dismissed, player_id: player})


def _expunge(league: League, player_id: str) -> League:
    """The league without the results of a player that left early, by its rules."""
    own = [match.match_id for each in league.rounds for match in each.fixtures if player_id in match.players]
    decided = sum(match_id in league.results for match_id in own)
    enough = 2 * decided >= sum(match_id not in league.voided for match_id in own)
    if enough or league.rules.departed_results is DepartedResults.KEEP:
        return league
    league, tally = replace(league, expunged=league.expunged | {player_id}), Tally()
    for result in league.results.values():
        tally = tally.add(result) if league.counts(result.players) else tally
    return replace(league, tally=tally)


def _player_sat_out(league: League, event: events.PlayerSatOut) -> League:
    state = SittingOut(event.reason, event.detail, league.rounds_started)
    return replace(league, sitting_out={**league.sitting_out, event.player_id: state})


def _player_rejoined(league: League, event: events.PlayerRejoined) -> League:
    sitting_out = {agent_id: state for agent_id, state in league.sitting_out.items() if agent_id != event.player_id}
    return replace(league, sitting_out=sitting_out)


def _schedule_created(league: League, event: events.ScheduleCreated) -> League:
    state = LEAGUE.next(league.state, LeagueTrigger.CLOSE_REGISTRATION)
    rounds = tuple(map(compact, event.rounds))
    return replace(
        league, state=state, rounds=rounds, closing_reason=event.reason, expected_rounds=event.expected_rounds
    )


def _round_paired(league: League, event: events.RoundPaired) -> League:
    before, added = len(league.rounds), event.round
    there = {*added.byes, *(player for fixture in added.fixtures for player in fixture.players)}
    # A player that entered while the round was being paired is not in it; one that has left misses no more.
    there |= league.removed.keys()
    waiting = {p: before + 1 for p, missed in league.missed.items() if missed == before and p not in there}
    missed = {**league.missed, **waiting} if waiting else league.missed
    return replace(league, rounds=(*league.rounds, compact(added)), missed=missed)


def _league_started(league: League, _event: events.LeagueStarted) -> League:
    return replace(league, state=LEAGUE.next(league.state, LeagueTrigger.START))


def _round_started(league: League, event: events.RoundStarted) -> League:
    return replace(league, rounds_started=event.round_id)


def _match_assigned(league: League, event: events.MatchAssigned) -> League:
    assignment = Assignment(intern(event.match_id), intern(event.referee_id), event.attempt)
    replays = league.replays
    if event.attempt > 1:
        replays = {**replays, assignment.match_id: event.attempt - 1}
    return replace(league, assignments=league.assignments.set(assignment.match_id, assignment), replays=replays)


def _draw_committed(league: League, event: events.DrawCommitted) -> League:
    committed = replace(league.assignments[event.match_id], commitment=event.commitment)
    return replace(league, assignments=league.assignments.set(committed.match_id, committed))


def _match_recorded(league: League, event: events.MatchRecorded) -> League:
    result = event.result
    tally = league.tally.add(result) if league.counts(result.players) else league.tally
    absences = absences_after(league.absences, result)
    there = set[str]() if result.not_played else {*result.players} - at_fault(result)
    return replace(
        league,
        results=league.results.set(result.match_id, result),
        tally=tally,
        absences=absences,
        have_played=league.have_played if league.have_played >= there else league.have_played | there,
    )


def _match_voided(league: League, event: events.MatchVoided) -> League:
    return replace(league, voided=league.voided.set(event.match_id, event.cause))


def _round_completed(league: League, event: events.RoundCompleted) -> League:
    tally = league.with_byes(league.tally, event.round_id)
    return replace(
        league,
        rounds_completed=event.round_id,
        tally=tally,
        rankings=(*league.rankings, event.ranking),
        ranking=event.ranking,
        advanced=league.advanced + event.advanced,
    )


def _league_closed(league: League, _event: events.LeagueClosed) -> League:
    return replace(league, closed=True)


def _league_completed(league: League, event: events.LeagueCompleted) -> League:
    state = LEAGUE.next(league.state, LeagueTrigger.COMPLETE)
    advanced = league.advanced + event.advanced
    return replace(league, state=state, champions=event.champions, ranking=event.ranking, advanced=advanced)


def _league_stopped(league: League, event: events.LeagueStopped) -> League:
    state = LEAGUE.next(league.state, LeagueTrigger.STOP)
    return replace(league, state=state, stopped_in=league.state, stop_reason=event.reason)


def _league_cancelled(league: League, event: events.LeagueCancelled) -> League:
    reason = f"cancelled by the {event.by}" + (f": {event.reason}" if event.reason else "")
    stopped_in = league.stopped_in or league.state
    return replace(league, state=LeagueState.STOPPED, stopped_in=stopped_in, stop_reason=reason, cancelled=True)


def _deadline_moved(league: League, event: events.DeadlineMoved) -> League:
    return replace(league, rules=replace(league.rules, registration_deadline=event.deadline))


def _league_resumed(league: League, _event: events.LeagueResumed) -> League:
    state = LEAGUE.next(league.state, RESUMES[league.stopped_in or league.state])
    return replace(league, state=state, stopped_in=None, stop_reason="")


_EVOLVERS: Mapping[type, Callable[[League, Any], League]] = {
    events.OperatorTokenChanged: _operator_token_changed,
    events.RunPlanned: _run_planned,
    events.MadeReadOnly: _made_read_only,
    events.EpochBegun: _epoch_begun,
    events.AgentsExpected: _agents_expected,
    events.RefereeInvited: _referee_invited,
    events.InvitationRevoked: _invitation_revoked,
    events.DeadlineMoved: _deadline_moved,
    events.RefereeRegistered: _referee_registered,
    events.PlayerRegistered: _player_registered,
    events.PlayerEntered: _player_entered,
    events.AgentReturned: _agent_returned,
    events.PlayerRemoved: _player_removed,
    events.AgentWithdrew: _agent_withdrew,
    events.PlayerSatOut: _player_sat_out,
    events.PlayerRejoined: _player_rejoined,
    events.ScheduleCreated: _schedule_created,
    events.RoundPaired: _round_paired,
    events.LeagueStarted: _league_started,
    events.RoundStarted: _round_started,
    events.MatchAssigned: _match_assigned,
    events.DrawCommitted: _draw_committed,
    events.MatchRecorded: _match_recorded,
    events.MatchVoided: _match_voided,
    events.RoundCompleted: _round_completed,
    events.LeagueClosed: _league_closed,
    events.LeagueCompleted: _league_completed,
    events.LeagueStopped: _league_stopped,
    events.LeagueCancelled: _league_cancelled,
    events.LeagueResumed: _league_resumed,
}
