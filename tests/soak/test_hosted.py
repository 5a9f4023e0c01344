"""A short soak with a hosted villain."""

from pathlib import Path

import pytest

from tests.faults.hostile_leagues import judged
from tests.soak.hosted import league_with_a_flood

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


async def test_a_hosted_player_that_floods_the_seats_process_costs_nobody_else_a_match(tmp_path: Path):
    told, wrong = judged(await league_with_a_flood(tmp_path, 7))
    assert told["matches"] == 3
    assert [fault for fault in wrong if not fault.startswith("Mal:")] == []
