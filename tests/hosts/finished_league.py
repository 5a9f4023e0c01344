"""A manager, a referee and players whose league is over, served in the test's own process."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from league_sdk.domain.model import LeagueRules, Role
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import Report
from servers.launcher.agents import run_agent

TOKEN = "a-token-for-the-operator-of-this-test"
LEAGUE = "finished_league"


@dataclass(frozen=True)
class FinishedLeague:
    """The agents of a finished league.

    Attributes:
        manager: Endpoint of the manager of a league that is over.
        referee: Endpoint of its referee.
        player: Endpoint of a player in no league.
        opponent: And of another one.
    """

    manager: str
    referee: str
    player: str
    opponent: str

    def named(self, role: str) -> str:
        """The endpoint of one of them."""
        endpoint: str = getattr(self, role)
        return endpoint


PATIENT = {f"timeouts.{name}_timeout_sec": 60.0 for name in ("game_join", "generic_response", "http_request")}
"""A dozen programs of Node.js are started beside a match: what that takes is nobody's fault."""
NOBODY = FinishedLeague("", "", "", "")
"""For what needs no endpoints."""


@asynccontextmanager
async def finished_league(folder: Path) -> AsyncGenerator[FinishedLeague]:
    """Play a league of two, and keep its agents."""
    heard: dict[str, dict[str, Report]] = {}
    news = anyio.Event()

    async with anyio.create_task_group() as tasks:

        async def start(role: Role, name: str, **more: object) -> None:
            told = heard.setdefault(name, {})

            def report(what: Report) -> None:
                nonlocal news
                told[what["record"]["type"] if what["kind"] == "record" else what["kind"]] = what
                news.set()
                news = anyio.Event()

            spec = AgentSpec(role, name, folder, game_types=("even_odd",), stay=True, seed="7", **more)  # type: ignore[arg-type]
            tasks.start_soon(run_agent, spec, report)

        async def until(name: str, kind: str) -> Report:
            while kind not in heard[name]:
                assert "failed" not in heard[name], heard[name]
                await news.wait()
            return heard[name][kind]

        with anyio.fail_after(60):
            rules = LeagueRules(LEAGUE, "even_odd", expected_players=2, expected_referees=1)
            await start(Role.LEAGUE_MANAGER, "manager", league_id=LEAGUE, rules=rules, operator_token=TOKEN)
            manager = (await until("manager", "listening"))["endpoint"]
            await start(Role.REFEREE, "Rex", manager_url=manager, operator_token=TOKEN, overrides=PATIENT)
            for name in ("Ada", "Bea"):
                await start(Role.PLAYER, name, manager_url=manager)
            for name, strategy in (("Eve", "always-even"), ("Odo", "always-odd")):
                await start(Role.PLAYER, name, strategy=strategy)
            await until("manager", "LeagueCompleted")
            alone = [(await until(name, "listening"))["endpoint"] for name in ("Eve", "Odo")]
            referee = (await until("Rex", "listening"))["endpoint"]
        yield FinishedLeague(manager, referee, *alone)
        tasks.cancel_scope.cancel()
