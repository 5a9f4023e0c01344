"""Runs a league's agents as actors of a Ray cluster."""

import os
import signal
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import anyio

from league_sdk.clock import SystemIds
from league_sdk.domain.model import LeagueRules, Role
from league_sdk.release import release
from league_sdk.settings import ConfigLoader, RetryPolicyConfig, SystemConfig
from league_sdk.stores import events_file
from servers.agent import security, startup_status
from servers.agent.agent_spec import AgentSpec
from servers.agent.manager_lock import manager_lock
from servers.agent.place_reports import Loss
from servers.agent.startup_status import Report
from servers.launcher.league_authority import LeagueAuthority, TlsText
from servers.launcher.plan import LaunchPlan
from servers.launcher.process_pool import STOP_SEC
from servers.launcher.ray_cluster import node_addresses, ray_cluster
from servers.launcher.ray_losses import RayLosses, loss_of
from servers.launcher.ray_node import LeagueAddress, Luggage, RayWorker, packed, unpacked, worker_name
from servers.launcher.requirements import PlanError, not_installed, packages, ray_options, without_a_node
from servers.launcher.worker_processes import Launch, in_workers

PROCESSORS = {Role.LEAGUE_MANAGER: 0.5, Role.REFEREE: 0.5, Role.PLAYER: 0.1}
"""Ray's CPU for one agent: at 100 players the manager keeps half a processor busy, and a referee of fifty as much."""
NOTE_SEC = 10.0
"""Time after which an agent that waits for its place is told of."""
PLACE_SEC = 120.0
"""Limit of waiting for a place: an autoscaler needs a minute or two for a node."""
PACKAGES_SEC = 600.0
"""The same for a worker with packages of its own: Ray's limit of installing them."""
REGISTER_SEC = 60.0
"""Time from the last place to the end of registration: a process starts, and its agents register."""
SETTINGS = ("LEAGUE_", "PG")
"""Beginnings of the variables that agents on nodes get."""
DATABASE = (
    "name a PostgreSQL database with --store postgresql://USER:PASSWORD@HOST/DATABASE. One is set up by 'docker run -d "
    "-p 5432:5432 -e POSTGRES_USER=league -e POSTGRES_PASSWORD=PASSWORD postgres:17', for --store "
    "postgresql://league:PASSWORD@{host}/league"
)
"""Help for a league whose store has to move."""
ON_THE_HEAD = {"node:__internal_head__": 0.001}
"""Ray's resource that only the head node has."""
PATIENCE_SEC = 30.0
"""The pause before the one more try of a player that is gone: time to start a process on a busy node."""
LOST = -signal.SIGKILL
"""The exit code of agents whose process or node is gone."""

Note = Callable[[str], None]


@dataclass(slots=True)
class RayLeague:
    """A league in a cluster: its plan with the address there, and its launch."""

    plan: LaunchPlan
    launch: Launch


@contextmanager
def ray_plan(place: str, store: str | None, make: Callable[[], LaunchPlan]) -> Generator[tuple[Any, LaunchPlan]]:
    """Connect to a cluster, and make the plan of a league that can be played there."""
    with ray_cluster(place, "league") as ray:
        nodes = node_addresses(ray)
        _check_reachable(store, nodes, outside=place.startswith("ray://"))
        plan = make()
        for wanted, option in ((plan.seats is not None, "--seats"), (bool(plan.manager.roster), "--class")):
            if wanted:
                raise PlanError(f"{option} needs its agents on this machine; leave out --on {place}, or {option}")
        yield ray, _in_a_file(plan) if is_file(plan.manager.store_url) else plan


@contextmanager
def ray_place(
    place: str, size: int, store: str | None, make: Callable[[], LaunchPlan], note: Note
) -> Generator[RayLeague]:
    """Give a league an address in a cluster, and end all that was started."""
    with (
        ray_plan(place, store, make) as (ray, plan),
        _address(ray, plan.league_id) as (address, host, port),
        manager_lock(plan.workspace, plan.league_id) as at,
    ):
        for sentence in without_a_node(plan.players, ray.nodes()):
            note(sentence)
        shipping = _Shipping(ray, plan, node_addresses(ray), address, host, note)
        at(f"https://{host}:{port}/mcp")
        moved = _moved(plan, f"https://{host}:{port}/mcp", shipping.overrides)
        yield RayLeague(moved, in_workers(shipping.start, size))


def is_file(store: str | None) -> bool:
    """True for a store that is a file of one machine."""
    return store is None or store.startswith("sqlite")


def _in_a_file(plan: LaunchPlan) -> LaunchPlan:
    """The plan with the league's file beside the launcher."""
    file = events_file(plan.workspace.data, plan.league_id).absolute()
    store = plan.manager.store_url or f"sqlite:///{file}"
    return replace(plan, manager=replace(plan.manager, store_url=store))


def _check_reachable(store: str | None, nodes: list[str], *, outside: bool = False) -> None:
    """Refuse a store that not all machines reach which may have to open it."""
    machines = len(set(nodes))
    if is_file(store):
        if machines > 1 or outside:
            raise PlanError(
                f"the store has to be reached from each of the cluster's {machines} machines, and SQLite is a file of "
                f"one: {DATABASE.format(host=nodes[0])}"
            )
        return
    url = urlsplit(store or "")
    host = url.hostname or parse_qs(url.query).get("host", [""])[0]
    if machines > 1 and (host in ("", "localhost", "127.0.0.1", "::1") or host.startswith("/")):
        raise PlanError(
            f"each of the cluster's {machines} machines would look for the database on itself; "
            "name it in --store by an address that all of them reach: postgresql://USER@HOST/DATABASE"
        )


@contextmanager
def _address(ray: Any, league_id: str) -> Generator[tuple[Any, str, int]]:
    """The league's address on the head node, for as long as it is needed."""
    options = {"num_cpus": 0, "resources": ON_THE_HEAD, "max_restarts": -1, "name": league_id}
    try:
        address = ray.remote(LeagueAddress).options(**options).remote()
    except ValueError as error:
        raise PlanError(
            f"a league {league_id} is run in this cluster already; choose another name with --league-id"
        ) from error
    try:
        host, port = ray.get(address.listen.remote())
        yield address, host, port
    finally:
        ray.kill(address)


def _moved(plan: LaunchPlan, url: str, overrides: dict[str, Any]) -> LaunchPlan:
    def at(spec: AgentSpec) -> AgentSpec:
        return replace(spec, manager_url=url, overrides={**spec.overrides, **overrides})

    manager = replace(plan.manager, overrides={**plan.manager.overrides, **overrides})
    referees, spare, players = (tuple(map(at, specs)) for specs in (plan.referees, plan.spare, plan.players))
    rules = _rules_until_placed(plan.rules, plan.players)
    if manager.rules is not None:
        manager = replace(manager, rules=rules)
    return replace(plan, rules=rules, manager=manager, referees=referees, spare=spare, players=players)


def _rules_until_placed(rules: LeagueRules, players: Sequence[AgentSpec]) -> LeagueRules:
    """Rules with a registration that outlasts each wait for a place."""
    if rules.registration_timeout_sec != SystemConfig().registration_timeout_sec:
        return rules  # chosen
    longest = max((_place_sec(spec) for spec in players), default=PLACE_SEC)
    return replace(rules, registration_timeout_sec=longest + REGISTER_SEC)


def _patience(chosen: RetryPolicyConfig) -> dict[str, Any]:
    """Pauses that outlast a process's start on another node, unless chosen."""
    if chosen.backoff_base_sec != RetryPolicyConfig().backoff_base_sec:
        return {}
    longest = max(PATIENCE_SEC, chosen.backoff_max_sec)
    return {"retry_policy.backoff_base_sec": PATIENCE_SEC, "retry_policy.backoff_max_sec": longest}


class _Shipping:
    """Ships a league's agents to nodes, with all that they need there."""

    def __init__(self, ray: Any, plan: LaunchPlan, nodes: list[str], address: Any, host: str, note: Note) -> None:
        self.ray, self.plan, self.address, self.host, self.note = ray, plan, address, host, note
        loader = ConfigLoader(plan.manager.config, overrides=plan.manager.overrides)
        system = loader.load_system()
        known = system.security
        self.overrides = {
            "security.join_secret": known.join_secret or SystemIds().token(),
            "security.allowed_endpoints": [*known.allowed_endpoints, *dict.fromkeys(nodes)],
            **_patience(system.retry_policy),
        }
        self._files, self._trusted = security.tls_files(known), security.authorities(known)
        self._authority = LeagueAuthority(datetime.now(UTC))
        self._config = packed(loader.root)
        self._plugins = tuple(packed(Path(folder)) for folder in plan.manager.plugins)
        self._environment = {name: text for name, text in os.environ.items() if name.startswith(SETTINGS)}
        self.living: set[str] = set()
        self.losses = RayLosses()

    async def start(self, spec: AgentSpec) -> "RayChild":
        """Ask for a worker; it is placed later."""
        name = _free_name(worker_name(spec), self.living)
        self.living.add(name)
        luggage = Luggage(self.plan.league_id, name, release(), self._config, self._plugins, self._environment)
        actor = self.ray.remote(RayWorker).options(**_options(spec), name=f"{self.plan.league_id}/{name}")
        return RayChild(self, actor.remote(luggage), spec, name)

    def certificate(self, address: str) -> TlsText:
        """The configured certificate, or one for a node's address and the league's."""
        if self._files is None:
            return self._authority.issue((address, self.host))
        trusted = self._trusted or self._files.cert
        return TlsText(*(path.read_text() for path in (self._files.cert, self._files.key, trusted)))

    def take_home(self, folder: str, files: bytes | None) -> None:
        """Keep the files of a worker beside the league; logs follow those before."""
        if folder:
            self.note(f"files that are too large to be sent stay in {folder}")
        if files is None:
            return
        with tempfile.TemporaryDirectory() as made:
            arrived = unpacked(files, Path(made))
            for path in filter(Path.is_file, arrived.rglob("*")):
                target = self.plan.workspace.root / path.relative_to(arrived)
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("ab" if path.suffix == ".jsonl" else "wb") as kept:
                    kept.write(path.read_bytes())


def _options(spec: AgentSpec) -> dict[str, Any]:
    """Ray's options of a worker; without labels, workers are spread over nodes."""
    options = {"num_cpus": PROCESSORS[spec.role], "max_concurrency": 1000, **ray_options(spec.requirements)}
    if spec.role is Role.LEAGUE_MANAGER and is_file(spec.store_url):
        return options | {"num_cpus": 0, "resources": ON_THE_HEAD}  # where the file is
    return options if "label_selector" in options else options | {"scheduling_strategy": "SPREAD"}


def _place_sec(spec: AgentSpec) -> float:
    """The seconds that the worker of an agent may wait for its place."""
    return PACKAGES_SEC if packages(spec.requirements) else PLACE_SEC


def _free_name(name: str, taken: set[str]) -> str:
    """The name, numbered if a live worker and its folder have it."""
    return next(free for free in chain((name,), (f"{name}-{number}" for number in count(2))) if free not in taken)


class RayChild:
    """A worker of the cluster, as `WorkerProcess` knows processes."""

    def __init__(self, shipping: _Shipping, actor: Any, first: AgentSpec, name: str) -> None:
        self._shipping, self._actor, self._first, self._name = shipping, actor, first, name
        self._agents: dict[int, AgentSpec] = {}
        self._placed = self._stopped = False
        self._node = ""

    @property
    def pid(self) -> str:
        """The name of its first agent."""
        return self._first.name

    def tell(self, what: object) -> None:
        """Start an agent, or end it; kept until the worker has its place."""
        number, order = cast("tuple[int, AgentSpec | str | None]", what)
        if isinstance(order, str):
            self._actor.leave.remote(number)  # the worker keeps it for an agent that is yet to come
            return
        if order is None:
            self._agents.pop(number, None)
        else:
            self._agents[number] = order
        if self._placed:
            self._actor.tell.remote(number, order)

    async def reports(self, take: Callable[[Report], None]) -> int:
        """Pass on the reports of its agents until it is gone."""
        errors = self._shipping.ray.exceptions
        try:
            failed = await self._settle(take)
            if failed:
                for number in self._agents:
                    take({"number": number, "report": startup_status.failed(failed)})
                return 1
            await self._pass_on(take, errors.ActorUnavailableError)
        except errors.RayActorError as error:
            cause = str(getattr(error, "cause", "") or "")
            if not self._placed and "RuntimeError" in str(error):
                for number in self._agents:
                    take({"number": number, "report": startup_status.failed(cause or str(error).splitlines()[-1])})
                return 1
            if self._placed and not self._stopped:
                await self._tell_loss(error)
        finally:
            if self._first.role is Role.LEAGUE_MANAGER:
                self._shipping.losses.lead_by(None)
                self._shipping.address.lead_to.remote(None)
        return LOST

    async def _settle(self, take: Callable[[Report], None]) -> str:
        """Wait for a place, and move in; why there is none, else nothing."""
        placed = self._actor.address.remote()
        if not await self._ready(placed, NOTE_SEC):
            for number in self._agents:
                take({"number": number, "report": startup_status.note(self._wanting())})
            if not await self._ready(placed, _place_sec(self._first) - NOTE_SEC):
                others = any(not text.startswith("pip=") for text in self._first.requirements)
                advice = "such a node, or leave the requirement out" if others else "nodes, or choose fewer agents"
                return f"{self._wanting()}; add {advice}"
        try:
            address = await placed
        except self._shipping.ray.exceptions.RuntimeEnvSetupError as error:
            return not_installed(self._first.requirements, str(error))
        await self._actor.equip.remote(self._shipping.certificate(address))
        self._node = await self._actor.node.remote()
        self._placed = True
        if self._first.role is Role.LEAGUE_MANAGER:
            self._shipping.losses.lead_by(self._actor)
        for number, spec in self._agents.items():
            self._actor.tell.remote(number, spec)
        return ""

    async def _ready(self, placed: Any, seconds: float) -> bool:
        ready, _ = await anyio.to_thread.run_sync(
            lambda: self._shipping.ray.wait([placed], timeout=seconds), abandon_on_cancel=True
        )
        return bool(ready)

    def _wanting(self) -> str:
        """A sentence on all that it waits for."""
        installed = packages(self._first.requirements)
        others = [text for text in self._first.requirements if not text.startswith("pip=")]
        wanted = " and ".join((f"{PROCESSORS[self._first.role]:g} CPU", *others))
        then = f", for {', '.join(installed)} to be installed there," if installed else ""
        free = self._shipping.ray.available_resources().get("CPU", 0)
        return (
            f"waiting for a node with {wanted}{then} or for its process to start there; {free:g} CPU are free in the "
            "cluster"
        )

    async def _pass_on(self, take: Callable[[Report], None], unavailable: type[Exception]) -> None:
        read = 0
        while True:
            try:
                reports = await self._actor.reports.remote(read)
            except unavailable:
                await anyio.sleep(1)  # Ray finds out whether it is dead
                continue
            read += len(reports)
            for report in reports:
                self._heed(report)
                take(report)

    async def _tell_loss(self, error: Exception) -> None:
        ray, players = self._shipping.ray, [spec.name for spec in self._agents.values() if spec.role is Role.PLAYER]
        if players:

            def alive() -> bool:
                return any(each["NodeID"] == self._node and each["Alive"] for each in ray.nodes())

            loss = await loss_of(error, alive)
            for name in players:
                self._shipping.losses.lost(name, loss)

    def _heed(self, report: Report) -> None:
        said, spec = report.get("report", {}), self._agents.get(report["number"])
        if spec is not None and spec.role is Role.PLAYER:
            if said.get("kind") == "registered":
                self._shipping.losses.back(spec.name)
            elif report.get("code"):
                self._shipping.losses.lost(spec.name, Loss.OWN)
        if self._first.role is Role.LEAGUE_MANAGER and said.get("kind") == "listening":
            at = urlsplit(str(said["endpoint"]))
            self._shipping.address.lead_to.remote((at.hostname, at.port))

    async def stop(self) -> None:
        """End its agents, take their files home, and end it."""
        errors, self._stopped = self._shipping.ray.exceptions, True
        try:
            with anyio.move_on_after(STOP_SEC):
                if self._placed:
                    self._shipping.take_home(*await self._actor.finish.remote())
        except errors.RayActorError:
            pass  # it is gone already, and its files with its node or until it comes back there
        finally:
            self._shipping.living.discard(self._name)
            self._shipping.ray.kill(self._actor)
