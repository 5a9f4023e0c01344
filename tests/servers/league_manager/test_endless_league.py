"""An endless ladder as its manager runs it: between rounds agents come and go, until the operator closes it."""

from typing import Any

import pytest

from league_sdk.domain.commands import EnterPlayer, PairRound, SitOut, WithdrawAgent
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import StageRules
from league_sdk.domain.participants.sitting_out import SittingOutReason
from league_sdk.errors import InvalidField, LeagueNotStarted
from league_sdk.protocol.rounds import LeagueCompletedMessage, RoundCompletedMessage
from league_sdk.tournament import PairedRound
from servers.league_manager.operator_controls import OperatorControls
from servers.league_manager.pairing import Pairing
from servers.read_model.event_text import EVENTS
from servers.read_model.overview import overview
from servers.ui.actions import actions
from tests.league_sdk.domain.season import agent
from tests.requirements.marker import requirement
from tests.servers.fakes import query, settle
from tests.servers.league_manager.runner_harness import RunnerHarness, runner_harness

pytestmark = pytest.mark.anyio
ENDLESS_LADDER: Any = {"stages": (StageRules("ladder", {"endless": True}),)}


async def rounds(held: RunnerHarness, number: int) -> None:
    """Wait until so many rounds are complete."""
    await held.manager.ledger.until(lambda league: league.rounds_completed >= number)


def closing(held: RunnerHarness) -> OperatorControls:
    return OperatorControls(held.manager.ledger)


@requirement("project-LEAVE-05")
async def test_rounds_go_on_until_the_operator_closes_the_league():
    async with runner_harness(3, **ENDLESS_LADDER) as held:
        with pytest.raises(LeagueNotStarted):
            await closing(held).close()
        held.begin()
        await rounds(held, 5)
        assert held.manager.league.state is LeagueState.RUNNING
        told = held.peers.sent(RoundCompletedMessage)[0]
        assert told.next_round_id == told.round_id + 1
        await closing(held).close()
        await closing(held).close()
        await held.over.wait()
        league = held.manager.league
        last = held.peers.sent(LeagueCompletedMessage)[0]
    assert (league.state, held.manager.types.count("LeagueClosed")) == (LeagueState.COMPLETED, 1)
    assert (last.champion.player_id,) == league.champions == league.ranking[0]
    assert last.total_rounds == len(league.rounds) == league.total_rounds


async def test_it_waits_while_fewer_than_two_players_are_there():
    async with runner_harness(2, match_delay_sec=60.0, **ENDLESS_LADDER) as held:
        held.begin()
        await rounds(held, 1)
        await held.manager.ledger.execute(WithdrawAgent("P01"))
        await held.clock.pass_by(600)
        assert (len(held.manager.league.rounds), held.over.is_set()) == (1, False)
        await held.manager.ledger.execute(EnterPlayer(agent("Late", game_types=("even_odd",)), "none"))
        await rounds(held, 2)
        assert {*held.manager.league.rounds[1].fixtures[0].players} == {"P02", "P03"}


async def test_closing_does_not_wait_for_the_next_rounds_time():
    async with runner_harness(2, match_delay_sec=3600.0, **ENDLESS_LADDER) as held:
        held.begin()
        await rounds(held, 1)
        await settle()
        await closing(held).close()
        await held.over.wait()
    assert len(held.manager.league.rounds) == 1


@pytest.mark.parametrize("command", [WithdrawAgent("P02"), SitOut("P02", SittingOutReason.OPERATOR), None])
async def test_a_round_that_was_paired_while_somebody_left_or_it_was_closed_is_paired_again(
    command: Any, monkeypatch: pytest.MonkeyPatch
):
    async with runner_harness(4, **ENDLESS_LADDER) as held:
        pair, crossed = Pairing.next_round, list[int]()

        async def next_round(self: Pairing, league: Any) -> PairRound | None:
            paired = await pair(self, league)
            if len(league.rounds) == 2 and not crossed:
                crossed.append(2)
                await (held.manager.ledger.execute(command) if command else closing(held).close())
            return paired

        monkeypatch.setattr(Pairing, "next_round", next_round)
        held.begin()
        if command is None:
            await held.over.wait()
            assert len(held.manager.league.rounds) == 2
        else:
            await rounds(held, 3)
            third = held.manager.league.rounds[2]
            assert "P02" not in {*third.byes, *(player for each in third.fixtures for player in each.players)}


async def test_a_round_that_the_league_refuses_for_another_reason_is_a_failure(monkeypatch: pytest.MonkeyPatch):
    async with runner_harness(2, **ENDLESS_LADDER) as held:

        async def nobody(_self: Pairing, _league: Any) -> PairRound:
            return PairRound(PairedRound(()))

        monkeypatch.setattr(Pairing, "next_round", nobody)
        with pytest.raises(ExceptionGroup) as failed:
            await held.course.run()
        assert failed.group_contains(InvalidField, match="pairings")


async def test_lists_over_all_rounds_stay_small_and_no_text_names_a_last_round():
    async with runner_harness(3, standings_window=4, **ENDLESS_LADDER) as held:
        held.begin()
        await rounds(held, 6)
        answer = await held.manager.call("league_query", query("GET_SCHEDULE"))
        assert (len(answer["schedule"]), answer["truncated"]) == (4, True)
        assert answer["total"] == held.manager.league.total_matches
        league = held.manager.league
        assert overview(league).rounds_named == f"round {league.rounds_started}"
        told = [EVENTS[type(record.event)].text(league, record.event) for record in held.manager.records]
        lines = [text.line for text in told if text is not None and text.kind == "round"]
        assert lines[0].startswith("round 1 started: ")
        assert not any(" of " in line for line in lines)
        offered = {action.label: action.open for action in actions(league)}
        assert offered["Close"]
        await closing(held).close()
        assert not {action.label: action.open for action in actions(held.manager.league)}["Close"]
