"""The rules of a league: `decide` turns a command into events, or refuses it.

`decide` only looks; `evolve` changes, and never refuses a decided event. The owner of a league appends the events to
the store first, and then applies them:

    events = decide(league, command)
    ...append...
    for event in events: league = evolve(league, event)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from league_sdk.domain import commands, events
from league_sdk.domain.checks import check_result, check_rules, require
from league_sdk.domain.commands import Command
from league_sdk.domain.decisions.departures import remove_player, withdraw_agent
from league_sdk.domain.decisions.entries import enter_player, expect_agents, register_player, register_referee
from league_sdk.domain.decisions.forfeits import absentees, forfeit_match, rejoin, sit_out
from league_sdk.domain.decisions.invitations import invite_referee, revoke_invitation
from league_sdk.domain.decisions.leadership import (
    begin_epoch,
    change_operator_token,
    check_writable,
    keep_plan,
    make_read_only,
    not_complete,
)
from league_sdk.domain.decisions.operator_orders import cancel_league, move_deadline
from league_sdk.domain.decisions.result_summary import fingerprint
from league_sdk.domain.events import Event
from league_sdk.domain.evolution import evolve, fold
from league_sdk.domain.league_state import League
from league_sdk.domain.lifecycles import LEAGUE, RESUMES, LeagueState, LeagueTrigger
from league_sdk.domain.model import DepartedResults, Fixture
from league_sdk.domain.pairings.schedule import as_round, continues, round_robin
from league_sdk.domain.progress import NEEDS_SCHEDULE, OVERLAP_NEEDS_SCHEDULE
from league_sdk.domain.ranking.standings import id_order
from league_sdk.errors import (
    AuthTokenInvalid,
    DuplicateReport,
    InvalidState,
    LeagueNotFound,
    LeagueNotStarted,
    MatchNotFound,
)
from league_sdk.tournament import Advanced

__all__ = ["League", "decide", "evolve", "fold"]

_SETTLED = ("schedule", "bracket")
"""Bases of pairings that don't choose who meets: those that sit out are in them, and their matches are not played."""
_NOT_STARTED = (LeagueState.WAITING_FOR_REGISTRATIONS, LeagueState.SCHEDULED)


def decide(league: League | None, command: Command) -> tuple[Event, ...]:
    """The events that a command causes; none if it has been carried out already.

    `league` is None before it is created. Raises a LeagueError if the league refuses; each command below lists its
    errors.
    """
    if isinstance(command, commands.CreateLeague):
        if league is not None:
            raise InvalidState(f"league {league.league_id} exists already", state=str(league.state))
        check_rules(command.rules)
        return (events.LeagueCreated(command.rules, operator_digest=command.operator_digest),)
    if league is None:
        raise LeagueNotFound("there is no league yet")
    check_writable(league, command)
    return _DECIDERS[type(command)](league, command)


def _return_agent(league: League, command: commands.ReturnAgent) -> tuple[Event, ...]:
    """PlayerNotRegistered, RefereeNotRegistered; AuthTokenInvalid: it has left."""
    if command.agent_id in league.removed:
        raise AuthTokenInvalid(league.removed[command.agent_id], player_id=command.agent_id)
    if command.agent_id in league.withdrew:
        raise AuthTokenInvalid(f"{command.agent_id} withdrew", referee_id=command.agent_id)
    referee = command.agent_id.startswith("REF")
    agent = league.referee(command.agent_id) if referee else league.player(command.agent_id)
    returned = replace(
        agent,
        token_digest=command.token_digest,
        endpoint=command.endpoint,
        dialect=command.dialect or agent.dialect,
        instance_id=command.instance_id or agent.instance_id,
        card=command.card or agent.card,
    )
    renew = command.renew or command.agent_id in league.unaware
    return (events.AgentReturned(returned),) if renew or returned != agent else ()


def _close_registration(league: League, command: commands.CloseRegistration) -> tuple[Event, ...]:
    """InvalidState: too few agents, closed already, or no quorum for that reason."""
    LEAGUE.next(league.state, LeagueTrigger.CLOSE_REGISTRATION)
    require(command.reason in ("quorum", "operator", "timeout"), "reason", command.reason, "quorum, operator, timeout")
    referees = len(league.active_referees)
    missing = len(league.players) < league.rules.min_players or not referees
    if missing or (command.reason == "quorum" and not league.quorum()):
        raise InvalidState(
            f"{len(league.players)} players and {referees} referees are too few",
            players=len(league.players),
            min_players=league.rules.min_players,
            expected_players=league.rules.expected_players,
            referees=referees,
            expected_referees=league.rules.expected_referees,
        )
    settled = command.rounds is not None or not command.expected_rounds
    if league.rules.departed_results is not DepartedResults.KEEP and not settled:
        raise InvalidState(f"the league cannot start: {NEEDS_SCHEDULE}")
    if league.rules.overlapping_rounds and not settled:
        raise InvalidState(f"the league cannot start: {OVERLAP_NEEDS_SCHEDULE}")
    if command.rounds is None and not command.expected_rounds:
        return (events.ScheduleCreated(round_robin(sorted(league.players, key=id_order)), command.reason),)
    rounds = tuple(as_round(number, paired) for number, paired in enumerate(command.rounds or (), start=1))
    return (events.ScheduleCreated(rounds, command.reason, 0 if rounds else command.expected_rounds),)


def _start_league(league: League, _command: commands.StartLeague) -> tuple[Event, ...]:
    """InvalidState, LeagueAlreadyComplete."""
    _move(league, LeagueTrigger.START)
    return (events.LeagueStarted(),)


def _pair_round(league: League, command: commands.PairRound) -> tuple[Event, ...]:
    """As `_start_round`; InvalidField: a player cannot be in it."""
    _running(league)
    if league.closed:
        raise InvalidState("the league is closed: it has no further round", rounds=len(league.rounds))
    if league.rounds_completed < len(league.rounds):
        raise InvalidState(
            f"round {league.rounds_completed + 1} is paired already",
            completed=league.rounds_completed,
            rounds=len(league.rounds),
        )
    paired = command.paired
    seated = [player for seats in paired.pairings for player in seats]
    busy = [*seated, *paired.byes]
    require(bool(seated), "pairings", [], "one match or more")
    require(len(set(busy)) == len(busy), "pairings", busy, "every player once at the most")
    require(set(league.staying()).issuperset(busy), "pairings", busy, "players of the league that have not left")
    if paired.paired_by not in _SETTLED and paired.game < 2:
        require(league.sitting_out.keys().isdisjoint(busy), "pairings", busy, "players that don't sit out")
    require(continues(league.rounds, paired), "game", paired.game, "the next match of pairs of the round before")
    return (events.RoundPaired(as_round(len(league.rounds) + 1, paired)),)


def _start_round(league: League, command: commands.StartRound) -> tuple[Event, ...]:
    """LeagueNotStarted, LeagueAlreadyComplete; InvalidState: it is not the next one."""
    _running(league)
    upcoming = league.rounds_started + 1
    waits = league.current_round is not None and not league.rules.overlapping_rounds
    if waits or command.round_id != upcoming or upcoming > len(league.rounds):
        raise InvalidState(
            f"round {command.round_id} cannot start now",
            round_id=command.round_id,
            under_way=league.current_round,
            completed=league.rounds_completed,
            rounds=len(league.rounds),
        )
    return (events.RoundStarted(command.round_id),)


def _assign_match(league: League, command: commands.AssignMatch) -> tuple[Event, ...]:
    """MatchNotFound, RefereeNotRegistered; InvalidState: not open, no attempt left."""
    fixture = _open_match(league, command.match_id)
    if sitting := league.sits_out(fixture):
        raise InvalidState(f"{command.match_id} is not played: {', '.join(sitting)} sits out", sitting_out=[*sitting])
    league.referee(command.referee_id)
    if command.referee_id in league.withdrew:
        raise InvalidState(f"{command.referee_id} withdrew", referee_id=command.referee_id)
    attempt = league.attempt(command.match_id) + 1
    if attempt > league.most_attempts:
        raise InvalidState(
            f"{command.match_id} was tried {league.most_attempts} times already: make it void",
            match_id=command.match_id,
            max_attempts=league.most_attempts,
        )
    return (events.MatchAssigned(command.match_id, command.referee_id, attempt, command.reason),)


def _commit_draw(league: League, command: commands.CommitDraw) -> tuple[Event, ...]:
    """MatchNotFound; InvalidState: not open, or another draw was committed to."""
    _open_match(league, command.match_id)
    given = league.assignments.get(command.match_id)
    if given is None or given.attempt != command.attempt:
        raise MatchNotFound(
            f"{command.match_id} is not assigned in attempt {command.attempt}",
            match_id=command.match_id,
            attempt=command.attempt,
        )
    if given.commitment == command.commitment or league.format_version < 2:
        return ()
    if given.commitment:
        raise InvalidState(f"{given.referee_id} has committed to another draw", match_id=command.match_id)
    return (events.DrawCommitted(command.match_id, command.attempt, command.commitment),)


def _record_result(league: League, command: commands.RecordResult) -> tuple[Event, ...]:
    """MatchNotFound, DuplicateReport, InvalidField, InvalidState.

    MatchNotFound also for a match that is not this referee's current attempt. A void match takes no result. A stopped
    league still takes the results of matches that were under way: they have happened.
    """
    result = command.result
    fixture = league.fixture(result.match_id)
    assignment = league.assignments.get(result.match_id)
    if assignment is None or (assignment.referee_id, assignment.attempt) != (result.referee_id, result.attempt):
        raise MatchNotFound(
            f"{result.match_id} is not assigned to {result.referee_id} in attempt {result.attempt}",
            match_id=result.match_id,
            attempt=result.attempt,
        )
    recorded = league.results.get(result.match_id)
    if recorded is not None and not recorded.referee_id:
        raise InvalidState(f"{result.match_id} is decided: {recorded.reason}", match_id=result.match_id)
    if recorded is not None:
        if fingerprint(recorded) == fingerprint(result):
            return ()
        raise DuplicateReport(
            f"{result.match_id} has another result already", match_id=result.match_id, winner=recorded.winner
        )
    if result.match_id in league.voided:
        raise InvalidState(f"{result.match_id} is void", match_id=result.match_id, cause=league.voided[result.match_id])
    check_result(result, fixture, league.rules.scoring)
    return (events.MatchRecorded(result), *absentees(league, result))


def _forfeit_match(league: League, command: commands.ForfeitMatch) -> tuple[Event, ...]:
    """MatchNotFound; InvalidState: not open, or nobody of it sits out."""
    return forfeit_match(league, _open_match(league, command.match_id), command)


def _void_match(league: League, command: commands.VoidMatch) -> tuple[Event, ...]:
    """MatchNotFound; InvalidField: no cause; InvalidState: not open in this round."""
    _open_match(league, command.match_id)
    require(bool(command.cause), "cause", command.cause, "a reason")
    return (events.MatchVoided(command.match_id, command.cause),)


def _complete_round(league: League, command: commands.CompleteRound) -> tuple[Event, ...]:
    """InvalidField: its ranking; InvalidState: not under way, or a match is open."""
    _running(league)
    if command.round_id not in league.open_rounds[:1]:
        raise InvalidState(
            f"round {command.round_id} is not under way", round_id=command.round_id, under_way=league.current_round
        )
    unfinished = [fixture.match_id for fixture in league.unfinished(command.round_id)]
    if unfinished:
        raise InvalidState(f"{len(unfinished)} matches of round {command.round_id} are open", unfinished=unfinished)
    ranked = [player for group in command.ranking for player in group]
    known = len(set(ranked)) == len(ranked) and league.players.keys() >= set(ranked)
    require(known, "ranking", ranked, "every player once at the most")
    return (events.RoundCompleted(command.round_id, command.ranking, _newly(league, command.advanced)),)


def _complete_league(league: League, command: commands.CompleteLeague) -> tuple[Event, ...]:
    """InvalidState: a round is not complete, or it is endless and was not closed."""
    _running(league)
    if league.goes_on:
        raise InvalidState("the league has no last round: close it first", completed=league.rounds_completed)
    if league.rounds_completed < len(league.rounds):
        raise InvalidState(
            f"{league.rounds_completed} of {len(league.rounds)} rounds are complete",
            completed=league.rounds_completed,
            rounds=len(league.rounds),
        )
    if not command.ranking:
        return (events.LeagueCompleted(league.winners() if league.played else ()),)
    ranked = [player for group in command.ranking for player in group]
    require(sorted(ranked) == sorted(league.players), "ranking", ranked, "every player once")
    best = next(group for group in command.ranking if not league.removed.keys() >= set(group))
    champions = tuple(player for player in best if player not in league.removed and league.played)
    return (events.LeagueCompleted(champions, command.ranking, _newly(league, command.advanced)),)


def _newly(league: League, advanced: Sequence[Advanced]) -> tuple[Advanced, ...]:
    """Those that no record tells of yet."""
    return tuple(each for each in advanced if each not in league.advanced)


def _close_league(league: League, command: commands.CloseLeague) -> tuple[Event, ...]:
    """LeagueNotStarted, LeagueAlreadyComplete; InvalidState: not endless, stopped."""
    _running(league)
    if not league.endless:
        raise InvalidState(
            f"the league ends by itself after round {league.total_rounds}; only one without a last round is closed",
            total_rounds=league.total_rounds,
        )
    return () if league.closed else (events.LeagueClosed(command.reason, len(league.rounds)),)


def _stop_league(league: League, command: commands.StopLeague) -> tuple[Event, ...]:
    """LeagueAlreadyComplete; InvalidState: it is stopped already."""
    _move(league, LeagueTrigger.STOP)
    return (events.LeagueStopped(command.reason),)


def _resume_league(league: League, command: commands.ResumeLeague) -> tuple[Event, ...]:
    """LeagueAlreadyComplete; InvalidState: it was cancelled."""
    not_complete(league)
    if league.cancelled:
        raise InvalidState(f"league {league.league_id} was cancelled: start a new one", state=str(league.state))
    _move(league, RESUMES[league.stopped_in or league.state])
    return (events.LeagueResumed(command.reason),)


def _move(league: League, trigger: LeagueTrigger) -> None:
    not_complete(league)
    LEAGUE.next(league.state, trigger)


def _running(league: League) -> None:
    not_complete(league)
    if league.state in _NOT_STARTED:
        raise LeagueNotStarted(f"league {league.league_id} has not started", state=str(league.state))
    if league.state is LeagueState.STOPPED:
        raise InvalidState(f"league {league.league_id} is stopped: resume it first", state=str(league.state))


def _open_match(league: League, match_id: str) -> Fixture:
    """A match of an open round that is still undecided."""
    _running(league)
    fixture = league.fixture(match_id)
    if fixture.round_id not in league.open_rounds or league.decided(match_id):
        raise InvalidState(
            f"{match_id} is not open",
            match_id=match_id,
            under_way=league.current_round,
            decided=league.decided(match_id),
        )
    return fixture


_DECIDERS: Mapping[type, Callable[[League, Any], tuple[Event, ...]]] = {
    commands.ChangeOperatorToken: change_operator_token,
    commands.KeepPlan: keep_plan,
    commands.MakeReadOnly: make_read_only,
    commands.BeginEpoch: begin_epoch,
    commands.ExpectAgents: expect_agents,
    commands.InviteReferee: invite_referee,
    commands.RevokeInvitation: revoke_invitation,
    commands.MoveDeadline: move_deadline,
    commands.RegisterReferee: register_referee,
    commands.RegisterPlayer: register_player,
    commands.EnterPlayer: enter_player,
    commands.ReturnAgent: _return_agent,
    commands.RemovePlayer: remove_player,
    commands.WithdrawAgent: withdraw_agent,
    commands.SitOut: sit_out,
    commands.Rejoin: rejoin,
    commands.ForfeitMatch: _forfeit_match,
    commands.CloseRegistration: _close_registration,
    commands.StartLeague: _start_league,
    commands.PairRound: _pair_round,
    commands.StartRound: _start_round,
    commands.AssignMatch: _assign_match,
    commands.CommitDraw: _commit_draw,
    commands.RecordResult: _record_result,
    commands.VoidMatch: _void_match,
    commands.CompleteRound: _complete_round,
    commands.CompleteLeague: _complete_league,
    commands.CloseLeague: _close_league,
    commands.StopLeague: _stop_league,
    commands.CancelLeague: cancel_league,
    commands.ResumeLeague: _resume_league,
}
