"""Players that sit out, as the manager runs a league: nothing waits for them, and they come back."""

from typing import Any

import pytest

from league_sdk.domain.commands import SitOut
from league_sdk.domain.model import StageRules
from league_sdk.domain.participants.sitting_out import SittingOutReason
from league_sdk.errors import InvalidField, PeerUnreachable
from league_sdk.protocol.rounds import LeagueCompletedMessage, LeagueStandingsUpdate, RoundAnnouncement
from tests.servers.fakes import query
from tests.servers.league_manager.runner_harness import RunnerHarness, runner_harness
from tests.servers.league_manager.silent_players import SilentPlayers, complete, end

pytestmark = pytest.mark.anyio
SWISS: Any = {"stages": (StageRules("swiss", {"rounds": 4}),)}
SITS_OUT: Any = {"absences_before_sitting_out": 1, "match_delay_sec": 30.0}


def sitting(held: RunnerHarness) -> dict[str, str]:
    return {player: str(state.reason) for player, state in held.manager.league.sitting_out.items()}


async def test_in_a_fixed_schedule_its_matches_are_not_played_and_take_no_time():
    async with runner_harness(4, absences_before_sitting_out=1) as held:
        SilentPlayers(held, "P04")
        held.begin()
        await complete(held, 1)
        began = held.clock.monotonic()
        await end(held)
        league = held.manager.league
    assert held.clock.monotonic() - began < 20, "no more tries"
    own = [result for result in league.results.values() if "P04" in result.players]
    assert [result.not_played for result in own] == [False, True, True]
    assert len(held.assigned(own[1].match_id)) == 0
    assert [row.points for row in league.standings()][-1] == 0


async def test_a_silent_player_gets_no_message_but_the_probe_of_each_round_and_is_back_once_it_answers():
    async with runner_harness(8, absences_before_sitting_out=1, match_delay_sec=30.0) as held:
        silent = SilentPlayers(held, "P08")
        held.begin()
        await complete(held, 3)
        assert sitting(held) == {"P08": "absent"}
        announced = [message.round_id for message in held.peers.sent(RoundAnnouncement, "P08")]
        assert announced == [1], "nothing else"
        silent.wake("P08")
        await end(held)
        league = held.manager.league
    assert not league.sitting_out
    last = [result for result in league.results.values() if "P08" in result.players][-1]
    assert not last.not_played
    assert [message.round_id for message in held.peers.sent(RoundAnnouncement, "P08")][-1] == 7
    assert len(held.peers.sent(LeagueCompletedMessage, "P08")) == 1


async def test_an_answer_that_is_an_error_is_an_answer_and_no_connection_is_none():
    async with runner_harness(4, **SITS_OUT) as held:
        SilentPlayers(held, "P04")
        held.peers.script(LeagueStandingsUpdate, PeerUnreachable("refused"), InvalidField("what?"), to="P04")
        held.begin()
        await complete(held, 1)
        await end(held)
        assert held.manager.types.count("PlayerRejoined") >= 1


@pytest.mark.tampers
async def test_any_call_of_its_own_brings_it_back():
    async with runner_harness(4, **SITS_OUT) as held:
        SilentPlayers(held, "P01")
        held.begin()
        await complete(held, 1)
        for reason, back in ((SittingOutReason.ABSENT, True), (SittingOutReason.OPERATOR, False)):
            if not back:
                await held.manager.ledger.execute(SitOut("P01", reason))
            await held.manager.call("league_query", query("GET_STATUS", "P02"))
            assert sitting(held) == {"P01": str(reason)}
            answer = await held.manager.call("league_query", query("GET_STATUS", "P01"))
            assert ("P01" not in held.manager.league.sitting_out) is back
            assert answer["status"].get("sitting_out") == (None if back else 1)
        stats = await held.manager.call("league_query", query("GET_PLAYER_STATS", "P01"))
        assert stats["player_stats"]["sitting_out"] == "operator"


async def test_a_swiss_league_pairs_it_no_more_and_pairs_it_again_when_it_is_back():
    async with runner_harness(8, absences_before_sitting_out=1, match_delay_sec=30.0, **SWISS) as held:
        silent = SilentPlayers(held, "P08")
        held.begin()
        await complete(held, 2)
        paired = held.manager.league.rounds[1]
        assert "P08" not in {*paired.byes, *(player for match in paired.fixtures for player in match.players)}
        silent.wake("P08")
        await end(held)
        league = held.manager.league
        last = league.rounds[-1]
    assert not league.sitting_out
    assert "P08" in {*last.byes, *(player for match in last.fixtures for player in match.players)}


async def test_a_league_in_which_too_few_are_left_asks_once_more_and_ends():
    two: Any = {"stages": (StageRules("swiss", {"rounds": 2}),)}
    async with runner_harness(4, absences_before_sitting_out=1, match_delay_sec=30.0, **two) as held:
        SilentPlayers(held, "P02", "P03", "P04")
        held.begin()
        await complete(held, 1)
        await end(held)
        league = held.manager.league
    assert len(league.rounds) == 1
    assert league.champions == ("P01",)


async def test_an_endless_ladder_in_which_all_but_one_are_absent_waits_and_goes_on_when_one_is_back():
    ladder: Any = {"stages": (StageRules("ladder", {"endless": True}),)}
    async with runner_harness(3, absences_before_sitting_out=1, match_delay_sec=1.0, **ladder) as held:
        silent = SilentPlayers(held, "P02", "P03")
        held.begin()
        await complete(held, 2)
        await held.clock.pass_by(600)
        assert (sitting(held).keys(), held.manager.league.current_round) == ({"P02", "P03"}, None)
        silent.wake("P03")
        await complete(held, 3)
        assert {*held.manager.league.rounds[2].fixtures[0].players} == {"P01", "P03"}


async def test_a_match_whose_player_sits_out_while_it_is_given_out_is_forfeited():
    async with runner_harness(2) as held:
        held.begin()
        await held.manager.ledger.execute(SitOut("P02", SittingOutReason.OPERATOR))
        await end(held)
        result = held.manager.league.results["R1M1"]
    assert (result.not_played, result.winner) == (True, "P01")


async def test_a_call_after_the_end_of_the_league_changes_nothing():
    async with runner_harness(4, **SITS_OUT) as held:
        SilentPlayers(held, "P04")
        held.begin()
        await end(held)
        answer = await held.manager.call("league_query", query("GET_STATUS", "P04"))
    assert answer["status"]["state"] == "COMPLETED"
    assert held.manager.types.count("PlayerRejoined") == 0
