import csv

import pytest

from servers.experiments.sweep import combinations_of, opened
from servers.launcher.run_options import PlanError

FILE = """
game = "rock_paper_scissors"
strategies = ["pattern-{length}", "random"]
matches = 4

[sweep]
length = [1, 2]
rounds = [1, 3]
"""


def test_every_combination_is_an_experiment_of_its_own(league, tmp_path):
    (tmp_path / "grid.toml").write_text(FILE)
    ran = league("experiment", "run", "grid.toml")
    assert ran.code == 0
    names = ["length=1,rounds=1", "length=1,rounds=3", "length=2,rounds=1", "length=2,rounds=3"]
    assert [line for line in ran.out.splitlines() if line in names] == names
    folders = opened(tmp_path / "experiments" / "grid")
    assert [folder.path.name for folder in folders] == names
    assert folders[1].spec.strategies == ("pattern-1", "random")
    assert folders[1].spec.options == {"rounds": 3}
    with (tmp_path / "experiments" / "grid" / "sweep.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    assert {row["matches"] for row in rows} == {"4"}


def test_a_sweep_is_gone_on_with_as_a_whole(league, tmp_path):
    (tmp_path / "grid.toml").write_text(FILE)
    league("experiment", "run", "grid.toml")
    table = tmp_path / "experiments/grid/length=2,rounds=1/matches.csv"
    whole = table.read_bytes()
    table.write_bytes(whole[:-30])
    assert league("experiment", "resume", "experiments/grid").code == 0
    assert table.read_bytes() == whole


def test_a_sweep_that_is_there_already_is_named_as_a_whole(league, tmp_path):
    (tmp_path / "grid.toml").write_text(FILE)
    league("experiment", "run", "grid.toml")
    again = league("experiment", "run", "grid.toml", "--seed", "2")
    assert again.code == 2
    assert "experiments/grid holds the experiments of a sweep: continue them with" in again.err
    assert "'league experiment resume experiments/grid'" in again.err
    (tmp_path / "grid.toml").write_text(FILE.replace("length =", "seed =").replace("{length}", "1"))
    swept = league("experiment", "run", "grid.toml", "--seed", "2")
    assert (swept.code, "--seed: the sweep in grid.toml has values for it" in swept.err) == (2, True)


def test_fields_of_the_experiment_can_be_swept():
    given = {"game": "even_odd", "strategies": ["random", "random"], "sweep": {"seed": [1, 2], "memory": [True]}}
    assert [(label, fields["seed"], fields["memory"]) for label, fields in combinations_of(given)] == [
        ("seed=1,memory=True", 1, True),
        ("seed=2,memory=True", 2, True),
    ]


def test_names_of_folders_lead_nowhere_else():
    given = {"game": "x", "strategies": ["always-{move}", "random"], "sweep": {"move": ["../../etc", "a b"]}}
    assert [label for label, _ in combinations_of(given)] == ["move=.._.._etc", "move=a_b"]


@pytest.mark.parametrize(("swept", "said"), [({"rounds": 3}, "expected a list"), ({"rounds": []}, "expected a list")])
def test_a_sweep_without_values_is_refused(swept, said):
    with pytest.raises(PlanError, match=said):
        combinations_of({"game": "x", "strategies": [], "sweep": swept})


def test_a_sweep_that_is_too_great_is_refused():
    with pytest.raises(PlanError, match="10000 combinations"):
        combinations_of({"strategies": [], "sweep": {name: list(range(100)) for name in "ab"}})


def test_an_option_that_the_game_does_not_have_is_named_before_anything_is_played(league, tmp_path):
    (tmp_path / "grid.toml").write_text(FILE.replace("rounds = [", "round = ["))
    ran = league("experiment", "run", "grid.toml")
    assert (ran.code, ran.out) == (2, "")
    assert "has no option 'round'" in ran.err
    assert not (tmp_path / "experiments").exists()
