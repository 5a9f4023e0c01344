import asyncio
import csv
import sys

import pytest

from league_sdk import Experiment

EXPERIMENT = Experiment("rock_paper_scissors", ["random", "always-rock"], matches=20, options={"rounds": 3}, seed=7)


def test_an_experiment_gives_its_standings_and_its_table(tmp_path):
    told: list[tuple[int, int]] = []
    results = EXPERIMENT.run(tmp_path / "one", progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 20), (20, 20)]
    assert {row["name"]: row["matches"] for row in results.standings} == {"random": 20, "always-rock": 20}
    assert len(list(csv.DictReader(results.table.open()))) == 20


def test_the_same_experiment_in_the_same_folder_is_not_played_again(tmp_path):
    first = EXPERIMENT.run(tmp_path)
    told: list[int] = []
    assert EXPERIMENT.run(tmp_path, progress=lambda done, total: told.append(done)) == first
    assert told == [20]
    with pytest.raises(ValueError, match="holds another experiment"):
        Experiment("rock_paper_scissors", ["random", "random"]).run(tmp_path)


def test_a_mistake_is_a_value_error_that_says_what_is_wrong(tmp_path):
    with pytest.raises(ValueError, match="matches is 3: an even number"):
        Experiment("even_odd", ["random", "random"], matches=3).run(tmp_path)


def test_the_table_is_a_data_frame_with_pandas(tmp_path):
    pytest.importorskip("pandas")
    frame = EXPERIMENT.run(tmp_path).to_pandas()
    assert len(frame) == 20
    assert frame.groupby("first").size().to_dict() == {"random": 10, "always-rock": 10}
    assert frame["winner"].isin(["", "random", "always-rock"]).all()
    assert frame["turns"].eq(3).all()


def test_without_pandas_the_command_that_installs_it_is_named(tmp_path, monkeypatch):
    results = EXPERIMENT.run(tmp_path)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'mcp-agent-league\[analysis\]'"):
        results.to_pandas()


def test_the_table_is_also_parquet_with_pyarrow(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    results = EXPERIMENT.run(tmp_path)
    table = parquet.read_table(tmp_path / "matches.parquet")
    assert table.num_rows == 20
    assert table.column_names == results.table.read_text().splitlines()[0].split(",")
    assert str(table.schema.field("winner").type) == "string"


@pytest.mark.slow
def test_a_notebook_may_run_an_experiment_within_its_loop(tmp_path):
    plugin = tmp_path / "mine" / "waiting.py"
    plugin.parent.mkdir()
    plugin.write_text(
        "import asyncio\nfrom league_sdk import strategy\n\n@strategy('waiting', 'Waits.')\n"
        "async def waiting(view):\n    await asyncio.sleep(0)\n    return view.legal_moves[0]\n"
    )

    async def notebook():
        experiment = Experiment("even_odd", ["waiting", "random"], matches=10, plugins=[plugin.parent])
        return experiment.run(tmp_path / "results")

    results = asyncio.run(notebook())
    assert [row["substituted"] for row in results.standings] == [0, 0]
