"""A league manager without a wire, with the door that a test wants, and refusals as codes."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from league_sdk.clock import ManualClock
from league_sdk.net.endpoints import read_endpoint
from league_sdk.ports import CallContext, CallRefused
from servers.agent.rate_limit import Throttle
from servers.league_manager.admission import Admission
from servers.league_manager.referee_admission import RefereeAdmission
from servers.league_manager.service import LeagueManagerService
from servers.league_manager.tools import tool_table
from tests.servers.fakes import OPERATOR, Manager, agent, manager


async def guarded(
    *,
    admission: Admission | None = None,
    referees: RefereeAdmission | None = None,
    token_ttl: timedelta | None = None,
    throttle: Throttle | None = None,
    clock: ManualClock | None = None,
    **rules: Any,
) -> Manager:
    """A manager of a new league with this door, these tokens, this patience."""
    made = await manager(clock=clock, **rules)
    made.service = LeagueManagerService(
        ledger=made.ledger,
        clock=made.clock,
        ids=made.ids,
        journal=made.journal,
        operator_token=OPERATOR,
        read_endpoint=read_endpoint,
        admission=admission,
        referees=referees,
        token_ttl=token_ttl,
    )
    made.agent = agent(
        tool_table(made.service),
        made.service.authentication.identify,
        journal=made.journal,
        clock=made.clock,
        ids=made.ids,
        sender=lambda: "league_manager",
        throttle=throttle,
    )
    return made


async def refusal(
    made: Manager, tool: str, message: Mapping[str, Any], bearer: str | None = None, address: str = "127.0.0.1"
) -> dict[str, Any]:
    """The LEAGUE_ERROR that a call gets; nothing may have happened in the league."""
    before, stored = made.league, len(made.records)
    with pytest.raises(CallRefused) as caught:
        await made.agent.call(tool, message, CallContext(bearer_token=bearer, address=address))
    assert (made.league, len(made.records)) == (before, stored)
    assert caught.value.data is not None
    return {"number": caught.value.number, "message": caught.value.message, **caught.value.data}


async def rejection(made: Manager, tool: str, message: Mapping[str, Any], address: str = "127.0.0.1") -> dict[str, Any]:
    """The REJECTED that a registration gets; nothing may have happened in the league."""
    before, stored = made.league, len(made.records)
    answer = await made.agent.call(tool, message, CallContext(address=address))
    assert (made.league, len(made.records)) == (before, stored)
    assert answer["status"] == "REJECTED"
    assert "auth_token" not in answer
    return answer
