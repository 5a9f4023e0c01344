"""Referees that take matches and never play them, and lie about them."""

import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import httpx2

from tests.faults.league_harness import LeagueHarness
from tests.faults.rogue import Call, Effect, Rogue


class Crook(Rogue):
    """A referee that takes matches, and reports what it likes.

    Attributes:
        answers: What the manager said to its reports: error codes, or the type of the message.
    """

    def __init__(
        self, reports: Callable[["Crook", Call], Awaitable[None]] | None, effects: Mapping[str, Effect]
    ) -> None:
        super().__init__("Crook", {"start": self._start, "other": self._status, **effects}, role="referee")
        self.answers: list[str] = []
        self.given: list[dict[str, Any]] = []
        self.manager = ""
        self.http: httpx2.AsyncClient | None = None
        self._reports = reports

    async def report(self, match_id: str, winner: str | None, score: dict[str, int], **changes: Any) -> None:
        """Tell the manager how a match ended."""
        assert self.http is not None
        fields: dict[str, Any] = {
            "league_id": "faults",
            "round_id": int(match_id[1]),
            "match_id": match_id,
            "game_type": "even_odd",
            "result": {"winner": winner, "score": score, "details": {}},
            **changes,
        }
        answer = await self.tell(self.manager, self.http, "report_match_result", "MATCH_RESULT_REPORT", **fields)
        self.answers.append(answer.get("message_type") or answer["data"]["error_code"])

    async def _start(self, call: Call) -> bytes:
        self.given.append(call.params)
        if self._reports is not None:
            await self._reports(self, call)
        return call.result(call.good())

    async def _status(self, call: Call) -> bytes:
        if call.method != "match_status":
            return call.error(-32601, "Method not found")
        if call.params["match_id"] == "R0M0":  # the manager's first look: it passes for honest
            data = {"error_code": "E007", "error_description": "MATCH_NOT_FOUND", "context": {}}
            return call.error(7, "there is no such match", data)
        session = call.params.get("game_session_id") or "R1M1#1"
        alive = {"message_type": "MATCH_STEP_RESPONSE", "game_session_id": session, "state": "COLLECTING_CHOICES"}
        return call.result(call.good(**alive))


async def hang(call: Call) -> bytes:
    """Take the request, and answer nothing."""
    await call.gone()
    return b""


async def accept(call: Call) -> bytes:
    """Take the match."""
    return call.result(call.good())


HOLES: Final[tuple[Mapping[str, Effect], ...]] = ({"start": hang}, {"start": accept, "other": hang}, {"start": accept})
"""Ways not to play a match."""


class Liar(Crook):
    """A black hole that reports each match once another referee has it: late, twice, and for others."""

    def __init__(self, name: str, rng: random.Random, held: LeagueHarness) -> None:
        effects = HOLES[rng.randrange(len(HOLES))]
        super().__init__(None, {**effects, "start": self._note(effects["start"])})
        self.name = name
        self._rng, self._held = rng, held

    def _note(self, start: Effect) -> Effect:
        async def noted(call: Call) -> bytes:
            self.given.append(call.params)
            return await start(call)

        return noted

    async def lie(self) -> None:
        """Report for ever."""
        told = 0
        while True:
            await self._held.until(lambda _, told=told: len(self.given) > told)
            given, told = self.given[told], told + 1
            match_id, attempt = given["match_id"], given["attempt"]
            await self._held.until(lambda league, of=match_id, at=attempt: league.attempt(of) > at)
            players = (given["player_A_id"], given["player_B_id"])
            others = [other for other in self._held.league.results if other != match_id][:2]
            for reported in (match_id, match_id, *others):
                winner = self._rng.choice(players)
                score = {player: 3 * (player == winner) for player in players}
                await self.report(reported, winner, score, attempt=attempt)
