"""The port of a seat's player, which outlasts a restart."""

import socket
from dataclasses import replace

import pytest

from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.host.stable_port import KeptPort


@pytest.fixture
def spec(tmp_path) -> AgentSpec:
    return AgentSpec(Role.PLAYER, "Ada", tmp_path, manager_url="http://localhost:8000/mcp")


def test_the_port_that_was_asked_for_is_taken(spec):
    assert KeptPort(replace(spec, port=8150)).choose() == 8150


def test_a_free_port_is_kept_for_the_same_player_of_the_same_manager(spec):
    port = KeptPort(spec).choose()
    assert port > 0
    KeptPort(spec).keep(port)
    assert KeptPort(spec).choose() == port
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        assert KeptPort(spec).choose() not in (0, port)


def test_another_player_or_manager_has_another_one_to_keep(spec, tmp_path):
    for changes in ({}, {"name": "Bea"}, {"manager_url": "http://localhost:9000/mcp"}):
        KeptPort(replace(spec, **changes)).keep(1)
    assert len(list((tmp_path / "data" / "hosts").iterdir())) == 3


@pytest.mark.parametrize("text", ["", "no number", "99999999", "-1"])
def test_what_is_no_port_is_replaced(spec, tmp_path, text):
    KeptPort(spec).keep(1)
    (file,) = (tmp_path / "data" / "hosts").iterdir()
    file.write_text(text)
    assert KeptPort(spec).choose() > 0


def test_where_nothing_can_be_listened_on_whoever_listens_says_why(spec):
    assert KeptPort(replace(spec, bind_host="203.0.113.1")).choose() == 0


def test_a_port_that_cannot_be_kept_is_used_all_the_same(spec, tmp_path):
    (tmp_path / "data").write_text("a file in the way")
    KeptPort(spec).keep(8150)
