import httpx2
import pytest

from league_sdk.net.addresses import AddressRule
from league_sdk.net.pinned import PinnedTransport
from league_sdk.testing import EchoHost
from league_sdk.transports import serve
from league_sdk.transports.http import client_over, open_http

pytestmark = pytest.mark.anyio


class Fickle:
    """A name that is public when it is asked for first, and somewhere inside afterwards."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)

    async def __call__(self, host: str, port: int) -> list[str]:
        return [self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]]


def pinned(rule: AddressRule, seen: list[httpx2.Request]) -> httpx2.AsyncClient:
    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200)

    return httpx2.AsyncClient(transport=PinnedTransport(httpx2.MockTransport(answer), rule))


async def test_a_request_goes_to_the_address_that_was_judged_under_its_own_name():
    seen: list[httpx2.Request] = []
    async with pinned(AddressRule(local=False, resolve=Fickle("93.184.216.34")), seen) as client:
        await client.post("https://agent.example:8101/mcp")
    (request,) = seen
    assert str(request.url) == "https://93.184.216.34:8101/mcp"
    assert request.headers["host"] == "agent.example:8101"
    assert request.extensions["sni_hostname"] == "agent.example"


async def test_a_name_that_changes_its_mind_is_not_followed():
    seen: list[httpx2.Request] = []
    async with pinned(AddressRule(local=False, resolve=Fickle("93.184.216.34", "169.254.169.254")), seen) as client:
        await client.post("http://agent.example/mcp")
        with pytest.raises(httpx2.ConnectError, match=r"169\.254\.169\.254"):
            await client.post("http://agent.example/mcp")
    assert len(seen) == 1


async def test_a_client_with_a_rule_keeps_to_it():
    async with serve(EchoHost(), grace=0) as listener:
        body = {"jsonrpc": "2.0", "id": 1, "method": "echo", "params": {"text": "hi"}}
        async with client_over(open_http(rule=AddressRule(local=False))) as client:
            with pytest.raises(httpx2.ConnectError, match="public internet"):
                await client.post(listener.endpoint, json=body)
        allowed = AddressRule([f"127.0.0.1:{listener.port}"], local=False)
        async with client_over(open_http(rule=allowed)) as client:
            assert (await client.post(listener.endpoint, json=body)).json()["result"]["text"] == "hi"
