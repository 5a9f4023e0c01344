"""Asking for moves: a person by elicitation, or the host's model by sampling.

The question stands on a tool's parameter, so that the SDK asks it as the client's revision of MCP has it: within the
call for the handshake revisions, as a call that is taken up again for 2026-07-28. It must read the same when that
happens, so it does not tell how much time is left.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeAlias, cast

import mcp_types as types
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, Resolve, Sample
from pydantic import BaseModel, Field, create_model

from servers.agent.untrusted import NOTICE, identifier, marked
from servers.host.hosted_player import HostedPlayer
from servers.host.moves import label, labels, move_in
from servers.host.tool_results import TurnReport
from servers.host.turns import Turn

MOST_TOKENS = 300
LONGEST_VIEW = 2000
"""Characters of what a player sees of the game."""
DEFAULT_WAIT_SEC = 45.0
LONGEST_WAIT_SEC = 600.0

Seconds: TypeAlias = Annotated[
    float,
    Field(ge=0, le=LONGEST_WAIT_SEC, description="How long to wait; the turn may come in the next call just as well."),
]
Wait: TypeAlias = Callable[[Context[Any, Any], float], Awaitable[Turn | None]]
"""Waits for a turn, telling the host how long already."""
Take: TypeAlias = Callable[[object, Turn], Awaitable[TurnReport]]
"""Takes an answer for a turn."""
Report: TypeAlias = Callable[[str], TurnReport]
Player: TypeAlias = Callable[[], HostedPlayer | None]

TOO_LATE = "The answer came too late."


class Form(BaseModel):
    """Form that a person fills in."""

    move: str


def question(player: HostedPlayer, turn: Turn) -> str:
    view = turn.view
    game = player.games.get(view.game_type)
    lines = [
        f"Your move in {identifier(view.match_id)}, round {view.round_id}, against {player.called(view.opponent_id)}."
    ]
    if game is not None:
        lines.append(f"{game.display_name or game.name}: {game.description}")
    if view.observation:
        lines.append(f"What you see: {marked(json.dumps(dict(view.observation), ensure_ascii=False), LONGEST_VIEW)}")
    if view.my_moves or view.opponent_moves:
        mine, theirs = labels(view, view.my_moves), labels(view, view.opponent_moves)
        lines.append(f"Your moves so far: {', '.join(mine) or 'none'}. Your opponent's: {', '.join(theirs) or 'none'}.")
    lines.append(f"Legal moves: {', '.join(labels(view))}.")
    return "\n".join(lines)


def form(turn: Turn) -> type[Form]:
    """The form for a turn: one field, with the legal moves to choose from."""
    choice = Field(description="One of the legal moves.", json_schema_extra={"enum": list[Any](labels(turn.view))})
    return create_model("Move", __base__=Form, move=(str, choice))


def asks_person(player: Player, wait: Wait, take: Take, report: Report) -> Any:
    """The tool that waits for a turn and asks the person."""
    turn_of = _waiting(wait)

    async def ask(turn: Annotated[Turn | None, Resolve(turn_of)], ctx: Context[Any, Any]) -> Elicit[Form] | None:
        sitting = player()
        if turn is None or sitting is None or not _can_elicit(ctx):
            return None
        return Elicit(question(sitting, turn), form(turn))

    async def wait_for_my_turn(
        ctx: Context[Any, Any],
        turn: Annotated[Turn | None, Resolve(turn_of)],
        answer: Annotated[ElicitationResult[Form], Resolve(ask)],
        seconds: Seconds = DEFAULT_WAIT_SEC,
    ) -> TurnReport:
        """Wait until it is your turn.

        The person is then asked for the move, and you are told what became of it.
        """
        del seconds
        if not isinstance(answer, AcceptedElicitation):
            return report("The person was asked and gave no move.")
        filled_in = cast("Form | None", answer.data)
        if turn is None or filled_in is None:
            return report("" if _first(ctx) else TOO_LATE)
        return await take(filled_in.move, turn)

    return wait_for_my_turn


def asks_model(player: Player, wait: Wait, take: Take, report: Report) -> Any:
    """The tool that waits for a turn and asks the host's model."""
    turn_of = _waiting(wait)

    async def ask(turn: Annotated[Turn | None, Resolve(turn_of)], ctx: Context[Any, Any]) -> Sample | None:
        sitting = player()
        if turn is None or sitting is None or not _can_sample(ctx):
            return None
        said = f"{question(sitting, turn)}\nAnswer with one of the legal moves and nothing else."
        return Sample(
            [types.SamplingMessage(role="user", content=types.TextContent(text=said))],
            max_tokens=MOST_TOKENS,
            system_prompt=f"You play a match in a league. {NOTICE}",
        )

    async def wait_for_my_turn(
        ctx: Context[Any, Any],
        turn: Annotated[Turn | None, Resolve(turn_of)],
        answer: Annotated[types.CreateMessageResult | None, Resolve(ask)],
        seconds: Seconds = DEFAULT_WAIT_SEC,
    ) -> TurnReport:
        """Wait until it is your turn.

        The host's model is then asked for the move, and you are told what it chose.
        """
        del seconds
        if turn is None or answer is None:
            return report("" if _first(ctx) else TOO_LATE)
        text = answer.content.text if isinstance(answer.content, types.TextContent) else ""
        move = move_in(text, turn.view.legal_moves)
        return await take(text if move is None else label(move[0]), turn)

    return wait_for_my_turn


def _waiting(wait: Wait) -> Callable[..., Awaitable[Turn | None]]:
    async def turn_of(seconds: float, ctx: Context[Any, Any]) -> Turn | None:
        # A call that is taken up again brings an answer: there is nothing to wait for.
        return await wait(ctx, seconds if _first(ctx) else 0.0)

    return turn_of


def _first(ctx: Context[Any, Any]) -> bool:
    """True if this call has asked for no move yet."""
    return ctx.input_responses is None


def _can_elicit(ctx: Context[Any, Any]) -> bool:
    offered = ctx.client_capabilities.elicitation if ctx.client_capabilities is not None else None
    return offered is not None and (offered.form is not None or offered.url is None)


def _can_sample(ctx: Context[Any, Any]) -> bool:
    return ctx.client_capabilities is not None and ctx.client_capabilities.sampling is not None
