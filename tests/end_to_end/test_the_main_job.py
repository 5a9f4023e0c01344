"""`league run` as a user types it: seven processes, six matches, a champion, and nothing left behind."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.program_harness import Program, ProgramHarness, program_harness, until
from tests.requirements.marker import requirement

PAIRS = {
    "R1M1": ["P01", "P02"],
    "R1M2": ["P03", "P04"],
    "R2M1": ["P03", "P01"],
    "R2M2": ["P04", "P02"],
    "R3M1": ["P04", "P01"],
    "R3M2": ["P03", "P02"],
}
LEAGUE = "league_even_odd"
pytestmark = pytest.mark.xdist_group("the main job")  # they share one league


@dataclass(frozen=True)
class Played:
    """The league that all tests of this file look at.

    Attributes:
        programs: Where it was played.
        program: The command.
        listeners: Which process listened on which port while it was played.
        summary: The JSON that it printed.
        left: Processes that were left a moment after its end.
    """

    programs: ProgramHarness
    program: Program
    listeners: dict[int, int]
    summary: Any


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Iterator[Played]:
    with program_harness(tmp_path_factory.mktemp("programs")) as place:
        seen: dict[int, int] = {}
        program = place.start("run", "--port-base", place.base, "--json")

        def watch() -> None:
            while not program.over and len(seen) < 7:
                seen.update(place.listeners())

        watching = threading.Thread(target=watch)
        watching.start()
        assert program.end(120) == 0, program.err
        watching.join()
        place.empty()
        yield Played(place, program, seen, json.loads(program.out))


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@requirement("001-DEP-01", "project-RUN-02", "project-CLI-01")
def test_seven_separate_processes_listened_each_on_a_port_of_its_own(played):
    base = played.programs.base
    wanted = {base, base + 1, base + 2, *(base + 100 + number for number in range(1, 5))}
    assert set(played.listeners) == wanted
    assert len(set(played.listeners.values())) == 7
    assert played.program.pid not in played.listeners.values()


def test_it_printed_one_json_object_and_nothing_else(played):
    assert played.program.err == ""
    assert (played.summary["league_id"], played.summary["state"]) == (LEAGUE, "COMPLETED")


def test_six_matches_were_played_in_three_rounds_with_the_pairings_of_the_circle_method(played):
    assert {match["match_id"]: match["players"] for match in played.summary["matches"]} == PAIRS
    assert (played.summary["total_rounds"], played.summary["total_matches"]) == (3, 6)
    assert {match["status"] for match in played.summary["matches"]} <= {"WIN", "DRAW"}
    assert {match["attempt"] for match in played.summary["matches"]} == {1}


@requirement("project-RUN-07")
def test_the_points_add_up(played):
    standings = played.summary["standings"]
    for row in standings:
        assert row["points"] == 3 * row["wins"] + row["draws"]
        assert row["played"] == row["wins"] + row["draws"] + row["losses"] == 3
    total = sum(row["points"] for row in standings)
    draws = sum(match["status"] == "DRAW" for match in played.summary["matches"])
    assert total == 18 - draws <= 18
    assert played.summary["champion"] == standings[0]
    assert standings[0]["points"] == max(row["points"] for row in standings)


def test_agents_have_the_ids_of_their_names_whoever_came_first(played):
    names = {player["player_id"]: player["display_name"] for player in played.summary["players"]}
    assert names == {"P01": "Agent Alpha", "P02": "Agent Beta", "P03": "Agent Gamma", "P04": "Agent Delta"}
    referees = {referee["referee_id"]: referee["display_name"] for referee in played.summary["referees"]}
    assert referees == {"REF01": "Referee Alpha", "REF02": "Referee Beta"}


def test_every_file_of_the_layout_is_there_and_can_be_read(played):
    data = played.programs.data / "data"
    standings = json.loads((data / "leagues" / LEAGUE / "standings.json").read_text())
    assert standings["league_id"] == LEAGUE
    for row, known in zip(standings["standings"], played.summary["standings"], strict=True):
        for field in ("rank", "player_id", "display_name", "wins", "draws", "losses", "points", "games_played"):
            assert row[field] == known[field]
    rounds = json.loads((data / "leagues" / LEAGUE / "rounds.json").read_text())
    assert [scheduled["round_id"] for scheduled in rounds["rounds"]] == [1, 2, 3]
    for match in played.summary["matches"]:
        stored = json.loads((data / "matches" / LEAGUE / f"{match['match_id']}.json").read_text())
        assert (stored["match_id"], stored["league_id"]) == (match["match_id"], LEAGUE)
        assert stored["result"]["winner_id"] == match["winner"]
        assert stored["transcript"]
    for player in PAIRS["R1M1"] + PAIRS["R1M2"]:
        history = json.loads((data / "players" / player / "history.json").read_text())
        assert history["player_id"] == player
        assert len(history["matches"]) == 3


def test_the_league_s_log_tells_its_course(played):
    events = [
        line["event_type"] for line in lines_of(played.programs.data / "logs/league" / LEAGUE / "league.log.jsonl")
    ]
    assert events.count("PLAYER_REGISTERED") == 4
    assert events.count("REFEREE_REGISTERED") == 2
    assert events.count("ROUND_COMPLETED") == 3
    assert "LEAGUE_COMPLETED" in events


@requirement(
    "003-TYPE-02",
    "003-TYPE-03",
    "003-TYPE-04",
    "003-TYPE-05",
    "003-TYPE-06",
    "003-TYPE-07",
    "003-TYPE-08",
    "003-TYPE-09",
    "003-TYPE-10",
    "003-TYPE-11",
    "003-TYPE-12",
    "003-TYPE-14",
    "003-TYPE-15",
    "003-PLAYER-09",
)
@pytest.mark.parametrize("agent", ["LM01", "REF01", "REF02", "P01", "P02", "P03", "P04"])
def test_every_agent_logged_what_it_sent_and_received_and_with_whom(played, agent):
    lines = lines_of(played.programs.data / "logs" / "agents" / f"{agent}.log.jsonl")
    for direction in ("SENT", "RECEIVED"):
        messages = [line for line in lines if line.get("direction") == direction]
        assert messages
        assert all(line["peer"] and line["message_type"] for line in messages)


def test_no_token_is_in_any_log_or_result(played):
    secrets = played.programs.data / "data" / "secrets"
    kept = [path.read_text() for path in secrets.rglob("*") if path.is_file()]
    tokens = {text.strip() for text in kept if not text.startswith("{")}
    for text in kept:
        if text.startswith("{"):
            tokens |= {value for name, value in json.loads(text).items() if name.endswith("_token") and value}
    assert len(tokens) == 2 + 2 * 6  # the operator's token and the referee secret, and two for each agent
    for path in played.programs.data.rglob("*"):
        if path.is_file() and secrets not in path.parents:
            content = path.read_bytes()
            assert not [token for token in tokens if token.encode() in content], path


def test_no_secret_can_be_read_by_others(played):
    for path in (played.programs.data / "data" / "secrets").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_every_look_at_the_league_tells_the_same(played):
    rated = ("rating", "rating_margin", "not_distinguishable_from")
    for command in ("standings", "matches"):
        rows = played.programs.look(command, "--json")[command]
        shown = [{name: value for name, value in row.items() if name not in rated} for row in rows]
        assert shown == played.summary[command]


@requirement("project-RUN-06")
def test_a_second_run_is_a_new_league_beside_the_old_and_tells_its_course_line_by_line(played):
    before = (played.programs.data / "data" / "leagues" / LEAGUE / "standings.json").read_bytes()
    second = played.programs.run("run", "--port-base", played.programs.base, "--players", 3, "--referees", 1)
    assert (second.end(), second.err) == (0, "")
    assert f"league {LEAGUE}-2 is open for registration: even_odd, waiting for 3 players and 1 referee" in second.out
    assert second.out.count("; bye: P0") == 3
    assert "3 matches, 3 rounds, " in second.out
    assert f"--data {played.programs.data}" in second.out
    assert (played.programs.data / "data" / "leagues" / LEAGUE / "standings.json").read_bytes() == before
    played.programs.empty()
    until(lambda: not played.programs.listeners(), "all ports are free")
