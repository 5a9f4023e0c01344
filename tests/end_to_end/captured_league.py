"""One league in processes of its own, of which every message is kept, and in which much goes wrong on purpose."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from mcp.client import Client
from mcp.shared.exceptions import MCPError

from league_sdk import tokens
from tests.dialects.bare import Bare, Message, PushingPlayer, Refused, V1Player
from tests.end_to_end.program_harness import QUICK, Program, ProgramHarness

T = TypeVar("T")

RECORDER = Path(__file__).with_name("wire_recorder.py").read_text(encoding="utf-8")
EXAMPLES = Path(__file__).parents[2] / "docs" / "message_examples"
TYPED = "typed"
"""The conversation of what the test sends itself: it is no message of the league's."""
STUMBLING = '''
from league_sdk import strategy


@strategy("stumbling")
def stumbling(view):
    """Raises in every match, so that its player says that it substituted the move."""
    raise ValueError("stumbled")
'''
PATIENCE = 240.0


@dataclass(frozen=True)
class Sent:
    """A message that an agent of ours sent.

    Attributes:
        body: The message.
        tool: The tool that was called, or that answered.
        request: What it answers, or None.
        code: The JSON-RPC number, when it is the data of an error.
    """

    body: Message
    tool: str
    request: Message | None = None
    code: int | None = None

    @property
    def kind(self) -> str:
        """Its message type; v1's are marked."""
        old = "v1 " if self.body.get("protocol") == "league.v1" else ""
        return f"{old}{self.body.get('message_type')}"


@dataclass
class Capture:
    """All that was recorded.

    Attributes:
        folder: Where the processes write.
        heard: What agents without MCP were told and answered, which no server of the SDK's sees.
        schemas: Tool to the schemas that the agents publish, of request and reply.
    """

    folder: Path
    heard: list[Sent] = field(default_factory=list[Sent])
    schemas: dict[str, tuple[Message, Message]] = field(default_factory=dict[str, tuple[Message, Message]])

    def lines(self) -> list[Message]:
        """The captured traffic of the SDK's servers so far."""
        path = self.folder / "records.jsonl"
        # The last line may be half written.
        return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] if path.exists() else []

    def sent(self) -> list[Sent]:
        """Every message of an agent of ours."""
        found = list(self.heard)
        for line in self.lines():
            request, tool = line["request"], line["tool"]
            if request.get("conversation_id") != TYPED:
                found.append(Sent(request, tool))
            if "reply" in line:
                found.append(Sent(line["reply"], tool, request))
            elif line.get("error") and line["error"]["data"]:
                found.append(Sent(line["error"]["data"], tool, request, line["error"]["code"]))
        return found

    def first(self, tool: str, fits: Callable[[Message], Any] = lambda line: True) -> Message | None:
        """The first line about a tool that fits."""
        return next((line for line in self.lines() if line["tool"] == tool and fits(line)), None)


class Waiting(PushingPlayer):
    """Answers its second move only when it is told to, so that the league stands while its operator looks around."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.go_on = asyncio.Event()
        self.asked = 0

    async def on_choose_parity(self, message: Message) -> Any:
        self.asked += 1
        if self.asked == 2:
            await self.go_on.wait()
        return await super().on_choose_parity(message)


async def until(look: Callable[[], T | None], what: str) -> T:
    """Look until something is there that another process makes."""
    try:
        async with asyncio.timeout(PATIENCE):
            # A file that other processes write sends no message.
            while not (found := look()):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            return found
    except TimeoutError:
        raise AssertionError(f"not within {PATIENCE:g} s: {what}") from None


def example(name: str, **changes: Any) -> Message:
    """A documented message, with some of its fields changed, as a person would send it."""
    message = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return {**message, "conversation_id": TYPED, **changes}


@contextlib.asynccontextmanager
async def _serving(*agents: Bare) -> AsyncGenerator[None]:
    async with contextlib.AsyncExitStack() as stack:
        for agent in agents:
            await stack.enter_async_context(agent.serving())
        yield


class Operator:
    """The person at the keyboard, who also tries what is not allowed."""

    def __init__(self, programs: ProgramHarness, capture: Capture) -> None:
        self.programs = programs
        self.capture = capture

    async def call(self, url: str, tool: str, message: Mapping[str, Any]) -> Message:
        """Call a tool through the SDK's client; a refusal is a result too."""
        async with Client(url) as client:
            try:
                return (await client.call_tool(tool, dict(message))).structured_content or {}
            except MCPError as refused:
                return refused.error.data

    async def read_schemas(self, url: str) -> None:
        """Keep what an agent publishes of its tools."""
        async with Client(url) as client:
            for tool in (await client.list_tools()).tools:
                if tool.output_schema is not None:
                    self.capture.schemas[tool.name] = (tool.input_schema, tool.output_schema)

    def token(self) -> str:
        """The operator's own."""
        (path,) = (self.programs.data / "data" / "secrets").rglob("operator.token")
        return path.read_text(encoding="utf-8").strip()

    def registered(self, role: str) -> dict[str, Message]:
        """Agents that have a seat: id to the line of their registration."""
        lines = [line for line in self.capture.lines() if line["tool"] == f"register_{role}" and "reply" in line]
        return {line["reply"][f"{role}_id"]: line for line in lines if line["reply"]["status"] == "ACCEPTED"}

    def endpoint(self, line: Message, role: str) -> str:
        """The URL of a registered agent."""
        return line["request"][f"{role}_meta"]["contact_endpoint"]

    async def before_the_start(self) -> None:
        """Registrations that are refused, a schedule, and a match that is led by hand."""
        manager = self.programs.manager
        registered = self.registered("player")
        for kind, role in (("player_register_request", "player"), ("referee_register_request", "referee")):
            ask = example(f"registration/{kind}")
            for change in ({"display_name": ""}, {"game_types": ["chess"]}):
                meta = {f"{role}_meta": {**ask[f"{role}_meta"], **change}}
                await self.call(manager, f"register_{role}", {**ask, **meta})
        await self.call(manager, "create_schedule", example("operator/create_schedule", auth_token=self.token()))
        await self.lead_by_hand(registered)

    async def lead_by_hand(self, registered: Mapping[str, Message]) -> None:
        """Start, collect, draw and finalize a match of the operator's own."""
        (rex, *_) = self.registered("referee").values()
        url = self.endpoint(rex, "referee")
        (one, first), (two, second), *_ = [
            item for item in registered.items() if "jsonrpc" not in item[1]["request"]["player_meta"].get("dialect", "")
        ]
        given = {"player_A_id": one, "player_B_id": two, "match_id": "R9M1", "league_id": first["reply"]["league_id"]}
        for seat, line in (("A", first), ("B", second)):
            given[f"player_{seat}_endpoint"] = self.endpoint(line, "player")
            given[f"player_{seat}_ticket"] = tokens.match_ticket(line["reply"]["peer_token"], "R9M1", 1)
        begin = example("operator/start_match", auth_token=self.token(), step_by_step=True, **given)
        await self.call(url, "start_match", begin)
        which = {"auth_token": self.token(), "game_session_id": "R9M1#1"}
        for step in ("collect_choices", "draw_number", "finalize_match"):
            await self.call(url, step, example("operator/match_step", **which))
        await self.call(url, "match_status", example("operator/match_status", auth_token=self.token(), match_id="R9M1"))

    async def in_the_middle(self) -> None:
        """Queries of every kind, and calls that the manager refuses."""
        manager = self.programs.manager
        seat, line = next(iter(self.registered("player").items()))
        mine = {"sender": f"player:{seat}", "auth_token": line["reply"]["auth_token"]}
        mine["league_id"] = line["reply"]["league_id"]
        for name in ("", "_status", "_schedule", "_next_match", "_player_stats"):
            await self.call(manager, "league_query", example(f"queries/league_query{name}", **mine))
        await self.call(manager, "league_query", example("queries/league_query", **{**mine, "auth_token": "wrong"}))
        await self.call(manager, "get_standings", example("operator/get_standings", auth_token=self.token()))
        report = await until(lambda: self.capture.first("report_match_result", _of_a_winner), "a match with a winner")
        said: Message = {**report["request"], "conversation_id": TYPED}
        body: Message = said["result"]
        draw = {"winner": None, "score": dict.fromkeys(body["score"], 1)}
        details = {**body["details"], "status": "DRAW"}
        other = {**said, "result": {**body, **draw, "details": details}}
        await self.call(manager, "report_match_result", said)
        await self.call(manager, "report_match_result", other)


def _with_substituted_moves(line: Message) -> bool:
    return "substituted" in line["request"]["result"]


def _of_a_winner(line: Message) -> bool:
    return "reply" in line and line["request"]["result"]["winner"] is not None


def _of_the_manager(line: Message) -> bool:
    return line["request"]["conversation_id"] != TYPED


def _keep(capture: Capture, agent: Bare) -> None:
    """Keep a bare agent's incoming messages and its answers."""
    capture.heard += [Sent(message, tool) for tool, message in agent.heard]
    if isinstance(agent, PushingPlayer):
        capture.heard += [Sent(answer, "receive_parity_response", {}) for answer in agent.answers]


async def play(programs: ProgramHarness, folder: Path) -> Capture:
    """Play the league."""
    capture = Capture(folder)
    operator = Operator(programs, capture)
    pushing, old = Waiting("Mal"), V1Player("Cyd")
    program = _started(programs)
    async with _serving(pushing, old):
        await until(lambda: operator.registered("player") and operator.registered("referee"), "the first seats")
        with contextlib.suppress(Refused):
            await pushing.call(programs.manager, "register_player", {"protocol": "league.v2"})
        await old.register(programs.manager)
        await pushing.register(programs.manager, dialect="push")
        await until(lambda: len(operator.registered("player")) >= 3 and len(operator.registered("referee")) == 2, "all")
        await operator.before_the_start()
        await asyncio.to_thread(programs.look, "start", "--manager", programs.manager, "--json")
        for role in ("player", "referee"):
            for line in operator.registered(role).values():
                if line["request"].get("protocol") == "league.v2" and "mcp" in str(line["request"]):
                    with contextlib.suppress(Exception):
                        await operator.read_schemas(operator.endpoint(line, role))
        await operator.read_schemas(programs.manager)
        await until(lambda: capture.first("report_match_result", _with_substituted_moves), "a substituted move")
        await until(lambda: capture.first("match_status", _of_the_manager), "a look of the manager at a match")
        for query in (("next-match", "--player", pushing.agent_id), ("schedule",), ("schedule", "--round", 1)):
            await asyncio.to_thread(programs.look, "query", *query, "--manager", programs.manager)
        await operator.in_the_middle()
        withdraw = ("withdraw", "Eve", "--reason", "enough", "--manager", programs.manager, "--json")
        await asyncio.to_thread(programs.look, *withdraw)
        pushing.go_on.set()
        assert await asyncio.to_thread(program.end) == 0, program.err
        for agent in (pushing, old):
            _keep(capture, agent)
    assert (pushing.troubles, old.troubles) == ([], [])
    return capture


def _started(programs: ProgramHarness) -> Program:
    site = programs.folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(RECORDER, encoding="utf-8")
    return programs.start(
        *("run", "--processes", "--port-base", programs.base, "--players", 6, "--guests", 3, "--seed", 7),
        *("--referees", 2, "--join-timeout", 1.5, "--move-timeout", 20, *QUICK),
        *("--plugins", programs.plug_in("stumbling", STUMBLING)),
        *(word for name in ("Ada", "Bob", "Eve") for word in ("--player", f"name={name},strategy=stumbling")),
        fresh=True,
    )
