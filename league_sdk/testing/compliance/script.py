"""The checker's messages, of a league of the checked agent and scripted ones."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from league_sdk import tokens
from league_sdk.clock import Clock, Ids, SystemClock, SystemIds, to_wire_time
from league_sdk.errors import SPECS
from league_sdk.game import Game, turns
from league_sdk.json_value import Json
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.envelope import stamp
from league_sdk.protocol.match import (
    GameError,
    GameInvitation,
    GameOver,
    GameResult,
    MoveCall,
    MoveContext,
    YourStandings,
)
from league_sdk.protocol.operator import MatchStatus, ScoringInfo, StartMatch
from league_sdk.protocol.rounds import (
    Champion,
    LeagueCompletedMessage,
    LeagueStandingsUpdate,
    MatchInfo,
    RoundAnnouncement,
    RoundCompletedMessage,
    StandingRow,
)
from league_sdk.testing.compliance.older_protocol import Translator

LEAGUE = "league_check"
PLAYER, OPPONENT, REFEREE = "P01", "P02", "REF01"
MANAGER = "league_manager"
OPPONENT_NAME = "League Check"
MOST_TURNS = 500  # no game that is checked with lasts longer
NOWHERE = "http://127.0.0.1:9/mcp"
"""The endpoint of the checker's referee where it takes no pushed answers."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time limits for an agent's answers, in seconds.

    Attributes:
        join: To accept an invitation.
        move: To move.
        response: For any other answer.
    """

    join: float = 5.0
    move: float = 30.0
    response: float = 10.0

    def of(self, kind: str) -> float:
        limit: float = getattr(self, kind)
        return limit


@dataclass(slots=True)
class Script:
    """Writes the checker's messages as JSON."""

    game: Game[Any]
    timeouts: Timeouts = field(default_factory=Timeouts)
    peer_token: str | None = None  # the manager's token for the agent; None before it registers
    auth_token: str | None = None  # the agent's own token
    agent_name: str = "Agent"  # the name that it registered with
    referee_secret: str | None = None  # what the checked manager asks referees for
    referee_endpoint: str = NOWHERE
    clock: Clock = field(default_factory=SystemClock)
    ids: Ids = field(default_factory=SystemIds)
    codec: Codec = field(init=False)
    translator: Translator = field(init=False)

    def __post_init__(self) -> None:
        self.codec = Codec([self.game.move_spec])
        self.translator = Translator(self.codec, self.game.move_spec)

    def now(self) -> str:
        return to_wire_time(self.clock.now())

    def round_announcement(self, round_id: int, *match_ids: str) -> dict[str, Json]:
        """A round with these matches."""
        matches = tuple(
            MatchInfo(
                match_id=match_id,
                game_type=self.game.name,
                player_a_id=PLAYER,
                player_b_id=OPPONENT,
                referee_endpoint=self.referee_endpoint,
                referee_id=REFEREE,
            )
            for match_id in match_ids
        )
        return self._by_manager(RoundAnnouncement, round_id=round_id, matches=matches)

    def standings(self, round_id: int) -> dict[str, Json]:
        return self._by_manager(LeagueStandingsUpdate, round_id=round_id, standings=self._table())

    def round_completed(self, round_id: int) -> dict[str, Json]:
        return self._by_manager(RoundCompletedMessage, round_id=round_id, matches_played=1, next_round_id=round_id + 1)

    def league_completed(self) -> dict[str, Json]:
        champion = Champion(player_id=PLAYER, display_name=self.agent_name, points=3)
        table = self._table()
        return self._by_manager(
            LeagueCompletedMessage, total_rounds=1, total_matches=1, champion=champion, final_standings=table
        )

    def invitation(self, match_id: str, round_id: int, *, second: bool = False) -> dict[str, Json]:
        return self._by_referee(
            GameInvitation,
            match_id,
            round_id,
            game_type=self.game.name,
            role_in_match="PLAYER_B" if second else "PLAYER_A",
            opponent_id=OPPONENT,
            opponent_name=OPPONENT_NAME,
            player_id=PLAYER,
            referee_endpoint=self.referee_endpoint,
            attempt=1,
        )

    def move_call(self, match_id: str, round_id: int, state: Any, turn: int) -> dict[str, Json]:
        """A request for the agent's move in a state of the game."""
        game = self.game
        context = MoveContext(
            opponent_id=OPPONENT,
            round_id=round_id,
            your_standings=YourStandings(wins=0, losses=0, draws=0, points=0),
            legal_moves=tuple(game.legal_moves(state, PLAYER)),
            observation=game.observe(state, PLAYER) or None,
            moves_so_far={name: tuple(moves) for name, moves in game.public_moves(state).items()} or None,
            turn=turn,
        )
        deadline = to_wire_time(self.clock.now() + timedelta(seconds=self.timeouts.move), round_up=True)
        return self._by_referee(
            MoveCall,
            match_id,
            round_id,
            message_type=game.move_spec.call_type,
            player_id=PLAYER,
            game_type=game.name,
            context=context,
            deadline=deadline,
        )

    def game_error(self, match_id: str, round_id: int, code: str = "E001") -> dict[str, Json]:
        """An error after which the move is asked for again."""
        return self._by_referee(
            GameError,
            match_id,
            round_id,
            error_code=code,
            error_description=SPECS[code].name,
            affected_player=PLAYER,
            action_required=self.game.move_spec.response_type,
            retryable=True,
            retry_count=1,
            max_retries=3,
            consequence="You are asked again; after 3 more tries the match is lost.",
        )

    def game_over(
        self, match_id: str, round_id: int, result: Mapping[str, Json], *, technical: bool = False
    ) -> dict[str, Json]:
        """The result; other fields are the game's own."""
        status = "TECHNICAL_LOSS" if technical else "DRAW" if result.get("winner_player_id") is None else "WIN"
        told = GameResult.model_validate({"status": status, "reason": "That is how it ended.", **result})
        return self._by_referee(GameOver, match_id, round_id, game_type=self.game.name, game_result=told)

    def start_match(self, match_id: str, round_id: int, endpoints: Mapping[str, str]) -> dict[str, Json]:
        tickets = {player: self.player_ticket(player, match_id) for player in endpoints}
        return self._by_manager(
            StartMatch,
            round_id=round_id,
            match_id=match_id,
            game_type=self.game.name,
            player_a_id=PLAYER,
            player_b_id=OPPONENT,
            player_a_endpoint=endpoints[PLAYER],
            player_b_endpoint=endpoints[OPPONENT],
            player_a_name="First Player",
            player_b_name="Second Player",
            player_a_ticket=tickets[PLAYER],
            player_b_ticket=tickets[OPPONENT],
            scoring=ScoringInfo(),
            standings=self._table(),
        )

    async def play(self, match_id: str, ask: Callable[[Any, int], Awaitable[Json]]) -> dict[str, Json]:
        """Play against an opponent that takes the first legal move; return the result.

        `ask` gives the agent's legal move in a state and a turn, or None for the first one.
        """
        game = self.game
        match = turns(game, (PLAYER, OPPONENT), match_id)
        for asked in match:
            if match.turn == MOST_TURNS:
                break
            moves: dict[str, Any] = {player: game.legal_moves(match.state, player)[0] for player in asked}
            if PLAYER in asked and (move := await ask(match.state, match.turn)) is not None:
                moves[PLAYER] = move
            match.moves = moves
        outcome = match.outcome
        if outcome is None:
            return {"winner_player_id": None}
        score = {name: 1 if outcome.winner is None else 3 * (name == outcome.winner) for name in (PLAYER, OPPONENT)}
        return {**outcome.details, "winner_player_id": outcome.winner, "reason": outcome.reason, "score": score}

    def match_status(self, match_id: str) -> dict[str, Json]:
        return self._by_manager(MatchStatus, match_id=match_id)

    def player_ticket(self, player: str, match_id: str) -> str:
        """The ticket that a referee has to show one of the checker's players."""
        return tokens.match_ticket(tokens.peer_token("the checker", LEAGUE, player), match_id, 1)

    def ticket(self, match_id: str) -> str | None:
        """The ticket that the checker's referee shows the agent."""
        return None if self.peer_token is None else tokens.match_ticket(self.peer_token, match_id, 1)

    def _by_manager(self, kind: type[Any], **fields: Any) -> dict[str, Json]:
        envelope = stamp(self.clock, self.ids, MANAGER)
        place = {} if kind is MatchStatus else {"league_id": LEAGUE}
        return self.codec.render(kind(**envelope, **place, auth_token=self.peer_token, **fields))

    def _by_referee(self, kind: type[Any], match_id: str, round_id: int, **fields: Any) -> dict[str, Json]:
        envelope = stamp(self.clock, self.ids, f"referee:{REFEREE}", f"conv-{match_id.lower()}")
        place = {"league_id": LEAGUE, "round_id": round_id, "match_id": match_id, "auth_token": self.ticket(match_id)}
        return self.codec.render(kind(**envelope, **place, **fields), spec=self.game.move_spec)

    def _table(self) -> tuple[StandingRow, ...]:
        names = {PLAYER: (self.agent_name, 1, 0, 3), OPPONENT: (OPPONENT_NAME, 0, 1, 0)}
        return tuple(
            StandingRow(
                rank=rank,
                player_id=player,
                display_name=name,
                played=1,
                wins=wins,
                draws=0,
                losses=losses,
                points=points,
            )
            for rank, (player, (name, wins, losses, points)) in enumerate(names.items(), start=1)
        )
