"""A referee commits itself before anybody joins, and reveals what decided the match."""

import pytest

from league_sdk.clock import HashRng
from league_sdk.errors import ResponseTimeout
from league_sdk.fairness import Draw
from league_sdk.protocol.match import GameInvitation, GameJoinAck, GameOver, MatchResultReport, MoveCall
from tests.servers.fakes import LEAGUE, NOW, reply
from tests.servers.referee.referee_harness import referee_harness

pytestmark = pytest.mark.anyio


def join(nonce=None):
    def answer(call):
        match_id = call.message.match_id
        fields = {"accept": True, "arrival_timestamp": NOW, "draw_nonce": nonce}
        return reply(call, GameJoinAck, match_id=match_id, player_id=call.to, **fields)

    return answer


def revealed(referee_harness):
    (report,) = referee_harness.peers.sent(MatchResultReport)
    over = [message.game_result.draw for message in referee_harness.peers.sent(GameOver)]
    assert over == [report.result.details.draw] * 2
    return report.result.details.draw


async def test_both_players_are_sent_the_same_commitment_and_the_secret_only_at_the_end():
    async with referee_harness() as here:
        await here.played()
        commitments = {message.draw_commitment for message in here.peers.sent(GameInvitation)}
        draw = revealed(here)
        assert commitments == {draw["commitment"]}
        assert Draw(draw["secret"], LEAGUE, "R1M1", 1).commitment == draw["commitment"]
        before = [
            call.message for call in here.peers.calls if not isinstance(call.message, GameOver | MatchResultReport)
        ]
        assert draw["secret"] not in str([message.model_dump() for message in before])


async def test_the_number_follows_from_the_secret_and_both_nonces():
    async with referee_harness() as here:
        here.peers.script(GameInvitation, join("of the first"), to="P01")
        here.peers.script(GameInvitation, join("of the second"), to="P02")
        await here.played()
        draw = revealed(here)
        assert draw["nonces"] == {"P01": "of the first", "P02": "of the second"}
        seed = Draw(draw["secret"], LEAGUE, "R1M1", 1).seed(["of the first", "of the second"])
        assert draw["seed"] == seed
        (report,) = here.peers.sent(MatchResultReport)
        assert report.result.game_details["drawn_number"] == HashRng(f"{seed}:1").randint(1, 10)


async def test_a_plain_player_that_gives_no_nonce_still_plays():
    async with referee_harness() as here:
        here.peers.script(GameInvitation, join("of the first"), to="P01")
        runner = await here.played()
        assert revealed(here)["nonces"] == {"P01": "of the first", "P02": ""}
        assert runner.match.result is not None
        assert not runner.match.result.faults


async def test_a_technical_loss_reveals_the_draw_too():
    async with referee_harness(max_retries=0) as here:
        here.peers.script(MoveCall, ResponseTimeout("no answer"), to="P02")
        await here.played()
        draw = revealed(here)
        assert Draw(draw["secret"], LEAGUE, "R1M1", 1).commitment == draw["commitment"]


async def test_a_seeded_match_has_the_same_secret_every_time_and_another_one_for_every_attempt():
    secrets = []
    for attempt in (1, 1, 2):
        async with referee_harness() as here:
            await here.played(attempt=attempt)
            secrets.append(revealed(here)["secret"])
    assert secrets[0] == secrets[1] != secrets[2]
    assert secrets[0] == Draw.seeded("7", LEAGUE, "R1M1", 1).secret


async def test_matches_without_a_seed_have_secrets_of_their_own():
    async with referee_harness() as here:
        await here.played("R1M1", seed=None)
        await here.played("R1M2", seed=None)
        one, other = here.peers.sent(MatchResultReport)
        assert one.result.details.draw["secret"] != other.result.details.draw["secret"]


async def test_the_transcript_shows_the_commitment_before_the_nonces():
    async with referee_harness() as here:
        here.peers.script(GameInvitation, join("mine"), to="P01")
        await here.played()
        (report,) = here.peers.sent(MatchResultReport)
        told = [(entry.get("draw_commitment"), entry.get("draw_nonce")) for entry in report.result.transcript]
        commitment = revealed(here)["commitment"]
        assert [pair for pair in told if pair != (None, None)] == [
            (commitment, None),
            (commitment, None),
            (None, "mine"),
        ]
