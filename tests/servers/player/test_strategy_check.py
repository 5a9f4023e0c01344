"""A strategy is looked at before anything is started."""

from pathlib import Path

import pytest

from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.plugins import PluginError
from league_sdk.settings import ConfigLoader
from servers.player.strategy_check import check_move_named, check_strategy_named
from tests.requirements.marker import requirement


@pytest.fixture
def config(tmp_path: Path) -> ConfigLoader:
    return ConfigLoader(environ={}, cwd=tmp_path)


@requirement("project-CLI-14")
def test_a_move_that_the_game_does_not_have_is_refused_with_those_it_has(config: ConfigLoader):
    with pytest.raises(PluginError) as caught:
        check_strategy_named("always-evan", (), config, [plugins.game("even_odd")])
    assert str(caught.value) == (
        "strategy 'always-evan': even_odd has no move 'evan'; did you mean even? Known are even, odd"
    )


@pytest.mark.parametrize("name", sorted(plugins.game_classes()))
def test_every_first_move_of_every_game_is_taken(name: str, config: ConfigLoader):
    game = plugins.game(name)
    state = game.start(["P01", "P02"], HashRng("any"))
    for move in game.legal_moves(state, game.to_move(state)[0]):
        check_strategy_named(f"always-{move}", (), config, [game])


def test_one_game_that_has_the_move_is_enough_where_several_can_be_played():
    check_move_named("always-rock", (), plugins.games().values())
    with pytest.raises(PluginError, match=r"even_odd has no move 'banana'.*; rock_paper_scissors has no move"):
        check_move_named("always-banana", (), plugins.games().values())


def test_other_arguments_are_no_moves():
    check_move_named("pattern-2", (), [plugins.game("even_odd")])


@requirement("project-CFG-04")
@pytest.mark.parametrize(
    ("given", "meant"), [("mirorr", "mirror"), ("allways-even", "always-even"), ("paterns-2", "pattern-2")]
)
def test_a_misspelt_strategy_is_answered_with_the_nearest(given: str, meant: str, config: ConfigLoader):
    with pytest.raises(PluginError, match=rf"there is no strategy '{given}'; did you mean {meant}\? Known are altern"):
        check_strategy_named(given, (), config)
