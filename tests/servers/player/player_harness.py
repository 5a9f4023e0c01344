"""A player without a wire, with a strategy and a memory that a test can look into."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from league_sdk import tokens
from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.model import OnBadMove, Role
from league_sdk.game import Game, PastMatch, PlayerView
from servers.agent.identity import Credentials, Seat
from servers.agent.server import AgentServer
from servers.player.mcp_resources import PlayerResources
from servers.player.move_substitution import Guarded
from servers.player.ports import PlayerContext, PlayerHooks
from servers.player.service import PlayerService
from servers.player.tools import tool_table
from tests.servers.fakes import GAMES, LEAGUE, OPERATOR, SPECS, FakeJournal, agent, context, envelope

PEER_TOKEN = tokens.peer_token(OPERATOR, LEAGUE, "P01")
CREDENTIALS = Credentials("P01", LEAGUE, "the player's own token", PEER_TOKEN)


class FakeMemory:
    """Remembers in a list."""

    def __init__(self, *known: PastMatch) -> None:
        self.known = list(known)
        self.remembered: list[tuple[PastMatch, int, str]] = []
        self.heads: dict[str, tuple[int, str]] = {}

    def remember(self, past: PastMatch, *, round_id: int, timestamp: str) -> None:
        self.known.append(past)
        self.remembered.append((past, round_id, timestamp))

    def keep_head(self, league_id: str, sequence: int, digest: str) -> None:
        self.heads[league_id] = (sequence, digest)

    def past_matches(
        self, league_id: str | None = None, opponents: Mapping[str, str] | None = None
    ) -> tuple[PastMatch, ...]:
        """As the real one: an opponent of another league bears the id that its name has now."""
        ids = opponents or {}
        return tuple(
            past if past.league_id == league_id else replace(past, opponent_id=ids.get(past.opponent_name, ""))
            for past in self.known
        )


def first(view: PlayerView) -> Any:
    """The plainest strategy."""
    return view.legal_moves[0]


@dataclass
class Player:
    """A player and all that it meets."""

    service: PlayerService
    agent: AgentServer
    seat: Seat
    memory: FakeMemory
    journal: FakeJournal
    clock: ManualClock
    views: list[PlayerView]
    over: list[bool] = field(default_factory=list[bool])
    news: list[str] = field(default_factory=list[str])

    async def call(self, tool: str, message: Mapping[str, Any], token: str | None = OPERATOR) -> Any:
        """Call a tool as a transport does; the operator's token opens all of them."""
        return await self.agent.call(tool, message, context(token))

    async def invite(self, match_id: str = "R1M1", **changes: Any) -> Any:
        return await self.call("handle_game_invitation", invitation(match_id, **changes))

    async def ask(self, match_id: str = "R1M1", turn: int = 1, **changes: Any) -> Any:
        return await self.call("choose_parity", call_for_move(match_id, turn, **changes))

    async def tell(self, match_id: str = "R1M1", **result: Any) -> Any:
        return await self.call("notify_match_result", game_over(match_id, **result))


def player(
    strategy: Callable[[PlayerView], Any] = first,
    *,
    credentials: Credentials | None = CREDENTIALS,
    games: Mapping[str, Game[Any]] | None = None,
    memory: FakeMemory | None = None,
    seed: str | None = None,
    settled: bool = True,
    time_limit: float = 5.0,
    operator: str | None = OPERATOR,
    on_bad_move: OnBadMove = OnBadMove.SUBSTITUTE,
) -> Player:
    """A player that has its seat."""
    seat, journal, clock, remembered = (
        Seat(Role.PLAYER, "Ada", operator),
        FakeJournal(),
        ManualClock(),
        memory or FakeMemory(),
    )
    if settled:
        seat.settle(credentials)
    views: list[PlayerView] = []

    def watched(view: PlayerView) -> Any:
        views.append(view)
        return strategy(view)

    made: list[Player] = []
    parts = PlayerContext(
        seat=seat,
        games=GAMES if games is None else games,
        memory=lambda: remembered,
        clock=clock,
        journal=journal,
        seed=seed,
        on_bad_move=on_bad_move,
        ids=ManualIds(),
    )

    def tell(text: str) -> None:
        made[0].news.append(text)

    hooks = PlayerHooks(lambda: made[0].over.append(True), tell, tell, lambda path: resources.changed(path))
    service = PlayerService(parts, Guarded(watched, time_limit), hooks)
    resources = PlayerResources(seat, service, operator)
    host = agent(
        tool_table(service, SPECS),
        seat.identify,
        journal=journal,
        clock=clock,
        sender=lambda: seat.sender,
        ready=seat.ready,
        resources=resources.registry,
    )
    made.append(Player(service, host, seat, remembered, journal, clock, views))
    return made[0]


def _of_match(kind: str, match_id: str, **fields: Any) -> dict[str, Any]:
    plain = {"league_id": LEAGUE, "round_id": 1, "match_id": match_id}
    given = {name: value for name, value in {**plain, **fields}.items() if value is not None}
    return envelope(kind, "referee:REF01", None, **given)


def invitation(match_id: str = "R1M1", **changes: Any) -> dict[str, Any]:
    """A referee's invitation."""
    plain = {
        "game_type": "even_odd",
        "role_in_match": "PLAYER_A",
        "opponent_id": "P02",
        "opponent_name": "Bea",
        "player_id": "P01",
        "attempt": 1,
    }
    return _of_match("GAME_INVITATION", match_id, **{**plain, **changes})


def call_for_move(match_id: str = "R1M1", turn: int = 1, **changes: Any) -> dict[str, Any]:
    """A referee's call for a move of Even/Odd; `context` is completed, all else replaced."""
    plain_context = {
        "opponent_id": "P02",
        "round_id": 1,
        "your_standings": {"wins": 0, "losses": 0, "draws": 0, "points": 0},
        "legal_moves": ["even", "odd"],
        "turn": turn,
    }
    told = {**plain_context, **changes.pop("context", {})}
    fields = {
        "player_id": "P01",
        "game_type": "even_odd",
        "deadline": "2025-01-15T10:00:30.000Z",
        "context": {name: value for name, value in told.items() if value is not None},
    }
    return _of_match("CHOOSE_PARITY_CALL", match_id, **{**fields, **changes})


def game_over(match_id: str = "R1M1", **result: Any) -> dict[str, Any]:
    """A referee's news of the result: P01 has won, unless told otherwise."""
    plain = {
        "status": "WIN",
        "winner_player_id": "P01",
        "reason": "so it is",
        "score": {"P01": 3, "P02": 0},
        "choices": {"P01": "even", "P02": "odd"},
        "drawn_number": 8,
    }
    return _of_match("GAME_OVER", match_id, game_type="even_odd", game_result={**plain, **result})


def game_error(match_id: str = "R1M1", code: str = "E004") -> dict[str, Any]:
    """A referee's word that something went wrong."""
    return _of_match(
        "GAME_ERROR",
        match_id,
        error_code=code,
        error_description="?",
        affected_player="P01",
        action_required="CHOOSE_PARITY_RESPONSE",
        retry_count=1,
        max_retries=3,
        consequence="?",
    )
