"""Axelrod's ten basic strategies: by its own library, and by this project's experiments."""

from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from servers.experiments.batches import batches, play_batch
from servers.experiments.results import ResultsFolder
from servers.experiments.running import play_experiment
from servers.experiments.spec import make_spec

FOLDER = Path(__file__).parent / "axelrod_basic"
TURNS = 200


def named(player: Any) -> str:
    """The name of a strategy of the library in this project's copy."""
    name = str(player.name).replace(" ", "-").lower()
    return f"basic-{name}"


def spec_of(names: list[str], matches: int = 2) -> Any:
    fields = {"game": "iterated_prisoners_dilemma", "options": {"turns": TURNS}, "plugins": [str(FOLDER)]}
    return make_spec({**fields, "strategies": names, "matches": matches})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_ten_basic_strategies_score_and_rank_as_in_axelrods_own_library(tmp_path):
    axelrod: Any = import_module("axelrod")
    players = [player() for player in axelrod.basic_strategies]
    names = [named(player) for player in players]
    theirs = dict[tuple[str, str], tuple[float, float]]()
    for (one, first), (two, second) in combinations(zip(names, players, strict=True), 2):
        match = axelrod.Match((first, second), turns=TURNS)
        match.play()
        theirs[one, two] = match.final_score()
    folder = ResultsFolder.create(tmp_path / "ten", spec_of(names))
    play_experiment(folder, 1, lambda done: None)
    ours = {(row[2], row[3]): (float(row[5]), float(row[6])) for row in folder.rows()}
    assert {pair: ours[pair] for pair in theirs} == theirs
    assert all(ours[two, one] == (second, first) for (one, two), (first, second) in theirs.items())
    totals = {name: sum(scores[pair.index(name)] for pair, scores in theirs.items() if name in pair) for name in names}
    ranked = axelrod.Tournament(players, turns=TURNS, repetitions=1).play(progress_bar=False).ranked_names
    points = [totals[f"basic-{name.split(':')[0].replace(' ', '-').lower()}"] for name in ranked]
    assert points == sorted(points, reverse=True)


def test_the_copies_play_as_their_names_say():
    names = ["basic-tit-for-tat", "basic-defector"]
    (batch,) = batches(spec_of(names))
    assert "199,204,200," in play_batch(spec_of(names), batch)
