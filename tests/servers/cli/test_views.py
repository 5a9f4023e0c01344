import io
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from league_sdk.domain.commands import RegisterPlayer, RemovePlayer, StopLeague
from servers.agent.manager_lock import PAUSED
from servers.cli.summary import standing_json
from servers.cli.views import LiveView, PlainView, SilentView, phase, standings_table, view_for
from servers.read_model import WaitLine, overview
from servers.read_model.snapshot import from_json, snapshot, to_json
from tests.league_sdk.domain.season import agent
from tests.requirements.marker import requirement
from tests.servers.league_history import LeagueHistory, begun, finished, under_way, waiting

HOSTILE = "[red]Bob[/red] :skull: \x1b[2J\u202eevil\\"


def console(*, terminal: bool, height: int = 40, width: int = 100, **options: object) -> Console:
    return Console(
        file=io.StringIO(),
        force_terminal=terminal,
        color_system=None,
        width=width,
        height=height,
        legacy_windows=False,
        _environ={"TERM": "xterm"},
        **options,  # pyright: ignore[reportArgumentType]
    )


def text_of(shown: Console) -> str:
    assert isinstance(shown.file, io.StringIO)
    return shown.file.getvalue()


def drawn(view: LiveView, height: int = 40, width: int = 100) -> str:
    """One frame of the live view."""
    page = console(terminal=False, height=height, width=width)
    page.print(view.render())
    return text_of(page)


def feed(view: LiveView, history: LeagueHistory) -> None:
    for record in history.records():
        view.league(history.league, record)


@requirement("project-RUN-05")
def test_a_plain_view_prints_a_line_for_everything_with_its_time():
    page = console(terminal=False)
    view, history = PlainView(page), finished(2)
    for record in history.records():
        view.league(history.league, record)
    view.note("Referee 1: all is well")
    lines = text_of(page).splitlines()
    assert lines[0].startswith("10:00:00 league summer is open for registration: fingers")
    assert lines[-1] == "Referee 1: all is well"
    assert all(line[2] == ":" for line in lines[:-1])


def test_a_long_line_is_not_broken_for_programs_that_read_lines():
    page = console(terminal=False)
    PlainView(page).note("x" * 500)
    assert text_of(page) == "x" * 500 + "\n"


@requirement("003-IMPL-01", "project-RUN-04")
def test_the_live_view_shows_phase_standings_and_news():
    history = under_way()
    view = LiveView(console(terminal=True))
    feed(view, history)
    view.note("Agent Delta ended; the league continues without it")
    page = drawn(view)
    assert "summer: RUNNING, round 1 of 3, 1 running, 0 of 6 matches decided" in page
    assert "Player 4 P04" in page
    assert "round 1 of 3 started: R1M1 P01-P02" in page
    assert "continues without it" in page


def test_the_live_view_can_be_drawn_before_anything_has_happened():
    page = console(terminal=True)
    with LiveView(page) as view:
        assert "starting the agents" in drawn(view)
    assert "starting the agents" in text_of(page)


def test_the_live_view_shows_registration_without_a_table():
    view = LiveView(console(terminal=True))
    feed(view, waiting(2, expected_players=5))
    page = drawn(view)
    assert "registration, 2 of 5 players, 1 referee" in page
    assert "points" not in page


def test_the_live_view_keeps_to_the_height_of_the_terminal():
    view = LiveView(console(terminal=True, height=24))
    feed(view, finished(30))
    assert len(drawn(view).splitlines()) <= 24
    assert "and 18 more" in drawn(view)


@requirement("project-CLI-13")
@pytest.mark.parametrize("height", [12, 24, 40])
@pytest.mark.parametrize(
    ("history", "players"), [(under_way, 4), (under_way, 12), (under_way, 30), (under_way, 100), (finished, 12)]
)
def test_the_newest_news_is_seen_at_80_columns(history: Callable[..., LeagueHistory], players: int, height: int):
    told = history(players, league_id="league_even_odd")
    view = LiveView(console(terminal=True, height=height, width=80))
    feed(view, told)
    for number in range(10):
        view.note(f"news {number} {'that is longer than a line ' * 5}")
    view.note("the newest news")
    lines = drawn(view, height, 80).splitlines()
    assert len(lines) <= height
    assert all(len(line) <= 80 for line in lines)
    assert lines[0].startswith("league_even_odd: ")
    assert "decided" in lines[0]
    assert lines[-1] == "the newest news"
    assert "Player 3 P03" in "\n".join(lines)
    assert sum(line.startswith("news ") for line in lines) >= 2


def test_what_an_agent_says_is_told_to_its_end_where_there_is_room():
    view = LiveView(console(terminal=True, height=24, width=80))
    feed(view, begun(4))
    said = "League: refused a call from 192.0.2.7 at 11:09:00 UTC: " + "x " * 60 + "its end"
    view.note(said)
    page = drawn(view, 24, 80)
    assert "its end" in page
    assert all(len(line) <= 80 for line in page.splitlines())


def test_everybody_is_shown_as_long_as_there_is_room():
    view = LiveView(console(terminal=True, height=24, width=80))
    feed(view, begun(12))
    page = drawn(view, 24, 80)
    assert "Player 12 P12" in page
    assert "more" not in page


def test_a_long_name_takes_one_line_of_the_live_table():
    rows = [replace(row, display_name="A name that is long " * 3) for row in finished(4).league.standings()]
    page = console(terminal=False, width=60)
    page.print(standings_table(rows, 20))
    assert len([line for line in text_of(page).splitlines() if line.strip()]) == 2 + 4


@requirement("project-CLI-13")
def test_technical_losses_have_a_column_when_there_are_any():
    rows = finished(4).league.standings()
    page = console(terminal=False, width=80)
    page.print(standings_table(rows))
    assert "technical" not in text_of(page)
    page = console(terminal=False, width=80)
    page.print(standings_table([*rows[:-1], replace(rows[-1], technical_losses=2)]))
    assert "technical" in text_of(page)
    numbers = [line.split()[-2] for line in text_of(page).splitlines() if "Player" in line]
    assert numbers == ["0", "0", "0", "2"]


@pytest.mark.parametrize("limit", [None, 20])
def test_a_table_with_three_tie_breaks_fits_eighty_columns(limit):
    ties = {"buchholz_cut_1": 34.5, "buchholz": 37.0, "sonneborn_berger": 111.25}
    rows = [replace(row, technical_losses=1, byes=1, tie_breaks=ties) for row in finished(4).league.standings()]
    page = console(terminal=False, width=80)
    page.print(standings_table(rows, limit))
    heading, *lines = [line for line in text_of(page).splitlines() if line.strip() and not line.strip().startswith("─")]
    assert heading.split() == ["#", "player", "P", "W", "D", "L", "T", "B", "points", "BH-C1", "BH", "SB"]
    assert len(lines) == 4
    assert all(f"{row.display_name} {row.player_id}" in line for row, line in zip(rows, lines, strict=True))


@requirement("003-IMPL-01")
def test_a_table_without_a_limit_shows_everybody():
    page = console(terminal=False)
    page.print(standings_table(finished(30).league))
    assert "Player 30 P30" in text_of(page)
    assert "more" not in text_of(page)


@pytest.mark.parametrize("terminal", [False, True])
def test_a_hostile_name_is_shown_as_the_text_it_is(terminal: bool):
    history = waiting(1)
    history.do(RegisterPlayer(agent(HOSTILE)))
    page = console(terminal=terminal)
    page.print(standings_table(history.league))
    view = PlainView(page)
    for record in history.records():
        view.league(history.league, record)
    shown = text_of(page)
    assert shown.count("[red]Bob[/red] :skull: ") == 2
    assert not set(shown) & {"\x1b", "\u202e"}


def test_a_hostile_note_is_shown_as_the_text_it_is():
    page = console(terminal=True)
    PlainView(page).note(HOSTILE)
    assert text_of(page) == "[red]Bob[/red] :skull: \ufffd[2J\ufffdevil\\\n"
    live = LiveView(console(terminal=True))
    feed(live, begun())
    live.note(HOSTILE)
    assert "[red]Bob[/red] :skull: \ufffd[2J\ufffdevil\\" in drawn(live)


def test_the_phase_says_where_a_league_stands():
    assert phase(waiting(1).league) == "summer: registration, 1 player, 1 referee"
    rules = replace(waiting(1).league.rules, registration_deadline="2025-01-15T12:00:00Z")
    closing, now = replace(waiting(1).league, rules=rules), datetime(2025, 1, 13, 11, 58, 30, tzinfo=UTC)
    assert phase(closing, now=now) == "summer: registration, 1 player, 1 referee, closes in 2 days, 0:01:30"
    late = datetime(2025, 1, 15, 12, 0, 4, tzinfo=UTC)
    assert phase(closing, now=late).endswith("1 referee, past its deadline with too few: it begins once enough are in")
    odd = replace(closing, rules=replace(rules, registration_deadline="\x1b[2Jsoon"))
    assert phase(odd, now=now) == "summer: registration, 1 player, 1 referee"
    assert phase(begun().league) == "summer: RUNNING, round 0 of 3, 0 running, 0 of 6 matches decided"
    assert phase(finished().league) == "summer: COMPLETED, round 3 of 3, 0 running, 6 of 6 matches decided"
    stopped = begun()
    stopped.do(RemovePlayer("P01"))
    stopped.do(StopLeague("enough"))
    assert phase(stopped.league) == (
        "summer: STOPPED, round 0 of 3, 0 running, 0 of 6 matches decided, 3 void; 'league resume' continues it"
    )


def test_a_league_whose_manager_paused_it_says_why():
    paused = begun()
    paused.do(StopLeague("paused: REF01 refuses"))
    assert phase(paused.league, "go on").endswith(" decided: REF01 refuses; go on")
    assert overview(paused.league).state_named == "PAUSED"


def test_of_a_league_that_is_paused_its_operator_has_to_say_that_it_goes_on():
    paused = begun()
    paused.do(StopLeague(PAUSED))
    assert phase(paused.league).endswith("; its operator can resume it")
    assert phase(paused.league, "this does").endswith("; this does")
    assert "this does" not in phase(begun().league, "this does")


@requirement("project-RUN-04", "project-RUN-05")
def test_a_terminal_gets_the_live_view_a_file_plain_lines_and_quiet_nothing():
    with view_for(console(terminal=True)) as view:
        assert isinstance(view, LiveView)
    with view_for(console(terminal=False)) as view:
        assert isinstance(view, PlainView)
    page = console(terminal=True)
    with view_for(page, quiet=True) as view:
        assert isinstance(view, SilentView)
        history = begun()
        view.league(history.league, history.records()[0])
        view.note("nobody hears this")
    assert text_of(page) == ""


def test_a_terminal_that_cannot_move_its_cursor_gets_plain_lines():
    dumb = Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": "dumb"})
    with view_for(dumb) as view:
        assert isinstance(view, PlainView)


def test_a_removed_player_is_marked_here_and_for_who_watches_from_afar():
    history = begun(3)
    history.season.play_round(1)
    history.do(RemovePlayer("P02", "unwanted"))
    page = console(terminal=False)
    page.print(standings_table(history.league))
    (line,) = [line for line in text_of(page).splitlines() if "P02" in line]
    assert "Player 2 P02 (removed)" in line
    assert text_of(page).count("removed") == 1
    seen = snapshot(history.league, len(history.records()), [])
    assert from_json(to_json(seen)) == seen
    assert (seen.overview.players, seen.overview.removed) == (3, 1)
    assert [row.player_id for row in seen.standings if row.removed] == ["P02"]
    assert [row["player_id"] for row in map(standing_json, seen.standings) if row["removed"]] == ["P02"]


WAITS = [WaitLine("R1M1 waits for TeX: move, attempt 2 of 4", "9999-01-01T00:00:00.000Z")]


def test_the_live_view_says_what_is_waited_for_while_it_lasts():
    view = LiveView(console(terminal=True))
    feed(view, under_way(4))
    view.waits(WAITS)
    assert "R1M1 waits for TeX: move, attempt 2 of 4, " in drawn(view)
    view.waits([*WAITS] * 7)
    assert "(and 3 more)" in drawn(view)
    view.waits([])
    assert "waits" not in drawn(view)


def test_a_plain_view_says_it_once():
    page = console(terminal=False)
    view = PlainView(page)
    for waits in (WAITS, WAITS, [], WAITS):
        view.waits(waits)
    assert text_of(page).count("waits for TeX: move, attempt 2 of 4, ") == 2


@pytest.mark.parametrize("height", [12, 16, 24])
def test_waits_leave_the_table_its_place_on_a_low_terminal(height: int):
    view = LiveView(console(terminal=True, height=height, width=80))
    feed(view, finished(12))
    view.waits([*WAITS] * 9)
    shown = drawn(view, height, 80).splitlines()
    assert len(shown) <= height
    assert "waits for TeX" in shown[1]
    assert sum(line.startswith(" ") and "Player " in line for line in shown) >= 3
