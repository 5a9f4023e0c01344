"""MCP server for hosts: tools, resources and notifications of a player."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, Field

from league_sdk.bounds import shorten
from league_sdk.errors import INVALID_PARAMS
from league_sdk.protocol.queries import QueryParams
from league_sdk.release import release
from servers.agent.untrusted import NOTICE, identifier
from servers.host import tool_results
from servers.host.asking import DEFAULT_WAIT_SEC, Seconds, asks_model, asks_person
from servers.host.hosted_player import HostedPlayer, Topic
from servers.host.membership import Membership, NotPossible
from servers.host.options import Ask
from servers.host.prompt import explanation
from servers.host.subscriptions import changes, offer_sessions, uri_of
from servers.host.tool_results import History, OpponentRecord, Schedule, Seated, Standings, TurnReport
from servers.host.turns import NotLegal, NoTurn, Turn, within
from servers.player.positions import known_position

INSTRUCTIONS = (
    "Play in a league between agents. Join with join_league, then again and again: wait_for_my_turn, and choose_move "
    "with one of the legal moves it names. A fallback strategy chooses shortly before the deadline when you have not, "
    f"so nothing is lost by thinking. {NOTICE}"
)
JSON = "application/json"
BOARD = "league://seat/board"
PROGRESS_SEC = 5.0
OUTLOOK_SEC = 2.0
"""Limit of asking the manager for the next match, so that the tool answers quickly."""
LONGEST_NAME = 64


def build_server(membership: Membership, ask: Ask = Ask.OFF, **options: Any) -> MCPServer[Any]:
    """The server of a seat."""
    server = SeatServer(
        "league-seat",
        title="A player in a league",
        instructions=INSTRUCTIONS,
        version=release(),
        log_level="WARNING",
        subscriptions=changes(membership),
        **options,
    )
    tools = SeatTools(membership)
    _add(server, tools.whose_turn, "Whose turn it is", reads=True)
    _add(server, tools.join_league, "Join a league")
    waiting: dict[Ask, Callable[..., Any]] = {Ask.ELICITATION: asks_person, Ask.SAMPLING: asks_model}
    if ask is Ask.OFF:
        _add(server, tools.wait_for_my_turn, "Wait for my turn", reads=True)
    else:
        asking = waiting[ask](lambda: membership.player, tools.wait, tools.take, tools.report)
        _add(server, asking, "Wait for my turn")
    _add(server, tools.choose_move, "Choose a move")
    _add(server, tools.standings, "Standings", reads=True)
    _add(server, tools.schedule, "Schedule", reads=True)
    _add(server, tools.my_history, "My history", reads=True)
    _add(server, tools.opponent_record, "An opponent's record", reads=True)
    _resources(server, tools)
    server.prompt("play_league", "Play in the league", "Explains the game and the league, and how to play.")(
        lambda: explanation(membership)
    )
    offer_sessions(server, membership)
    return server


class SeatServer(MCPServer[Any]):
    """The SDK's server, which reports unknown prompts to the client, not the log."""

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """A prompt by its name."""
        if name not in {prompt.name for prompt in await self.list_prompts()}:
            raise MCPError(INVALID_PARAMS, f"Unknown prompt: {shorten(name, 100)}")
        return await super().get_prompt(name, arguments, context)


def _resources(server: MCPServer[Any], tools: "SeatTools") -> None:
    """Register resources and subscriptions."""
    readers: dict[Topic, tuple[str, Callable[[], Awaitable[BaseModel]]]] = {
        Topic.TURN: ("Whether it is your turn, and what you may choose", tools.situation),
        Topic.STANDINGS: ("The standings of your league", tools.standings),
        Topic.SCHEDULE: ("The matches of your league", tools.schedule),
        Topic.HISTORY: ("Your own finished matches", tools.my_history),
    }

    def reader(read: Callable[[], Awaitable[BaseModel]]) -> Callable[[], Awaitable[str]]:
        async def text() -> str:
            try:
                return (await read()).model_dump_json(indent=2, exclude_none=True)
            except ToolError as error:
                raise ResourceError(str(error)) from error

        return text

    for topic, (description, read) in readers.items():
        title = description.partition(",")[0]
        server.resource(
            uri_of(topic), name=str(topic), title=title, description=f"{description}. {NOTICE}", mime_type=JSON
        )(reader(read))

    def board() -> str:
        try:
            return tools.board()
        except ToolError as error:
            raise ResourceError(str(error)) from error

    about = "The board when it is your turn, as a picture; for games that have one, such as chess"
    server.resource(BOARD, name="board", title="The board", description=about, mime_type="image/svg+xml")(board)


def _add(server: MCPServer[Any], tool: Callable[..., Any], title: str, *, reads: bool = False) -> None:
    hints = types.ToolAnnotations(
        title=title, read_only_hint=reads, destructive_hint=False, idempotent_hint=reads, open_world_hint=not reads
    )
    server.add_tool(tool, title=title, annotations=hints)


class SeatTools:
    """The tools of a seat; their docstrings are the descriptions for the model."""

    def __init__(self, membership: Membership) -> None:
        self._membership = membership

    async def join_league(
        self,
        manager_url: Annotated[
            str | None,
            Field(description="The league manager's endpoint, http://HOST:PORT/mcp; the configured one when left out."),
        ] = None,
        display_name: Annotated[
            str | None, Field(description="Your display name; unique in the league.", max_length=LONGEST_NAME)
        ] = None,
    ) -> Seated:
        """Take a seat in a league that waits for players.

        You play in it until it is over.
        """
        try:
            seat = await self._membership.join(manager_url, display_name)
        except NotPossible as error:
            raise ToolError(f"You could not join: {error}") from error
        say = f"You are {seat.agent_id} in league {seat.league_id}. Now call wait_for_my_turn."
        return Seated(say=say, player_id=seat.agent_id, league_id=seat.league_id)

    async def whose_turn(self) -> TurnReport:
        """Say whether it is your turn, and what happened lately. Answers at once."""
        report = self.report("")
        if report.your_turn or report.league_over or not self._membership.seated or self._membership.player is None:
            return report
        return report.model_copy(update={"say": f"{report.say} {await self._outlook(self._membership.player)}"})

    async def wait_for_my_turn(self, ctx: Context[Any, Any], seconds: Seconds = DEFAULT_WAIT_SEC) -> TurnReport:
        """Wait until it is your turn or the league is over.

        When the time is up first, just call it again.
        """
        turn = await self.wait(ctx, seconds)
        return self.report("" if turn or not self._membership.seated else "It is not your turn yet; wait again.")

    async def choose_move(
        self,
        move: Annotated[str | int, Field(description="One of the legal moves, as they were named.")],
        match_id: Annotated[
            str | None, Field(description="The match, such as R1M1; the one that you were last shown when left out.")
        ] = None,
    ) -> TurnReport:
        """Choose your move.

        One that is not allowed is refused, and you may choose again until the deadline.
        """
        turns = self._membership.turns
        if turns is None or self._membership.credentials is None:
            raise ToolError(self.report("").say)
        try:
            turn = turns.choose(move, match_id)
        except (NoTurn, NotLegal) as error:
            raise ToolError(str(error)) from error
        return await self._chosen(turn)

    async def standings(self) -> Standings:
        """Show the standings of the league, rank 1 first."""
        player = self._player()
        try:
            answer = await self._membership.ask("GET_STANDINGS")
        except NotPossible:
            return tool_results.standings(player, player.last_standings)
        # In a large league the first page may lack the player's own row; the manager's last message has it.
        rows = answer.standings or () if not answer.truncated else player.last_standings or answer.standings or ()
        return tool_results.standings(player, rows)

    async def schedule(
        self, round_id: Annotated[int | None, Field(ge=1, description="Only this round; all when left out.")] = None
    ) -> Schedule:
        """Show the matches of the league, and which of them are yours."""
        player = self._player()
        return tool_results.schedule(player, await self._ask("GET_SCHEDULE", QueryParams(round_id=round_id)))

    async def my_history(
        self, last: Annotated[int, Field(ge=1, le=200, description="How many matches, counted from the latest.")] = 20
    ) -> History:
        """Show your own finished matches: opponents, moves, results."""
        return tool_results.history(self._player().remembered()[-last:])

    async def opponent_record(
        self,
        player: Annotated[
            str | None, Field(description="Whose, by id or name; your present opponent's otherwise.")
        ] = None,
    ) -> OpponentRecord:
        """Show how another player fares in the league, and your matches against it."""
        sitting = self._player()
        player_id = self._meant(sitting, player)
        return tool_results.record(
            sitting, player_id, await self._ask("GET_PLAYER_STATS", QueryParams(player_id=player_id))
        )

    async def wait(self, ctx: Context[Any, Any], seconds: float) -> Turn | None:
        """Wait for a turn, telling the host how long already."""
        membership, clock = self._membership, self._membership.clock
        begun = clock.monotonic()
        told = -1.0
        while True:
            change, turns = membership.change, membership.turns
            turn = None if turns is None else turns.current()
            gone = clock.monotonic() - begun
            if turn is not None or gone >= seconds or not membership.seated:
                return turn
            if gone >= told + PROGRESS_SEC or told < 0:
                told = gone
                await ctx.report_progress(gone, seconds, "Waiting for your turn")
            await within(clock, min(told + PROGRESS_SEC - gone, seconds - gone), change.wait)

    async def take(self, said: object, turn: Turn) -> TurnReport:
        """Take an answer to a question about a turn."""
        turns = self._membership.turns
        try:
            if turns is not None:
                turns.choose(said, turn.match_id, turn.number)
        except NoTurn as error:
            return self.report(f"The answer came too late. {error}")
        except NotLegal as error:
            return self.report(str(error))
        return await self._chosen(turn)

    def report(self, say: str) -> TurnReport:
        """The situation, opened by a given sentence."""
        return tool_results.turn_report(self._membership, " ".join(filter(None, (say, self._membership.late()))))

    async def situation(self) -> TurnReport:
        """The situation, without marking news as told."""
        return tool_results.turn_report(self._membership)

    def board(self) -> str:
        """The drawn board of the current turn, as SVG."""
        turns = self._membership.turns
        turn = None if turns is None else turns.current()
        position = None if turn is None else known_position(turn.view)
        picture = "" if position is None else position.game.svg(position.state)
        if not picture:
            raise ToolError("There is no board to draw: it is not your turn, or the game has no picture.")
        return picture

    async def _chosen(self, turn: Turn) -> TurnReport:
        return self.report(f"Your move in {identifier(turn.match_id)} is made.")

    async def _outlook(self, player: HostedPlayer) -> str:
        """The next match, by the manager's schedule."""
        try:
            match = (await self._membership.ask("GET_NEXT_MATCH", timeout=OUTLOOK_SEC)).next_match
        except NotPossible as error:
            return str(error)
        if match is None:
            return "No match of yours is scheduled."
        players = match.players or (match.player_a_id, match.player_b_id)
        others = " and ".join(player.called(other) for other in players if other != player.seat_id)
        return f"Your next match is {identifier(match.match_id)}, against {others}; it waits for the others."

    async def _ask(self, query: Any, params: QueryParams | None = None) -> Any:
        try:
            return await self._membership.ask(query, params)
        except NotPossible as error:
            raise ToolError(str(error)) from error

    def _player(self) -> HostedPlayer:
        if self._membership.player is None:
            raise ToolError(self.report("").say)
        return self._membership.player

    def _meant(self, sitting: HostedPlayer, player: str | None) -> str:
        turns = self._membership.turns
        turn = None if turns is None else turns.current()
        if player is None:
            if turn is None:
                raise ToolError("You have no opponent now; name a player by its id, such as P02.")
            return turn.view.opponent_id
        named = [known for known, name in sitting.names.items() if player in (known, name)]
        return named[0] if named else player
