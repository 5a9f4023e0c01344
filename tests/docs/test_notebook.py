"""The notebook on experiments is run from its first cell to its last."""

from importlib import import_module
from typing import Any

import pytest

from tests.docs.markdown import ROOT

NOTEBOOK = ROOT / "docs" / "how_to" / "compare_strategies.ipynb"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_comes_from_its_question_to_an_answer(tmp_path):
    nbformat: Any = import_module("nbformat")
    client: Any = import_module("nbclient")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    text = "".join(
        output.get("data", {}).get("text/plain", "") for cell in notebook.cells for output in cell.get("outputs", [])
    )
    assert "random is not distinguishable from" in text
    assert "alternating" in text
    assert len((tmp_path / "rounds" / "matches.csv").read_text().splitlines()) == 601


def test_the_notebook_is_kept_without_results():
    notebook = NOTEBOOK.read_text("utf-8")
    assert '"outputs": []' in notebook
    assert '"execution_count": 1' not in notebook
