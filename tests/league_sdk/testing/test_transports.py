"""The checker of transports finds what is wrong with one, and nothing with one that is right."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from league_sdk.errors import PeerUnreachable, ResponseTimeout
from league_sdk.ports import CallContext, CallRefused, ToolDescriptor
from league_sdk.testing import ContractBroken, EchoHost, check_transport

pytestmark = pytest.mark.anyio


class Direct:
    """A transport that is a function call: right in everything."""

    name = "direct"
    dialect = "direct"

    def __init__(self) -> None:
        self.host: EchoHost | None = None

    @asynccontextmanager
    async def serve(self) -> AsyncGenerator[str]:
        self.host = EchoHost()
        yield "direct:echo"
        self.host = None

    def accepts(self, endpoint):
        return endpoint.startswith("direct:")

    @asynccontextmanager
    async def connect(self, endpoint) -> AsyncGenerator[Any]:
        yield self

    def there(self) -> EchoHost:
        if self.host is None:
            raise PeerUnreachable("nobody")
        return self.host

    async def list_tools(self):
        return list(self.there().tools())

    async def call(self, tool, arguments, *, timeout):
        host = self.there()
        if tool not in {known.name for known in host.tools()}:
            raise CallRefused(-32602, "Unknown tool")
        try:
            with anyio.fail_after(timeout):
                return await host.call(tool, arguments, CallContext())
        except TimeoutError as error:
            raise ResponseTimeout from error

    async def ping(self, *, timeout):
        self.there()


async def check(transport):
    with anyio.fail_after(30):
        await check_transport(transport.serve, transport)


async def test_a_transport_that_is_right_passes():
    await check(Direct())


async def test_accepting_any_endpoint_is_found():
    class Greedy(Direct):
        def accepts(self, endpoint):
            return True

    with pytest.raises(ContractBroken, match="must not accept"):
        await check(Greedy())


async def test_refusing_ones_own_endpoint_is_found():
    class Shy(Direct):
        def accepts(self, endpoint):
            return False

    with pytest.raises(ContractBroken, match="has to accept the endpoint direct:echo"):
        await check(Shy())


async def test_tools_that_change_on_the_way_are_found():
    class Renaming(Direct):
        async def list_tools(self):
            return [ToolDescriptor("other", "", "", {})]

    with pytest.raises(ContractBroken, match="the tools arrive as the host has them"):
        await check(Renaming())


async def test_text_that_changes_on_the_way_is_found():
    class Stripping(Direct):
        async def call(self, tool, arguments, *, timeout):
            reply = await super().call(tool, arguments, timeout=timeout)
            return {**reply, "text": reply["text"].strip("\n")} if "quote" not in reply["text"] else {"text": "?"}

    with pytest.raises(ContractBroken, match="echo gives back"):
        await check(Stripping())


async def test_a_refusal_that_becomes_a_reply_is_found():
    class Smiling(Direct):
        async def call(self, tool, arguments, *, timeout):
            try:
                return await super().call(tool, arguments, timeout=timeout)
            except CallRefused:
                return {"text": "fine"}

    with pytest.raises(ContractBroken, match=r"refuse with .* has to end in CallRefused"):
        await check(Smiling())


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (lambda error: CallRefused(-1, error.message, error.data), "refused with 4004, not -1"),
        (lambda error: CallRefused(error.number, error.message), "refused with E004, not None"),
        (lambda error: CallRefused(-1, "") if error.data is None else error, "an unknown tool"),
    ],
)
async def test_a_refusal_that_loses_something_on_the_way_is_found(changed, why):
    class Losing(Direct):
        async def call(self, tool, arguments, *, timeout):
            try:
                return await super().call(tool, arguments, timeout=timeout)
            except CallRefused as error:
                raise changed(error) from error

    with pytest.raises(ContractBroken, match=why):
        await check(Losing())


async def test_waiting_for_ever_is_found():
    class Patient(Direct):
        async def call(self, tool, arguments, *, timeout):
            try:
                return await super().call(tool, arguments, timeout=timeout)
            except ResponseTimeout:
                return {"text": arguments["text"]}

    with pytest.raises(ContractBroken, match="ends in ResponseTimeout"):
        await check(Patient())


async def test_answers_that_are_mixed_up_are_found():
    class Mixing(Direct):
        async def call(self, tool, arguments, *, timeout):
            reply = await super().call(tool, arguments, timeout=timeout)
            return {"text": "first"} if tool == "wait" else reply

    with pytest.raises(ContractBroken, match="each call gets its own answer"):
        await check(Mixing())


async def test_an_answer_from_nobody_is_found():
    class Haunted(Direct):
        def there(self):
            return self.host or EchoHost()

    with pytest.raises(ContractBroken, match="nobody listens at direct:echo"):
        await check(Haunted())
