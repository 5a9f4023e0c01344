from league_sdk.settings import ConfigError, Problem
from league_sdk.settings.problems import NOTHING


def test_one_problem_is_one_line():
    error = ConfigError([Problem("config/system.json", "a.b", 3, "a text")])
    assert str(error) == "The configuration cannot be used: config/system.json: a.b is 3; expected a text"


def test_several_problems_are_a_line_each():
    error = ConfigError([Problem("x", "", NOTHING, "does not exist"), Problem("y", "a", "ü", "a number")])
    assert str(error).splitlines() == [
        "The configuration cannot be used, 2 problems:",
        "  x: does not exist",
        '  y: a is "ü"; expected a number',
    ]
    assert len(error.problems) == 2
