"""A small league in this event loop, over real sockets, for tests that disturb it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import httpx2
from anyio.abc import TaskGroup

from league_sdk.domain.model import Role
from league_sdk.settings import ConfigLoader
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent
from tests.servers.fakes import OPERATOR

QUICK: Mapping[str, Any] = {
    "retry_policy.backoff_base_sec": 0.01,
    "timeouts.move_timeout_sec": 10,
    "timeouts.generic_response_timeout_sec": 10,
    "heartbeat_interval_sec": 1,
}


class SmallLeague:
    """A manager, a referee and players, each behind its own socket.

    Args:
        workspace: Where they write.
        overrides: Settings for all of them.
        names: The players.
        theirs: Settings for all but the manager.
    """

    def __init__(
        self,
        workspace: Path,
        overrides: Mapping[str, Any] | None = None,
        names: tuple[str, ...] = ("Ada", "Bea"),
        *,
        theirs: Mapping[str, Any] | None = None,
    ) -> None:
        self.workspace = workspace
        self.names = names
        self.codes: dict[str, int] = {}
        self.reports: dict[str, list[Any]] = {}
        self.endpoints: dict[str, str] = {}
        self._overrides = {**QUICK, **(overrides or {})}
        self._theirs = dict(theirs or {})
        self._heard = anyio.Event()

    async def open(self, tasks: TaskGroup, *, by_hand: bool = False, **more: Any) -> str:
        """Begin the manager; its endpoint. By hand, the league begins when `start` says so."""
        loader = ConfigLoader(overrides=self._overrides)
        made = loader.league_rules(
            loader.league_for_game("even_odd"),
            as_id="small",
            expected_players=None if by_hand else len(self.names),
            expected_referees=1,
            min_players=2,
            registration_timeout_sec=0,
            seed="7",
            roster={},
            referee_roster={},
        )
        self.begin(tasks, self.spec(Role.LEAGUE_MANAGER, "Manager", rules=made, **more))
        self.endpoints["Manager"] = await self.heard("Manager", "listening", "endpoint")
        return self.endpoints["Manager"]

    async def join(self, tasks: TaskGroup, **more: Any) -> None:
        """Begin everybody else."""
        for name in ("Referee", *self.names):
            role = Role.REFEREE if name == "Referee" else Role.PLAYER
            self.begin(tasks, self.spec(role, name, manager_url=self.endpoints["Manager"], **more))
            self.endpoints[name] = await self.heard(name, "listening", "endpoint")

    async def start(self) -> None:
        """Begin the league by hand, once everybody is in."""
        for name in ("Referee", *self.names):
            await self.heard(name, "registered", "agent_id")
        url = self.endpoints["Manager"].replace("/mcp", "/admin/start_league")
        async with httpx2.AsyncClient() as operator:
            answer = await operator.post(url, headers={"authorization": f"Bearer {OPERATOR}"})
        assert answer.status_code == 200, answer.text

    def spec(self, role: Role, name: str, **more: Any) -> AgentSpec:
        """An agent of this league."""
        overrides = self._overrides if role is Role.LEAGUE_MANAGER else {**self._overrides, **self._theirs}
        plain: dict[str, Any] = {"game_types": ("even_odd",), "operator_token": OPERATOR, "league_id": "small"}
        return AgentSpec(role, name, self.workspace, overrides=overrides, seed="7", **plain, **more)

    def begin(self, tasks: TaskGroup, spec: AgentSpec) -> None:
        """Start an agent."""
        self.reports[spec.name] = []

        def report(said: Any) -> None:
            self.reports[spec.name].append(said)
            self._heard.set()
            self._heard = anyio.Event()

        async def run() -> None:
            self.codes[spec.name] = await run_agent(spec, report)
            self._heard.set()
            self._heard = anyio.Event()

        tasks.start_soon(run)

    async def heard(self, name: str, kind: str, field: str) -> Any:
        """Wait for what an agent reports."""
        return await self.until(lambda: next((r[field] for r in self.reports[name] if r["kind"] == kind), None))

    async def until(self, condition: Callable[[], Any]) -> Any:
        """Wait for something to be true, and return it."""
        while not (found := condition()):
            await self._heard.wait()
        return found

    async def ended(self) -> None:
        """Wait until everybody has."""
        everybody = {"Manager", "Referee", *self.names}
        await self.until(lambda: everybody <= set(self.codes))

    @property
    def results(self) -> list[Mapping[str, Any]]:
        """The recorded results."""
        records = [said["record"] for said in self.reports["Manager"] if said["kind"] == "record"]
        return [record["payload"]["result"] for record in records if record["type"] == "MatchRecorded"]
