"""A seat whose player is called by the test itself, on a clock that the test moves."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
from mcp.client import Client

from league_sdk.clock import ManualIds
from league_sdk.domain.lifecycles import AgentTrigger
from league_sdk.domain.model import Role
from league_sdk.game import PastMatch, PlayerView
from league_sdk.protocol.match import GameInvitation, GameOver
from league_sdk.protocol.queries import LeagueQuery, LeagueQueryResponse
from league_sdk.protocol.rounds import (
    LeagueCompletedMessage,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundCompletedMessage,
)
from servers.agent.access import Caller
from servers.agent.agent_spec import AgentSpec
from servers.agent.identity import Seat
from servers.host.host_server import build_server
from servers.host.hosted_player import HostedPlayer
from servers.host.membership import Inquiries, Membership
from servers.host.options import Ask
from servers.host.turns import Turns
from servers.player.move_substitution import Decision
from servers.player.ports import PlayerContext, PlayerHooks
from tests.servers.fakes import GAMES, LEAGUE, NOW, FakeJournal, FakePeers, SteppingClock, settle
from tests.servers.player.player_harness import CREDENTIALS, FakeMemory

MOVE_SEC = 30.0
NOBODY = Caller()


async def second(view: PlayerView) -> Any:
    """The strategy that steps in."""
    return view.legal_moves[1]


class SeatHarness:
    """A seat in a league, as P01.

    Attributes:
        membership: Its membership.
        player: The player behind it.
        manager: What the league manager answers.
        clock: Stands still until the test moves it.
    """

    def __init__(self, tasks: anyio.abc.TaskGroup, folder: Path, *known: PastMatch, seated: bool) -> None:
        self.clock = SteppingClock()
        self.manager = FakePeers()
        self.membership = Membership(AgentSpec(Role.PLAYER, "Ada", folder), tasks, self.clock)
        seat, memory = Seat(Role.PLAYER, "Ada"), FakeMemory(*known)
        seat.settle(CREDENTIALS)
        turns = Turns(self.clock, MOVE_SEC, second, "second", self.membership.turn_changed)
        parts = PlayerContext(seat, GAMES, lambda: memory, self.clock, FakeJournal())
        self.player = HostedPlayer(parts, turns, PlayerHooks(), tell=self.membership.tell)
        inquiries = Inquiries(seat, "http://localhost:8000/mcp", self.manager, self.clock, ManualIds(), 5.0)
        if seated:
            self.player.registered()
            self.player.life.transition(AgentTrigger.LEAGUE_START)
            self.membership.take_seat(self.player, turns, seat, inquiries)

    async def invite(self, opponent: str = "Bea", match_id: str = "R1M1") -> None:
        """A match begins."""
        await self.player.handle_game_invitation(
            GameInvitation(
                **_envelope("referee:REF01"),
                league_id=LEAGUE,
                round_id=1,
                match_id=match_id,
                game_type="even_odd",
                role_in_match="PLAYER_A",
                opponent_id="P02",
                opponent_name=opponent,
            ),
            NOBODY,
        )

    @asynccontextmanager
    async def asked(self, match_id: str = "R1M1", **more: Any) -> AsyncGenerator["asyncio.Task[Decision]"]:
        """A referee that waits for a move."""
        turns = self.membership.turns
        assert turns is not None
        deadline = self.clock.now() + timedelta(seconds=MOVE_SEC)
        moves: dict[str, Any] = {"legal_moves": ("even", "odd"), **more}
        view = PlayerView("even_odd", LEAGUE, match_id, 1, "P01", "P02", deadline=deadline, **moves)
        task = asyncio.ensure_future(turns(view))
        await settle()
        try:
            yield task
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def result(self, reason: str = "so it is") -> None:
        """A match is over."""
        over = {"status": "WIN", "winner_player_id": "P01", "reason": reason, "score": {"P01": 3, "P02": 0}}
        message = GameOver.model_validate(
            {
                **_envelope("referee:REF01"),
                "league_id": LEAGUE,
                "round_id": 1,
                "match_id": "R1M1",
                "game_type": "even_odd",
                "game_result": over,
            }
        )
        await self.player.notify_match_result(message, NOBODY)

    async def hear(self, kind: str, **fields: Any) -> None:
        """The manager tells something."""
        kinds: Mapping[str, Any] = {
            "round": (RoundAnnouncement, self.player.notify_round),
            "round completed": (RoundCompletedMessage, self.player.notify_round_completed),
            "standings": (LeagueStandingsUpdate, self.player.update_standings),
            "league completed": (LeagueCompletedMessage, self.player.notify_league_completed),
        }
        model, method = kinds[kind]
        await method(model.model_validate({**_envelope("league_manager"), "league_id": LEAGUE, **fields}), NOBODY)

    def answers(self, query: str, **fields: Any) -> None:
        """The manager's answers from now on."""

        def answer(call: Any) -> LeagueQueryResponse:
            assert call.message.query_type == query
            return LeagueQueryResponse.model_validate(
                {**_envelope("league_manager"), "query_type": query, "league_id": LEAGUE, **fields}
            )

        self.manager.script(LeagueQuery, answer)


@asynccontextmanager
async def seat_harness(folder: Path, *known: PastMatch, seated: bool = True) -> AsyncGenerator[SeatHarness]:
    """A seat, in a league unless told otherwise."""
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            yield SeatHarness(tasks, folder, *known, seated=seated)
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def hosted(made: SeatHarness, mode: str, ask: Ask = Ask.OFF, **client: Any) -> AsyncGenerator[Client]:
    """A host in this process."""
    async with Client(build_server(made.membership, ask), mode=mode, **client) as opened:
        yield opened


def row(player_id: str, name: str, rank: int = 1, points: int = 0) -> dict[str, Any]:
    """A row of the standings."""
    counts = {"played": 1, "wins": 1, "draws": 0, "losses": 0}
    return {"rank": rank, "player_id": player_id, "display_name": name, "points": points, **counts}


def _envelope(sender: str) -> dict[str, Any]:
    return {"sender": sender, "timestamp": NOW, "conversation_id": "c"}
