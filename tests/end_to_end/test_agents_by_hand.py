"""Agents that are started one by one, in any order, by different people."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.end_to_end.program_harness import QUICK, Program, ProgramHarness, program_harness, until
from tests.requirements.marker import requirement

MORTAL = '''
import os
import signal
from league_sdk import strategy

MOVES = []


@strategy("mortal")
def mortal(view):
    """Dies in its second match, in the middle of a move."""
    if MOVES:
        os.kill(os.getpid(), signal.SIGKILL)
    MOVES.append(view.match_id)
    return view.legal_moves[0]
'''
GAME = "even_odd"
pytestmark = pytest.mark.xdist_group("agents by hand")  # they share one league
PLAYERS = ("Ada", "Bob", "Cyd")


def ask(place: ProgramHarness, path: str, token: str | None, method: str = "GET") -> tuple[int, Any]:
    """Use a route of the league manager without MCP."""
    request = urllib.request.Request(f"http://localhost:{place.base}{path}", method=method)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read())


@dataclass
class ByHand:
    """A league of three whose agents were started the wrong way round; one of them dies.

    Attributes:
        programs: Where.
        agents: The programs, by name.
        token: The operator's token.
        before: What was answered before the league was started.
        started: What POST /admin/start_league answered.
    """

    programs: ProgramHarness
    agents: dict[str, Program]
    token: str
    before: dict[str, Any]
    started: tuple[int, Any]

    @property
    def standings(self) -> dict[str, Any]:
        """Rows by display name."""
        return {row["display_name"]: row for row in self.programs.look("standings", "--json")["standings"]}


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory) -> Iterator[ByHand]:
    with program_harness(tmp_path_factory.mktemp("programs")) as place:
        folder = place.plug_in("mortal", MORTAL)
        common = ("--manager", place.manager, "--game", GAME, "--plugins", folder, *QUICK)
        strategies = {"Ada": "alternating", "Bob": "random", "Cyd": "mortal"}
        agents = {
            name: place.start("player", "--name", name, "--strategy", strategy, "--port", 0, *common)
            for name, strategy in strategies.items()
        }
        agents["Rex"] = place.start("referee", "--name", "Rex", "--port", 0, *common)
        agents["Ada"].says("waiting for the league manager at")
        agents["Rex"].says("waiting for the league manager at")
        agents["manager"] = place.start(
            *("manager", "--port", place.base, "--game", GAME, "--players", 4, "--registration-timeout", 0, "--stay")
        )
        agents["Tom"] = place.start("referee", "--name", "Tom", "--port", 0, *common)
        for name in (*PLAYERS, "Rex", "Tom"):
            agents["manager"].says(rf"{name} \((P|REF)\d+\) registered")
        token = next((place.data / "data" / "secrets").rglob("operator.token")).read_text().strip()
        before = {
            "status": place.look("query", "status", "--manager", place.manager),
            "no token": ask(place, "/admin/start_league", None, "POST"),
            "wrong token": ask(place, "/admin/start_league", "wrong", "POST"),
            "wrong method": place.shell(
                f"curl -s -o /dev/null -w '%{{http_code}}' http://localhost:{place.base}/admin/start_league"
            ).stdout,
        }
        started = ask(place, "/admin/start_league", token, "POST")
        agents["manager"].says("the league is complete")
        yield ByHand(place, agents, token, before, started)
        agents["manager"].interrupt()
        assert agents["manager"].end() == 130
        place.empty()


@requirement("004-TEST-01", "project-CLI-05", "001-DEP-05")
def test_every_agent_waited_for_the_manager_and_got_a_seat_by_its_name(by_hand):
    seats = {by_hand.agents[name].says(rf"{name} is (P\d+) in league (\S+)")[1] for name in PLAYERS}
    assert len(seats) == 3
    assert {by_hand.agents[name].says(rf"{name} is (REF\d+)")[1] for name in ("Rex", "Tom")}


@requirement("project-CLI-06")
def test_before_the_start_the_league_waited_for_its_operator(by_hand):
    assert by_hand.before["status"]["status"]["state"] == "WAITING_FOR_REGISTRATIONS"
    assert by_hand.before["no token"][0] == 401
    assert by_hand.before["wrong token"][0] == 401
    code, answer = by_hand.started
    assert (code, answer["status"], answer["total_players"]) == (200, "started", 3)
    assert (answer["total_rounds"], answer["total_matches"]) == (3, 3)


def test_an_odd_number_of_players_rests_by_turns(by_hand):
    rounds = by_hand.programs.look("schedule", "--json")["rounds"]
    byes = [bye for scheduled in rounds for bye in scheduled["byes"]]
    assert len(byes) == len(set(byes)) == 3


@requirement("project-END-02")
def test_a_player_that_died_in_the_middle_lost_its_own_matches_and_nobody_else_s(by_hand):
    assert by_hand.agents["Cyd"].end() == -9
    rows = by_hand.standings
    assert all(row["played"] == 2 for row in rows.values())
    dead = rows["Cyd"]["player_id"]
    matches = by_hand.programs.look("matches", "--json")["matches"]
    lost = [match for match in matches if match["status"] == "TECHNICAL_LOSS"]
    assert len(lost) == 1
    assert dead in lost[0]["players"]
    assert lost[0]["winner"] != dead
    shown = by_hand.programs.look("show", lost[0]["match_id"], "--json")
    assert [fault["player_id"] for fault in shown["faults"]] == [dead]
    assert {row["technical_losses"] for name, row in rows.items() if name != "Cyd"} == {0}


def test_the_others_ended_with_their_league_and_told_their_players_how_it_went(by_hand):
    for name in ("Ada", "Bob", "Rex", "Tom"):
        assert by_hand.agents[name].end() == 0, by_hand.agents[name].err
    assert "champion" in by_hand.agents["Ada"].err
    assert all("Traceback" not in program.err for program in by_hand.agents.values())


@requirement("project-CLI-07")
@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("GET_STANDINGS",), "standings"),
        (("GET_STATUS",), "status"),
        (("GET_SCHEDULE",), "schedule"),
        (("schedule", "--round", "2"), "schedule"),
        (("GET_NEXT_MATCH", "--player", "{ada}"), "query_type"),
        (("player-stats", "--player", "{ada}"), "player_stats"),
    ],
)
def test_every_query_is_answered(by_hand, arguments, field):
    ada = by_hand.standings["Ada"]["player_id"]
    arguments = [argument.format(ada=ada) for argument in arguments]
    answer = by_hand.programs.look("query", *arguments, "--manager", by_hand.programs.manager)
    assert (answer["message_type"], answer["league_id"]) == ("LEAGUE_QUERY_RESPONSE", "league_even_odd")
    assert answer[field]
    assert "auth_token" not in answer


def test_the_standings_can_be_had_without_mcp(by_hand):
    code, answer = ask(by_hand.programs, "/admin/standings", by_hand.token)
    assert code == 200
    assert [row["player_id"] for row in answer["standings"]] == [
        row["player_id"] for row in sorted(by_hand.standings.values(), key=lambda row: (row["rank"], row["player_id"]))
    ]
    assert ask(by_hand.programs, "/admin/standings", None)[0] == 401


def test_a_league_that_is_over_is_not_started_again(by_hand):
    again = by_hand.programs.run("start", "--manager", by_hand.programs.manager)
    assert again.end() == 1
    assert "complete" in again.err.lower()
    assert "Traceback" not in again.err


def test_a_latecomer_is_refused_in_a_sentence(by_hand):
    late = by_hand.programs.run("player", "--name", "Eve", "--manager", by_hand.programs.manager, "--port", 0)
    assert late.end() == 1
    assert "refused 'Eve'" in late.err
    assert "(E0" in late.err


class TestNobodyThere:
    def test_starting_a_league_fails_with_what_to_do(self, programs):
        program = programs.run("start", "--operator-token", "x", "--manager", programs.manager)
        assert (program.end(), program.out) == (1, "")
        assert f"no league manager answers at {programs.manager}" in program.err
        assert "--manager" in program.err

    def test_a_player_gives_up_when_it_was_told_how_long_to_wait(self, programs):
        program = programs.run("player", "--name", "Ada", "--wait", 0.3, "--manager", programs.manager, "--port", 0)
        assert program.end() == 1
        assert f"waiting for the league manager at {programs.manager}" in program.err
        assert f"no league manager answered at {programs.manager} within 0.3 s" in program.err

    def test_a_port_in_use_is_named(self, programs):
        first = programs.start("player", "--standalone", "--port", programs.base + 101)
        first.says("listens at")
        second = programs.run("player", "--standalone", "--port", programs.base + 101)
        assert second.end() == 1
        assert f"port {programs.base + 101} on 127.0.0.1 is in use" in second.err

    def test_an_agent_s_reports_can_be_read_by_programs(self, programs):
        program = programs.start("player", "--name", "Ada", "--standalone", "--port", 0, "--json")
        until(lambda: program.out, "its first report")
        (line,) = program.out.splitlines()
        assert json.loads(line)["kind"] == "listening"
        assert program.err == ""
