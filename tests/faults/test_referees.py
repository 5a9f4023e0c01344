"""Referees that lie, stay silent or refuse, beside one that is honest: every match has one result, and nobody pays."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest

from league_sdk.domain.events import MatchAssigned, MatchRecorded
from league_sdk.domain.league import League
from league_sdk.domain.model import ResultStatus, Role
from tests.faults.hostile_referees import Crook
from tests.faults.league_harness import HEALTHY, LeagueHarness, healthy, league_harness, patient_client
from tests.faults.rogue import Call, Effect

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

IMPATIENT = {"timeouts.match_timeout_sec": 1.0, "heartbeat_interval_sec": 0.2}


async def refuses(call: Call) -> bytes:
    return call.error(-32603, "I would rather not")


async def busy(call: Call) -> bytes:
    return call.error(23, "busy", {"error_code": "E023", "error_description": "RATE_LIMITED", "context": {}})


async def forges_the_score(crook: Crook, call: Call) -> None:
    first, second = call.params["player_A_id"], call.params["player_B_id"]
    await crook.report(call.params["match_id"], first, {first: 100, second: 0})


async def names_a_stranger(crook: Crook, call: Call) -> None:
    await crook.report(call.params["match_id"], "P99", {"P99": 3, call.params["player_B_id"]: 0})


async def blames_the_winner(crook: Crook, call: Call) -> None:
    first, second = call.params["player_A_id"], call.params["player_B_id"]
    fault = {
        "player_id": first,
        "cause": "no_move",
        "phase": "move",
        "error_code": "E001",
        "tries": 1,
        "description": "",
    }
    details = {"status": "TECHNICAL_LOSS"}
    result = {"winner": first, "score": {first: 3, second: 0}, "details": details, "faults": [fault]}
    await crook.report(call.params["match_id"], first, {}, result=result)


async def reports_for_other_matches(crook: Crook, call: Call) -> None:
    own = call.params["match_id"]
    for other in ("R1M1", "R2M1", "R3M1", "R9M9"):
        if other != own:
            await crook.report(other, "P01", {"P01": 3, "P02": 0})


async def speaks_as_another(crook: Crook, call: Call) -> None:
    first, second = call.params["player_A_id"], call.params["player_B_id"]
    await crook.report(call.params["match_id"], first, {first: 3, second: 0}, sender="referee:REF02")


async def has_a_wrong_token(crook: Crook, call: Call) -> None:
    first, second = call.params["player_A_id"], call.params["player_B_id"]
    await crook.report(call.params["match_id"], first, {first: 3, second: 0}, auth_token="guessed")


@dataclass(frozen=True)
class Crookedness:
    """A referee that breaks a rule.

    Attributes:
        name: What it does.
        reports: What it reports once it gets a match.
        effects: What it does with other calls.
        answers: What the manager may say to its reports.
    """

    name: str
    reports: Callable[[Crook, Call], Awaitable[None]] | None = None
    effects: Mapping[str, Effect] = field(default_factory=dict[str, Effect])
    answers: frozenset[str] = frozenset()


TABLE = (
    Crookedness("never_reports"),
    Crookedness("refuses_every_match", effects={"start": refuses}),
    Crookedness("is_always_busy", effects={"start": busy}),
    Crookedness("forges_the_score", forges_the_score, answers=frozenset({"E002"})),
    Crookedness("names_a_stranger_as_the_winner", names_a_stranger, answers=frozenset({"E002"})),
    Crookedness("blames_the_winner", blames_the_winner, answers=frozenset({"E002"})),
    Crookedness(
        "reports_for_matches_of_others", reports_for_other_matches, answers=frozenset({"E007", "E008", "E010"})
    ),
    Crookedness("speaks_as_another_referee", speaks_as_another, answers=frozenset({"E012"})),
    Crookedness("shows_a_wrong_token", has_a_wrong_token, answers=frozenset({"E012"})),
)


async def season(
    folder, crook: Crook, after: Callable[[LeagueHarness], Awaitable[None]] | None = None
) -> LeagueHarness:
    async with (
        patient_client() as http_client,
        league_harness(folder, players=3, referees=2, settings=IMPATIENT) as held,
    ):
        crook.manager, crook.http = held.manager, http_client
        await crook.listen()
        await crook.register(held.manager, http_client, held.referee_secret)
        held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
        for name in HEALTHY:
            player = healthy(name)
            await player.listen()
            await player.register(held.manager, http_client)
        if after is not None:
            await after(held)
        await held.over()
        crook.vanish()
    return held


def check(league: League, events: list[Any]) -> None:
    recorded = [event.result.match_id for event in events if isinstance(event, MatchRecorded)]
    assert sorted(recorded) == ["R1M1", "R2M1", "R3M1"], "each match has one result"
    assert not league.voided
    for result in league.results.values():
        assert not result.faults, "no player pays for a referee"
        assert result.status is not ResultStatus.TECHNICAL_LOSS


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)
async def test_a_referee_that(entry: Crookedness, tmp_path):
    with anyio.fail_after(60):
        crook = Crook(entry.reports, entry.effects)
        held = await season(tmp_path, crook)
    league = held.league
    check(league, held.events)
    honest = {result.referee_id for result in league.results.values()}
    assert honest == {"REF02"}, "the honest one played them all"
    assert set(crook.answers) <= entry.answers
    assert bool(crook.answers) == bool(entry.answers)
    tried = [event for event in held.events if isinstance(event, MatchAssigned) and event.referee_id == "REF01"]
    assert tried, "it had its chance"
    for event in tried:
        assert league.attempt(event.match_id) > event.attempt


async def test_a_referee_that_reports_twice_is_acknowledged_and_a_changed_report_is_refused(tmp_path):
    async def honest_then_not(crook: Crook, call: Call) -> None:
        match_id, players = call.params["match_id"], (call.params["player_A_id"], call.params["player_B_id"])
        for winner in (*players[:1] * 2, players[1]):
            await crook.report(match_id, winner, {player: 3 * (player == winner) for player in players})

    with anyio.fail_after(60):
        crook = Crook(honest_then_not, {})
        held = await season(tmp_path, crook)
    check(held.league, held.events)
    assert crook.answers == ["MATCH_RESULT_ACK", "MATCH_RESULT_ACK", "E010"] * len(crook.given)
    for given in crook.given:
        assert held.league.results[given["match_id"]].winner == given["player_A_id"]


async def test_a_report_that_comes_after_the_match_was_given_to_another_is_not_counted(tmp_path):
    async def tell_late(held: LeagueHarness) -> None:
        def taken_away(league: League) -> list[dict[str, Any]]:
            return [given for given in crook.given if league.attempt(given["match_id"]) > 1]

        for given in taken_away(await held.until(lambda league: bool(taken_away(league)))):
            told.append(given["match_id"])
            score = {given["player_A_id"]: 0, given["player_B_id"]: 3}
            await crook.report(given["match_id"], given["player_B_id"], score, attempt=1)

    told: list[str] = []
    with anyio.fail_after(60):
        crook = Crook(None, {})
        held = await season(tmp_path, crook, tell_late)
    check(held.league, held.events)
    assert told
    assert set(crook.answers) <= {"E007", "E010"}
    assert {result.referee_id for result in held.league.results.values()} == {"REF02"}
