"""The checker's own agents: a league manager, players and referees that keep what they hear, and answer as asked to."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import anyio
from anyio.abc import TaskGroup, TaskStatus

from league_sdk import transports
from league_sdk.bounds import shorten
from league_sdk.clock import Clock, Ids, SystemClock, SystemIds
from league_sdk.domain.model import Role
from league_sdk.errors import INVALID_PARAMS
from league_sdk.game import Json, MoveSpec
from league_sdk.ports import CallContext, CallRefused, ToolDescriptor
from league_sdk.protocol.catalog import CallSpec, calls_for
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.envelope import stamp
from league_sdk.release import release


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that one of the checker's agents was sent.

    Attributes:
        call: The call.
        message: The message.
        token: What was shown, in the message or beside it.
        dialect: What was spoken: `mcp` or `jsonrpc`.
    """

    call: CallSpec
    message: Mapping[str, Json]
    token: str | None
    dialect: str


GRACE_SEC = 0.1
"""What a call that is under way gets when the check is over."""

Answering: TypeAlias = Callable[[Heard], Awaitable[dict[str, Any]]]
"""Gives the fields of the reply, beside its envelope; or raises CallRefused."""


@dataclass(slots=True)
class Bell:
    """Rings whenever one of those that share it has heard something."""

    _rung: anyio.Event = field(default_factory=anyio.Event)

    def ring(self) -> None:
        """Wake all who wait."""
        self._rung.set()
        self._rung = anyio.Event()

    async def wait_for(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait until `condition` holds, looking whenever it rings; whether it does in time."""
        with anyio.move_on_after(seconds):
            while not condition():
                await self._rung.wait()
        return condition()


@dataclass(slots=True)
class CheckerAgent:
    """One agent of the checker's, served over MCP and bare JSON-RPC. Implements `ToolHost`.

    Attributes:
        sender: How it signs.
        role: What it is.
        codec: Reads and writes messages.
        spec: How the game spells its moves.
        answers: What it answers, by tool.
        heard: What it was sent, in order.
        endpoint: Where it is, once it is served.
        bell: Rings when it hears something.
    """

    sender: str
    role: Role
    codec: Codec
    spec: MoveSpec
    answers: Mapping[str, Answering]
    clock: Clock = field(default_factory=SystemClock)
    ids: Ids = field(default_factory=SystemIds)
    heard: list[Heard] = field(default_factory=list[Heard])
    endpoint: str = ""
    name: str = "league-check"
    version: str = field(default_factory=release)
    instructions: str = "An agent of a compliance check."
    library: None = None
    bell: Bell = field(default_factory=Bell)

    def tools(self) -> Sequence[ToolDescriptor]:
        """Every tool and alias."""
        return [
            ToolDescriptor(
                name,
                call.title,
                call.description,
                self.codec.input_schema(call.request, spec=call.spec),
                self.codec.output_schema(call.reply, spec=call.spec),
            )
            for call in self._calls()
            for name in (call.tool, *call.aliases)
        ]

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        """Keep the message, and answer.

        Raises:
            CallRefused: As the answer is.
        """
        call = next((call for call in self._calls() if tool in (call.tool, *call.aliases)), None)
        if call is None:
            raise CallRefused(INVALID_PARAMS, f"Unknown tool: {shorten(tool, 100)}")
        said: Json = arguments.get("auth_token")
        token = said if isinstance(said, str) else context.bearer_token
        heard = Heard(call, dict(arguments), token, context.dialect)
        self.heard.append(heard)
        self.bell.ring()
        conversation: Json = arguments.get("conversation_id")
        envelope = stamp(self.clock, self.ids, self.sender, conversation if isinstance(conversation, str) else None)
        try:
            fields = await self.answers[call.tool](heard)
            return self.codec.render(call.reply(**envelope, **fields), spec=call.spec)
        except (KeyError, TypeError, ValueError) as error:
            # The message is judged later; whoever sent it learns that it cannot be answered.
            raise CallRefused(INVALID_PARAMS, f"{call.tool}: {type(error).__name__}") from error

    def of(self, tool: str) -> list[Heard]:
        """What was heard of one kind."""
        return [heard for heard in self.heard if heard.call.tool == tool]

    def _calls(self) -> tuple[CallSpec, ...]:
        return tuple(call for call in calls_for(self.role, [self.spec]) if call.tool in self.answers)


class Servers:
    """The servers of any number of agents, which end together: one after the other would take its time."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._over = anyio.Event()

    async def start(self, agent: CheckerAgent, port: int = 0) -> None:
        """Serve an agent on a loopback address until the end.

        Raises:
            AddressUnusable: The port is in use.
        """
        agent.endpoint = await self._tasks.start(self._serve, agent, port)

    def end(self) -> None:
        """Let all of them end."""
        self._over.set()

    async def _serve(self, agent: CheckerAgent, port: int, *, task_status: TaskStatus[str]) -> None:
        async with transports.serve(agent, port=port, grace=GRACE_SEC) as listener:
            task_status.started(listener.endpoint)
            await self._over.wait()


@asynccontextmanager
async def open_servers() -> AsyncGenerator[Servers]:
    """Serve agents until the context ends."""
    raised: Exception | None = None
    async with anyio.create_task_group() as tasks:
        servers = Servers(tasks)
        try:
            yield servers
        except Exception as error:
            # Kept out of the task group, which would hand it back wrapped in a group.
            raised = error
        servers.end()
    if raised is not None:
        raise raised
