import inspect
import re
import subprocess
import sys
from importlib import metadata

import pytest

from docs.generators.commands import commands
from servers import cli
from servers.cli.app import command_line
from tests.requirements.marker import requirement

COMMANDS = [command.callback for command in command_line().registered_commands if command.callback is not None]
NAMES = [command.__name__ for command in COMMANDS]


def examples(command) -> list[str]:
    """The lines of a command's examples."""
    text = (inspect.getdoc(command) or "").partition("[bold]Examples[/bold]")[2]
    return [line.strip() for line in text.splitlines() if line.startswith("  ")]


def test_every_command_of_the_plan_is_there():
    wanted = {"run", "resume", "doctor", "manager", "referee", "player", "start"}
    assert set(NAMES) >= wanted | {"standings", "schedule", "matches", "show", "query"}


@requirement("project-CLI-09")
def test_the_help_of_every_command_teaches_by_example(league):
    for command in COMMANDS:
        shown = league(command.__name__, "--help")
        assert shown.code == 0, command.__name__
        lines = examples(command)
        assert any(line.startswith(f"league {command.__name__}") for line in lines), command.__name__
        for line in lines:
            printed = shown.out.splitlines()
            assert any(line in one for one in printed), f"broken on a terminal of 80 columns: {line}"


@requirement("project-CLI-09")
def test_every_option_of_every_command_is_explained(league):
    for command in COMMANDS:
        shown = league(command.__name__, "-h").out
        parameters = inspect.signature(command, eval_str=True).parameters.values()
        for parameter in parameters:
            option = parameter.annotation.__metadata__[0]
            assert option.help, f"{command.__name__}: {parameter.name} is not explained"
            for name in option.param_decls or ():
                assert name.split("/")[0] in shown, f"{command.__name__}: {name} is not shown"


@requirement("project-CLI-09")
@pytest.mark.parametrize("name", sorted(commands()))
def test_nothing_in_a_commands_help_is_cut_at_eighty_columns(league, name: str):
    shown = re.sub(r"[\s│]", "", league(*name.split(), "--help").out)
    for param in (each for each in commands()[name].params if not each.hidden):
        names = [name for name in param.opts if name.startswith("-")]
        for word in (*names, *(param.help or "").split()):
            assert word in shown, word


def test_the_help_of_run_has_panels(league):
    headings = re.findall("^╭─ (.*?) ─", league("run", "--help").out, re.MULTILINE)
    assert headings[:3] == ["Players and referees", "Game and tournament", "Addresses and time limits"]


def test_without_a_command_the_commands_are_listed_by_purpose(league):
    shown = league()
    assert "Begin with 'league run'" in shown.out + shown.err
    text = league("--help")
    assert text.code == 0
    for heading in ("Play a league", "One agent in the foreground", "Look at a league"):
        assert heading in text.out
    for name in NAMES:
        assert re.search(rf"^\W*{name}\s", text.out, re.MULTILINE), name


def test_the_version_is_that_of_the_distribution(league):
    shown = league("--version")
    assert (shown.code, shown.out) == (0, f"mcp-agent-league {metadata.version('mcp-agent-league')}\n")


def test_the_version_is_printed_without_what_commands_load():
    heavy = ("typer", "rich", "pydantic", "league_sdk.game", "servers.cli.app")
    check = (
        "import sys; sys.argv = ['league', '--version']; from servers.cli import main; main(); "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"mcp-agent-league {metadata.version('mcp-agent-league')}", "[]"]


def test_what_takes_seconds_to_load_is_loaded_when_it_is_needed():
    slow = {"mcp", "mcp_types", "sqlalchemy", "httpx2", "uvicorn"}
    script = f"import sys, servers.cli.app as a; a.command_line('run'); print(*{slow} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


@pytest.mark.parametrize("command", NAMES)
def test_a_command_is_the_same_by_itself_and_among_the_others(command):
    (alone,) = command_line(command).registered_commands
    (among,) = (one for one in command_line().registered_commands if one.callback is alone.callback)
    assert (alone.name, alone.rich_help_panel) == (among.name, among.rich_help_panel)


def test_a_command_that_does_not_exist_is_a_mistake(league):
    shown = league("stat")
    assert shown.code == 2
    assert "league has no command 'stat'; did you mean start? There are run, resume" in shown.err


def test_an_interruption_while_it_loads_is_no_fault(monkeypatch):
    import servers.cli.app

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(servers.cli.app, "run_app", interrupted)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 130


MISTAKES = {
    "run --players 1": "a league needs at least 2 players, got 1",
    "run --player Ada": "expected name=…,strategy=… or name=…,url=http://… or the URL of an agent",
    "run --player name=Ada": "at least 2 players, got 1",
    "run --player name=A --player name=A": "give each a name of its own",
    "run --player name=A,strategy=luck --player name=B": "no strategy 'luck'; known are alternating",
    "run --player http:// --players 4": "expected the URL of an agent",
    "run --players 436 --port-base 65000": "need more ports than there are; choose a lower --port-base",
    "run --format swiss --players 10001": "10001 players do not fit; expected 2 to 10000",
    "run --players 10001": "10001 players do not fit; expected 2 to 10000",
    "run --players 10000": "a round-robin of 10,000 players has 49,995,000 matches; it takes up to 2,000 players. "
    "The format swiss ranks more of them",
    "run --port-base 65530": "choose another --port-base",
    "run --game ludo": "there is no game 'ludo'; known are even_odd",
    "run --league nope": "known leagues: league_even_odd",
    "run --league league_even_odd --game tic_tac_toe": "leave out --game or --league",
    "run --set move": "expected KEY=VALUE, such as timeouts.move_timeout_sec=3",
    "run --set timeouts.mov=3": "there is no such setting; known are move_timeout_sec",
    "run --set timeouts.move_timeout_sec=soon": 'is "soon"; expected a number',
    "run --move-timeout -1": "expected a number above 0",
    "run --config /no/such/folder": "/no/such/folder does not exist",
    "run --data /proc/nowhere": "choose another folder with --data or LEAGUE_DATA",
    "run --store mongodb://x": "known are memory:, sqlite:, postgresql:",
    "run --plugins /no/such/folder": "name the folder that holds the plug-in files",
    "resume": "there is no league in",
    "resume nope": "there is no league 'nope'",
    "resume ../../etc": "cannot be the id of a league",
    "run --set security.tls_cert=none.pem --set security.tls_key=none.key": "none.pem with the key none.key cannot be",
    "manager --resume nope": "there are no records of league 'nope'",
    "manager --resume nope --store sqlite:///none.db": "there are no records of league 'nope'",
    "manager --league-id ../x": "cannot be the id of a league",
    "run --league-id=-rf": "'-rf' cannot be the id of a league: use letters, digits, '.', '_' and '-', and no '.'",
    "manager --league-id=-rf": "'-rf' cannot be the id of a league",
    "resume -- -rf": "'-rf' cannot be the id of a league",
    "standings -- -rf": "'-rf' cannot be the id of a league",
    "manager --game ludo": "there is no game 'ludo'",
    "manager --store mongodb://x": "known are memory:",
    "manager --players 1": "--players 1: expected a whole number of 2 or more. Example: league manager",
    "manager --or-resume": "needs --league-id",
    "manager --registration-timeout -1": "--registration-timeout -1: expected a number of 0 or more",
    "manager --stdio --json": "choose one of them",
    "manager --tls-cert none.pem --tls-key none.key": "give a PEM certificate with --tls-cert",
    "manager --tls-ca none.pem": "give a PEM file with --tls-ca",
    "referee --id REF99": "known ids: REF01, REF02",
    "referee --game ludo": "there is no game 'ludo'",
    "referee --manager here": "--manager 'here' is no URL; name its endpoint, such as http://localhost:8000/mcp",
    "referee --stdio --json": "choose one of them",
    "player --id P99": "known ids: P01, P02, P03, P04",
    "player --strategy luck": "there is no strategy 'luck'",
    "player --game ludo": "there is no game 'ludo'",
    "player --manager http://": "is no URL",
    "player --standalone --tls-cert none.pem --tls-key none.key": "give a PEM certificate with --tls-cert",
    "host --fallback luck": "there is no strategy 'luck'",
    "host --manager here": "is no URL",
    "player --port 70000": "--port 70000: expected a whole number from 0 to 65535. Example: league player",
    "player --dialect v3": "--dialect: use mcp or jsonrpc, or league.v2 or league.v1",
    "player --port": "--port needs a value",
    "run --players many": "--players many: expected a whole number of 1 or more. Example: league run --players 8",
    "run --palyers 4": "league run has no option --palyers; did you mean --players? Example: league run",
    "run extra": "league run takes no 'extra'. Example: league run. See 'league run --help'",
    "run q8Vb3nJx0sKc7Lw2Zt5yRh1m": "league run takes no 'q8Vb…'. Example: league run. See 'league run --help'",
    "bench --players x": "--players x: expected a whole number",
    "matches --limit 3": "league matches has no option --limit; it has --data, --config, --store, --json",
    "check http://127.0.0.1:9/mcp --role judge": "--role judge: expected player or referee or manager",
    "class open": "league class has no command 'open'; there are create, cards",
    "standings": "play one with 'league run', or name its folder with --data",
    "standings ../../etc": "cannot be the id of a league",
    "show": "MATCH is missing. The match, such as R1M1. Example: league show R1M1",
    "start": "play one with 'league run', or name its folder with --data",
    "query SCORE": "there are GET_STANDINGS, GET_STATUS, GET_SCHEDULE, GET_NEXT_MATCH, GET_PLAYER_STATS",
}


def test_a_mistake_is_told_in_a_sentence_that_says_what_to_do_and_leaves_nothing(league, tmp_path, monkeypatch):
    for number, (line, sentence) in enumerate(MISTAKES.items()):
        nothing = tmp_path / str(number)
        nothing.mkdir()
        monkeypatch.chdir(nothing)
        shown = league(*line.split())
        assert (shown.code, shown.out) == (2, ""), line
        told = " ".join(re.sub(r"[│╭╮╰╯─]", " ", shown.err).split())
        assert sentence in told, line
        assert "Traceback" not in shown.err, line
        assert not [*nothing.iterdir()], line
