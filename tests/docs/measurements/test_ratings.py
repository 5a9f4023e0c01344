"""The figures about ratings in the documentation, with few simulations."""

import pytest

from docs.measurements import ratings
from docs.measurements.performance import BEGIN, END
from docs.measurements.ratings import PAGE, PRINTED, elo_and_error, lead, measured


@pytest.mark.parametrize(("counts", "printed"), PRINTED, ids=str)
def test_the_page_has_the_figures_that_ratings_of_today_give(counts: tuple[int, int, int], printed: str):
    start = f"| {' / '.join(map(str, counts))} | {printed} | "
    row = next(line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(start))
    figures = [float(number) for number in row.removeprefix(start).replace("±", "|").split("|") if number.strip()]
    assert figures == pytest.approx([*elo_and_error(*counts), *lead(*counts)], abs=0.02)


def test_the_formula_gives_what_cutechess_prints():
    assert elo_and_error(99, 104, 97) == pytest.approx((2.3, 31.8), abs=0.05)
    assert elo_and_error(159, 41, 100) == pytest.approx((69.2, 37.2), abs=0.05)


@pytest.mark.slow
def test_each_table_of_the_page_is_measured_and_has_a_place_there(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("choix", reason="requirements/slow.txt brings it")
    pytest.importorskip("evalica", reason="requirements/slow.txt brings it")
    monkeypatch.setattr(ratings, "RESAMPLES", 5)
    text = PAGE.read_text(encoding="utf-8")
    for name, found in measured(2).items():
        assert found.startswith("|")
        assert BEGIN.format(name) in text
        assert END.format(name) in text
