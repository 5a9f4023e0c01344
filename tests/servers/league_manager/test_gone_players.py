"""Players that were gone at their last match, as the manager remembers them."""

from dataclasses import replace

import pytest

from league_sdk.domain.events import GENESIS, MatchRecorded, PlayerRejoined, seal
from league_sdk.domain.model import Cause, Fault, MatchResult, ResultStatus
from league_sdk.domain.participants.sitting_out import LiftedBy
from league_sdk.protocol.rounds import LeagueCompletedMessage, RoundAnnouncement
from servers.league_manager.announcements import Announcements
from servers.league_manager.gone_players import GonePlayers
from tests.servers.fakes import OPERATOR, manager, never, start
from tests.servers.league_manager.runner_harness import TIMEOUTS, enrol, runner_harness, until_called

pytestmark = pytest.mark.anyio


def told(players: GonePlayers, *events) -> GonePlayers:
    """Records of a league, one after the other."""
    for event in events:
        players.take(None, [seal("summer", 1, "2025-01-15T10:00:00.000Z", event, GENESIS)])
    return players


def lost(match_id: str, cause: Cause | None, referee_id: str = "REF01") -> MatchRecorded:
    """A match of P01, which it lost by a fault or won."""
    faults = () if cause is None else (Fault("P01", cause, "join", "E009", 2, "nobody listens"),)
    status = ResultStatus.TECHNICAL_LOSS if faults else ResultStatus.WIN
    winner = "P02" if faults else "P01"
    return MatchRecorded(MatchResult(match_id, 1, ("P01", "P02"), status, winner, {}, referee_id, faults=faults))


def test_a_player_that_was_gone_is_known_with_its_last_match():
    gone = told(GonePlayers(), lost("R1M1", Cause.CONNECTION_REFUSED), lost("R2M1", Cause.CONNECTION_DROPPED))
    assert gone.last_match("P01") == "R2M1"
    assert gone.last_match("P02") is None


@pytest.mark.parametrize("cause", [None, Cause.NO_JOIN, Cause.MALFORMED_REPLY])
def test_a_match_in_which_it_was_not_gone_ends_that(cause: Cause | None):
    assert told(GonePlayers(), lost("R1M1", Cause.CONNECTION_REFUSED), lost("R2M1", cause)).last_match("P01") is None


def test_what_the_league_decides_by_itself_says_nothing_of_a_player():
    gone = told(GonePlayers(), lost("R1M1", Cause.CONNECTION_REFUSED), lost("R2M1", Cause.SITS_OUT, referee_id=""))
    assert gone.last_match("P01") == "R1M1"


def test_a_call_of_its_own_and_rejoining_end_that():
    gone = told(GonePlayers(), lost("R1M1", Cause.CONNECTION_REFUSED))
    gone.heard("P01")
    assert gone.last_match("P01") is None
    told(gone, lost("R1M1", Cause.CONNECTION_REFUSED), PlayerRejoined("P01", LiftedBy.PROBE))
    assert gone.last_match("P01") is None


async def test_its_referee_is_told():
    made, gone = await manager(expected_players=2), told(GonePlayers(), lost("R1M1", Cause.CONNECTION_REFUSED))
    await enrol(made.ledger, 2, 1)
    await start(made.ledger)
    league = made.ledger.league
    fixture = league.rounds[0].fixtures[0]
    message = Announcements(made.clock, made.ids, OPERATOR, gone_in=gone.last_match).start_match(league, fixture, 1)
    assert {seat.player_id: seat.gone_in for seat in message.seats} == {"P01": "R1M1", "P02": None}


async def test_no_message_to_it_is_waited_for():
    async with runner_harness(4, pace=replace(TIMEOUTS, grace=1000.0)) as held:
        told(held.course._context.gone, lost("R0M1", Cause.CONNECTION_REFUSED))
        held.peers.script(RoundAnnouncement, never, to="P01")
        held.begin()
        await held.until("LeagueCompleted")
        await until_called(held, LeagueCompletedMessage, 4)
    assert held.peers.order("P01") == ["ROUND_ANNOUNCEMENT"]
