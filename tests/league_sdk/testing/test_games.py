"""`check_game` passes sound games of every kind, and finds each fault that is planted into one."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from league_sdk.clock import Rng
from league_sdk.errors import InvalidField
from league_sdk.game import Game, Json, Move, MoveSpec, Outcome
from league_sdk.testing import ContractBroken, check_game
from tests.requirements.marker import requirement


@dataclass(frozen=True)
class Table:
    players: tuple[str, ...]
    bids: tuple[tuple[int, ...], ...] = ()
    prize: int = 0


class Auction(Game[Table]):
    """A sound game to plant faults into: two rounds of secret bids by two to four players, with a prize by chance."""

    name = "auction"
    max_players = 4
    rounds = 2

    def start(self, players: Sequence[str], rng: Rng) -> Table:
        return Table(tuple(players), prize=rng.randint(1, 1000))

    def to_move(self, state: Table) -> tuple[str, ...]:
        return state.players if len(state.bids) < self.rounds else ()

    def legal_moves(self, state: Table, player: str) -> tuple[Move, ...]:
        return (0, 1, 2) if player in self.to_move(state) else ()

    def apply(self, state: Table, moves: Mapping[str, Move], rng: Rng) -> Table:
        bids = tuple(moves[player] for player in state.players)
        return replace(state, bids=(*state.bids, bids), prize=state.prize + rng.randint(0, 1000))

    def outcome(self, state: Table) -> Outcome | None:
        if self.to_move(state):
            return None
        totals = {player: float(sum(self.bids_of(state, player))) for player in state.players}
        best = [player for player in state.players if totals[player] == max(totals.values())]
        details: dict[str, Json] = {"choices": self.public_moves(state), "prize": state.prize}
        return Outcome(best[0] if len(best) == 1 else None, totals, "The highest bid wins.", details)

    def bids_of(self, state: Table, player: str) -> list[int]:
        seat = state.players.index(player)
        return [bids[seat] for bids in state.bids]

    def observe(self, state: Table, player: str) -> dict[str, Json]:
        return {"round": len(state.bids), "mine": self.bids_of(state, player)}

    def public_moves(self, state: Table) -> dict[str, list[Move]]:
        return {player: list(self.bids_of(state, player)) for player in state.players}


@requirement("project-GAMES-02")
def test_a_sound_game_passes():
    check_game(Auction())


def assert_found(game: Game[Any], message: str, **options: Any) -> None:
    with pytest.raises(ContractBroken, match=message):
        check_game(game, **options)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"name": "Auction House"}, "name must be like"),
        ({"name": None}, "name must be like"),
        ({"min_players": 1}, "min_players and max_players"),
        ({"min_players": 5}, "min_players and max_players"),
        ({"move_spec": MoveSpec(tool="Choose Move")}, "must be lower case"),
        ({"move_spec": MoveSpec(tool_aliases=("BID",))}, "must be lower case"),
        ({"move_spec": MoveSpec(call_type="bid_call")}, "must be upper case"),
        ({"move_spec": MoveSpec(response_aliases=("bid",))}, "must be upper case"),
        ({"move_spec": MoveSpec(invalid_move_name="bad bid")}, "invalid_move_name"),
        ({"move_spec": MoveSpec(response_type="MOVE_CALL")}, "must differ"),
        ({"move_spec": MoveSpec(choice_field="match_id")}, "belongs to every message"),
        ({"counters": {"rock": "paper"}}, "must be moves that are legal at the start"),
    ],
)
def test_a_wrong_name_is_found(fault: dict[str, Any], message: str):
    assert_found(type("Faulty", (Auction,), fault)(), message)


def faulty(**methods: Any) -> Game[Any]:
    return type("Faulty", (Auction,), methods)()


def late(value: Any, otherwise: Any) -> Any:
    """A method that gives `value` from the second round on."""
    return lambda self, state, *rest: value if state.bids else getattr(Auction, otherwise)(self, state, *rest)


SOUND = Auction()
ENDED = Outcome(None, {}, "Over.", {})


def outcome_with(**changes: Any) -> Any:
    def outcome(self: Auction, state: Table) -> Outcome | None:
        found = Auction.outcome(self, state)
        return None if found is None else replace(found, **changes)

    return outcome


def details_with(**changes: Any) -> Any:
    def outcome(self: Auction, state: Table) -> Outcome | None:
        found = Auction.outcome(self, state)
        return None if found is None else replace(found, details={**found.details, **changes})

    return outcome


@pytest.mark.parametrize(
    ("method", "fault", "message"),
    [
        ("to_move", lambda self, state: tuple(reversed(SOUND.to_move(state))), "in seat order"),
        ("to_move", lambda self, state: tuple(sorted(SOUND.to_move(state))), "in seat order"),
        ("to_move", late(("P99",), "to_move"), "in seat order"),
        ("to_move", lambda self, state: SOUND.to_move(state) * 2, "in seat order"),
        ("legal_moves", late((), "legal_moves"), "must not be empty for who is to move"),
        ("legal_moves", lambda self, state, player: (0, 1), "must be empty for who is not to move"),
        ("legal_moves", lambda self, state, player: (0, 1, 0), "names 0 twice"),
        ("legal_moves", lambda self, state, player: ((1, 2),), "the move has to"),
        ("legal_moves", lambda self, state, player: (float("nan"),), "the move has to be JSON"),
        ("legal_moves", lambda self, state, player: (random.random(),), "must not change between calls"),
        ("check", lambda self, state, player, move: None, "check accepted"),
        ("check", lambda self, state, player, move: int(move), "must raise InvalidMove"),
        ("outcome", lambda self, state: None, "outcome must be None exactly while"),
        ("outcome", lambda self, state: ENDED, "outcome must be None exactly while"),
        ("outcome", outcome_with(winner="P99"), "winner is 'P99'"),
        ("outcome", outcome_with(scores={}), "scores must give each player"),
        ("outcome", outcome_with(scores={"P07": float("inf"), "P03": 0.0}), "scores must give each player"),
        ("outcome", outcome_with(reason=" "), "reason must be a sentence"),
        ("outcome", details_with(prize=(1, 2)), "details has to"),
        ("outcome", outcome_with(details={}), "details need `choices`"),
        ("outcome", details_with(choices={"P07": [0]}), "details need `choices`"),
        ("outcome", details_with(choices={"P07": [9, 9], "P03": [9, 9]}), r"choices say that P07 made \[9, 9\]"),
        ("observe", lambda self, state, player: [], "observe must give a dict"),
        ("observe", lambda self, state, player: {"bids": state.bids}, "P07 observes has to"),
        ("observe", lambda self, state, player: {1: 2}, "P07 observes has to"),
        ("public_moves", lambda self, state: {"P99": []}, "names the stranger"),
        ("public_moves", lambda self, state: {"P07": [0]}, "public_moves gives P07"),
        ("public_moves", lambda self, state: {p: SOUND.bids_of(state, p)[::-1] for p in state.players}, "public_moves"),
        ("render", lambda self, state: "", "render must give some text"),
        ("render", lambda self, state: None, "render must give some text"),
        ("notation", lambda self, match: None, "notation must give text"),
        ("notation", lambda self, match: "won" if match.turns else "", "for every match or for none"),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_found(method: str, fault: Any, message: str):
    assert_found(faulty(**{method: fault}), message)


def test_refusing_a_legal_move_is_found():
    def check(self: Auction, state: Table, player: str, move: Move) -> None:
        Auction.check(self, state, player, move if move != 2 else 3)

    assert_found(faulty(check=check), "check refused the legal move 2")


def test_refusing_with_another_error_is_found():
    def check(self: Auction, state: Table, player: str, move: Move) -> None:
        if move not in SOUND.legal_moves(state, player):
            raise InvalidField("no")

    assert_found(faulty(check=check), "must raise InvalidMove for")


def test_taking_true_for_one_is_found():
    def check(self: Auction, state: Table, player: str, move: Move) -> None:
        if move not in SOUND.legal_moves(state, player):
            Game.check(self, state, player, move)

    assert_found(faulty(check=check), r"check accepted (True|1\.0)")


def test_chance_from_elsewhere_is_found_in_the_start():
    def start(self: Auction, players: Sequence[str], rng: Rng) -> Table:
        return Table(tuple(players), prize=random.randint(1, 10**9))

    assert_found(faulty(start=start), "the same seed and moves led to another state in turn 1")


def test_chance_from_elsewhere_is_found_in_a_turn():
    def apply(self: Auction, state: Table, moves: Mapping[str, Move], rng: Rng) -> Table:
        return replace(Auction.apply(self, state, moves, rng), prize=random.randint(1, 10**9))

    assert_found(faulty(apply=apply), "the same seed and moves led to another state in turn 2")


def test_chance_from_elsewhere_is_found_in_the_outcome():
    def outcome(self: Auction, state: Table) -> Outcome | None:
        found = Auction.outcome(self, state)
        return None if found is None else replace(found, winner=random.choice([*state.players, None]))

    assert_found(faulty(outcome=outcome), "the same match ended differently")


def test_a_match_kept_in_the_game_object_is_found():
    class Forgetful(Auction):
        def __init__(self) -> None:
            self.turns = 0

        def start(self, players: Sequence[str], rng: Rng) -> Table:
            self.turns = 0
            return super().start(players, rng)

        def apply(self, state: Table, moves: Mapping[str, Move], rng: Rng) -> Table:
            self.turns += 1
            return replace(super().apply(state, moves, rng), prize=self.turns)

    assert_found(Forgetful(), "keep no match in the game object")


@dataclass
class Board:
    """A state that can be changed."""

    players: list[str]
    moves: list[list[Move]] = field(default_factory=list[list[Move]])


class Mutable(Game[Board]):
    """One turn of a game over a state that could be changed, but is not."""

    name = "mutable"

    def start(self, players: Sequence[str], rng: Rng) -> Board:
        return Board(list(players))

    def to_move(self, state: Board) -> tuple[str, ...]:
        return () if state.moves else tuple(state.players)

    def legal_moves(self, state: Board, player: str) -> tuple[Move, ...]:
        return ("a", "b") if player in self.to_move(state) else ()

    def apply(self, state: Board, moves: Mapping[str, Move], rng: Rng) -> Board:
        return Board(state.players, [[moves[player] for player in state.players]])

    def outcome(self, state: Board) -> Outcome | None:
        if not state.moves:
            return None
        choices = dict(zip(state.players, state.moves[0], strict=True))
        return Outcome(None, dict.fromkeys(state.players, 0.0), "It is a draw.", {"choices": choices})


def test_a_mutable_state_passes_as_long_as_nobody_changes_it():
    check_game(Mutable())


def test_a_state_changed_by_a_turn_is_found():
    class Faulty(Mutable):
        def apply(self, state: Board, moves: Mapping[str, Move], rng: Rng) -> Board:
            state.moves.append([moves[player] for player in state.players])
            return state

    assert_found(Faulty(), "apply must return a new one")


def test_a_state_changed_by_looking_at_it_is_found():
    class Faulty(Mutable):
        def render(self, state: Board) -> str:
            state.players = [*state.players, "P99"]
            return "seen"

    assert_found(Faulty(), "looking at a state changed it")


def test_moves_changed_by_a_turn_are_found():
    class Faulty(Mutable):
        def apply(self, state: Board, moves: Mapping[str, Move], rng: Rng) -> Board:
            following = super().apply(state, moves, rng)
            moves.clear()  # type: ignore[attr-defined]
            return following

    assert_found(Faulty(), "apply changed the moves")


def test_a_list_of_players_changed_by_the_start_is_found():
    class Faulty(Mutable):
        def start(self, players: Sequence[str], rng: Rng) -> Board:
            state = Board(list(players))
            players.sort()  # type: ignore[attr-defined]
            return state

    assert_found(Faulty(), "start changed the list of players")


def test_states_that_do_not_compare_by_value_are_found():
    class Thing:
        def __init__(self, players: Sequence[str]) -> None:
            self.players, self.moves = list(players), list[list[Move]]()

    class Faulty(Mutable):
        def start(self, players: Sequence[str], rng: Rng) -> Any:
            return Thing(players)

    assert_found(Faulty(), "compare by value")


def test_a_game_without_an_end_is_found():
    assert_found(faulty(rounds=10**9), "no end after 30 turns", max_turns=30, matches=1)


def test_a_game_that_fails_only_with_more_players_is_found():
    def apply(self: Auction, state: Table, moves: Mapping[str, Move], rng: Rng) -> Table:
        return Auction.apply(self, state, {player: moves[player] for player in state.players[:2]}, rng)

    with pytest.raises(KeyError):
        check_game(faulty(apply=apply))


@dataclass(frozen=True)
class Hand:
    players: tuple[str, ...]
    picks: tuple[str, ...] = ()


class SecretPick(Game[Hand]):
    """One after the other picks a colour; the first pick has to stay secret until the second is made."""

    name = "secret_pick"

    def start(self, players: Sequence[str], rng: Rng) -> Hand:
        return Hand(tuple(players))

    def to_move(self, state: Hand) -> tuple[str, ...]:
        return state.players[len(state.picks) : len(state.picks) + 1]

    def legal_moves(self, state: Hand, player: str) -> tuple[Move, ...]:
        return ("red", "blue") if player in self.to_move(state) else ()

    def apply(self, state: Hand, moves: Mapping[str, Move], rng: Rng) -> Hand:
        return replace(state, picks=(*state.picks, *moves.values()))

    def outcome(self, state: Hand) -> Outcome | None:
        if self.to_move(state):
            return None
        choices = dict(zip(state.players, state.picks, strict=True))
        return Outcome(None, dict.fromkeys(state.players, 0.0), "It is a draw.", {"choices": choices})


def secrets(state: Hand, player: str) -> list[Json]:
    return list(state.picks) if len(state.picks) == 1 and player == state.players[1] else []


def test_a_game_that_keeps_its_secrets_passes():
    check_game(SecretPick(), secrets=secrets)


def told(self: SecretPick, state: Hand, player: str) -> dict[str, Json]:
    return {"table": {"cards": [{"colour": pick} for pick in state.picks]}}


def told_as_key(self: SecretPick, state: Hand, player: str) -> dict[str, Json]:
    return {"counts": dict.fromkeys(state.picks, 1)}


def told_in_moves(self: SecretPick, state: Hand) -> dict[str, list[Move]]:
    return {player: [pick] for player, pick in zip(state.players, state.picks, strict=False)}


@pytest.mark.parametrize(
    ("method", "fault"), [("observe", told), ("observe", told_as_key), ("public_moves", told_in_moves)]
)
def test_a_secret_that_leaks_is_found(method: str, fault: Any):
    game = type("Faulty", (SecretPick,), {method: fault})()
    check_game(game)  # nobody but its author could know that there is a secret
    assert_found(game, f"{method} tells P03 the secret '(red|blue)'", secrets=secrets)


def test_an_open_game_hides_no_move():
    game = type("Open", (SecretPick,), {"hidden": False})()
    assert_found(game, "hidden is False, and public_moves leaves out moves of P07")


def test_the_check_needs_a_match():
    assert_found(Auction(), "at least one match", matches=0)


def test_the_seed_decides_what_is_played():
    seen: list[Mapping[str, Move]] = []

    class Watched(Auction):
        def apply(self, state: Table, moves: Mapping[str, Move], rng: Rng) -> Table:
            seen.append(dict(moves))
            return super().apply(state, moves, rng)

    check_game(Watched(), seed="one")
    first, seen = seen, []
    check_game(Watched(), seed="one")
    second, seen = seen, []
    check_game(Watched(), seed="two")
    assert first == second != seen
