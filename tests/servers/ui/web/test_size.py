"""A league of a hundred players and 4,950 matches: what the page of it costs, by counting."""

from dataclasses import replace
from typing import Any

import pytest

from league_sdk.domain.events import GENESIS, LeagueCreated, seal
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Assignment, ResultStatus
from league_sdk.domain.pairings.schedule import round_robin
from league_sdk.domain.persistent import PersistentMap
from tests.league_sdk.domain.season import agent, outcome, rules
from tests.requirements.marker import requirement
from tests.servers.league_history import waiting
from tests.servers.read_model.leagues import at, talk
from tests.servers.ui.web.site import Seen, Site

pytestmark = pytest.mark.anyio
PLAYERS = 100


def large() -> League:
    """A hundred players, all rounds but the last complete; made at once, since playing it takes its time."""
    ids = [f"P{number:02d}" for number in range(1, PLAYERS + 1)]
    players = {player: replace(agent(f"Player of the number {player}"), agent_id=player) for player in ids}
    rounds = round_robin(ids)
    fixtures = [fixture for scheduled in rounds[:-1] for fixture in scheduled.fixtures]
    talks: dict[str, Any] = {"transcript": talk(), "lifecycle": {"CREATED": at(0), "FINISHED": at(5)}}
    results = [
        outcome(fixture, fixture.players[place % 2] if place % 3 else None, **talks)
        for place, fixture in enumerate(fixtures)
    ]
    league = League(rules(), LeagueState.RUNNING, players=players, rounds=rounds, rounds_started=len(rounds))
    tally = league.tally
    for result in results:
        tally = tally.add(result)
    going = [(f.match_id, Assignment(f.match_id, "REF01", 1)) for f in rounds[-1].fixtures]
    return replace(
        league,
        rounds_completed=len(rounds) - 1,
        results=PersistentMap((result.match_id, result) for result in results),
        assignments=PersistentMap(going),
        tally=tally,
    )


@pytest.fixture(scope="module")
def site() -> Site:
    made, league = Site(waiting(1)), large()
    made.live.take(league, [seal("summer", 10_000, at(9), LeagueCreated(league.rules), GENESIS)])
    return made


MOST = {
    "/": (48_000, 1_000),
    "/standings": (80_000, 2_600),
    "/rounds": (60_000, 1_600),
    "/results": (75_000, 1_500),
    "/charts": (320_000, 3_200),
    "/feed": (40_000, 1_000),
    "/players/P50": (72_000, 2_200),
    "/matches/R50M1": (16_000, 400),
    "/operator": (24_000, 400),
}
"""By page: bytes and elements. An update sends that much at most, and the browser looks at each element once."""


@requirement("project-LATER-05")
@pytest.mark.parametrize("path", MOST)
async def test_no_page_grows_with_the_league(site: Site, path: str):
    answer = await site.get(path, x_part="main")
    seen = Seen.of(answer.text)
    size, elements = MOST[path]
    assert len(answer.content) < size
    assert len(seen.tags) < elements


async def test_what_has_not_changed_is_made_once_for_all_who_look(site: Site, monkeypatch: pytest.MonkeyPatch):
    first = await site.get("/standings")
    monkeypatch.setattr("servers.ui.web.routes.render", None)
    for _ in range(20):
        assert (await site.get("/standings")).content == first.content


async def test_a_result_costs_one_more_round_and_not_the_league(site: Site):
    before = site.live.tables()
    league = site.live.league
    fixture = league.rounds[-1].fixtures[0]
    result = outcome(fixture, fixture.players[0])
    league = replace(league, results=league.results.set(fixture.match_id, result), tally=league.tally.add(result))
    site.live.take(league, [seal("summer", 10_001, at(10), LeagueCreated(league.rules), GENESIS)])
    after = site.live.tables()
    assert all(old is new for old, new in zip(before[:-1], after[:-1], strict=True))
    assert after[-1].rows == league.standings()
    assert result.status is ResultStatus.WIN


async def test_times_of_a_long_league_are_taken_in_steps(site: Site):
    await site.live.catch_up()
    speed = site.live.speed("P01")
    assert speed is None or speed.slowest >= speed.median
    assert site.live._timed == len(site.live.league.results)
