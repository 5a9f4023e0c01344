"""The course of every host's play: list the tools, join, choose when it is the turn, until the league is over."""

import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

URL = sys.argv[1]


async def play(tools: list[str], call: Callable[[str, dict[str, Any]], Awaitable[Any]]) -> None:
    """Play to the end by a client's own `call`, and print the tools and the matches played."""
    await call("join_league", {})
    played: list[str] = []
    while not (turn := await call("wait_for_my_turn", {"seconds": 30}))["league_over"]:
        if turn["legal_moves"]:
            await call("choose_move", {"move": turn["legal_moves"][0]})
            played.append(turn["match_id"])
    history = (await call("my_history", {}))["matches"]
    print(json.dumps({"tools": sorted(tools), "played": sorted(set(played)), "history": len(history)}))
