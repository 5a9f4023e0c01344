"""A player looks at its running match by all that is open to it, and learns nothing that its own view has not."""

import re
from collections.abc import Mapping
from typing import Any

import anyio
import httpx2
import pytest

from league_sdk.domain.model import Role
from servers.agent.waits_file import WAITS_FILE
from tests.faults.league_harness import LEAGUE, league_harness, patient_client
from tests.faults.rogue import Call, Rogue

pytestmark = pytest.mark.anyio

SPIED_SEC = 3.0
"""After so long a wait is shown, and the time of the first try still runs."""
SETTINGS: Mapping[str, Any] = {
    "timeouts.move_timeout_sec": 8.0,
    "timeouts.generic_response_timeout_sec": 8.0,
    "heartbeat_interval_sec": 2.0,
}


LONGEST = 60
"""Characters that a match has to itself wherever it is named."""


class Spy:
    """A player that reads all that it can while it is asked for its move."""

    def __init__(self, name: str, match_id: str) -> None:
        self.match_id = match_id
        self.rogue = Rogue(name, {"move": self.move})
        self.seen: dict[str, str] = {}
        self.done = anyio.Event()

    async def move(self, call: Call) -> bytes:
        await anyio.sleep(SPIED_SEC)
        self.seen = await self._read(call.params)
        self.done.set()
        return call.result(call.good())

    async def _read(self, asked: Mapping[str, Any]) -> dict[str, str]:
        token = self.rogue.registration["auth_token"]
        bearer = {"authorization": f"Bearer {token}"}
        async with patient_client() as browser:
            root = self.manager.removesuffix("mcp")
            seen: dict[str, str] = {}
            for path in ("", f"matches/{self.match_id}", "screen", "rounds/1", f"admin/matches/{self.match_id}"):
                answer = await browser.get(root + path, headers={**bearer, "x-part": "main"})
                seen[path or "overview"] = f"{answer.status_code} {answer.text}"
            async with browser.stream("GET", f"{root}watch") as events:
                async for line in events.aiter_lines():
                    if line.startswith("data: {"):
                        seen["watch"] = line
                        break
            seen["status"] = await self._status(browser, asked)
        return seen

    async def _status(self, browser: httpx2.AsyncClient, asked: Mapping[str, Any]) -> str:
        """The answer of its referee to the manager's question, with the token and the ticket that it has."""
        said: list[str] = []
        for token in (self.rogue.registration["auth_token"], asked.get("auth_token")):
            message = {"match_id": self.match_id, "auth_token": token}
            body = {"jsonrpc": "2.0", "method": "match_status", "params": message, "id": 1}
            answer = (await browser.post(self.referee, json=body)).json()
            said.append(answer["error"]["data"]["error_code"])
        return " ".join(said)

    manager = ""
    referee = ""


def anonymous(text: str, match_id: str) -> list[str]:
    """All that is said of a match, without names, ids and times."""
    words = " ".join(re.sub(r"<[^>]*>", " ", text).split())
    told = [each[:LONGEST] for each in re.split(r"(?=R1M\d)", words) if each.startswith(match_id)]
    for pattern in (r"\bR1M\d\b", r"\bP0\d\b", r"\b(Ada|Ben|Cyd|Mal)\b", r"\d{4}-\d\d-\d\dT[\d:.]+Z", r"[\d:.]+"):
        told = [re.sub(pattern, "*", each) for each in told]
    return told


async def test_a_player_that_chooses_at_the_same_time_does_not_learn_if_its_opponent_has_chosen(tmp_path):
    """Red before: the page named the one player that was waited for, so the other one had chosen."""
    silent = anyio.Event()

    async def hesitate(call: Call) -> bytes:
        await silent.wait()
        return call.result(call.good())

    spies = Spy("Ben", "R1M1"), Spy("Mal", "R1M2")
    quick, slow = Rogue("Ada"), Rogue("Cyd", {"move": hesitate})
    with anyio.fail_after(50):
        async with patient_client() as client, league_harness(tmp_path, settings=SETTINGS) as held:
            held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
            for rogue in (quick, spies[0].rogue, slow, spies[1].rogue):
                await rogue.listen()
                await rogue.register(held.manager, client)
            for spy in spies:
                spy.manager = held.manager
            await held.until(lambda league: bool(league.assignments))
            for spy in spies:
                spy.referee = next(iter(held.league.referees.values())).endpoint
            for spy in spies:
                await spy.done.wait()
            waits = (tmp_path / "data" / "leagues" / LEAGUE / WAITS_FILE).read_text()
            listed = held.league
            silent.set()
            await held.until(lambda league: len(league.results) >= 2)
    first, second = spies
    assert {match.match_id for match in listed.round(1).fixtures} == {"R1M1", "R1M2"}
    for place, other in zip(first.seen, second.seen, strict=True):
        shown = [anonymous(first.seen[place], "R1M1"), anonymous(second.seen[other], "R1M2")]
        assert shown[0] == shown[1], place
    for spy, names in ((first, "Ada and Ben"), (second, "Cyd and Mal")):
        sentence = f"{spy.match_id} waits for {names}: move, attempt 1 of 2"
        for place in ("overview", f"matches/{spy.match_id}", "watch"):
            assert sentence in spy.seen[place], place
        assert sentence in waits
        assert spy.seen[f"admin/matches/{spy.match_id}"].startswith("403 ")
        assert spy.seen["status"] == "E012 E012"
