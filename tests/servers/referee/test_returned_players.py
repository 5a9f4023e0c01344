"""Players that lose their memory within a match: who is asked again, how often, and with how much time."""

from typing import Any

import pytest

from league_sdk.domain.model import ResultStatus
from league_sdk.errors import (
    AuthTokenInvalid,
    InvalidField,
    InvalidState,
    LeagueError,
    LeagueNotFound,
    MatchNotFound,
    PeerUnreachable,
    ResponseTimeout,
)
from league_sdk.ports import MalformedReply
from league_sdk.protocol.match import GameError, GameInvitation, GameOver, MoveCall
from league_sdk.protocol.queries import LeagueQuery, LeagueQueryResponse, PlayerStats
from tests.requirements.marker import requirement
from tests.servers.fakes import Sent, SteppingClock, choose, join, reply
from tests.servers.referee.referee_harness import RefereeHarness, referee_harness

pytestmark = pytest.mark.anyio

AMNESIA = (AuthTokenInvalid("which ticket?"), MatchNotFound("which match?"), InvalidState("no invitation"))
SEATED: dict[str, Any] = {"player_A_returns": 2, "player_B_returns": 0}


def returns(count: int | None, endpoint: str | None = None) -> Any:
    """The manager's answer: how often the player has taken its seat again, and where it is."""

    def answer(call: Sent) -> LeagueQueryResponse:
        record: dict[str, Any] = dict.fromkeys(("played", "wins", "draws", "losses", "points"), 0)
        player = call.message.query_params.player_id
        stats = PlayerStats(player_id=player, display_name="Ada", rank=1, returns=count, endpoint=endpoint, **record)
        return reply(call, LeagueQueryResponse, query_type="GET_PLAYER_STATS", player_stats=stats)

    return answer


async def played(held: RefereeHarness, **changes: Any) -> Any:
    return (await held.played(**{**SEATED, **changes})).result


@requirement("project-TRUST-10", "003-LIMIT-05")
@pytest.mark.parametrize("amnesia", AMNESIA, ids=lambda error: error.code)
async def test_a_player_that_has_returned_is_asked_again_and_loses_nothing(amnesia: LeagueError):
    async with referee_harness() as held:
        held.peers.script(MoveCall, amnesia, choose("odd"), to="P01")
        held.peers.script(LeagueQuery, returns(3))
        result = await played(held)
        assert result.faults == ()
        assert [call.query_params.player_id for call in held.peers.sent(LeagueQuery)] == ["P01"]
        (notice,) = held.peers.sent(GameError, to="P01")
        assert (notice.error_code, notice.retryable, notice.retry_count) == (amnesia.code, True, 1)


async def test_the_repeated_call_says_what_a_player_without_memory_needs_and_the_first_call_does_not():
    async with referee_harness() as held:
        held.peers.script(MoveCall, AMNESIA[0], choose("odd"), to="P02")
        held.peers.script(LeagueQuery, returns(1))
        await played(held, attempt=3)
        first, second = held.peers.sent(MoveCall, to="P02")
        assert (first.attempt, first.role_in_match, first.opponent_name) == (None, None, None)
        assert (second.attempt, second.role_in_match, second.opponent_name) == (3, "PLAYER_B", "Name of P01")
        assert (second.context.turn, second.context.opponent_id) == (1, "P01")


@pytest.mark.parametrize("known", [returns(2), returns(None), LeagueNotFound("?"), MalformedReply("?", None)])
@pytest.mark.parametrize("amnesia", AMNESIA, ids=lambda error: error.code)
async def test_from_anybody_else_the_same_fails_at_once(amnesia: LeagueError, known: Any):
    async with referee_harness() as held:
        held.peers.script(MoveCall, amnesia, choose("odd"), to="P01")
        held.peers.script(LeagueQuery, known)
        result = await played(held)
        (fault,) = result.faults
        assert (fault.player_id, fault.error_code, fault.tries) == ("P01", amnesia.code, 1)


async def test_a_manager_that_does_not_tell_of_returns_is_not_asked():
    async with referee_harness() as held:
        held.peers.script(MoveCall, AMNESIA[0], to="P01")
        await held.played()
        assert held.peers.sent(LeagueQuery) == []
        result = held.runner().result
        assert result is not None
        assert [fault.error_code for fault in result.faults] == ["E012"]


async def test_a_manager_that_is_away_is_no_fault_of_the_player():
    async with referee_harness() as held:
        held.peers.script(MoveCall, AMNESIA[0], choose("odd"), to="P01")
        held.peers.script(LeagueQuery, PeerUnreachable("connection refused"))
        assert (await played(held)).faults == ()


@pytest.mark.parametrize("kind", [GameInvitation, MoveCall])
@pytest.mark.parametrize("failure", [PeerUnreachable("refused"), ResponseTimeout("silence")], ids=lambda it: it.code)
async def test_a_player_that_came_back_elsewhere_is_asked_there(kind: Any, failure: LeagueError):
    elsewhere = "https://10.0.0.3:41000/mcp"

    def reached(call: Sent) -> Any:
        if call.peer.endpoint != elsewhere:
            raise failure
        return (join() if kind is GameInvitation else choose("odd"))(call)

    async with referee_harness() as held:
        held.peers.script(kind, reached, to="P01")
        # A player that is gone has one more try: it has to be back within the backoff.
        late = [] if isinstance(failure, PeerUnreachable) else [returns(2, "http://localhost/P01")]
        held.peers.script(LeagueQuery, *late, returns(3, elsewhere))
        assert (await played(held)).faults == ()
        asked = [call.peer.endpoint for call in held.peers.calls if call.to == "P01" and isinstance(call.message, kind)]
        assert asked[-1] == elsewhere
        assert len(asked) == 2 + len(late)
        (told,) = [call for call in held.peers.calls if call.to == "P01" and isinstance(call.message, GameOver)]
        assert told.peer.endpoint == elsewhere


async def test_a_player_that_is_only_slow_is_asked_where_it_is():
    async with referee_harness() as held:
        held.peers.script(MoveCall, ResponseTimeout("silence"), choose("odd"), to="P01")
        held.peers.script(LeagueQuery, returns(2, "http://localhost:9999/mcp"))
        assert (await played(held)).faults == ()
        assert {call.peer.endpoint for call in held.peers.calls if call.to == "P01"} == {"http://localhost/P01"}


async def test_a_manager_that_is_away_moves_nobody():
    async with referee_harness() as held:
        held.peers.script(MoveCall, PeerUnreachable("refused"), choose("odd"), to="P01")
        held.peers.script(LeagueQuery, PeerUnreachable("connection refused"))
        assert (await played(held)).faults == ()
        assert {call.peer.endpoint for call in held.peers.calls if call.to == "P01"} == {"http://localhost/P01"}


async def test_other_errors_of_a_returned_player_fail_at_once():
    async with referee_harness() as held:
        held.peers.script(MoveCall, InvalidField("?"), to="P01")
        held.peers.script(LeagueQuery, returns(3))
        assert [fault.tries for fault in (await played(held)).faults] == [1]
        assert held.peers.sent(LeagueQuery) == []


async def test_a_returned_player_may_still_decline():
    async with referee_harness() as held:
        held.peers.script(GameInvitation, join(accept=False), to="P01")
        held.peers.script(LeagueQuery, returns(3))
        assert [fault.cause for fault in (await played(held)).faults] == ["declined"]


async def test_an_invitation_is_repeated_to_a_returned_player_too():
    async with referee_harness() as held:
        held.peers.script(GameInvitation, AMNESIA[0], join(), to="P01")
        held.peers.script(LeagueQuery, returns(3))
        assert (await played(held)).faults == ()


async def test_one_that_never_remembers_gets_no_more_tries_than_one_that_is_silent():
    async with referee_harness() as held:
        held.peers.script(MoveCall, AMNESIA[2], to="P01")
        held.peers.script(LeagueQuery, returns(3))
        result = await played(held)
        assert result.status is ResultStatus.TECHNICAL_LOSS
        (fault,) = result.faults
        assert (fault.tries, fault.evidence["returned"]) == (4, True)


async def test_to_fail_wins_a_returned_player_no_time():
    """Each try continues with what is left of the first one's 30 seconds."""
    clock = SteppingClock()

    def late(seconds: float) -> Any:
        async def answer(call: Sent) -> Any:
            del call
            await clock.sleep(seconds)
            raise AuthTokenInvalid("which ticket?")

        return answer

    async with referee_harness(clock=clock) as held:
        held.peers.script(MoveCall, late(20), late(5), choose("odd"), to="P01")
        held.peers.script(LeagueQuery, returns(3))
        await held.start(**SEATED)
        await clock.pass_by(60)
        limits = [call.timeout for call in held.peers.calls if isinstance(call.message, MoveCall) and call.to == "P01"]
        assert limits[0] == 30
        assert limits[1] <= 10
        assert 1 <= limits[2] <= 5
        result = held.runner().result
        assert result is not None
        assert result.faults == ()


@requirement("project-TRUST-10")
async def test_a_returned_player_whose_time_is_over_has_lost():
    clock = SteppingClock()

    async def too_late(call: Sent) -> Any:
        del call
        await clock.sleep(31)
        raise AuthTokenInvalid("which ticket?")

    async with referee_harness(clock=clock) as held:
        held.peers.script(MoveCall, too_late, choose("odd"), to="P01")
        held.peers.script(LeagueQuery, returns(3))
        await held.start(**SEATED)
        await clock.pass_by(60)
        result = held.runner().result
        assert result is not None
        assert [(fault.error_code, fault.tries) for fault in result.faults] == [("E012", 1)]
