"""Follows one redirect within an origin and remembers its target; refuses others.

Servers that mount MCP at `/mcp/` redirect `/mcp` there. A peer must not redirect us to another origin: it could name
machines that only we can reach, and its tokens would go to whatever listens there.
"""

from collections import OrderedDict

import httpx2

from league_sdk.bounds import shorten
from league_sdk.errors import InvalidEndpoint
from league_sdk.net.addresses import Endpoint
from league_sdk.net.endpoints import read_endpoint

REMEMBERED = 10_000  # limit of remembered redirects; the least recently used one is forgotten
_REASON = "redirect_refused"
_SAME_METHOD = (307, 308)  # at any other status a client may turn a POST into a GET
_NOT_THERE = (404, 405, 410)


class OneRedirect(httpx2.AsyncBaseTransport):
    """Follows an endpoint's redirect within its origin.

    A redirect that is not followed is the response, and `redirect_refused` gives the reason. The `inner` transport
    judges every address that is called.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner
        self._moved: OrderedDict[str, httpx2.URL] = OrderedDict()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        asked = request.url
        known = self._moved.pop(str(asked), None)
        if known is not None:
            response = await self._inner.handle_async_request(await _again(request, known))
            if not (_is_redirect(response) or response.status_code in _NOT_THERE):
                self._moved[str(asked)] = known
                return response
            await response.aclose()
            request = await _again(request, asked)
        response = await self._inner.handle_async_request(request)
        if not _is_redirect(response):
            return response
        target, reason = _judged(asked, response)
        if target is None:
            response.extensions[_REASON] = reason
            return response
        await response.aclose()
        response = await self._inner.handle_async_request(await _again(request, target))
        if _is_redirect(response):
            response.extensions[_REASON] = _said(asked, response, "after a redirect", target)
        elif response.status_code not in _NOT_THERE:
            self._remember(asked, target)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _remember(self, asked: httpx2.URL, target: httpx2.URL) -> None:
        self._moved[str(asked)] = target
        if len(self._moved) > REMEMBERED:
            self._moved.popitem(last=False)


def redirect_refused(response: httpx2.Response) -> str:
    """The reason why a redirect was refused, with the endpoint to use; else empty."""
    if not _is_redirect(response):
        return ""
    to = shorten(response.headers.get("location", "nowhere"), 200)
    return response.extensions.get(_REASON) or f"HTTP {response.status_code}: a redirect to {to}, which is not followed"


def _is_redirect(response: httpx2.Response) -> bool:
    return 300 <= response.status_code < 400


async def _again(request: httpx2.Request, url: httpx2.URL) -> httpx2.Request:
    body = httpx2.ByteStream(await request.aread())
    return httpx2.Request(request.method, url, headers=request.headers, stream=body, extensions=request.extensions)


def _judged(asked: httpx2.URL, response: httpx2.Response) -> tuple[httpx2.URL | None, str]:
    """The target of a redirect, or None and the reason not to follow it."""
    try:
        here, there = _endpoints(asked, response)
    except (InvalidEndpoint, httpx2.InvalidURL, ValueError):
        return None, _said(asked, response, "which names no endpoint", None)
    if there.url == here.url:
        return None, _said(asked, response, "which is the same endpoint", None)
    if (there.host, here.scheme, there.scheme) == (here.host, "https", "http"):
        # A server behind a proxy that ends TLS does not know that it is called by https.
        secure = asked.join(response.headers["location"]).copy_with(scheme="https", port=asked.port)
        return None, _said(asked, response, "which is not encrypted", secure)
    if (there.scheme, there.host, there.port) != (here.scheme, here.host, here.port):
        return None, _said(asked, response, "another origin", httpx2.URL(there.url))
    if response.status_code not in _SAME_METHOD:
        return None, _said(asked, response, "which asks for a GET", httpx2.URL(there.url))
    return httpx2.URL(there.url), ""


def _endpoints(asked: httpx2.URL, response: httpx2.Response) -> tuple[Endpoint, Endpoint]:
    return read_endpoint(str(asked)), read_endpoint(str(asked.join(response.headers.get("location", "#"))))


def _said(asked: httpx2.URL, response: httpx2.Response, why: str, use: httpx2.URL | None) -> str:
    to = shorten(response.headers.get("location", "nowhere"), 200)
    advice = f"use the endpoint {shorten(str(use), 300)}" if use else "name the endpoint that answers by itself"
    what = f"{asked} answers HTTP {response.status_code}, a redirect to {to}"
    return f"{what}, {why}: it is not followed; {advice}"
