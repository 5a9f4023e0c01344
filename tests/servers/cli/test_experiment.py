import sys
from collections import Counter
from pathlib import Path

import pytest

from league_sdk.ratings.sprt import Sprt
from servers.cli.experiment import _Lines
from servers.cli.experiment_summary import sprt_text


def test_an_experiment_is_played_and_its_standings_shown(league, tmp_path):
    ran = league("experiment", "run", "--game", "tic_tac_toe", "-s", "random", "-s", "always-b2", "--matches", 200)
    assert ran.code == 0
    assert ran.out.index("always-b2") < ran.out.index("random")
    assert "200 matches" in ran.out
    assert "rating" in ran.out
    assert ran.err.splitlines()[-1] == "200 of 200 matches, 0 s left"
    table = (tmp_path / "experiments" / "tic_tac_toe" / "matches.csv").read_text().splitlines()
    assert len(table) == 201


def test_a_file_describes_an_experiment_and_options_replace_its_fields(league, tmp_path):
    (tmp_path / "x.toml").write_text(
        'game = "rock_paper_scissors"\nstrategies = ["random", "always-rock"]\nmatches = 4\n[options]\nrounds = 3\n'
    )
    ran = league("experiment", "run", "x.toml", "--matches", 6, "--option", "rounds=1", "--json").json
    assert (ran["matches"], ran["played_now"]) == (6, 6)
    assert {row["name"]: row["matches"] for row in ran["standings"]} == {"random": 6, "always-rock": 6}
    turns = {line.split(",")[8] for line in (tmp_path / "experiments/x/matches.csv").read_text().splitlines()[1:]}
    assert turns == {"1"}
    again = league("experiment", "resume", "experiments/x", "--json").json
    assert (again["played_now"], again["standings"]) == (0, ran["standings"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('game = "even_odd"\n\nmatchs = 3', "line 3: 'matchs' means nothing here; did you mean matches?"),
        ('game = "even_odd"\n[option]\nx = 3', "line 2: 'option' means nothing here; did you mean options?"),
        ("matches = 2\ngame = 4", "line 2: game is 4, expected the name of a game"),
        ('strategies = "random"', "line 1: strategies is 'random', expected a list of names"),
        ("strategies = [1, 2]", "line 1: strategies is [1, 2], expected a list of names"),
        ("matches = true", "line 1: matches is True, expected a whole number"),
        ("game = ", "cannot be read as TOML: Invalid value (at end of document)"),
        ('game = "even_od"\nstrategies = ["random", "random"]', "there is no game 'even_od'; did you mean even_odd?"),
        ('game = "even_odd"\nstrategies = ["randm", "random"]', "there is no strategy 'randm'; did you mean random?"),
        ('game = "even_odd"\nstrategies = ["always-eve", "random"]', "even_odd has no move 'eve'; did you mean even?"),
        ('game = "even_odd"\nstrategies = ["random"]', "needs two strategies"),
        ('game = "even_odd"\nstrategies = ["random", "llm"]', "'llm' asks a language model"),
        ('game = "tic_tac_toe"\nstrategies = ["random", "mcts-0.5s"]', "'mcts-0.5s' thinks by the clock"),
        ('game = "even_odd"\nstrategies = ["random", "random"]\nmatches = 3', "matches is 3: an even number"),
        ('game = "even_odd"\nstrategies = ["random", "random"]\nrepetitions = 0', "repetitions is 0"),
        ('game = "even_odd"\nstrategies = ["random", "random"]\noptions.top = 3', "'even_odd' has no option 'top'"),
        ('strategies = ["random", "random"]', "an experiment needs game"),
        ("until_ordered = 95", "line 1: until_ordered is 95, expected a confidence"),
        (
            'game = "even_odd"\nstrategies = ["random", "random"]\nuntil_ordered = 1.5',
            "until_ordered is 1.5, expected a confidence from 0.5 and below 1, such as 0.95",
        ),
        (
            'game = "even_odd"\nstrategies = ["random", "random"]\nuntil_ordered = 0.9\nsprt = [0, 20]',
            "two rules to stop by",
        ),
    ],
)
def test_a_mistake_is_told_in_a_sentence(league, tmp_path, text, said):
    (tmp_path / "x.toml").write_text(text)
    ran = league("experiment", "run", "x.toml")
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert not (tmp_path / "experiments").exists()


def test_moves_that_had_to_be_substituted_are_shown(league, tmp_path):
    plugin = tmp_path / "mine" / "broken.py"
    plugin.parent.mkdir()
    plugin.write_text(
        "from league_sdk import strategy\n\n@strategy('broken', 'Fails.')\ndef broken(view):\n    return 1 / 0\n"
    )
    arguments = ("experiment", "run", "--game", "even_odd", "-s", "broken", "-s", "random", "--matches", 10)
    ran = league(*arguments, "--plugins", "mine")
    assert (
        "broken: 10 moves substituted, most often because it failed (raised ZeroDivisionError; 10 matches)" in ran.out
    )


def test_a_game_that_fails_ends_the_experiment_with_its_match(league, tmp_path):
    plugin = tmp_path / "mine" / "faulty.py"
    plugin.parent.mkdir()
    plugin.write_text(
        "from game_rules.even_odd import EvenOdd\n\nclass Faulty(EvenOdd):\n    name = 'faulty'\n\n"
        "    def apply(self, state, moves, rng):\n        raise RuntimeError('broken rules')\n"
    )
    ran = league("experiment", "run", "--game", "faulty", "-s", "random", "-s", "random", "--plugins", "mine")
    assert ran.code == 1
    assert "faulty failed in match R1P1-2M1, random against random 2: RuntimeError: broken rules" in ran.err
    assert "league experiment resume experiments/faulty" in ran.err


def test_ctrl_c_says_how_to_go_on(league, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("servers.experiments.running.play_batch", interrupted)
    ran = league("experiment", "run", "--game", "even_odd", "-s", "random", "-s", "random")
    assert (ran.code, ran.out) == (130, "")
    assert ran.err == "interrupted; continue with: league experiment resume experiments/even_odd\n"


def test_progress_is_a_line_for_each_tenth_with_the_time_left(capsys):
    seconds = iter(range(100))
    lines = _Lines(100, "matches", lambda: next(seconds))
    for done in (50, 60, 61, 100):
        lines(done)
    assert capsys.readouterr().err.splitlines() == [
        "60 of 100 matches, 4 s left",
        "100 of 100 matches, 0 s left",
    ]


def test_ratings_are_left_out_without_their_libraries_and_how_to_get_them_is_said(league, monkeypatch):
    monkeypatch.delitem(sys.modules, "league_sdk.ratings.bradley_terry", raising=False)
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    ran = league("experiment", "run", "--game", "even_odd", "-s", "random", "-s", "random", "--matches", 20)
    assert ran.code == 0
    assert "pip install 'mcp-agent-league[analysis]'" in ran.out
    assert "±" not in ran.out


def test_strategies_that_cannot_be_told_apart_are_said_to_be_so(league):
    ran = league("experiment", "run", "--game", "even_odd", "-s", "random", "-s", "random", "--matches", 20)
    assert "No two strategies are distinguishable" in ran.out


def test_matches_that_all_went_the_same_way_are_pointed_out(league):
    arguments = ("--game", "rock_paper_scissors", "-s", "always-rock", "-s", "always-paper", "--matches", 20)
    ran = league("experiment", "run", *arguments)
    assert "always-rock and always-paper went the same way in every match: to repeat that tells nothing" in ran.out
    ran = league("experiment", "run", *arguments, "-s", "always-scissors", "--output", "three")
    assert "always-rock and always-paper went the same way in every match; so did 2 other pairs:" in ran.out


def test_each_two_play_until_it_is_known_who_is_better_and_the_order_is_said(league):
    strategies = [word for name in ("rock", "paper", "scissors") for word in ("-s", f"always-{name}")]
    arguments = ("experiment", "run", "--game", "rock_paper_scissors", "--matches", 500, "--until-ordered", 0.95)
    two = league(*arguments, *strategies[:4], "--output", "two")
    assert "order, with a confidence of 0.95: always-paper, always-rock" in two.out
    assert "100 matches" in two.out
    circle = league(*arguments, *strategies, "--output", "circle", "--json").json
    assert (circle["matches"], circle["order"]) == (300, [])
    assert [(each["better"], each["matches"]) for each in circle["comparisons"]] == [
        ("always-paper", 100),
        ("always-rock", 100),
        ("always-scissors", 100),
    ]
    assert league("experiment", "resume", "two", "--json").json["played_now"] == 0
    assert league("experiment", "report", "two").code == 0
    assert "Order, with a confidence of 0.95: <bdi>always-paper</bdi>" in Path("two/report.html").read_text()


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ([1.0] * 200, "leads random by more than 0 points (H1)"),
        ([0.5] * 200, "leads random by less than 20 points (H0)"),
    ],
    ids=["H1", "H0"],
)
def test_a_sequential_test_claims_no_more_than_the_hypothesis_that_it_refutes(scores, told):
    test = Sprt(0, 20, seen=Counter(scores))
    assert told in sprt_text(test, ("minimax", "random"))


def test_who_cannot_be_told_apart_is_named_after_the_limit(league):
    strategies = ("-s", "random", "-s", "random", "-s", "alternating")
    ran = league("experiment", "run", "--game", "even_odd", *strategies, "--matches", 20, "--until-ordered", 0.99)
    assert "not known which is better: random or random 2 (after 20 matches); random or alternating" in ran.out
    assert league("experiment", "report", "experiments/even_odd").code == 0
    assert "not known" in Path("experiments/even_odd/report.html").read_text()


def test_the_report_of_an_experiment_is_written_into_its_folder_or_where_it_is_asked_for(league, tmp_path):
    first = league(
        "experiment", "run", "--game", "even_odd", "-s", "random", "-s", "random", "--matches", 20, "--report"
    )
    assert first.err.endswith("the report is in experiments/even_odd/report.html\n")
    (tmp_path / "experiments" / "even_odd" / "report.html").unlink()
    ran = league("experiment", "report", "experiments/even_odd")
    assert (ran.code, ran.out) == (0, "the report is in experiments/even_odd/report.html\n")
    assert league("experiment", "report", "experiments/even_odd", "-o", "mine.html").code == 0
    written = tmp_path / "experiments" / "even_odd" / "report.html"
    assert written.read_text() == (tmp_path / "mine.html").read_text()
    assert league("experiment", "report", "experiments/none").code == 2


def test_a_sequential_test_is_told_with_its_bounds(league):
    arguments = ("experiment", "run", "--game", "even_odd", "-s", "random", "-s", "random", "--matches", 20)
    ran = league(*arguments, "--sprt", "0,20")
    assert "SPRT [0, 20]: not decided; it wants more matches; LLR " in ran.out
    assert "of (-2.94, 2.94)" in ran.out
    assert "two leads in Elo points" in league(*arguments, "--sprt", "much").err
    assert "sprt takes two strategies and two leads" in league(*arguments, "--sprt", "20,0").err
    assert "sprt takes two strategies and two leads" in league(*arguments, "-s", "random", "--sprt", "0,20").err


def test_an_experiment_is_audited_with_exit_codes_like_a_leagues(league, tmp_path):
    ran = league("experiment", "run", "--game", "even_odd", "-s", "random", "-s", "frequency", "--matches", 20)
    head = next(line for line in ran.out.splitlines() if line.startswith("head: ")).split()[1]
    folder = "experiments/even_odd"
    good = league("experiment", "audit", folder, "--all", "--head", head)
    assert good.code == 0
    assert "Played again: 20 matches." in good.out
    assert good.out.splitlines()[-1] == "Nothing that could be checked was changed."
    assert league("experiment", "audit", folder, "--sample", 4, "--json").json["replayed"] == 4
    table = tmp_path / folder / "matches.csv"
    lines = table.read_text().splitlines(keepends=True)
    table.write_text("".join(lines[:3] + lines[4:]))
    bad = league("experiment", "audit", folder)
    assert bad.code == 1
    assert "R1P1-2M3 is missing" in " ".join(bad.out.split())
    resumed = league("experiment", "resume", folder)
    assert (resumed.code, resumed.out) == (1, "")
    assert "R1P1-2M3 is missing" in resumed.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--all", "--sample", 3), "--all and --sample: one of them"),
        (("--head", "3f5a"), "expected the 64 digits that a run of the experiment printed"),
        ((), "there is no experiment in"),
    ],
)
def test_a_mistake_in_an_audit_of_an_experiment_is_told_in_a_sentence(league, arguments, said):
    ran = league("experiment", "audit", "experiments/none", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
