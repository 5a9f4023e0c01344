"""The studies of the documentation, with few matches."""

import pytest

from docs.measurements.performance import BEGIN, END
from docs.measurements.studies import PAGE, holm, measured


def test_p_values_are_corrected_as_holm_does():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.5]) == [1.0, 1.0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Precision loss")  # four pairs may all come out alike
def test_each_study_of_the_page_is_played_and_has_a_place_there():
    text = PAGE.read_text(encoding="utf-8")
    for name, found in measured(8).items():
        assert found.startswith(("|", "`"))
        assert BEGIN.format(name) in text
        assert END.format(name) in text
