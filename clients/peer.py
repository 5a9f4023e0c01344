"""The client for calls to other agents, which every outgoing message passes.

A message is written in its peer's dialect, and goes through the layers of `clients.outbound`.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import anyio

from clients.outbound import CallerCodec, Outbound, OutboundCall, OutboundLayers, Route
from clients.unforeseen import unforeseen_as_error
from league_sdk import tracing
from league_sdk.errors import ResponseTimeout
from league_sdk.ports import ANSWER_WITHIN, CallRefused, Journal, MalformedReply, Peer, Priority
from league_sdk.protocol import epochs
from league_sdk.protocol.envelope import Message

M = TypeVar("M", bound=Message)

HOSTED_GRACE_SEC = 5.0
"""Seconds beyond a hosted player's time in which its seats process has to say that the player is silent."""


class PeerClient:
    """Implements PeerCalls.

    Args:
        outbound: Sessions, queue, retry policy, breakers and registry.
        codec: Converts messages to and from JSON.
        route: Finds the tool for a message.
        journal: Log of messages sent and received.
        dialects: Codecs of other protocols, by name, for peers that speak or answer in them.
    """

    def __init__(
        self,
        outbound: Outbound,
        codec: CallerCodec,
        route: Callable[[Message], Route],
        journal: Journal,
        dialects: Mapping[str, CallerCodec] | None = None,
    ) -> None:
        self._outbound = outbound
        self._codec = codec
        self._dialects = dialects or {}
        self._route = route
        self._journal = journal
        self.layers = OutboundLayers(outbound, codec, self._dialects, journal)
        # Broadcasts overlap little: standings and the end of a round, then the beginning of the next one.
        self._said: deque[tuple[Message, CallerCodec, dict[str, Any]]] = deque(maxlen=4)

    async def call(
        self,
        peer: Peer,
        message: Message,
        reply: type[M],
        *,
        timeout: float,
        priority: Priority = Priority.CONTROL,
        retry: bool = True,
    ) -> M:
        """Send `message` and return the answer; see `PeerCalls.call`.

        The time of a try starts when the request goes out; waiting for a turn and opening the connection have limits of
        their own. `retry=False` means one try: the caller counts its tries itself. Only an unforeseen failure on this
        side is retried even then, since it is no try of the peer's.
        """
        with unforeseen_as_error(peer.agent_id, str(getattr(message, "message_type", "?")), self._journal):
            route = self._route(message)
            codec = self._dialects.get(peer.dialect.protocol, self._codec)
            request = self._written(codec, message, peer.token, route, once=priority is not Priority.BROADCAST)
            if peer.epoch is not None:
                request = {**request, epochs.FIELD: peer.epoch}
            if peer.hosted:
                request, timeout = {**request, ANSWER_WITHIN: timeout}, timeout + HOSTED_GRACE_SEC
        ids: dict[str, Any] = {name: request.get(name) for name in ("conversation_id", "match_id")}
        with tracing.span(f"call {route.tools[0]}", peer=peer.agent_id, **ids):
            call = OutboundCall(peer, message, request, reply, route, timeout, priority, retry)
            return await self.layers.send(call)

    def _written(
        self, codec: CallerCodec, message: Message, token: str | None, route: Route, *, once: bool
    ) -> dict[str, Any]:
        """A message as JSON; a broadcast is rendered once, with each peer's own token."""
        if once or token is None or getattr(message, "auth_token", None) is not None:
            return codec.render(_with_token(message, token), spec=route.spec)
        for known, by, written in self._said:
            if known is message and by is codec:
                return {**written, "auth_token": token}
        written = codec.render(_with_token(message, token), spec=route.spec)
        if written.get("auth_token") == token:
            self._said.append((message, codec, written))
        return written

    async def ping(self, peer: Peer, *, timeout: float) -> None:
        """Check that `peer` still answers; see `PeerCalls.ping`.

        It bypasses queue and circuit breaker: it is the fresh look that shows that a peer is back.
        """
        try:
            with anyio.fail_after(timeout), unforeseen_as_error(peer.agent_id, "PING", self._journal):
                async with self._outbound.sessions.lease(peer.endpoint, peer.dialect.certain_wire) as connection:
                    await connection.ping(timeout=timeout)
        except (CallRefused, MalformedReply):
            return  # an error is an answer too
        except TimeoutError as error:
            raise ResponseTimeout(f"{peer.agent_id} did not answer a ping within {timeout:g} s") from error


def _with_token(message: Message, token: str | None) -> Message:
    if token is None or getattr(message, "auth_token", token) is not None:
        return message
    return message.model_copy(update={"auth_token": token})
