"""The ports of a player's service: its strategy and its memory."""

from collections.abc import Mapping
from typing import Protocol

from league_sdk.game import PastMatch, PlayerView
from servers.player.move_substitution import Decision


class Chooser(Protocol):
    """A strategy that always answers in time, with a legal move."""

    async def __call__(self, view: PlayerView) -> Decision:
        """The decision for this view."""
        ...


class Memory(Protocol):
    """A player's match history across leagues."""

    def remember(self, past: PastMatch, *, round_id: int, timestamp: str) -> None:
        """Keep a finished match; the same match again changes nothing."""
        ...

    def keep_head(self, league_id: str, sequence: int, digest: str) -> None:
        """Keep the last record of a league's log, in place of an earlier one."""
        ...

    def past_matches(
        self, league_id: str | None = None, opponents: Mapping[str, str] | None = None
    ) -> tuple[PastMatch, ...]:
        """Past matches, oldest first; `opponents` maps names of other leagues to ids."""
        ...
