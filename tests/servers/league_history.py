"""A league that is led by hand, with the records that a store would hold of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio

from league_sdk.domain.events import GENESIS, Event, Record, seal
from league_sdk.domain.league import League
from league_sdk.domain.model import Cause, Fault, ResultStatus
from league_sdk.settings import Workspace
from league_sdk.stores import open_store
from servers.agent.startup_status import Report, recorded
from tests.league_sdk.domain.season import Season, first_round, registered, running

AT = "2025-01-15T10:00:{:02d}.000Z"


@dataclass
class LeagueHistory:
    """The course of a league, as records.

    Attributes:
        season: The league.
        sealed: Its records, as far as they were asked for.
    """

    season: Season
    sealed: list[Record] = field(default_factory=list[Record])

    @property
    def league(self) -> League:
        """The league as it is now."""
        self._seal()
        return self.season.league

    def do(self, command: Any) -> list[Record]:
        """Let something happen; its records."""
        known = len(self.records())
        self.season.do(command)
        return self.records()[known:]

    def records(self) -> list[Record]:
        """All records so far."""
        self._seal()
        return self.sealed

    def reports(self, start: int = 0) -> list[Report]:
        """A manager's reports to its supervisor."""
        return [recorded(record) for record in self.records()[start:]]

    def write(self, workspace: Workspace) -> str:
        """Store it as a league manager does; its id."""
        workspace.prepare()
        league_id = self.league.league_id
        workspace.league_dir(league_id).mkdir(parents=True, exist_ok=True)
        anyio.run(_store, workspace, league_id, self.season.events)
        return league_id

    def _seal(self) -> None:
        for number in range(len(self.sealed), len(self.season.events)):
            previous = self.sealed[-1].digest if self.sealed else GENESIS
            at = AT.format(min(number, 59))
            league_id = self.season.league.league_id
            self.sealed.append(seal(league_id, number + 1, at, self.season.events[number], previous))


async def _store(workspace: Workspace, league_id: str, events: Sequence[Event]) -> None:
    store = await open_store(None, workspace.data, league_id)
    for number, event in enumerate(events):
        await store.append(league_id, [event], expected=number, at=AT.format(min(number, 59)))
    await store.close()


def waiting(players: int = 2, **changes: Any) -> LeagueHistory:
    """A league in registration."""
    return LeagueHistory(registered(players, 1, **changes))


def begun(players: int = 4, **changes: Any) -> LeagueHistory:
    """A league that runs, before its first round."""
    return LeagueHistory(running(players, **changes))


def under_way(players: int = 4, **changes: Any) -> LeagueHistory:
    """A league in its first round, R1M1 being played."""
    return LeagueHistory(first_round(players, **changes))


def finished(players: int = 4, **changes: Any) -> LeagueHistory:
    """A league from its first to its last event."""
    return LeagueHistory(running(players, **changes).play())


def technical_loss(history: LeagueHistory, match_id: str, *players: str) -> Any:
    """The result of a match in which these players did not answer."""
    fixture = history.league.fixture(match_id)
    others = [player for player in fixture.players if player not in players]
    return history.season.result(
        match_id,
        others[0] if others else None,
        status=ResultStatus.TECHNICAL_LOSS,
        reason="no answer in time",
        faults=tuple(Fault(player, Cause.NO_MOVE, "move", "E001", 4, "silent", {}) for player in players),
        **({} if others else {"score": dict.fromkeys(fixture.players, 0)}),
    )
