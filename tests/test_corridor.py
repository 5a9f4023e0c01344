"""The way of a move through the product stays as short as it is."""

from tests.corridor import rooms, trace

MOST_INSIDE = 28
MOST_ENTERED = 62  # 59, and a few more that get between on a busy machine


def test_a_move_crosses_few_files_on_its_way_to_the_strategy():
    move = trace()
    assert move.inside[0] == "servers/referee/match_runner.py"
    assert move.inside[-1].startswith("servers/player/strategies/")
    assert len(move.inside) <= MOST_INSIDE, move.inside
    assert set(move.inside) <= set(move.out) <= set(move.both_ways)
    assert len(move.out) <= MOST_ENTERED, move.out
    assert len(rooms(move.inside)) < len(rooms(move.out))
