"""A player adds its part to the draw, and looks at what the referee reveals."""

import pytest

from league_sdk.fairness import LONGEST_NONCE, Draw
from tests.servers.fakes import LEAGUE
from tests.servers.player.player_harness import player

pytestmark = pytest.mark.anyio
DRAW = Draw("the referee's secret", LEAGUE, "R1M1", 1)
PLAYERS = ("P01", "P02")


def revealed(nonce, **changes):
    return {**DRAW.reveal(PLAYERS, {"P01": nonce, "P02": "theirs"}), **changes}


async def test_a_player_answers_a_commitment_with_a_nonce():
    me = player()
    nonce = (await me.invite(draw_commitment=DRAW.commitment))["draw_nonce"]
    assert 0 < len(nonce) <= LONGEST_NONCE


async def test_a_player_gives_no_nonce_to_a_referee_that_commits_to_nothing():
    me = player()
    assert "draw_nonce" not in await me.invite()
    await me.ask()
    await me.tell()
    assert me.journal.named("DRAW_NOT_VERIFIED") == []


async def test_the_same_invitation_again_gets_the_same_nonce_and_another_commitment_another_one():
    me = player()
    first = (await me.invite(draw_commitment=DRAW.commitment))["draw_nonce"]
    again = (await me.invite(draw_commitment=DRAW.commitment))["draw_nonce"]
    other = (await me.invite(draw_commitment=Draw("another", LEAGUE, "R1M1", 2).commitment, attempt=2))["draw_nonce"]
    assert first == again != other


async def test_a_seeded_player_gives_the_same_nonce_every_time():
    given = [
        (await player(seed=seed).invite(draw_commitment=DRAW.commitment))["draw_nonce"] for seed in ("7", "7", "8")
    ]
    assert given[0] == given[1] != given[2]


async def test_a_player_that_declines_gives_no_nonce():
    me = player()
    assert "draw_nonce" not in await me.invite(game_type="unheard_of", draw_commitment=DRAW.commitment)


async def test_an_honest_reveal_is_taken_without_a_word():
    me = player()
    nonce = (await me.invite(draw_commitment=DRAW.commitment))["draw_nonce"]
    await me.ask()
    answer = await me.tell(draw=revealed(nonce))
    assert answer["status"] == "ACKNOWLEDGED"
    assert me.journal.named("DRAW_NOT_VERIFIED") == []


async def test_the_reveal_does_not_weigh_on_the_memory():
    me = player()
    nonce = (await me.invite(draw_commitment=DRAW.commitment))["draw_nonce"]
    await me.ask()
    await me.tell(draw=revealed(nonce))
    ((past, _, _),) = me.memory.remembered
    assert "draw" not in past.details


@pytest.mark.parametrize(
    ("reveal", "reason"),
    [
        (lambda nonce: None, "nothing was revealed"),
        (lambda nonce: revealed(nonce, secret="another"), "not the one that was committed to"),
        (lambda nonce: revealed("not mine"), "do not hold the one that was given"),
        (lambda nonce: revealed(nonce, seed="0" * 64), "does not follow"),
        (lambda nonce: [1, 2], "nothing was revealed"),
    ],
)
async def test_a_dishonest_reveal_is_an_error_in_the_log_and_is_acknowledged_all_the_same(reveal, reason):
    me = player()
    nonce = (await me.invite(draw_commitment=DRAW.commitment))["draw_nonce"]
    await me.ask()
    draw = reveal(nonce)
    answer = await me.tell(**({} if draw is None else {"draw": draw}))
    assert answer["status"] == "ACKNOWLEDGED"
    ((level, details),) = me.journal.named("DRAW_NOT_VERIFIED")
    assert (level, details["match_id"]) == ("ERROR", "R1M1")
    assert reason in details["reason"]
    assert any("cannot be verified" in line for line in me.news)


@pytest.mark.parametrize("seat", ["PLAYER_A", "PLAYER_B"])
async def test_the_nonces_stand_in_the_order_of_the_seats(seat):
    me = player()
    nonce = (await me.invite(draw_commitment=DRAW.commitment, role_in_match=seat))["draw_nonce"]
    await me.ask()
    players = PLAYERS if seat == "PLAYER_A" else PLAYERS[::-1]
    await me.tell(draw=DRAW.reveal(players, {"P01": nonce, "P02": "theirs"}))
    assert me.journal.named("DRAW_NOT_VERIFIED") == []
