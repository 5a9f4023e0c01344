import os
import shlex
import signal
import socket
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager

import anyio
import pytest

from league_sdk.clock import SystemClock
from league_sdk.domain.commands import RemovePlayer, StopLeague
from league_sdk.settings import Workspace
from league_sdk.stores import open_store
from servers.agent import manager_lock
from servers.agent.agent_spec import AgentSpec
from servers.agent.manager_lock import leader
from servers.agent.startup_status import ReportTo
from servers.cli import common
from servers.cli import run as command
from servers.cli.views import SilentView
from servers.launcher import port_check
from servers.launcher.worker_processes import in_this_process
from servers.league_manager.ledger import Ledger
from tests.ports import free_base
from tests.requirements.marker import requirement
from tests.servers.league_history import under_way

QUICK = ("--in-process", "--set", "retry_policy.backoff_base_sec=0.01")
PAIRS = {
    "R1M1": ["P01", "P02"],
    "R1M2": ["P03", "P04"],
    "R2M1": ["P03", "P01"],
    "R2M2": ["P04", "P02"],
    "R3M1": ["P04", "P01"],
    "R3M2": ["P03", "P02"],
}


@pytest.fixture
def base() -> int:
    return free_base()


BRITTLE = """
from game_rules.rock_paper_scissors import RockPaperScissors

class Brittle(RockPaperScissors):
    name = "brittle"

    def apply(self, state, moves, rng):
        raise ZeroDivisionError("these rules are broken")
"""


class TestAWholeLeague:
    @requirement("project-RUN-04")
    def test_it_is_told_line_by_line_and_ends_with_champion_time_and_places(self, league, base, workspace):
        ran = league("run", *QUICK, "--port-base", base)
        assert (ran.code, ran.err) == (0, "")
        assert f"Watch it at http://localhost:{base}/\n" in ran.out
        assert "4 of 4 players" in ran.out
        assert "round 3 of 3 started: R3M1 P04-P01, R3M2 P03-P02" in ran.out
        assert "\nChampion" in ran.out
        assert "6 matches, 3 rounds, " in ran.out
        assert f"Head digest of the records, to be kept: {league('audit', '--json').json['head']}" in ran.out
        assert f"Data: {workspace.league_dir('league_even_odd')}  Logs: {workspace.logs}" in ran.out
        assert "More: league matches, league show R1M1, league standings" in ran.out

    @requirement("project-TRUST-08")
    def test_a_match_that_no_referee_brings_to_a_result_is_void_and_the_exit_code_says_so(self, league, base, tmp_path):
        (tmp_path / "brittle.py").write_text(BRITTLE)
        asked = ("--plugins", tmp_path, "--game", "brittle", "--players", "2", "--set", "heartbeat_interval_sec=0.2")
        ran = league("run", *QUICK, "--port-base", base, *asked)
        assert ran.code == 1
        told = "R1M1 is void: the game failed: brittle.py:8: ZeroDivisionError: these rules are broken"
        assert ran.err == f"league: {told}\n"
        assert "Void, not counted: R1M1" in ran.out
        assert "No champion: nothing was played.\n" in ran.out
        assert "Champion by the results: no champion: nothing was played." in league("audit", "--plugins", tmp_path).out
        again = league("resume", "--in-process", "--verbose")
        assert again.code == 1, "it is still so"
        first, *rest = again.err.removeprefix("league: league_brittle is already complete\n").splitlines()
        assert first == f"league: {told}"
        assert any(line.endswith('raise ZeroDivisionError("these rules are broken")') for line in rest)
        assert league("audit", "--plugins", tmp_path).code == 0

    @requirement("project-RUN-05", "project-RUN-07", "project-CLI-04")
    def test_as_json_it_is_one_object_and_the_same_numbers_as_everywhere(self, league, base):
        ran = league("run", *QUICK, "--port-base", base, "--json", "--seed", "42")
        assert (ran.code, ran.err) == (0, "")
        document = ran.json
        assert {match["match_id"]: match["players"] for match in document["matches"]} == PAIRS
        assert (document["total_rounds"], document["total_matches"], document["state"]) == (3, 6, "COMPLETED")
        for row in document["standings"]:
            assert row["points"] == 3 * row["wins"] + row["draws"]
            assert row["played"] == 3
        assert sum(row["points"] for row in document["standings"]) <= 18
        assert document["champion"]["rank"] == 1
        assert document["page"] == f"http://localhost:{base}/"
        audited = league("audit", "--head", document["record_head"]["digest"], "--json").json
        assert (audited["ok"], audited["kept_heads"], audited["records"]) == (
            True,
            1,
            document["record_head"]["sequence"],
        )
        rated = league("standings", "--json").json["standings"]
        pairs = zip(rated, document["standings"], strict=True)
        assert [{**whole, **row} for whole, row in pairs] == rated
        assert document["matches"] == league("matches", "--json").json["matches"]

    def test_with_the_same_seed_the_same_league_is_played_again(self, league, base):
        seeded = ("run", *QUICK, "--port-base", base, "--json", "--seed", "42")
        first, second = (league(*seeded, "--data", folder).json for folder in ("one", "two"))
        same = ("league_id", "standings", "champion", "players", "referees", "seed")
        assert {key: second[key] for key in same} == {key: first[key] for key in same}
        assert [_course(match) for match in second["matches"]] == [_course(match) for match in first["matches"]]

    @requirement("project-RUN-06")
    def test_a_database_that_does_not_answer_is_a_mistake_of_the_command(self, league, base):
        shown = league("run", *QUICK, "--store", f"postgresql://league@127.0.0.1:{base}/league", "--port-base", base)
        assert shown.code == 2
        assert "Is the server running there" in shown.err

    def test_a_second_league_stands_beside_the_first(self, league, base):
        small = ("run", *QUICK, "--port-base", base, "-n", 2, "--referees", 1, "--json")
        first, second = league(*small).json, league(*small).json
        assert (first["league_id"], second["league_id"]) == ("league_even_odd", "league_even_odd-2")
        kept = league("standings", "league_even_odd", "--json").json["standings"]
        assert kept == first["standings"]

    def test_quietly_only_the_result_is_shown_and_the_page_if_it_is_wanted(self, league, base, monkeypatch):
        opened = list[str]()
        monkeypatch.setattr("webbrowser.open", opened.append)
        ran = league("run", *QUICK, "--port-base", base, "--players", "2", "--referees", "1", "--quiet", "--open")
        assert ran.code == 0
        assert "registered as" not in ran.out
        assert "Watch it" not in ran.out
        assert opened == [f"http://localhost:{base}/"]
        assert "1 match, 1 round, " in ran.out

    def test_elsewhere_the_commands_that_it_names_find_it(self, league, base, tmp_path):
        folder = tmp_path / "my leagues"
        ran = league("run", *QUICK, "--port-base", base, "-n", 2, "--referees", 1, "-q", "--data", folder)
        where, _, named = ran.out.partition("More, each with ")[2].strip().partition(": ")
        assert where == f"--data '{folder}'", "once"
        assert named == "league matches, league show R1M1, league standings, league report"
        assert league(*shlex.split(f"{named.split(', ')[0]} {where}")[1:]).code == 0


async def remove(workspace: Workspace, league_id: str, player_id: str) -> None:
    """Remove a player as the operator, in the store."""
    store = await open_store(None, workspace.data, league_id)
    try:
        ledger = Ledger(store, SystemClock(), league_id)
        await ledger.open()
        await ledger.execute(RemovePlayer(player_id))
    finally:
        await store.close()


def _course(match):
    return {key: match[key] for key in ("match_id", "players", "winner", "score", "status", "details")}


class TestWhatGoesWrong:
    @requirement("project-RUN-03")
    def test_a_port_in_use_is_named_and_what_to_do(self, league, base):
        with closing(socket.create_server(("127.0.0.1", base + 102))):
            ran = league("run", *QUICK, "--port-base", base)
        assert ran.code == 1
        assert f"port {base + 102} on 127.0.0.1 is in use" in ran.err
        assert "--port-base" in ran.err
        assert "Traceback" not in ran.err

    def test_of_a_league_that_finds_its_ports_taken_nothing_is_left_and_no_page_is_told(self, league, base, workspace):
        with ExitStack() as stack:
            for port in (base, base + 1, base + 103):
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
            ran = league("run", *QUICK, "--port-base", base)
        assert (ran.code, ran.out) == (1, "")
        assert f"ports {base}, {base + 1} and {base + 103} on 127.0.0.1 are in use" in ran.err
        assert not workspace.root.exists()

    def test_as_json_nothing_that_is_no_league_stands_on_standard_output(self, league, base):
        with closing(socket.create_server(("127.0.0.1", base))):
            ran = league("run", *QUICK, "--port-base", base, "--json")
        assert (ran.code, ran.out) == (1, "")
        assert f"port {base} " in ran.err

    def test_a_league_without_enough_players_stops_and_says_why(self, league, base):
        ran = league(
            *("run", *QUICK, "--port-base", base, "--players", 2, "--referees", 1, "--guests", 2),
            *("--set", "registration_timeout_sec=0.3", "--set", "league.participants.min_players=4"),
        )
        assert ran.code in (1, 2)
        assert ran.err


@contextmanager
def interrupted_after(event: str, monkeypatch) -> Generator[None]:
    """The user presses Ctrl-C when this has happened."""

    class Watching(SilentView):
        def league(self, league, record) -> None:
            if record.type == event:
                os.kill(os.getpid(), signal.SIGINT)

    @contextmanager
    def view_for(*_args, **_options):
        yield Watching()

    with monkeypatch.context() as patch:
        patch.setattr(command, "view_for", view_for)
        yield


class TestInterruption:
    @requirement("project-CLI-10")
    @pytest.mark.parametrize("event", ["LeagueCreated", "ScheduleCreated", "MatchRecorded", "RoundCompleted"])
    def test_the_command_that_is_printed_completes_the_league(self, league, base, monkeypatch, event):
        with interrupted_after(event, monkeypatch):
            ran = league("run", *QUICK, "--port-base", base)
        assert ran.code == 130
        assert "Traceback" not in ran.err
        line = ran.err.splitlines()[-1].strip()
        assert line == "league resume league_even_odd"
        done = {match["match_id"]: match for match in league("matches", "--json").json["matches"] if match["winner"]}
        resumed = league(*line.split()[1:], "--in-process", "--json")
        assert (resumed.code, resumed.json["state"]) == (0, "COMPLETED")
        matches = {match["match_id"]: match for match in resumed.json["matches"]}
        assert {match_id: match["players"] for match_id, match in matches.items()} == PAIRS
        assert {match_id: matches[match_id] for match_id in done} == done
        assert all(row["played"] == 3 for row in resumed.json["standings"])

    def test_the_time_of_a_resumed_league_is_said_to_be_that_since_then(self, league, base, monkeypatch):
        with interrupted_after("RoundCompleted", monkeypatch):
            league("run", *QUICK, "--port-base", base)
        resumed = league("resume", "--in-process")
        (line,) = [line for line in resumed.out.splitlines() if line.startswith("6 matches, 3 rounds, ")]
        assert line.endswith(" s since it was resumed.")

    def test_a_player_that_was_removed_is_not_started_again(self, league, base, workspace, monkeypatch):
        with interrupted_after("ScheduleCreated", monkeypatch):
            league("run", *QUICK, "--port-base", base, "-n", 3, "--referees", 1)
        anyio.run(remove, workspace, "league_even_odd", "P02")
        started = list[str]()

        async def launch(spec: AgentSpec, report: ReportTo) -> int:
            started.append(spec.name)
            return await in_this_process(spec, report)

        monkeypatch.setattr(command, "in_this_process", launch)
        resumed = league("resume", "--in-process", "--json")
        assert (resumed.code, resumed.json["state"]) == (0, "COMPLETED")
        assert sorted(started) == ["Agent Alpha", "Agent Gamma", "Central League Manager", "Referee Alpha"]
        assert [player["strategy"] for player in resumed.json["players"] if player["player_id"] == "P02"] != [None]

    def test_what_is_decided_is_counted_when_it_is_interrupted(self, league, base, monkeypatch):
        with interrupted_after("RoundCompleted", monkeypatch):
            ran = league("run", *QUICK, "--port-base", base)
        assert "2 of 6 matches are decided and kept. To continue:" in ran.err

    @requirement("project-CLI-10")
    def test_it_can_go_on_at_other_ports(self, league, base, monkeypatch):
        with interrupted_after("MatchRecorded", monkeypatch):
            league("run", *QUICK, "--port-base", base)
        monkeypatch.setattr(port_check, "PATIENCE_SEC", 0.0)
        with closing(socket.create_server(("127.0.0.1", base))):
            taken = league("resume", "--in-process")
            assert (taken.code, taken.out) == (1, "")
            assert f"port {base} on 127.0.0.1 is in use" in taken.err
            assert "nothing was played" not in taken.err
            moved = league("resume", "--in-process", "--json", "--port-base", base + 10)
        assert moved.code == 0
        endpoints = [player["endpoint"] for player in moved.json["players"]]
        assert endpoints == [f"http://localhost:{base + 111 + number}/mcp" for number in range(4)]


class TestALeagueThatAnotherManagerLeads:
    ID = "league_even_odd"

    def test_it_is_led_while_it_is_played_and_not_afterwards(self, league, base, workspace, monkeypatch):
        led = list[str | None]()
        monkeypatch.setattr(SilentView, "league", lambda *_: led.append(leader(workspace, self.ID)))
        ran = league("run", *QUICK, "--port-base", base, "-n", 2, "--referees", 1, "--quiet")
        assert ran.code == 0
        assert led[:3] == [""] * 3  # league, expected agents and plan are recorded before its manager listens
        assert set(led[3:]) == {f"http://localhost:{base}/mcp"}
        assert leader(workspace, self.ID) is None

    def test_it_is_not_resumed_beside_that_and_what_lets_it_go_on_is_told(self, league, base, workspace, monkeypatch):
        with interrupted_after("ScheduleCreated", monkeypatch):
            league("run", *QUICK, "--port-base", base, "-n", 2, "--referees", 1)
        before = league("matches", "--json").json
        monkeypatch.setattr(manager_lock, "PATIENCE_SEC", 0.0)
        with manager_lock.manager_lock(workspace, self.ID) as at:
            at("http://localhost:8000/mcp")
            refused = league("resume", "--in-process")
        assert (refused.code, refused.out) == (2, "")
        told = refused.err.splitlines()
        assert told[1].startswith(f"league: the league manager at http://localhost:8000/mcp is running {self.ID}, so ")
        assert "'Resume' at http://localhost:8000/operator" in told[1]
        assert told[2] == f"  league control resume --league {self.ID}"
        assert league("matches", "--json").json == before


def test_a_league_that_is_complete_is_shown_and_not_played_again(league, base):
    played = league("run", *QUICK, "--port-base", base, "-n", 2, "--referees", 1, "--json").json
    again = league("resume", "--json")
    assert (again.code, again.json) == (0, played)
    assert "is already complete" in again.err
    assert "Champion" in league("resume").out


def test_a_league_that_its_manager_completes_while_resume_waits_for_it_gets_no_more_records(
    league, base, workspace, monkeypatch
):
    """The head that `league run` told to keep stays the head."""
    played = league("run", *QUICK, "--port-base", base, "-n", 2, "--referees", 1, "--league-id", "cup", "--json").json
    read, recorded = common.read_records, common.read_records(workspace, "cup")
    assert recorded[-1].type == "LeagueCompleted"
    with ExitStack() as manager:
        manager.enter_context(manager_lock.manager_lock(workspace, "cup"))("http://localhost:8000/mcp")

        def before_its_end(*asked):
            manager.close()
            monkeypatch.setattr(common, "read_records", read)
            return read(*asked)[:-1]

        monkeypatch.setattr(common, "read_records", before_its_end)
        again = league("resume", "--in-process", "--json")
    assert (again.code, again.json) == (0, played)
    assert "cup is already complete" in again.err
    assert read(workspace, "cup") == recorded


def test_a_league_whose_agents_were_started_by_hand_says_how_it_goes_on(league, workspace):
    history = under_way(2)
    history.do(StopLeague("interrupted"))
    history.write(workspace)
    ran = league("resume")
    assert ran.code == 2
    assert "league manager --resume summer" in ran.err


def test_a_store_of_ones_own_is_used_and_remembered(league, base, tmp_path, monkeypatch):
    with interrupted_after("MatchRecorded", monkeypatch):
        league("run", *QUICK, "--port-base", base, "--store", "sqlite:///mine.db")
    assert (tmp_path / "mine.db").is_file()
    assert league("resume", "--in-process", "--json").json["state"] == "COMPLETED"
    assert len(league("matches", "--json").json["matches"]) == 6


def test_in_memory_a_league_leaves_its_files_only(league, base, workspace):
    ran = league("run", *QUICK, "--port-base", base, "-n", 2, "--referees", 1, "--store", "memory:", "--json")
    assert (ran.code, ran.json["state"]) == (0, "COMPLETED")
    assert not (workspace.league_dir(ran.json["league_id"]) / "events.db").exists()
    assert (workspace.league_dir(ran.json["league_id"]) / "standings.json").is_file()
