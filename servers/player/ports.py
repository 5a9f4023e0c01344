"""The ports of a player's service: strategy, memory, parts and hooks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from league_sdk.clock import Clock, Ids, SystemIds
from league_sdk.domain.model import OnBadMove
from league_sdk.game import Game, PastMatch, PlayerView
from league_sdk.ports import Journal
from servers.agent.identity import Seat
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


@dataclass(frozen=True, slots=True)
class PlayerContext:
    """Parts that one player is made of, beside its strategy."""

    seat: Seat
    games: Mapping[str, Game[Any]]
    memory: Callable[[], Memory]
    clock: Clock
    journal: Journal
    seed: str | None = None
    on_bad_move: OnBadMove = OnBadMove.SUBSTITUTE
    ids: Ids = field(default_factory=SystemIds)


@dataclass(frozen=True, slots=True)
class PlayerHooks:
    """Functions that a player's starter is called by."""

    on_over: Callable[[], None] = lambda: None  # the league is over
    on_news: Callable[[str], None] = lambda _: None  # a match ended, or the league
    on_trouble: Callable[[str], None] = lambda _: None  # its strategy failed, or a draw can't be verified
    on_change: Callable[[str], None] = lambda _: None  # a resource changed
