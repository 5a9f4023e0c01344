"""The agents of a recorded league: they register, enter late, return and leave."""

from collections.abc import Mapping

from league_sdk.audit.recorded_league import Payload, RecordedLeague
from league_sdk.audit.rows import Row
from league_sdk.json_value import Json
from league_sdk.names import name_key


def expected(recorded: RecordedLeague, _row: Row, payload: Payload) -> None:
    for agent in payload["agents"]:
        recorded.expected[agent["role"], name_key(agent["display_name"])] = agent["token_digest"]


def invited(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    name = payload["display_name"]
    if name_key(name) in (
        name_key(known) for agent, known in recorded.referees.items() if agent not in recorded.revoked
    ):
        recorded.fault("course", f"{name!r} is invited, and is a referee already", row)
    recorded.invited.add(name_key(name))


def revoked(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    key = name_key(payload["display_name"])
    if key not in recorded.invited:
        recorded.fault("course", f"the invitation of {payload['display_name']!r} is revoked, and there was none", row)
    recorded.invited.discard(key)
    staying = recorded.referees.keys() - recorded.departures.withdrew.keys()
    recorded.revoked |= {agent for agent in staying if name_key(recorded.referees[agent]) == key}


def player(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    _seat(recorded, row, payload["player"], recorded.names, "player", recorded.dismissed)


def entered(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    player, points = payload["player"]["agent_id"], payload["bye_points"]
    stage = recorded.stages[0]
    taken = {"swiss": stage["options"].get("late_entry_points"), "ladder": "none"}.get(stage["format"], points)
    in_time = recorded.planned_by and len(recorded.rounds) < recorded.expected_rounds and not any(recorded.stage_of)
    if not in_time or recorded.closed or points not in ("none", "draw") or points != taken:
        told = f"{player} enters after {len(recorded.rounds)} rounds with {points} for each"
        recorded.fault("course", f"{told}, and {stage['format']} does not take that", row)
    _seat(recorded, row, payload["player"], recorded.names, "player", recorded.dismissed, late=True)
    if recorded.names.get(player) == payload["player"]["display_name"]:
        recorded.entered[player] = row.place, points
        recorded.missed[player] = len(recorded.rounds)


def referee(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    agent = payload["referee"]
    if recorded.format_version > 1 and not _was_expected(recorded, agent["display_name"], payload.get("admitted_by")):
        recorded.fault("course", f"{agent['agent_id']} registers as referee, and no event expected it", row)
    _seat(recorded, row, agent, recorded.referees, "referee", {})


def _was_expected(recorded: RecordedLeague, name: str, admitted_by: Json) -> bool:
    """True if the league said before that a referee comes like this."""
    launched = [known for role, known in recorded.expected if role == "referee"]
    key, players = name_key(name), recorded.rules.get("expected_players")
    # The launcher starts all players there, so none of a stranger's gains by a referee that shows nothing.
    own = isinstance(players, int) and sum(role == "player" for role, _ in recorded.expected) >= players
    return {
        "launcher": key in launched,
        "secret": True,
        "invitation": key in recorded.invited,
        "address": name in recorded.rules.get("referees_expected", {}),
        "open": not launched or key in launched or own,
    }.get(str(admitted_by), False)


def _seat(
    recorded: RecordedLeague,
    row: Row,
    agent: Payload,
    seats: dict[str, str],
    role: str,
    gone: Mapping[str, str],
    *,
    late: bool = False,
) -> None:
    agent_id, name = agent["agent_id"], agent["display_name"]
    if not isinstance(agent_id, str) or not isinstance(name, str):
        raise TypeError("id and name have to be text")
    if recorded.planned_by and role == "player" and not late:
        recorded.fault("course", f"{agent_id} registers after registration was closed", row)
    if agent["role"] != role:
        recorded.fault("course", f"{agent_id} registers as {role}, and its role is {agent['role']!r}", row)
    digest = recorded.expected.get((role, name_key(name)))
    if digest is not None and agent["token_digest"] != digest:
        recorded.fault("course", f"{agent_id} registers as {name!r}, a name that is kept for another agent", row)
    known = {**seats, **gone}
    # Until version 2, a name was compared letter by letter.
    form = name_key if recorded.format_version > 1 else str
    names = (form(other) for agent, other in known.items() if agent not in recorded.revoked)
    if agent_id in known or form(name) in names:
        recorded.fault("course", f"the id {agent_id!r} or the name {name!r} is taken", row)
        return
    seats[agent_id] = name


def returned(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    agent = payload["agent"]
    seats = recorded.referees if agent["role"] == "referee" else recorded.names
    if seats.get(agent["agent_id"]) != agent["display_name"]:
        recorded.fault("course", f"{agent['agent_id']} returns, and never had that seat and name", row)
    elif recorded.departures.left(agent["agent_id"]):
        recorded.fault("course", f"{agent['agent_id']} returns, and has left", row)


def removed(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    player, reason = payload["player_id"], payload["reason"]
    if player not in recorded.names or player in recorded.departures.removed:
        recorded.fault("course", f"{player!r} is removed, and is no player, or was removed before", row)
        return
    _leaves(recorded, row, player, f"{player} was removed by the operator" + (f": {reason}" if reason else ""))


def withdrew(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    agent, reason = payload["agent_id"], payload["reason"]
    referee = agent in recorded.referees
    if (not referee and agent not in recorded.names) or recorded.departures.left(agent):
        recorded.fault("course", f"{agent!r} withdraws, and is nobody, or has left before", row)
        return
    recorded.departures.withdrew[agent] = len(recorded.started)
    if not referee:
        _leaves(recorded, row, agent, f"{agent} withdrew" + (f": {reason}" if reason else ""), loses=True)
    elif recorded.planned_by and recorded.referees.keys() <= recorded.departures.withdrew.keys():
        recorded.fault("course", f"{agent} withdraws, and no referee stays", row)


def sat_out(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    limit = recorded.rules.get("absences_before_sitting_out", 0)
    _sitting(recorded, row, payload, recorded.sitting.begin(row.place, payload, limit))


def rejoined(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    _sitting(recorded, row, payload, recorded.sitting.end(row.place, payload))


def _sitting(recorded: RecordedLeague, row: Row, payload: Payload, wrong: str) -> None:
    player = payload["player_id"]
    if player not in recorded.names or player in recorded.departures.removed:
        wrong = f"{player!r} sits out or rejoins, and is no player, or has left"
    if wrong:
        recorded.fault("course", wrong, row)


def _leaves(recorded: RecordedLeague, row: Row, player: str, cause: str, *, loses: bool = False) -> None:
    open_matches = recorded.planned.keys() - recorded.decided.keys() - recorded.void.keys()
    own = [name for name, match in recorded.planned.items() if player in match.players]
    if recorded.rules.get("departed_results") == "expunge_below_half":
        played, counting = recorded.decided.keys() & own, set(own) - recorded.void.keys()
        if len(played) < len(counting) / 2:
            recorded.departures.expunged[player] = row.place
    recorded.sitting.leave(row.place, player)
    if loses and recorded.format_version > 1:
        own = [name for name in own if len(recorded.planned[name].players) == 2]  # of more, the others play on
    recorded.departures.leave(row.place, player, cause, filter(open_matches.__contains__, own), loses=loses)
    if not recorded.planned_by:
        recorded.dismissed[player] = recorded.names.pop(player)
    elif not recorded.names.keys() - recorded.departures.removed.keys():
        recorded.fault("course", f"{player} {'withdraws' if loses else 'is removed'}, and nobody stays", row)
