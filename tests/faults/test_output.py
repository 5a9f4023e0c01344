"""Nothing that an agent prints may decide a match: whoever reads its output may leave, or never read."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from servers.agent.output_guard import HELD_BYTES, LostOutput
from tests.requirements.marker import requirement
from tests.servers.fakes import FakeJournal

PROGRAM = """
import logging, os, subprocess, sys
from rich.console import Console
from servers.agent.output_guard import guarded_output

logging.basicConfig(stream=sys.stdout, level="INFO")
kept, lost = sys.stdout, []
lines = {lines}
with guarded_output(lost.append, patience={patience}):
    for number in range(lines):
        print("printed", number, "x" * {pad}, flush=True)
        logging.info("logged %d", number)
        print("kept", number, file=kept, flush=True)
        os.write(1, b"written %d\\n" % number)
    Console().print("[bold]rich[/bold]")
    subprocess.run(["echo", "spawned"], check=True)
print(*lost, sep="\\n", file=sys.stderr)
"""
PATIENCE = 240.0


def program(lines: int, *, patience: float | None = 0.1, pad: int = 1) -> list[str]:
    return [sys.executable, "-c", PROGRAM.format(lines=lines, patience=patience, pad=pad)]


def test_output_that_is_read_is_complete_and_in_order():
    shown = subprocess.run(program(300, patience=None), capture_output=True, text=True, timeout=PATIENCE, check=True)
    lines = shown.stdout.splitlines()
    four = [(f"printed {n} x", f"INFO:root:logged {n}", f"kept {n}", f"written {n}") for n in range(300)]
    assert lines == [*(line for lines in four for line in lines), "rich", "spawned"]
    assert shown.stderr.strip() == ""


def test_a_reader_that_has_left_is_no_fault_and_is_told_once():
    read, write = os.pipe()
    os.close(read)
    shown = subprocess.run(program(300), stdout=write, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=True)
    os.close(write)
    assert shown.stderr.splitlines() == [
        "standard output: its reader is gone (Broken pipe); what is printed there is lost"
    ]


def test_a_full_disk_is_no_fault():
    with Path("/dev/full").open("w") as full:
        shown = subprocess.run(program(9), stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=True)
    assert "standard output: its reader is gone (No space left on device)" in shown.stderr


@requirement("project-TRUST-16")
def test_a_pipe_that_nobody_reads_holds_nobody_up():
    read, write = os.pipe()
    shown = subprocess.run(
        program(200, pad=HELD_BYTES // 100),
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    os.close(write)
    os.close(read)
    assert shown.stderr.strip() == "standard output: it is not read fast enough; what is printed there is lost"


def test_output_that_was_closed_from_the_beginning_is_no_fault():
    line = " ".join(f"'{word}'" for word in program(9))
    shown = subprocess.run(["sh", "-c", f"{line} >&-"], stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=True)
    assert "Error" not in shown.stderr


def test_a_terminal_stays_one():
    script = """
import sys
from servers.agent.output_guard import guarded_output

with guarded_output(print):
    print(sys.stdout.isatty(), sys.stdout.encoding, flush=True)
    print("é", flush=True)
print(sys.stdout is sys.__stdout__)
"""
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", script], stdout=theirs, timeout=PATIENCE, check=True)
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert shown.decode().split() == ["True", "utf-8", "é", "True"]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1000)
    except OSError:  # the other side has been closed
        return b""


@pytest.mark.parametrize("early", [True, False])
def test_an_agents_log_says_that_output_was_lost(early: bool):
    lost, notes = LostOutput(), FakeJournal()
    if early:
        lost("nobody reads it")
    lost.log_to(notes)
    if not early:
        lost("nobody reads it")
    assert notes.events == [("OUTPUT_LOST", "WARNING", {"reason": "nobody reads it"})]
