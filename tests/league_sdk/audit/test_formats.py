"""Every format's rules, as the audit writes them: against the format itself, and against managers that cheat."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league_sdk import plugins
from league_sdk.audit.formats import FORMATS
from league_sdk.audit.stage_course import StageCourse, StageRound
from league_sdk.audit.table import Decided
from league_sdk.clock import HashRng
from league_sdk.domain.commands import CloseRegistration, CompleteLeague, CompleteRound, PairRound, StartLeague
from league_sdk.domain.model import LeagueRules, StageRules
from league_sdk.domain.progress import outcome_after, tournament_of
from league_sdk.errors import InvalidField
from league_sdk.testing.formats import random_result
from league_sdk.tournament import ENDLESS, ByePoints, Entrant, FormatDoesNotFit, PairingResult, PlayedRound, Tournament
from tests.league_sdk.audit import leagues
from tests.league_sdk.audit.leagues import LEAGUE, Maker, look_at

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "round_robin": [{"cycles": 2}],
    "groups": [{"groups": 3, "cycles": 2}],
    "gauntlet": [{"challengers": 2, "cycles": 2}],
    "swiss": [{"accelerated": True}, {"rounds": 3, "late_entry_points": "draw"}],
    "knockout": [{"best_of": 3, "third_place": True}, {"double": True, "extra_matches": 1}, {"extra_matches": 0}],
    "ladder": [{"rounds": 5}],
    "tables": [{"seats": 4}, {"seats": 2}],
}
"""More options to try than a format's own; every row of the table is tried with these."""
SETTINGS = [(name, options) for name in FORMATS for options in ({}, *OPTIONS.get(name, []))]


def test_every_format_of_this_package_has_its_rules_in_the_table():
    assert sorted(FORMATS) == sorted(plugins.format_classes())


def _there(played: PlayedRound) -> set[str]:
    return {*played.paired.byes, *(player for seats in played.paired.pairings for player in seats)}


SCORING = {"win": 3, "draw": 1}


def _points(played: PlayedRound) -> dict[str, int]:
    """Points of each player in a round, byes included."""
    entrants = [Entrant(player, 1) for player in {*played.paired.byes, *sum(played.paired.pairings, ())}]
    late = [Entrant(player, 1) for player in played.paired.late_byes]
    return Tournament((*entrants, *late), (played,)).points()


def told_of(result: PairingResult) -> dict[str, Any]:
    return {"details": {"draw": {"seed": result.draw}}}


def course(tournament: Tournament, options: dict[str, Any], rests: list[set[str]]) -> StageCourse:
    """The tournament as the audit reads it from records."""
    rounds = [
        StageRound(
            number,
            0,
            each.paired.pairings,
            each.paired.byes,
            [
                None
                if result.void
                else Decided(
                    0,
                    "",
                    number,
                    result.seats,
                    "",
                    result.winner,
                    result.forfeits,
                    {"details": {"draw": {"seed": result.draw}}},
                )
                for result in each.results
            ],
            points=_points(each),
            resting=rests[number - 1] - _there(each),
        )
        for number, each in enumerate(tournament.rounds, start=1)
    ]
    left = {each.player_id: each.left_after for each in tournament.entrants if each.left_after is not None}
    missed = {each.player_id: each.joined_after for each in tournament.entrants if each.joined_after}
    return StageCourse(
        options,
        tournament.players,
        rounds,
        left,
        missed,
        tournament.seed,
        tournament.lots_from_draws,
        SCORING,
        rests[-1],
    )


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(SETTINGS),
    st.integers(2, 17),
    st.integers(0, 99_999),
    st.integers(0, 3),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_the_rules_of_a_format_are_those_that_it_pairs_and_ranks_by(
    setting, count, seed, leavers, comers, drawn, resters
):
    name, options = setting
    used, rules, rng = (
        plugins.tournament_format(name, options=options),
        FORMATS[name],
        HashRng(str(seed)),
    )
    try:
        used.check(count)
    except FormatDoesNotFit:
        return
    entrants = tuple(Entrant(f"P{number:02d}", number) for number in range(1, count + 1))
    tournament = Tournament(entrants, seed=f"league|{seed}", lots_from_draws=drawn)
    rests = [set[str]()]
    assert rules.rounds(course(tournament, options, rests), count) == used.expected_rounds(count)
    while (paired := used.next_round(tournament)) is not None:
        complete = len(tournament.rounds)
        if rules.next is not None:
            told = rules.next(course(tournament, options, rests), complete)
            assert told is not None
            assert (list(told.pairings), list(told.byes)) == (list(paired.pairings), list(paired.byes))
        assert paired.bye_points == rules.bye_points
        results = tuple(random_result(seats, rng) for seats in paired.pairings)
        draws = [f"{rng.randint(0, 9**9)}" * rng.randint(0, 1) for _ in results]
        shown = tuple(
            each if each.void else replace(each, draw=draw) for each, draw in zip(results, draws, strict=True)
        )
        tournament = replace(tournament, rounds=(*tournament.rounds, PlayedRound(paired, shown)))
        assert list(rules.faults(course(tournament, options, rests), complete)) == []
        tournament = _moved(tournament, used, rng, leavers, comers)
        rests.append({each.player_id for each in tournament.entrants if resters and rng.randint(0, 4) == 0})
        entrants = tuple(replace(each, sitting_out=each.player_id in rests[-1]) for each in tournament.entrants)
        tournament = replace(tournament, entrants=entrants)
        complete, seen = complete + 1, course(tournament, options, rests)
        ranking = None if rules.ranking is None else [sorted(group) for group in rules.ranking(seen, complete)]
        owed = used.ranking(tournament)
        assert ranking == (None if owed is None else [sorted(group) for group in owed])
        assert rules.advanced(seen, complete) == [(e.player_id, e.over, e.by) for e in used.advanced(tournament)]
    seen = course(tournament, options, rests)
    assert rules.end(seen) == ""
    assert rules.next is None or rules.next(seen, len(tournament.rounds)) is None
    if rules.pools is not None:
        assert rules.pools(seen) == used.pools(tournament.players)


def _moved(tournament: Tournament, used: Any, rng: HashRng, leavers: int, comers: bool) -> Tournament:
    """Perhaps without a player, or with another one."""
    entrants, complete = list(tournament.entrants), len(tournament.rounds)
    if len(tournament.left) < leavers and len(tournament.active) > 2 and rng.randint(0, 1):
        place = rng.randint(0, len(entrants) - 1)
        if entrants[place].active:
            entrants[place] = replace(entrants[place], left_after=complete)
    if comers and used.late_entry(tournament) is not None and rng.randint(0, 2) == 0:
        number = len(entrants) + 1
        entrants.append(Entrant(f"P{number:02d}", number, joined_after=complete))
    return replace(tournament, entrants=tuple(entrants))


class Cheat(Maker):
    """A manager that changes one round, or one ranking, and keeps records of it that fit in all else."""

    def __init__(self, rules: LeagueRules, *, paired: Any = None, ranked: Any = None, cut: bool = False) -> None:
        super().__init__(rules)
        self.paired, self.ranked, self.cut, self.done = paired, ranked, cut, False

    def _play_rounds(self, players: int) -> Any:
        used = plugins.stages_format(self.rules.stages)
        expected = used.expected_rounds(players)
        self.do(CloseRegistration("operator", expected_rounds=expected))
        self.do(StartLeague())
        while (paired := used.next_round(tournament_of(self.league))) is not None:
            if self.cut and len(self.league.rounds) == expected - 1:
                self.done = True
                break
            if self.paired is not None and not self.done:
                changed = self.paired(paired)
                self.done, paired = changed is not None, changed or paired
            try:
                self.do(PairRound(paired))
            except InvalidField:
                return self.records  # the league's own rules refuse to go on from here
            self._round(self.league.rounds[-1])
        ranking, advanced = outcome_after(self.league, used, self.league.rounds_completed)
        if self.ranked == "last":
            ranking, self.done = ranking[::-1] or self._by_id(), True
        self.do(CompleteLeague(ranking, advanced))
        return self.records

    def _by_id(self) -> Any:
        return tuple((player,) for player in sorted(self.league.players))

    def do(self, command: Any) -> None:
        if isinstance(command, CompleteRound) and self.ranked == "round" and not self.done:
            self.done = True
            command = replace(command, ranking=command.ranking[::-1] or self._by_id())
        super().do(command)


def swap_opponents(paired: Any) -> Any:
    if len(paired.pairings) < 2:
        return None
    one, other, *rest = paired.pairings
    return replace(paired, pairings=((one[0], *other[1:]), (other[0], *one[1:]), *rest))


def swap_seats(paired: Any) -> Any:
    first, *rest = paired.pairings
    return replace(paired, pairings=(first[::-1], *rest))


def later(change: Any) -> Any:
    """From the second round on."""
    rounds: list[Any] = []

    def changed(paired: Any) -> Any:
        rounds.append(paired)
        return change(paired) if len(rounds) > 1 else None

    return changed


def give_a_bye(paired: Any) -> Any:
    first, *rest = paired.pairings
    return replace(paired, pairings=tuple(rest), byes=(*paired.byes, *first)) if rest else None


def pay_for_byes(paired: Any) -> Any:
    return replace(paired, bye_points=ByePoints.DRAW)


CHEATS: dict[str, dict[str, Any]] = {
    "other opponents": {"paired": swap_opponents},
    "other seats": {"paired": swap_seats},
    "other seats later": {"paired": later(swap_seats)},
    "a bye for two": {"paired": give_a_bye},
    "another worth of a bye": {"paired": pay_for_byes},
    "another ranking after a round": {"ranked": "round"},
    "another ranking at the end": {"ranked": "last"},
    "no last round": {"cut": True},
}
FITTING = {
    "round_robin": {"cycles": 1},
    "gauntlet": {"challengers": 2},
    "tables": {"seats": 3, "rounds": 3},
    "swiss": {"rounds": 3},
}
CHAMPIONS_BY_SEED = ("other seats", "knockout")


def rules_of(name: str, **more: Any) -> LeagueRules:
    game = "lowest_unique_number" if name == "tables" else "even_odd"
    return LeagueRules(LEAGUE, game, stages=(StageRules(name, FITTING.get(name, {})),), **more)


@pytest.mark.parametrize("seed", [None, "7"], ids=["no seed", "seed"])
@pytest.mark.parametrize("name", FORMATS)
def test_an_honest_league_of_each_format_holds(name: str, seed: str | None):
    report = look_at(Maker(rules_of(name, seed=seed)).play(6))
    assert report.findings == []
    assert not any("no rules" in told for told in report.unchecked)


@pytest.mark.parametrize("cheat", CHEATS)
@pytest.mark.parametrize("name", FORMATS)
def test_a_cheating_manager_is_found_in_each_format(name: str, cheat: str):
    changed = dict(CHEATS[cheat])
    if cheat == "other seats later":
        changed["paired"] = later(swap_seats)  # a fresh count of rounds
    maker = Cheat(rules_of(name, seed="7"), **changed)
    report = look_at(maker.play(6))
    assert maker.done, "the cheat changed nothing"
    assert report.findings, f"{cheat} is not found"
    assert {found.kind for found in report.findings} <= {"schedule", "standings"}


def test_a_format_without_rules_stands_under_not_checked(monkeypatch: pytest.MonkeyPatch):
    records = Maker(rules_of("swiss", seed="7")).play(6)
    monkeypatch.delitem(FORMATS, "swiss")
    report = look_at(records)
    assert report.findings == []
    assert any("of the format 'swiss': the audit has no rules for it" in told for told in report.unchecked)


ALL_DRAWN = dict.fromkeys(range(99), "always-even")


@pytest.mark.parametrize(
    ("players", "stages"),
    [
        (6, (StageRules("groups", {"groups": 2}, 4), StageRules("knockout", {"third_place": True}))),
        (6, (StageRules("swiss", {"rounds": 2}, 4), StageRules("knockout"))),
        (5, (StageRules("knockout", {"double": True}, 3), StageRules("round_robin"))),
        (6, (StageRules("ladder", {"rounds": 2}, 3), StageRules("gauntlet"))),
    ],
)
def test_a_league_of_stages_holds_and_who_did_not_qualify_is_found(players: int, stages: Any):
    assert look_at(leagues.league(players, stages=stages)).findings == []

    stages_seen: list[Any] = []

    def stranger(paired: Any) -> Any:
        if not paired.stage:
            return None
        stages_seen.append(paired)
        if len(stages_seen) > 1:
            return None
        there = {*paired.byes, *(player for seats in paired.pairings for player in seats)}
        other = next(player for player in (f"P{number:02d}" for number in range(1, players + 1)) if player not in there)
        (first, _), *rest = paired.pairings
        return replace(paired, pairings=((first, other), *rest))

    maker = Cheat(LeagueRules(LEAGUE, "even_odd", seed="7", stages=stages), paired=stranger)
    found = look_at(maker.play(players)).findings
    assert any("do not meet; by its format they have to" in each.message for each in found)


def test_an_endless_ladder_has_no_rounds_cut_out():
    assert FORMATS["ladder"].rounds(StageCourse({"endless": True}, ["P01", "P02"], (), {}, {}, ""), 2) == ENDLESS
