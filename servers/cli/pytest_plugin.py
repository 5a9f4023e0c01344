"""Pytest plug-in: `pytest --league-url URL` adds a test a compliance check.

Nothing else is loaded, and nothing happens, where the option is not given: every pytest of whoever has the league
installed loads this file.
"""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from league_sdk.testing.compliance import ComplianceCheck, ComplianceReport


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("league", "compliance of an agent with the league protocol")
    option = group.addoption
    option("--league-url", metavar="URL", help="check the agent at this URL; it has to be running")
    option("--league-role", choices=("player", "referee", "manager"), default="player", help="what the agent is")
    option("--league-game", metavar="NAME", help="the game to play")
    option("--league-dialect", action="append", metavar="NAME", help="speak only this; may be repeated")
    option("--league-manager-port", type=int, metavar="PORT", help="play the league manager here")
    option("--league-operator-token", metavar="TOKEN", help="starts the league of a league manager")
    option("--league-referee-secret", metavar="SECRET", help="what a league manager asks referees for")
    option("--league-wait", type=float, default=10.0, metavar="SEC", help="wait for the agent; default: 10")
    for name in ("join", "move", "response"):
        option(f"--league-{name}-timeout", type=float, metavar="SEC", help=f"the agent's time to answer: {name}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Check the agent, and add a test for each check."""
    url: str | None = config.getoption("--league-url")
    if url is None:
        return
    if hasattr(config, "workerinput"):
        raise pytest.UsageError("--league-url checks one agent in one process: leave out -n")
    agent = _AgentUnderTest.from_parent(session, name=url)  # pyright: ignore[reportUnknownMemberType]
    items += [_Test.from_parent(agent, name=check.title, check=check) for check in _checked(url, config).checks]  # pyright: ignore[reportUnknownMemberType]


def _checked(url: str, config: pytest.Config) -> "ComplianceReport":
    import anyio

    from league_sdk.errors import LeagueError
    from league_sdk.testing.compliance import DIALECTS, Timeouts, check_agent
    from league_sdk.transports import AddressUnusable

    def option(name: str) -> Any:
        return config.getoption(f"--league-{name}")

    given = {name: option(f"{name}-timeout") for name in ("join", "move", "response")}

    async def check() -> "ComplianceReport":
        return await check_agent(
            url,
            option("role"),
            game=option("game"),
            dialects=tuple(option("dialect") or DIALECTS),
            timeouts=Timeouts(**{name: value for name, value in given.items() if value is not None}),
            manager_port=option("manager-port"),
            operator_token=option("operator-token"),
            referee_secret=option("referee-secret"),
            wait=option("wait"),
        )

    try:
        return anyio.run(check)
    except (LeagueError, AddressUnusable) as error:
        raise pytest.UsageError(f"--league-url {url}: {error}") from error


class _AgentUnderTest(pytest.Collector):
    """The agent that is checked; its tests are made by the hook."""

    def collect(self) -> list[pytest.Item]:
        return []


class _Broken(Exception):
    """The agent does not keep a rule."""


class _Test(pytest.Item):
    """One check of the agent."""

    def __init__(self, *, check: "ComplianceCheck", **options: Any) -> None:
        super().__init__(**options)  # pyright: ignore[reportUnknownMemberType]
        self._check = check

    def runtest(self) -> None:
        if self._check.status == "skipped":
            pytest.skip(self._check.detail)
        if self._check.status == "advised":
            pytest.xfail(f"advice: {self._check.detail}")
        if self._check.status == "failed":
            raise _Broken

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The message sent, the answer, and the rule of the protocol."""
        from league_sdk.testing.compliance.check_report import explain

        if isinstance(excinfo.value, _Broken):
            return explain(self._check)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, None, str]:
        """The name of the check; it has no file."""
        return "league", None, self.name
