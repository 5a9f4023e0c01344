"""A referee that stays away loses its match to another, and its late report counts for nothing."""

import json
from pathlib import Path

import pytest

from tests.ports import free_base
from tests.soak.saboteur import REFEREE, Doom, notes
from tests.soak.sweep import Sweep

pytestmark = [pytest.mark.end_to_end, pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")]


@pytest.mark.slow
def test_a_frozen_referee_loses_its_match_and_its_late_report_is_refused(tmp_path: Path):
    sweep = Sweep(tmp_path, free_base(), players=2, dooms=[Doom(REFEREE, "call", "MATCH_RESULT_REPORT", frozen=True)])
    verdict = sweep.play()
    assert verdict.faults == []
    assert len(notes(tmp_path, "frozen.jsonl")) == 1
    first, *others = [record for record in sweep.records() if record["type"] == "MatchAssigned"]
    assert others
    assert {record["referee_id"] for record in others} != {first["referee_id"]}
    assert "stopped answering" in others[0]["reason"]
    (recorded,) = [record["result"] for record in sweep.records() if record["type"] == "MatchRecorded"]
    assert recorded["attempt"] == others[-1]["attempt"]
    (shown,) = json.loads((tmp_path / "result.json").read_text())["matches"]
    assert shown["referee_id"] == recorded["referee_id"]
