"""Restarts of agents that were killed: how long they pause before, and when they end."""

from pathlib import Path

import anyio
import pytest

from league_sdk.clock import ManualClock
from league_sdk.domain.events import Record
from league_sdk.domain.league import League
from league_sdk.domain.model import LeagueRules, Role
from league_sdk.settings import Workspace
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import ReportTo, failed
from servers.launcher.plan import LaunchPlan
from servers.launcher.supervisor import RESTART_MAX_SEC, RESTARTS, RunEnding, Supervisor, restart_pause


class PatientClock(ManualClock):
    """Notes every pause."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await super().sleep(seconds)


class Notes:
    """Keeps what the person at the terminal is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def league(self, league: League, record: Record) -> None:
        raise AssertionError("nothing happens in this league")

    def waits(self, lines: object) -> None: ...

    def note(self, text: str) -> None:
        self.told.append(text)


def plan() -> LaunchPlan:
    workspace, rules = Workspace(Path("/nowhere")), LeagueRules("L", "fingers")
    roles = (Role.LEAGUE_MANAGER, Role.REFEREE, Role.PLAYER)
    manager, referee, player = (AgentSpec(role, str(role), workspace.root) for role in roles)
    return LaunchPlan("L", workspace, rules, manager, (referee,), (player,))


@pytest.mark.anyio
@pytest.mark.parametrize("role", [Role.LEAGUE_MANAGER, Role.REFEREE, Role.PLAYER])
async def test_an_agent_that_is_killed_again_and_again_is_started_ever_more_slowly_and_then_no_more(role: Role):
    clock, notes, starts = PatientClock(), Notes(), list[AgentSpec]()

    async def launch(spec: AgentSpec, report: ReportTo) -> int:
        if spec.role is not role:
            await anyio.sleep_forever()
        starts.append(spec)
        return -9

    with anyio.fail_after(30):
        outcome = await Supervisor(plan(), launch, notes, clock=clock).run()
    assert clock.pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0, 5.0]
    assert len(starts) == 1 + RESTARTS
    assert [spec.resume for spec in starts[1:]] == [role is Role.LEAGUE_MANAGER] * RESTARTS
    assert notes.told[0] == f"{role} was ended by signal 9; it is started again (1 of 10)"
    assert outcome.ending is RunEnding.FAILED
    assert outcome.reasons == [f"{role} was ended by signal 9 before the league was over"]


@pytest.mark.anyio
async def test_an_agent_that_says_why_it_cannot_go_on_after_a_restart_is_believed():
    clock, ways = PatientClock(), [-9, 1]

    async def launch(spec: AgentSpec, report: ReportTo) -> int:
        if spec.role is not Role.LEAGUE_MANAGER:
            await anyio.sleep_forever()
        code = ways.pop(0)
        if code == 1:
            report(failed("the disk is full"))
        return code

    with anyio.fail_after(30):
        outcome = await Supervisor(plan(), launch, Notes(), clock=clock).run()
    assert clock.pauses == [0.1]
    assert outcome.reasons == ["league_manager: the disk is full"]


def test_pauses_never_shrink_and_stay_within_their_limit_however_often_an_agent_dies():
    pauses = [restart_pause(restart) for restart in range(1, 5_000)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == RESTART_MAX_SEC
