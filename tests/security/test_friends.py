"""Villains at tables of three: `forfeits for a friend`, in every way and in any turn.

The honest player is ahead of the friend by what both play. A failure of the third once gave both of them the first
place, so that the friend was champion beside it. The fixture of all leagues audits each of these.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import anyio
import pytest

from game_rules.lowest_unique_number import LowestUniqueNumber
from league_sdk.domain.league import League
from league_sdk.domain.model import ResultStatus, StageRules
from servers.read_model.replays import replay
from tests.faults import effects as do
from tests.faults.league_harness import LEAGUE, league_harness, patient_client, play_among
from tests.faults.rogue import Call, Effect, Rogue, behave
from tests.requirements.marker import requirement

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

GAME: Final = "lowest_unique_number"
NAMES: Final = ("Ada", "Ben", "Mal")
HONEST, FRIEND, VILLAIN = "P01", "P02", "P04"
WAYS: Final[Mapping[str, tuple[str, Effect]]] = {
    "declines": ("join", do.changed(accept=False)),
    "hangs up": ("move", do.closes),
    "says nothing": ("move", do.silent),
    "moves illegally": ("move", do.changed(move=0)),
    "answers with an error": ("move", do.error(-32603, "oops")),
}


def chooses(number: int) -> Effect:
    """Plays the same number always."""

    async def effect(call: Call) -> bytes:
        return call.result(call.good(move=number))

    return effect


def fails_from(turn: int, way: Effect) -> Effect:
    """Plays until a turn, and fails from then on."""

    async def effect(call: Call) -> bytes:
        late = call.params.get("context", {}).get("turn", 0) >= turn
        return await (way if late else chooses(1))(call)

    return effect


async def table(folder: Path, villain: Mapping[str, Effect], friend: Mapping[str, Effect] | None = None) -> League:
    """One match of three: the honest player always takes 2, its opponent 5, the third 1."""
    effects = ({"move": chooses(2)}, friend or {"move": chooses(5)}, villain)
    players = [Rogue(name, each, game=GAME) for name, each in zip(NAMES, effects, strict=True)]
    stages = (StageRules("tables", {"seats": 3, "rounds": 1}),)
    with anyio.fail_after(60):
        async with patient_client() as http, league_harness(folder, players=3, game=GAME, stages=stages) as held:
            for player in players:
                await player.listen()
            return await play_among(held, players, http)


@requirement("project-TRUST-09")
@pytest.mark.parametrize(
    ("way", "turn"), [(way, turn) for way in WAYS for turn in (1, 3, 5) if turn == 1 or WAYS[way][0] == "move"]
)
async def test_who_forfeits_for_a_friend_is_last_and_the_others_play_on(way: str, turn: int, tmp_path: Path):
    phase, effect = WAYS[way]
    league = await table(tmp_path, {phase: effect if phase == "join" else fails_from(turn, effect)})
    (result,) = league.results.values()
    scores = result.details["scores"]
    assert result.status is ResultStatus.TECHNICAL_LOSS
    assert [fault.player_id for fault in result.faults] == [VILLAIN]
    assert result.stand_ins == {VILLAIN: turn}
    assert result.places[VILLAIN] == 3
    assert scores[HONEST] > scores[FRIEND]
    assert (result.places[HONEST], result.places[FRIEND]) == (1, 2)
    assert (league.champions, dict(result.score)) == ((HONEST,), {HONEST: 6, FRIEND: 3, VILLAIN: 0})
    played = replay(LEAGUE, result, LowestUniqueNumber())
    assert played.agrees is True
    assert [frame.turn for frame in played.frames if VILLAIN in frame.stand_ins] == list(range(turn, 6))


async def test_who_withdraws_for_a_friend_in_the_middle_of_a_match_decides_nothing(tmp_path: Path):
    stages = (StageRules("tables", {"seats": 3, "rounds": 1}),)
    with anyio.fail_after(60):
        async with patient_client() as http, league_harness(tmp_path, players=3, game=GAME, stages=stages) as held:

            async def withdraws(call: Call) -> bytes:
                if call.params["context"]["turn"] == 3:
                    gone = await call.rogue.tell(held.manager, http, "withdraw", "WITHDRAW_REQUEST")
                    assert gone["message_type"] == "WITHDRAW_RESPONSE"
                late = call.params["context"]["turn"] >= 3
                return await (do.closes if late else chooses(1))(call)

            effects = (chooses(2), chooses(5), withdraws)
            players = [Rogue(name, {"move": move}, game=GAME) for name, move in zip(NAMES, effects, strict=True)]
            for player in players:
                await player.listen()
            league = await play_among(held, players, http)
    (result,) = league.results.values()
    assert result.referee_id == "REF01"
    assert result.places[HONEST] < result.places[FRIEND]
    assert result.stand_ins == {VILLAIN: 3}
    assert league.champions == (HONEST,)


async def test_where_both_friends_fail_the_honest_player_has_won_at_once(tmp_path: Path):
    league = await table(tmp_path, {"move": fails_from(2, do.closes)}, {"move": fails_from(3, do.closes)})
    (result,) = league.results.values()
    assert (result.winner, league.champions) == (HONEST, (HONEST,))
    assert result.stand_ins == {VILLAIN: 2}


async def test_without_a_failure_nothing_is_said_of_stand_ins(tmp_path: Path):
    league = await table(tmp_path, {"move": chooses(1), "join": behave})
    (result,) = league.results.values()
    assert (result.stand_ins, result.faults, league.champions) == ({}, (), (VILLAIN,))
