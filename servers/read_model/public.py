"""Public view of a finished match: never evidence, never tokens.

What a player at fault sent is between it, its referee and the operator, so its choices and the descriptions of its
faults are left out.
"""

from collections.abc import Mapping

from league_sdk.domain.model import MatchResult, ResultStatus
from league_sdk.json_value import Json
from servers.agent import untrusted

_MESSAGE = ("sequence", "timestamp", "message_type", "from", "to", "for", "turn")
_TOLD = (*_MESSAGE, "accept", "choice", "substituted", "error_code")
LONGEST_REASON = 200
_DRAW = ("draw_commitment", "draw_nonce")


def player(player_id: str, names: Mapping[str, str]) -> dict[str, Json]:
    """A player, with the name that it gave itself."""
    return {"player_id": player_id, "display_name": untrusted.said(names.get(player_id, ""))}


def transcript(result: MatchResult) -> list[dict[str, Json]]:
    """The messages of a match, in order, as the referee reports them."""
    at_fault = [fault.player_id for fault in result.faults]
    told: list[dict[str, Json]] = []
    for entry in result.transcript:
        fields = [name for name in (*_TOLD, *_DRAW) if name in entry]
        if entry.get("from") in at_fault:
            fields = [name for name in fields if name != "choice"]
        told.append({name: entry[name] for name in fields})
    return told


def match_result(result: MatchResult, names: Mapping[str, str]) -> dict[str, Json]:
    """A result with its transcript; agents' words stand under `untrusted`."""
    return {
        "match_id": result.match_id,
        "round_id": result.round_id,
        "players": [player(player_id, names) for player_id in result.players],
        "status": str(result.status),
        "winner": result.winner,
        "score": {player_id: result.score.get(player_id, 0) for player_id in result.players},
        "attempt": result.attempt,
        "faults": [
            {
                "player_id": fault.player_id if fault.player_id in result.players else "",
                "cause": str(fault.cause),
                "tries": fault.tries,
            }
            for fault in result.faults
        ],
        "substituted": {player_id: dict(reasons) for player_id, reasons in result.substituted.items()},
        "reason": untrusted.said(result.reason),
        "details": untrusted.said(_details(result)),
        "lifecycle": untrusted.said(dict(result.lifecycle)),
        "transcript": untrusted.said(transcript(result)),
    }


def replay(result: MatchResult, names: Mapping[str, str]) -> str:
    """A match told step by step, for hosts that draw no apps."""
    told = [
        f"Match {result.match_id}, round {result.round_id}: {_versus(result, names)}.",
        untrusted.NOTICE,
        "",
        *(_step(entry) for entry in transcript(result)),
        "",
        _ending(result),
    ]
    if result.reason:
        told.append(f"The referee says: {untrusted.marked(result.reason, LONGEST_REASON)}")
    return "\n".join(told)


def _details(result: MatchResult) -> dict[str, Json]:
    """The game's own fields; a player at fault may have sent anything as its move."""
    shown = ("places", "stand_ins") if result.faults else result.details
    return {name: result.details[name] for name in shown if name in result.details}


def _versus(result: MatchResult, names: Mapping[str, str]) -> str:
    return " against ".join(named(player_id, names) for player_id in result.players)


def named(player_id: str, names: Mapping[str, str]) -> str:
    """A player in a text: its id, and its name, marked."""
    return f"{player_id} {untrusted.marked(names[player_id])}" if names.get(player_id) else player_id


def _step(entry: Mapping[str, Json]) -> str:
    """A line for a message; parts from a referee's report are marked unless plain."""
    words = [f"{name} {_told(entry[name])}" for name in _TOLD[1:] if name in entry]
    return f"{_told(entry.get('sequence', '?'))}. {', '.join(words)}"


def _told(value: Json) -> str:
    """A value from a report, within a sentence."""
    if value is None or isinstance(value, bool | int):
        return str(value)
    return untrusted.identifier(value) if isinstance(value, str) else untrusted.marked(str(value))


def _ending(result: MatchResult) -> str:
    score = ", ".join(f"{player_id} {result.score.get(player_id, 0)}" for player_id in result.players)
    faults = "".join(f" {fault.player_id} was at fault: {fault.cause}." for fault in result.faults)
    if result.winner is None:
        how = "It is a draw" if result.status is ResultStatus.DRAW else "Nobody wins"
    else:
        how = f"{result.winner} wins" + (" by a technical loss" if result.status is ResultStatus.TECHNICAL_LOSS else "")
    return f"{how}. Points: {score}.{faults}"
