"""Validation of rules, registering agents and results, from any source."""

import re
from collections.abc import Mapping

from league_sdk.domain.model import (
    MINIMUM_PROTOCOL_VERSION,
    Agent,
    Cause,
    Fixture,
    LeagueRules,
    MatchResult,
    ResultStatus,
    Scoring,
)
from league_sdk.domain.ranking.places import places_by, sole_first
from league_sdk.domain.ranking.standings import at_fault
from league_sdk.domain.ranking.tie_breaks import criteria
from league_sdk.errors import InvalidField, ProtocolVersionMismatch, UnsupportedGameType
from league_sdk.json_value import Json
from league_sdk.names import game_name

_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})(?:\.([0-9]{1,9}))?")


def require(holds: bool, field: str, value: Json, expected: Json) -> None:
    """Raise InvalidField, with all three in its context, unless `holds`."""
    if not holds:
        raise InvalidField(
            f"{field} is {value!r}, expected {expected}", field=field, value=value, expected=str(expected)
        )


def check_rules(rules: LeagueRules) -> None:
    """Refuse rules that no league can be played by, naming the first bad field."""
    low, high, expected = rules.min_players, rules.max_players, rules.expected_players
    require(bool(rules.league_id), "league_id", rules.league_id, "a name")
    require(bool(rules.game_type), "game_type", rules.game_type, "a name")
    require(low >= 2, "min_players", low, "2 or more")
    require(high >= low, "max_players", high, f"min_players ({low}) or more")
    require(expected is None or low <= expected <= high, "expected_players", expected, f"{low} to {high}, or null")
    require(rules.max_referees >= 1, "max_referees", rules.max_referees, "1 or more")
    most = rules.max_referees
    require(rules.expected_referees in range(1, most + 1), "expected_referees", rules.expected_referees, f"1 to {most}")
    require(rules.max_attempts >= 1, "max_attempts", rules.max_attempts, "1 or more")
    absences = rules.absences_before_sitting_out
    require(absences >= 0, "absences_before_sitting_out", absences, "0 or more")
    try:
        criteria(rules.tiebreakers)
    except ValueError as error:
        require(False, "tiebreakers", list(rules.tiebreakers), error)
    _check_roster("roster", rules.roster, "P")
    _check_roster("referee_roster", rules.referee_roster, "REF")


def check_agent(agent: Agent, rules: LeagueRules) -> None:
    """Refuse an agent that could not play in a league of these rules.

    Raises:
        InvalidField: It has no name, or no endpoint.
        ProtocolVersionMismatch: It speaks another major version, or one that is too old.
        UnsupportedGameType: It does not play this league's game.
    """
    require(bool(agent.display_name.strip()), "display_name", agent.display_name, "a name")
    require(bool(agent.endpoint), "contact_endpoint", agent.endpoint, "an address")
    version, minimum = _version(agent.protocol_version), _version(MINIMUM_PROTOCOL_VERSION)
    if version < minimum or version[:1] != minimum[:1]:
        raise ProtocolVersionMismatch(
            f"protocol version {agent.protocol_version} is not supported",
            field="protocol_version",
            value=agent.protocol_version,
            expected=f"{MINIMUM_PROTOCOL_VERSION} or newer, below {minimum[0] + 1}.0.0",
        )
    if rules.game_type not in agent.game_types:
        raise UnsupportedGameType(
            f"this league plays {game_name(rules.game_type)}: start the agent with --game {game_name(rules.game_type)}",
            field="game_types",
            value=list(agent.game_types),
            expected=rules.game_type,
        )


def check_result(result: MatchResult, fixture: Fixture, scoring: Scoring) -> None:
    """Refuse a result that does not fit its match or rules, naming the first field."""
    players = fixture.players
    require(result.round_id == fixture.round_id, "round_id", result.round_id, fixture.round_id)
    require(result.players == players, "players", list(result.players), list(players))
    require(result.winner is None or result.winner in players, "winner", result.winner, f"one of {players}, or null")
    if result.status is ResultStatus.WIN:
        require(result.winner is not None, "winner", result.winner, f"one of {players}")
    if result.status is ResultStatus.DRAW:
        require(result.winner is None, "winner", result.winner, "null, because it is a draw")
    require(not result.not_played, "not_played", True, "false: a referee reports what was played")
    _check_faults(result)
    if len(players) > 2:
        _check_places(result)
    expected = points(result, scoring)
    require(dict(result.score) == expected, "score", dict(result.score), expected)


def points(result: MatchResult, scoring: Scoring) -> dict[str, int]:
    """League points of a result, by player id.

    In a match of three or more, a player has those of a win against each opponent placed behind it, of a draw for each
    that shares its place, and of a loss for each placed before it.
    """
    if result.places:
        return _points_by_place(result, scoring)
    if result.status is ResultStatus.DRAW:
        return dict.fromkeys(result.players, scoring.draw)
    if result.status is ResultStatus.WIN:
        return {player: scoring.win if player == result.winner else scoring.loss for player in result.players}
    faults = at_fault(result)
    return {player: scoring.technical_loss if player in faults else scoring.win for player in result.players}


def _points_by_place(result: MatchResult, scoring: Scoring) -> dict[str, int]:
    faults, places = at_fault(result), result.places

    def worth(player: str, other: str) -> int:
        if player in faults:
            return scoring.technical_loss
        if places[player] == places[other]:
            return scoring.draw
        return scoring.win if places[player] < places[other] else scoring.loss

    return {
        player: sum(worth(player, other) for other in result.players if other != player) for player in result.players
    }


def _check_places(result: MatchResult) -> None:
    players, places, told = result.players, result.places, result.details.get("places")
    known = set(places) == set(players) and all(type(place) is int for place in places.values())
    require(known, "places", told, f"a whole number for each of {players}")
    fitting = places_by({player: -place for player, place in places.items()})
    require(places == fitting, "places", told, f"{fitting}: 1 and the number of players before it")
    faults = at_fault(result)
    last = len(players) - len(faults) + 1
    at_last = frozenset(player for player, place in places.items() if place == last)
    require(not faults or at_last == faults, "places", told, f"{last}, the last, for {sorted(faults)} alone")
    first = None if len(faults) == len(players) else sole_first(places)
    require(result.winner == first, "winner", result.winner, f"{first}, because of the places")


def _check_faults(result: MatchResult) -> None:
    named = [fault.player_id for fault in result.faults]
    if result.status is not ResultStatus.TECHNICAL_LOSS:
        require(not named, "faults", named, f"none, because the status is {result.status}")
        return
    causes = [str(fault.cause) for fault in result.faults]
    require(not {Cause.WITHDREW, Cause.SITS_OUT} & {*causes}, "faults", causes, "causes that a referee sees")
    once = len(set(named)) == len(named)
    require(once and set(named) <= set(result.players), "faults", named, f"each of {result.players} at most once")
    blameless = [player for player in result.players if player not in at_fault(result)]
    if len(blameless) < 2:  # else their places say who has won
        winner = blameless[0] if blameless else None
        require(result.winner == winner, "winner", result.winner, f"{winner}, because of the faults")


def _check_roster(field: str, roster: Mapping[str, str], prefix: str) -> None:
    ids = list(roster.values())
    form = re.compile(prefix + "([0-9]{2}|[1-9][0-9]{2,8})")
    well_formed = all(form.fullmatch(agent_id) for agent_id in ids)
    require(well_formed and len(set(ids)) == len(ids), field, dict(roster), f"different ids such as {prefix}01")


def _version(text: str) -> tuple[int, ...]:
    """The numbers of a version; for anything else empty, which is lower than any."""
    parts = _VERSION.fullmatch(text)
    return () if parts is None else tuple(int(part or 0) for part in parts.groups())
