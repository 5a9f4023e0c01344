"""The pytest plug-in, in a pytest of its own."""

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.league_sdk.testing.compliance.faults import FAULTS
from tests.league_sdk.testing.compliance.handmade import Handmade, served

pytest_plugins = ("pytester",)

# Blocked by its name and loaded by its module: whether the distribution is installed anew makes no difference then.
PLUGIN = ("-p", "no:league", "-p", "no:cacheprovider", "-p", "servers.cli.pytest_plugin")
BARE = ("--league-dialect", "jsonrpc")
# Loaded late by the HTTP client; a pytest within pytest would unload it again, and then meet it twice.
importlib.import_module("httpcore2")
SHOUTING = next(fault for fault in FAULTS if fault.name == "moves in upper case")
CURT = next(fault for fault in FAULTS if fault.name == "acknowledges with a word")


@pytest.fixture
def url() -> Iterator[Callable[[str], str]]:
    players = {"shouting": SHOUTING, "curt": CURT}
    made = {name: lambda fault=fault: Handmade(fault.behaviour) for name, fault in players.items()}
    with served({"good": Handmade, **made}) as where:
        yield where


def test_a_test_is_added_for_each_check_of_the_agent(pytester, url):
    ran = pytester.runpytest_inprocess(*PLUGIN, *BARE, "--league-url", url("good"))
    counts = ran.parseoutcomes()
    assert ran.ret == 0
    assert counts["passed"] > 100
    assert counts["skipped"] > 0


def test_what_an_agent_does_wrong_is_the_failure_of_a_test(pytester, url):
    ran = pytester.runpytest_inprocess(*PLUGIN, *BARE, "--league-url", url("shouting"), "--league-move-timeout", "5")
    assert ran.ret == 1
    assert ran.parseoutcomes()["failed"] == 1
    ran.stdout.fnmatch_lines(["*jsonrpc CHOOSE_PARITY_RESPONSE: a legal move*"])
    ran.stdout.fnmatch_lines(["*parity_choice is 'EVEN', of type str*", "*sent: {*", "*received: {*EVEN*"])


def test_an_advice_is_a_failure_that_is_expected(pytester, url):
    ran = pytester.runpytest_inprocess(*PLUGIN, *BARE, "--league-url", url("curt"), "-k", "STANDINGS", "-rx")
    assert ran.ret == 0
    assert ran.parseoutcomes()["xfailed"] == 1
    ran.stdout.fnmatch_lines(["*advice: it says no more than that the message arrived*"])


def test_it_stands_beside_an_authors_own_tests_and_can_be_selected(pytester, url):
    pytester.makepyfile("def test_mine(): pass")
    ran = pytester.runpytest_inprocess(*PLUGIN, *BARE, "--league-url", url("good"), "-k", "mine or timestamp")
    assert ran.ret == 0
    assert 1 < ran.parseoutcomes()["passed"] < 50


def test_nobody_at_the_url_is_a_mistake_in_the_command(pytester):
    ran = pytester.runpytest_inprocess(*PLUGIN, "--league-url", "http://127.0.0.1:9/mcp", "--league-wait", "0")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*nobody listens there*"])


def test_without_the_option_it_does_nothing(pytester):
    pytester.makepyfile("def test_mine(): pass")
    ran = pytester.runpytest_inprocess(*PLUGIN)
    ran.assert_outcomes(passed=1)


def test_loading_it_brings_in_nothing_that_takes_time():
    heavy = ("mcp", "pydantic", "starlette", "uvicorn", "httpx2", "anyio", "league_sdk", "clients")
    check = f"import sys, servers.cli.pytest_plugin; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
