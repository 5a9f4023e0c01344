import anyio
import pytest

from clients.tool_registry import ToolRegistry
from league_sdk.errors import ResponseTimeout
from league_sdk.ports import MalformedReply, ToolDescriptor
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio

WANTED = ("invite", "receive_invitation")


class FakeConnection:
    """Lists its tools and counts how often it was asked to."""

    dialect = "fake"

    def __init__(self, *names: str) -> None:
        self.offered = [ToolDescriptor(name, name.title(), "", {"type": "object"}) for name in names]
        self.listings = 0

    async def list_tools(self) -> list[ToolDescriptor]:
        self.listings += 1
        return self.offered

    async def call(self, tool, arguments, *, timeout):
        raise NotImplementedError

    async def ping(self, *, timeout):
        raise NotImplementedError


peer = FakeConnection


@requirement("003-CLIENT-03")
async def test_the_tools_own_name_is_preferred():
    assert await ToolRegistry().names("P01", peer("receive_invitation", "invite"), WANTED) == ("invite",)


@requirement("002-CALL-01", "003-CLIENT-03", "project-PROTO-01")
async def test_an_alias_is_chosen_when_the_peer_has_only_that():
    assert await ToolRegistry().names("P01", peer("other", "receive_invitation"), WANTED) == ("receive_invitation",)


async def test_a_peer_that_lists_neither_does_not_keep_the_protocol():
    with pytest.raises(MalformedReply, match="P01 offers none of the tools invite, receive_invitation") as caught:
        await ToolRegistry().names("P01", peer("other"), WANTED)
    assert caught.value.received == ["other"]


async def test_a_peer_that_cannot_list_gets_all_names_tried_until_one_proves_right():
    registry, connection = ToolRegistry(), peer()
    assert await registry.names("P01", connection, WANTED) == WANTED
    registry.proved("P01", WANTED, "receive_invitation")
    assert await registry.names("P01", connection, WANTED) == ("receive_invitation",)
    assert connection.listings == 1


async def test_the_list_is_asked_for_once_a_connection_even_by_many_at_a_time():
    registry, connection = ToolRegistry(), peer("invite")
    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(registry.names, "P01", connection, WANTED)
    assert connection.listings == 1
    again = peer("receive_invitation")
    assert await registry.names("P01", again, WANTED) == ("receive_invitation",)
    assert again.listings == 1


async def test_a_list_that_does_not_come_is_a_timeout_and_is_asked_for_again():
    class Slow(FakeConnection):
        async def list_tools(self):
            if not self.listings:
                self.listings += 1
                await anyio.sleep_forever()
            return await super().list_tools()

    registry, connection = ToolRegistry(timeout=0), Slow("invite")
    with anyio.fail_after(30), pytest.raises(ResponseTimeout, match="P01 did not list its tools within 0 s"):
        await registry.names("P01", connection, WANTED)
    registry._timeout = 5
    assert await registry.names("P01", connection, WANTED) == ("invite",)


async def test_a_forgotten_peer_is_asked_again():
    registry, connection = ToolRegistry(), peer("invite")
    await registry.names("P01", connection, WANTED)
    registry.forget("P01")
    registry.proved("P01", WANTED, "invite")
    await registry.names("P01", connection, WANTED)
    assert connection.listings == 2


@requirement("003-CLIENT-03")
async def test_tools_of_the_same_name_are_told_apart_by_their_peer():
    registry = ToolRegistry()
    await registry.tools("P01", peer("invite", "choose"))
    await registry.tools("P02", peer("invite", "show_off"))
    catalogue = registry.catalogue()
    assert sorted(catalogue) == ["P01/invite", "P02/invite", "choose", "show_off"]
    assert catalogue["P02/invite"].name == "invite"


@requirement("project-WIRE-04")
@pytest.mark.parametrize(
    ("schema", "accepted"),
    [
        ({"type": "object"}, {"match_id", "attempt"}),
        ({"type": "object", "properties": {"match_id": {}}}, {"match_id", "attempt"}),
        ({"type": "object", "properties": {"match_id": {}}, "additionalProperties": False}, {"match_id"}),
    ],
)
async def test_a_tool_that_takes_no_others_gets_its_own_arguments_alone(schema, accepted):
    registry, strict = ToolRegistry(), peer("invite")
    strict.offered = [ToolDescriptor("invite", "Invite", "", schema)]
    await registry.names("P01", strict, WANTED)
    assert registry.accepted("P01", "invite", {"match_id": "R1M1", "attempt": 1}).keys() == accepted
    assert registry.accepted("P02", "invite", {"attempt": 1}) == {"attempt": 1}
