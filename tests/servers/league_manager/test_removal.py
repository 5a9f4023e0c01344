"""A player that is removed while its league is led: what its matches, its referees and the others hear of it."""

import anyio
import pytest

from league_sdk.domain.commands import RemovePlayer, StopLeague
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.errors import LeagueAlreadyComplete, MatchNotFound
from league_sdk.ports import CallRefused
from league_sdk.protocol.operator import MatchStatus, StartMatch
from league_sdk.protocol.rounds import (
    LeagueCompletedMessage,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundCompletedMessage,
)
from league_sdk.stores import MemoryEventStore
from servers.league_manager.operator_controls import OperatorControls
from tests.servers.fakes import (
    Manager,
    begun,
    enrol,
    manager,
    player_request,
    query,
    result_report,
    settle,
    start,
    status,
    token_of,
)
from tests.servers.league_manager.runner_harness import RunnerHarness, course_of, runner_harness, until_called

pytestmark = pytest.mark.anyio
CAUSE = "P01 was removed by the operator: it crashed"


async def remove(held: RunnerHarness, player_id: str = "P01") -> None:
    await OperatorControls(held.manager.ledger).remove(player_id, "it crashed")


async def refused(made: Manager, tool: str, message: dict[str, object]) -> tuple[str, str]:
    with pytest.raises(CallRefused) as caught:
        await made.call(tool, message)
    return (caught.value.data or {})["error_code"], caught.value.message


class TestTheCourse:
    async def test_the_league_is_played_to_its_end_by_those_who_stay(self):
        async with runner_harness(4, 2) as held:
            gate = anyio.Event()
            held.peers.script(StartMatch, begun, held.plays_when(gate), held.plays)
            held.begin()
            await until_called(held, StartMatch, 2)
            await remove(held)
            held.peers.script(MatchStatus, status("REPORTED", reported=True))
            gate.set()
            await held.clock.pass_by(60)
            await held.over.wait()
            league = held.manager.league
        assert league.state is LeagueState.COMPLETED
        assert dict(league.voided) == dict.fromkeys(["R1M1", "R2M1", "R3M1"], CAUSE)
        assert sorted(league.results) == ["R1M2", "R2M2", "R3M2"]
        assert sorted(match_id for match_id, _, _ in held.started()) == ["R1M1", "R1M2", "R2M2", "R3M2"]
        assert league.champions == ("P03",)

    async def test_everybody_else_hears_of_it_and_the_player_of_the_end_alone(self):
        async with runner_harness(4, 2) as held:
            held.peers.script(StartMatch, begun, held.plays)
            held.begin()
            await until_called(held, StartMatch)
            await remove(held)
            held.peers.script(MatchStatus, MatchNotFound("never heard of it"))
            await held.clock.pass_by(60)
            await held.over.wait()
        assert held.peers.order("P01") == ["ROUND_ANNOUNCEMENT", "LEAGUE_COMPLETED"]
        first, second, _ = held.peers.sent(RoundAnnouncement, "P02")
        assert [match.match_id for match in first.matches] == ["R1M1", "R1M2"]
        assert [match.match_id for match in second.matches] == ["R2M2"]
        ends = held.peers.sent(RoundCompletedMessage, "P02")
        assert [(end.matches_played, end.void_matches) for end in ends] == [
            (1, {f"R{round_id}M1": CAUSE}) for round_id in (1, 2, 3)
        ]
        update = held.peers.sent(LeagueStandingsUpdate, "P02")[0]
        assert {row.player_id: row.removed for row in update.standings} == {
            "P01": True,
            "P02": None,
            "P03": None,
            "P04": None,
        }
        (over,) = held.peers.sent(LeagueCompletedMessage, "P01")
        assert over.champion.player_id == "P03"

    async def test_a_referee_that_plays_on_in_vain_gets_nothing_new_until_it_is_done(self):
        async with runner_harness(4, 1, concurrent=1) as held:
            held.peers.script(StartMatch, begun, held.plays)
            held.peers.script(MatchStatus, status("COLLECTING_CHOICES"), status("REPORTED", reported=True))
            held.begin()
            await until_called(held, StartMatch)
            await remove(held)
            await settle()
            assert held.started() == [("R1M1", "REF01", 1)]
            await held.clock.pass_by(60)
            await held.over.wait()
        assert held.started()[1] == ("R1M2", "REF01", 1)
        assert {attempt for _, _, attempt in held.started()} == {1}

    async def test_after_a_restart_it_is_waited_for_as_well(self):
        async with runner_harness(4, 1, concurrent=1) as held:
            held.peers.script(StartMatch, begun)
            held.begin()
            await until_called(held, StartMatch)
            await remove(held)
            await held.manager.ledger.execute(StopLeague("paused by the operator"))
            await held.over.wait()
            await OperatorControls(held.manager.ledger).resume()
            held.over = anyio.Event()
            held.course = course_of(held.manager, held.peers, held.clock)
            held.peers.script(MatchStatus, status("COLLECTING_CHOICES"), status("REPORTED", reported=True))
            held.peers.script(StartMatch, held.plays)
            held.begin()
            await settle()
            assert len(held.started()) == 1
            await held.clock.pass_by(60)
            await held.over.wait()
        assert {attempt for _, _, attempt in held.started()} == {1}
        assert len(held.manager.league.results) == 3

    async def test_with_one_left_the_rounds_pass_without_matches(self):
        async with runner_harness(3) as held:
            held.peers.script(StartMatch, held.plays_when(anyio.Event()))
            held.peers.script(MatchStatus, MatchNotFound("never heard of it"))
            held.begin()
            await until_called(held, StartMatch)
            await remove(held, "P01")
            await remove(held, "P02")
            await held.clock.pass_by(60)
            await held.over.wait()
        assert held.manager.league.champions == ()  # nothing was played
        assert len(held.manager.league.voided) == 3

    async def test_a_player_removed_during_registration_hears_of_the_end_too(self):
        async with runner_harness(3, expected_players=4) as held:
            await remove(held)
            held.begin()
            await settle()
            await start(held.manager.ledger)
            await held.clock.pass_by(60)
            await held.over.wait()
        assert held.peers.order("P01") == ["LEAGUE_COMPLETED"]
        assert list(held.manager.league.results) == ["R1M1"]

    async def test_a_league_that_is_over_keeps_its_players(self):
        async with runner_harness(2) as held:
            held.begin()
            await held.over.wait()
            with pytest.raises(LeagueAlreadyComplete):
                await remove(held)


class TestWhoWasRemoved:
    async def test_its_token_is_good_for_nothing(self):
        made = await manager()
        await enrol(made.ledger, 3)
        await made.ledger.execute(RemovePlayer("P03"))
        await start(made.ledger)
        await made.ledger.execute(RemovePlayer("P01", "it crashed"))
        for player_id, name, cause in (
            ("P01", "Player 1", CAUSE),
            ("P03", "Player 3", "P03 was removed by the operator"),
        ):
            assert await refused(made, "league_query", query("GET_STATUS", player_id)) == ("E012", cause)
            message = player_request(name, token_of(player_id))
            assert await refused(made, "register_player", message) == ("E012", cause)

    async def test_it_cannot_register_anew_under_its_name(self):
        made = await manager()
        await enrol(made.ledger, 2)
        await made.ledger.execute(RemovePlayer("P01"))
        answer = await made.call("register_player", player_request("Player 1"))
        assert (answer["status"], answer["error_code"]) == ("REJECTED", "E016")
        other = await made.call("register_player", player_request("Newcomer"))
        assert (other["status"], other["player_id"]) == ("ACCEPTED", "P03")

    async def test_a_late_report_of_its_match_is_refused(self):
        async with runner_harness(2) as held:
            held.peers.script(StartMatch, begun)
            held.begin()
            await until_called(held, StartMatch)
            await settle()
            await remove(held)
            code, message = await refused(held.manager, "report_match_result", result_report())
        assert (code, message) == ("E008", "R1M1 is void")
        assert len(held.manager.league.results) == 0

    async def test_the_opponent_sees_why(self):
        made = await manager()
        await enrol(made.ledger, 2)
        await start(made.ledger)
        await made.ledger.execute(RemovePlayer("P01", "it crashed"))
        answer = await made.call("league_query", query("GET_STATUS", "P02"))
        assert answer["status"]["void_matches"] == {"R1M1": CAUSE}
        stats = await made.call("league_query", query("GET_PLAYER_STATS", "P02", {"player_id": "P01"}))
        assert stats["player_stats"]["removed"] is True

    async def test_it_stays_removed_when_the_manager_starts_anew(self):
        store = MemoryEventStore()
        made = await manager(store)
        await enrol(made.ledger, 2)
        await start(made.ledger)
        await made.ledger.execute(RemovePlayer("P01", "it crashed"))
        again = Manager(store)
        await again.ledger.open()
        assert again.league == made.league
        assert await refused(again, "league_query", query("GET_STATUS", "P01")) == ("E012", CAUSE)
