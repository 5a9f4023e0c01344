"""`league check`, against players that are served in a thread."""

from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from league_sdk.testing.compliance import check as compliance
from servers.cli import check as checking
from tests.league_sdk.testing.compliance.faults import FAULTS
from tests.league_sdk.testing.compliance.handmade import Handmade, served
from tests.requirements.marker import requirement

SHOUTING = next(fault for fault in FAULTS if fault.name == "moves in upper case")
TERSE = next(fault for fault in FAULTS if fault.name == "leaves out the timestamp")
BARE = ("--dialect", "jsonrpc", "--move-timeout", "2", "--join-timeout", "2", "--response-timeout", "2")


@pytest.fixture(autouse=True)
def nobody_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """These players register nowhere: the check need not wait for that, at a port that others have too."""
    monkeypatch.setattr(checking, "OFFER_SEC", 0.0)
    monkeypatch.setattr(compliance, "AGENTS_MANAGER", 0)


@pytest.fixture
def url() -> Iterator[Callable[[str], str]]:
    with served(
        {"good": Handmade, "shouting": lambda: Handmade(SHOUTING.behaviour), "terse": lambda: Handmade(TERSE.behaviour)}
    ) as where:
        yield where


@requirement("project-LATER-03")
def test_a_player_that_complies_ends_in_0(league, url):
    shown = league("check", url("good"))
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith(f"{url('good')}, a player: would play and lose nothing\n")
    assert "it speaks jsonrpc" in shown.out
    assert "--manager-port lets it register" in shown.out


@requirement("project-LATER-03")
def test_a_player_that_does_not_comply_ends_in_1_and_is_told_why(league, url):
    shown = league("check", url("shouting"), *BARE)
    assert shown.code == 1
    assert "failed jsonrpc CHOOSE_PARITY_RESPONSE: a legal move" in shown.out
    assert "parity_choice is 'EVEN', of type str" in shown.out
    assert "sent: {" in shown.out
    assert '"parity_choice": "EVEN"' in shown.out
    assert "the protocol: parity_choice is one of ['even', 'odd'], exactly" in shown.out
    assert "section: A match (docs/protocol_spec.md)" in shown.out
    reason = "CHOOSE_PARITY_RESPONSE: a legal move: parity_choice is 'EVEN', of type str"
    assert shown.out.startswith(f"{url('shouting')}, a player: would lose technically: {reason}")


def test_advice_is_told_without_the_messages(league, url):
    shown = league("check", url("terse"), *BARE)
    assert shown.code == 0
    assert "advice jsonrpc CHOOSE_PARITY_RESPONSE: timestamp" in shown.out
    assert "a league derives it, with a warning; send it" in shown.out
    assert "sent: {" not in shown.out
    assert "--json has what was sent and what came back" in shown.out


def test_as_json_it_is_one_object(league, url):
    shown = league("check", url("shouting"), *BARE, "--json")
    report = shown.json
    assert (shown.code, shown.err, report["complies"], report["dialects"]) == (1, "", False, ["jsonrpc"])
    assert report["counts"]["failed"] == sum(check["status"] == "failed" for check in report["checks"]) == 1
    assert report["verdict"]["outcome"] == "loses"
    assert report["verdict"]["text"].startswith("would lose technically: ")
    (failed,) = [check for check in report["checks"] if check["status"] == "failed"]
    assert (failed["name"], failed["section"]) == ("CHOOSE_PARITY_RESPONSE: a legal move", "A match")
    assert failed["received"]["result"]["parity_choice"] == "EVEN"
    assert failed["sent"]["params"]["message_type"] == "CHOOSE_PARITY_CALL"


def test_the_junit_report_has_a_case_for_each_check(league, url, tmp_path: Path):
    shown = league("check", url("shouting"), *BARE, "--json", "--junit", tmp_path / "report.xml")
    root = ElementTree.parse(tmp_path / "report.xml").getroot()
    assert (root.tag, root.get("failures")) == ("testsuites", "1")
    cases = root.findall(".//testcase")
    assert len(cases) == len(shown.json["checks"]) == int(root.get("tests", "0"))
    (failure,) = root.findall(".//failure")
    assert "parity_choice is 'EVEN'" in (failure.get("message") or "")
    assert "received:" in (failure.text or "")
    assert root.findall(".//skipped")


NO_URL = "is no URL; name the agent's endpoint, such as http://localhost:8101/mcp"
MISTAKES = {
    "http://": NO_URL,
    "http://:8101/mcp": NO_URL,
    "https:///mcp": NO_URL,
    "http://[::1": NO_URL,
    "http://localhost:0/mcp": NO_URL,
    "http://localhost:99999/mcp": NO_URL,
    "http://localhost:x/mcp": NO_URL,
    "localhost:8101": "name the agent's endpoint, such as http://localhost:8101/mcp",
    "http://127.0.0.1:9/mcp": "All connection attempts failed. Start the agent first",
    "http://127.0.0.1:9/mcp --dialect mcp/1999-01-01": "choose from jsonrpc, mcp/2024-11-05",
    "http://127.0.0.1:9/mcp --game ludo": "there is no game 'ludo'",
    "http://127.0.0.1:9/mcp --role umpire": "--role umpire: expected player or referee or manager",
    "http://127.0.0.1:9/mcp --role referee --manager-port 0 --wait 0": "nobody listens there",
}


@pytest.mark.parametrize("arguments", MISTAKES)
def test_a_mistake_ends_in_2_and_is_told_in_a_sentence(league, arguments):
    shown = league("check", *arguments.split())
    assert shown.code == 2
    assert MISTAKES[arguments] in " ".join(shown.err.split())


def test_a_report_that_cannot_be_written_is_a_mistake(league, url):
    shown = league("check", url("good"), *BARE, "--junit", "/no/such/folder/report.xml")
    assert shown.code == 2
    assert "--junit /no/such/folder/report.xml" in shown.err
