"""Layers of a call; each is told of the rest of the way, and of the call."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial, reduce
from typing import Any, TypeAlias, TypeVar

C = TypeVar("C")

Proceed: TypeAlias = Callable[[C], Awaitable[Any]]
"""The rest of a call's way."""

Layer: TypeAlias = Callable[[Proceed[C], C], Awaitable[Any]]


def compose(layers: Sequence[Layer[C]]) -> Proceed[C]:
    """The whole way through some layers, the outermost first."""
    rest: Proceed[C] = _end
    return reduce(lambda inner, layer: partial(layer, inner), reversed(layers), rest)


async def _end(call: object) -> Any:
    raise RuntimeError(f"the last layer let a call pass: {call}")
