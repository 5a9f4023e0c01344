"""Every misbehaving player of the table, in a full league with healthy ones."""

import os
from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from league_sdk.domain.league import League
from league_sdk.domain.model import Cause, Fault, ResultStatus
from servers.read_model.text import fault_sentence
from tests.faults.league_harness import (
    FAULTY,
    JOIN,
    MOVE,
    TRIES,
    among_healthy,
    faults_of,
    league_harness,
    patient_client,
    play,
)
from tests.faults.misbehaviours import TABLE, Misbehaviour
from tests.faults.rogue import Call, Effect, Rogue, mcp_result
from tests.requirements.marker import requirement

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SOAK = "LEAGUE_SOAK" in os.environ
RETRIED = (Cause.NO_JOIN, Cause.NO_MOVE, Cause.CONNECTION_DROPPED, Cause.CONNECTION_REFUSED, Cause.ILLEGAL_MOVE)
HEALTHY_RESULTS: dict[str, Any] = {}
"""Results of the healthy players' matches when nobody misbehaves; computed once a process."""


async def league_with(folder, entry: Misbehaviour) -> League:
    return await played(folder, Rogue(FAULTY, entry.effects, mcp=entry.mcp), entry)


async def league_of_rounds(folder, entries: Sequence[Misbehaviour]) -> League:
    """A league in which the player does another thing in each of its matches, one a round."""

    def by_round(phase: str) -> Effect:
        async def effect(call: Call) -> bytes:
            return await entries[call.params["round_id"] - 1].effects.get(phase, good)(call)

        return effect

    async def good(call: Call) -> bytes:
        return call.result(mcp_result(call.good()) if entries[0].mcp else call.good())

    rogue = Rogue(FAULTY, {"join": by_round("join"), "move": by_round("move")}, mcp=entries[0].mcp)
    return await played(folder, rogue, entries[0])


async def played(folder, rogue: Rogue, entry: Misbehaviour) -> League:
    await rogue.listen()
    if entry.deaf:
        rogue.vanish()
    async with patient_client() as http_client, league_harness(folder) as held:
        return await play(held, [rogue], http_client)


async def healthy_results(folder) -> dict[str, Any]:
    if not HEALTHY_RESULTS:
        league = await league_with(folder, TABLE[0])
        assert not [fault for result in league.results.values() for fault in result.faults], "all of them are healthy"
        HEALTHY_RESULTS.update(among_healthy(league))
    return HEALTHY_RESULTS


SLOW = [
    entry
    for entry in TABLE
    if entry.causes & {Cause.NO_JOIN, Cause.NO_MOVE} and Cause.CONNECTION_REFUSED not in entry.causes
]
"""Those that make others wait; they do it side by side."""
QUICK = [entry for entry in TABLE if entry not in SLOW and (entry.alone or SOAK)]
SHORT = [entry for entry in TABLE if entry not in SLOW and entry not in QUICK]
"""Those that last for a call; three of them have a match each of one league. `make soak` gives each its own league."""
THREES = [
    group[start : start + 3]
    for group in ([e for e in SHORT if e.mcp], [e for e in SHORT if not e.mcp])
    for start in range(0, len(group), 3)
]


@requirement(
    "000-MAP-06", "003-CAP-09", "003-TEST-E-07", "003-TEST-E-10", "004-TEST-17", "004-ERR-08", "project-END-02"
)
@pytest.mark.parametrize("entry", QUICK, ids=lambda entry: entry.name.replace(" ", "_"))
async def test_a_player_that(entry: Misbehaviour, tmp_path):
    with anyio.fail_after(60):
        expected = await healthy_results(tmp_path / "healthy")
        check(entry, await league_with(tmp_path / "faulty", entry), expected)


@requirement(
    "000-MAP-06", "003-CAP-09", "003-TEST-E-07", "003-TEST-E-10", "004-TEST-17", "004-ERR-08", "project-END-02"
)
@pytest.mark.parametrize("entries", THREES, ids=lambda entries: "_and_".join(e.name.replace(" ", "_") for e in entries))
async def test_a_player_that_does_another_thing_in_each_match(entries: list[Misbehaviour], tmp_path):
    entries = [*entries, *[TABLE[1] if entries[0].mcp else TABLE[0]] * 2][:3]
    with anyio.fail_after(60):
        expected = await healthy_results(tmp_path / "healthy")
        league = await league_of_rounds(tmp_path / "faulty", entries)
    check_others(league, expected)
    for fault in faults_of(league, "P04"):
        check_evidence(fault)
        assert fault_sentence(league, fault).startswith("Agent Mal (P04) ")
    for result in league.results.values():
        if "P04" in result.players:
            entry = entries[result.round_id - 1]
            told = [(fault.cause, fault.phase, fault.description) for fault in result.faults]
            assert len(told) == (entry.matches > 0), (entry.name, told)
            assert {fault.cause for fault in result.faults} <= entry.causes, (entry.name, told)


@pytest.mark.parametrize(
    "entries",
    [SLOW[::2], pytest.param(SLOW[1::2], marks=pytest.mark.slow)],
    ids=lambda entries: "_and_".join(e.name for e in entries),
)
async def test_players_that_keep_others_waiting(entries: list[Misbehaviour], tmp_path):
    leagues: dict[str, League] = {}

    async def run(entry: Misbehaviour) -> None:
        leagues[entry.name] = await league_with(tmp_path / entry.name, entry)

    with anyio.fail_after(60):
        expected = await healthy_results(tmp_path / "healthy")
        async with anyio.create_task_group() as tasks:
            for entry in entries:
                tasks.start_soon(run, entry)
    for entry in entries:
        check(entry, leagues[entry.name], expected)


def check_others(league: League, expected: dict[str, Any]) -> None:
    """Nobody has a part in the faults of another, and who is at fault loses."""
    assert len(league.results) == 6
    assert not league.voided
    assert among_healthy(league) == expected
    blamed = {fault.player_id for result in league.results.values() for fault in result.faults}
    assert blamed <= {"P04"}, "nobody else is blamed"
    for result in league.results.values():
        lost = any(fault.player_id == "P04" for fault in result.faults)
        assert (result.status is ResultStatus.TECHNICAL_LOSS) == lost
        if lost:
            assert result.score["P04"] == 0
            assert result.winner not in (None, "P04")
            assert result.score[result.winner] == 3


def check(entry: Misbehaviour, league: League, expected: dict[str, Any]) -> None:
    """Everybody has what it deserves."""
    check_others(league, expected)
    faults = faults_of(league, "P04")
    told = [(fault.cause, fault.phase, fault.description) for fault in faults]
    assert len(faults) == entry.matches, told
    assert {fault.cause for fault in faults} <= entry.causes, told
    for fault in faults:
        check_evidence(fault)
        assert fault_sentence(league, fault).startswith("Agent Mal (P04) ")


def check_evidence(fault: Fault) -> None:
    evidence, limit = fault.evidence, JOIN if fault.phase == "join" else MOVE
    asked = {"join": "GAME_INVITATION", "move": "CHOOSE_PARITY_CALL"}
    assert evidence["sent"] == asked[fault.phase]
    assert evidence["limit_sec"] == limit
    assert evidence["sent_at"].endswith("Z")
    assert evidence["elapsed_sec"] >= 0
    earlier = evidence.get("earlier", ())
    assert fault.tries == evidence["try"] == len(earlier) + 1
    # One that was gone at its last match, too, is asked once.
    assert fault.tries == (1 if "gone_in" in evidence else TRIES) or fault.cause not in RETRIED
    assert {each.get("cause", Cause.ILLEGAL_MOVE) for each in earlier} <= set(RETRIED), "an illegal move was answered"
    if fault.cause in (Cause.NO_JOIN, Cause.NO_MOVE):
        assert evidence["agent_sec"] >= limit - 0.05
        assert evidence["over_by_sec"] >= 0
    if fault.cause not in (Cause.DECLINED, Cause.ILLEGAL_MOVE):
        assert evidence.get("agent_sec", 0) + evidence.get("transport_sec", 0) <= evidence["elapsed_sec"] + 0.1
        assert "received" in evidence or "error" in evidence
    else:
        assert "received" in evidence
