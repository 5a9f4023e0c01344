"""Agents that a manager expects before anybody registers."""

from collections.abc import Mapping

from league_sdk.domain.commands import ExpectAgents, KeepPlan
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from league_sdk.net.addresses import is_loopback
from league_sdk.net.endpoints import read_endpoint
from league_sdk.settings import ConfigError, Problem
from league_sdk.tokens import digest, launched_token
from servers.agent.agent_spec import AgentSpec
from servers.agent.bootstrap import AgentContext
from servers.agent.strangers import strangers_may_come
from servers.league_manager.ledger import Ledger


async def expect_agents(ledger: Ledger, spec: AgentSpec, operator_token: str) -> None:
    """Record the agents that are started with the manager, and their plan."""
    expected = (
        ExpectedAgent(role, name, digest(launched_token(operator_token, spec.league_id, role, name)))
        for role, name in spec.expected
    )
    await ledger.execute(ExpectAgents(tuple(expected)))
    if spec.plan:
        await ledger.execute(KeepPlan(spec.plan))


def check_referees_expected(tools: AgentContext, expected: Mapping[str, str]) -> None:
    """Refuse to know a referee by an address that strangers have too."""
    local = {name: url for name, url in expected.items() if is_loopback(read_endpoint(url).host)}
    if local and strangers_may_come(tools.spec, tools.system.security):
        wanted = (
            "endpoints on other machines, since strangers may come from this one; 'league invite' is for the others"
        )
        raise ConfigError([Problem("the league", "participants.referees_expected", local, wanted)])
