"""Measurements: latencies by tool, processor time and memory of processes."""

import math
import os
import resource
import sys
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PERCENTILES = (50, 95, 99)
SAMPLE = 32
"""Of so many calls the size of one is taken."""


@dataclass(slots=True)
class Calls:
    """The calls of one or more agents."""

    # from the moment when a request goes out until its reply is there, by tool, in seconds
    seconds: dict[str, "array[float]"] = field(default_factory=dict[str, "array[float]"])
    # Unix times at which calls failed, by tool
    failed: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    # number of calls weighed, and the bytes of their arguments and results as JSON, by tool
    weighed: dict[str, tuple[int, int, int]] = field(default_factory=dict[str, tuple[int, int, int]])

    def took(self, tool: str, seconds: float) -> None:
        if tool not in self.seconds:
            self.seconds[tool] = array("d")
        self.seconds[tool].append(seconds)

    def weigh(self, tool: str, calls: int, request: int, reply: int) -> None:
        known = self.weighed.get(tool, (0, 0, 0))
        self.weighed[tool] = (known[0] + calls, known[1] + request, known[2] + reply)

    def add(self, other: "Calls") -> None:
        for tool, seconds in other.seconds.items():
            self.seconds.setdefault(tool, array("d")).extend(seconds)
        for tool, moments in other.failed.items():
            self.failed.setdefault(tool, []).extend(moments)
        for tool, weighed in other.weighed.items():
            self.weigh(tool, *weighed)

    def answered(self, tool: str) -> int:
        """Number of answered calls of a tool."""
        return len(self.seconds.get(tool, ())) - len(self.failed.get(tool, ()))

    def drop_failures_after(self, moment: float) -> None:
        """Leave out calls that failed because the league was stopped at that Unix time."""
        self.failed = {tool: [at for at in moments if at < moment] for tool, moments in self.failed.items()}

    def __len__(self) -> int:
        return sum(len(seconds) for seconds in self.seconds.values())

    @property
    def total_seconds(self) -> float:
        return sum(sum(seconds) for seconds in self.seconds.values())

    @property
    def sizes(self) -> tuple[int, int]:
        """Mean bytes of a request's arguments and of a reply."""
        count, request, reply = (sum(column) for column in zip((0, 0, 0), *self.weighed.values(), strict=True))
        return request // max(1, count), reply // max(1, count)

    def by_tool(self) -> dict[str, dict[str, Any]]:
        """Calls, failures, bytes of a request, and latencies in milliseconds, by tool."""
        return {
            tool: {
                "calls": len(seconds),
                "failed": len(self.failed.get(tool, ())),
                "request_bytes": self.request_bytes(tool),
                **percentiles(seconds),
            }
            for tool, seconds in sorted(self.seconds.items())
        }

    def request_bytes(self, tool: str) -> int:
        """Mean bytes of the arguments of a tool's calls."""
        count, request, _ = self.weighed.get(tool, (0, 0, 0))
        return request // max(1, count)


def percentiles(seconds: Iterable[float]) -> dict[str, float]:
    """Nearest-rank `p50_ms`, `p95_ms`, `p99_ms`, and `max_ms`; zeros for no samples."""
    ordered = sorted(seconds)
    if not ordered:
        return {**{f"p{rank}_ms": 0.0 for rank in PERCENTILES}, "max_ms": 0.0}
    ranks = {f"p{rank}_ms": ordered[math.ceil(len(ordered) * rank / 100) - 1] for rank in PERCENTILES}
    return {name: round(value * 1000, 2) for name, value in {**ranks, "max_ms": ordered[-1]}.items()}


def cpu_seconds() -> float:
    """Processor time of this process so far, user and system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def memory_bytes() -> int:
    """Resident memory of this process; its peak where the current value is unknown."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


@dataclass(slots=True)
class Usage:
    """Resources used by one process during a league."""

    pid: int
    agents: list[str]
    cpu_sec: float  # processor time, from the last registration in it to its end
    memory: int  # resident bytes at the end
    memory_before: int  # resident bytes when the last of its agents had registered

    def as_json(self) -> dict[str, Any]:
        return {
            "agents": self.agents,
            "cpu_sec": round(self.cpu_sec, 2),
            "memory_mb": megabytes(self.memory),
            "memory_before_mb": megabytes(self.memory_before),
        }


def megabytes(size: float) -> float:
    return round(size / 1e6, 1)


def usage(parts: Iterable[Mapping[str, Any]]) -> list[Usage]:
    """The processes that agents reported, each once."""
    found: dict[int, Usage] = {}
    started: dict[int, float] = {}
    ended: dict[int, float] = {}
    for part in parts:
        pid = part["pid"]
        known = found.setdefault(pid, Usage(pid, [], 0.0, 0, 0))
        known.agents.append(part["name"])
        known.memory = max(known.memory, part["memory"])
        known.memory_before = max(known.memory_before, part["memory_before"])
        started[pid] = max(started.get(pid, 0.0), part["cpu_before"])
        ended[pid] = max(ended.get(pid, 0.0), part["cpu"])
        known.cpu_sec = ended[pid] - started[pid]
    return list(found.values())
