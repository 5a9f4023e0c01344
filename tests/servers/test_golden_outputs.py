"""Resources, host tools, files and terminal tables, the same to the byte as they were recorded."""

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from league_sdk.clock import ManualClock
from league_sdk.domain.ranking.standing import Standing
from league_sdk.protocol import mapping
from league_sdk.resource_provider import Visitor
from league_sdk.stores import MemoryEventStore
from league_sdk.stores.json_files import JsonFiles
from servers.cli.views import standings_table
from servers.league_manager.ledger import Ledger
from servers.league_manager.mcp_resources import league_resources
from servers.read_model.snapshot import snapshot, to_json
from tests.servers.golden_leagues import GOLDEN, golden
from tests.servers.host.seat_harness import hosted, seat_harness
from tests.servers.league_history import AT, LeagueHistory

pytestmark = [pytest.mark.anyio, pytest.mark.tampers]  # leagues led by hand
ANYBODY = Visitor(address="192.0.2.1")


@pytest.fixture(params=GOLDEN, ids=lambda made: made.__name__)
def name(request: pytest.FixtureRequest) -> str:
    return request.param.__name__


@pytest.fixture
def history(name: str) -> LeagueHistory:
    (made,) = (each for each in GOLDEN if each.__name__ == name)
    return made()


def pretty(data: Any) -> str:
    """JSON in the order of its fields."""
    return json.dumps(data, indent=1) + "\n"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_terminals_table(history: LeagueHistory, name: str, width: int) -> None:
    console = Console(file=io.StringIO(), width=width)
    console.print(standings_table(history.league))
    assert isinstance(console.file, io.StringIO)
    golden(f"{name}.terminal.{width}.txt", re.sub(r" +$", "", console.file.getvalue(), flags=re.MULTILINE))


def test_files(history: LeagueHistory, name: str, tmp_path: Path) -> None:
    JsonFiles(tmp_path).rebuild(history.records())
    files = [*sorted(tmp_path.rglob("leagues/**/*.json")), *sorted(tmp_path.rglob("R1M[12].json"))]
    golden(f"{name}.files.json", "".join(f"# {path.relative_to(tmp_path)}\n{path.read_text()}\n" for path in files))


def test_the_wire(history: LeagueHistory, name: str) -> None:
    league = history.league
    rows = mapping.standing_rows(league.standings())
    stats = [mapping.player_stats(league.player_stats(player), failures=True) for player in league.players]
    golden(
        f"{name}.wire.json",
        pretty([row.model_dump(mode="json", by_alias=True, exclude_none=True) for row in (*rows, *stats)]),
    )


def test_a_followers_snapshot(history: LeagueHistory, name: str) -> None:
    golden(f"{name}.snapshot.json", pretty(to_json(snapshot(history.league, 7, ()))))


async def test_resources_and_their_texts(history: LeagueHistory, name: str) -> None:
    store = MemoryEventStore()
    for number, event in enumerate(history.season.events):
        await store.append("summer", [event], expected=number, at=AT.format(min(number, 59)))
    ledger = Ledger(store, ManualClock(), "summer")
    await ledger.open()
    made, told = league_resources(ledger), dict[str, str]()
    for path in (
        "standings",
        "schedule",
        "rounds/1",
        "matches/R1M1",
        "matches/R1M2",
        "matches/R1M1/replay",
        "players/P01",
        "players/P04",
    ):
        told[path], _ = await made.read(f"league://summer/{path}", ANYBODY)
    told["show_standings"] = (await made.show("show_standings", {}, ANYBODY)).text
    golden(f"{name}.resources.txt", "".join(f"# {path}\n{text}\n" for path, text in told.items()))


async def test_tools_of_the_host(history: LeagueHistory, name: str, tmp_path: Path) -> None:
    league = history.league
    rows = [row.model_dump(mode="json") for row in mapping.standing_rows(league.standings())]
    fixtures = [
        mapping.scheduled_match(league, fixture).model_dump(mode="json") for fixture in league.rounds[0].fixtures
    ]
    stats = mapping.player_stats(league.player_stats("P02")).model_dump(mode="json")
    told: dict[str, Any] = {}
    async with seat_harness(tmp_path) as made, hosted(made, "auto") as client:
        tools = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        made.answers("GET_STANDINGS", standings=_read(rows))
        told["standings"] = await _call(client, "standings")
        made.answers("GET_SCHEDULE", schedule=_read(fixtures))
        told["schedule"] = await _call(client, "schedule")
        made.answers("GET_PLAYER_STATS", player_stats=_read([stats])[0])
        told["opponent_record"] = await _call(client, "opponent_record", player="P02")
    schemas = {each: tools[each] for each in told}
    golden(f"{name}.host.json", pretty({"schemas": schemas, "results": told}))


def _read(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


async def _call(client: Any, tool: str, **arguments: Any) -> Mapping[str, Any]:
    result = await client.call_tool(tool, arguments)
    return {"structured": result.structured_content, "text": [part.text for part in result.content]}


def test_every_field_of_a_row_has_another_value_somewhere() -> None:
    """A column that were the same in all of these leagues would not be compared."""
    rows = [row for made in GOLDEN for row in made().league.standings()]
    for field in Standing.__dataclass_fields__:
        assert len({str(getattr(row, field)) for row in rows}) > 1, field
