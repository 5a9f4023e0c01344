"""How an agent is spoken to: over which wire, in which protocol, and whether its answers come as calls of their own.

Written as text it is `mcp/league.v2` or `jsonrpc/league.v1/push`. A `?` at its end says that nobody answered at the
agent's endpoint when it registered: the wire is then the one on which it asked, and whoever calls it looks for itself.
"""

from dataclasses import dataclass, replace

MCP = "mcp"
JSONRPC = "jsonrpc"
WIRES = (MCP, JSONRPC)
V2 = "league.v2"
V1 = "league.v1"
PROTOCOLS = (V2, V1)
PUSH = "push"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an agent is spoken to.

    Attributes:
        wire: `mcp` or `jsonrpc`; empty when that is not known, and whoever calls it finds out.
        protocol: `league.v2` or `league.v1`; empty when nothing was said about it.
        push: Whether the agent said that its answers come as calls of their own.
        assumed: Whether the wire is only the one on which it asked for its seat.
    """

    wire: str = ""
    protocol: str = ""
    push: bool = False
    assumed: bool = False

    def __str__(self) -> str:
        parts = (self.wire, self.protocol, PUSH if self.push else "")
        return "/".join(part for part in parts if part) + ("?" if self.assumed else "")

    @property
    def certain_wire(self) -> str:
        """The wire to use without looking; empty when there is none."""
        return "" if self.assumed else self.wire

    def completed(self, wire: str, protocol: str, *, assumed: bool = False) -> "Dialect":
        """This one, where something was said; for the rest, what was seen."""
        return replace(
            self,
            wire=self.wire or wire,
            protocol=self.protocol or protocol,
            assumed=assumed and not self.wire,
        )


def parse_dialect(text: str) -> Dialect:
    """Read a dialect: any of wire, protocol and `push`, with `/` between them.

    Raises:
        ValueError: There is something else in it, or one of them twice.
    """
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
"""Every way in which an agent can say how it wants to be spoken to."""


def known_dialect(text: str | None) -> Dialect:
    """A dialect that was read before; one that nobody can read is one of which nothing is known."""
    try:
        return parse_dialect(text or "")
    except ValueError:
        return Dialect()
