"""A player that is asked to tell what its strategy did, and one that is not."""

import re
from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from league_sdk.domain.model import OnBadMove
from league_sdk.game import Move, PlayerView
from league_sdk.ports import CallRefused
from tests.servers.player.player_harness import game_error, player

pytestmark = pytest.mark.anyio


def told(refused: CallRefused) -> Mapping[str, Any]:
    """The LEAGUE_ERROR of a refusal."""
    assert refused.data is not None
    return refused.data


def typo(view: PlayerView) -> Move:
    return "evne"


def crash(view: PlayerView) -> Move:
    return {}["the key"]


@pytest.mark.parametrize(
    ("invited", "own", "tells"),
    [
        ("tell", OnBadMove.SUBSTITUTE, True),
        ("substitute", OnBadMove.TELL, False),
        (None, OnBadMove.TELL, True),
        (None, OnBadMove.SUBSTITUTE, False),
    ],
)
async def test_what_the_invitation_asks_for_wins_over_the_players_own_setting(
    invited: str | None, own: OnBadMove, tells: bool
):
    ada = player(typo, on_bad_move=own)
    await ada.invite(on_bad_move=invited)
    answer = await ada.ask()
    assert answer["parity_choice"] == ("evne" if tells else "even")
    assert ("substituted" in answer) is not tells


async def test_a_strategy_that_raised_is_answered_by_the_tools_error_with_its_line_for_the_owner():
    ada = player(crash)
    await ada.invite(on_bad_move="tell")
    with pytest.raises(CallRefused) as refused:
        await ada.ask()
    assert (refused.value.number, told(refused.value)["error_code"]) == (-32603, "E004")
    assert refused.value.message == "the strategy raised KeyError"
    detail = told(refused.value)["context"]["detail"]
    assert re.fullmatch(r"test_bad_moves\.py:\d+: KeyError", detail)
    assert "the key" not in str(refused.value.data)


@pytest.mark.parametrize(
    "value",
    [object(), float("nan"), b"even", {1, 2}, ["x" * 3000], lambda: "even"],
    ids=["object", "nan", "bytes", "set", "large", "function"],
)
async def test_a_value_that_cannot_be_sent_is_the_tools_error_as_well(value: Any):
    ada = player(lambda _: value)
    await ada.invite(on_bad_move="tell")
    with pytest.raises(CallRefused) as refused:
        await ada.ask()
    assert (refused.value.number, told(refused.value)["error_code"]) == (-32603, "E004")
    assert "cannot be sent" in refused.value.message


async def test_asked_again_the_strategy_is_asked_again():
    answers = iter(["evne", "odd"])
    ada = player(lambda _: next(answers))
    await ada.invite(on_bad_move="tell")
    assert (await ada.ask())["parity_choice"] == "evne"
    await ada.call("notify_game_error", game_error(code="E004"))
    assert (await ada.ask())["parity_choice"] == "odd"


async def test_a_late_strategy_is_substituted_all_the_same_and_says_late():
    async def late(view: PlayerView) -> Move:
        await anyio.sleep_forever()

    ada = player(late, time_limit=0.02)
    await ada.invite(on_bad_move="tell")
    with anyio.fail_after(30):
        answer = await ada.ask()
    assert answer["substituted"]["reason"] == "late"


async def test_a_player_that_was_restarted_learns_it_from_the_repeated_call():
    ada = player(typo)
    answer = await ada.ask(on_bad_move="tell", role_in_match="PLAYER_A", attempt=1)
    assert answer["parity_choice"] == "evne"
