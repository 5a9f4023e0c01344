"""The hosted player, which reports to the host."""

from collections import deque
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from league_sdk.domain.league_state import NO_CHAMPION
from league_sdk.game import Game, PastMatch
from league_sdk.protocol.match import GameInvitation, GameJoinAck, GameOver, GameOverAck, GameResult
from league_sdk.protocol.rounds import (
    LeagueCompletedAck,
    LeagueCompletedMessage,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundAnnouncementAck,
    RoundCompletedAck,
    RoundCompletedMessage,
    StandingRow,
    StandingsUpdateAck,
)
from servers.agent.access import Caller
from servers.agent.untrusted import identifier, marked
from servers.player.ports import Chooser, PlayerContext, PlayerHooks
from servers.player.service import PlayerService

NEWS_KEPT = 6


class Topic(StrEnum):
    """A topic that a host can subscribe to."""

    TURN = "turn"
    STANDINGS = "standings"
    SCHEDULE = "schedule"
    HISTORY = "history"


class HostedPlayer(PlayerService):
    """A player that tells its host."""

    def __init__(
        self, context: PlayerContext, choose: Chooser, hooks: PlayerHooks, *, tell: Callable[[Topic], None]
    ) -> None:
        super().__init__(context, choose, hooks)
        self._tell = tell
        self._news: deque[str] = deque(maxlen=NEWS_KEPT)
        self.over = False

    @property
    def seat_id(self) -> str:
        """The id that the league gave it; empty before."""
        return self._seat.agent_id

    @property
    def names(self) -> Mapping[str, str]:
        return self._names

    @property
    def games(self) -> Mapping[str, Game[Any]]:
        return self._games

    @property
    def last_standings(self) -> tuple[StandingRow, ...]:
        """The standings that it was sent last."""
        return tuple(StandingRow.model_validate(row) for row in self._standings)

    @property
    def news(self) -> tuple[str, ...]:
        """Recent events, a line each, for the host's model."""
        return tuple(self._news)

    def note(self, line: str) -> None:
        self._news.append(line)

    def remembered(self) -> tuple[PastMatch, ...]:
        """The matches it remembers, oldest first."""
        return self._history(self._seat.credentials.league_id if self._seat.credentials else "")

    def called(self, player_id: str) -> str:
        """A player as the host is shown it."""
        name, known = self._names.get(player_id), identifier(player_id)
        return known if name is None else f"{known} {marked(name)}"

    async def notify_round(self, message: RoundAnnouncement, caller: Caller) -> RoundAnnouncementAck:
        reply = await super().notify_round(message, caller)
        self.note(f"Round {message.round_id} begins.")
        self._tell(Topic.SCHEDULE)
        return reply

    async def handle_game_invitation(self, message: GameInvitation, caller: Caller) -> GameJoinAck:
        reply = await super().handle_game_invitation(message, caller)
        if reply.accept:
            self.note(f"{identifier(message.match_id)} begins, against {self.called(message.opponent_id)}.")
        return reply

    async def notify_match_result(self, message: GameOver, caller: Caller) -> GameOverAck:
        reply = await super().notify_match_result(message, caller)
        result = message.game_result or GameResult(reason="The referee told no result.")
        won = "won" if result.winner_player_id == reply.player_id else "lost" if result.winner_player_id else ""
        outcome = f"You {won}" if won else "It was a draw" if result.status == "DRAW" else "Nobody won"
        reason = f" {marked(result.reason, 200)}" if result.reason else ""
        self.note(f"{identifier(message.match_id)} is over. {outcome}.{reason}")
        self._tell(Topic.HISTORY)
        self._tell(Topic.TURN)
        return reply

    async def update_standings(self, message: LeagueStandingsUpdate, caller: Caller) -> StandingsUpdateAck:
        reply = await super().update_standings(message, caller)
        self._tell(Topic.STANDINGS)
        return reply

    async def notify_round_completed(self, message: RoundCompletedMessage, caller: Caller) -> RoundCompletedAck:
        reply = await super().notify_round_completed(message, caller)
        self._tell(Topic.SCHEDULE)
        return reply

    async def notify_league_completed(self, message: LeagueCompletedMessage, caller: Caller) -> LeagueCompletedAck:
        reply = await super().notify_league_completed(message, caller)
        heads = message.winners
        champions = ", ".join(f"{identifier(head.player_id)} {marked(head.display_name)}" for head in heads)
        told = f"{'Champion' if len(heads) == 1 else 'Champions'}: {champions}" if heads else NO_CHAMPION.capitalize()
        self.note(f"The league is over. {told}.")
        self.over = True
        for topic in Topic:
            self._tell(topic)
        return reply
