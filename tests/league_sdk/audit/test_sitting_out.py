"""Players that sit out, as the audit follows them: absences, forfeits, pairings, and what does not follow."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league_sdk.audit.course import follow
from league_sdk.audit.recorded_league import RecordedLeague
from league_sdk.audit.rows import rows_from_jsonl
from league_sdk.domain.commands import (
    CloseRegistration,
    CompleteLeague,
    CreateLeague,
    PairRound,
    RegisterPlayer,
    RegisterReferee,
    Rejoin,
    RemovePlayer,
    SitOut,
    StartLeague,
    StartRound,
)
from league_sdk.domain.events import PlayerRejoined, PlayerSatOut, Record, RoundPaired
from league_sdk.domain.model import Agent, LeagueRules, Role, StageRules
from league_sdk.domain.participants.sitting_out import LiftedBy, SittingOutReason
from league_sdk.domain.progress import outcome_after, tournament_of
from league_sdk.plugins import stages_format
from league_sdk.stores import JsonFiles
from tests.league_sdk.audit.leagues import LEAGUE, Maker, exported, forged, look_at, number_of, resealed

TIES = ("points", "head_to_head", "buchholz_cut_1", "buchholz", "sonneborn_berger", "koya", "progressive")
STAGES: dict[str, tuple[StageRules, ...]] = {
    "round_robin": (StageRules("round_robin", {"cycles": 2}),),
    "series": (StageRules("round_robin", {"best_of": 2}),),
    "swiss": (StageRules("swiss", {"rounds": 3}),),
    "series of swiss": (StageRules("swiss", {"rounds": 2, "best_of": 2}),),
    "ladder": (StageRules("ladder", {"rounds": 7}),),
    "knockout": (StageRules("knockout", {"best_of": 2}),),
    "groups": (StageRules("groups", {"groups": 2}, advance=4), StageRules("knockout")),
}
PLAYERS = [f"P{number:02d}" for number in range(1, 7)]
Step = Callable[[Maker], None]


def agent(name: str, role: Role = Role.PLAYER) -> Agent:
    return Agent("", role, name, f"http://localhost/{name}", "0" * 64, game_types=("even_odd",))


def begun(stages: tuple[StageRules, ...]) -> Maker:
    rules = LeagueRules(LEAGUE, "even_odd", seed="7", stages=stages, tiebreakers=TIES, absences_before_sitting_out=2)
    maker = Maker(rules)
    maker.do(CreateLeague(rules))
    maker.do(RegisterReferee(agent("Whistle", Role.REFEREE), "secret"))
    for player in PLAYERS:
        maker.do(RegisterPlayer(agent(f"Player {player}")))
    expected = stages_format(stages).expected_rounds(len(PLAYERS))
    maker.do(CloseRegistration("operator", expected_rounds=expected))
    maker.do(StartLeague())
    return maker


def played(stages: tuple[StageRules, ...], steps: list[list[Step]]) -> Maker:
    """A league to its end; before each round is paired, the steps for it are taken."""
    maker, tournament_format, left = begun(stages), stages_format(stages), [*steps]
    while True:
        for step in left.pop(0) if left else []:
            step(maker)
        paired = tournament_format.next_round(tournament_of(maker.league))
        if paired is None:
            break
        maker.do(PairRound(paired))
        maker.do(StartRound(len(maker.league.rounds)))
        maker.finish(len(maker.league.rounds))
    maker.do(CompleteLeague(*outcome_after(maker.league, tournament_format, maker.league.rounds_completed)))
    return maker


def silent(player: str) -> Step:
    return lambda maker: maker.silent.add(player)


def back(player: str) -> Step:
    def step(maker: Maker) -> None:
        maker.silent.discard(player)
        maker.do(Rejoin(player, LiftedBy.PROBE))

    return step


def operator(player: str) -> Step:
    return lambda maker: maker.do(SitOut(player, SittingOutReason.OPERATOR, "a rest"))


def let_in(player: str) -> Step:
    return lambda maker: maker.do(Rejoin(player, LiftedBy.OPERATOR))


kinds = st.sampled_from([silent, silent, back, operator, let_in])
player_steps = st.builds(lambda kind, player: kind(player), kinds, st.sampled_from(PLAYERS))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(player_steps, max_size=3), max_size=8))
@pytest.mark.parametrize("name", STAGES)
def test_whoever_sits_out_and_whenever_the_league_holds(name: str, steps: list[list[Step]]):
    maker = played(STAGES[name], steps)
    report = look_at(maker.records)
    assert [found.sentence for found in report.findings] == []
    assert [row["player_id"] for row in report.standings] == [row.player_id for row in maker.league.standings()]


ROBIN = played(STAGES["round_robin"], [[silent("P06")], [], [], [], [back("P06")]])
RECORDS = ROBIN.records
SAT_OUT, BACK = number_of(RECORDS, "PlayerSatOut"), number_of(RECORDS, "PlayerRejoined")
FORFEIT = next(
    record.sequence for record in RECORDS if record.type == "MatchRecorded" and record.payload["result"]["not_played"]
)


def told(records: list[Record]) -> str:
    return "\n".join(found.sentence for found in look_at(records).findings)


def test_such_a_league_and_its_files_hold(tmp_path: Path):
    JsonFiles(tmp_path).update(ROBIN.league, RECORDS)
    report = look_at(RECORDS, data_root=tmp_path)
    assert report.findings == []
    (row,) = [row for row in report.standings if row["player_id"] == "P06"]
    assert row["not_played"] == 2
    assert "sitting_out" not in row, "it is back"


def _result(**changes: Any) -> Any:
    return lambda payload: payload["result"].update(changes)


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (SAT_OUT, lambda payload: payload.update(reason="lazy"), "is no reason"),
        (SAT_OUT, lambda payload: payload.update(matches=["R1M1"]), "its last 2 matches don't show it"),
        (SAT_OUT, lambda payload: payload.update(player_id="P05"), "should sit out by now"),
        (SAT_OUT, lambda payload: payload.update(player_id="P09"), "is no player, or has left"),
        (SAT_OUT, lambda payload: payload.update(reason="operator"), "rejoins by 'probe'"),
        (BACK, lambda payload: payload.update(player_id="P05"), "does not sit out"),
        (FORFEIT, _result(not_played=False), "and None was assigned"),
        (FORFEIT, _result(referee_id="REF01"), "its referee_id"),
        (FORFEIT, _result(score={"P06": 3}), "its score"),
        (FORFEIT, _result(faults=[]), "its faults"),
        (FORFEIT, _result(transcript=[{"from": "P06"}]), "its transcript"),
    ],
)
def test_what_does_not_follow_is_found(place: int, change: Any, expected: str):
    assert expected in told(forged(RECORDS, place, change))


def test_an_absent_player_that_does_not_sit_out_is_found():
    assert "P06 should sit out by now" in told(resealed([*RECORDS[: SAT_OUT - 1], *RECORDS[SAT_OUT:]]))


def test_a_match_that_was_played_and_is_said_not_to_have_been_is_found():
    first = number_of(RECORDS, "MatchRecorded")
    assert "no player of it sits out" in told(forged(RECORDS, first, _result(not_played=True)))


def test_a_match_that_is_given_to_a_referee_though_a_player_sits_out_is_found():
    maker = begun(STAGES["round_robin"])
    maker.do(SitOut("P06", SittingOutReason.OPERATOR))
    beginning = maker.records
    whole = played(STAGES["round_robin"], []).records
    place = next(number for number, record in enumerate(whole) if record.type == "RoundPaired")
    assert "and P06 sits out" in told(resealed([*beginning, *whole[place:]]))


@pytest.mark.parametrize("name", ["swiss", "ladder"])
def test_a_round_that_takes_or_leaves_out_the_wrong_players_is_found(name: str):
    maker = begun(STAGES[name])
    tournament_format = stages_format(STAGES[name])
    paired = tournament_format.next_round(tournament_of(maker.league))
    assert paired is not None
    maker.keep(PlayerSatOut("P06", SittingOutReason.OPERATOR))
    maker.do(PairRound(paired))
    assert "P06 sits out, and is in it" in told(maker.records)
    other = begun(STAGES[name])
    other.do(SitOut("P06", SittingOutReason.OPERATOR))
    paired = tournament_format.next_round(tournament_of(other.league))
    assert paired is not None
    for event in (PlayerRejoined("P06", LiftedBy.OPERATOR),):
        other.keep(event)
    assert "left out" not in told([*other.records]), "it may have come back while the round was paired"
    first = begun(STAGES[name])
    first.do(SitOut("P06", SittingOutReason.OPERATOR))
    first.do(PairRound(paired))
    pairing = number_of(first.records, "RoundPaired")
    without = resealed([*first.records[: pairing - 2], *first.records[pairing - 1 :]])
    assert isinstance(without[-1].event, RoundPaired)
    expected = {"swiss": "P06 has not left, and is left out", "ladder": "P06 do not meet; by its format they have to"}
    assert expected[name] in told(without)


def test_a_removed_player_sits_out_no_more():
    maker = played(STAGES["round_robin"], [[operator("P06")], [lambda made: made.do(RemovePlayer("P06"))]])
    report = look_at(maker.records)
    assert report.findings == []
    assert not any("sitting_out" in row for row in report.standings)


def test_a_stronger_reason_alone_replaces_another():
    maker = begun(STAGES["round_robin"])
    for reason in (SittingOutReason.OPERATOR, SittingOutReason.CRASHED):
        maker.keep(PlayerSatOut("P06", reason))
    assert "P06 sits out already: operator" in told(maker.records)


class Unlisted(dict[str, Any]):
    """Matches that may be looked up, and not gone over."""

    def keys(self) -> Any:
        raise AssertionError("all matches are gone over for one record")


def test_a_round_is_followed_without_going_over_the_matches_of_all_rounds():
    recorded = RecordedLeague(decided=Unlisted(), void=Unlisted())
    plain = RecordedLeague()
    for row in rows_from_jsonl(exported(RECORDS)):
        if row.type != "LeagueCompleted":
            follow(recorded, row)
            follow(plain, row)
    assert recorded.findings == plain.findings == []
    assert (dict(recorded.decided.items()), recorded.rankings) == (plain.decided, plain.rankings)
