"""The files of a league that continues: made anew beside it."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path

import pytest

from league_sdk.clock import ManualClock
from league_sdk.domain.commands import Command
from league_sdk.domain.events import MatchRecorded, RoundCompleted
from league_sdk.domain.league import League
from league_sdk.domain.model import MatchResult
from league_sdk.ports import StoreFailed
from league_sdk.stores import JsonFiles, MemoryEventStore
from servers.league_manager.ledger import Ledger
from servers.league_manager.projection import BEHIND_SEC, SHARE, Projection
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


async def resumed(path: Path, league: ScriptedLeague) -> tuple[Projection, Ledger]:
    """The files of a league that continues, as a manager begins with them."""
    store, known = MemoryEventStore(), now(league)
    events = [record.event for record in league.records]
    await store.append(known.league_id, events, expected=0, at=league.records[0].at)
    ledger, files = Ledger(store, ManualClock(), known.league_id), JsonFiles(path)
    files.catch_up(known, league.records)
    await ledger.open()
    projection = Projection(files, ledger, FakeJournal())
    projection.rewrite()
    return projection, ledger


async def test_the_league_goes_on_before_the_files_of_all_of_its_matches_are_there(tmp_path: Path):
    league, commands, _ = decided(40)
    projection, _ = await resumed(tmp_path / "data", league)
    found = files_in(tmp_path / "data")
    assert len(found) == 2
    assert found == {name: text for name, text in whole(tmp_path / "whole", league).items() if name in found}
    await settle()
    assert files_in(tmp_path / "data") == files_in(tmp_path / "whole")
    for command in commands:
        added = league.do(command)
        projection.take(now(league), added)
    assert files_in(tmp_path / "data") == whole(tmp_path / "end", league)


async def test_a_round_that_ends_meanwhile_is_in_the_files_with_its_matches(tmp_path: Path):
    league, commands, known = decided(44)
    projection, _ = await resumed(tmp_path / "data", league)
    last = league.do(next(commands))
    while last[-1].type != RoundCompleted.__name__:
        projection.take(now(league), last)
        last = league.do(next(commands))
    projection.take(now(league), last)
    (match,) = [record.payload["result"]["match_id"] for record in league.records[-3:] if record.type == RECORDED]
    found = files_in(tmp_path / "data")
    assert f"matches/{known.league_id}/{match}.json" in found
    assert len(found) == 2 + 1
    await projection.close()
    assert files_in(tmp_path / "data") == whole(tmp_path / "whole", league)


async def test_a_store_that_cannot_be_read_leaves_the_files_of_earlier_matches_as_they_are(tmp_path: Path):
    league, _, _ = decided(3)
    projection, ledger = await resumed(tmp_path / "data", league)

    async def gone(match_ids: Sequence[str]) -> list[MatchResult]:
        raise StoreFailed(f"gone, with {len(match_ids)} matches")

    ledger.results = gone
    await projection.close()
    assert len(files_in(tmp_path / "data")) == 2


async def test_files_that_take_long_are_written_less_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    league, _, _ = decided(3)
    projection, _ = await resumed(tmp_path, league)
    await settle()
    delays: list[float] = []
    monkeypatch.setattr(asyncio.get_running_loop(), "call_later", lambda delay, call: delays.append(delay))
    for took in (0.0, 0.025):
        clock = iter((0.0, took))
        monkeypatch.setattr("servers.league_manager.projection.time.thread_time", lambda clock=clock: next(clock))
        projection._league = now(league)
        projection.write()
        projection.take(now(league), [])
        projection._timer = None
    assert delays == [BEHIND_SEC, SHARE * 0.025]
