"""A round of a long ladder costs what a round of a short one does."""

from pathlib import Path

import pytest

from tests.soak.any_length import costs_of, grown

pytestmark = [pytest.mark.slow, pytest.mark.anyio]
A_MATCH = 500
"""Bytes of a match that a launcher may keep; 21,000 were kept of records."""


async def test_a_round_costs_after_a_thousand_rounds_what_it_did_after_a_hundred(tmp_path: Path):
    first, last = costs = await costs_of((100, 1_000), tmp_path)
    assert grown(costs) == []
    matches = 1.5 * (last.round_id - first.round_id)  # two and one in turn
    assert (last.launcher - first.launcher) / matches < A_MATCH
