"""`make soak`: plays leagues with hostile players and referees, over HTTP in this process, and prints what that cost.

`python -m tests.soak.hostile [LEAGUES] [FIRST_SEED]`; exit code 0 when nobody else paid for them. Every other league
has one to three hostile referees beside the honest one; each is audited. A dozen leagues take a few minutes.
"""

import logging
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

import anyio

from tests.faults.hostile_leagues import hostile_league, judged

LEAGUES = 100


def main(leagues: int, first: int = 0) -> int:
    """Play so many, and tell; the exit code."""
    started, total, faults = time.monotonic(), Counter[str](), 0
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="league-hostile-") as folder:
        for seed in range(first, first + leagues):
            play = partial(hostile_league, Path(folder, str(seed)), seed, liars=seed // 4 % 2 * (1 + seed // 8 % 3))
            told, wrong = judged(anyio.run(play))
            total += told
            faults += len(wrong)
            for fault in wrong:
                print(f"      seed {seed}: {fault}", flush=True)
    for name, number in total.items():
        print(f"{name:<22} {number:>6}")
    print(f"{'faults':<22} {faults:>6}\n{'seconds':<22} {time.monotonic() - started:>6.0f}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) if len(sys.argv) > 1 else main(LEAGUES))
