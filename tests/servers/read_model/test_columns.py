import importlib.util
import io
import sys
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from league_sdk.audit import Report
from league_sdk.protocol import mapping
from servers.agent import untrusted
from servers.cli import summary, views
from servers.host import tool_results
from servers.read_model import Clocks, Limits, columns, export
from servers.read_model.columns import Audience, Column
from servers.ui import pages, report
from tests.servers.league_history import LeagueHistory, finished
from tests.servers.ui.web.site import Site

pytestmark = pytest.mark.anyio


def column(audience: Audience) -> Column:
    """A column for these readers, with a value that stands nowhere else."""
    return Column(
        f"for_{audience.name.lower()}",
        "secret",
        "X",
        "a test's own",
        audience,
        lambda row: 707070 + audience if row.rank else 0,
    )


def with_secrets(group: tuple[Column, ...]) -> tuple[Column, ...]:
    """Columns, and one for each audience."""
    return (*group, *map(column, Audience))


async def page(history: LeagueHistory, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(pages, "TABLE", with_secrets(columns.TABLE))
    return (await Site(history).get("/standings")).text


async def report_file(history: LeagueHistory, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(pages, "TABLE", with_secrets(columns.TABLE))
    at = "2025-01-15T10:00:00.000Z"
    found, clocks = Report(history.league.league_id, records=7, head="abc"), Clocks(created=at)
    subject = report.Subject(
        history.league, clocks=clocks, audit=found, game=None, limits=Limits(5, 30), written=at, version="1"
    )
    return "".join(report.render(subject))


async def terminal(history: LeagueHistory, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(columns, "TABLE", with_secrets(columns.TABLE))
    console = Console(file=io.StringIO(), width=160)
    console.print(views.standings_table(history.league))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


async def command_line(history: LeagueHistory, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(summary, "COMMAND_LINE", with_secrets(columns.COMMAND_LINE))
    return str([summary.standing_json(row) for row in history.league.standings()])


async def exported(history: LeagueHistory, patch: pytest.MonkeyPatch) -> str:
    table = export.Table("a player", with_secrets(columns.EXPORTED), lambda source: source.league.standings())
    patch.setattr(export, "TABLES", {"standings": table})
    return str(export.to_json(export.Source(history.league, history.records()), ["standings"]))


async def resource(history: LeagueHistory, patch: pytest.MonkeyPatch) -> str:
    patch.setattr(columns, "RESOURCE", with_secrets(columns.RESOURCE))
    patch.setattr(columns, "RESOURCE_MARKS", with_secrets(columns.RESOURCE_MARKS))
    return str([columns.resource_json(row, untrusted.said) for row in history.league.standings()])


async def host_tool(history: LeagueHistory, patch: pytest.MonkeyPatch) -> str:
    """The host's tools fix their columns when they are imported: a second copy of them is."""
    patch.setattr(columns, "HOST", with_secrets(columns.HOST))
    spec = importlib.util.spec_from_file_location("copy_of_tool_results", tool_results.__file__)
    assert spec is not None
    assert spec.loader is not None
    copy: Any = importlib.util.module_from_spec(spec)
    patch.setitem(sys.modules, spec.name, copy)
    spec.loader.exec_module(copy)
    player = type("Player", (), {"seat_id": "P01"})()
    return copy.standings(player, mapping.standing_rows(history.league.standings())).model_dump_json()


SURFACES: dict[Callable[[LeagueHistory, pytest.MonkeyPatch], Any], Audience] = {
    page: Audience.PUBLIC,
    report_file: Audience.PUBLIC,
    resource: Audience.PUBLIC,
    host_tool: Audience.PLAYER,
    terminal: Audience.OPERATOR,
    command_line: Audience.OPERATOR,
    exported: Audience.OPERATOR,
}
"""Everything that shows the standings, and its readers."""


@pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.__name__)
async def test_a_surface_has_the_columns_of_its_readers_and_no_others(surface, monkeypatch: pytest.MonkeyPatch):
    shown = await surface(finished(4), monkeypatch)
    seen = {audience for audience in Audience if str(707070 + audience) in shown}
    assert seen == {audience for audience in Audience if audience <= SURFACES[surface]}


def test_a_column_that_does_not_say_its_readers_cannot_be_made():
    make: Any = Column
    with pytest.raises(TypeError, match="audience"):
        make("name", "heading", "short", "help")


def test_each_reader_sees_what_those_before_it_see():
    shown = [columns.seen_by(audience, map(column, Audience)) for audience in Audience]
    assert [[each.audience for each in seen] for seen in shown] == [list(Audience)[: n + 1] for n in range(4)]


def test_what_a_player_at_fault_sent_is_for_its_owner_and_endpoints_are_for_the_operator():
    public = {each.name for each in columns.seen_by(Audience.PLAYER, (*columns.FAULT, *columns.MESSAGE))}
    assert not {"description", "evidence", "choice", "error"} & public
    assert "evidence" in {each.name for each in columns.seen_by(Audience.OWNER, columns.FAULT)}
    for audience in (Audience.PUBLIC, Audience.PLAYER, Audience.OWNER):
        assert "endpoint" not in {each.name for each in columns.seen_by(audience, columns.AGENT)}
        assert columns.seen_by(audience, columns.EVENT) == ()


def test_words_of_agents_are_marked_in_resources():
    (row, *_) = finished(2).league.standings()
    told = columns.resource_json(row, lambda text: {"marked": text})
    assert told["display_name"] == {"marked": row.display_name}
    assert told["points"] == row.points
