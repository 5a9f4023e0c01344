"""A disk that takes no byte more ends a league cleanly: what was acknowledged is there, and the league can continue."""

from pathlib import Path

import pytest

from tests.ports import free_base
from tests.requirements.marker import requirement
from tests.soak.saboteur import MANAGER, Doom, notes
from tests.soak.sweep import Sweep

pytestmark = [pytest.mark.end_to_end, pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")]


@requirement("project-LATER-02")
@pytest.mark.slow
def test_a_manager_whose_disk_is_full_says_so_and_the_league_goes_on_where_it_stood(tmp_path: Path):
    dooms = [Doom(MANAGER, "append", "MatchRecorded", 2, full=True)]
    sweep = Sweep(tmp_path, free_base(), players=3, referees=1, dooms=dooms)
    verdict = sweep.play()
    assert verdict.faults == []
    assert [strike["why"] for strike in notes(tmp_path, "full.jsonl")] == [dooms[0].name]
    assert sweep.starts == 2
    said = sweep.output()
    assert "cannot write sqlite" in said
    assert "nothing was appended" in said
    assert "1 of 3 matches are decided and kept. To continue:\n  league resume sweep" in said
    assert "Traceback" not in said
