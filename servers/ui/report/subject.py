"""The subject of a report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from league_sdk.audit import Report
from league_sdk.domain.league import League
from league_sdk.game import Game
from league_sdk.names import game_name
from league_sdk.tournament import Format
from servers.read_model import Clocks, Limits, Overview, overview


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a report."""

    league: League
    clocks: Clocks  # when things happened in it
    audit: Report  # what came of recomputing it
    game: Game[Any] | None  # the rules of its game; None when it is not installed here
    limits: Limits  # how long players had for answers
    written: str  # when the report is written: ISO 8601 in UTC
    version: str  # that of the program
    # what else the league was run with, by what people call it; no secrets
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    tournament_format: Format | None = None  # the format of its stages; None when it is not installed here

    @property
    def overview(self) -> Overview:
        return overview(self.league)

    @property
    def game_name(self) -> str:
        return (self.game.display_name if self.game is not None else "") or game_name(self.league.rules.game_type)
