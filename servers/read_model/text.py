"""Text for people: printable, counted, and sentences on technical losses."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from league_sdk.domain.league import League
from league_sdk.domain.model import Cause, Fault
from league_sdk.domain.ranking.standing import departure

LONGEST_LINE = 4000
"""Characters; what is longer is cut."""


def printable(text: str, limit: int = 80) -> str:
    """An agent's text, safe to print: without control characters, and shortened."""
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def legible(text: str) -> str:
    """Text of several lines, safe to print: lines stay lines."""
    return "\n".join(printable(line, LONGEST_LINE) for line in text.split("\n"))


def count(number: int, thing: str) -> str:
    """A number of things: `1 match`, `2 matches`."""
    if number == 1:
        return f"1 {thing}"
    return f"{number} {thing}{'es' if thing.endswith(('ch', 's')) else 's'}"


def mark_of(league: League, player_id: str) -> str:
    """The words that mark a player that has left or sits out; empty for others."""
    if player_id in league.removed:
        return departure(league.withdrew.get(player_id), player_id in league.expunged)
    sitting = league.sitting_out.get(player_id)
    return f"sits out: {sitting.reason}" if sitting else ""


def marks_of(league: League) -> dict[str, str]:
    """The same, by id of each player that has left or sits out."""
    return {player_id: mark_of(league, player_id) for player_id in (*league.removed, *league.sitting_out)}


def name_of(league: League, agent_id: str) -> str:
    """An agent's display name, with its id."""
    agent = league.players.get(agent_id) or league.referees.get(agent_id) or league.dismissed.get(agent_id)
    gone = f", {mark_of(league, agent_id)}" if agent_id in league.removed else ""
    return agent_id if agent is None else f"{printable(agent.display_name)} ({agent_id}{gone})"


def fault_sentence(league: League, fault: Fault) -> str:
    """A plain sentence on why a player was given a technical loss."""
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
    if "received" not in evidence:
        context: Any = evidence.get("context") or {}
        return f"answered {what} with an error of its strategy: {_quoted(context.get('detail', 'no detail'))}"
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
    Cause.NAME_NOT_FOUND: lambda what, _: f"could not be reached with {what}: its host name has no address",
    Cause.CONNECTION_REFUSED: lambda what, _: f"could not be reached with {what}: nothing answers at its address",
    Cause.CONNECTION_DROPPED: lambda what, _: f"broke the connection instead of answering {what}",
    Cause.MALFORMED_REPLY: _malformed,
    Cause.DECLINED: lambda what, _: f"declined {what}",
    Cause.SITS_OUT: lambda _, __: "sat out, so the match was not played",
    Cause.WITHDREW: lambda _, __: "withdrew from the league",
    Cause.CRASHED_HANDLER: lambda what, e: f"failed while it worked on {what}: {_quoted(e.get('error', 'no detail'))}",
}


def _last_try(fault: Fault) -> str:
    """The time that the last answer was waited for, if there was none."""
    over, took = fault.evidence.get("over_by_sec"), fault.evidence.get("elapsed_sec")
    if fault.cause not in (Cause.NO_JOIN, Cause.NO_MOVE) or not isinstance(took, int | float):
        return ""
    late = f"; {over:.3g} s over its time" if isinstance(over, int | float) and over else ""
    which = "the last time it" if fault.tries > 1 else "it"
    return f" ({which} was given up after {took:.3g} s{late})"
