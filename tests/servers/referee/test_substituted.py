"""A player that calls its move substituted: counted and passed on, and worth exactly what the move is worth."""

from typing import Any

import pytest

from league_sdk.domain.model import ResultStatus
from league_sdk.protocol.match import MatchResultReport, MoveCall, MoveResponse
from league_sdk.protocol.substituted import Substituted
from tests.requirements.marker import requirement
from tests.servers.fakes import NOW, Sent, choose, reply
from tests.servers.referee.referee_harness import referee_harness

pytestmark = pytest.mark.anyio

SECRET = "KeyError: 'the key of my provider'"


def substitute(move: Any, claim: Any) -> Any:
    """The answer of a player that says its move is not its strategy's own."""

    def answer(call: Sent) -> Any:
        return reply(
            call,
            MoveResponse,
            match_id=call.message.match_id,
            player_id=call.to,
            move=move,
            substituted=claim,
        )

    return answer


@requirement("project-TRUST-15")
async def test_it_is_counted_by_reason_and_costs_nothing():
    results: dict[str, Any] = {}
    for claim in (None, {"reason": "raised", "detail": SECRET}):
        async with referee_harness() as held:
            held.peers.script(MoveCall, substitute("odd", claim), to="P01")
            held.peers.script(MoveCall, choose("even"), to="P02")
            await held.played()
            results["plain" if claim is None else "claimed"] = held.runner().result
            (report,) = held.peers.sent(MatchResultReport)
    plain, claimed = results["plain"], results["claimed"]
    assert plain.substituted == {}
    assert claimed.substituted == {"P01": {"raised": 1}}
    assert report.result.substituted == {"P01": {"raised": 1}}
    assert (claimed.status, claimed.winner, claimed.score) == (plain.status, plain.winner, plain.score)
    (answer,) = [entry for entry in claimed.transcript if entry.get("from") == "P01" and "choice" in entry]
    assert (answer["choice"], answer["substituted"]) == ("odd", "raised")


@requirement("project-TRUST-15")
async def test_the_detail_stops_at_the_referee():
    async with referee_harness() as held:
        held.peers.script(MoveCall, substitute("odd", {"reason": "late", "detail": SECRET}), to="P01")
        await held.played()
        (report,) = held.peers.sent(MatchResultReport)
        said = f"{report!r} {held.runner().result!r} {held.journal.events!r}"
    assert "late" in said
    assert SECRET not in said


@pytest.mark.parametrize(
    "nonsense", [True, 1, "raised", [], {}, {"reason": None}, {"reason": "bored"}, {"reason": "late", "detail": 5}]
)
async def test_nonsense_costs_nothing_and_is_logged(nonsense: Any):
    async with referee_harness() as held:
        held.peers.script(MoveCall, substitute("odd", nonsense), to="P01")
        await held.played()
        result = held.runner().result
        ((level, facts),) = held.journal.named("SUBSTITUTION_IGNORED")
    assert result is not None
    assert result.status is not ResultStatus.TECHNICAL_LOSS
    assert result.substituted == {}
    assert (level, facts["player_id"], facts["received"]) == ("WARNING", "P01", nonsense)


async def test_an_answer_that_is_pushed_counts_as_well():
    async with referee_harness() as held:
        held.peers.script(MoveCall, choose("odd"), to="P01")
        runner = await held.played()
        claim = Substituted(reason="busy")  # pyright: ignore[reportArgumentType]
        answer = MoveResponse(
            match_id="R1M1", player_id="P01", move="odd", substituted=claim, timestamp=NOW, sender="player:P01"
        )
        runner._transcript.received(answer, "P01", pushed=True)
        assert runner.result is not None
        assert runner.result.substituted == {"P01": {"busy": 1}}
