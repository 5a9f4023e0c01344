from contextlib import ExitStack
from pathlib import Path

import pytest

from league_sdk.clock import ManualClock
from league_sdk.settings import Workspace
from servers.agent.manager_lock import LOOK_SEC, PATIENCE_SEC, leader, leader_that_stays, manager_lock

pytestmark = pytest.mark.anyio
HERE = "http://localhost:8000/mcp"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


class Meanwhile(ManualClock):
    """A clock that ends something when it has slept so often.

    Args:
        ending: What.
        sleeps: How often.
    """

    def __init__(self, ending: ExitStack, sleeps: int) -> None:
        super().__init__()
        self._ending, self._sleeps = ending, sleeps

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        if len(self.slept) == self._sleeps:
            self._ending.close()


def test_nobody_leads_a_league_that_is_not_there_and_asking_makes_nothing(workspace: Workspace):
    assert leader(workspace, "summer") is None
    assert not workspace.data.exists()


def test_a_league_is_led_from_the_beginning_to_the_end_of_its_manager(workspace: Workspace):
    with manager_lock(workspace, "summer") as at:
        assert leader(workspace, "summer") == ""
        at("http://localhost:8000/a-longer-one/mcp")
        at(HERE)
        assert leader(workspace, "summer") == HERE
        assert leader(workspace, "winter") is None
    assert leader(workspace, "summer") is None


def test_a_manager_that_fails_leads_no_more(workspace: Workspace):
    with pytest.raises(RuntimeError), manager_lock(workspace, "summer"):
        raise RuntimeError
    assert leader(workspace, "summer") is None


def test_as_long_as_one_of_two_is_there_the_league_is_led(workspace: Workspace):
    with manager_lock(workspace, "summer") as at:
        with manager_lock(workspace, "summer"):
            pass
        at(HERE)
        assert leader(workspace, "summer") == HERE


async def test_of_a_league_that_nobody_leads_nothing_is_said_and_nothing_waited_for(workspace: Workspace):
    clock, said = ManualClock(), list[str]()
    assert await leader_that_stays(workspace, "summer", clock, said.append) is None
    assert (clock.slept, said) == ([], [])


async def test_a_manager_that_is_about_to_end_is_waited_for(workspace: Workspace):
    said = list[str]()
    with ExitStack() as manager:
        manager.enter_context(manager_lock(workspace, "summer"))(HERE)
        clock = Meanwhile(manager, 3)
        assert await leader_that_stays(workspace, "summer", clock, said.append) is None
    assert clock.slept == [LOOK_SEC] * 3
    assert said == [f"the league manager at {HERE} still leads summer; waiting up to 10 s for it to end"]


async def test_a_manager_that_stays_is_named_after_a_while(workspace: Workspace):
    clock = ManualClock()
    with manager_lock(workspace, "summer") as at:
        at(HERE)
        assert await leader_that_stays(workspace, "summer", clock, lambda _: None) == HERE
    assert PATIENCE_SEC <= clock.monotonic() < PATIENCE_SEC + 2 * LOOK_SEC
