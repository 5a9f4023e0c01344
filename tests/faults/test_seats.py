"""Improper registrations."""

import anyio
import pytest

from league_sdk.domain.model import Cause
from tests.faults.league_harness import FAULTY, HEALTHY, faults_of, league_harness, patient_client, play
from tests.faults.rogue import Rogue

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


async def test_the_second_of_two_agents_with_one_name_is_rejected_and_the_first_plays_on(tmp_path):
    first, double = Rogue(FAULTY), Rogue(FAULTY)
    with anyio.fail_after(60):
        async with patient_client() as http_client, league_harness(tmp_path) as held:
            for agent in (first, double):
                await agent.listen()
            await first.register(held.manager, http_client)
            answer = await double.register(held.manager, http_client)
            league = await play(held, [], http_client)
            first.vanish()
            double.vanish()
    assert (answer["status"], answer["error_code"]) == ("REJECTED", "E016")
    assert "auth_token" not in answer
    assert [player.display_name for player in league.players.values()].count(FAULTY) == 1
    assert league.player("P04").endpoint == first.endpoint
    assert not any(result.faults for result in league.results.values())
    assert not double.calls


async def test_an_agent_that_comes_after_registration_is_rejected(tmp_path):
    late = Rogue("Late")
    with anyio.fail_after(60):
        async with patient_client() as http_client, league_harness(tmp_path, players=3) as held:
            await late.listen()
            answers = []

            async def register() -> None:
                await held.until(lambda league: len(league.players) == 3)
                answers.append(await late.register(held.manager, http_client))

            held.tasks.start_soon(register)
            league = await play(held, [], http_client)
            late.vanish()
    assert [answer["error_code"] for answer in answers] == ["E020"]
    assert set(league.players) == {"P01", "P02", "P03"}
    assert not late.calls


async def test_an_agent_that_dies_before_the_first_round_costs_the_others_nothing(tmp_path):
    dead = Rogue(FAULTY)
    with anyio.fail_after(60):
        async with patient_client() as http_client, league_harness(tmp_path) as held:
            await dead.listen()
            await dead.register(held.manager, http_client)
            dead.vanish()
            league = await play(held, [], http_client)
    assert {fault.cause for fault in faults_of(league, "P04")} == {Cause.CONNECTION_REFUSED}
    assert len(faults_of(league, "P04")) == 3
    assert all(not faults_of(league, f"P{number:02d}") for number in range(1, len(HEALTHY) + 1))


async def test_a_player_learns_its_own_failures_and_not_those_of_others(tmp_path):
    silent, asked = Rogue(FAULTY), []
    with anyio.fail_after(60):
        async with patient_client() as http_client, league_harness(tmp_path) as held:
            await silent.listen()
            await silent.register(held.manager, http_client)
            silent.vanish()

            async def ask() -> None:
                await held.until(lambda league: bool(faults_of(league, "P04")))
                for player_id in ("P04", "P01"):
                    params = {"player_id": player_id}
                    fields = {"league_id": "faults", "query_type": "GET_PLAYER_STATS", "query_params": params}
                    answer = await silent.tell(held.manager, http_client, "league_query", "LEAGUE_QUERY", **fields)
                    asked.append(answer["player_stats"])

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                await play(held, [], http_client)
    own, other = asked
    assert own["technical_losses"] == len(own["failures"])
    failure = own["failures"][0]
    assert failure["cause"] == "connection_refused"
    assert failure["match_id"].startswith("R")
    assert failure["evidence"]["sent"] == "GAME_INVITATION"
    assert "failures" not in other
