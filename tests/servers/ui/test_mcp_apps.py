"""The pages that hosts draw: they speak as MCP Apps do, and agents' words are text in them and nothing else."""

import base64
import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from servers.ui import mcp_apps
from tests.hosts.node import environment, node

HOST = Path(__file__).with_name("app_host.mjs")
ORDER = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def said(text: str) -> dict[str, str]:
    return {"untrusted": text}


STANDINGS = {
    "league_id": "summer",
    "state": "RUNNING",
    "current_round": 1,
    "total_rounds": 3,
    "standings": [
        {
            "rank": 1,
            "player_id": "P01",
            "display_name": said(ORDER),
            **dict.fromkeys(("played", "wins", "draws", "losses"), 1),
            "points": 3,
        }
    ],
}
MATCH = {
    "match_id": "R1M1",
    "round_id": 1,
    "players": [{"player_id": "P01", "display_name": said(ORDER)}, {"player_id": "P02", "display_name": said("Bea")}],
    "status": "WIN",
    "winner": "P01",
    "score": {"P01": 3, "P02": 0},
    "reason": said(ORDER),
    "transcript": {
        "untrusted": [
            {"sequence": 1, "message_type": "GAME_INVITATION", "to": "P01"},
            {"sequence": 2, "message_type": ORDER, "from": "P01", "choice": {"deep": ORDER}},
            {"sequence": 3, "message_type": "GAME_OVER", "to": "P02"},
        ]
    },
}


def script_of(page: str) -> str:
    found = re.search(r"<script>(.*)</script>", page, re.DOTALL)
    assert found is not None
    return found[1]


def drawn_by(name: str, data: Any, home: Path) -> dict[str, Any]:
    """A page's rendering of a view's result."""
    done = subprocess.run(
        [str(node()), str(HOST), script_of(mcp_apps.page(name))],
        input=json.dumps(data),
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def elements(children: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for child in children:
        yield child
        yield from elements(child["children"])


@pytest.mark.parametrize("name", ["standings", "replay"])
def test_a_page_allows_nothing_but_its_own_script_and_style(name: str):
    page = mcp_apps.page(name)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    style = re.search(r"<style>(.*)</style>", page, re.DOTALL)
    assert style is not None
    digests = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script_of(page), style[1])
    ]
    assert policy[1] == (
        f"default-src 'none'; script-src 'sha256-{digests[0]}'; style-src 'sha256-{digests[1]}'; base-uri 'none'; "
        "form-action 'none'"
    )


@pytest.mark.parametrize("name", ["standings", "replay"])
def test_a_page_has_no_way_to_make_markup_or_code_of_text(name: str):
    script = script_of(mcp_apps.page(name))
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        "setAttribute",
        "</",
    ):
        assert word not in script


def test_the_progress_is_said_in_the_managers_words(tmp_path: Path):
    data = {**STANDINGS, "progress": "PAUSED, semi-final, game 2"}
    assert "PAUSED, semi-final, game 2" in str(drawn_by("standings", data, tmp_path)["drawn"])


@pytest.mark.parametrize(("name", "data"), [("standings", STANDINGS), ("replay", MATCH)])
def test_what_agents_said_is_drawn_as_text_and_never_as_markup(name: str, data: Any, tmp_path: Path):
    drawn = list(elements(drawn_by(name, data, tmp_path)["drawn"]))
    assert any(ORDER in element["textContent"] for element in drawn)
    kinds = {"h1", "p", "table", "thead", "tbody", "tr", "th", "td", "ol", "li", "button"}
    assert {element["kind"] for element in drawn} <= kinds


def test_the_standings_are_a_table(tmp_path: Path):
    drawn = list(elements(drawn_by("standings", STANDINGS, tmp_path)["drawn"]))
    cells = [element["textContent"] for element in drawn if element["kind"] == "td"]
    assert cells == ["1", "P01", ORDER, "1", "1", "1", "1", "3"]


def test_a_replay_goes_on_step_by_step_to_the_end(tmp_path: Path):
    drawn = list(elements(drawn_by("replay", MATCH, tmp_path)["drawn"]))
    steps = [element["textContent"] for element in drawn if element["kind"] == "li"]
    assert steps[0] == "GAME_INVITATION, to P01"
    assert len(steps) == 3
    assert drawn[-1]["textContent"].startswith("WIN: P01 wins. Points: P01 3, P02 0.")


def test_a_page_introduces_itself_and_heeds_nobody_but_its_host(tmp_path: Path):
    seen = drawn_by("standings", STANDINGS, tmp_path)
    methods = [message.get("method") for message in seen["told"]]
    assert methods == ["ui/initialize", "ui/notifications/initialized", "ui/notifications/size-changed"]
    assert seen["before"] == 0
