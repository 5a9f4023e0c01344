"""The messages of one match, written from its state."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, get_args

from league_sdk.bounds import shorten
from league_sdk.clock import Clock, Ids, to_wire_time
from league_sdk.domain.matches.match import Match
from league_sdk.domain.matches.match_io import JOIN_PHASE, NotifyError
from league_sdk.domain.model import MatchResult, OnBadMove, ResultStatus
from league_sdk.errors import SPECS
from league_sdk.game import Game
from league_sdk.protocol import mapping
from league_sdk.protocol.envelope import stamp
from league_sdk.protocol.match import (
    GameError,
    GameInvitation,
    GameOver,
    GameResult,
    MatchResultReport,
    MoveCall,
    MoveContext,
    RoleInMatch,
    YourStandings,
)

SEATS: tuple[RoleInMatch, ...] = get_args(RoleInMatch)


@dataclass(frozen=True, slots=True)
class MatchSetting:
    """Values that a match's messages need beside the match itself."""

    league_id: str
    game_type: str
    conversation_id: str  # the conversation of the whole match
    # display name by player id, as far as they are known
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    # each player's record in the league so far
    standings: Mapping[str, YourStandings] = field(default_factory=dict[str, YourStandings])
    endpoint: str | None = None  # where the referee can be called; None when it does not know
    on_bad_move: OnBadMove | None = None  # what the league asks of players; None leaves it to each


class MatchMessages:
    """Writes messages."""

    def __init__(self, setting: MatchSetting, sender: str, clock: Clock, ids: Ids) -> None:
        self.setting = setting
        self._sender = sender
        self._clock = clock
        self._ids = ids

    def invitation(self, match: Match[Any], player: str) -> GameInvitation:
        """Come to this match."""
        opponents = _opponents(match, player)
        return GameInvitation(
            **self._match(match),
            player_id=player,
            game_type=self.setting.game_type,
            role_in_match=SEATS[match.players.index(player)],
            opponent_id=opponents[0],
            opponents=opponents if opponents[1:] else None,
            opponent_name=self.setting.names.get(opponents[0]),
            attempt=match.attempt,
            referee_endpoint=self.setting.endpoint,
            draw_commitment=None if match.draw is None else match.draw.commitment,
            on_bad_move=self.setting.on_bad_move,
        )

    def move_call(self, match: Match[Any], player: str, limit: float, *, repeated: bool = False) -> MoveCall:
        """Choose.

        `repeated`: the player was asked before, and may have been restarted since.
        """
        reminder = self._reminder(match, player) if repeated else {}
        game, state = match.game, match.game_state
        deadline = self._clock.now() + timedelta(seconds=limit)
        opponents = _opponents(match, player)
        context = MoveContext(
            opponent_id=opponents[0],
            opponents=opponents if opponents[1:] else None,
            round_id=match.round_id,
            your_standings=self.setting.standings.get(player, YourStandings(wins=0, losses=0, draws=0)),
            legal_moves=tuple(game.legal_moves(state, player)),
            observation=game.observe(state, player) or None,
            moves_so_far={name: tuple(moves) for name, moves in game.public_moves(state).items()} or None,
            turn=match.turn,
            stand_ins=tuple(name for name in match.players if name in match.failed) or None,
        )
        return MoveCall(
            **self._match(match),
            message_type=game.move_spec.call_type,
            player_id=player,
            game_type=self.setting.game_type,
            context=context,
            deadline=to_wire_time(deadline, round_up=True),
            time_limit_sec=round(limit, 3),
            **reminder,
        )

    def _reminder(self, match: Match[Any], player: str) -> dict[str, Any]:
        """The invitation's facts, for a player that may have forgotten them."""
        return {
            "attempt": match.attempt,
            "role_in_match": SEATS[match.players.index(player)],
            "opponent_name": self.setting.names.get(_opponents(match, player)[0]),
            "on_bad_move": self.setting.on_bad_move,
        }

    def game_error(self, match: Match[Any], notice: NotifyError) -> GameError:
        """That did not work; you will be asked again."""
        spec, code = match.game.move_spec, notice.failure.error_code
        joining = notice.phase == JOIN_PHASE
        return GameError(
            **self._match(match),
            player_id=notice.player,
            error_code=code,
            error_description=spec.invalid_move_name if code == "E004" else SPECS[code].name,
            affected_player=notice.player,
            action_required="GAME_JOIN_ACK" if joining else spec.response_type,
            retryable=notice.failure.retryable or notice.failure.returned,
            retry_count=notice.try_number,
            max_retries=notice.max_retries,
            consequence=notice.consequence,
        )

    def game_over(self, match: Match[Any], result: MatchResult, player: str) -> GameOver:
        """This is how it ended."""
        return GameOver(
            **self._match(match),
            player_id=player,
            game_type=self.setting.game_type,
            game_result=game_result(result, match.game),
        )

    def report(self, match: Match[Any], result: MatchResult, *, evidence: bool = True) -> MatchResultReport:
        """The report to the manager; without evidence and transcript once refused."""
        if not evidence:
            faults = tuple(replace(fault, description="", evidence={}) for fault in result.faults)
            result = replace(result, faults=faults, transcript=(), reason=shorten(result.reason, 200))
        return MatchResultReport(
            **self._match(match),
            game_type=self.setting.game_type,
            attempt=result.attempt,
            evidence_omitted=None if evidence else True,
            result=mapping.report(result),
        )

    def _match(self, match: Match[Any]) -> dict[str, Any]:
        envelope = stamp(self._clock, self._ids, self._sender, self.setting.conversation_id)
        place = {"league_id": self.setting.league_id, "round_id": match.round_id, "match_id": match.match_id}
        return {**envelope, **place}


def game_result(result: MatchResult, game: Game[Any]) -> GameResult:
    """The result for the players: winner, reason, and the game's own details."""
    fields: dict[str, Any] = {
        **dict.fromkeys(game.result_fields),
        **result.details,
        "status": str(ResultStatus(result.status)),
        "winner_player_id": result.winner,
        "reason": result.reason,
        "score": dict(result.score),
    }
    return GameResult(**fields)


def _opponents(match: Match[Any], player: str) -> tuple[str, ...]:
    return tuple(other for other in match.players if other != player)
