"""A hosted player's own side: fetches its messages, and returns the answers."""

from collections.abc import Mapping
from typing import Any, cast

import anyio
import anyio.abc
import anyio.lowlevel

from league_sdk.bounds import shorten
from league_sdk.domain.model import HOSTED, Role
from league_sdk.errors import AuthTokenInvalid, LeagueError, LeagueNotFound
from league_sdk.json_value import Json
from league_sdk.ports import CallContext, CallRefused, Journal, MalformedReply, PeerCalls, ToolHost
from servers.agent import startup_status
from servers.agent.bootstrap import AgentContext
from servers.agent.identity import Credentials
from servers.agent.own_token import refusal_of
from servers.agent.registration import RegistrationRefused
from servers.agent.startup_status import ReportTo

WAIT_SEC = 20.0
GRACE_SEC = 10.0
"""Seconds beyond a wait until its answer counts as lost."""
ANSWER_SEC = 10.0
ANSWER_TRIES = 5
CYCLES_TO_WAIT_AGAIN = 20
"""Cycles of the event loop in which the next wait goes out, before a message is looked at: a strategy that ends its
process then breaks a wait, by which the league notices at once."""
PAUSE_SEC = 0.1
PAUSE_MAX_SEC = 2.0


class HostedSeatClient:
    """Takes each message of a seat once, and returns the player's answer."""

    def __init__(
        self,
        tools: AgentContext,
        agent: ToolHost,
        credentials: Credentials,
        peers: PeerCalls,
        journal: Journal,
        report: ReportTo,
    ) -> None:
        if credentials.seat_endpoint is None or credentials.seat_token is None:
            raise RegistrationRefused(
                f"{tools.spec.manager_url} gave no hosted seat; ask its operator to start seats with --seats, or play "
                "without --outbound"
            )
        self._tools = tools
        self._agent = agent
        self._endpoint = credentials.seat_endpoint
        self._token = credentials.seat_token
        self._credentials = credentials
        self._peers = peers
        self._journal = journal
        self._report = report
        self._listener = tools.ids.conversation()
        self._highest = 0
        self._under_way: dict[int, anyio.Event] = {}
        self._checking = False

    async def run(self) -> None:
        """Fetch messages until cancelled, or until another program has the seat."""
        pause, silent = PAUSE_SEC, False
        async with anyio.create_task_group() as tasks:
            while True:
                try:
                    heard = await self._fetch(tasks)
                except CallRefused as refused:
                    if _code(refused) == "E008":
                        raise RegistrationRefused(f"{self._tools.spec.name}: {refused.message}") from refused
                    await self._check_seat()
                    error: Exception = refused
                except (LeagueError, MalformedReply) as failed:
                    error = failed
                else:
                    if silent:
                        self._report(startup_status.note("the seat answers again"))
                    pause, silent = PAUSE_SEC, False
                    if not heard and not self._checking:
                        # Beside the waits: a seat without one has no pulse, and the manager may be away.
                        tasks.start_soon(self._check_seat)
                    continue
                if not silent:
                    self._report(startup_status.note(self._silence(error)))
                silent = True
                self._journal.event("SEAT_SILENT", "WARNING", reason=str(error))
                await self._tools.clock.sleep(pause)
                pause = min(2 * pause, PAUSE_MAX_SEC)

    def _silence(self, error: Exception) -> str:
        """A silent seat in words: a stopped league looks like one that is away."""
        limit = self._tools.system.manager_absence_sec
        return (
            f"the seat at {self._endpoint} does not answer: {shorten(str(error), 200).rstrip('.')}. If the league is "
            f"stopped, this player waits for its operator to resume it, for {limit:.0f} s at most"
        )

    async def settle(self) -> None:
        """Wait until every message taken is answered, but not for long."""
        with anyio.move_on_after(ANSWER_SEC):
            for done in tuple(self._under_way.values()):
                await done.wait()

    async def _check_seat(self) -> None:
        """End the player once the league manager no longer knows its token."""
        self._checking = True
        own = self._credentials
        refused = await refusal_of(
            self._tools, Role.PLAYER, own, self._peers, self._journal, AuthTokenInvalid, LeagueNotFound
        )
        if refused is not None:
            raise RegistrationRefused(
                f"it is no longer in league {own.league_id}: the operator removed it, another program took its seat "
                "over, or there is another league now, which it joins when it is started again"
            ) from refused
        self._checking = False

    async def _fetch(self, tasks: anyio.abc.TaskGroup) -> int:
        wanted: dict[str, Json] = {"listener": self._listener, "after": self._highest, "seconds": WAIT_SEC}
        received = await self._call("wait_for_message", wanted, WAIT_SEC + GRACE_SEC)
        match received:
            case {"messages": list()}:
                messages = cast("list[Any]", received["messages"])
            case _:
                raise MalformedReply("wait_for_message: expected a list of messages")
        for message in messages:
            match message:
                case {"number": int(number), "tool": str(tool), "arguments": dict()} if number > self._highest:
                    self._highest = number
                    self._under_way[number] = anyio.Event()
                    tasks.start_soon(self._serve, number, tool, message["arguments"])
                case _:
                    self._journal.event("SEAT_MESSAGE_IGNORED", "WARNING")
        return len(messages)

    async def _serve(self, number: int, tool: str, arguments: Mapping[str, Json]) -> None:
        answer: dict[str, Json] = {"number": number}
        for _ in range(CYCLES_TO_WAIT_AGAIN):
            await anyio.lowlevel.checkpoint()
        try:
            answer["reply"] = await self._agent.call(tool, arguments, CallContext(address=HOSTED))
        except CallRefused as refused:
            data = None if refused.data is None else dict(refused.data)
            answer["error"] = {"code": refused.number, "message": refused.message, "data": data}
        await self._bring(tool, answer)
        self._under_way.pop(number).set()

    async def _bring(self, tool: str, answer: dict[str, Json]) -> None:
        for attempt in range(ANSWER_TRIES):
            try:
                await self._call("answer", answer, ANSWER_SEC)
                return
            except (LeagueError, MalformedReply, CallRefused) as error:
                self._journal.event("ANSWER_NOT_TAKEN", "WARNING", tool=tool, reason=str(error))
                await self._tools.clock.sleep(PAUSE_SEC * 2**attempt)

    async def _call(self, tool: str, arguments: dict[str, Json], timeout: float) -> Json:
        async with self._tools.outbound.sessions.lease(self._endpoint, "mcp") as connection:
            return await connection.call(tool, {**arguments, "seat_token": self._token}, timeout=timeout)


def _code(refused: CallRefused) -> str:
    return str((refused.data or {}).get("error_code", ""))
