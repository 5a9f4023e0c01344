"""Leagues of other formats than a round-robin: killed in the middle, resumed, and audited."""

import httpx2
import pytest

from tests.end_to_end.program_harness import QUICK, ProgramHarness, until
from tests.requirements.marker import requirement

SERIES = ("--best-of", "3", "--points-by", "series")


def kill_and_resume(programs: ProgramHarness, players: int, options: tuple[str, ...]) -> None:
    """Kill a league in its second round, resume it to its end, and audit it."""
    named = programs.gated(*(f"Player {number}" for number in range(1, players + 1)))
    program = programs.start("run", "--port-base", programs.base, *named, *options, *QUICK)
    program.says(r"(round 2 of \d+.*|semi-final, game 2) started")
    program.kill()
    programs.empty()
    programs.open_gate()
    again = programs.run("resume")
    assert again.end() == 0, again.err
    assert "\nChampion" in again.out
    audit = programs.run("audit", "--strict")
    assert audit.end() == 0, audit.out
    programs.empty()


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (5, ("--format", "swiss", "--rounds", "3")),
        pytest.param(4, ("--format", "knockout", "--best-of", "3"), marks=pytest.mark.slow),
        pytest.param(6, ("--format", "groups"), marks=pytest.mark.slow),
    ],
    ids=["swiss", "knockout", "groups"],
)
def test_a_league_of_a_format_survives_a_kill_and_passes_the_audit(programs, players, options):
    kill_and_resume(programs, players, options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "options"),
    [
        (3, ("--cycles", "2")),
        (4, ("--format", "gauntlet")),
        (4, ("--format", "ladder")),
        (4, ("--format", "swiss", "--rounds", "2", *SERIES)),
        (3, ("--format", "round_robin", *SERIES)),
    ],
    ids=["cycles", "gauntlet", "ladder", "series in swiss", "series in round_robin"],
)
def test_a_league_that_was_killed_is_reported_and_exported_whole(programs, players, options):
    kill_and_resume(programs, players, options)
    report = programs.run("report")
    assert report.end() == 0, report.err
    exported = programs.look("export", "--what", "all", "--format", "json")
    assert len(exported["standings"]) == players
    # the match of round 2 that the kill interrupted is there once, with its result
    matches = [match["match_id"] for match in exported["matches"]]
    assert len(set(matches)) == len(matches)
    assert {match["round_id"] for match in exported["matches"]} == {row["round_id"] for row in exported["rounds"]}
    assert all(match["status"] for match in exported["matches"])


@pytest.mark.slow
@requirement("project-LEAVE-05")
def test_agents_come_to_an_endless_ladder_and_go_and_it_survives_a_kill_until_it_is_closed(programs):
    ladder = ("--format", "ladder", "--format-option", "endless=true", "--league-id", "week")
    program = programs.start("run", "--players", 3, *ladder, "--port-base", programs.base, *QUICK)
    program.says("round 1 started")
    late = programs.start("player", "--name", "Late", "--manager", programs.manager, "--port", 0)
    program.says(r"Late \(P04\) registered as player, after the start")
    program.says(r"round \d+ started: .*P04-|-P04")
    assert programs.run("withdraw", "Agent Alpha", "--league", "week", "--manager", programs.manager).end() == 0
    program.says(r"Agent Alpha \(P01\) withdrew")
    program.kill()
    again = programs.start("resume", "week")
    again.says(r"round \d+ started: .*P04-|-P04")
    token = (programs.data / "data/secrets/week/operator.token").read_text().strip()
    close = f"http://localhost:{programs.base}/admin/close_league"
    assert httpx2.post(close, headers={"authorization": f"Bearer {token}"}).status_code == 200
    assert again.end() == 0, again.err
    assert "\nChampion" in again.out
    until(lambda: late.over, "the late player has heard of the end")
    audit = programs.run("audit", "week", "--strict")
    assert audit.end() == 0, audit.out
    rows = programs.look("export", "week", "--what", "all", "--format", "json")["standings"]
    assert sorted(row["player_id"] for row in rows) == ["P01", "P02", "P03", "P04"]
    programs.empty()
