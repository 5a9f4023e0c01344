"""The tokens by which agents know their league manager."""

from league_sdk import tokens
from league_sdk.domain.league_state import League
from league_sdk.domain.model import Agent


def peer_token_of(operator_token: str, league: League, agent: Agent) -> str:
    """The manager's token for an agent: another one for each card of a student.

    Whoever had the student's seat before knows the one that came with its own card.
    """
    card = agent.card if league.format_version > 1 else 0
    agent_id = agent.agent_id if card < 2 else f"{agent.agent_id} by card {card}"
    return tokens.peer_token(operator_token, league.league_id, agent_id)
