"""Records the leagues of this folder: `python -m tests.league_sdk.audit.recorded.record FOLDER`, in a checkout.

It was run in one of commit cbfdf480, the last before records said their format's version.
"""

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import anyio
import httpx2

from league_sdk import plugins
from league_sdk.audit import audit, rows_from_jsonl, rows_from_sqlite, to_jsonl
from league_sdk.domain.events import event_from_json
from league_sdk.domain.league import fold
from tests.faults import effects as do
from tests.faults.league_harness import patient_client
from tests.faults.rogue import Call, Effect, Rogue, behave
from tests.ports import free_base


def in_turn(*effects: Effect) -> Effect:
    """Behave otherwise in each call, and well after the last."""

    async def effect(call: Call) -> bytes:
        return await (effects[call.number - 1] if call.number <= len(effects) else behave)(call)

    return effect


BESIDE: Final = 20_000  # out of the way of tests that run beside it
PROGRAM: Final = (sys.executable, "-m", "servers")
GAMES: Final[Mapping[str, str]] = {"three_seats": "lowest_unique_number"}
ALIKE: Final = tuple(f"--player=name={name},strategy=always-even" for name in ("Ada", "Ben", "Cyd"))
"""They draw whenever they meet."""
LEAGUES: Final[Mapping[str, Sequence[str]]] = {
    "round_robin": ("--players", "4", "--guests", "1", "--seed", "7"),
    "swiss": ("--players", "5", "--guests", "1", "--format", "swiss", "--rounds", "3"),
    "knockout": ("--players", "4", *ALIKE, "--player=name=Dan,strategy=always-even", "--format", "knockout"),
    "knockout_seeded": ("--players", "4", *ALIKE, "--format", "knockout", "--seed", "7"),
    "ladder": ("--players", "3", "--format", "ladder", "--format-option", "endless=true"),
    "three_seats": (
        *("--players", "4", "--guests", "1", "--game", GAMES["three_seats"]),
        *("--format", "tables", "--format-option", "seats=3"),
    ),
}
CONDUCT: Final[Mapping[str, Mapping[str, Effect]]] = {
    "round_robin": {"join": in_turn(do.changed(accept=False)), "move": in_turn(do.silent, do.silent)},
    "swiss": {"move": do.silent},
    "three_seats": {"join": in_turn(do.changed(accept=False)), "move": in_turn(do.silent, do.silent)},
}
"""Acts of the guest in those leagues that have one."""
WITH_FILES: Final = ("round_robin", "knockout", "three_seats")
QUICK: Final = (
    *("--move-timeout", "1.5", "--join-timeout", "1.5", "--referees", "1", "--quiet"),
    *("--set", "retry_policy.backoff_base_sec=0.05", "--set", "retry_policy.max_retries=1"),
)


async def record(name: str, folder: Path) -> None:
    """Play one league, and keep what is told of it."""
    port = free_base() + BESIDE
    manager = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "LEAGUE_DATA": str(folder / name)}
    options = [*LEAGUES[name], *QUICK, "--league-id", name, "--port-base", str(port)]
    async with patient_client() as http:
        run = await anyio.open_process([*PROGRAM, "run", *options], env=environment, stdout=sys.stderr, stderr=None)
        if name in CONDUCT:
            mal = Rogue("Mal", CONDUCT[name], game=GAMES.get(name, "even_odd"))
            await mal.listen()
            while not mal.agent_id:
                await anyio.sleep(0.2)
                with suppress(httpx2.HTTPError):  # it does not listen yet
                    await mal.register(f"{manager}/mcp", http)
        if name == "ladder":
            await anyio.sleep(3)
            words = ("control", "close", "--league", name, "--manager", manager)
            while (await anyio.run_process([*PROGRAM, *words], env=environment, check=False)).returncode:  # noqa: ASYNC110
                await anyio.sleep(0.5)  # another process, which has not begun
        assert await run.wait() == 0
    keep(name, folder / name / "data", folder / "kept" / name)


def keep(name: str, data: Path, target: Path) -> None:
    """Keep records, what this code says of them, and the files that audits compare."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    rows = rows_from_sqlite(data / "leagues" / name / "events.db", name)
    (target / "records.jsonl").write_bytes(to_jsonl(rows))
    patterns = (f"leagues/{name}/*s.json", "matches/*/*.json", "players/*/history.json") if name in WITH_FILES else ()
    for file in (file for pattern in patterns for file in data.glob(pattern)):
        copy = target / "data" / file.relative_to(data)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    (target / "told.json").write_text(json.dumps(said_of(target), indent=1) + "\n")


def said_of(folder: Path) -> dict[str, Any]:
    """Standings and audit of a recorded league by the code that there is."""
    rows = rows_from_jsonl((folder / "records.jsonl").read_bytes())
    league = fold(event_from_json(str(row.type), row.payload) for row in rows)
    data = folder / "data" if (folder / "data").exists() else None
    report = audit(rows, lambda name, options: plugins.game(name, (), options), data_root=data)
    return {"standings": [asdict(row) for row in league.standings()], "audit": report.as_json()}


async def main(folder: Path, names: Sequence[str]) -> None:
    """Play them one after the other."""
    for name in names or LEAGUES:
        await record(name, folder)


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]), sys.argv[2:])
