import pytest

from league_sdk.domain.model import PROTOCOL
from league_sdk.settings import ConfigError, NetworkConfig, SystemConfig


def test_our_agents_speak_the_protocol_of_the_domain():
    assert SystemConfig().protocol_version == PROTOCOL


def test_a_port_base_moves_every_port_by_the_same_distance():
    moved = NetworkConfig().moved_to(18_000)
    assert moved.league_manager_port == 18_000
    assert moved.referee_port_range == (18_001, 18_010)
    assert moved.player_port_range == (18_101, 18_200)
    assert moved.base_host == "localhost"


@pytest.mark.parametrize("port_base", [0, 65_400, 70_000])
def test_a_port_base_that_leaves_no_room_is_refused(port_base):
    with pytest.raises(ValueError, match=str(port_base)):
        NetworkConfig().moved_to(port_base)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ({"referee_port_range": [8001, 8101]}, "port ranges of referees and players that do not overlap"),
        ({"league_manager_port": 8150}, "a league_manager_port outside"),
        ({"league_manager_port": 8005}, "a league_manager_port outside"),
    ],
)
def test_ports_that_collide_are_refused(build, network, message):
    with pytest.raises(ConfigError, match=message):
        build({"system": {"network": network}}).load_system()


@pytest.mark.parametrize("reader", ["10.0.0.0/33", "prometheus", ""])
def test_who_may_read_the_metrics_is_an_address_or_a_network(build, reader):
    with pytest.raises(ConfigError, match=r"expected an address, or a network such as 10\.1\.0\.0/16"):
        build({"system": {"security": {"metrics_readers": ["10.1.0.0/16", "::1", reader]}}}).load_system()
