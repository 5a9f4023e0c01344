"""A transport that checks addresses at every request.

A name may resolve to a public address when its owner registers, and to one of the local network afterwards.
"""

import httpx2

from league_sdk.errors import InvalidEndpoint
from league_sdk.net.addresses import AddressRule


class PinnedTransport(httpx2.AsyncBaseTransport):
    """Sends each request to the very address that the rule has judged."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, rule: AddressRule) -> None:
        self._inner = inner
        self._rule = rule

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        # As it goes out: `url.host` is decoded, and a resolver may encode it in another way.
        host = url.raw_host.decode("ascii")
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            addresses = await self._rule.addresses(host, port)
        except InvalidEndpoint as error:
            raise httpx2.ConnectError(error.message, request=request) from error
        if host != addresses[0]:
            request.extensions = {**request.extensions, "sni_hostname": host}
            request.url = url.copy_with(host=addresses[0])
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()
