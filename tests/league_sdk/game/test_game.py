from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.clock import HashRng, Rng
from league_sdk.errors import InvalidMove
from league_sdk.game import Game, Move, MoveSpec, Outcome, PastMatch, PlayerView

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@dataclass(frozen=True)
class Choices:
    players: tuple[str, ...]


class Pick(Game[Choices]):
    """As little as a game can declare; it offers whatever it is given."""

    name = "pick"

    def __init__(self, *options: Move) -> None:
        self.options = options

    def start(self, players: Sequence[str], rng: Rng) -> Choices:
        return Choices(tuple(players))

    def to_move(self, state: Choices) -> tuple[str, ...]:
        return state.players

    def legal_moves(self, state: Choices, player: str) -> tuple[Move, ...]:
        return self.options

    def apply(self, state: Choices, moves: Mapping[str, Move], rng: Rng) -> Choices:
        return state

    def outcome(self, state: Choices) -> Outcome | None:
        return None


STATE = Choices(("P01", "P02"))


def test_a_game_that_declares_nothing_has_the_general_spellings_and_hides_everything():
    game = Pick("x")
    assert game.move_spec == MoveSpec("choose_move", (), "MOVE_CALL", "MOVE_RESPONSE", (), "move")
    assert game.observe(STATE, "P01") == {}
    assert game.public_moves(STATE) == {}
    assert game.counters == {}
    assert game.render(STATE) == "Choices(players=('P01', 'P02'))"
    assert (game.min_players, game.max_players) == (2, 2)


@pytest.mark.parametrize("lookalike", [True, 1.0, "1", [1]])
def test_what_only_looks_like_a_legal_move_is_refused(lookalike: Move):
    with pytest.raises(InvalidMove) as caught:
        Pick(1, 2).check(STATE, "P01", lookalike)
    assert caught.value.context == {"field": "move", "value": lookalike, "expected": [1, 2]}


@given(move=JSON, others=st.lists(JSON, max_size=3))
def test_any_json_value_can_be_a_move(move: Move, others: list[Move]):
    Pick(*others, move).check(STATE, "P01", move)


@given(move=JSON)
def test_nothing_is_legal_where_nothing_is_offered(move: Move):
    with pytest.raises(InvalidMove):
        Pick().check(STATE, "P01", move)


def past(opponent: str, *moves: Move) -> PastMatch:
    return PastMatch("R1M1", "L", opponent, "", "DRAW", opponent_moves=moves)


def test_a_view_gathers_what_is_known_of_the_present_opponent_in_order():
    view = PlayerView(
        "pick", "L", "R3M1", 3, "P01", "P02",
        legal_moves=("a",),
        opponent_moves=("e", "f"),
        history=(past("P02", "a", "b"), past("P03", "c"), past("P02"), past("P02", "d")),
    )  # fmt: skip
    assert [len(match.opponent_moves) for match in view.against_opponent()] == [2, 0, 1]
    assert view.seen_moves() == ("a", "b", "d", "e", "f")


def test_the_chance_of_a_view_is_its_own():
    one, two = (PlayerView("pick", "L", "R1M1", 1, "P01", "P02", legal_moves=("a",)) for _ in range(2))
    assert one.rng is not two.rng
    assert one.rng.randint(1, 10**9) == two.rng.randint(1, 10**9) == HashRng("view").randint(1, 10**9)
