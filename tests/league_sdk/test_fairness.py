"""Commitments, seeds and reveals: what binds whom."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.clock import HashRng
from league_sdk.fairness import ALGORITHM, Draw, Pledge, digest

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
draws = st.builds(Draw, texts, texts, texts, st.integers(1, 1000))
PLAYERS = ("P01", "P02")
DRAW = Draw("a secret", "summer", "R1M1", 2)
NONCES = {"P01": "mine", "P02": "theirs"}
PLEDGE = Pledge(DRAW.commitment, "summer", "R1M1", 2, "P01", "mine")
REVEAL = DRAW.reveal(PLAYERS, NONCES)


@given(st.lists(texts, max_size=5), st.lists(texts, max_size=5))
def test_no_two_lists_of_texts_have_one_digest(one, other):
    assert (digest(*one) == digest(*other)) == (one == other)


@given(draws, draws)
def test_a_commitment_fixes_secret_league_match_and_attempt(one, other):
    assert (one.commitment == other.commitment) == (one == other)


@given(draws, st.lists(texts, min_size=2, max_size=2), st.integers(0, 1), texts)
def test_every_nonce_changes_the_seed(draw, nonces, seat, other):
    changed = [*nonces]
    changed[seat] = other
    assert (draw.seed(nonces) == draw.seed(changed)) == (nonces == changed)


@given(draws)
def test_neither_commitment_nor_seed_is_the_other_or_tells_the_secret(draw):
    assert draw.commitment != draw.seed([])
    assert len(draw.secret) < 8 or draw.secret not in draw.commitment


def test_the_seats_of_the_nonces_matter():
    assert DRAW.seed(["a", "b"]) != DRAW.seed(["b", "a"])


def test_a_seeded_draw_is_the_same_every_time_and_another_one_for_every_match_and_attempt():
    seeds = [("7", "summer", "R1M1", 1), ("8", "summer", "R1M1", 1), ("7", "winter", "R1M1", 1)]
    seeds += [("7", "summer", "R1M2", 1), ("7", "summer", "R1M1", 2)]
    assert len({Draw.seeded(*seed).secret for seed in seeds}) == len(seeds)
    assert Draw.seeded(*seeds[0]) == Draw.seeded(*seeds[0])


def test_a_reveal_holds_all_that_is_needed_to_compute_the_seed_again():
    expected = {
        "algorithm": ALGORITHM,
        "commitment": DRAW.commitment,
        "secret": "a secret",
        "nonces": NONCES,
        "seed": DRAW.seed(["mine", "theirs"]),
    }
    assert expected == REVEAL


def test_a_player_that_gave_no_nonce_counts_as_the_empty_text():
    assert DRAW.reveal(PLAYERS, {})["nonces"] == {"P01": "", "P02": ""}
    assert DRAW.reveal(PLAYERS, {})["seed"] == DRAW.seed(["", ""])


def test_the_secret_is_not_shown_by_accident():
    assert "a secret" not in repr(DRAW)


def test_an_honest_reveal_has_no_fault():
    assert PLEDGE.fault(REVEAL, PLAYERS) is None


def test_a_reveal_without_the_seed_has_no_fault():
    assert PLEDGE.fault({name: value for name, value in REVEAL.items() if name != "seed"}, PLAYERS) is None


@pytest.mark.parametrize(
    ("reveal", "fault"),
    [
        (None, "nothing was revealed"),
        (True, "nothing was revealed"),
        ({}, "no secret or no nonces"),
        ({**REVEAL, "secret": 7}, "no secret or no nonces"),
        ({**REVEAL, "nonces": ["mine"]}, "no secret or no nonces"),
        ({**REVEAL, "secret": "another"}, "not the one that was committed to"),
        ({**REVEAL, "secret": "\ud800"}, "cannot be written as UTF-8"),
        ({**REVEAL, "nonces": {**NONCES, "P01": "not mine"}}, "do not hold the one that was given"),
        ({**REVEAL, "nonces": {"P02": "theirs"}}, "do not hold the one that was given"),
        ({**REVEAL, "nonces": {**NONCES, "P02": 5}}, "not a text"),
        ({**REVEAL, "nonces": {**NONCES, "P02": "changed"}}, "does not follow"),
        ({**REVEAL, "seed": "0" * 64}, "does not follow"),
    ],
)
def test_a_dishonest_reveal_is_told_apart(reveal, fault):
    assert fault in PLEDGE.fault(reveal, PLAYERS)


@pytest.mark.parametrize("change", [{"league_id": "winter"}, {"match_id": "R1M2"}, {"attempt": 1}])
def test_a_reveal_of_another_match_does_not_fit(change):
    assert replace(PLEDGE, **change).fault(REVEAL, PLAYERS) is not None


@pytest.mark.parametrize("bound", [2, 3, 6, 10, 13, 100])
def test_numbers_drawn_from_seeds_are_uniform(bound):
    """Chi-square over 40 expected a value; the limit is exceeded by chance once in more than 10,000 draws of all."""
    trials = 40 * bound
    counts = Counter(HashRng(f"{DRAW.seed([str(trial), ''])}:1").randint(1, bound) for trial in range(trials))
    assert set(counts) == set(range(1, bound + 1))
    square = sum((counts[value] - 40) ** 2 / 40 for value in range(1, bound + 1))
    freedom = bound - 1
    limit = freedom * (1 - 2 / (9 * freedom) + 4 * (2 / (9 * freedom)) ** 0.5) ** 3
    assert square < limit


def test_numbers_are_not_taken_modulo():
    """Of the 16 patterns of four bits, modulo 10 would give 1 to 6 twice as often as 7 to 10."""
    counts = Counter(HashRng(f"{DRAW.seed(['', str(trial)])}:1").randint(1, 10) for trial in range(8000))
    low = sum(counts[number] for number in range(1, 7)) / 8000
    assert abs(low - 0.6) < 0.025  # modulo: 0.75
