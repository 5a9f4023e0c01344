"""One match as a sans-IO machine: inputs go in, commands come out.

    match = new_match(game, …)
    match, commands = step(match, Begin(at))
    …carry out the commands, each answer is the next input…

The machine knows the phases, the retries, whose fault it is and what it is worth. It sends nothing and waits for
nothing: a time limit that ran out comes in as a `JoinFailed` or `MoveFailed`, with the time at which it did.

All players are always heard before a decision, so that a fast fault does not hide a slow one. Inputs from strangers,
repeated ones, and late ones change nothing.

A match goes on while two players are left without fault (docs/explanation/blame.md): a stand-in moves for the others.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from league_sdk.bounds import EVIDENCE_DEPTH, EVIDENCE_LENGTH, as_evidence
from league_sdk.domain.checks import points
from league_sdk.domain.lifecycles import MatchState, MatchTrigger
from league_sdk.domain.matches import match_io
from league_sdk.domain.matches.causes import GONE, GONE_TRIES, RULES, AskedAgain
from league_sdk.domain.matches.match_state import Match, S, enter, new_match, playing
from league_sdk.domain.model import Cause, Fault, MatchResult, ResultStatus
from league_sdk.domain.ranking.places import places_by, places_of, sole_first
from league_sdk.errors import InvalidMove, InvalidState
from league_sdk.game import Move, Outcome, first_state, next_state, stand_in_move
from league_sdk.json_value import Json

__all__ = ["RETRIED_CODES", "RETURNED_CODES", "Match", "Step", "new_match", "step"]

RETRIED_CODES = frozenset({"E001", "E004", "E009"})
"""Failures after which the same player is asked again: a timeout, an illegal move, a broken connection."""

RETURNED_CODES = frozenset({"E007", "E008", "E012"})
"""Failures of a player without memory; it is asked again if it has returned since the match began (ADR 0074)."""


Step: TypeAlias = tuple[Match[S], tuple[match_io.Command, ...]]


def step(match: Match[S], event: match_io.Input) -> Step[S]:
    """The match after an input, and the commands to carry out, in this order.

    Players' answers never raise. Input of the referee or the operator out of turn is refused.

    Raises:
        InvalidState: The match is not in a state for this.
        ValueError: The game broke its contract: no player to move and no outcome, or a foreign winner.
    """
    return _HANDLERS[type(event)](match, event)


def _begin(match: Match[S], event: match_io.Begin) -> Step[S]:
    created = replace(match, lifecycle={match.state_label: event.at})
    waiting = enter(created, MatchTrigger.INVITE, event.at)
    waiting = replace(waiting, awaited=dict.fromkeys(match.players, 1))
    return waiting, tuple(match_io.Invite(player, 1) for player in match.players)


def _joined(match: Match[S], event: match_io.Joined) -> Step[S]:
    if match.state is not MatchState.WAITING_FOR_PLAYERS or event.player not in match.awaited:
        return match, ()
    nonces = {**match.nonces, event.player: event.nonce} if event.nonce else match.nonces
    joined = replace(match, joined_at={**match.joined_at, event.player: event.at}, nonces=nonces)
    return _answered(joined, event.player, event.at)


def _join_failed(match: Match[S], event: match_io.JoinFailed) -> Step[S]:
    if match.state is not MatchState.WAITING_FOR_PLAYERS or event.player not in match.awaited:
        return match, ()
    return _failed(match, event.player, event.failure, event.at)


def _collect(match: Match[S], event: match_io.Collect) -> Step[S]:
    _only_by_hand(match, event)
    if match.state is not MatchState.COLLECTING_CHOICES or match.awaited:
        raise InvalidState(f"{match.match_id}: no moves to ask for in {match.state_label}", state=match.state_label)
    return _ask(match, event.at)


def _move_made(match: Match[S], event: match_io.MoveMade) -> Step[S]:
    if not _expected(match, event.player, event.turn):
        return match, ()
    try:
        _check_move(match, event.player, event.move)
    except InvalidMove as error:
        evidence = {"received": event.move, **error.context}
        failure = match_io.Failure(
            Cause.ILLEGAL_MOVE, error.code, retryable=True, description=error.message, evidence=evidence
        )
        return _failed(match, event.player, failure, event.at)
    moved = replace(match, moves={**match.moves, event.player: event.move})
    return _answered(moved, event.player, event.at)


def _check_move(match: Match[S], player: str, move: Move) -> None:
    """Refuse (InvalidMove) a move that is illegal, or too large for a report."""
    field, state = match.game.move_spec.choice_field, playing(match)
    if as_evidence(move) is not move:
        expected = f"at most {EVIDENCE_LENGTH} characters of JSON, {EVIDENCE_DEPTH} levels deep"
        raise InvalidMove(
            "the move is too large to be recorded", field=field, value=as_evidence(move), expected=expected
        )
    try:
        match.game.check(state, player, move)
    except InvalidMove:
        raise
    except Exception as error:
        # Rules that crash on a strange value must not abort the match in favour of its sender.
        if any(type(move) is type(option) and move == option for option in match.game.legal_moves(state, player)):
            raise
        text = f"the rules cannot read this move ({type(error).__name__})"
        raise InvalidMove(text, field=field, value=move) from error


def _move_failed(match: Match[S], event: match_io.MoveFailed) -> Step[S]:
    if not _expected(match, event.player, event.turn):
        return match, ()
    return _failed(match, event.player, event.failure, event.at)


def _resolve_by_hand(match: Match[S], event: match_io.Resolve) -> Step[S]:
    _only_by_hand(match, event)
    if match.state is not MatchState.RESOLVING:
        raise InvalidState(f"{match.match_id}: nothing to resolve in {match.state_label}", state=match.state_label)
    return _resolve(match, event.at)


def _finalize(match: Match[S], event: match_io.Finalize) -> Step[S]:
    _only_by_hand(match, event)
    if match.state is not MatchState.FINISHED or match.result is None:
        raise InvalidState(f"{match.match_id}: nothing to finalize in {match.state_label}", state=match.state_label)
    return match, _announce(match.result)


def _reported(match: Match[S], event: match_io.Reported) -> Step[S]:
    return enter(match, MatchTrigger.REPORT, event.at), ()


def _abort(match: Match[S], event: match_io.Abort) -> Step[S]:
    aborted = enter(match, MatchTrigger.ABORT, event.at)
    return replace(aborted, abort_reason=event.reason, awaited={}), ()


def _expected(match: Match[S], player: str, turn: int | None) -> bool:
    """True if this player has yet to answer a request for a move of this turn."""
    return (
        match.state is MatchState.COLLECTING_CHOICES
        and player in match.awaited
        and (turn is None or turn == match.turn)
    )


def _answered(match: Match[S], player: str, at: str) -> Step[S]:
    """Stop waiting for a player; continue if it was the last one."""
    awaited = {other: tries for other, tries in match.awaited.items() if other != player}
    match = replace(_there(match, player), awaited=awaited)
    if awaited:
        return match, ()
    if match.faults and len(match.players) - len(match.failed) < 2:
        return _forfeit(match, at)
    if match.state is MatchState.WAITING_FOR_PLAYERS:
        return _start(match, at)
    return _go_on(*_all_chosen(match, at), at)


def _failed(match: Match[S], player: str, failure: match_io.Failure, at: str) -> Step[S]:
    """Ask again, or note the fault."""
    phase = match_io.JOIN_PHASE if match.state is MatchState.WAITING_FOR_PLAYERS else match_io.MOVE_PHASE
    tries, evidence = match.awaited[player], dict(failure.evidence)
    match, retries = _retries(match, player, failure, tries)
    if _worth_another_try(failure) and tries <= retries:
        again = (
            match_io.Invite(player, tries + 1)
            if phase == match_io.JOIN_PHASE
            else match_io.AskForMove(player, tries + 1, match.turn)
        )
        consequence = f"If it fails after {retries} retries, a technical loss is awarded"
        notice = match_io.NotifyError(player, failure, tries, retries, consequence, phase)
        return replace(match, awaited={**match.awaited, player: tries + 1}), (notice, again)
    if player in match.gone_in:
        evidence["gone_in"] = match.gone_in[player]
    fault = Fault(player, failure.cause, phase, failure.error_code, tries, failure.description, evidence)
    return _answered(replace(match, faults=(*match.faults, fault)), player, at)


def _retries(match: Match[S], player: str, failure: match_io.Failure, tries: int) -> tuple[Match[S], int]:
    """Count a try that found its player gone; the retries that the call has in all."""
    if failure.cause not in GONE:
        return _there(match, player), match.max_retries
    gone = match.gone.get(player, 0) + 1
    another = gone < GONE_TRIES and player not in match.gone_in
    match = replace(match, gone={**match.gone, player: gone})
    return match, min(match.max_retries, tries if another else tries - 1)


def _there(match: Match[S], player: str) -> Match[S]:
    """Forget that a player was gone."""
    if player not in match.gone and player not in match.gone_in:
        return match
    gone = {other: tries for other, tries in match.gone.items() if other != player}
    gone_in = {other: last for other, last in match.gone_in.items() if other != player}
    return replace(match, gone=gone, gone_in=gone_in)


def _worth_another_try(failure: match_io.Failure) -> bool:
    if failure.returned and failure.error_code in RETURNED_CODES:
        return True
    again = RULES[failure.cause].again is not AskedAgain.NONE
    return again and failure.retryable and failure.error_code in RETRIED_CODES


def _start(match: Match[S], at: str) -> Step[S]:
    if match.draw is not None:
        match = replace(match, seed=match.draw.seed([match.nonces.get(player, "") for player in match.players]))
    state = first_state(match.game, match.players, match.seed)
    started = enter(replace(match, game_state=state), MatchTrigger.ALL_JOINED, at)
    return _go_on(*_next_turn(started, at), at)


def _go_on(match: Match[S], commands: tuple[match_io.Command, ...], at: str) -> Step[S]:
    """Resolve turns while no player is to be asked; by hand, the operator does."""
    while match.state is MatchState.RESOLVING and not match.step_by_step:
        match, more = _resolve(match, at)
        commands += more
    return match, commands


def _resolve(match: Match[S], at: str) -> Step[S]:
    """Apply the moves of this turn; continue with the next, or end."""
    moves = {player: match.moves[player] for player in match.game.to_move(playing(match))}
    state = next_state(match.game, playing(match), moves, match.seed, match.turn)
    match = replace(match, game_state=state)
    outcome = match.game.outcome(state)
    if outcome is None:
        return _next_turn(enter(match, MatchTrigger.NEXT_TURN, at), at)
    return _end(enter(match, MatchTrigger.DECIDE, at), *_decision(match, outcome))


def _next_turn(match: Match[S], at: str) -> Step[S]:
    match = replace(match, turn=match.turn + 1, moves={})
    return (match, ()) if match.step_by_step else _ask(match, at)


def _ask(match: Match[S], at: str) -> Step[S]:
    to_move = match.game.to_move(playing(match))
    if not to_move:
        raise ValueError(f"{match.game.name}: nobody is to move, but there is no outcome either")
    asked = [player for player in to_move if player not in match.failed]
    if not asked:
        return _all_chosen(match, at)
    match = replace(match, awaited=dict.fromkeys(asked, 1))
    return match, tuple(match_io.AskForMove(player, 1, match.turn) for player in asked)


def _all_chosen(match: Match[S], at: str) -> Step[S]:
    """Add stand-ins' moves, drawn from the match's chance, to those of this turn."""
    to_move = match.game.to_move(playing(match)) if match.faults else ()
    made = {player: _stand_in(match, player) for player in to_move if player in match.failed}
    since = dict.fromkeys(made, match.turn) | {**match.stand_ins}
    match = replace(match, moves={**match.moves, **made}, stand_ins=since)
    noted = tuple(match_io.NoteStandIn(player, match.turn, move) for player, move in made.items())
    return enter(match, MatchTrigger.ALL_CHOSEN, at), noted


def _stand_in(match: Match[S], player: str) -> Move:
    state = playing(match)
    move = stand_in_move(match.game, state, player, match.seed, match.turn)
    try:
        match.game.check(state, player, move)
    except InvalidMove as error:
        raise ValueError(f"{match.game.name}: its stand-in for {player} chose an illegal move: {error}") from error
    return move


def _forfeit(match: Match[S], at: str) -> Step[S]:
    """End the match: at most one player is left without fault, and has won."""
    blameless = [player for player in match.players if player not in match.failed]
    winner = blameless[0] if blameless else None
    details: dict[str, Json] = {"choices": dict(match.moves)}
    if len(match.players) > 2:
        details |= _stand_ins(match)
        details["places"] = places_by({player: -(player in match.failed) for player in match.players})
    reason = _blame(match) + (f" {winner} wins." if winner else "")
    return _end(enter(match, MatchTrigger.FORFEIT, at), ResultStatus.TECHNICAL_LOSS, winner, reason, details)


def _blame(match: Match[S]) -> str:
    causes = "; ".join(
        f"{fault.player_id}: {fault.cause} in {fault.phase} phase, {fault.description}" for fault in match.faults
    )
    stood_in = "".join(f" A stand-in moved for {player} from turn {turn}." for player, turn in match.stand_ins.items())
    return f"Technical loss ({causes}).{stood_in}"


def _stand_ins(match: Match[S]) -> dict[str, Json]:
    return {"stand_ins": dict(match.stand_ins)} if match.stand_ins else {}


def _decision(match: Match[S], outcome: Outcome) -> tuple[ResultStatus, str | None, str, dict[str, Json]]:
    if outcome.winner is not None and outcome.winner not in match.players:
        raise ValueError(f"{match.game.name}: the winner {outcome.winner!r} does not play in {match.match_id}")
    status = ResultStatus.DRAW if outcome.winner is None else ResultStatus.WIN
    details: dict[str, Json] = {"scores": dict(outcome.scores), **outcome.details, **_stand_ins(match)}
    if len(match.players) > 2:
        details["places"] = places_of(outcome, match.players, match.failed)
    if not match.faults:
        return status, outcome.winner, outcome.reason, details
    winner = sole_first(details["places"])
    first = winner or " and ".join(player for player, place in details["places"].items() if place == 1)
    reason = f"{_blame(match)} {first} {'wins' if winner else 'share the first place'}."
    return ResultStatus.TECHNICAL_LOSS, winner, reason, details


def _end(
    match: Match[S], status: ResultStatus, winner: str | None, reason: str, details: Mapping[str, Json]
) -> Step[S]:
    result = MatchResult(
        match_id=match.match_id,
        round_id=match.round_id,
        players=match.players,
        status=status,
        winner=winner,
        score={},
        referee_id=match.referee_id,
        attempt=match.attempt,
        reason=reason,
        details={**details, **_reveal(match)},
        faults=match.faults,
        lifecycle=match.lifecycle,
    )
    result = replace(result, score=points(result, match.scoring))
    return replace(match, result=result), () if match.step_by_step else _announce(result)


def _reveal(match: Match[S]) -> dict[str, Json]:
    """Everything needed to recompute the chance of the match, now that it is over."""
    return {} if match.draw is None else {"draw": match.draw.reveal(match.players, match.nonces)}


def _announce(result: MatchResult) -> tuple[match_io.Command, ...]:
    return match_io.SendGameOver(result.players, result), match_io.SendReport(result)


def _only_by_hand(match: Match[S], event: match_io.Input) -> None:
    if not match.step_by_step:
        raise InvalidState(
            f"{match.match_id} is not played step by step: it needs no {type(event).__name__}",
            state=match.state_label,
        )


_HANDLERS: Mapping[type, Callable[[Match[Any], Any], Step[Any]]] = {
    match_io.Begin: _begin,
    match_io.Joined: _joined,
    match_io.JoinFailed: _join_failed,
    match_io.Collect: _collect,
    match_io.MoveMade: _move_made,
    match_io.MoveFailed: _move_failed,
    match_io.Resolve: _resolve_by_hand,
    match_io.Finalize: _finalize,
    match_io.Reported: _reported,
    match_io.Abort: _abort,
}
