"""The projection: 003's fields, the same files step by step and from nothing, and never half of one."""

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league_sdk.domain.commands import CloseRegistration, CompleteRound, RegisterPlayer
from league_sdk.domain.league import fold
from league_sdk.domain.model import StageRules
from league_sdk.stores import JsonFiles, MatchRepository, RoundsRepository, StandingsRepository, json_files
from tests.league_sdk.audit import leagues
from tests.requirements.marker import requirement

OUTCOMES = ("A", "B", "draw", "fault", "both", "void")
LEAGUE = "league_2025"
LEAGUE_PLAYED = leagues.LEAGUE


def files_in(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def play(league: Any, outcomes: Any, players: int = 4, files: JsonFiles | None = None) -> None:
    for command in league.commands(itertools.cycle(outcomes), players):
        added = league.do(command)
        if files is not None:
            files.update(league.league, added)


@pytest.fixture
def played(scripted_league: Callable[..., Any], tmp_path: Path) -> Any:
    league = scripted_league()
    play(league, ["A", "draw", "fault", "both", "void", "B"], files=JsonFiles(tmp_path))
    return league


@requirement("001-LAYER-04", "001-DIR-02", "001-DATA-01", "002-REPORT-07", "003-TREE-03", "003-DATA-01", "003-DATA-02")
def test_standings_carry_the_fields_that_are_documented(played: Any, tmp_path: Path):
    standings = json.loads((tmp_path / "leagues" / LEAGUE / "standings.json").read_text())
    assert list(standings) == [
        "schema_version",
        "league_id",
        "version",
        "last_updated",
        "rounds_completed",
        "standings",
    ]
    assert standings["rounds_completed"] == 3
    assert standings["version"] == len(played.records) - 1  # the last record, LeagueCompleted, changes no standings
    for row, standing in zip(standings["standings"], played.league.standings(), strict=True):
        assert row == {
            "rank": standing.rank,
            "player_id": standing.player_id,
            "display_name": standing.display_name,
            "played": standing.played,
            "wins": standing.wins,
            "draws": standing.draws,
            "losses": standing.losses,
            "points": standing.points,
            "games_played": standing.played,
        }


def test_standings_have_rows_once_it_is_settled_who_plays(scripted_league: Callable[..., Any], tmp_path: Path):
    league, files = scripted_league(), JsonFiles(tmp_path)
    sizes: list[int] = []
    for command in league.commands(itertools.repeat("A")):
        added = league.do(command)
        files.update(league.league, added)
        if isinstance(command, (RegisterPlayer, CloseRegistration)):
            sizes.append(len(StandingsRepository(LEAGUE, tmp_path).load()["standings"]))
    assert sizes == [0, 0, 0, 0, 4]


@requirement("000-LM-SCHED-06", "001-DIR-02", "003-TREE-03", "003-DATA-03")
def test_rounds_carry_the_fields_that_are_documented(played: Any, tmp_path: Path):
    rounds = json.loads((tmp_path / "leagues" / LEAGUE / "rounds.json").read_text())
    assert (rounds["schema_version"], rounds["league_id"], rounds["total_rounds"]) == ("1.0.0", LEAGUE, 3)
    times = {(r.type, r.payload.get("round_id")): r.at for r in played.records}
    assert rounds["rounds"][0] == {
        "round_id": 1,
        "status": "COMPLETED",
        "started_at": times["RoundStarted", 1],
        "completed_at": times["RoundCompleted", 1],
        "matches": [
            {"match_id": "R1M1", "player_a": "P01", "player_b": "P02", "winner": "P01", "status": "WIN"},
            {"match_id": "R1M2", "player_a": "P03", "player_b": "P04", "winner": None, "status": "DRAW"},
        ],
    }
    assert [entry["status"] for entry in rounds["rounds"][2]["matches"]] == ["VOID", "WIN"]


@requirement(
    "000-LM-NOT-05",
    "000-REF-REPORT-05",
    "001-LAYER-04",
    "001-DIR-02",
    "001-DATA-02",
    "002-REPORT-08",
    "003-TREE-03",
    "003-DATA-04",
    "003-DATA-05",
)
def test_a_match_carries_the_fields_that_are_documented(played: Any, tmp_path: Path):
    match = json.loads((tmp_path / "matches" / LEAGUE / "R1M1.json").read_text())
    at = "2025-01-15T10:00:{:02d}.000Z".format
    assert match == {
        "schema_version": "1.0.0",
        "match_id": "R1M1",
        "league_id": LEAGUE,
        "round_id": 1,
        "game_type": "guess",
        "referee_id": "REF01",
        "attempt": 1,
        "lifecycle": {
            "state": "FINISHED",
            "created_at": at(0),
            "started_at": at(5),
            "finished_at": at(12),
            "states": [
                {"state": "CREATED", "timestamp": at(0)},
                {"state": "WAITING_FOR_PLAYERS", "timestamp": at(1)},
                {"state": "COLLECTING_CHOICES", "timestamp": at(5)},
                {"state": "FINISHED", "timestamp": at(12)},
            ],
        },
        "players": {
            "player_a": {"id": "P01", "display_name": "Agent 1", "joined_at": at(2)},
            "player_b": {"id": "P02", "display_name": "Agent 2", "joined_at": at(3)},
        },
        "transcript": [
            {"sequence": 1, "message_type": "GAME_INVITATION", "timestamp": at(1), "to": ["P01", "P02"]},
            {"sequence": 2, "message_type": "GAME_JOIN_ACK", "timestamp": at(2), "from": "P01"},
            {"sequence": 3, "message_type": "GAME_JOIN_ACK", "timestamp": at(3), "from": "P02"},
        ],
        "result": {
            "choices": {"P01": "left", "P02": "right"},
            "drawn": 8,
            "status": "WIN",
            "winner_id": "P01",
            "loser_id": "P02",
            "points_awarded": 3,
            "score": {"P01": 3, "P02": 0},
            "reason": "A",
            "faults": [],
            "winner_choice": "left",
            "loser_choice": "right",
        },
    }


def test_a_draw_has_neither_winner_nor_loser(played: Any, tmp_path: Path):
    result = json.loads((tmp_path / "matches" / LEAGUE / "R1M2.json").read_text())["result"]
    assert (result["winner_id"], result["loser_id"], result["points_awarded"]) == (None, None, 1)
    assert "winner_choice" not in result


@requirement("000-REF-ASSIGN-05")
def test_a_technical_loss_shows_whose_fault_it_was(played: Any, tmp_path: Path):
    one = json.loads((tmp_path / "matches" / LEAGUE / "R2M1.json").read_text())["result"]
    assert (one["status"], one["winner_id"], one["loser_id"]) == ("TECHNICAL_LOSS", "P01", "P03")
    assert one["faults"] == [
        {
            "player_id": "P03",
            "cause": "no_move",
            "phase": "move",
            "error_code": "E001",
            "tries": 3,
            "description": "silent",
            "evidence": {"waited": 30.0},
        }
    ]
    both = json.loads((tmp_path / "matches" / LEAGUE / "R2M2.json").read_text())["result"]
    assert (both["winner_id"], both["points_awarded"], len(both["faults"])) == (None, 0, 2)


def test_a_void_match_says_why(played: Any, tmp_path: Path):
    match = json.loads((tmp_path / "matches" / LEAGUE / "R3M1.json").read_text())
    times = {record.type: record.at for record in played.records if record.payload.get("match_id") == "R3M1"}
    assert match["void"] == "no referee left"
    assert match["result"] is None
    assert match["lifecycle"] == {
        "state": "ABORTED",
        "created_at": times["MatchAssigned"],
        "started_at": None,
        "finished_at": times["MatchVoided"],
        "states": [],
    }


def test_a_round_under_way_shows_no_winners_yet(scripted_league: Callable[..., Any], tmp_path: Path):
    league = scripted_league()
    for command in league.commands(itertools.repeat("A")):
        if isinstance(command, CompleteRound):
            break
        league.do(command)
    JsonFiles(tmp_path).update(league.league, league.records)
    rounds = RoundsRepository(LEAGUE, tmp_path).load()["rounds"]
    assert [entry["status"] for entry in rounds] == ["IN_PROGRESS"]
    assert rounds[0]["completed_at"] is None
    assert [match["winner"] for match in rounds[0]["matches"]] == [None, None]
    assert MatchRepository(LEAGUE, tmp_path).list_matches() == ["R1M1", "R1M2"]


def test_a_bye_is_listed(scripted_league: Callable[..., Any], tmp_path: Path):
    league = scripted_league()
    play(league, ["A"], players=3, files=JsonFiles(tmp_path))
    rounds = RoundsRepository(LEAGUE, tmp_path).load()["rounds"]
    assert sorted(entry["byes"][0] for entry in rounds) == ["P01", "P02", "P03"]


def test_rounds_of_a_knockout_name_their_format_and_the_series_of_their_matches(tmp_path: Path):
    records = leagues.league(2, stages=(StageRules("knockout", {"best_of": 3}),))
    files = JsonFiles(tmp_path)
    files.update(fold(record.event for record in records), records)
    first, second, *_ = RoundsRepository(LEAGUE_PLAYED, tmp_path).load()["rounds"]
    assert (first["format"], first["stage"], first["paired_by"]) == ("knockout", 1, "bracket")
    assert [(match["series_id"], match["game"]) for match in first["matches"]] == [("R1M1", 1)]
    assert [(match["match_id"], match["series_id"], match["game"]) for match in second["matches"]] == [
        ("R2M1G2", "R1M1", 2)
    ]
    assert (tmp_path / "matches" / LEAGUE_PLAYED / "R2M1G2.json").exists()


def test_a_knockout_whose_series_end_early_has_the_rounds_that_were_played(tmp_path: Path):
    records = leagues.league(2, stages=(StageRules("knockout", {"best_of": 5}),))
    files = JsonFiles(tmp_path)
    announced: list[int] = []
    for count, record in enumerate(records, start=1):
        files.update(fold(known.event for known in records[:count]), [record])
        announced.append(RoundsRepository(LEAGUE_PLAYED, tmp_path).load()["total_rounds"])
    rounds = RoundsRepository(LEAGUE_PLAYED, tmp_path).load()
    assert len(rounds["rounds"]) == rounds["total_rounds"] < max(announced)


@requirement("000-LM-STAND-05", "000-LM-RESP-04", "000-LM-FAIL-04", "project-STATE-06")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    outcomes=st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=21),
    players=st.integers(2, 7),
    seed=st.integers(0, 99),
)
def test_files_made_step_by_step_and_from_nothing_are_the_same(
    scripted_league: Callable[..., Any], tmp_path_factory: Any, outcomes: list[str], players: int, seed: int
):
    folder = tmp_path_factory.mktemp("files")
    league = scripted_league()
    by_step, in_batches = JsonFiles(folder / "steps"), JsonFiles(folder / "batches")
    chance = random.Random(seed)
    held: list[Any] = []
    for command in league.commands(itertools.cycle(outcomes), players):
        added = league.do(command)
        held += added
        by_step.update(league.league, added)
        if chance.random() < 0.2:
            in_batches.update(league.league, held)
            held = []
        if chance.random() < 0.1:
            rebuilt = folder / f"rebuilt-{len(league.records)}"
            assert JsonFiles(rebuilt).rebuild(league.records) == league.league
            assert files_in(rebuilt) == files_in(folder / "steps")
    in_batches.update(league.league, held)
    JsonFiles(folder / "whole").rebuild(league.records)
    assert files_in(folder / "steps") == files_in(folder / "batches") == files_in(folder / "whole")


@requirement("000-LM-STAND-05", "000-LM-RESP-04", "000-LM-FAIL-04", "project-STATE-06")
def test_after_rebuilding_updates_go_on(scripted_league: Callable[..., Any], tmp_path: Path):
    league = scripted_league()
    steps, resumed = JsonFiles(tmp_path / "steps"), None
    for number, command in enumerate(league.commands(itertools.cycle(OUTCOMES))):
        added = league.do(command)
        steps.update(league.league, added)
        if resumed is not None:
            resumed.update(league.league, added)
        elif number == 15:
            resumed = JsonFiles(tmp_path / "resumed")
            resumed.rebuild(league.records)
    assert files_in(tmp_path / "steps") == files_in(tmp_path / "resumed")


def test_files_of_earlier_matches_are_written_a_few_at_a_time_and_those_of_new_ones_at_once(
    scripted_league: Callable[..., Any], tmp_path: Path
):
    league, files = scripted_league(), JsonFiles(tmp_path / "files")
    commands = league.commands(itertools.cycle(OUTCOMES), 5)
    while league.league is None or len(league.league.results) + len(league.league.voided) < 8:
        league.do(next(commands))
    league_id = league.league.league_id
    files.catch_up(league.league, league.records[:20])
    files.catch_up(league.league, league.records[20:])
    matches = tmp_path / "files" / "matches" / league_id

    def written() -> int:
        return len(list(matches.iterdir())) if matches.is_dir() else 0

    assert written() == 0
    files.write_matches(league.league, files.matches_left(league_id, 3), league.league.results)
    assert written() == 3
    added: list[Any] = []
    while len(league.league.results) + len(league.league.voided) < 9:
        added += league.do(next(commands))
    files.update(league.league, added)
    assert written() == 4
    files.write_matches(league.league, files.matches_left(league_id, 100), league.league.results)
    assert files.matches_left(league_id, 1) == []
    JsonFiles(tmp_path / "whole").rebuild(league.records)
    assert files_in(tmp_path / "files") == files_in(tmp_path / "whole")


def test_records_that_were_taken_already_change_nothing(played: Any, tmp_path: Path):
    before = files_in(tmp_path)
    files = JsonFiles(tmp_path)
    files.rebuild(played.records)
    files.update(played.league, played.records[-5:])
    assert files_in(tmp_path) == before


def test_a_gap_in_the_records_is_refused(played: Any, tmp_path: Path):
    with pytest.raises(ValueError, match="rebuild from all records"):
        JsonFiles(tmp_path / "new").update(played.league, played.records[3:])


def test_what_could_not_be_written_is_written_with_the_next_update(scripted_league: Callable[..., Any], tmp_path: Path):
    league, files = scripted_league(), JsonFiles(tmp_path / "data")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "matches").write_text("in the way")
    failures = 0
    for command in league.commands(itertools.cycle(OUTCOMES)):
        added = league.do(command)
        try:
            files.update(league.league, added)
        except OSError:
            failures += 1
            if failures == 2:
                (tmp_path / "data" / "matches").unlink()
    JsonFiles(tmp_path / "whole").rebuild(league.records)
    assert failures == 2
    assert files_in(tmp_path / "data") == files_in(tmp_path / "whole")


def test_several_leagues_share_a_folder(scripted_league: Callable[..., Any], tmp_path: Path):
    files = JsonFiles(tmp_path)
    for name in ("one", "two"):
        play(scripted_league(name), ["A"], files=files)
    assert StandingsRepository("one", tmp_path).load()["league_id"] == "one"
    assert len(MatchRepository("two", tmp_path).list_matches()) == 6


def test_a_league_whose_id_is_a_path_writes_nothing(scripted_league: Callable[..., Any], tmp_path: Path):
    league = scripted_league("..")
    with pytest.raises(ValueError, match="cannot name a file"):
        play(league, ["A"], files=JsonFiles(tmp_path / "data"))
    assert files_in(tmp_path) == {}


@pytest.fixture
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file for each earlier round."""
    monkeypatch.setattr(json_files, "PAGE", 1)


@pytest.mark.usefixtures("short_pages")
def test_earlier_rounds_of_a_long_league_are_in_files_of_their_own(scripted_league: Callable[..., Any], tmp_path: Path):
    league = scripted_league()
    play(league, ["A"], files=JsonFiles(tmp_path / "steps"))
    JsonFiles(tmp_path / "whole").rebuild(league.records)
    rounds = json.loads((tmp_path / "steps" / "leagues" / LEAGUE / "rounds.json").read_text())
    assert [entry["round_id"] for entry in rounds["rounds"]] == [3]
    assert rounds["earlier"] == {"folder": "rounds", "rounds": 2, "rounds_a_file": 1}
    whole = RoundsRepository(LEAGUE, tmp_path / "steps").load()["rounds"]
    assert [(entry["round_id"], entry["status"]) for entry in whole] == [(n, "COMPLETED") for n in (1, 2, 3)]
    assert files_in(tmp_path / "steps") == files_in(tmp_path / "whole")
