"""Sums of requests, tokens and money."""

import pytest

from league_sdk.spending import Spent, dollars


def test_sums_add_up():
    assert Spent(1, 10, 2, 0.5, 1, 0) + Spent(2, 5, 1, 0.25, 0, 1) == Spent(3, 15, 3, 0.75, 1, 1)


@pytest.mark.parametrize(
    ("spent", "text"),
    [
        (Spent(1, 512, 12, 0.0021), "1 request to a model, 512 + 12 tokens, $0.0021"),
        (Spent(3, 1000, 20, 1.234), "3 requests to a model, 1000 + 20 tokens, $1.23"),
        (Spent(2, 10, 1, 0.01, estimated=1), "2 requests to a model, 10 + 1 tokens, at most $0.0100"),
        (Spent(2, 10, 1, unpriced=2), "2 requests to a model, 10 + 1 tokens, price unknown"),
        (Spent(2, 10, 1, 0.01, unpriced=1), "2 requests to a model, 10 + 1 tokens, $0.0100 and 1 without a price"),
        (Spent(), "0 requests to a model, 0 + 0 tokens, $0.0000"),
    ],
)
def test_a_sum_reads_as_a_person_would_say_it(spent: Spent, text: str):
    assert str(spent) == text


def test_as_json_an_unknown_cost_is_null():
    assert Spent(2, unpriced=2).to_json()["cost_usd"] is None
    assert Spent(2, cost=0.5, unpriced=1).to_json()["cost_usd"] == 0.5


def test_money_is_shown_to_a_hundredth_of_a_cent_below_a_dollar():
    assert (dollars(0.00011), dollars(0), dollars(1), dollars(12.345)) == ("$0.0001", "$0.0000", "$1.00", "$12.35")
