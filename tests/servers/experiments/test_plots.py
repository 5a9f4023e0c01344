"""Charts as files, with the names and numbers of the experiment."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from servers.experiments.plots import write_plots
from servers.experiments.report import figures_of
from servers.experiments.results import ResultsFolder
from servers.experiments.running import play_experiment
from servers.experiments.spec import ExperimentSpec
from servers.launcher.run_options import PlanError


@pytest.fixture
def folder(tmp_path) -> ResultsFolder:
    spec = ExperimentSpec("rock_paper_scissors", ("random", "always-rock", "always-paper"), matches=20)
    return ResultsFolder.create(tmp_path / "x", spec)


@pytest.fixture
def played(folder) -> ResultsFolder:
    play_experiment(folder, 1, lambda done: None)
    return folder


def test_without_matplotlib_the_line_that_installs_it_is_said(played, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PlanError, match=r"pip install 'mcp-agent-league\[analysis\]'"):
        write_plots(figures_of(played), played.path / "plots", "png")


@pytest.mark.slow
def test_nothing_is_plotted_without_matches(folder):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    with pytest.raises(PlanError, match="no matches"):
        write_plots(figures_of(folder), folder.path / "plots", "png")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_each_chart_is_a_file_and_equal_results_give_equal_files(played, kind: str):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    first = write_plots(figures_of(played), played.path / "plots", kind)
    assert [path.name for path in first] == [
        f"{name}.{kind}" for name in ("scores", "ratings", "payoffs", "convergence")
    ]
    before = [path.read_bytes() for path in first]
    assert [path.read_bytes() for path in write_plots(figures_of(played), played.path / "plots", kind)] == before
    if kind == "svg":
        assert all(ElementTree.parse(path).getroot().tag.endswith("svg") for path in first)
        assert all(name in Path(first[0]).read_text() for name in ("always-rock", "always-paper", "random"))
    else:
        assert all(each.startswith(b"\x89PNG") for each in before)


@pytest.mark.slow
def test_a_dollar_sign_in_the_name_of_a_player_is_no_formula(played):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    found = figures_of(played)
    found.scores["a$b$"] = found.scores.pop(found.rows[0]["name"])
    found.rows[0]["name"] = "a$b$"
    (scores, *_) = write_plots(found, played.path / "plots", "svg")
    assert "a$b$" in scores.read_text()
