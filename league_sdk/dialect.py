"""An agent's dialect: wire, protocol, and answers by separate calls (push).

Written as text it is `mcp/league.v2` or `jsonrpc/league.v1/push`. A `?` at its end means that the agent's endpoint did
not answer when it registered: the wire is then that of its registration, and callers detect the wire themselves.
"""

import uuid
from dataclasses import dataclass, replace

MCP = "mcp"
JSONRPC = "jsonrpc"
WIRES = (MCP, JSONRPC)
V2 = "league.v2"
V1 = "league.v1"
PROTOCOLS = (V2, V1)
PUSH = "push"
_SPACE = uuid.UUID("6f0b1f5e-54f5-5a38-9f3c-0a4c7f3f6f5b")


def v1_id(name: str) -> str:
    """A league's or conversation's id as `league.v1` writes it: a UUID."""
    try:
        written = str(uuid.UUID(name)) == name.lower()
    except ValueError:
        written = False
    return name if written else str(uuid.uuid5(_SPACE, name))


@dataclass(frozen=True, slots=True)
class Dialect:
    """An agent's dialect."""

    wire: str = ""  # empty if unknown, to be detected by callers
    protocol: str = ""  # empty if the agent named none
    push: bool = False  # its answers come as separate calls
    assumed: bool = False  # the wire is only that of its registration

    def __str__(self) -> str:
        parts = (self.wire, self.protocol, PUSH if self.push else "")
        return "/".join(part for part in parts if part) + ("?" if self.assumed else "")

    @property
    def certain_wire(self) -> str:
        """The wire to use without detection; empty if uncertain."""
        return "" if self.assumed else self.wire

    def completed(self, wire: str, protocol: str, *, assumed: bool = False) -> "Dialect":
        """Fill in parts that the agent left out from observation."""
        return replace(
            self,
            wire=self.wire or wire,
            protocol=self.protocol or protocol,
            assumed=assumed and not self.wire,
        )


def parse_dialect(text: str) -> Dialect:
    """Read any of wire, protocol and `push`, with `/` between; else ValueError."""
    wire = protocol = ""
    push = False
    for part in text.removesuffix("?").split("/") if text else ():
        if part in WIRES and not wire:
            wire = part
        elif part in PROTOCOLS and not protocol:
            protocol = part
        elif part == PUSH and not push:
            push = True
        else:
            raise ValueError(f"any of {', '.join((*WIRES, *PROTOCOLS, PUSH))}, with '/' between them")
    return Dialect(wire, protocol, push, text.endswith("?"))


SPELLINGS = tuple(
    text
    for push in (False, True)
    for wire in ("", *WIRES)
    for protocol in ("", *PROTOCOLS)
    if (text := str(Dialect(wire, protocol, push)))
)
"""Every dialect that an agent can ask for."""


def known_dialect(text: str | None) -> Dialect:
    """Read a stored dialect; an unreadable one counts as unknown."""
    try:
        return parse_dialect(text or "")
    except ValueError:
        return Dialect()
