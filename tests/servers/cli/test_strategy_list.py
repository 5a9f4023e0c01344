import sys
from types import ModuleType


def test_all_strategies_are_listed_with_their_arguments(league):
    shown = league("strategies", "--json")
    found = {item["strategy"]: item for item in shown.json["strategies"]}
    assert (shown.code, shown.err) == (0, "")
    assert {"always", "frequency", "llm", "minimax", "random"} <= set(found)
    assert (found["minimax"]["argument"], found["random"]["argument"]) == ("positions", "")
    assert all(item["description"].endswith(".") for item in found.values())


def test_an_argument_that_may_be_left_out_is_in_brackets(league):
    lines = league("strategies").out.splitlines()
    assert [line.split()[0] for line in lines if line.strip().startswith(("always", "mcts", "random"))] == [
        "always-<move>",
        "mcts[-<simulations>]",
        "random",
    ]


def test_a_strategy_of_a_folder_of_plug_ins_is_listed(league, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from league_sdk import strategy\n\n@strategy('contrarian')\ndef choose(view):\n"
        "    '''Chooses the last legal move.'''\n    return view.legal_moves[-1]\n"
    )
    shown = league("strategies", "--plugins", tmp_path)
    assert [line.split(maxsplit=1)[1].strip() for line in shown.out.splitlines() if " contrarian " in line] == [
        "Chooses the last legal move."
    ]


class Axelrod(ModuleType):
    """A library of two strategies."""

    all_strategies = (type("Cooperator", (), {}), type("TitForTat", (), {}))


def test_the_strategies_of_a_library_are_named_when_asked_for(league, monkeypatch):
    monkeypatch.setitem(sys.modules, "axelrod", Axelrod("axelrod"))
    assert "axelrod:NAME; 'league strategies --all' lists them" in league("strategies").out.replace("\n", " ")
    assert "2 of the library axelrod: axelrod:Cooperator, axelrod:TitForTat." in league("strategies", "--all").out
    assert league("strategies", "--all", "--json").json["libraries"] == {"axelrod": ["Cooperator", "TitForTat"]}


def test_a_library_that_is_not_installed_is_told_with_the_line_that_installs_it(league, monkeypatch):
    monkeypatch.setitem(sys.modules, "axelrod", None)
    assert "Not installed: the library axelrod. pip install" in league("strategies", "--all").out
    shown = league("strategies", "--all", "--json").json
    assert [library["library"] for library in shown["not_installed"]] == ["axelrod"]
