"""Every request that the documents print is read by the agent that it goes to."""

import json
from typing import Any

import pytest

from game_rules.even_odd import EvenOdd
from league_sdk.domain.model import Role
from league_sdk.protocol.catalog import calls_for
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.match import MoveResponse
from league_sdk.protocol.v1 import V1Codec
from tests.documents.printed import Block, blocks

SPEC = EvenOdd.move_spec
V2 = Codec([SPEC])
CODEC = V1Codec(V2, [SPEC])
TYPES = V2.message_types()
CALLS = {
    name: call
    for role in (Role.LEAGUE_MANAGER, Role.REFEREE, Role.PLAYER)
    for call in calls_for(role, [SPEC])
    for name in (call.tool, *call.aliases)
}


def request_in(block: Block) -> dict[str, Any] | None:
    """The request for one of our tools that a block holds."""
    try:
        printed = json.loads(block.text)
    except ValueError:
        return None
    known = isinstance(printed, dict) and printed.get("method") in CALLS and "protocol" in printed.get("params", {})
    return printed if known else None


REQUESTS = [pytest.param(printed, id=block.place) for block in blocks() if (printed := request_in(block))]


@pytest.mark.parametrize("printed", REQUESTS)
def test_a_printed_request_is_read(printed: dict[str, Any]):
    call = CALLS[printed["method"]]
    message = CODEC.parse(printed["params"], call.request, spec=call.spec)
    assert getattr(message, "message_type", "") == printed["params"]["message_type"]


def reply_in(block: Block) -> dict[str, Any] | None:
    """The message that a block holds as the result of a call."""
    try:
        printed = json.loads(block.text)
    except ValueError:
        return None
    result = printed.get("result") if isinstance(printed, dict) else None
    return result if isinstance(result, dict) and "message_type" in result else None


REPLIES = [pytest.param(printed, id=block.place) for block in blocks() if (printed := reply_in(block))]


@pytest.mark.parametrize("printed", REPLIES)
def test_a_printed_reply_is_read(printed: dict[str, Any]):
    kind = TYPES[printed["message_type"]]
    message = CODEC.parse(printed, kind, spec=SPEC if kind is MoveResponse else None)
    assert getattr(message, "message_type", "") == printed["message_type"]


def test_nothing_printed_is_left_out_unseen():
    assert (len(REQUESTS), len(REPLIES)) == (19, 17)
