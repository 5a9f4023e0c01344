"""Players print as much as they like, to anybody or to nobody, and play as if they did not."""

import json
import os
import subprocess
import sys

from tests.end_to_end.town import PATIENCE, QUICK, Town
from tests.requirements.marker import requirement

CHATTY = '''
import logging
import os

from league_sdk import strategy

logging.basicConfig(level="INFO")


@strategy("chatty")
def chatty(view):
    """Prints a lot, then takes the first move."""
    for _ in range(1000):
        print("thinking about", view.match_id, "x" * 60)
        logging.info("still thinking")
    os.write(1, b"raw " * 40_000)
    return view.legal_moves[0]
'''
ADA = f"""
from league_sdk import Player

{CHATTY}

player = Player("Ada")
player.strategy(chatty.make(""))
player.run()
"""


@requirement("project-TRUST-16")
def test_nothing_that_is_printed_decides_a_match(town: Town):
    """Ada's output is a pipe that nobody reads, that of the rest one whose reader has left."""
    folder = town.plug_in("chatty", CHATTY)
    (town.folder / "ada.py").write_text(ADA, encoding="utf-8")
    read, write = os.pipe()
    unread, full = os.pipe()
    os.close(read)
    players = [f"--player=name={name},strategy=chatty" for name in ("Bob", "Cyd")]
    given = ["--guests", "1", "--port-base", str(town.base), "--plugins", str(folder), "--data", str(town.data)]
    league = subprocess.Popen(
        ["league", "run", *players, *given, *QUICK], stdout=write, stderr=write, env=town.environment, cwd=town.folder
    )
    environment = {**town.environment, "LEAGUE_MANAGER": town.manager, "LEAGUE_DATA": str(town.folder / "hers")}
    ada = subprocess.Popen([sys.executable, "ada.py"], stdout=full, stderr=full, env=environment, cwd=town.folder)
    try:
        assert (league.wait(2 * PATIENCE), ada.wait(PATIENCE)) == (0, 0)
    finally:
        for process in (league, ada):
            process.kill()
            process.wait()
        for descriptor in (write, unread, full):
            os.close(descriptor)
    assert [row["technical_losses"] for row in town.look("standings", "--json")["standings"]] == [0, 0, 0]
    logs = [*(town.data / "logs" / "agents").glob("P*"), *(town.folder / "hers" / "logs" / "agents").glob("P*")]
    assert len(logs) == 3
    for log in logs:
        entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        assert not [entry for entry in entries if "trouble" in entry.get("details", {})], log
        told = [entry["details"]["reason"] for entry in entries if entry.get("event_type") == "OUTPUT_LOST"]
        lost = [reason.partition(":")[0] for reason in told]
        assert sorted(lost) == sorted(set(lost)), log
        assert lost or "hers" in log.parts, log  # what she prints is held, since somebody may still read it
