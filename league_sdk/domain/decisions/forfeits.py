"""Sitting out as commands: its beginning, its end, and its forfeits."""

from dataclasses import replace

from league_sdk.domain.checks import points, require
from league_sdk.domain.commands import ForfeitMatch, Rejoin, SitOut
from league_sdk.domain.events import Event, MatchRecorded, PlayerRejoined, PlayerSatOut
from league_sdk.domain.league_state import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Cause, Fault, Fixture, MatchResult, ResultStatus, Scoring
from league_sdk.domain.participants.sitting_out import LIFTED_BY, LiftedBy, SittingOutReason, absences_after
from league_sdk.domain.ranking.places import places_by
from league_sdk.errors import InvalidState, LeagueAlreadyComplete, LeagueFull, PlayerNotRegistered


def sit_out(league: League, command: SitOut) -> tuple[Event, ...]:
    """PlayerNotRegistered, LeagueAlreadyComplete; InvalidField: `absent`.

    Absences follow from results alone. A match of the player that is under way is finished, and counts.
    """
    _check_in(league, command.player_id)
    commanded = command.reason is not SittingOutReason.ABSENT
    require(commanded, "reason", str(command.reason), "crashed, overstepped or operator")
    known = league.sitting_out.get(command.player_id)
    if known is not None and not command.reason.outweighs(known.reason):
        return ()
    return (PlayerSatOut(command.player_id, command.reason, command.detail),)


def rejoin(league: League, command: Rejoin) -> tuple[Event, ...]:
    """PlayerNotRegistered, LeagueAlreadyComplete; LeagueFull, to the operator.

    A player whose place was freed rejoins where there is room.
    """
    _check_in(league, command.player_id)
    known = league.sitting_out.get(command.player_id)
    if known is None or command.by not in LIFTED_BY[known.reason]:
        return ()
    seats = league.rules.max_players
    if command.player_id in league.freed() and league.taken_places() >= seats:
        if command.by is LiftedBy.OPERATOR:
            raise LeagueFull(f"all {seats} places are taken, and that of {command.player_id} was freed", seats=seats)
        return ()
    return (PlayerRejoined(command.player_id, command.by, command.detail),)


def absentees(league: League, result: MatchResult) -> tuple[PlayerSatOut, ...]:
    """The players of a match that sit out from its result on, by their absences."""
    limit = league.rules.absences_before_sitting_out
    if not limit:
        return ()
    absences = absences_after(league.absences, result)
    out = [player for player in result.players if player not in league.removed and player not in league.sitting_out]
    return tuple(
        PlayerSatOut(player, SittingOutReason.ABSENT, matches=absences[player][-limit:])
        for player in out
        if len(absences.get(player, ())) >= limit and result.match_id in absences[player]
    )


def forfeit_match(league: League, fixture: Fixture, command: ForfeitMatch) -> tuple[Event, ...]:
    """InvalidState: none of its players sits out."""
    sitting = league.sits_out(fixture)
    if not sitting:
        raise InvalidState(f"no player of {command.match_id} sits out", match_id=command.match_id)
    faults = tuple(
        Fault(player, Cause.SITS_OUT, "join", "E008", 0, f"{player} sits out: {league.sitting_out[player].reason}")
        for player in sitting
    )
    reason = "; ".join(fault.description for fault in faults)
    overstepped = all(league.sitting_out[player].reason is SittingOutReason.OVERSTEPPED for player in sitting)
    # To overstep in a match that one is losing does not undo it.
    not_played = not (overstepped and fixture.match_id in league.assignments)
    return (MatchRecorded(forfeit(fixture, faults, reason, league.rules.scoring, not_played=not_played)),)


def forfeit(
    fixture: Fixture, faults: tuple[Fault, ...], reason: str, scoring: Scoring, *, not_played: bool = False
) -> MatchResult:
    """A technical loss by the league itself, without referee, attempt and transcript."""
    guilty = {fault.player_id for fault in faults}
    others = [player for player in fixture.players if player not in guilty]
    places = places_by({player: player in others for player in fixture.players})
    result = MatchResult(
        match_id=fixture.match_id,
        round_id=fixture.round_id,
        players=fixture.players,
        status=ResultStatus.TECHNICAL_LOSS,
        winner=others[0] if len(others) == 1 else None,
        score={},
        referee_id="",
        attempt=0,
        reason=reason,
        faults=faults,
        details={"places": places} if fixture.players[2:] else {},
        not_played=not_played,
    )
    return replace(result, score=points(result, scoring))


def _check_in(league: League, player_id: str) -> None:
    """Refuse what is about a player that is not in the league, or has left."""
    league.player(player_id)
    if league.state is LeagueState.COMPLETED:
        raise LeagueAlreadyComplete(f"league {league.league_id} is complete", league_id=league.league_id)
    if player_id in league.removed:
        raise PlayerNotRegistered(f"{player_id} has left: {league.removed[player_id]}", player_id=player_id)
