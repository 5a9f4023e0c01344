from pathlib import Path

import pytest

from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.launcher.requirements import check_here, checked_requirements
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
