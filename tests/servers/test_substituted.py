"""Substituted moves, from a strategy that fails to everything that shows a league."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from league_sdk.audit import Report, audit, rows_from_jsonl
from league_sdk.domain.commands import AssignMatch, CompleteLeague, CompleteRound, StartRound
from league_sdk.domain.model import Cause, Fault, ResultStatus, SubstitutionReason
from league_sdk.game import Move, PlayerView
from league_sdk.plugins import game
from league_sdk.protocol import mapping
from servers import read_model
from servers.cli.views import standings_table
from servers.read_model import Clocks, Limits, public
from servers.read_model.export import TABLES, Source, compact, read
from servers.ui import report
from servers.ui.class_pages import feedback
from tests.requirements.marker import requirement
from tests.servers import test_leagues
from tests.servers.league_history import LeagueHistory, begun, finished
from tests.servers.read_model.leagues import talk
from tests.servers.ui.report.test_report import embedded
from tests.servers.ui.web.site import Site

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("leagues")]

SECRET = "the key of my provider"


def told(*answers: tuple[str, Mapping[str, int]]) -> LeagueHistory:
    """A league of two, whose one match has these players' substituted moves."""
    history = begun(2)
    history.do(StartRound(1))
    history.do(AssignMatch("R1M1", "REF01"))
    counts = dict(answers)
    transcript = [
        {**entry, **({"substituted": next(iter(counts[entry["from"]]))} if _moves(entry, counts) else {})}
        for entry in talk()
    ]
    history.season.record("R1M1", "P01", substituted=counts, transcript=tuple(transcript))
    history.do(CompleteRound(1))
    history.do(CompleteLeague())
    return history


def _moves(entry: Mapping[str, Any], counts: Mapping[str, Any]) -> bool:
    return "choice" in entry and entry.get("from") in counts


@pytest.fixture(scope="module")
def history() -> LeagueHistory:
    return told(("P02", {"raised": 1}))


def shown(history: LeagueHistory) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(standings_table(history.league))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_terminal_has_a_column_where_somebody_has_any(history: LeagueHistory):
    assert "substituted" in shown(history)
    assert "substituted" not in shown(finished(2))


@requirement("project-TRUST-15")
def test_every_standing_on_the_wire_tells_them(history: LeagueHistory):
    rows = {row.player_id: row for row in mapping.standing_rows(history.league.standings())}
    assert (rows["P01"].substituted, rows["P02"].substituted) == (None, {"raised": 1})
    assert mapping.player_stats(history.league.player_stats("P02")).substituted == {"raised": 1}


def test_everybody_may_know_them(history: LeagueHistory):
    result = public.match_result(history.league.results["R1M1"], {})
    assert result["substituted"] == {"P02": {"raised": 1}}
    assert "substituted raised" in public.replay(history.league.results["R1M1"], {})


def test_every_table_that_tells_of_moves_has_them(history: LeagueHistory):
    source = Source(history.league, history.records())
    for name in ("standings", "rounds"):
        rows = {row["player_id"]: row for row in read(source, name)}
        assert [rows[who]["substituted_moves"] for who in ("P01", "P02")] == [0, 1]
        assert rows["P02"]["substituted_reasons"] == {"raised": 1}
    (match,) = read(source, "matches")
    assert match["substituted_moves"] == {"P02": {"raised": 1}}
    assert [row["substituted"] for row in read(source, "messages") if row["choice"]] == [None, "raised"]
    assert "substituted_moves" in [column.name for column in TABLES["faults"].columns]


async def test_the_pages_tell_them(history: LeagueHistory):
    site = Site(history)
    head, *_ = (await site.page("/standings")).rows
    assert "S" in head
    player = (await site.page("/players/P02")).text
    assert "Substituted moves by its own account" in player
    assert "Technical losses No technical loss, but 1 of 1 move was substituted." in player
    assert "its strategy raised an error" in player
    other = (await site.page("/players/P01")).text
    assert "every request was answered in time." in other
    assert "substituted" not in other
    match = (await site.page("/matches/R1M1")).text
    assert "1 move was substituted; its strategy raised an error." in match
    assert "substituted: its strategy raised an error" in match


async def test_a_champion_whose_moves_were_substituted_is_called_so_in_words():
    champion = told(("P01", {"illegal": 1}))
    assert champion.league.champions == ("P01",)
    for path in ("/", "/results"):
        assert "1 of 1 move was substituted" in (await Site(champion).page(path)).text


async def test_feedback_says_how_many_and_leads_to_each_replay(history: LeagueHistory):
    page = "".join(feedback(history.league, "P02", "Bea", ""))
    assert "1 of 1 move was substituted, by the player's own account." in page
    assert 'href="league~report.html#/matches/R1M1"' in page
    assert "substituted, by" not in "".join(feedback(history.league, "P01", "Ada", ""))


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ({"received": "evne", "try": 4}, "made a move that the game does not allow: <code>evne</code>"),
        ({"error_code": "E004", "context": {"detail": "ada.py:12: KeyError"}}, "<code>ada.py:12: KeyError</code>"),
    ],
)
def test_feedback_shows_a_wrong_move_or_the_line_that_raised(evidence: dict[str, Any], said: str):
    history = begun(2)
    history.do(StartRound(1))
    history.do(AssignMatch("R1M1", "REF01"))
    wrong = Fault("P02", Cause.ILLEGAL_MOVE, "move", "E004", 4, "?", evidence=evidence)
    history.season.record("R1M1", "P01", status=ResultStatus.TECHNICAL_LOSS, faults=(wrong,))
    assert said in "".join(feedback(history.league, "P02", "Bea", ""))
    assert said not in "".join(feedback(history.league, "P01", "Ada", ""))


async def test_without_any_no_page_speaks_of_them():
    site = Site(finished(2))
    for path in ("/", "/standings", "/players/P01", "/matches/R1M1"):
        assert "ubstituted" not in (await site.page(path)).text


async def test_a_question_that_was_asked_again_is_not_called_answered_in_time():
    history = begun(2)
    history.do(StartRound(1))
    history.do(AssignMatch("R1M1", "REF01"))
    asked, again = [entry for entry in talk() if entry.get("to") == "P02" and "MOVE" in entry["message_type"]] * 2
    failed = {"message_type": "MOVE_CALL", "timestamp": "2025-01-15T10:00:02.900Z", "from": "P02", "error_code": "E001"}
    entries = list(talk())
    place = entries.index(asked) + 1
    again = {**again, "timestamp": "2025-01-15T10:00:03.000Z"}
    history.season.record("R1M1", "P01", transcript=(*entries[:place], failed, again, *entries[place:]))
    site = Site(history)
    assert "No technical loss; 1 request got no valid answer at first." in (await site.page("/players/P02")).text
    assert "every request was answered in time" in (await site.page("/players/P01")).text
    assert "None so far." in (await Site(begun(2)).page("/players/P01")).text


def test_the_report_tells_them(history: LeagueHistory):
    found = Report(history.league.league_id, records=7, head="abc", substituted={"P02": {"raised": 1}})
    subject = report.Subject(
        history.league,
        clocks=Clocks(created="2025-01-15T10:00:00.000Z"),
        audit=found,
        game=None,
        limits=Limits(5, 30),
        written="2025-01-15T11:00:00.000Z",
        version="1.2.3",
    )
    page = "".join(report.render(subject))
    assert "S: moves that were not the strategy" in page
    assert "its strategy raised an error" in embedded(page)["pages"]["players/P02"]
    assert "P02 1" in page


def test_every_reason_has_words():
    assert set(read_model.SUBSTITUTIONS) == set(SubstitutionReason)


@requirement("project-TRUST-15")
async def test_a_strategy_that_always_raises_is_seen_and_loses_nothing_for_it(tmp_path: Path):
    """A whole league over sockets: from the exception to standings, audit and the player's own memory."""

    def broken(view: PlayerView) -> Move:
        raise KeyError(SECRET)

    played = await test_leagues.play(tmp_path, "even_odd", 2, functions={"Bea": broken})
    (row,) = [row for row in played.league.standings() if row.display_name == "Bea"]
    assert row.substituted == {"raised": row.played} == {"raised": 1}
    assert row.technical_losses == 0
    lines = "".join(compact(record) + "\n" for record in map(_exported, played.records))
    found = audit(rows_from_jsonl(lines.encode()), lambda name, options: game(name, (), options))
    assert found.findings == []
    assert found.substituted == {"P02": {"raised": 1}}
    assert SECRET not in lines
    assert [match["substituted"] for match in history_of("Bea", tmp_path)] == [{"raised": 1}]
    assert logs_with(SECRET, tmp_path) == ["P02.log.jsonl"]


def history_of(name: str, workspace: Path) -> list[Any]:
    histories = [json.loads(path.read_text()) for path in workspace.glob("data/players/*/history.json")]
    return next(history["matches"] for history in histories if history["display_name"] == name)


def logs_with(text: str, workspace: Path) -> list[str]:
    return [path.name for path in (workspace / "logs").rglob("*.jsonl") if text in path.read_text()]


def _exported(record: Mapping[str, Any]) -> dict[str, Any]:
    names = ("league_id", "sequence", "at", "type", "payload", "previous", "digest")
    return {name: record[name] for name in names}
