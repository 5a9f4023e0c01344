"""`make soak`: plays leagues of hosted players, one of whom floods the seats process, and prints what that cost.

`python -m tests.soak.hosted [LEAGUES] [FIRST_SEED]`; exit code 0 when nobody else paid for it.
"""

import logging
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import anyio

from league_sdk import tokens
from league_sdk.domain.model import HOSTED, Role
from tests.faults.hostile_leagues import judged
from tests.faults.league_harness import LEAGUE, OPERATOR, LeagueHarness, free_port, league_harness

LEAGUES: Final = 20
LIMIT: Final = 180.0
"""Seconds that a league may take on a busy machine."""
SETTINGS: Final[Mapping[str, Any]] = {
    "timeouts.game_join_timeout_sec": 5.0,
    "timeouts.move_timeout_sec": 5.0,
    "timeouts.generic_response_timeout_sec": 5.0,
    "heartbeat_interval_sec": 5.0,
}
BEFORE_SEC: Final = 2.0
"""The flood has begun when the league does."""
SOME: Final = 1500
"""Of whatever it floods with, each time."""


async def league_with_a_flood(folder: Path, seed: int) -> LeagueHarness:
    """Play a league of three hosted players; one of them also does what it may not."""
    rng, port = random.Random(seed), free_port()
    with anyio.fail_after(LIMIT):
        async with league_harness(folder, players=3, game="tic_tac_toe", seats_port=port, settings=SETTINGS) as held:
            seats = {"port": port, "operator_token": OPERATOR, "league_id": LEAGUE}
            ended = held.start(Role.SEATS, "Seats", **seats)
            for name in ("Ada", "Ben", "Mal"):
                held.start(Role.PLAYER, name, outbound=True, function=lambda view: view.legal_moves[0])
            await held.until(lambda league: len(league.players) == 3)
            async with anyio.create_task_group() as villain:
                villain.start_soon(_flood_on, held, f"http://127.0.0.1:{port}/mcp", rng)
                await anyio.sleep(BEFORE_SEC)
                held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
                await held.over()
                villain.cancel_scope.cancel()
            ended.cancel()
            held.tasks.cancel_scope.cancel()
    return held


async def _flood_on(held: LeagueHarness, endpoint: str, rng: random.Random) -> None:
    """Flood the seats process until cancelled, with a different thing each time."""
    (seat,) = [player.endpoint for player in held.league.players.values() if player.display_name == "Mal"]
    token = tokens.seat_token(tokens.seat_key(OPERATOR, LEAGUE), seat.removeprefix(HOSTED))
    while True:
        what = rng.choice(("waits", "answers", "slow bodies", "slow bodies after a good request"))
        # From a process of its own, so that the league pays with no more of its time than it would elsewhere.
        command = [sys.executable, "-m", "tests.security.floods", endpoint, what, token, str(SOME)]
        await anyio.run_process(command, check=False)


def main(leagues: int, first: int = 0) -> int:
    """Play so many, and tell; the exit code."""
    started, total, faults = time.monotonic(), Counter[str](), 0
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="league-hosted-") as folder:
        for seed in range(first, first + leagues):
            told, wrong = judged(anyio.run(league_with_a_flood, Path(folder, str(seed)), seed))
            total += told
            wrong = [fault for fault in wrong if not fault.startswith("Mal:")]  # its own program loses its seat to it
            faults += len(wrong)
            for fault in wrong:
                print(f"      seed {seed}: {fault}", flush=True)
    for name, number in total.items():
        print(f"{name:<22} {number:>6}")
    print(f"{'faults':<22} {faults:>6}\n{'seconds':<22} {time.monotonic() - started:>6.0f}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) if len(sys.argv) > 1 else main(LEAGUES))
