"""Whose `X-Forwarded-For` is believed, and what it then says."""

import pytest

from league_sdk.net.proxies import TrustedProxies

PROXIES = TrustedProxies(["127.0.0.1", "10.1.0.0/16", "2001:db8:1::/48"])


@pytest.mark.parametrize(
    ("peer", "headers", "caller"),
    [
        ("127.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("127.0.0.1", ["192.0.2.66, 203.0.113.7"], "203.0.113.7"),  # the left one may be anybody's invention
        ("127.0.0.1", ["203.0.113.7, 10.1.2.3"], "203.0.113.7"),
        ("127.0.0.1", ["192.0.2.66", "203.0.113.7,10.1.2.3"], "203.0.113.7"),
        ("127.0.0.1", ["10.1.9.9, 10.1.2.3"], "10.1.9.9"),
        ("2001:db8:1::5", ["2001:db8:2::7"], "2001:db8:2::7"),
        ("::ffff:127.0.0.1", ["[2001:db8:2::7]:4711"], "2001:db8:2::7"),
        ("127.0.0.1", ["203.0.113.7:4711"], "203.0.113.7"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.7, unknown"], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.7, nonsense, 10.1.2.3"], "10.1.2.3"),
        ("127.0.0.1", [""], "127.0.0.1"),
        ("192.0.2.66", ["203.0.113.7"], "192.0.2.66"),
        ("", ["203.0.113.7"], ""),
    ],
)
def test_the_right_most_address_that_is_no_trusted_proxys_is_the_callers(peer: str, headers: list[str], caller: str):
    assert PROXIES.caller(peer, headers) == caller


def test_without_trusted_proxies_the_header_is_never_believed():
    assert not TrustedProxies()
    assert TrustedProxies().caller("127.0.0.1", ["203.0.113.7"]) == "127.0.0.1"
    assert not TrustedProxies().trusts("127.0.0.1")
