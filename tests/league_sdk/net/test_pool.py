"""Places of a pool: by identity before address, with some kept."""

import pytest

from league_sdk.errors import RateLimited
from league_sdk.net.pool import Holder, Pool

HERE, THERE, ELSEWHERE = (Holder(f"192.0.2.{number}") for number in (1, 2, 3))
OPERATOR = Holder("192.0.2.1", "operator", kept=True)


def filled(pool: Pool, holder: Holder) -> int:
    """Take places until one is refused; how many were given."""
    for given in range(pool.size + 1):
        if pool.refusal(holder):
            return given
        pool.take(holder)
    raise AssertionError("more places than there are")


def test_an_address_has_at_most_half_and_leaves_room_for_others_and_the_operator():
    pool = Pool("event streams", 64, per_identity=4)
    assert filled(pool, HERE) == 32
    assert filled(pool, Holder("192.0.2.1", "player:P01")) == 4
    assert filled(pool, THERE) == 20
    assert pool.refusal(ELSEWHERE) == "all 56 event streams that are not kept for the operator are taken"
    assert filled(pool, OPERATOR) == 8
    assert pool.refusal(OPERATOR) == "all 64 event streams are taken"
    assert len(pool) == 64


def test_an_identity_has_its_own_share_wherever_it_comes_from():
    pool = Pool("event streams", 64, per_identity=4)
    assert filled(pool, Holder("192.0.2.1", "player:P01")) == 4
    assert pool.refusal(Holder("192.0.2.9", "player:P01")) == "player:P01 has 4 event streams already"
    assert filled(pool, Holder("192.0.2.9", "player:P02")) == 4


def test_an_ipv6_user_is_one_address():
    pool = Pool("sessions", 8, per_identity=4)
    assert filled(pool, Holder("2001:db8::1")) == 4
    assert pool.refusal(Holder("2001:db8::2")) == "address 2001:db8::/64 has 4 sessions already"


def test_a_place_that_is_left_is_free_again():
    pool = Pool("sessions", 8, per_identity=4)
    for holder in (HERE, OPERATOR):
        with pool.place(holder):
            assert len(pool) == 1
        assert len(pool) == 0
    filled(pool, HERE)
    with pytest.raises(RateLimited, match="has 4 sessions already"), pool.place(HERE):
        pass
    pool.leave(HERE)
    assert pool.refusal(HERE) == ""
