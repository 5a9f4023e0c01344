"""Villain: thirty referees that are black holes for matches, beside two that are honest."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
import pytest

from league_sdk.domain.events import MatchAssigned
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import ResultStatus, Role
from league_sdk.tokens import launched_token
from tests.faults.league_harness import LEAGUE, OPERATOR, LeagueHarness, league_harness, patient_client
from tests.faults.rogue import Call, Effect, Rogue

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

HOLES = 30
PLAYERS = 8
THINKING = 0.5
"""Seconds that a player takes for a move: a league whose matches take no time has nothing to be compared with."""
SETTINGS = {
    "timeouts.referee_timeout_sec": 1.5,
    "timeouts.referee_trial_sec": 0.3,
    "timeouts.move_timeout_sec": 10.0,
    "timeouts.game_join_timeout_sec": 10.0,
}


async def hang(call: Call) -> bytes:
    await call.gone()
    return b""


async def accept(call: Call) -> bytes:
    return call.result(call.good())


async def say_nothing_of_matches(call: Call) -> bytes:
    return await hang(call) if call.method == "match_status" else call.error(-32601, "Method not found")


async def tell_a_state(call: Call) -> bytes:
    if call.method != "match_status":
        return call.error(-32601, "Method not found")
    told = {"message_type": "MATCH_STEP_RESPONSE", "game_session_id": "R1M1#1", "state": "COLLECTING_CHOICES"}
    return call.result(call.good(**told))


async def think(call: Call) -> bytes:
    await anyio.sleep(THINKING)
    return call.result(call.good())


async def know_no_match(call: Call) -> bytes:
    """Answer the manager's first look as an honest referee does, and no question about a match."""
    if call.method != "match_status":
        return call.error(-32601, "Method not found")
    if call.params["match_id"] != "R0M0":
        return await hang(call)
    data = {"error_code": "E007", "error_description": "MATCH_NOT_FOUND", "context": {}}
    return call.error(7, "there is no such match", data)


CUNNING = "that_pass_for_honest_until_they_have_a_match"
KINDS: Mapping[str, Mapping[str, Effect]] = {
    "that_answer_nothing_at_all": {"start": hang, "notice": hang, "other": hang},
    "that_do_not_answer_start_match": {"start": hang},
    "that_take_a_match_and_are_silent": {"start": accept, "other": say_nothing_of_matches},
    CUNNING: {"start": accept, "other": know_no_match},
    "that_take_a_match_and_tell_of_it_for_ever": {"start": accept, "other": tell_a_state},
}


HONEST = ("Whistle", "Second")


async def season(folder: Path, holes: Sequence[Rogue], *, own: bool = False) -> tuple[float, LeagueHarness]:
    """Play a league with two honest referees, which may be the launcher's own, and these; the seconds of its rounds."""
    players = [Rogue(f"Player {number}", {"move": think}) for number in range(PLAYERS)]
    with anyio.fail_after(120):
        async with (
            patient_client() as http,
            league_harness(
                folder,
                players=PLAYERS,
                referees=2 + len(holes),
                settings=SETTINGS,
                own_referees=HONEST if own else (),
            ) as held,
        ):
            for hole in holes:  # first, so that matches are theirs by any order
                await hole.listen()
                await hole.register(held.manager, http, held.referee_secret)
                assert hole.agent_id, hole.registration
            for name in HONEST:
                token = launched_token(OPERATOR, LEAGUE, Role.REFEREE, name) if own else ""
                held.start(Role.REFEREE, name, max_concurrent_matches=4, auth_token=token)
            for player in players:
                await player.listen()
                await player.register(held.manager, http)
            await held.until(lambda league: league.state is LeagueState.RUNNING)
            began = time.monotonic()
            await held.ended.wait()
            took = time.monotonic() - began
            await held.over()
            for agent in (*holes, *players):
                agent.vanish()
    assert held.league.state is LeagueState.COMPLETED, held.failures()
    return took, held


def check(held: LeagueHarness) -> list[MatchAssigned]:
    """Nobody pays; the tries in vain."""
    league = held.league
    assert not league.voided
    assert all(result.status is not ResultStatus.TECHNICAL_LOSS for result in league.results.values())
    assigned = [event for event in held.events if isinstance(event, MatchAssigned)]
    return [event for event in assigned if event.attempt != league.results[event.match_id].attempt]


async def compare(folder: Path, kind: str, *, own: bool = False) -> list[MatchAssigned]:
    """Play with and without holes until the times are as they should be; the tries in vain.

    What else the machine has to do changes from one league to the next: both are measured again if need be.
    """
    measured: list[tuple[float, float]] = []
    for number in range(3):
        alone, _ = await season(folder / f"alone-{number}", [], own=own)
        holes = [Rogue(f"Hole {each}", KINDS[kind], role="referee") for each in range(HOLES)]
        beset, held = await season(folder / f"beset-{number}", holes, own=own)
        measured.append((alone, beset))
        tried = check(held)
        times = Counter(event.referee_id for event in tried)
        assert all(times[hole.agent_id] <= 1 for hole in holes)
        if beset < 2 * alone:
            return tried
    raise AssertionError(measured)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != CUNNING])
async def test_thirty_black_holes(kind: str, tmp_path: Path):
    await compare(tmp_path, kind)


@pytest.mark.slow
async def test_thirty_black_holes_that_pass_for_honest_beside_the_launchers_own_referees(tmp_path: Path):
    assert not await compare(tmp_path, CUNNING, own=True)


@pytest.mark.slow
async def test_thirty_black_holes_that_pass_for_honest_among_strangers_cost_one_short_trial_each(tmp_path: Path):
    tried = await compare(tmp_path, CUNNING)
    assert {event.match_id.partition("M")[0] for event in tried} == {"R1"}, "later rounds know whom to give matches"
