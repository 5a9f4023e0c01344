"""One way to make a call: every call of a league passes a client session of the SDK's and a server of the SDK's."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.requirements.marker import requirement

COUNTER = Path(__file__).with_name("sdk_counter.py").read_text(encoding="utf-8")
CALLS = 108
"""Of six matches, three rounds, six registrations and one end, when nothing has to be tried again."""


@requirement("project-WIRE-01")
@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (("--processes",), {}),
        (("--in-process",), {}),
        (("--in-process",), {"OTEL_TRACES_EXPORTER": "console"}),
    ],
    ids=["processes", "one process", "traces on"],
)
def test_every_call_of_a_league_passes_the_sdk(programs, monkeypatch, options, environment):
    programs.plug_in("sitecustomize", COUNTER)
    counts = programs.folder / "counts.txt"
    for name, value in {"PYTHONPATH": str(programs.folder / "mine"), "SDK_COUNTS": str(counts), **environment}.items():
        monkeypatch.setenv(name, value)
    program = programs.start("run", "--port-base", programs.base, "--players", 4, *options, fresh=True)
    assert program.end(120) == 0, program.err

    counted = Counter(counts.read_text(encoding="utf-8").splitlines())
    written_down = journalled(programs.data / "logs" / "agents")
    assert written_down >= CALLS
    assert counted["sent tools/call"] == written_down
    assert counted["handled tools/call"] == written_down
    assert counted["sent tools/list"] == counted["handled tools/list"]
    # A peer that does not listen yet is asked in vain, and whoever answers is not asked again.
    assert counted["sent server/discover"] >= counted["handled server/discover"] >= counted["sent tools/list"]
    assert counted["sent initialize"] == 0
    # The manager talks to six agents, each of them to the manager, and each referee to two to four players.
    assert counted["session"] >= 6 + 6 + 2 * 2
    # A process asks once for each list: the manager for the referees' and the players', the others for one or two.
    assert 2 <= counted["sent tools/list"] <= 2 + 2 * 2 + 4


def journalled(folder: Path) -> int:
    """The number of calls in the agents' logs."""
    lines = [json.loads(line) for path in folder.glob("*.jsonl") for line in path.read_text("utf-8").splitlines()]
    return sum(line.get("direction") == "SENT" and bool(line["details"].get("tool")) for line in lines)
