import ipaddress

import pytest

from league_sdk.errors import InvalidEndpoint
from league_sdk.net.addresses import AddressRule, Allowed, is_loopback, is_public, network_of, system_resolve

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("public", Allowed("public")),
        ("Agents.LAN", Allowed("agents.lan")),
        ("*.lab", Allowed("*.lab")),
        ("agents.lan:8101", Allowed("agents.lan", port=8101)),
        ("10.0.0.0/8", Allowed(network=ipaddress.ip_network("10.0.0.0/8"))),
        ("10.0.0.7/8", Allowed(network=ipaddress.ip_network("10.0.0.0/8"))),
        ("10.0.0.1:80", Allowed(network=ipaddress.ip_network("10.0.0.1"), port=80)),
        ("fd00::/8", Allowed(network=ipaddress.ip_network("fd00::/8"))),
        ("[fd00::1]:8101", Allowed(network=ipaddress.ip_network("fd00::1"), port=8101)),
        ("[fd00::]/8", Allowed(network=ipaddress.ip_network("fd00::/8"))),
    ],
)
def test_an_entry_says_who_is_allowed(text: str, entry: Allowed):
    assert Allowed.parse(text) == entry


@pytest.mark.parametrize(
    "text", ["", " ", "http://x", "a b", "*", "*.", "x..y", "10.0.0.0/33", "x:0", "x:port", "x:99999", "*.*.x", "a/b"]
)
def test_anything_else_is_no_entry(text: str):
    with pytest.raises(ValueError, match="is no"):
        Allowed.parse(text)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:4700::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"])
def test_an_address_of_the_public_internet(address: str):
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.1.2.3", "10.1.2.3"),
        ("::ffff:10.1.2.3", "10.1.2.3"),
        ("2001:db8::1:2:3:4", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_what_counts_as_one_address(address: str, network: str):
    assert network_of(address) == network


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("localhost", True), ("127.0.0.1", True), ("::1", True), ("0.0.0.0", False), ("::", False), ("league.lan", False)],
)
def test_who_can_be_reached_from_this_machine_only(host: str, loopback: bool):
    assert is_loopback(host) is loopback


async def test_a_local_server_calls_everybody_unless_it_has_a_list():
    rule = AddressRule(local=True)
    assert rule.everything
    assert await rule.addresses("10.0.0.1", 80) == ["10.0.0.1"]
    listed = AddressRule(["10.0.0.1"], local=True)
    assert not listed.everything
    with pytest.raises(InvalidEndpoint, match="not on the list"):
        await listed.addresses("93.184.216.34", 80)


async def test_the_end_of_a_name_is_not_another_name():
    async def resolve(host: str, port: int) -> list[str]:
        return ["10.0.0.1"]

    rule = AddressRule(["*.lab", "agents.lan"], local=False, resolve=resolve)
    assert await rule.addresses("A.LAB.", 80) == ["10.0.0.1"]
    for other in ("lab", "evil-lab", "agents.lan.example", "xagents.lan"):
        with pytest.raises(InvalidEndpoint, match="public internet"):
            await rule.addresses(other, 80)


@pytest.mark.parametrize("failure", [OSError("no"), TimeoutError(), UnicodeError("label too long")])
async def test_a_name_that_cannot_be_found_is_no_endpoint(failure: Exception):
    async def resolve(host: str, port: int) -> list[str]:
        raise failure

    with pytest.raises(InvalidEndpoint, match="cannot be found"):
        await AddressRule(local=False, resolve=resolve).addresses("x.example", 80)


async def test_a_name_without_an_address_is_no_endpoint():
    async def resolve(host: str, port: int) -> list[str]:
        return []

    with pytest.raises(InvalidEndpoint, match="has no address"):
        await AddressRule(local=False, resolve=resolve).addresses("x.example", 80)


async def test_the_systems_resolver_knows_this_machine():
    assert set(await system_resolve("localhost", 80)) <= {"127.0.0.1", "::1"}
