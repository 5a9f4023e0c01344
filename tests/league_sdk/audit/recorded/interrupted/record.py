"""Records a league that is interrupted in its middle, by the code of another commit.

    git archive COMMIT | tar -x -C CHECKOUT
    python tests/league_sdk/audit/recorded/interrupted/record.py CHECKOUT TARGET

Nothing of this checkout is imported: the league is played, and judged, by the code of that one.
"""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

RUN = ("run", "--players", "6", "--referees", "2", "--seed", "7", "--port-base", "23100", "--quiet")
RESULTS = 7
"""Results before the interruption: the third of five rounds is under way."""
COLUMNS = ("league_id", "sequence", "at", "type", "payload", "previous", "digest")


def main(checkout: Path, target: Path) -> None:
    """Play, interrupt, and keep records, plan, secrets, and what that code says."""
    data = checkout / "played"
    shutil.rmtree(data, ignore_errors=True)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    environment = {**os.environ, "LEAGUE_DATA": str(data), "PYTHONPATH": str(checkout)}
    command = [sys.executable, "-m", "servers"]
    run = subprocess.Popen([*command, *RUN], cwd=checkout, env=environment)
    while run.poll() is None and results(data) < RESULTS:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    run.wait()
    rows = records(data)
    lines = [json.dumps({**row, "payload": json.loads(row["payload"])}, ensure_ascii=False) for row in rows]
    (target / "records.jsonl").write_text("".join(f"{line}\n" for line in lines))
    (league,) = (data / "data" / "leagues").iterdir()
    (target / "run.json").write_text((league / "run.json").read_text().replace(str(checkout), "CHECKOUT"))
    shutil.copytree(data / "data" / "secrets" / league.name, target / "secrets")
    said = {}
    for words in ("standings", "audit"):
        told = subprocess.run(
            [*command, words, "--json"], cwd=checkout, env=environment, capture_output=True, check=False
        )
        said[words] = json.loads(told.stdout)
    (target / "told.json").write_text(json.dumps(said, indent=1) + "\n")


def results(data: Path) -> int:
    """The number of results that are recorded by now."""
    with suppress(sqlite3.Error, ValueError):
        return sum(row["type"] == "MatchRecorded" for row in records(data))
    return 0


def records(data: Path) -> list[dict[str, Any]]:
    """The stored columns of all records; ValueError before there is a store."""
    (file,) = (data / "data" / "leagues").glob("*/events.db")
    with closing(sqlite3.connect(file)) as database:
        found = database.execute(f"SELECT {', '.join(COLUMNS)} FROM events ORDER BY sequence").fetchall()
    return [dict(zip(COLUMNS, row, strict=True)) for row in found]


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
