import pytest

from league_sdk.domain.model import PROTOCOL
from league_sdk.settings import ConfigError, NetworkConfig, SystemConfig
from tests.requirements.marker import requirement


@requirement("003-PROTO-02")
def test_our_agents_speak_the_protocol_of_the_domain():
    assert SystemConfig().protocol_version == PROTOCOL


def test_a_port_base_moves_every_port_by_the_same_distance():
    moved = NetworkConfig().moved_to(18_000)
    assert moved.league_manager_port == 18_000
    assert moved.referee_port_range == (18_001, 18_099)
    assert moved.player_port_range == (18_101, 18_200)
    assert moved.base_host == "localhost"


def test_ports_come_from_the_ranges_and_go_on_above_both():
    network = NetworkConfig(referee_port_range=(8001, 8002), player_port_range=(8101, 8103))
    assert network.ports_for(1, 2) == ((8001,), (8101, 8102))
    assert network.ports_for(4, 5) == ((8001, 8002, 8106, 8107), (8101, 8102, 8103, 8104, 8105))
    assert network.ports_for(0, 0) == ((), ())


def test_the_managers_port_is_nobody_elses():
    network = NetworkConfig(league_manager_port=8202)
    assert network.ports_for(1, 102)[1][-2:] == (8201, 8203)


def test_more_agents_than_ports_are_refused():
    assert NetworkConfig().ports_for(1, 57_435)[1][-1] == 65_535
    with pytest.raises(ValueError, match="1 referees and 57436 players need more ports than there are"):
        NetworkConfig().ports_for(1, 57_436)


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
