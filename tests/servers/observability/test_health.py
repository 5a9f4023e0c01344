"""Health, readiness and metrics: by the routes of a whole league, and of an agent that is not as it should be."""

from importlib.metadata import version
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from league_sdk.clock import ManualClock
from league_sdk.domain.model import Role
from league_sdk.ports import StoreFailed
from league_sdk.release import DISTRIBUTION
from league_sdk.stores import MemoryEventStore
from servers.league_manager.league_metrics import watch_league
from servers.league_manager.ledger import Ledger
from servers.observability import health as operations_module
from servers.observability.health import OK, Operations
from servers.observability.metrics import AgentMetrics
from tests.requirements.marker import requirement
from tests.servers.watched_league import EVERYBODY, NAMES, watched

pytestmark = pytest.mark.xdist_group("watched")

ROLES = {"Manager": "league_manager", "Referee": "referee", **dict.fromkeys(NAMES, "player")}


class Probe:
    """An agent's operations without the agent."""

    def __init__(self, **more: Any) -> None:
        self.clock = ManualClock()
        self.operations = Operations(Role.PLAYER, "Ada", self.clock, AgentMetrics(Role.PLAYER), **more)

    def get(self, page: str, address: str = "127.0.0.1", **headers: str) -> Any:
        app = Starlette(routes=self.operations.routes())
        return TestClient(app, client=(address, 50_000)).get(page, headers=headers)


@requirement("project-LATER-07")
@pytest.mark.parametrize("name", EVERYBODY)
def test_every_agent_says_that_it_lives(name: str):
    answer = watched().alive[name]
    assert answer.status_code == 200
    assert answer.json() == {"status": "alive", "role": ROLES[name], "protocol_version": "2.1.0"}
    assert answer.headers["cache-control"] == "no-store"


def test_the_release_that_runs_and_the_protocol_that_it_speaks_are_told_apart_in_the_metrics():
    page = Probe().get("/metrics").text
    told = (
        f'league_agent_info{{name="Ada",protocol_version="2.1.0",role="player",version="{version(DISTRIBUTION)}"}} 1.0'
    )
    assert told in page


def test_every_agent_that_has_its_seat_is_ready_and_a_manager_whose_store_answers():
    ready = {name: (answer.status_code, answer.json()) for name, answer in watched().ready.items()}
    assert ready["Manager"] == (
        200,
        {
            "status": "ready",
            "role": "league_manager",
            "checks": {"store": "ok", "league": "ok"},
            "state": "WAITING_FOR_REGISTRATIONS",
        },
    )
    for name in ("Referee", *NAMES):
        status, said = ready[name]
        assert status == 200
        assert said.pop("state") in ("REGISTERED", "ACTIVE", "SHUTDOWN")
        assert said == {"status": "ready", "role": ROLES[name], "checks": {"registered": "ok"}}


def test_readiness_tells_how_far_it_has_come():
    states = {name: answer.json()["state"] for name, answer in watched().over.items()}
    assert states == {"Manager": "COMPLETED", "Referee": "SHUTDOWN", **dict.fromkeys(NAMES, "SHUTDOWN")}


def test_who_has_no_seat_is_not_ready_and_says_why():
    probe = Probe()
    seated: list[str] = []

    async def check() -> str:
        return OK if seated else "it is not registered yet"

    probe.operations.require("registered", check)
    answer = probe.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {
        "status": "not ready",
        "role": "player",
        "checks": {"registered": "it is not registered yet"},
    }
    assert "league_agent_ready 0.0" in probe.get("/metrics").text
    seated.append("P01")
    assert probe.get("/readyz").status_code == 503, "it is looked at once a second, however often somebody asks"
    probe.clock.advance(operations_module.LOOK_AGAIN_SEC)
    assert probe.get("/readyz").status_code == 200
    assert "league_agent_ready 1.0" in probe.get("/metrics").text


def test_a_check_that_hangs_counts_as_failed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(operations_module, "CHECK_SEC", 0.01)
    probe = Probe()

    async def hang() -> str:
        await anyio.sleep_forever()
        return OK

    probe.operations.require("store", hang)
    assert probe.get("/readyz").json()["checks"] == {"store": "no answer within 0.01 s"}


class BrokenStore(MemoryEventStore):
    """A store whose database has gone, and which says more about it than strangers should know."""

    async def read(self, league_id: str, *, after: int = 0, limit: int | None = None) -> Any:
        raise StoreFailed("cannot read postgresql://league@10.0.0.5/league")


@requirement("project-LATER-07")
def test_a_manager_is_not_ready_while_its_store_fails_or_its_league_has_not_gone_on():
    probe, resumed = Probe(), anyio.Event()
    probe.operations.metrics.role = Role.LEAGUE_MANAGER
    watch_league(probe.operations, Ledger(BrokenStore(), probe.clock, "summer"), resumed)
    probe.operations.tell_state(lambda: "STOPPED")
    answer = probe.get("/readyz")
    assert answer.status_code == 503
    checks = {"store": "the store does not work", "league": "the league has not gone on yet"}
    assert answer.json() == {"status": "not ready", "role": "player", "checks": checks, "state": "STOPPED"}


@pytest.mark.parametrize("page", ["/healthz", "/readyz", "/metrics"])
def test_they_are_only_looked_at(page: str):
    app = Starlette(routes=Probe().operations.routes())
    client = TestClient(app, client=("127.0.0.1", 50_000))
    assert client.head(page).status_code == 200
    assert client.post(page).status_code == 405


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "fd00::7%eth0"])
def test_this_machine_and_the_configured_networks_may_read_the_metrics(address: str):
    assert Probe(readers=["10.1.0.0/16", "fd00::/8"]).get("/metrics", address).status_code == 200


@pytest.mark.parametrize("address", ["10.2.0.1", "192.0.2.7", "2001:db8::1", "testclient", ""])
def test_nobody_else_may(address: str):
    probe = Probe(readers=["10.1.0.0/16"], operator_token="opens")
    answer = probe.get("/metrics", address)
    assert answer.status_code == 403
    assert "security.metrics_readers" in answer.json()["error"]
    assert probe.get("/metrics", address, authorization="Bearer guessed").status_code == 403
    assert Probe().get("/metrics", address, authorization="Bearer ").status_code == 403


def test_the_operators_token_opens_the_metrics_from_anywhere():
    probe = Probe(operator_token="opens")
    assert probe.get("/metrics", "192.0.2.7", authorization="Bearer opens").status_code == 200


def test_a_token_of_their_own_opens_the_metrics_from_anywhere():
    probe = Probe(operator_token="rules", metrics_token="opens")
    assert probe.get("/metrics", "192.0.2.7", authorization="Bearer opens").status_code == 200
    assert probe.get("/metrics", "192.0.2.7", authorization="Bearer shuts").status_code == 403


@pytest.mark.parametrize("page", ["/healthz", "/readyz"])
def test_health_and_readiness_are_for_everybody(page: str):
    assert Probe().get(page, "192.0.2.7").status_code == 200
