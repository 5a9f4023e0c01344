"""Villains that come before an agent of the launcher's, under its name."""

from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from mcp import Client

from league_sdk import tokens
from league_sdk.domain.commands import ChangeOperatorToken, ExpectAgents, RegisterPlayer, RegisterReferee
from league_sdk.domain.events import Record
from league_sdk.domain.model import Agent, Role
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from league_sdk.settings import Workspace
from league_sdk.tokens import launched_token
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import ReportTo
from servers.launcher.plan import LaunchPlan, load_plan, make_plan
from servers.launcher.plan_document import PLAN_FILE
from servers.launcher.run_options import RunOptions
from servers.launcher.supervisor import RunEnding, RunOutcome, Supervisor
from servers.launcher.worker_processes import in_this_process
from servers.league_manager.admission import Admission
from servers.league_manager.referee_admission import RefereeAdmission
from tests.security.guarded_manager import guarded, rejection
from tests.servers.fakes import LEAGUE, OPERATOR, Manager, player_request, referee_request

pytestmark = pytest.mark.anyio

QUICK = {
    "timeouts.generic_response_timeout_sec": 5,
    "retry_policy.backoff_base_sec": 0.02,
    "retry_policy.backoff_max_sec": 0.02,
    "registration_timeout_sec": 0,
}
OWN = [(Role.REFEREE, "Referee Alpha"), (Role.PLAYER, "Agent Delta")]


async def expecting(**door: Any) -> Manager:
    """A manager that expects two agents of its launcher's."""
    made = await guarded(admission=Admission(**door))
    own = [ExpectedAgent(role, name, tokens.digest(own_token(role, name))) for role, name in OWN]
    await made.ledger.execute(ExpectAgents(tuple(own)))
    return made


def own_token(role: Role, name: str) -> str:
    return launched_token(OPERATOR, LEAGUE, role, name)


# --- without a wire


@pytest.mark.parametrize("name", ["Referee Alpha", "Agent Delta", "agent delta", "\uff21gent  Delta"])
async def test_a_stranger_gets_no_name_of_the_launchers_agents(name):
    made = await expecting()
    for tool, ask in (("register_referee", referee_request), ("register_player", player_request)):
        for token in (None, "a" * 64, launched_token("another token", LEAGUE, "player", name)):
            answer = await rejection(made, tool, ask(name, token))
            assert answer["error_code"] == "E016"
            assert "is kept for an agent that the operator starts" in answer["reason"]


async def test_the_launchers_agents_get_theirs_without_a_secret_and_whatever_their_address_has_taken():
    made = await expecting(join_secret="open sesame", per_address=0)
    referee = await made.call("register_referee", referee_request("Referee Alpha", own_token(*OWN[0])))
    player = await made.call("register_player", player_request("Agent Delta", own_token(*OWN[1])))
    assert (referee["referee_id"], player["player_id"]) == ("REF01", "P01")
    assert player["auth_token"] == own_token(*OWN[1])
    again = await made.call("register_player", player_request("Agent Delta", own_token(*OWN[1])))
    assert again["player_id"] == "P01"


async def test_a_token_of_one_agent_opens_no_other_name():
    made = await expecting(join_secret="open sesame")
    token = own_token(*OWN[1])
    assert (await rejection(made, "register_player", player_request("Ada", token)))["error_code"] == "E013"
    assert (await rejection(made, "register_referee", referee_request("Agent Delta", token)))["error_code"] == "E016"


async def test_a_referee_that_the_launcher_starts_later_is_expected_when_it_comes():
    made = await expecting(join_secret="open sesame")
    token = own_token(Role.REFEREE, "Referee 7")
    assert (await made.call("register_referee", referee_request("Referee 7", token)))["status"] == "ACCEPTED"
    assert made.types[-2:] == ["AgentsExpected", "RefereeRegistered"]
    assert made.league.expects(made.league.referees["REF01"])


async def test_after_a_change_of_the_operators_token_the_launchers_agents_come_back_with_the_new_ones_and_nobody_else():
    made = await guarded(admission=Admission(join_secret="open sesame"))
    before = launched_token("the one before", LEAGUE, str(Role.PLAYER), "Agent Delta")
    seat = Agent(
        "", Role.PLAYER, "Agent Delta", "http://localhost:9001/mcp", tokens.digest(before), game_types=("even_odd",)
    )
    await made.ledger.execute(RegisterPlayer(seat))
    for token in (None, "a" * 64, own_token(Role.PLAYER, "Agent Delta 2"), own_token(Role.REFEREE, "Agent Delta")):
        answer = await rejection(made, "register_player", player_request("Agent Delta", token))
        assert answer["error_code"] in ("E013", "E016")
    token = own_token(Role.PLAYER, "Agent Delta")
    assert (await made.call("register_player", player_request("Agent Delta", token)))["player_id"] == "P01"
    assert (made.types[-1], len(made.league.players)) == ("AgentReturned", 1)
    answer = await rejection(made, "register_player", player_request("Agent Delta", before))
    assert answer["error_code"] in ("E013", "E016"), "whoever has the token before has this one, too"


async def test_a_referee_whose_token_is_lost_with_the_operators_takes_its_place_with_the_leagues_secret():
    made = await guarded(admission=Admission(), referees=RefereeAdmission("whistle secret"))
    lost = Agent("", Role.REFEREE, "Whistle", "http://localhost:9001/mcp", "lost", game_types=("even_odd",))
    await made.ledger.execute(RegisterReferee(lost, "secret"))
    shown = {**referee_request("Whistle"), "referee_secret": "whistle secret"}
    assert (await rejection(made, "register_referee", shown))["error_code"] == "E016"
    await made.ledger.execute(ChangeOperatorToken("new", "lost"))
    for wrong in (None, "another secret"):
        answer = await rejection(made, "register_referee", {**shown, "referee_secret": wrong})
        assert answer["error_code"] == "E013"
    assert (await made.call("register_referee", shown))["referee_id"] == "REF01"
    assert (made.types[-1], len(made.league.referees)) == ("AgentReturned", 1)
    assert (await rejection(made, "register_referee", shown))["error_code"] == "E016", "once"


# --- end to end


class Quiet:
    """A view that shows nothing."""

    def league(self, league: object, record: Record) -> None: ...

    def waits(self, lines: object) -> None: ...

    def note(self, text: str) -> None: ...


def planned(folder: Path) -> LaunchPlan:
    options = RunOptions(Workspace(folder), overrides=QUICK, count=4, referees=2, port_base=0)
    return make_plan(options, OPERATOR)


async def ask_first(plan: LaunchPlan, asked: anyio.Event, answers: dict[str, dict[str, Any]]) -> None:
    """Register under the launcher's names as soon as the manager listens; its own agents come after that."""
    while not answers:
        try:
            async with Client(f"{plan.page}mcp") as client:
                for spec in (*plan.referees, *plan.players):
                    request = (player_request if spec.role is Role.PLAYER else referee_request)(spec.name)
                    answer = await client.call_tool(f"register_{spec.role}", request)
                    answers[spec.name] = answer.structured_content or {}
        except Exception:  # the SDK's own group of errors, as long as nobody listens
            await anyio.sleep(0.05)
    asked.set()


async def beaten_to_it(plan: LaunchPlan) -> tuple[RunOutcome, dict[str, dict[str, Any]]]:
    """A run in which a stranger asks for each name before its own agent."""
    asked, answers, outcomes = anyio.Event(), dict[str, dict[str, Any]](), list[RunOutcome]()

    async def launch(spec: AgentSpec, report: ReportTo) -> int:
        if spec.role is not Role.LEAGUE_MANAGER:
            await asked.wait()
        return await in_this_process(spec, report)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:

            async def run() -> None:
                outcomes.append(await Supervisor(plan, launch, Quiet()).run())

            tasks.start_soon(run)
            tasks.start_soon(ask_first, plan, asked, answers)
    return outcomes[0], answers


async def test_referee_alpha_and_agent_delta_who_came_first_take_nobodys_place(tmp_path):
    plan = await anyio.to_thread.run_sync(planned, tmp_path)
    outcome, answers = await beaten_to_it(plan)
    assert (outcome.ending, outcome.reasons) == (RunEnding.COMPLETED, [])
    assert {name: answer["error_code"] for name, answer in answers.items()} == dict.fromkeys(
        ("Referee Alpha", "Referee Beta", "Agent Alpha", "Agent Beta", "Agent Gamma", "Agent Delta"), "E016"
    )
    league = outcome.league
    assert league is not None
    seated = {agent.display_name: agent for agent in (*league.referees.values(), *league.players.values())}
    assert seated.keys() == answers.keys()
    assert all(map(league.expects, seated.values()))


async def test_a_plan_that_is_read_again_expects_the_same_agents_with_the_same_tokens(tmp_path):
    plan = await anyio.to_thread.run_sync(planned, tmp_path)
    plan.save()
    again = load_plan(Workspace(tmp_path), plan.league_id)
    assert [spec.auth_token for spec in again.agents] == [spec.auth_token for spec in plan.agents]
    assert again.agents[0].expected == plan.agents[0].expected
    assert len(set(plan.agents[0].expected)) == len(plan.agents) - 1
    kept = (Workspace(tmp_path).league_dir(plan.league_id) / PLAN_FILE).read_text()
    assert not [spec.name for spec in plan.agents[1:] if spec.auth_token in kept]
