import pytest

from league_sdk.settings import ConfigError


def load(build, **groups):
    return build({"agents/agents_config": groups}).load_agents()


def test_an_agent_without_a_name_is_called_by_its_id(build):
    agents = load(build, players=[{"id": "P01", "endpoint": "http://h:1/mcp"}])
    assert agents.players[0].display_name == "P01"


def test_the_managers_name_stays_when_only_its_address_is_given(build):
    manager = load(build, league_manager={"endpoint": "http://h:1/mcp"}).league_manager
    assert (manager.manager_id, manager.display_name) == ("LM01", "Central League Manager")


@pytest.mark.parametrize(("status", "active"), [("REGISTERED", True), ("ACTIVE", True), ("SUSPENDED", False)])
def test_the_status_says_whether_an_agent_takes_part(build, status, active):
    agents = load(build, referees=[{"id": "REF01", "endpoint": "http://h:1/mcp", "status": status}])
    assert agents.referees[0].active is active


def test_a_suspended_agent_does_not_take_part_even_when_it_says_so(build):
    entry = {"id": "REF01", "endpoint": "http://h:1/mcp", "status": "SHUTDOWN", "active": True}
    assert load(build, referees=[entry]).referees[0].active is False


@pytest.mark.parametrize(
    "endpoint", ["localhost:8101", "ftp://h/mcp", "http://", "http://h:99999/mcp", "http://[/mcp", ""]
)
def test_an_endpoint_has_to_be_a_web_address(build, endpoint):
    with pytest.raises(ConfigError, match=r"players\[0\]\.endpoint is .*; expected an http or https address"):
        load(build, players=[{"id": "P01", "endpoint": endpoint}])


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"id": "P01", "display_name": "B", "endpoint": "http://h:2/mcp"}, "an id of its own .* P01 stands"),
        ({"id": "P02", "display_name": "A", "endpoint": "http://h:2/mcp"}, "a display name of its own .* A stands"),
        ({"id": "P02", "display_name": "B", "endpoint": "http://h:1/mcp"}, "an endpoint of its own .* http://h:1/mcp"),
    ],
)
def test_what_tells_agents_apart_may_stand_there_once_only(build, second, message):
    first = {"id": "P01", "display_name": "A", "endpoint": "http://h:1/mcp"}
    with pytest.raises(ConfigError, match=message):
        load(build, players=[first, second])


def test_a_player_may_have_a_referees_name(build):
    agents = load(
        build,
        players=[{"id": "P01", "display_name": "Alpha", "endpoint": "http://h:1/mcp"}],
        referees=[{"id": "REF01", "display_name": "Alpha", "endpoint": "http://h:2/mcp"}],
    )
    assert agents.players[0].display_name == agents.referees[0].display_name
