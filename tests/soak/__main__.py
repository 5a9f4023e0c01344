"""`make soak`: kills processes of leagues at every point and then at random, and prints what that cost.

`python -m tests.soak [KILLS]`; exit code 0 when nothing was lost, doubled, misattributed or mismatched.
"""

import sys
import tempfile
import time
from pathlib import Path

from tests.ports import free_base
from tests.soak import points
from tests.soak.sweep import Sweep, Verdict

KILLS = 200
KILLS_A_LEAGUE = 30
"""At random, in one league; every other league has other sizes and another seed."""


def main(kills: int) -> int:
    """Kill so often, and tell; the exit code."""
    started, total = time.monotonic(), Verdict()
    with tempfile.TemporaryDirectory(prefix="league-soak-") as folder:
        for place, dooms in enumerate((points.of_the_manager(), points.of_the_others(), points.of_the_run())):
            sweep = Sweep(Path(folder, f"points-{place}"), free_base(), dooms=dooms)
            verdict = sweep.play(limit=900)
            assert not sweep.unreached(), f"not reached: {sweep.unreached()}"
            _tell(f"{len(dooms)} chosen points", total, verdict)
        seed = 0
        while total.kills < kills:
            seed += 1
            sweep = Sweep(Path(folder, f"random-{seed}"), free_base(), players=4 + seed % 5, seed=seed)
            left = min(KILLS_A_LEAGUE, kills - total.kills)
            _tell(f"at random, seed {seed}", total, sweep.play(random_kills=left, limit=900))
    print(f"\n{total}\n{'seconds':<22} {time.monotonic() - started:>6.0f}")
    return 1 if total.faults else 0


def _tell(what: str, total: Verdict, verdict: Verdict) -> None:
    total.add(verdict)
    print(f"{total.kills:>4} kills  {what}: {len(verdict.faults)} faults", flush=True)
    for fault in verdict.faults:
        print(f"      {fault}", flush=True)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else KILLS))
