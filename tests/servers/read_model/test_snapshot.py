"""Snapshots of a league, as followers elsewhere read them."""

import json
from typing import Any

import pytest

from servers.read_model.snapshot import from_json, snapshot, to_json
from tests.servers.league_history import finished


def test_a_snapshot_is_read_as_it_was_told():
    told = snapshot(finished(4).league, 9, ())
    assert from_json(json.loads(json.dumps(to_json(told)))) == told


def test_a_snapshot_of_a_newer_manager_is_read_without_what_is_unknown():
    told = snapshot(finished(4).league, 9, ())
    newer: dict[str, Any] = json.loads(json.dumps(to_json(told)))
    for part in (newer, newer["overview"], *newer["standings"], *newer["overview"]["champions"]):
        part["of_the_future"] = [1]
    assert from_json(newer) == told


@pytest.mark.parametrize("told", [None, {}, {"sequence": 1, "overview": {}, "standings": [{}], "words": []}])
def test_something_else_is_no_snapshot(told: Any):
    with pytest.raises(ValueError, match="not a snapshot"):
        from_json(told)
