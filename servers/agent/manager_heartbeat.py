"""Heartbeat to the league manager, so that no agent waits for a dead one."""

from collections.abc import Awaitable, Callable

import anyio

from league_sdk.domain.lifecycles import AgentTrigger
from league_sdk.errors import LeagueError
from league_sdk.ports import Journal, Peer, PeerCalls
from servers.agent.bootstrap import AgentContext
from servers.agent.lifecycle import AgentLifecycle


async def watch_manager(
    tools: AgentContext,
    peers: PeerCalls,
    journal: Journal,
    over: anyio.Event,
    life: AgentLifecycle,
    unknown: Callable[[], Awaitable[str]] | None = None,
) -> str:
    """Wait until the league is over, or until the manager has been away for too long.

    An agent whose manager is silent is suspended, until the manager answers again.

    `unknown` says why the manager knows the agent no more, if so: then it returns that at once.

    With `stay` it does not return once the league is over: the manager may then go, and the agent serves on.
    """
    gone = ""

    async def watch() -> None:
        nonlocal gone
        manager = Peer("league_manager", tools.spec.manager_url, dialect=tools.dialect)
        interval, limit = tools.system.heartbeat_interval_sec, tools.system.manager_absence_sec
        missed, answered = 0, tools.clock.monotonic()
        while (away := tools.clock.monotonic() - answered) < limit:
            await tools.clock.sleep(interval)
            try:
                await peers.ping(manager, timeout=interval)
            except LeagueError as error:
                missed += 1
                life.try_transition(AgentTrigger.TIMEOUT)
                journal.event("MANAGER_SILENT", "WARNING", missed=missed, reason=error.message)
            else:
                missed, answered = 0, tools.clock.monotonic()
                life.try_transition(AgentTrigger.RECOVER)
                if unknown is not None and (gone := await unknown()):
                    tasks.cancel_scope.cancel()
        life.try_transition(AgentTrigger.MAX_FAIL)
        gone = f"the league manager at {tools.spec.manager_url} has not answered for {away:.0f} s"
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        await over.wait()
        tasks.cancel_scope.cancel()
    if tools.spec.stay and not gone:
        await anyio.sleep_forever()
    return gone
