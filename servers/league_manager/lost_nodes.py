"""Players whose machine was lost: their absence is no fault of theirs."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Self

import anyio

from league_sdk.clock import Clock, SystemClock
from league_sdk.domain.league_state import League
from league_sdk.domain.matches.causes import ABSENCES
from league_sdk.domain.model import Fixture, MatchResult, Role
from league_sdk.errors import MatchNotFound, RateLimited
from servers.agent.agent_spec import AgentSpec
from servers.agent.place_reports import Loss, PlaceReports

REPORT_SEC = 90.0
"""Time that a place has for its word on an absent player: Ray takes up to 70 s to miss a silent machine."""
BACK_SEC = 180.0
"""Time that a match waits for players of a lost machine: two minutes for a place elsewhere, and one to register."""

Look = Callable[[str], Awaitable[str]]
"""Finds out what answers at an endpoint; empty without an answer."""


@dataclass(slots=True)
class LostNodes:
    """Tells the loss of a player's machine from other absences.

    Without reports of a place nothing waits, and no match is played again.
    """

    placed: frozenset[str] = frozenset()  # names of the players that the launcher placed
    reports: PlaceReports | None = None
    clock: Clock = field(default_factory=SystemClock)
    look: Look | None = None
    _begun: dict[str, int] = field(default_factory=dict[str, int])  # losses before its attempt, by match
    _asked: dict[tuple[str, int], float] = field(default_factory=dict[tuple[str, int], float])

    @classmethod
    def of(cls, spec: AgentSpec, clock: Clock, look: Look) -> Self:
        """Those of a manager that was started by this specification."""
        placed = frozenset(name for role, name in spec.expected if role is Role.PLAYER)
        return cls(placed, spec.place_reports, clock, look)

    async def until_lost(self, league: League, match_id: str, *, taken_up: bool) -> str:
        """Wait until the machine of one of a match's players is lost; the player.

        An attempt that was under way before the manager was started counts from the first report on. The last attempt
        is not given up: its result stands.
        """
        reports = self.reports
        while reports is None or _last_attempt(league, match_id):
            await anyio.sleep_forever()
        self._begun[match_id] = 0 if taken_up else reports.number
        names = _names(league, league.fixture(match_id).players)
        while True:
            for player_id, name in names.items():
                if reports.since(self._begun[match_id], name) is Loss.NODE:
                    return player_id
            await reports.next()

    async def until_back(self, league: League, fixture: Fixture) -> None:
        """Wait until players of lost machines are started again, within a bound."""
        reports, names = self.reports, _names(league, fixture.players).values()
        if reports is None or not reports.away(names):
            return
        async with anyio.create_task_group() as waiting:

            async def give_up() -> None:
                await self.clock.sleep(BACK_SEC)
                for name in reports.away(names):
                    reports.back(name)

            waiting.start_soon(give_up)
            while reports.away(names):
                await reports.next()
            waiting.cancel_scope.cancel()

    async def check(self, league: League, result: MatchResult) -> None:
        """Let a result pass, unless a player whose machine may be lost is blamed.

        Raises:
            MatchNotFound: The machine is lost, and the match is played again.
            RateLimited: Its place has not said yet.
        """
        absent = {fault.player_id for fault in result.faults if fault.cause in ABSENCES}
        names = {player_id: name for player_id, name in _names(league, absent).items() if name in self.placed}
        if self.reports is None or not names or _last_attempt(league, result.match_id):
            return
        losses = {
            player_id: self.reports.since(self._begun.get(result.match_id, 0), name)
            for player_id, name in names.items()
        }
        if Loss.NODE in losses.values():
            lost = ", ".join(player_id for player_id, loss in losses.items() if loss is Loss.NODE)
            raise MatchNotFound(f"{result.match_id} is played again: the machine of {lost} was lost")
        key = (result.match_id, result.attempt)
        asked = self._asked.setdefault(key, self.clock.monotonic())
        unknown = [player_id for player_id, loss in losses.items() if loss is None]
        if self.clock.monotonic() - asked < REPORT_SEC and not await self._answer(league, unknown):
            raise RateLimited(f"it is not known yet if the machine of {', '.join(unknown)} was lost; report it again")
        self._asked.pop(key, None)

    async def _answer(self, league: League, players: list[str]) -> bool:
        """True if all of these players answer, so that none has lost its machine."""
        for player_id in players:
            if self.look is None or not await self.look(league.player(player_id).endpoint):
                return False
        return True


def _last_attempt(league: League, match_id: str) -> bool:
    return league.attempt(match_id) >= league.rules.max_attempts


def _names(league: League, players: Iterable[str]) -> dict[str, str]:
    return {player_id: league.player(player_id).display_name for player_id in players}
