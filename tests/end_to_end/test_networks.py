"""Leagues whose machines are cut off from one another, are lost, or have wrong clocks.

Every machine is a network namespace with an address of its own. Whatever happens, each match has one result, no player
is blamed but one that was away, and the audit finds nothing.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from league_sdk.stores import SqlEventStore
from tests.end_to_end.program_harness import Program, until
from tests.network_namespaces import SUBNET, Network, Node, SlowLinks, network
from tests.requirements.marker import requirement

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.xdist_group("PostgreSQL")]
NAMES = ("Ada", "Bob", "Cyd", "Dan")
PATIENCE = 120.0
TOKEN = "the-operators-token-of-all"
BEAT_SEC = 0.5
LOST_SEC = 3 * BEAT_SEC
"""A referee that is silent for so long loses its matches to another one."""
SETTINGS = {
    "heartbeat_interval_sec": BEAT_SEC,
    "retry_policy.backoff_base_sec": 0.1,
    "retry_policy.backoff_max_sec": 1,
    "timeouts.generic_response_timeout_sec": 2,
    "referee.game_join_timeout_sec": 2,
}
PATIENT = {"referee.move_timeout_sec": 60, "player.response_timeout_sec": 60}
"""Time enough for a match to wait at the gate."""
HASTY = {
    "referee.move_timeout_sec": 3,
    "player.response_timeout_sec": 2,
    "timeouts.http_request_timeout_sec": 1,
    "retry_policy.max_retries": 1,
}
"""A strategy that is late has a move chosen for it; only a player that is away is late itself."""
FAR = PATIENT | {
    "heartbeat_interval_sec": 2,
    "timeouts.generic_response_timeout_sec": 10,
    "referee.game_join_timeout_sec": 10,
}
"""A lost packet is sent again after a fifth of a second and more, several times if need be."""
REPEATS = range(5 if os.environ.get("LEAGUE_SOAK") else 1)


class Machines:
    """A league on machines of its own: a manager, two referees, and the players."""

    def __init__(self, net: Network, store: str) -> None:
        self.net, self.store = net, store
        self.boss, self.one, self.two = net.node("boss"), net.node("one"), net.node("two")
        self.crowd = net.node("crowd")
        self.limits = PATIENT
        self.leading = self.boss

    @property
    def settings(self) -> list[str]:
        """Options with the settings of all programs."""
        return [part for name, value in (SETTINGS | self.limits).items() for part in ("--set", f"{name}={value}")]

    def manager(self, node: Node, *more: str) -> Program:
        """Start the league's manager."""
        allowed = ("--set", f"security.allowed_endpoints={SUBNET}.0/24")
        command = ("manager", "--port", 8000, "--store", self.store, "--operator-token", TOKEN)
        self.leading = node
        return self._agent(node, *command, *allowed, *self.settings, *more)

    def referee(self, node: Node, name: str) -> Program:
        return self._member(node, "referee", name, 8001)

    def player(self, node: Node, name: str, port: int) -> Program:
        gated = ("--plugins", self.net.nodes[0].harness.gated()[1], "--strategy", "gated")
        return self._member(node, "player", name, port, *gated)

    def _member(self, node: Node, role: str, name: str, port: int, *more: object) -> Program:
        where = ("--manager", f"http://{self.boss.address}:8000/mcp", "--port", port)
        return self._agent(node, role, "--name", name, *where, *more, *self.settings)

    def _agent(self, node: Node, *arguments: object) -> Program:
        """Start an agent that has the secret of all machines, which no command line shows."""
        node.harness.variables["LEAGUE_SECURITY__REFEREE_SECRET"] = "what-referees-have"
        return node.agent(*arguments)

    def begin(self, away: dict[str, Node] | None = None) -> Program:
        """A league that stops in the middle of round 2, where both referees have a match; its manager."""
        manager = self.manager(self.boss, "--league-id", "cup", "--players", "4", "--referees", "2")
        self.referee(self.one, "Rhea")
        self.referee(self.two, "Rolf")
        for number, name in enumerate(NAMES):
            self.player((away or {}).get(name, self.crowd), name, 8101 + number)
        # A referee commits to a draw as it takes a match.
        until(lambda: len(self.of_type("DrawCommitted")) == 4, "two matches in round 2", PATIENCE)
        return manager

    def open_gate(self) -> None:
        """Let the players continue."""
        self.net.nodes[0].harness.open_gate()

    def records(self) -> list[dict[str, Any]]:
        """The stored records."""

        async def read() -> list[Any]:
            store = await SqlEventStore.open(self.store)
            try:
                return await store.read("cup")
            finally:
                await store.close()

        return [{"type": record.type, **record.payload} for record in asyncio.run(read())]

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self.records() if record["type"] == kind]

    def again(self) -> list[dict[str, Any]]:
        """Matches that were given out more than once."""
        return [record for record in self.of_type("MatchAssigned") if record["attempt"] > 1]

    def judge(self, *away: str) -> None:
        """Nothing is lost, doubled or misattributed."""
        results = [record["result"] for record in self.of_type("MatchRecorded")]
        assert self.of_type("LeagueCompleted")
        assert Counter(result["match_id"] for result in results) == {f"R{r}M{m}": 1 for r in (1, 2, 3) for m in (1, 2)}
        players = {record["player"]["agent_id"]: record["player"] for record in self.of_type("PlayerRegistered")}
        blamed = {players[fault["player_id"]]["display_name"] for result in results for fault in result["faults"]}
        assert blamed <= {*away}
        audit = self.leading.harness.run("audit", "cup", "--store", self.store)
        assert audit.end() == 0, audit.out + audit.err


@pytest.fixture(params=REPEATS, ids=lambda number: f"time {number + 1}")
def league(tmp_path: Path, postgres_url: str) -> Iterator[Machines]:
    with network(tmp_path) as net:
        yield Machines(net, postgres_url)


def ends_well(manager: Program, league: Machines, *away: str) -> None:
    league.open_gate()
    assert manager.end(PATIENCE) == 0, manager.out + manager.err
    league.judge(*away)


@requirement("project-LATER-10")
def test_a_partition_that_is_shorter_than_three_heartbeats_costs_nothing(league: Machines):
    manager = league.begin()
    league.one.partition(league.boss)
    asyncio.run(asyncio.sleep(BEAT_SEC))
    league.one.heal(league.boss)
    ends_well(manager, league)
    assert league.again() == []


@requirement("project-LATER-10")
def test_a_match_behind_a_longer_partition_is_played_again_and_counts_once(league: Machines):
    manager = league.begin()
    league.one.partition(league.boss)
    (again,) = until(league.again, "the match of the referee that is cut off is given to the other one", PATIENCE)
    league.open_gate()
    until(lambda: len(league.of_type("MatchRecorded")) >= 4, "round 2 is played", PATIENCE)
    league.one.heal(league.boss)
    ends_well(manager, league)
    assert "stopped answering" in again["reason"]


@requirement("project-LATER-10")
def test_a_lost_referees_machine_costs_its_matches_time(league: Machines):
    manager = league.begin()
    league.one.unplug()
    until(league.again, "its match is given to the other one", PATIENCE)
    ends_well(manager, league)


@requirement("project-LATER-10")
def test_a_lost_players_machine_costs_that_player_alone(league: Machines):
    league.limits = HASTY
    manager = league.begin({"Dan": league.net.node("alone")})
    league.net.nodes[-1].unplug()
    ends_well(manager, league, "Dan")
    faults = [fault for record in league.of_type("MatchRecorded") for fault in record["result"]["faults"]]
    assert len(faults) == 2


@requirement("project-LATER-10")
def test_a_league_whose_managers_machine_is_lost_goes_on_at_its_address_elsewhere(league: Machines):
    lost = league.begin()
    league.boss.unplug()
    elsewhere = league.net.node("elsewhere", address=league.boss.address)
    manager = league.manager(elsewhere, "--resume", "cup")
    manager.says("the league resumed")
    # The lost one still reaches the database, and learns from it.
    assert lost.end(PATIENCE) == 3, lost.out + lost.err
    ends_well(manager, league)


@requirement("project-LATER-10")
def test_clocks_that_differ_by_minutes_change_nothing(league: Machines):
    league.one, league.two = league.net.node("early", skew=600.0), league.net.node("late", skew=-600.0)
    league.crowd = league.net.node("earlier", skew=1800.0)
    manager = league.begin()
    ends_well(manager, league)


@requirement("project-LATER-10")
def test_slow_and_lossy_links_cost_time_alone(tmp_path: Path, postgres_url: str):
    # A packet passes two links: 200 ms there and back, and one in twenty is lost.
    with network(tmp_path, SlowLinks(delay_ms=50, loss_percent=2.5)) as net:
        league = Machines(net, postgres_url)
        league.limits = FAR
        manager = league.begin()
        ends_well(manager, league)
        assert league.again() == []
