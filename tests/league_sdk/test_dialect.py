"""An agent's dialect, as a value and as text."""

import pytest

from league_sdk.dialect import Dialect, known_dialect, parse_dialect


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("", Dialect()),
        ("mcp", Dialect("mcp")),
        ("league.v1", Dialect(protocol="league.v1")),
        ("jsonrpc/league.v1/push", Dialect("jsonrpc", "league.v1", push=True)),
        ("jsonrpc/league.v2?", Dialect("jsonrpc", "league.v2", assumed=True)),
    ],
)
def test_a_dialect_is_text_and_back(text, dialect):
    assert parse_dialect(text) == dialect
    assert str(dialect) == text


@pytest.mark.parametrize("text", ["smtp", "mcp/jsonrpc", "league.v1/league.v2", "push/push", "/", "mcp/"])
def test_what_is_no_dialect_is_refused_and_names_what_there_is(text):
    with pytest.raises(ValueError, match=r"any of mcp, jsonrpc, league\.v2, league\.v1, push"):
        parse_dialect(text)


def test_of_a_stored_dialect_that_nobody_can_read_nothing_is_known():
    assert known_dialect("carrier pigeon") == known_dialect(None) == Dialect()


def test_what_an_agent_says_counts_for_more_than_what_is_seen():
    said = Dialect("jsonrpc", push=True)
    assert said.completed("mcp", "league.v1", assumed=True) == Dialect("jsonrpc", "league.v1", push=True)
    assert Dialect().completed("jsonrpc", "league.v2", assumed=True).certain_wire == ""
    assert Dialect().completed("jsonrpc", "league.v2").certain_wire == "jsonrpc"
