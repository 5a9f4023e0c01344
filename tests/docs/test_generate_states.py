"""The page about states is what the tables say."""

import runpy
import subprocess
import sys
from pathlib import Path

from league_sdk.domain.lifecycles import AGENT, LEAGUE, MATCH, PLAYER_MATCH
from tests.requirements.marker import requirement

DOCS = Path(__file__).parents[2] / "docs"
SCRIPT = DOCS / "generate_states.py"


@requirement("003-TREE-07", "003-DOC-04", "project-QUAL-06")
def test_the_page_is_what_the_script_writes():
    page = (DOCS / "states.md").read_text(encoding="utf-8")
    assert page == runpy.run_path(str(SCRIPT))["page"](), "run: python docs/generate_states.py"


@requirement("003-DOC-01")
def test_the_page_shows_every_machine():
    page = (DOCS / "states.md").read_text(encoding="utf-8")
    for machine in (AGENT, LEAGUE, MATCH, PLAYER_MATCH):
        assert machine.mermaid() in page


def test_the_script_writes_the_page_beside_itself(tmp_path):
    script = tmp_path / SCRIPT.name
    script.write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    root = str(DOCS.parent)
    subprocess.run([sys.executable, str(script)], check=True, timeout=60, cwd=tmp_path, env={"PYTHONPATH": root})
    assert (tmp_path / "states.md").read_text(encoding="utf-8") == (DOCS / "states.md").read_text(encoding="utf-8")
