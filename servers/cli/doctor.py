"""`league doctor`: checks of the environment, with advice."""

import importlib
import importlib.metadata
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from league_sdk import plugins
from league_sdk.clock import SystemClock
from league_sdk.release import DISTRIBUTION
from league_sdk.settings import ConfigError, ConfigLoader, Workspace
from servers.cli import common, operations_checks
from servers.cli.common import ConfigOption, DataOption, JsonOption, PluginsOption, StoreOption, out
from servers.cli.foreground import Public
from servers.cli.operations_checks import CheckResult
from servers.cli.run_arguments import On
from servers.launcher.port_check import obstacle

PACKAGES = ("league_sdk", "clients", "servers", "game_rules")
NEEDED = {"mcp": (2, 3), "pydantic": (2, 12), "starlette": (1, 0), "uvicorn": (0, 40), "SQLAlchemy": (2, 0)}


def doctor(
    port_base: Annotated[
        int | None,
        typer.Option("--port-base", min=1, max=65535, help="Check the ports from this one on. Default: 8000."),
    ] = None,
    data: DataOption = None,
    store: StoreOption = None,
    public_host: Public = None,
    on: On = "",
    config: ConfigOption = None,
    plugin_folders: PluginsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check versions, packages, configuration, folders, ports, disk and store.

    Of a store it names version and space, of a certificate (security.tls_cert) its days, and whether it is for
    --public-host; of that whether it leads to this machine; of a webhook whether it may be called; of a Ray cluster
    (--on ray, or RAY_ADDRESS) its nodes. What is wrong comes with advice.

    [bold]Examples[/bold]

      league doctor
      league doctor --port-base 9000 --data /tmp/leagues
      league doctor --store postgresql://league@db/league
      league doctor --public-host league.example.org
      league doctor --on ray

    Exit code: 0 no problems, 1 problems found.
    """
    findings = [
        *versions(),
        *packages(),
        *configuration(config),
        *plug_ins(common.folders_of(plugin_folders)),
        *folders(common.workspace_of(data)),
        *operations_checks.disk(common.workspace_of(data)),
        *operations_checks.descriptors(),
        *as_configured(config, store, public_host),
        *operations_checks.cluster(on or ("ray" if os.environ.get("RAY_ADDRESS") else "processes")),
        *ports(config, port_base),
    ]
    fine = all(finding.fine for finding in findings)
    if as_json:
        listed = [{"what": f.what, "fine": f.fine, "detail": f.detail, "advice": f.advice or None} for f in findings]
        common.print_json({"fine": fine, "findings": listed})
    else:
        _print(findings)
    common.end(0 if fine else common.FAILED)


def versions() -> Iterator[CheckResult]:
    """Python and the libraries that matter."""
    python = ".".join(str(part) for part in sys.version_info[:3])
    yield CheckResult("Python", sys.version_info >= (3, 11), python, "install Python 3.11 or newer")
    for name, least in NEEDED.items():
        wanted = ".".join(str(part) for part in least)
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield CheckResult(name, False, "not installed", f"pip install '{name}>={wanted}'")
            continue
        numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdigit())
        yield CheckResult(name, numbers >= least, found, f"pip install --upgrade '{name}>={wanted}'")


def packages() -> Iterator[CheckResult]:
    """Check that no other distribution brings a package of our names."""
    owners = _owners()
    home = Path(importlib.import_module("league_sdk").__file__ or "").parent.parent
    for name in PACKAGES:
        where = Path(importlib.import_module(name).__file__ or "").parent
        others = sorted(owners[name] - {DISTRIBUTION})
        if others:
            advice = f"uninstall {', '.join(others)}, or install the league in an environment of its own"
            yield CheckResult(f"package {name}", False, f"also installed by {', '.join(others)}", advice)
        elif where.parent != home:
            advice = f"{where.parent} stands before {home} on sys.path; check PYTHONPATH and the current folder"
            yield CheckResult(f"package {name}", False, f"comes from {where}", advice)
        else:
            yield CheckResult(f"package {name}", True, str(where))


def _owners() -> dict[str, set[str]]:
    """The distributions that bring each package, by their lists of files.

    `importlib.metadata.packages_distributions` makes a path of every file that is installed, which takes ten times as
    long.
    """
    owners: dict[str, set[str]] = {name: set() for name in PACKAGES}
    for found in importlib.metadata.distributions():
        declared = (found.read_text("top_level.txt") or "").split()
        listed = [] if declared else (found.read_text("RECORD") or "").splitlines()
        brought = {*declared, *(line.partition("/")[0] for line in listed)}
        for name in brought & owners.keys():
            owners[name].add(found.metadata["Name"])
    return owners


def configuration(config: Path | None) -> Iterator[CheckResult]:
    try:
        loader = ConfigLoader(config)
        warnings = loader.validate()
    except ConfigError as error:
        yield CheckResult("configuration", False, str(error), "fix the named value")
        return
    yield CheckResult("configuration", True, f"{loader.root} ({loader.origin})")
    for warning in warnings:
        yield CheckResult("configuration", True, f"warning: {warning}")


def plug_ins(plugin_folders: tuple[str, ...]) -> Iterator[CheckResult]:
    finders: dict[str, Callable[[tuple[str, ...]], object]] = {
        "games": lambda where: ", ".join(plugins.game_classes(where)),
        "strategies": lambda where: ", ".join(
            [*plugins.strategies(where), *(f"{library}:NAME" for library in plugins.strategy_libraries(where))]
        ),
    }
    for what, find in finders.items():
        try:
            found = str(find(plugin_folders))
        except plugins.PluginError as error:
            yield CheckResult(what, False, str(error), "fix or remove that plug-in")
            continue
        yield CheckResult(
            what, bool(found), found or "none", "install the distribution with its entry points: pip install -e ."
        )


def folders(workspace: Workspace) -> Iterator[CheckResult]:
    """Check the folders that a league writes to."""
    missing = [path for path in (workspace.logs, workspace.data, *workspace.data.parents) if not path.exists()]
    try:
        workspace.prepare()
    except ConfigError as error:
        yield CheckResult("data folder", False, str(error), "choose another with --data")
        return
    finally:
        for path in missing:
            with suppress(OSError):
                path.rmdir()  # looking leaves nothing behind
    yield CheckResult("data folder", True, str(workspace.data))
    yield CheckResult("log folder", True, str(workspace.logs))


def as_configured(config: Path | None, store: str | None, public_host: str | None) -> Iterator[CheckResult]:
    """Store, certificate, webhook and address, as given or as configured."""
    try:
        system = ConfigLoader(config).load_system()
    except ConfigError:
        return  # told of where the configuration is looked at
    yield from operations_checks.store(store or system.store_url)
    host = public_host or system.network.base_host
    yield from operations_checks.certificate(system.security, host, SystemClock())
    yield from operations_checks.webhook(system.notify)
    yield from operations_checks.reachability("0.0.0.0" if public_host else system.network.bind_host, host)  # noqa: S104


def ports(config: Path | None, port_base: int | None) -> Iterator[CheckResult]:
    """The ports of a league as configured."""
    try:
        loader = ConfigLoader(config)
        network, agents = loader.load_system().network, loader.load_agents()
        network = network if port_base is None else network.moved_to(port_base)
    except ConfigError:
        return  # told of where the configuration is looked at
    except ValueError as error:
        yield CheckResult("ports", False, str(error), "choose another --port-base")
        return
    wanted = {network.league_manager_port: "league manager"}
    referees, players = network.ports_for(len(agents.referees), len(agents.players))
    wanted |= {port: agent.display_name for port, agent in zip(referees, agents.referees, strict=True)}
    wanted |= {port: agent.display_name for port, agent in zip(players, agents.players, strict=True)}
    for port, whose in wanted.items():
        found = obstacle(network.bind_host, port)
        detail = found or f"free for {whose}"
        yield CheckResult(f"port {port}", not found, detail, "stop the program that uses it, or use --port-base")


def _print(findings: list[CheckResult]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for finding in findings:
        mark = Text("ok", style="green") if finding.fine else Text("!!", style="bold red")
        table.add_row(mark, Text(finding.what), Text(finding.detail))
        if not finding.fine:
            table.add_row("", "", Text(f"→ {finding.advice}", style="bold"))
    out.print(table)
