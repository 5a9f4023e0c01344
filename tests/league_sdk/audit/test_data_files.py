"""The files that people read, against the records: edited ones are found, older ones told apart from cut records."""

import json
import shutil

import pytest

from league_sdk.audit import audit, rows_from_jsonl
from league_sdk.audit.course import follow
from league_sdk.audit.data_files import compare_files
from league_sdk.audit.findings import Report
from league_sdk.audit.recorded_league import RecordedLeague
from league_sdk.domain.league import evolve
from league_sdk.stores import json_files
from league_sdk.stores.json_files import JsonFiles
from tests.league_sdk.audit.leagues import LEAGUE, exported, games, league

RECORDS = league(5, conduct={"R1M1": {"P02": "cheats"}}, void=("R2M1",), foreign=("R3M1",))
ROWS = rows_from_jsonl(exported(RECORDS))
STANDINGS, ROUNDS = f"leagues/{LEAGUE}/standings.json", f"leagues/{LEAGUE}/rounds.json"


MATCHES = [f"matches/{LEAGUE}/{match}.json" for match in ("R1M1", "R2M1", "R1M2")]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The files as they should be."""
    folder = tmp_path_factory.mktemp("written")
    JsonFiles(folder).rebuild(RECORDS)
    return folder


@pytest.fixture
def data(written, tmp_path):
    """The files, for one who edits them."""
    return shutil.copytree(written, tmp_path / "data")


def look_at_files(data, count=None):
    """Audit the first records with the files."""
    return audit(ROWS[:count], games, data_root=data)


def moments():
    """The league after every record, with its number."""
    state = None
    for count, record in enumerate(RECORDS, start=1):
        state = evolve(state, record.event)
        yield count, state


def edit(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def paths(value, prefix=()):
    """Every place in a JSON value that holds something that is not itself divided."""
    if isinstance(value, dict | list) and value:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(item, (*prefix, key))
    else:
        yield prefix


def test_the_files_of_a_league_hold(data):
    report = look_at_files(data)
    assert report.findings == []
    assert report.files == 2 + 10


def test_files_that_are_not_there_are_no_fault(tmp_path):
    report = look_at_files(tmp_path)
    assert (report.ok, report.files) == (True, 0)


@pytest.mark.parametrize("name", [STANDINGS, ROUNDS, *MATCHES])
def test_no_value_of_a_file_can_be_edited_unnoticed(written, tmp_path, name):
    """The records hold, so they are followed once; and the file stands alone, as the others hold, too."""
    recorded = RecordedLeague()
    for row in ROWS:
        follow(recorded, row)
    path, original = tmp_path / name, (written / name).read_text()
    path.parent.mkdir(parents=True)
    for place in paths(json.loads(original)):
        if place == ("schema_version",):
            continue  # says nothing about the league
        content = json.loads(original)
        part = content
        for key in place[:-1]:
            part = part[key]
        part[place[-1]] = "edited" if place != ("version",) else 7
        path.write_text(json.dumps(content))
        report = Report(LEAGUE, len(ROWS))
        compare_files(recorded, report, tmp_path)
        assert [found.kind for found in report.findings] == ["file"] * max(1, len(report.findings)), place
        assert name in report.findings[0].message, place
    assert recorded.findings == []
    assert not look_at_files(tmp_path).ok


def _first(key, to):
    def change(content):
        content["standings"][0][key] = to

    return change


def _append_round(content):
    content["rounds"].append(content["rounds"][0])


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (STANDINGS, _first("points", 99), "standings[0].points is 99; by the records it is"),
        (STANDINGS, lambda content: content["standings"].pop(), "standings is"),
        (STANDINGS, lambda content: content["standings"].reverse(), "standings[0]."),
        (STANDINGS, lambda content: content.pop("standings"), "standings is missing"),
        (STANDINGS, lambda content: content.pop("version"), "does not have its form"),
        (STANDINGS, lambda content: content.update(version=2), "does not change the standings"),
        (STANDINGS, lambda content: content.update(version=9999), "the last ones were cut off"),
        (ROUNDS, lambda content: content["rounds"].pop(), "older than the records"),
        (ROUNDS, _append_round, "were cut off"),
        (ROUNDS, lambda content: content["rounds"][0]["matches"][0].update(winner="P09"), "winner is"),
        (f"matches/{LEAGUE}/R1M2.json", lambda content: content["result"].update(winner_id="P09"), "winner_id is"),
        (f"matches/{LEAGUE}/R2M1.json", lambda content: content.update(void="no reason"), "void is"),
    ],
)
def test_an_edited_file_is_named_with_what_it_should_say(data, name, change, message):
    edit(data / name, change)
    report = look_at_files(data)
    assert message in report.findings[0].message
    assert report.first_changed is None


@pytest.mark.parametrize("name", [STANDINGS, ROUNDS, MATCHES[-1]])
def test_a_damaged_file_is_a_finding_and_no_crash(data, name):
    for content in ("", "nonsense", "[]", "7", "{", '{"version": NaN}'):
        (data / name).write_text(content)
        report = look_at_files(data)
        assert [found.kind for found in report.findings] == ["file"], content


def test_a_file_of_a_match_that_was_never_scheduled_is_found(data):
    folder = data / "matches" / LEAGUE
    (folder / "R9M9.json").write_text((folder / "R1M1.json").read_text())
    (found,) = look_at_files(data).findings
    assert (found.match, "not in the schedule" in found.message) == ("R9M9", True)


def test_records_cut_off_are_found_by_files_that_know_of_them(written):
    for left in range(8, len(RECORDS) - 1):
        report = look_at_files(written, left)
        assert any("cut off" in found.message for found in report.findings), f"after record {left}"


def test_files_that_lag_behind_a_league_under_way_are_noted_and_no_fault(tmp_path):
    for kept, state in moments():
        if kept % 3 == 1 and kept < len(RECORDS) - 1:
            folder = tmp_path / str(kept)
            JsonFiles(folder).update(state, RECORDS[:kept])
            report = look_at_files(folder, len(RECORDS) - 1)
            assert report.findings == [], f"files of record {kept}"


def test_old_standings_of_a_league_that_is_over_are_a_finding(tmp_path):
    state = next(state for count, state in moments() if count == 20)
    JsonFiles(tmp_path).update(state, RECORDS[:20])
    assert any("older than the records" in found.message for found in look_at_files(tmp_path).findings)


def test_files_of_every_moment_of_a_league_hold(tmp_path):
    files = JsonFiles(tmp_path)
    for count, state in moments():
        files.update(state, RECORDS[:count])
        assert look_at_files(tmp_path, count).findings == [], f"after record {count}"


def test_what_players_and_launcher_keep_for_themselves_is_named_as_not_checked_and_never_a_finding(data):
    plain = look_at_files(data).unchecked
    (data / "leagues" / LEAGUE / "run.json").write_text("nonsense")
    history = data / "players" / "P01" / "history.json"
    history.parent.mkdir(parents=True)
    history.write_text('{"matches": [{"league_id": "summer", "match_id": "R1M1", "result": "LOSS"}]}')
    report = look_at_files(data)
    assert report.findings == []
    assert [text.split(",")[0].split(" of ")[0] for text in report.unchecked if text not in plain] == [
        "run.json",
        "the matches in the history.json",
    ]


@pytest.fixture
def paged(monkeypatch, tmp_path):
    """The files with a file for each earlier round."""
    monkeypatch.setattr(json_files, "PAGE", 1)
    JsonFiles(tmp_path).rebuild(RECORDS)
    return tmp_path


def test_rounds_in_files_of_their_own_are_compared_like_the_others(paged):
    pages = sorted((paged / "leagues" / LEAGUE / "rounds").glob("*.json"))
    assert len(pages) > 1
    assert look_at_files(paged).findings == look_at_files(paged / "nowhere").findings
    edit(pages[0], lambda page: page["rounds"][0]["matches"][0].update(winner="P99"))
    assert any("winner" in finding.message for finding in look_at_files(paged).findings)


def test_a_file_of_earlier_rounds_that_was_deleted_is_found(paged):
    min((paged / "leagues" / LEAGUE / "rounds").glob("*.json")).unlink()
    assert any("rounds.json" in finding.message for finding in look_at_files(paged).findings)
