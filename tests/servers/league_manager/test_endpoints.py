"""Which contact endpoints a league accepts."""

import pytest

from league_sdk.errors import InvalidEndpoint
from servers.league_manager.endpoints import MAX_LENGTH, check_endpoint


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://localhost:8101/mcp",
        "https://league.example/mcp",
        "http://127.0.0.1/",
        "http://[::1]:8101/mcp",
        "http://localhost",
    ],
)
def test_an_address_that_can_be_called_is_accepted(endpoint: str):
    check_endpoint(endpoint)


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "localhost:8101/mcp",
        "/mcp",
        "ftp://localhost/mcp",
        "stdio:player",
        "http://",
        "http:///mcp",
        "http://localhost:0/mcp",
        "http://localhost:99999/mcp",
        "http://localhost:port/mcp",
        "http://local host/mcp",
        "http://localhost:8101/mcp\n",
        "http://[::1/mcp",
    ],
)
def test_anything_else_is_refused_with_what_was_expected(endpoint: str):
    with pytest.raises(InvalidEndpoint) as caught:
        check_endpoint(endpoint)
    assert caught.value.context["field"] == "contact_endpoint"
    assert "http://localhost:8101/mcp" in caught.value.context["expected"]


@pytest.mark.parametrize("endpoint", ["http://me:secret@localhost/mcp", "http://me@localhost/mcp"])
def test_credentials_do_not_belong_there_and_are_not_repeated(endpoint: str):
    with pytest.raises(InvalidEndpoint, match="must not carry credentials") as caught:
        check_endpoint(endpoint)
    assert "me" not in str(caught.value.context.get("value", ""))


def test_an_endless_address_is_refused_without_being_repeated():
    with pytest.raises(InvalidEndpoint, match="longer than 2048") as caught:
        check_endpoint("http://localhost/" + "x" * MAX_LENGTH)
    assert "value" not in caught.value.context
