"""Moves that a game's own rules cannot read."""

import pytest

from game_rules.even_odd import EvenOdd
from league_sdk.audit.replay import check_move
from league_sdk.clock import HashRng
from league_sdk.errors import InvalidMove

VALUES = {"even": 0, "odd": 1}


class Careless(EvenOdd):
    """A game whose check looks a move up, whatever it is."""

    def check(self, state, player, move):
        if move not in VALUES:
            raise InvalidMove("no such move")


class Broken(EvenOdd):
    """A game that fails at a legal move."""

    def check(self, state, player, move):
        raise ZeroDivisionError


def looked_at(game, move):
    check_move(game, game.start(("P01", "P02"), HashRng("seed")), "P01", move)


@pytest.mark.parametrize("move", [{"a": 1}, ["even"], {"even": 0}, "evne"])
def test_a_move_that_the_rules_cannot_read_is_illegal_for_the_audit_as_for_the_referee(move):
    """The audit said CHANGED of an honest league, since a player had sent a move that no dictionary takes as a key."""
    with pytest.raises(InvalidMove):
        looked_at(Careless(), move)


def test_a_legal_move_is_legal_and_rules_that_fail_at_one_are_at_fault():
    looked_at(Careless(), "even")
    with pytest.raises(ZeroDivisionError):
        looked_at(Broken(), "even")
