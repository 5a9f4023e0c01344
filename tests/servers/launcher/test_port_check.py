import socket
from collections.abc import Generator
from contextlib import ExitStack

import pytest

from league_sdk.clock import ManualClock
from servers.launcher.port_check import LOOK_SEC, PATIENCE_SEC, PortsTaken, check_ports, obstacle, wait_for_ports

HERE = "127.0.0.1"


@pytest.fixture
def busy() -> Generator[list[int]]:
    """Ports that somebody listens on."""
    with ExitStack() as stack:
        yield sorted(stack.enter_context(socket.create_server((HERE, 0))).getsockname()[1] for _ in range(3))


def test_a_port_that_somebody_listens_on_is_in_use_and_one_that_the_system_chooses_never_is(busy: list[int]):
    assert obstacle(HERE, busy[0]) == "in use"
    assert obstacle(HERE, 0) == ""
    check_ports(HERE, [0, 0])


def test_looking_takes_no_port(busy: list[int]):
    with socket.create_server((HERE, 0)) as server:
        free = server.getsockname()[1]
    check_ports(HERE, [free])
    check_ports(HERE, [free])
    socket.create_server((HERE, free)).close()


def test_one_port_in_use_is_named(busy: list[int]):
    with pytest.raises(PortsTaken) as refused:
        check_ports(HERE, [busy[0], 0])
    told = f"port {busy[0]} on {HERE} is in use; stop the program that has it, or choose another with --port-base"
    assert str(refused.value) == told


def test_all_ports_in_use_are_named_in_one_sentence(busy: list[int]):
    with pytest.raises(PortsTaken) as refused:
        check_ports(HERE, [*busy, 0])
    first, second, third = busy
    assert str(refused.value) == (
        f"ports {first}, {second} and {third} on {HERE} are in use; stop the programs that have them, "
        "or choose others with --port-base"
    )


class Meanwhile(ManualClock):
    """A clock that closes something when it has slept so often.

    Args:
        sleeps: How often.
        what: What.
    """

    def __init__(self, sleeps: int, what: socket.socket) -> None:
        super().__init__()
        self._sleeps, self._what = sleeps, what

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        if len(self.slept) == self._sleeps:
            self._what.close()


@pytest.mark.anyio
async def test_ports_are_waited_for_that_are_about_to_be_free():
    with socket.create_server((HERE, 0)) as server:
        clock = Meanwhile(3, server)
        await wait_for_ports(HERE, [server.getsockname()[1]], clock)
    assert clock.slept == [LOOK_SEC] * 3


@pytest.mark.anyio
async def test_ports_that_stay_taken_are_named_after_a_while(busy: list[int]):
    clock = ManualClock()
    with pytest.raises(PortsTaken, match=f"{busy[0]} and {busy[1]}"):
        await wait_for_ports(HERE, busy[:2], clock)
    assert PATIENCE_SEC <= clock.monotonic() < PATIENCE_SEC + 2 * LOOK_SEC


def test_an_address_that_is_not_ours_is_told_once_and_with_the_systems_words():
    with pytest.raises(
        PortsTaken, match=r"^port 8000 cannot be used on 192\.0\.2\.1: .+; choose another.*--host"
    ) as refused:
        check_ports("192.0.2.1", [8000, 8001])
    assert "8001" not in str(refused.value)
