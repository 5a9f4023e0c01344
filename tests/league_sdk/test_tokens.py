"""Tokens: kept as digests, compared whole, derived so that one opens nothing else."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from league_sdk.tokens import digest, match_ticket, matches, peer_token, same
from tests.requirements.marker import requirement


@requirement("001-SEC-02", "004-LM-05", "project-STATE-07")
def test_a_digest_is_the_sha_256_of_the_token():
    assert digest("secret") == hashlib.sha256(b"secret").hexdigest()


@requirement("001-SEC-02", "004-LM-05", "project-STATE-07")
@given(st.text(), st.text())
def test_only_the_token_itself_matches_its_digest(token, other):
    assert matches(token, digest(token))
    assert matches(other, digest(token)) == (other == token)
    assert same(other, token) == (other == token)


def test_no_token_matches_nothing():
    assert not matches(None, digest(""))
    assert not same(None, "")


def test_a_digest_is_not_a_token():
    assert not matches(digest("secret"), digest("secret"))


def test_derived_tokens_are_the_same_every_time():
    assert peer_token("operator", "summer", "P01") == peer_token("operator", "summer", "P01")
    assert match_ticket("peer", "R1M1", 1) == match_ticket("peer", "R1M1", 1)


@requirement("002-AUTH-02")
def test_every_agent_of_every_league_has_another_peer_token():
    tokens = [
        peer_token(operator, league, agent)
        for operator in ("operator", "other")
        for league in ("summer", "winter")
        for agent in ("P01", "P02", "REF01", "")
    ]
    assert len(set(tokens)) == len(tokens)


@requirement("002-AUTH-02")
def test_every_attempt_at_every_match_has_another_ticket():
    tickets = [
        match_ticket(peer, match_id, attempt)
        for peer in ("peer", "other")
        for match_id in ("R1M1", "R1M11")
        for attempt in (1, 2, 11)
    ]
    assert len(set(tickets)) == len(tickets)


def test_moving_a_letter_from_one_part_to_the_next_gives_another_token():
    assert peer_token("k", "ab", "c") != peer_token("k", "a", "bc")


def test_a_ticket_is_no_peer_token_even_for_the_same_names():
    assert match_ticket("key", "summer", 1) != peer_token("key", "summer", "1")
