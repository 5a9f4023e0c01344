"""`league start`: a league begins when its operator says so, by the command line alone."""

from tests.end_to_end.program_harness import QUICK, ProgramHarness
from tests.requirements.marker import requirement


@requirement("004-TEST-01", "project-CLI-06")
def test_a_league_begins_with_league_start_and_is_played_to_its_end(programs: ProgramHarness):
    manager = programs.start(
        *("manager", "--port", programs.base, "--game", "even_odd", "--players", 4, "--registration-timeout", 0)
    )
    common = ("--manager", programs.manager, "--game", "even_odd", "--port", 0, *QUICK)
    manager.says("listens at|waiting for 4 players")
    agents = [
        programs.start("player", "--name", "Ada", "--strategy", "always-even", *common),
        programs.start("player", "--name", "Bob", "--strategy", "always-odd", *common),
        programs.start("referee", "--name", "Rex", *common),
    ]
    for name in ("Ada", "Bob", "Rex"):
        manager.says(rf"{name} \((P|REF)\d+\) registered")
    started = programs.run("start", "--manager", programs.manager)
    assert started.end() == 0, started.err
    assert "is RUNNING: 2 players, 1 referee" in started.out
    assert [agent.end() for agent in (manager, *agents)] == [0] * 4
    (match,) = programs.look("matches", "--json")["matches"]
    assert match["status"] == "WIN"
    programs.empty()
