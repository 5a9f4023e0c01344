"""Put what was measured into the tables of docs/performance.md; part of `make bench`.

    python -m docs.measurements.performance .bench.json .benchmark.json

The first file comes from `league bench --json`, the second from pytest-benchmark. What stands around the tables was
written by people.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "performance.md"
BEGIN, END = "<!-- measured: {} -->", "<!-- end of {} -->"


def table(headings: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown, the first column to the left and the others to the right."""
    lines = [headings, ["---", *("---:" for _ in headings[1:])], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def leagues(found: list[dict[str, Any]]) -> str:
    """Measurements of leagues of each size."""
    headings = ["players", "matches", "start s", "matches/s", "calls/s", "calls/match", "CPU ms/call", "CPU ms/match"]
    rows = [
        [
            str(one["players"]),
            str(one["matches"]),
            f"{one['startup_sec']:.2f}",
            f"{one['matches_per_sec']:.1f}",
            f"{one['calls_per_sec']:.0f}",
            f"{one['calls_per_match']:.2f}",
            f"{one['cpu_ms_per_call']:.2f}",
            f"{one['cpu_ms_per_match']:.1f}",
        ]
        for one in found
    ]
    return table(headings, rows)


def beside_the_sdk(found: list[dict[str, Any]]) -> str:
    """The bare SDK, and leagues as a share of it."""
    headings = ["players", "calls at once", "bytes", "bare calls/s", "bare CPU ms/call", "share of calls/s", "by CPU"]
    rows = [
        [
            str(one["players"]),
            str(one["bare"]["concurrency"]),
            f"{one['bare']['request_bytes']} / {one['bare']['reply_bytes']}",
            f"{one['bare']['calls_per_sec']:.0f}",
            f"{one['bare']['cpu_ms_per_call']:.2f}",
            f"{one['share_of_bare']:.2f}",
            f"{one['share_of_bare_by_cpu']:.2f}",
        ]
        for one in found
        if "bare" in one
    ]
    return table(headings, rows)


def tools(one: dict[str, Any]) -> str:
    """The latencies of the largest league, by tool."""
    headings = ["tool", "calls", "p50 ms", "p95 ms", "p99 ms"]
    rows = [
        [f"`{name}`", str(row["calls"]), f"{row['p50_ms']:.1f}", f"{row['p95_ms']:.1f}", f"{row['p99_ms']:.1f}"]
        for name, row in one["tools"].items()
    ]
    return table(headings, rows)


def processes(one: dict[str, Any]) -> str:
    """Time and memory of the processes of the largest league."""
    rows = [
        [
            used["agents"][0] + (f" and {len(used['agents']) - 1} more" if len(used["agents"]) > 1 else ""),
            f"{used['cpu_sec']:.1f}",
            f"{used['memory_before_mb']:.0f}",
            f"{used['memory_mb']:.0f}",
        ]
        for used in one["processes"]
    ]
    return table(["process", "CPU s", "MB at the start", "MB at the end"], rows)


def machine(document: dict[str, Any]) -> str:
    """On what, and of which commit."""
    here = document["machine"]
    libraries = ", ".join(f"{name} {version}" for name, version in here["libraries"].items())
    return (
        f"Commit `{document.get('commit') or commit()}`, on {here['processor']}, {here['cores']} cores, "
        f"{here['memory_gb']} GB, {here['system']}, Python {here['python']}, {libraries}; load average at the end "
        f"{here['load']}."
    )


def hot_paths(document: dict[str, Any]) -> str:
    """Medians of the micro-benchmarks."""
    rows = [
        [_words(one["name"]), f"{one['stats']['median'] * 1e6:,.1f}", str(one["stats"]["rounds"])]
        for one in sorted(document["benchmarks"], key=lambda one: one["name"])
    ]
    return table(["what", "median µs", "rounds"], rows)


def _words(name: str) -> str:
    name, _, size = name.removeprefix("test_").partition("[")
    return name.replace("_", " ") + (f", {size.removesuffix(']')}" if size else "")


def commit() -> str:
    """The commit that is checked out."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, capture_output=True, text=True, check=True, cwd=PAGE.parent).stdout.strip()


def put(page: str, name: str, text: str) -> str:
    """The page with `text` between the marks of that name."""
    begin, end = BEGIN.format(name), END.format(name)
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"{PAGE.name} has no place for {name}: put {begin} and {end} into it")
    return pattern.sub(lambda _: f"{begin}\n\n{text}\n\n{end}", page)


def write(bench: Path, hot: Path | None) -> None:
    """Write the page anew."""
    document = json.loads(bench.read_text(encoding="utf-8"))
    found = document["leagues"]
    page = PAGE.read_text(encoding="utf-8")
    page = put(page, "machine", machine(document))
    page = put(page, "leagues", leagues(found))
    page = put(page, "share", beside_the_sdk(found))
    page = put(page, "tools", tools(found[-1]))
    page = put(page, "processes", processes(found[-1]))
    if hot is not None:
        page = put(page, "hot paths", hot_paths(json.loads(hot.read_text(encoding="utf-8"))))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
