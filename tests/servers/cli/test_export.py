import csv
import io
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from game_rules.lowest_unique_number import LowestUniqueNumber
from league_sdk.domain.commands import AssignMatch, RecordResult, RegisterPlayer, RemovePlayer, VoidMatch
from league_sdk.domain.league import fold
from league_sdk.domain.model import StageRules
from servers.read_model.columns import Column
from servers.read_model.export import TABLES, Source, cell, columns_of, read, to_csv, to_json, to_jsonl
from tests.docs.markdown import ROOT
from tests.league_sdk.audit import leagues
from tests.league_sdk.domain.season import agent
from tests.requirements.marker import requirement
from tests.servers.league_history import finished, technical_loss, under_way, waiting
from tests.servers.read_model.leagues import at, reveal, talk
from tests.servers.ui.report.leagues import tournament

HOSTILE = '=HYPERLINK("http://evil")\x1b[2J,\u202e[red]<b>'


def names(columns: Iterable[Column]) -> list[str]:
    return [column.name for column in columns]


def csv_of(source: Source, what: str) -> list[dict[str, str]]:
    """A table, written and read again."""
    return rows("".join(to_csv(names(columns_of(source, what)), read(source, what))))


def rows(text: str) -> list[dict[str, str]]:
    """CSV, read as a program reads it."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_standings_are_the_default_and_the_same_as_those_that_are_shown(league, workspace):
    finished(4).write(workspace)
    shown = league("standings", "--json").json["standings"]
    written = rows(league("export").out)
    rated = ["rating", "rating_margin", "not_distinguishable_from"]
    columns = [*names(TABLES["standings"].columns), "head_to_head", *rated]
    told = [{"head_to_head": None, **row, **row["tie_breaks"]} for row in shown]
    assert [list(row) for row in written] == [columns] * 4
    assert list(written) == [{name: str(cell(row[name])) for name in columns} for row in told]
    assert league("export", "--format", "json").json["standings"] == [
        {name: row[name] for name in columns} for row in told
    ]


@requirement("project-LATER-08")
@pytest.mark.parametrize("what", TABLES)
def test_every_format_has_the_same_rows_and_columns(what):
    history = under_way(4)
    history.do(RecordResult(replace(technical_loss(history, "R1M1", "P02"), transcript=TRANSCRIPT)))
    source = Source(history.league, history.records())
    as_json, columns = json.loads(json.dumps(to_json(source, [what])[what])), names(columns_of(source, what))
    assert [json.loads(line) for line in to_jsonl(read(source, what))] == as_json
    assert as_json
    assert [list(row) for row in as_json] == [columns] * len(as_json)
    assert csv_of(source, what) == [{name: str(cell(value)) for name, value in row.items()} for row in as_json]


TRANSCRIPT: Any = (
    {"sequence": 1, "message_type": "GAME_INVITATION", "timestamp": "2025-01-15T10:00:00.000Z", "to": "P02"},
    {
        "sequence": 2,
        "message_type": "MOVE_RESPONSE",
        "timestamp": "2025-01-15T10:00:01.000Z",
        "from": "P02",
        "choice": -1,
    },
)


def test_all_of_them_fit_into_one_object(league, workspace):
    finished(2).write(workspace)
    document = league("export", "--what", "all").json
    assert set(document) == {"league_id", "game_type", "state", *TABLES}


def test_matches_tell_who_won_and_when_or_that_they_count_for_nobody(league, workspace):
    history = under_way(4)
    history.do(AssignMatch("R1M2", "REF02"))
    lost = technical_loss(history, "R1M1", "P02")
    history.do(RecordResult(replace(lost, faults=(), lifecycle={"CREATED": at(1), "FINISHED": at(3.5)})))
    history.do(VoidMatch("R1M2", "nobody can referee it"))
    history.write(workspace)
    decided, void, later, *_ = rows(league("export", "-w", "matches").out)
    assert (decided["status"], decided["winner_name"], decided["at_fault"]) == ("TECHNICAL_LOSS", "Player 1", "P02")
    assert (decided["score_a"], decided["score_b"], decided["seconds"]) == ("3", "0", "2.5")
    assert decided["assigned_at"] < decided["decided_at"]
    assert (void["status"], void["winner_id"], void["reason"]) == ("VOID", "", "nobody can referee it")
    assert (later["status"], later["attempt"], later["decided_at"]) == ("SCHEDULED", "0", "")
    (fault,) = rows(league("export", "-w", "faults").out)
    assert (fault["player_id"], fault["cause"]) == ("P02", "")


def test_a_file_is_named_by_its_format_and_never_overwritten_unasked(league, workspace, tmp_path):
    finished(2).write(workspace)
    target = tmp_path / "table.jsonl"
    ran = league("export", "-o", target)
    assert (ran.code, ran.out, ran.err) == (0, "", f"2 rows of summer written to {target}\n")
    assert json.loads(target.read_text().splitlines()[0])["rank"] == 1
    ran = league("export", "-o", target)
    assert ran.code == 2
    assert "is there already: name another file, or replace it with --force" in ran.err
    assert league("export", "-o", target, "--force", "-w", "agents").code == 0
    assert "referee" in target.read_text()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--what", "moves"), "there are standings, rounds, matches, "),
        (("--format", "xml"), "--format 'xml': there are csv, json, jsonl, notation"),
        (("--format", "notation"), "the game 'fingers' is not installed here: name the folder"),
        (("--format", "notation", "--what", "events"), "--format notation writes matches, not events"),
        (("--what", "all", "--format", "csv"), "--what all needs --format json"),
        (("winter",), "there are no records of league 'winter'"),
        (("-o", "."), "is a folder: name a file in it"),
        (("-o", "nowhere/table.csv"), "cannot be written: No such file or directory"),
    ],
)
def test_mistakes_are_told_in_a_sentence(league, workspace, arguments, message):
    finished(2).write(workspace)
    ran = league("export", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in " ".join(ran.err.split())


def test_a_name_stays_text_in_every_format(league, workspace):
    history = waiting(1)
    history.do(RegisterPlayer(agent(HOSTILE)))
    history.write(workspace)
    for form in ("csv", "json", "jsonl"):
        ran = league("export", "--what", "agents", "--format", form)
        assert "\x1b" not in ran.out
        assert "\u202e" not in ran.out
    ran = league("export", "--what", "agents")
    (row,) = [row for row in rows(ran.out) if row["agent_id"] == "P02"]
    assert row["display_name"] == "'" + HOSTILE.replace("\x1b", "\\u001b").replace("\u202e", "\\u202e")
    assert league("export", "-w", "agents", "--format", "json").json["agents"][1]["display_name"] == HOSTILE


@requirement("project-LATER-08")
@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1", "'  =1"),
        ("\t=1", "'\\t=1"),
        ("\r=1", "'\\r=1"),
        ("\uff1d1", "'\uff1d1"),
        ("'quoted", "''quoted"),
        ("a=1", "a=1"),
        ("", ""),
        (-1, -1),
        (0.5, 0.5),
        (True, "true"),
        (None, ""),
        (["=1"], '["=1"]'),
    ],
)
def test_a_text_can_never_become_a_formula(value, written):
    assert cell(value) == written


def test_csv_is_that_of_the_standard(league, workspace, tmp_path):
    history = waiting(1)
    history.do(RegisterPlayer(agent('Quote " comma, line\nend')))
    history.write(workspace)
    target = tmp_path / "agents.csv"
    assert league("export", "-w", "agents", "-o", target).code == 0
    written = target.read_bytes()
    assert b'P02,"Quote "" comma, line\nend",' in written
    assert re.sub(rb'"[^"]*(""[^"]*)*"', b"", written).count(b"\n") == written.count(b"\r\n") == 4
    assert written.endswith(b"\r\n")


def test_exported_events_are_what_an_audit_takes(league, workspace, tmp_path):
    finished(4).write(workspace)
    ours, audits = tmp_path / "ours.jsonl", tmp_path / "audits.jsonl"
    assert league("export", "-w", "events", "-o", ours).code == 0
    league("audit", "--export", audits)
    assert ours.read_bytes() == audits.read_bytes()


PLAIN_GAME = """
from game_rules.tic_tac_toe import TicTacToe

class Plain(TicTacToe):
    name = "fingers"
"""
NOTED_GAME = f"""{PLAIN_GAME}
    def notation(self, match):
        moves = " ".join(str(move) for turn in match.turns for move in turn.values())
        names = " - ".join(match.names.values())
        return f"[{{match.match_id}} {{names}}]\\n{{moves}} {{match.winner}} {{match.faults}}"
"""


def notation_of(league: Any, folder: Path, text: str) -> Any:
    folder.mkdir()
    (folder / "noted.py").write_text(text)
    return league("export", "--format", "notation", "--plugins", folder)


@requirement("project-LATER-08")
def test_a_game_that_has_a_notation_is_written_in_it(league, workspace, tmp_path):
    history = under_way(2)
    moves = [{"from": player, "choice": move} for player, move in (("P01", "b2"), ("P02", "a1"))]
    lost = technical_loss(history, "R1M1", "P01")
    history.do(RecordResult(replace(lost, transcript=(*talk()[:6], *moves), details={"draw": reveal()})))
    history.write(workspace)
    ran = notation_of(league, tmp_path / "mine", NOTED_GAME)
    assert (ran.code, ran.out) == (0, "[R1M1 Player 1 - Player 2]\nb2 a1 P02 {'P01': 'no_move'}\n")


def test_a_game_without_a_notation_says_so(league, workspace, tmp_path):
    finished(2).write(workspace)
    ran = notation_of(league, tmp_path / "mine", PLAIN_GAME)
    assert ran.code == 2
    assert "'fingers' has no standard notation; the other formats are csv, json, jsonl" in " ".join(ran.err.split())


def test_matches_of_a_league_with_series_have_columns_for_them():
    records = leagues.league(2, stages=(StageRules("knockout", {"best_of": 3}),))
    source = Source(fold(record.event for record in records), records)
    written = csv_of(source, "matches")
    assert [(row["match_id"], row["series_id"], row["game"]) for row in written[:2]] == [
        ("R1M1", "R1M1", "1"),
        ("R2M1G2", "R1M1", "2"),
    ]
    plain = under_way(4)
    assert "game" not in names(columns_of(Source(plain.league, plain.records()), "matches"))


@requirement("project-GAMES-06")
def test_matches_of_three_have_columns_for_all_their_players():
    history = tournament(LowestUniqueNumber(), 6, (StageRules("tables"),))
    source = Source(history.league, history.records())
    for row in csv_of(source, "matches"):
        match = history.league.results[row["match_id"]]
        assert row["players"].split() == list(match.players)
        assert json.loads(row["points"]) == match.score
        assert json.loads(row["places"]) == match.places
    two = under_way(4)
    assert not {"players", "points", "places"} & set(names(columns_of(Source(two.league, two.records()), "matches")))


def test_matches_of_removed_players_are_marked():
    history = under_way(4)
    history.do(RemovePlayer("P02", "enough"))
    source = Source(history.league, history.records())
    written = csv_of(source, "matches")
    marks = [("P02" in (row["player_a_id"], row["player_b_id"]), row["removed"]) for row in written]
    assert set(marks) == {(True, "P02"), (False, "")}


def test_the_columns_are_documented():
    page = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### `(\w+)`(.*?)(?=^###? |\Z)", page, re.MULTILINE | re.DOTALL))
    assert list(sections) == list(TABLES)
    for name, table in TABLES.items():
        assert re.findall(r"^\| `(\w+)` \| (.*) \|$", sections[name], re.MULTILINE) == [
            (column.name, column.help) for column in table.columns
        ]
        assert table.about in sections[name]
