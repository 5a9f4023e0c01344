"""Runs one agent in the foreground until it ends or is interrupted."""

import shlex
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeAlias

import anyio
import typer

from league_sdk.clock import SystemClock
from league_sdk.domain.events import Record
from league_sdk.domain.league import League, evolve
from league_sdk.domain.model import Role
from league_sdk.settings import ConfigLoader, SystemConfig, Workspace
from servers.agent import security
from servers.agent.agent_spec import AgentSpec
from servers.agent.output_guard import guarded_output
from servers.agent.startup_status import Report, ReportTo
from servers.cli import common
from servers.launcher.port_check import check_ports
from servers.launcher.run_options import PlanError
from servers.launcher.supervisor import restart_pause
from servers.launcher.worker_processes import in_worker_processes
from servers.read_model import WaitLine, operator_entry

Port: TypeAlias = Annotated[
    int | None, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 picks a free one.")
]
Stay: TypeAlias = Annotated[bool, typer.Option("--stay", help="Keep serving after the league is over.")]
Public: TypeAlias = Annotated[
    str | None,
    typer.Option("--public-host", help="Host name or address by which others reach this machine. Default: localhost."),
]
JsonLines: TypeAlias = Annotated[bool, typer.Option("--json", help="Print events as JSON lines, one per event.")]
Stdio: TypeAlias = Annotated[
    bool, typer.Option("--stdio", help="Also serve MCP on standard input and output; end when the input ends.")
]


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """Options for an agent's address, secrets and output."""

    panel: ClassVar = "Address and process"
    port: Port = None
    host: common.HostOption = None
    public_host: Public = None
    seed: common.SeedOption = None
    token: common.TokenOption = None
    stay: Stay = False
    as_json: JsonLines = False
    stdio: Stdio = False


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Options for folders, settings and certificates."""

    panel: ClassVar = "Data, settings and certificates"
    data: common.DataOption = None
    config: common.ConfigOption = None
    plugins: common.PluginsOption = None
    settings: common.SetOption = None
    tls_cert: common.TlsCert = None
    tls_key: common.TlsKey = None
    tls_ca: common.TlsCa = None


@dataclass(frozen=True)
class AgentStart:
    """The configuration and the folder of an agent that is to be started."""

    config: Path | None
    overrides: Mapping[str, Any]
    data: Path | None

    @classmethod
    def read(cls, files: FileOptions, secrets: Mapping[str, str] | None = None) -> "AgentStart":
        """The start that the command line asks for; warns of its configuration."""
        tls = common.tls_overrides(files.tls_cert, files.tls_key, files.tls_ca)
        start = cls(files.config, {**common.overrides_of(files.settings, **tls), **(secrets or {})}, files.data)
        common.warn(start.loader)
        return start

    @cached_property
    def loader(self) -> ConfigLoader:
        return ConfigLoader(self.config, overrides=self.overrides)

    @cached_property
    def system(self) -> SystemConfig:
        return self.loader.load_system()

    @cached_property
    def workspace(self) -> Workspace:
        return common.workspace_of(self.data)

    def spec(self, role: Role, options: AgentOptions, plugins: list[Path] | None) -> AgentSpec:
        return AgentSpec(
            role=role,
            name="",
            workspace=self.workspace.root.absolute(),
            config=self.loader.root,
            overrides=self.overrides,
            bind_host=options.host or self.system.network.bind_host,
            public_host=options.public_host or self.system.network.base_host,
            plugins=common.folders_of(plugins),
            operator_token=options.token,
            stay=options.stay or options.stdio,
            stdio=options.stdio,
        )


def get_ready(spec: AgentSpec, as_json: bool) -> None:
    """Check ports, TLS files and folders, then make the agent's folder."""
    if spec.stdio and as_json:
        raise PlanError("--stdio and --json both want standard output; choose one of them")
    security.check_tls(ConfigLoader(spec.config, overrides=spec.overrides).load_system().security)
    check_ports(spec.bind_host, [spec.port], "--port")
    Workspace(spec.workspace).prepare()


def serve(spec: AgentSpec, as_json: bool, beside: AgentSpec | None = None) -> None:
    """Run a prepared agent, and one beside it; end with the first one's exit code."""
    with guarded_output(_not_told, descriptors=(2,) if spec.stdio else (1, 2)):
        code, by = anyio.run(_until_signal, spec, _as_json if as_json else _in_words(spec), beside)
        if by is not None:
            common.print_err(f"{spec.name}: ended by {common.ENDED_BY[by]}{_how_to_go_on(spec)}")
    common.end(code if by is None else common.INTERRUPTED)


def _not_told(sentence: str) -> None:
    del sentence


def _how_to_go_on(spec: AgentSpec) -> str:
    if spec.role is not Role.LEAGUE_MANAGER:
        return ""
    flags = f" --port {spec.port}{common.data_flag(Workspace(spec.workspace))}"
    if spec.bind_host not in ("127.0.0.1", "localhost"):
        flags += f" --host {shlex.quote(spec.bind_host)} --public-host {shlex.quote(spec.public_host)}"
    return f"; to continue:\n  league manager --resume {spec.league_id}{flags}"


async def _until_signal(
    spec: AgentSpec, report: ReportTo, beside: AgentSpec | None
) -> tuple[int, signal.Signals | None]:
    """Run the agent; its exit code, and the signal that ended it before, if one did."""
    from servers.launcher.agents import run_agent

    code, by = 0, None
    async with anyio.create_task_group() as tasks:

        async def heed_signals() -> None:
            nonlocal by
            with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
                async for which in signals:
                    by = by or which
                    tasks.cancel_scope.cancel()

        tasks.start_soon(heed_signals)
        if beside is not None:
            tasks.start_soon(_keep, beside)
        code = await run_agent(spec, report)
        tasks.cancel_scope.cancel()
    return code, by


async def _keep(spec: AgentSpec) -> None:
    """Run an agent in a process of its own, again whenever it ends."""
    launch, restart = in_worker_processes(), 0

    def heard(report: Report) -> None:
        if report["kind"] == "failed":
            common.print_err(f"league: {spec.name}: {report['text']}")

    while True:
        code, restart = await launch(spec, heard), restart + 1
        common.print_err(f"league: {spec.name} ended with exit code {code}; it is started again")
        await anyio.sleep(restart_pause(restart))


def _as_json(report: Report) -> None:
    sys.stdout.write(common.json_text(report) + "\n")
    sys.stdout.flush()


def _page(spec: AgentSpec, endpoint: str) -> str:
    """The address of the league's page as the end of a sentence; only of a manager."""
    return f"; watch the league at {endpoint.removesuffix('mcp')}" if spec.role is Role.LEAGUE_MANAGER else ""


def _in_words(spec: AgentSpec) -> ReportTo:
    league: list[League | None] = [None]

    def record(report: Report) -> str | None:
        stored = Record(**report["record"])
        league[0] = evolve(league[0], stored.event)
        entry = None if report["replayed"] else operator_entry(league[0], stored)
        return None if entry is None else entry.text

    waited: list[str] = []

    def new_waits(report: Report) -> str | None:
        now, lines = SystemClock().now(), [WaitLine(text, until) for text, until in report["lines"]]
        new = [line.at(now) for line in lines if line.text not in waited]
        waited[:] = [line.text for line in lines]
        return "\n".join(new) or None

    lines: dict[str, Callable[[Report], str | None]] = {
        "listening": lambda report: f"{spec.name} listens at {report['endpoint']}{_page(spec, report['endpoint'])}",
        "waiting": lambda report: f"{spec.name}: {report['text']}",
        "registered": lambda report: f"{spec.name} is {report['agent_id']} in league {report['league_id']}",
        "record": record,
        "match": lambda report: f"{spec.name}: {report['text']}",
        "waits": new_waits,
        "note": lambda report: f"{spec.name}: {report['text']}",
        "failed": lambda report: f"league: {spec.name}: {report['text']}",
    }

    def report(what: Report) -> None:
        line = lines[what["kind"]](what)
        if line is not None:
            common.print_err(line)

    return report
