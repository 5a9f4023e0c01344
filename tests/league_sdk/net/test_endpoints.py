"""Contact endpoints that a league accepts, and their normal form."""

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.errors import InvalidEndpoint
from league_sdk.net.endpoints import MAX_LENGTH, is_endpoint, read_endpoint
from tests.requirements.marker import requirement
from tests.security.endpoints import HOSTILE, endpoint_like


@pytest.mark.parametrize(
    ("text", "url", "host", "port"),
    [
        ("http://localhost:8101/mcp", "http://localhost:8101/mcp", "localhost", 8101),
        ("https://league.example/mcp", "https://league.example/mcp", "league.example", 443),
        ("http://127.0.0.1/", "http://127.0.0.1/", "127.0.0.1", 80),
        ("http://[::1]:8101/mcp", "http://[::1]:8101/mcp", "::1", 8101),
        ("http://localhost", "http://localhost", "localhost", 80),
        ("HTTP://LocalHost:80/a/../mcp", "http://localhost/mcp", "localhost", 80),
        ("http://localhost.:8101/mcp", "http://localhost:8101/mcp", "localhost", 8101),
        ("http://[0:0::0:1]/mcp", "http://[::1]/mcp", "::1", 80),
        ("http://league_manager:8000/mcp", "http://league_manager:8000/mcp", "league_manager", 8000),
        ("http://xn--mller-kva.example/mcp", "http://xn--mller-kva.example/mcp", "xn--mller-kva.example", 80),
        ("http://localhost/spielé?q=ü&x=%20", "http://localhost/spiel%C3%A9?q=%C3%BC&x=%20", "localhost", 80),
    ],
)
def test_an_address_that_can_be_called_is_kept_in_the_clients_normal_form(text: str, url: str, host: str, port: int):
    endpoint = read_endpoint(text)
    assert (endpoint.url, endpoint.host, endpoint.port) == (url, host, port)


@pytest.mark.parametrize(("text", "why"), HOSTILE.items(), ids=[ascii(text)[1:40] for text in HOSTILE])
def test_anything_else_is_refused_and_the_message_names_what_is_wrong(text: str, why: str):
    assert not is_endpoint(text)
    with pytest.raises(InvalidEndpoint) as caught:
        read_endpoint(text)
    assert why in caught.value.message
    assert caught.value.message.isprintable()
    assert caught.value.context["field"] == "contact_endpoint"
    assert "http://localhost:8101/mcp" in caught.value.context["expected"]


@pytest.mark.parametrize("text", ["http://me:secret@localhost/mcp", "http://me@localhost/mcp", "http://@localhost/"])
def test_credentials_do_not_belong_there_and_are_not_repeated(text: str):
    with pytest.raises(InvalidEndpoint, match="must not carry credentials") as caught:
        read_endpoint(text)
    assert "secret" not in caught.value.message


def test_an_endless_address_is_refused_without_being_repeated():
    with pytest.raises(InvalidEndpoint, match="longer than 2048") as caught:
        read_endpoint("http://localhost/" + "x" * MAX_LENGTH)
    assert "xx" not in caught.value.message
    with pytest.raises(InvalidEndpoint, match="encoded, it is longer than 2048"):
        read_endpoint("http://localhost/" + "é" * (MAX_LENGTH // 2))


@requirement("project-TRUST-01")
@given(st.one_of(st.text(), endpoint_like()))
def test_whatever_is_accepted_is_what_the_client_calls(text: str):
    try:
        endpoint = read_endpoint(text)
    except InvalidEndpoint:
        return
    called = httpx2.URL(endpoint.url)
    port = called.port or {"http": 80, "https": 443}[called.scheme]
    assert (called.scheme, called.raw_host.decode(), port) == (endpoint.scheme, endpoint.host, endpoint.port)
    assert str(called) == endpoint.url, "the client reads its own form again as it is"
    assert read_endpoint(endpoint.url) == endpoint
    assert httpx2.Request("POST", endpoint.url).url == called
