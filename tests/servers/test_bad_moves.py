"""Leagues in which players are asked to tell what their strategies did."""

from pathlib import Path
from typing import Any

import pytest

from league_sdk.domain.model import Cause, OnBadMove
from league_sdk.game import Move, PlayerView
from tests.servers.test_leagues import Played, play

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("leagues")]


def typo(view: PlayerView) -> Move:
    return "evne"


def crash(view: PlayerView) -> Move:
    return {}["the key"]


async def league(folder: Path, on_bad_move: OnBadMove | None) -> Played:
    functions: dict[str, Any] = {"Ada": typo, "Bea": crash}
    return await play(folder, "even_odd", 4, functions=functions, on_bad_move=on_bad_move)


async def test_programs_that_never_make_a_move_of_their_own_are_last_where_the_league_wants_to_be_told(tmp_path: Path):
    played = (await league(tmp_path, OnBadMove.TELL)).league
    points = {row.player_id: row.points for row in played.standings()}
    assert points["P01"] == points["P02"] == 0
    assert min(points["P03"], points["P04"]) >= 6
    faults = {fault.player_id: fault for result in played.results.values() for fault in result.faults}
    assert {fault.cause for fault in faults.values()} == {Cause.ILLEGAL_MOVE}
    assert faults["P01"].evidence["received"] == "evne"
    assert faults["P02"].evidence["error_code"] == "E004"
    assert faults["P02"].evidence["context"]["detail"].endswith(": KeyError")
    assert [fault.evidence["try"] for fault in faults.values()] == [4, 4]
    assert not any(result.substituted for result in played.results.values())


async def test_a_league_that_says_nothing_gets_legal_moves_in_their_place(tmp_path: Path):
    played = (await league(tmp_path, None)).league
    assert not any(result.faults for result in played.results.values())
    counts = {name: kinds for result in played.results.values() for name, kinds in result.substituted.items()}
    assert counts == {"P01": {"illegal": 1}, "P02": {"raised": 1}}
