"""The files of a league that goes on: made anew beside it."""

from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import pytest

from league_sdk.domain.commands import Command
from league_sdk.domain.events import MatchRecorded, RoundCompleted
from league_sdk.domain.league import League
from league_sdk.stores import JsonFiles
from servers.league_manager.projection import AT_ONCE, Projection
from tests.league_sdk.stores.conftest import ScriptedLeague
from tests.servers.fakes import FakeJournal, settle

pytestmark = pytest.mark.anyio

RECORDED = MatchRecorded.__name__


def whole(path: Path, league: ScriptedLeague) -> dict[str, bytes]:
    JsonFiles(path).rebuild(league.records)
    return files_in(path)


def files_in(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*.json")}


def decided(matches: int) -> tuple[ScriptedLeague, Iterator[Command], League]:
    """A league of ten players after so many of its matches, what happens next, and how it stands."""
    league = ScriptedLeague()
    commands = league.commands(repeat("A"), 10)
    while league.league is None or len(league.league.results) < matches:
        league.do(next(commands))
    return league, commands, league.league


def now(league: ScriptedLeague) -> League:
    assert league.league is not None
    return league.league


async def test_the_league_goes_on_before_the_files_of_all_of_its_matches_are_there(tmp_path: Path):
    league, commands, known = decided(40)
    projection = Projection(JsonFiles(tmp_path / "data"), FakeJournal())
    projection.rebuild(known, league.records)
    found = files_in(tmp_path / "data")
    assert len(found) == AT_ONCE + 2
    assert found == {name: text for name, text in whole(tmp_path / "whole", league).items() if name in found}
    await settle()
    assert files_in(tmp_path / "data") == files_in(tmp_path / "whole")
    for command in commands:
        added = league.do(command)
        projection.take(now(league), added)
    assert files_in(tmp_path / "data") == whole(tmp_path / "end", league)


async def test_a_round_that_ends_meanwhile_is_in_the_files_with_its_matches(tmp_path: Path):
    league, commands, known = decided(44)
    projection = Projection(JsonFiles(tmp_path / "data"), FakeJournal())
    projection.rebuild(known, league.records)
    last = league.do(next(commands))
    while last[-1].type != RoundCompleted.__name__:
        projection.take(now(league), last)
        last = league.do(next(commands))
    projection.take(now(league), last)
    (match,) = [record.payload["result"]["match_id"] for record in league.records[-3:] if record.type == RECORDED]
    found = files_in(tmp_path / "data")
    assert f"matches/{known.league_id}/{match}.json" in found
    assert len(found) == 2 * AT_ONCE + 2 + 1
    projection.write()
    assert files_in(tmp_path / "data") == whole(tmp_path / "whole", league)
