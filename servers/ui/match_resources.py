"""MCP resources, prompt and view of a match, for the manager and referees."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from league_sdk.domain.model import MatchResult
from league_sdk.json_value import Json
from league_sdk.resource_provider import APP, TEXT, Argument, Prompt, Resource, Shown, View
from servers.agent import untrusted
from servers.agent.resource_registry import Choices, Page, PromptSpec, Window
from servers.read_model import public
from servers.ui import mcp_apps

OverMatch: TypeAlias = tuple[MatchResult, Mapping[str, str]]
"""The result of a match, and the names of its players."""

REPLAY_APP = Page(
    Resource(mcp_apps.REPLAY, "replay-app", "Replay (app)", "The page that draws show_match.", APP),
    lambda: mcp_apps.page("replay"),
)


@dataclass(frozen=True, slots=True)
class MatchResources:
    """Shows matches that are over.

    `about` is the description of the argument match_id. `over` raises NotOffered for other matches than `ids_over`.
    """

    about: str
    over: Callable[[str], Awaitable[OverMatch]]
    ids_over: Choices

    async def transcript(self, match_id: str) -> Json:
        result, _ = await self.over(match_id)
        return {"match_id": match_id, "transcript": untrusted.said(public.transcript(result))}

    async def replay(self, match_id: str) -> str:
        """A match as text."""
        return public.replay(*await self.over(match_id))

    async def result(self, match_id: str) -> Json:
        return public.match_result(*await self.over(match_id))

    async def _show(self, match_id: str) -> Shown:
        over = await self.over(match_id)
        return Shown(public.replay(*over), public.match_result(*over))

    def pages(self, match: Callable[[str], Json], ids: Choices) -> tuple[Page, ...]:
        """The pages of a match; `match` reads one that may not be over yet."""
        about = "The result of a match that is over, with its transcript; of another match, how far it is."
        told, over = "The messages of a match that is over, in order.", {"match_id": self.ids_over}
        step_by_step = "A match that is over, told step by step."
        return (
            Page(Resource("matches/{match_id}", "match", "A match", about), match, {"match_id": ids}),
            Page(Resource("matches/{match_id}/transcript", "transcript", "Transcript", told), self.transcript, over),
            Page(Resource("matches/{match_id}/replay", "replay", "Replay", step_by_step, TEXT), self.replay, over),
        )

    def question(self, description: str) -> PromptSpec:
        """The prompt that has a match analysed."""
        return PromptSpec(
            Prompt("analyse_match", "Analyse a match", description, (Argument("match_id", self.about),)),
            "Analyse match {match_id}: go through its transcript in order, say what decided it, and whether "
            "anybody was slow, made an illegal move, or was at fault otherwise.",
            self.result,
            {"match_id": self.ids_over},
        )

    def window(self, description: str) -> Window:
        """The view that shows a match."""
        schema = {
            "type": "object",
            "properties": {"match_id": {"type": "string", "description": self.about}},
            "required": ["match_id"],
        }
        return Window(View("show_match", "Show a match", description, mcp_apps.REPLAY, schema), self._show)
