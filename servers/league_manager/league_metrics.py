"""Metrics and readiness of a league, read when they are asked for."""

from collections import Counter
from collections.abc import Mapping

import anyio

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Cause, ResultStatus, Role
from league_sdk.ports import StoreFailed
from servers.league_manager.ledger import Ledger
from servers.observability.health import OK, Operations
from servers.observability.metrics import EVENTS_STORED, MATCHES, REGISTERED, ROUNDS, STATE, TECHNICAL_LOSSES

WAITING, UNDER_WAY, VOID = "waiting", "under_way", "void"
Readings = Mapping[tuple[str, ...], float]


def watch_league(operations: Operations, ledger: Ledger, resumed: anyio.Event) -> None:
    """Tie a manager's metrics to its league, its readiness to store and runner."""

    async def store_answers() -> str:
        try:
            await ledger.probe()
        except StoreFailed:
            return "the store does not work"
        return OK

    async def goes_on() -> str:
        return OK if resumed.is_set() else "the league has not gone on yet"

    operations.require("store", store_answers)
    operations.require("league", goes_on)
    operations.tell_state(lambda: str(ledger.league.state))
    read = operations.metrics.read
    read(EVENTS_STORED, lambda: {(kind,): float(number) for kind, number in ledger.stored.items()})
    read(STATE, lambda: {(str(state),): float(state is ledger.league.state) for state in LeagueState})
    read(ROUNDS, lambda: _rounds(ledger.league))
    read(REGISTERED, lambda: _registered(ledger.league))
    read(MATCHES, lambda: matches(ledger.league))
    read(TECHNICAL_LOSSES, lambda: technical_losses(ledger.league))


def matches(league: League) -> Readings:
    results = Counter(result.status for result in league.results.values())
    decided, void = sum(results.values()), len(league.voided)
    under_way = sum(fixture.match_id in league.assignments for fixture in league.under_way())
    return {
        (WAITING,): float(league.total_matches - decided - void - under_way),
        (UNDER_WAY,): float(under_way),
        (VOID,): float(void),
        **{(str(status).lower(),): float(results[status]) for status in ResultStatus},
    }


def technical_losses(league: League) -> Readings:
    causes = Counter(fault.cause for result in league.results.values() for fault in result.faults)
    return {(str(cause),): float(causes[cause]) for cause in Cause}


def _rounds(league: League) -> Readings:
    return {
        ("planned",): float(league.total_rounds),
        ("started",): float(league.rounds_started),
        ("completed",): float(league.rounds_completed),
    }


def _registered(league: League) -> Readings:
    return {(str(role),): float(len(league.agents(role))) for role in (Role.PLAYER, Role.REFEREE)}
