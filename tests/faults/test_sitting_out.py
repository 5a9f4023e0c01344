"""A player that is gone in the middle of a league over sockets: it sits out, costs nothing, and comes back."""

import anyio
import pytest

from league_sdk.audit import audit
from league_sdk.domain.events import PlayerRejoined, PlayerSatOut
from league_sdk.domain.model import Role, StageRules
from league_sdk.plugins import game
from tests.faults.league_harness import FAULTY, HEALTHY, healthy, league_harness, patient_client
from tests.faults.rogue import Rogue

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


async def test_a_player_whose_process_ends_sits_out_and_plays_on_once_it_is_started_again(tmp_path):
    gone, others = Rogue(FAULTY), [healthy(name) for name in HEALTHY]
    stages = (StageRules("round_robin", {"cycles": 3}),)
    with anyio.fail_after(60):
        async with (
            patient_client() as http_client,
            league_harness(tmp_path, stages=stages, absences_before_sitting_out=2, match_delay_sec=0.3) as held,
        ):
            for agent in (*others, gone):
                await agent.listen()
                await agent.register(held.manager, http_client)
            gone.vanish()
            held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
            await held.until(lambda league: league.rounds_completed >= 4)
            assert str(held.league.sitting_out["P04"].reason) == "absent"
            await gone.listen()
            await held.over()
            for agent in (*others, gone):
                agent.vanish()
            league = held.league
            report = audit(held.rows, lambda name, options: game(name, **options))
    own = [result for result in league.results.values() if "P04" in result.players]
    played = [not result.not_played for result in own]
    assert played[:3] == [True, True, False]
    assert played[-1], "it is back"
    assert [type(event) for event in held.events if isinstance(event, PlayerSatOut | PlayerRejoined)] == [
        PlayerSatOut,
        PlayerRejoined,
    ]
    assert not league.sitting_out
    assert report.findings == []
