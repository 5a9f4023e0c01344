"""A player of tic-tac-toe that sends what no report can hold whenever its opponent threatens a line: it loses."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import anyio
import pytest

from game_rules.tic_tac_toe import LINES
from league_sdk import plugins
from league_sdk.audit import audit
from league_sdk.domain.events import MatchAssigned
from league_sdk.domain.league import League
from league_sdk.domain.model import ResultStatus
from tests.faults.league_harness import FAULTY, HEALTHY, LeagueHarness, league_harness, patient_client, play_among
from tests.faults.rogue import Call, Effect, Rogue
from tests.requirements.marker import requirement

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SORE: Final = "P04"
SETTINGS: Final = {
    "security.max_message_bytes": 4_194_304,
    # Every player answers at once: a busy machine must not make one late.
    "timeouts.game_join_timeout_sec": 20.0,
    "timeouts.move_timeout_sec": 20.0,
    "timeouts.generic_response_timeout_sec": 20.0,
    "timeouts.http_request_timeout_sec": 25.0,
}

TANTRUMS: Final[Mapping[str, Callable[[Call], bytes]]] = {
    "an error code of 31 digits": lambda call: call.error(10**30, "no"),
    "a context of 31 digits": lambda call: call.error(-32602, "no", {"error_code": "E002", "context": {"n": 10**30}}),
    "a move of 31 digits": lambda call: call.result(call.good(move=10**30)),
    "an unknown field of 31 digits": lambda call: call.result(call.good(match_id=7, mood=10**30)),
    "a move of 50,000 keys": lambda call: call.result(call.good(move={f"k{n}": n for n in range(50_000)})),
    "a move of 60,000 characters": lambda call: call.result(call.good(move="\N{GRINNING FACE}" * 60_000)),
    "a move nested 30 levels": lambda call: call.result(
        call.good(move=[[[[[[[[[[[[[[[[[[[[[[[[[[[[["a1"]]]]]]]]]]]]]]]]]]]]]]]]]]]]])
    ),
}
"""Answers of the player; each of them, or the like, undid a match once."""


def cells(call: Call) -> tuple[set[str], set[str]]:
    """The player's own cells, and its opponent's."""
    moves = call.params["context"].get("moves_so_far") or {}
    own = set(moves.get(call.rogue.agent_id, ()))
    return own, {cell for cells in moves.values() for cell in cells} - own


def completing(cells: set[str], legal: Sequence[str]) -> str | None:
    """A cell that makes a line of these."""
    return next((cell for cell in legal for line in LINES if cell in line and set(line) <= cells | {cell}), None)


def plays(name: str) -> Rogue:
    """A player that takes a line when it can, and else the first free cell."""

    async def move(call: Call) -> bytes:
        legal = call.params["context"]["legal_moves"]
        return call.result(call.good(move=completing(cells(call)[0], legal) or legal[0]))

    return Rogue(name, {"move": move}, game="tic_tac_toe")


def weak(tantrum: Callable[[Call], bytes] | None = None) -> Effect:
    """Takes the last free cell, and never sees a threat; with a tantrum, sends that when there is one."""

    async def move(call: Call) -> bytes:
        legal = call.params["context"]["legal_moves"]
        if tantrum is not None and completing(cells(call)[1], legal):
            return tantrum(call)
        return call.result(call.good(move=legal[-1]))

    return move


async def season(folder: Path, tantrum: Callable[[Call], bytes] | None = None) -> LeagueHarness:
    """A whole league with the sore loser, or with the same player when it bears its losses."""
    players = [*(plays(name) for name in HEALTHY), Rogue(FAULTY, {"move": weak(tantrum)}, game="tic_tac_toe")]
    for player in players:
        await player.listen()
    with anyio.fail_after(60):
        async with (
            patient_client() as http,
            league_harness(folder, game="tic_tac_toe", settings=SETTINGS) as held,
        ):
            await play_among(held, players, http)
    return held


def lost(league: League) -> set[str]:
    """The matches that it lost."""
    return {
        match_id
        for match_id, result in league.results.items()
        if SORE in result.players and result.winner not in (None, SORE)
    }


@pytest.fixture(scope="module")
def bearing(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The match in which the loser accepts its loss."""
    return lost(anyio.run(season, tmp_path_factory.mktemp("bearing")).league)


@requirement("project-TRUST-09")
@pytest.mark.parametrize("tantrum", TANTRUMS.values(), ids=[name.replace(" ", "_") for name in TANTRUMS])
async def test_a_sore_loser_loses_what_it_would_have_lost(
    tantrum: Callable[[Call], bytes], bearing: set[str], tmp_path: Path
):
    held = await season(tmp_path, tantrum)
    league = held.league
    assert bearing, "there is something to lose"
    assert bearing <= lost(league)
    assert len(league.results) == 6
    assert not league.voided
    assert [event for event in held.events if isinstance(event, MatchAssigned) and event.attempt > 1] == []
    technical = [result for result in league.results.values() if result.status is ResultStatus.TECHNICAL_LOSS]
    assert technical, "it was sore"
    assert {fault.player_id for result in technical for fault in result.faults} == {SORE}
    checked = audit(held.rows, lambda name, options: plugins.game(name, (), options))
    assert checked.ok, [found.sentence for found in checked.findings]
    assert (checked.decided, checked.void) == (6, 0)
