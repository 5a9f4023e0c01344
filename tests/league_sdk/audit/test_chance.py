"""Two programs written from one page come to the same chance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.audit.chance import (
    Chance,
    ChanceNeeded,
    NoChance,
    commitment_of,
    seed_of,
    seeded_secret,
)
from league_sdk.clock import HashRng, ManualClock, ManualIds
from league_sdk.domain.commands import CreateLeague
from league_sdk.domain.league import decide, fold
from league_sdk.domain.model import LeagueRules
from league_sdk.fairness import Draw
from servers.league_manager.announcements import Announcements

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
questions = st.lists(
    st.tuples(st.just("randint"), st.integers(-5, 5), st.integers(5, 2**70))
    | st.tuples(st.just("choice"), st.lists(st.integers(), min_size=1, max_size=300))
    | st.tuples(st.just("shuffled"), st.lists(st.integers(), max_size=20))
    | st.tuples(st.just("random")),
    max_size=20,
)


@given(texts, questions)
def test_the_same_seed_gives_the_same_answers_to_the_same_questions(seed, asked):
    played, audited = HashRng(seed), Chance(seed)
    for name, *arguments in asked:
        assert getattr(audited, name)(*arguments) == getattr(played, name)(*arguments)


def test_nothing_can_be_chosen_from_nothing():
    with pytest.raises(ValueError, match="nothing"):
        Chance("seed").choice([])


@given(texts, texts, texts, st.integers(1, 99), st.lists(texts, max_size=3))
def test_commitments_and_seeds_are_the_same(secret, league, match, attempt, nonces):
    draw = Draw(secret, league, match, attempt)
    assert commitment_of(secret, league, match, attempt) == draw.commitment
    assert seed_of(secret, league, match, attempt, nonces) == draw.seed(nonces)


@pytest.mark.parametrize("ask", [("random",), ("randint", 1, 2), ("choice", [1]), ("shuffled", [1])])
def test_chance_that_is_not_known_is_not_invented(ask):
    with pytest.raises(ChanceNeeded):
        getattr(NoChance(), ask[0])(*ask[1:])


@given(texts.filter(bool), texts.filter(bool), st.integers(1, 9))
def test_the_secret_of_a_seeded_league_is_the_one_that_its_referees_take(seed, match, attempt):
    league = fold(decide(None, CreateLeague(LeagueRules("summer", "even_odd", seed=seed))))
    given_to_referee = Announcements(ManualClock(), ManualIds(), "token")._seed(league, match, attempt)
    assert given_to_referee is not None
    taken = Draw.seeded(given_to_referee, "summer", match, attempt)
    assert seeded_secret(seed, "summer", match, attempt) == taken.secret
