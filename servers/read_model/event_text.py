"""A league told in sentences, for terminals and logs that people read."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from league_sdk.dialect import MCP, V2, Dialect, parse_dialect
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
from league_sdk.domain.model import Agent, Cause, Fault, MatchResult, ResultStatus

LONGEST_LINE = 4000
"""Characters; what is longer is cut."""

USUAL = str(Dialect(MCP, V2))
"""How an agent is spoken to that is worth no word."""


def printable(text: str, limit: int = 80) -> str:
    """Text from an agent, safe to print: no control or direction characters, and not too long."""
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def legible(text: str) -> str:
    """Text of one or more lines, safe to print: lines stay lines, anything else that is no text is replaced."""
    return "\n".join(printable(line, LONGEST_LINE) for line in text.split("\n"))


def count(number: int, thing: str) -> str:
    """A number of things: `1 match`, `2 matches`."""
    if number == 1:
        return f"1 {thing}"
    return f"{number} {thing}{'es' if thing.endswith(('ch', 's')) else 's'}"


def name_of(league: League, agent_id: str) -> str:
    """An agent's display name, with its id."""
    agent = league.players.get(agent_id) or league.referees.get(agent_id) or league.dismissed.get(agent_id)
    return agent_id if agent is None else f"{printable(agent.display_name)} ({agent_id})"


def result_line(league: League, result: MatchResult) -> str:
    """How a match ended, in a line."""
    first, second = (name_of(league, player) for player in result.players)
    reason = f": {printable(result.reason, 200)}" if result.reason else ""
    if result.winner is None:
        how = "drew with" if result.status is ResultStatus.DRAW else "and"
        tail = "" if result.status is ResultStatus.DRAW else " both lost technically"
        return f"{result.match_id}: {first} {how} {second}{tail}{reason}"
    loser = next(player for player in result.players if player != result.winner)
    how = "beat" if result.status is ResultStatus.WIN else "won by technical loss of"
    return f"{result.match_id}: {name_of(league, result.winner)} {how} {name_of(league, loser)}{reason}"


def fault_sentence(league: League, fault: Fault) -> str:
    """Why a player was given a technical loss, in a sentence for somebody who knows nothing of protocols."""
    evidence = fault.evidence
    who, what = f"Agent {name_of(league, fault.player_id)}", _ASKED.get(fault.phase, "a message")
    told = _FAULTS[fault.cause](what, evidence)
    tries = "" if fault.tries < 2 else f", {_times(fault.tries)}"
    return f"{who} {told}{tries}{_last_try(fault)}."


_ASKED: Mapping[str, str] = {"join": "the invitation", "move": "the call for a move"}

_Evidence = Mapping[str, Any]


def _times(number: int) -> str:
    return {2: "twice", 3: "three times", 4: "four times"}.get(number, f"{number} times")


def _quoted(value: object) -> str:
    return printable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str), 120)


def _silent(what: str, evidence: _Evidence) -> str:
    limit = evidence.get("limit_sec")
    return f"did not answer {what}" + (f" within {limit:g} s" if isinstance(limit, int | float) else " in time")


def _illegal(what: str, evidence: _Evidence) -> str:
    allowed = evidence.get("expected")
    rule = f" (allowed: {_quoted(allowed)})" if allowed else ""
    return f"answered {what} with {_quoted(evidence.get('received'))}, which the game does not allow{rule}"


def _malformed(what: str, evidence: _Evidence) -> str:
    error, code = evidence.get("error"), evidence.get("error_code")
    if error is not None:
        return f"answered {what} with the error {_quoted(code)}: {_quoted(error)}"
    received = evidence.get("received")
    came = f" (it sent: {_quoted(received)})" if received else ""
    return f"answered {what} with something that is not a valid answer{came}"


_FAULTS: Mapping[Cause, Callable[[str, _Evidence], str]] = {
    Cause.NO_JOIN: _silent,
    Cause.NO_MOVE: _silent,
    Cause.ILLEGAL_MOVE: _illegal,
    Cause.CONNECTION_REFUSED: lambda what, _: f"could not be reached with {what}: nobody answers at its address",
    Cause.CONNECTION_DROPPED: lambda what, _: f"broke the connection instead of answering {what}",
    Cause.MALFORMED_REPLY: _malformed,
    Cause.DECLINED: lambda what, _: f"declined {what}",
    Cause.CRASHED_HANDLER: lambda what, e: f"failed while it worked on {what}: {_quoted(e.get('error', 'no detail'))}",
}


def _last_try(fault: Fault) -> str:
    """How long the last answer was waited for, where there was none."""
    over, took = fault.evidence.get("over_by_sec"), fault.evidence.get("elapsed_sec")
    if fault.cause not in (Cause.NO_JOIN, Cause.NO_MOVE) or not isinstance(took, int | float):
        return ""
    late = f"; {over:.3g} s over its time" if isinstance(over, int | float) and over else ""
    which = "the last time it" if fault.tries > 1 else "it"
    return f" ({which} was given up after {took:.3g} s{late})"


def sentence(league: League, record: Record) -> str | None:
    """What a record says, or None when it is not worth a line."""
    event = record.event
    return _SENTENCES[type(event)](league, event)


def _registered(league: League) -> str:
    expected = league.rules.expected_players
    if expected is None:
        return f"{count(len(league.players), 'player')} so far"
    return f"{len(league.players)} of {expected} players are in"


def _created(_: League, event: LeagueCreated) -> str:
    rules = event.rules
    players = count(rules.expected_players, "player") if rules.expected_players else "players"
    who = f"{players} and {count(rules.expected_referees, 'referee')}"
    return f"league {rules.league_id}, game {rules.game_type}: waiting for {who}"


def _referee(league: League, event: RefereeRegistered) -> str:
    return f"referee {name_of(league, event.referee.agent_id)} is in{_spoken(event.referee)}"


def _spoken(agent: Agent) -> str:
    """How an agent is spoken to, where that is not the usual way."""
    known = parse_dialect(agent.dialect).certain_wire and agent.dialect != USUAL
    return f", speaking {printable(agent.dialect)}" if known else ""


def _player(league: League, event: PlayerRegistered) -> str:
    return f"player {name_of(league, event.player.agent_id)} is in{_spoken(event.player)}; {_registered(league)}"


def _returned(league: League, event: AgentReturned) -> str:
    return f"{name_of(league, event.agent.agent_id)} is back"


def _removed(league: League, event: PlayerRemoved) -> str:
    """The void matches are told with it, rather than one by one."""
    why = f": {printable(event.reason, 200)}" if event.reason else ""
    return f"{name_of(league, event.player_id)} was removed by the operator{why}{void_matches(league, event)}"


def void_matches(league: League, event: PlayerRemoved) -> str:
    """How many matches are void because of a removal, as the end of a sentence; nothing when there are none."""
    number = sum(cause == event.cause for cause in league.voided.values())
    number += sum(1 for _ in league.open_matches(event.player_id))  # void with the next records
    return f"; {count(number, 'match')} {'is' if number == 1 else 'are'} void" if number else ""


def _scheduled(league: League, event: ScheduleCreated) -> str:
    return f"schedule: {count(len(event.rounds), 'round')}, {count(league.total_matches, 'match')}"


def _started(league: League, _: LeagueStarted) -> str:
    return f"the league begins with {_everybody(league)}"


def _everybody(league: League) -> str:
    return f"{count(len(league.players), 'player')} and {count(len(league.referees), 'referee')}"


def _round(league: League, event: RoundStarted) -> str:
    scheduled = league.round(event.round_id)
    coming = [fixture for fixture in scheduled.fixtures if fixture.match_id not in league.voided]
    pairs = ", ".join(f"{fixture.match_id} {'-'.join(fixture.players)}" for fixture in coming[:10]) or "no match"
    more = f" and {len(coming) - 10} more" if len(coming) > 10 else ""
    byes = f"; bye: {', '.join(scheduled.byes)}" if scheduled.byes else ""
    return f"round {event.round_id} of {len(league.rounds)}: {pairs}{more}{byes}"


def _assigned(league: League, event: MatchAssigned) -> str | None:
    if event.attempt == 1:
        return None
    return f"{event.match_id} is played again by {name_of(league, event.referee_id)}: {printable(event.reason, 200)}"


def _recorded(league: League, event: MatchRecorded) -> str:
    return result_line(league, event.result)


def _voided(league: League, event: MatchVoided) -> str | None:
    if event.cause in league.removed.values():
        return None
    return f"{event.match_id} is void and counts for nobody: {printable(event.cause, 200)}"


def _round_completed(league: League, event: RoundCompleted) -> str:
    top = [f"{row.rank}. {printable(row.display_name)} {row.points}" for row in league.standings()[:4]]
    return f"round {event.round_id} complete: {', '.join(top)}"


def _completed(league: League, event: LeagueCompleted) -> str:
    names = [name_of(league, champion) for champion in event.champions]
    return f"the league is complete; {'champion' if len(names) == 1 else 'champions'}: {', '.join(names)}"


def _stopped(_: League, event: LeagueStopped) -> str:
    return f"the league is stopped: {printable(event.reason, 200)}"


def _resumed(_: League, event: LeagueResumed) -> str:
    del event
    return "the league goes on"


_SENTENCES: Mapping[type, Callable[[League, Any], str | None]] = {
    LeagueCreated: _created,
    RefereeRegistered: _referee,
    PlayerRegistered: _player,
    AgentReturned: _returned,
    PlayerRemoved: _removed,
    ScheduleCreated: _scheduled,
    LeagueStarted: _started,
    RoundStarted: _round,
    MatchAssigned: _assigned,
    MatchRecorded: _recorded,
    MatchVoided: _voided,
    RoundCompleted: _round_completed,
    LeagueCompleted: _completed,
    LeagueStopped: _stopped,
    LeagueResumed: _resumed,
}
