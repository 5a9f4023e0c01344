"""Stand-ins: in a match of three or more the others play on when a player fails."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game_rules.lowest_unique_number import LowestUniqueNumber
from league_sdk.clock import HashRng
from league_sdk.domain.checks import check_result
from league_sdk.domain.commands import AssignMatch, ForfeitMatch, PairRound, SitOut, StartRound, WithdrawAgent
from league_sdk.domain.lifecycles import MatchState
from league_sdk.domain.matches.match import new_match, step
from league_sdk.domain.matches.match_io import (
    AskForMove,
    Begin,
    Collect,
    Command,
    Failure,
    Invite,
    Joined,
    JoinFailed,
    MoveFailed,
    MoveMade,
    NoteStandIn,
    Resolve,
    SendReport,
)
from league_sdk.domain.model import Cause, Fixture, MatchResult, ResultStatus, Scoring
from league_sdk.domain.participants.sitting_out import SittingOutReason
from league_sdk.domain.ranking.standings import verdict
from league_sdk.errors import InvalidState
from league_sdk.game import Game, Outcome
from league_sdk.tournament import PairedRound
from tests.league_sdk.domain.season import running

PLAYERS = ("P01", "P02", "P03", "P04")
AT = "2025-01-15T10:00:00.000Z"
GONE = Failure(Cause.CONNECTION_REFUSED, "E009", retryable=False, description="nobody listens")


class Table:
    """A match, its commands so far, and answers for all who are asked."""

    def __init__(self, game: Game[Any], seats: int = 3, **options: Any) -> None:
        self.players = PLAYERS[:seats]
        fields: dict[str, Any] = {
            "match_id": "R1M1",
            "round_id": 1,
            "players": self.players,
            "referee_id": "REF01",
            "seed": "s",
        }
        self.match: Any = new_match(game, max_retries=0, **{**fields, **options})
        self.log: list[Command] = []
        self.do(Begin(AT))

    def do(self, event: Any) -> tuple[Any, ...]:
        self.match, commands = step(self.match, event)
        self.log += commands
        return commands

    def play(self, fails: Mapping[str, int] | None = None, moves: Mapping[str, int] | None = None) -> MatchResult:
        """Play to the end; `fails` has the turn in which a player fails, 0 for the invitation."""
        fails, open_commands = fails or {}, list(self.log)
        while open_commands:
            asked = open_commands.pop(0)
            if isinstance(asked, Invite | AskForMove):
                open_commands += self.do(self._answer(asked, fails, moves or {}))
        return self.match.result

    def _answer(self, asked: Invite | AskForMove, fails: Mapping[str, int], moves: Mapping[str, int]) -> Any:
        player, turn = asked.player, 0 if isinstance(asked, Invite) else asked.turn
        if fails.get(player) == turn:
            return MoveFailed(player, GONE, AT, turn) if turn else JoinFailed(player, GONE, AT)
        if not turn:
            return Joined(player, AT)
        legal = self.match.game.legal_moves(self.match.game_state, player)
        return MoveMade(player, moves.get(player, HashRng(f"{player}{turn}").choice(legal)), AT, turn)


def stood_in(table):
    return [(told.turn, told.player, told.move) for told in table.log if isinstance(told, NoteStandIn)]


def asked(table, player):
    return [told.turn for told in table.log if isinstance(told, AskForMove) and told.player == player]


def test_the_match_goes_on_with_a_stand_in_and_the_player_that_failed_is_last():
    table = Table(LowestUniqueNumber(rounds=4))
    result = table.play({"P03": 2}, {"P01": 1, "P02": 2})
    assert (result.status, result.winner) == (ResultStatus.TECHNICAL_LOSS, "P01")
    assert result.places["P03"] == 3
    assert [turn for turn, player, _ in stood_in(table) if player == "P03"] == [2, 3, 4]
    assert asked(table, "P03") == [1, 2]
    assert result.details["stand_ins"] == {"P03": 2}
    assert len(result.details["choices"]["P03"]) == 4
    assert "A stand-in moved for P03 from turn 2. P01 wins." in result.reason
    check_result(result, Fixture("R1M1", 1, table.players), Scoring())


def test_who_wins_by_the_game_with_stand_ins_moves_is_last_all_the_same():
    class Lucky(LowestUniqueNumber):
        def stand_in(self, state, player, rng):
            return 1

    result = Table(Lucky(rounds=3)).play({"P02": 0}, {"P01": 2, "P03": 2})
    assert result.details["scores"]["P02"] == 3
    assert dict(result.places) == {"P01": 1, "P02": 3, "P03": 1}
    assert (result.winner, dict(result.score)) == (None, {"P01": 4, "P02": 0, "P03": 4})
    assert result.reason.endswith("P01 and P03 share the first place.")


def test_a_stand_ins_move_follows_from_the_chance_of_the_match():
    table = Table(LowestUniqueNumber(rounds=1))
    table.play({"P03": 0})
    assert stood_in(table) == [(1, "P03", HashRng("s:stand-in:1:P03").choice((1, 2, 3, 4, 5)))]


def test_where_all_but_one_fail_the_match_is_decided_at_once():
    result = Table(LowestUniqueNumber(rounds=4)).play({"P03": 1, "P01": 3})
    assert (result.winner, dict(result.places)) == ("P02", {"P01": 2, "P02": 1, "P03": 2})
    assert result.details["stand_ins"] == {"P03": 1}
    check_result(result, Fixture("R1M1", 1, PLAYERS[:3]), Scoring())


def test_several_that_fail_share_the_last_place_whenever_they_do():
    result = Table(LowestUniqueNumber(rounds=4), seats=4).play({"P01": 0, "P03": 3}, {"P02": 1, "P04": 2})
    assert {result.places["P01"], result.places["P03"]} == {3}
    assert result.details["stand_ins"] == {"P01": 1, "P03": 3}
    assert result.score["P01"] == result.score["P03"] == 0


@given(st.integers(3, 4), st.dictionaries(st.sampled_from(PLAYERS), st.integers(0, 3)), st.integers(0, 99))
def test_whoever_fails_when_is_last_and_the_result_fits(seats, fails, seed):
    fails = {player: turn for player, turn in fails.items() if player in PLAYERS[:seats]}
    table = Table(LowestUniqueNumber(rounds=3), seats=seats, attempt=seed + 1)
    result = table.play(fails)
    guilty = {fault.player_id for fault in result.faults}
    assert guilty <= fails.keys()
    assert bool(guilty) == (result.status is ResultStatus.TECHNICAL_LOSS)
    assert all(result.score[player] == 0 and str(verdict(result, player)) == "LOSS" for player in guilty)
    for player in table.players:
        if player not in guilty:
            assert all(result.places[player] < result.places[other] for other in guilty)
    check_result(result, Fixture("R1M1", 1, table.players), Scoring())
    assert len([told for told in table.log if isinstance(told, SendReport)]) == 1


@dataclass(frozen=True)
class Ring:
    players: tuple
    moves: int = 0


class Relay(Game):
    """P02 to P04 move by turns, each many times in a row; the highest number of the last move wins."""

    name = "relay"
    max_players = 4
    each = 700

    def start(self, players, rng):
        return Ring(tuple(players))

    def to_move(self, state):
        seat = state.moves // self.each
        return (state.players[seat],) if seat < len(state.players) else ()

    def legal_moves(self, state, player):
        return (1, 2)

    def apply(self, state, moves, rng):
        assert set(moves) == {*self.to_move(state)}
        return replace(state, moves=state.moves + 1)

    def outcome(self, state):
        if self.to_move(state):
            return None
        return Outcome(state.players[-1], {player: float(player[-1]) for player in state.players}, "so", {})


@pytest.mark.parametrize("absent", [{"P01": 0}, {"P02": 0}, {"P03": 0}, {"P01": 700}, {"P02": 701}])
def test_turns_that_a_stand_in_has_to_itself_are_played_without_waiting(absent):
    table = Table(Relay())
    result = table.play(absent)
    ((player, turn),) = absent.items()
    assert len(stood_in(table)) == (700 if turn in (0, 701) else 1)
    assert result.places[player] == 3
    assert table.match.turn == 2100


def test_a_game_whose_stand_in_moves_illegally_breaks_its_contract():
    class Wrong(LowestUniqueNumber):
        def stand_in(self, state, player, rng):
            return 99

    with pytest.raises(ValueError, match="its stand-in for P01 chose an illegal move"):
        Table(Wrong()).play({"P01": 0})


def test_by_hand_stand_ins_wait_for_the_operator_too():
    table = Table(Relay(), step_by_step=True)
    for player in table.players:
        table.do(JoinFailed(player, GONE, AT) if player == "P01" else Joined(player, AT))
    assert table.match.state is MatchState.COLLECTING_CHOICES
    (noted,) = table.do(Collect(AT))
    assert (noted.player, table.match.state) == ("P01", MatchState.RESOLVING)
    assert table.do(Resolve(AT)) == ()
    assert (table.match.turn, table.match.state) == (2, MatchState.COLLECTING_CHOICES)


@pytest.mark.parametrize(("version", "decided"), [(1, True), (2, False)])
def test_who_withdraws_from_a_table_does_not_decide_it_for_the_others(version, decided):
    season = running(players=3)
    season.league = replace(season.league, rounds=(), format_version=version)
    season.do(PairRound(PairedRound((PLAYERS[:3],))))
    season.do(StartRound(1))
    season.do(AssignMatch("R1M1", "REF01"))
    events = season.do(WithdrawAgent("P03", "for a friend"))
    assert (len(events) == 2) == decided
    assert season.league.decided("R1M1") == decided


def test_who_sits_out_from_a_table_does_not_decide_it_for_the_others():
    season = running(players=3)
    season.league = replace(season.league, rounds=())
    season.do(PairRound(PairedRound((PLAYERS[:3],))))
    season.do(StartRound(1))
    season.do(SitOut("P03", SittingOutReason.OPERATOR))
    season.do(AssignMatch("R1M1", "REF01"))
    with pytest.raises(InvalidState):
        season.do(ForfeitMatch("R1M1"))
