from pathlib import Path
from typing import Any

import pytest

from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.launcher.requirements import check_here, checked_requirements, without_a_node
from servers.launcher.run_options import PlanError, PlayerSpec


def test_a_player_names_its_requirements_beside_its_strategy():
    player = PlayerSpec.parse("name=Ada,strategy=mirror,gpu=1,resource.team_a=2,label.zone=eu,pip=numpy==2.1,pip=torch")
    assert (player.name, player.strategy) == ("Ada", "mirror")
    assert player.requirements == ("gpu=1", "label.zone=eu", "pip=numpy==2.1", "pip=torch", "resource.team_a=2")


@pytest.mark.parametrize("text", ["gpu=none", "gpu=0", "gpu=", "gpu=-1", "resource.=1", "resource.x=y", "disk=1"])
def test_what_is_no_requirement_is_refused_with_those_there_are(text: str):
    with pytest.raises(PlanError, match=f"requirement '{text}': expected"):
        checked_requirements([text])


def test_an_agent_that_runs_elsewhere_takes_no_requirement():
    with pytest.raises(PlanError, match="leave gpu=1 out"):
        PlayerSpec.parse("name=Ada,url=http://localhost:8101/mcp,gpu=1")


def test_one_machine_refuses_players_that_choose_their_node():
    player = AgentSpec(Role.PLAYER, "Ada", Path("/nowhere"))
    check_here([player])
    with pytest.raises(PlanError, match=r"Ada needs gpu=1: only a Ray cluster .* add --on ray"):
        check_here([player, AgentSpec(Role.PLAYER, "Ada", Path("/nowhere"), requirements=("gpu=1",))])


def node(alive: bool = True, labels: dict[str, str] | None = None, **resources: float) -> dict[str, Any]:
    """A node as Ray lists it."""
    return {"Alive": alive, "Resources": {"CPU": 2.0, **resources}, "Labels": labels or {}}


@pytest.mark.parametrize(
    "requirement", ["gpu=2", "resource.team_a=1", "label.zone=eu-1", "label.zone=us", "resource.of_the_dead=1"]
)
def test_a_player_that_no_live_node_can_take_is_named_with_what_it_needs(requirement: str):
    nodes = [node(), node(GPU=1.0, labels={"zone": "eu"}), node(alive=False, of_the_dead=1.0)]
    players = [AgentSpec(Role.PLAYER, "Ada", Path("/nowhere"), requirements=(requirement,))]
    assert without_a_node(players, nodes) == [
        f"Ada waits for a node with {requirement}: none of the cluster's 2 has it"
    ]


@pytest.mark.parametrize("requirement", ["gpu=1", "resource.team_a=1", "label.zone=eu", "label.zone=!us", "pip=numpy"])
def test_a_player_that_a_node_can_take_is_not_spoken_of(requirement: str):
    nodes = [node(), node(GPU=1.0, team_a=1.0, labels={"zone": "eu"})]
    players = [AgentSpec(Role.PLAYER, name, Path("/nowhere"), requirements=(requirement,)) for name in ("Ada", "Bob")]
    assert without_a_node(players, nodes) == []
