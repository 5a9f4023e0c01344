"""The parts of a referee that its service and its matches share, and its hooks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from clients.retry import RetryPolicy
from league_sdk.clock import Clock, Ids
from league_sdk.game import Game
from league_sdk.ports import Journal, Peer, PeerCalls
from servers.agent.identity import Seat
from servers.referee.player_timeouts import PlayerTimeouts


class Spawn(Protocol):
    """Starts something that runs by itself."""

    def __call__(self, job: Callable[[], Any], /) -> None:
        """Start `job`, an async function without arguments."""
        ...


@dataclass(frozen=True, slots=True)
class RefereeLimits:
    """A referee's limits and settings."""

    max_concurrent_matches: int
    # the players' time, by the game's choice field and the league's own limits
    limits: Callable[[str, Mapping[str, float]], PlayerTimeouts]
    max_retries: int  # how often a player is asked again


@dataclass(frozen=True, slots=True)
class RefereeContext:
    """Parts that one referee is made of."""

    seat: Seat
    games: Callable[[str, Mapping[str, Any]], Game[Any]]  # by name and options
    default_game: str
    manager: Callable[[], Peer]
    peers: PeerCalls
    settings: RefereeLimits
    retry: RetryPolicy
    spawn: Spawn
    clock: Clock
    ids: Ids
    journal: Journal


@dataclass(frozen=True, slots=True)
class RefereeHooks:
    """Functions that a referee's starter is called by."""

    on_over: Callable[[], None]  # the league is over
    on_state: Callable[[str], None]  # a match, by its id, is in another state
    on_over_match: Callable[[float], None] = lambda _: None  # a match ended, after so many seconds
    endpoint: Callable[[], str | None] = lambda: None  # where the referee can be called
