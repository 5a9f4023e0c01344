"""Results of the host server's tools."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from league_sdk.game import PastMatch, PlayerView
from league_sdk.protocol.queries import LeagueQueryResponse, ScheduledMatch
from league_sdk.protocol.rounds import StandingRow
from servers.agent.untrusted import NOTICE, identifier, said
from servers.host.hosted_player import HostedPlayer
from servers.host.membership import Membership
from servers.host.moves import label, labels
from servers.host.turns import Turn
from servers.player.positions import known_position
from servers.read_model.columns import HOST, Audience, seen_by, to_json


class Said(BaseModel):
    """Untrusted text, marked as data."""

    untrusted: Annotated[Any, Field(description=NOTICE)]


class Participant(BaseModel):
    """A player of the league."""

    player_id: str
    display_name: Said | None = None


class Seated(BaseModel):
    """A seat that was given."""

    say: str
    player_id: str
    league_id: str


class TurnReport(BaseModel):
    """The current turn, and all that the host may know for it."""

    say: Annotated[str, Field(description="The situation, and what to do now.")]
    your_turn: bool
    league_over: bool = False
    match_id: str | None = None
    round_id: int | None = None
    game: Annotated[str | None, Field(description="The game and its rules.")] = None
    opponent: Participant | None = None
    legal_moves: Annotated[list[str] | None, Field(description="Pass one of these to choose_move.")] = None
    seconds_left: Annotated[float | None, Field(description="Until the fallback strategy chooses instead.")] = None
    observation: Annotated[Said | None, Field(description="What you can see of the game.")] = None
    board: Annotated[Said | None, Field(description="The position; drawn: the resource league://seat/board.")] = None
    my_moves: list[str] = []
    opponent_moves: list[str] = []
    news: Annotated[list[str], Field(description="What happened lately, the newest last.")] = []


_COLUMNS = seen_by(Audience.PLAYER, HOST)
_COUNTS: dict[str, Any] = {column.name: (column.kind, ...) for column in _COLUMNS}
_COUNTS_IF_KNOWN: dict[str, Any] = {column.name: (column.kind | None, None) for column in _COLUMNS}


class _Entry(BaseModel):
    rank: int
    player: Participant
    you: bool


class TableRow(create_model("_Counted", __base__=_Entry, **_COUNTS)):
    """A row of the standings."""


class Standings(BaseModel):
    """The standings."""

    say: str
    rows: list[TableRow]


class ScheduleRow(BaseModel):
    """A match of the schedule."""

    match_id: str
    round_id: int
    players: list[Participant]
    yours: bool
    status: str
    winner: Annotated[str | None, Field(description="The id of the player who won.")] = None


class Schedule(BaseModel):
    """The schedule."""

    say: str
    matches: list[ScheduleRow]


class Played(BaseModel):
    """A finished match of this seat."""

    match_id: str
    league_id: str
    game: str
    opponent: Participant
    result: str
    points: int
    my_moves: list[str]
    opponent_moves: list[str]


class History(BaseModel):
    """Finished matches of this seat."""

    say: str
    matches: list[Played]


class _Opponent(BaseModel):
    say: str
    player: Participant
    rank: int | None = None


class OpponentRecord(create_model("_Counted", __base__=_Opponent, **_COUNTS_IF_KNOWN)):
    """Past matches against an opponent."""

    remaining: int | None = None
    against_you: list[Played] = Field(default=[])


def turn_report(membership: Membership, say: str = "") -> TurnReport:
    """The current turn and situation."""
    player, turns = membership.player, membership.turns
    if player is None or turns is None or not (membership.seated or membership.credentials):
        return TurnReport(say=_joined(say, _not_seated(membership)), your_turn=False)
    news, turn = list(player.news), turns.current()
    if turn is not None:
        turns.show(turn)
        return _my_turn(player, turn, turns.seconds_left(turn), turns.strategy_name, say, news)
    over = player.over or not membership.seated
    told = "The league is over." if player.over else membership.ended if over else _patience(say)
    return TurnReport(say=_joined(say, told), your_turn=False, league_over=over, news=news)


def _not_seated(membership: Membership) -> str:
    """A league that gave no seat is not over: another try may get one."""
    if membership.ended:
        return f"You are not in a league: {membership.ended}. Join one with join_league."
    return "You are not in a league yet. Join one with join_league."


def _my_turn(player: HostedPlayer, turn: Turn, left: float, strategy: str, say: str, news: list[str]) -> TurnReport:
    view = turn.view
    game = player.games.get(view.game_type)
    about = identifier(view.game_type) if game is None else f"{game.display_name or game.name}: {game.description}"
    told = (
        f"It is your turn in {identifier(view.match_id)}. Choose one of the legal moves with choose_move within "
        f"{left:.0f} s; after that the strategy {strategy!r} chooses for you."
    )
    return TurnReport(
        say=_joined(say, told),
        your_turn=True,
        match_id=identifier(view.match_id),
        round_id=view.round_id,
        game=about,
        opponent=_known(player, view.opponent_id),
        legal_moves=labels(view),
        seconds_left=round(left, 1),
        observation=Said(untrusted=dict(view.observation)) if view.observation else None,
        board=_board(view),
        my_moves=labels(view, view.my_moves),
        opponent_moves=labels(view, view.opponent_moves),
        news=news,
    )


def _board(view: PlayerView) -> Said | None:
    """The position as text, where the moves of both tell it."""
    position = known_position(view)
    return None if position is None else Said(untrusted=position.game.render(position.state))


def standings(player: HostedPlayer, rows: Sequence[StandingRow]) -> Standings:
    shown = [
        TableRow(
            rank=row.rank,
            player=_participant(row.player_id, row.display_name),
            you=row.player_id == player.seat_id,
            **to_json(_COLUMNS, row),
        )
        for row in rows
    ]
    mine = next((row for row in rows if row.player_id == player.seat_id), None)
    say = "There are no standings yet." if mine is None else f"Your rank is {mine.rank} with {mine.points} points."
    return Standings(say=say, rows=shown)


def schedule(player: HostedPlayer, answer: LeagueQueryResponse) -> Schedule:
    matches = [_fixture(player, match) for match in answer.schedule or ()]
    left = sum(match.yours and match.status in ("SCHEDULED", "ASSIGNED") for match in matches)
    say = f"{left} of your matches are still to be played." if matches else "There is no schedule yet."
    return Schedule(say=say, matches=matches)


def _fixture(player: HostedPlayer, match: ScheduledMatch) -> ScheduleRow:
    players = match.players or (match.player_a_id, match.player_b_id)
    return ScheduleRow(
        match_id=identifier(match.match_id),
        round_id=match.round_id,
        players=[_known(player, player_id) for player_id in players],
        yours=player.seat_id in players,
        status=match.status,
        winner=None if match.winner is None else identifier(match.winner),
    )


def history(matches: Iterable[PastMatch]) -> History:
    shown = [played(past) for past in matches]
    say = f"{len(shown)} finished matches, the latest last." if shown else "No match is finished yet."
    return History(say=say, matches=shown)


def played(past: PastMatch) -> Played:
    return Played(
        match_id=identifier(past.match_id),
        league_id=identifier(past.league_id),
        game=identifier(past.game_type),
        opponent=_participant(past.opponent_id, past.opponent_name or None),
        result=past.result,
        points=past.points,
        my_moves=[label(move) for move in past.my_moves],
        opponent_moves=[label(move) for move in past.opponent_moves],
    )


def record(player: HostedPlayer, player_id: str, answer: LeagueQueryResponse) -> OpponentRecord:
    """Past matches against an opponent, as shown to the host."""
    stats = answer.player_stats
    against = [played(past) for past in player.remembered() if past.opponent_id == player_id]
    shown = OpponentRecord(say="", player=_known(player, player_id), against_you=against)
    if stats is not None:
        shown = shown.model_copy(
            update={
                "player": _participant(stats.player_id, stats.display_name),
                **to_json(_COLUMNS, stats),
                "rank": stats.rank,
                "remaining": stats.remaining,
            }
        )
    return shown.model_copy(update={"say": f"You have played {len(against)} matches against {identifier(player_id)}."})


def _known(player: HostedPlayer, player_id: str) -> Participant:
    return _participant(player_id, player.names.get(player_id))


def _participant(player_id: str, name: str | None) -> Participant:
    return Participant(player_id=identifier(player_id), display_name=None if name is None else Said(**said(name)))


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _patience(say: str) -> str:
    return "It is not your turn." if not say else ""
