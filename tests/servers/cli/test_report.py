"""`league report`, as a command."""

import json
import re
import webbrowser

import pytest

from league_sdk import plugins
from servers.cli import report as command
from tests.requirements.marker import requirement
from tests.servers.league_history import finished
from tests.servers.ui.report.leagues import eventful
from tests.servers.ui.report.test_report import Reader, embedded


@pytest.fixture
def summer(workspace):
    eventful(plugins.game("tic_tac_toe"), 5, {2: "=1+1 <b>\x1b[2J"}).write(workspace)


@requirement("project-LATER-08")
def test_report_standings_and_export_agree_to_the_digit(league, workspace, summer):
    ran = league("report")
    path = workspace.league_dir("summer") / "report.html"
    assert (ran.code, ran.out.split()) == (0, f"summer: the report is in {path}".split())
    page = path.read_text(encoding="utf-8")
    shown = league("standings", "--json").json["standings"]
    names = ("rank", "played", "wins", "draws", "losses", "technical_losses", "points")
    told = [[row[name] for name in names] for row in shown]
    assert embedded(page)["players"] == [row["player_id"] for row in shown]
    drawn = [(re.split("[▲▼]", row[0])[0], *row[2:8]) for row in Reader(page).table("r-standings")]
    assert [[*map(int, row)] for row in drawn] == told
    assert [[row[name] for name in names] for row in league("export", "--format", "json").json["standings"]] == told
    audit = league("audit", "--json").json
    assert [[row[name] for name in ("rank", "played", "points")] for row in audit["standings"]] == [
        [row[name] for name in ("rank", "played", "points")] for row in shown
    ]
    rows = dict(re.findall("<dt>([^<]*)</dt><dd><bdi>([^<]*)</bdi></dd>", page))
    assert rows["Random draws verified"] == f"{audit['matches']['draws_verified']} of {audit['matches']['decided']}"
    assert "audit: no changes found" in page
    assert "\x1b" not in page


def test_the_report_in_the_data_folder_is_replaced_by_a_new_one(league, workspace, monkeypatch):
    finished(2).write(workspace)
    first = league("report")
    assert (first.code, first.err) == (0, "")
    monkeypatch.setattr(command, "MANY", 0)
    second = league("report")
    assert second.code == 0
    assert "this takes a while" in second.err


def test_a_file_of_ones_own_is_replaced_only_when_asked(league, workspace, tmp_path):
    finished(2).write(workspace)
    target = tmp_path / "mine.html"
    target.write_text("mine")
    ran = league("report", "-o", target)
    assert ran.code == 2
    assert "is there already" in ran.err
    assert target.read_text() == "mine"
    assert league("report", "-o", target, "--force").code == 0
    assert "The game is not installed here" in json.dumps(embedded(target.read_text()))


def test_it_can_be_opened(league, workspace, monkeypatch):
    finished(2).write(workspace)
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: not opened.append(url))
    assert league("report", "--open").err == ""
    assert opened == [(workspace.league_dir("summer") / "report.html").as_uri()]
    monkeypatch.setattr(webbrowser, "open", lambda url: False)
    assert "no browser could be started here" in league("report", "--open").err


def test_a_league_that_is_not_there_is_told(league, workspace):
    ran = league("report", "winter")
    assert ran.code == 2
    assert "there are no records of league 'winter'" in ran.err
