"""Stand-ins' moves are marked wherever a match is shown: replay, show, matches, report, export, page."""

import csv
import io
import json

import pytest

from game_rules.lowest_unique_number import LowestUniqueNumber
from league_sdk.domain.events import event_from_json
from league_sdk.domain.league import fold
from league_sdk.domain.model import StageRules
from league_sdk.settings import Workspace
from tests.league_sdk.audit import leagues
from tests.league_sdk.domain.season import Season
from tests.servers.league_history import LeagueHistory
from tests.servers.ui.web.site import Site


def history() -> LeagueHistory:
    """A league of one table, whose second player answers no more from the third turn of R1M1 on."""
    stages = (StageRules("tables", {"seats": 3}),)
    records = leagues.league(3, "lowest_unique_number", stages=stages, conduct={"R1M1": {"P02": "silent from 3"}})
    events = [event_from_json(record.type, record.payload) for record in records]
    return LeagueHistory(Season(fold(events), events))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("league-data")
    history().write(Workspace(folder))
    return folder


@pytest.fixture
def summer(written, monkeypatch):
    """The league, in the folder where the commands look."""
    monkeypatch.setenv("LEAGUE_DATA", str(written))


def test_the_replay_plays_the_match_to_its_end_and_marks_the_stand_ins_moves(league, summer):
    ran = league("replay", "R1M1")
    assert (ran.code, ran.err) == (0, "")
    turns = [line for line in ran.out.splitlines() if line.startswith("Turn ")]
    assert [line.count("(stand-in)") for line in turns] == [0, 0, 1, 1, 1]
    assert "A stand-in moved for P02 from turn 3." in ran.out
    assert "✓ The replay ends in the recorded result." in ran.out
    frames = league("replay", "R1M1", "--json").json["frames"]
    assert [frame.get("stand_ins") for frame in frames] == [None, None, None, ["P02"], ["P02"], ["P02"]]


def test_the_match_is_shown_with_the_turn_from_which_a_stand_in_moved(league, summer):
    shown = league("show", "R1M1", "--json").json
    assert shown["details"]["stand_ins"] == {"P02": 3}
    marked = [entry for entry in shown["transcript"] if entry["message_type"] == "STAND_IN_MOVE"]
    assert [(entry["for"], entry["turn"]) for entry in marked] == [("P02", 3), ("P02", 4), ("P02", 5)]
    assert "A stand-in moved for P02 from turn 3." in league("show", "R1M1").out


def test_the_export_has_the_stand_ins_and_the_audit_holds(league, summer):
    ran = league("export", "--what", "matches")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert json.loads(next(row["stand_ins"] for row in rows if row["match_id"] == "R1M1")) == {"P02": 3}
    assert league("audit").code == 0


def test_the_report_marks_them(league, summer, tmp_path):
    target = tmp_path / "report.html"
    assert league("report", "-o", target).code == 0
    assert "A stand-in moved for P02 from turn 3." in target.read_text()


@pytest.mark.anyio
async def test_the_page_of_the_match_marks_them():
    seen = await Site(history(), LowestUniqueNumber()).page("/matches/R1M1")
    text = " ".join(seen.words)
    assert text.count("stand-in") >= 3
    assert text.count("Stand-in of") == 3
    assert "Replayed from its record, the match ends as reported." in text
