"""The size of what players are told: as ever in a small league, and bounded in a large one."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteRound,
    RegisterReferee,
    RemovePlayer,
    StartLeague,
    StartRound,
)
from league_sdk.domain.events import PlayerRegistered
from league_sdk.domain.league import League, evolve
from league_sdk.domain.model import StageRules
from league_sdk.errors import PeerUnreachable
from league_sdk.plugins import stages_format
from league_sdk.ports import CallRefused
from league_sdk.protocol.operator import StartMatch
from league_sdk.protocol.rounds import (
    LeagueCompletedMessage,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundCompletedMessage,
)
from servers.league_manager.announcements import Announcements
from servers.league_manager.excerpts import NEIGHBOURS, TOP
from servers.league_manager.pairing import Pairing
from tests.league_sdk.domain.season import agent, created
from tests.servers.fakes import CODEC, OPERATOR, query
from tests.servers.league_manager.runner_harness import RunnerHarness, runner_harness

pytestmark = pytest.mark.anyio

TOLD = (RoundAnnouncement, LeagueStandingsUpdate, RoundCompletedMessage, LeagueCompletedMessage)
PAIRING = Pairing(stages_format)
SWISS = StageRules("swiss", {"rounds": 3})
PLAYERS = [f"P{number:02d}" for number in range(1, 32)]
RECORDED = Path(__file__).with_name("recorded_messages.ndjson")
"""The messages of a league of five, one of whom was removed, as they were before there was a window."""


def told(held: RunnerHarness, to: str) -> list[Any]:
    """The messages of the league's course that an agent was sent, in order."""
    return [call.message for call in held.peers.calls if call.to == to and isinstance(call.message, TOLD)]


def written(message: Any) -> str:
    """A message as it is sent; without the digest of the last record, which depends on all that is recorded."""
    return re.sub(r'"digest": "[0-9a-f]+"', '"digest": "-"', json.dumps(CODEC.render(message)))


async def five(**rules: Any) -> RunnerHarness:
    """A league of five players, of whom one is removed before the first round."""
    async with runner_harness(5, 2, **rules) as held:
        for command in (CloseRegistration("operator"), StartLeague(), RemovePlayer("P05", "it left")):
            await held.manager.ledger.execute(command)
        await held.course.run()
        return held


class TestASmallLeague:
    async def test_everybody_is_sent_the_same_bytes_as_ever(self):
        held = await five()
        recorded = RECORDED.read_text("utf-8").splitlines()
        for player in ("P01", "P02", "P03", "P04"):
            assert [written(message) for message in told(held, player)] == recorded


class TestALargeLeague:
    """A league above its window: `standings_window` is 10, and there are 31 players."""

    @staticmethod
    async def play(**rules: Any) -> RunnerHarness:
        async with runner_harness(31, 2, standings_window=10, stages=(SWISS,), **rules) as held:
            await held.course.run()
            return held

    async def test_a_player_is_told_the_top_and_its_own_row_with_its_neighbours(self):
        held = await self.play()
        league = held.manager.ledger.league
        order = [row.player_id for row in league.standings()]
        for place, player in enumerate(order):
            *_, table, _, end = told(held, player)
            shown = [order[i] for i in range(31) if i < TOP or abs(i - place) <= NEIGHBOURS]
            assert [row.player_id for row in table.standings] == shown
            assert [row.player_id for row in end.final_standings] == shown
            assert (table.total, table.truncated, end.total, end.truncated) == (31, True, 31, True)

    async def test_a_player_is_told_of_its_own_match_or_bye(self):
        held = await self.play()
        for scheduled in held.manager.ledger.league.rounds:
            announced = {
                player: next(m for m in told(held, player) if m.round_id == scheduled.round_id) for player in PLAYERS
            }
            for fixture in scheduled.fixtures:
                for player in fixture.players:
                    assert fixture.match_id in {match.match_id for match in announced[player].matches}
            for player in scheduled.byes:
                assert player in announced[player].byes
            assert {(m.total, m.truncated, len(m.matches) <= TOP + 1) for m in announced.values()} == {(15, True, True)}

    async def test_a_referee_is_told_of_the_matches_that_it_is_to_lead(self):
        held = await self.play()
        first = told(held, "REF01")[0]
        assert sum(match.referee_id == "REF01" for match in first.matches) in (7, 8)

    async def test_the_end_names_the_champion_however_many_players_there_are(self):
        held = await self.play()
        champions = held.manager.ledger.league.champions
        assert {told(held, player)[-1].champion.player_id for player in PLAYERS} == set(champions[:1])

    async def test_a_player_is_told_of_its_own_void_match_and_no_more_than_the_first(self):
        async with runner_harness(31, 2, standings_window=10, stages=(SWISS,), max_attempts=1) as held:
            held.peers.script(StartMatch, PeerUnreachable("no referee"))
            held.begin()
            while not held.over.is_set():
                await held.clock.pass_by(60)
        for scheduled in held.manager.ledger.league.rounds:
            for place, fixture in enumerate(scheduled.fixtures):
                done = next(
                    message
                    for message in told(held, fixture.players[0])
                    if isinstance(message, RoundCompletedMessage) and message.round_id == scheduled.round_id
                )
                causes = done.void_matches or {}
                assert fixture.match_id in causes
                assert len(causes) == (TOP if place < TOP else TOP + 1)
                assert (done.total, done.truncated) == (15, True)

    async def test_what_is_left_out_can_be_asked_for_in_pages(self):
        held = await self.play()
        league = held.manager.ledger.league
        rows = await pages(held, "GET_STANDINGS", "standings")
        assert [row["player_id"] for row in rows] == [row.player_id for row in league.standings()]
        matches = await pages(held, "GET_SCHEDULE", "schedule", limit=7)
        assert [m["match_id"] for m in matches] == [f.match_id for each in league.rounds for f in each.fixtures]
        of_round = await pages(held, "GET_SCHEDULE", "schedule", round_id=2, limit=4)
        assert [m["match_id"] for m in of_round] == [f.match_id for f in league.rounds[1].fixtures]

    @pytest.mark.parametrize(
        "cursor", ["x", "standings", "standings:0", "standings:31", "standings:-1", "schedule:10", "standings:1e1"]
    )
    async def test_a_cursor_that_was_not_given_is_refused_with_what_to_do(self, cursor: str):
        held = await self.play()
        with pytest.raises(CallRefused, match="repeat the query without one to get the first page"):
            await held.manager.call("league_query", query("GET_STANDINGS", params={"cursor": cursor}))


async def pages(held: RunnerHarness, kind: str, name: str, **params: Any) -> list[dict[str, Any]]:
    """All entries of a list, a page at a time."""
    found: list[dict[str, Any]] = []
    limit = params.get("limit", 10)
    while True:
        answer = await held.manager.call("league_query", query(kind, params=params))
        assert 0 < len(answer[name]) <= limit
        found += answer[name]
        if "next_cursor" not in answer:
            assert len(found) == answer["total"]
            return found
        assert answer["truncated"]
        params["cursor"] = answer["next_cursor"]


async def large_league(players: int) -> list[League]:
    """A Swiss league of so many players: after its first announcement, after its first round, and at its end."""
    season = created(stages=(StageRules("swiss", {"rounds": 1}),))
    season.do(RegisterReferee(agent("Referee 1")))
    for number in range(1, players + 1):
        # Without the checks, which look at all others for each.
        registered = PlayerRegistered(replace(agent(f"Player {number}"), agent_id=f"P{number:02d}"))
        season.league = evolve(season.league, registered)
    season.do(PAIRING.close_registration(season.league, "operator"))
    season.do(StartLeague())
    season.do(await PAIRING.next_round(season.league))
    season.do(StartRound(1))
    begun: League = season.league
    for fixture in begun.unfinished(1):
        season.do(AssignMatch(fixture.match_id, "REF01"))
        season.record(fixture.match_id, fixture.players[0])
    season.do(CompleteRound(1))
    played = season.league
    season.do(await PAIRING.completion(season.league))
    return [begun, played, season.league]


async def sent_to_each(players: int) -> Counter[str]:
    """The bytes of the messages of one round and of the end, by player."""
    begun, played, over = await large_league(players)
    announcements = Announcements(ManualClock(), ManualIds(), OPERATOR)
    plan = {fixture.match_id: "REF01" for fixture in begun.rounds[0].fixtures}
    messages = [announcements.round(begun, 1, plan)[0], announcements.league_completed(over, None)[0]]
    messages += [message for message, _, _ in announcements.round_completed(played, 1)]
    return Counter({player: sum(len(written(to(player))) for to in messages) for player in begun.players})


async def test_twice_as_many_players_are_sent_no_more_bytes_each():
    once, twice = await sent_to_each(1000), await sent_to_each(2000)
    assert len(twice) == 2 * len(once) == 2000
    assert twice.total() / 2000 < 1.03 * once.total() / 1000  # ids and numbers have a digit more
    assert max(twice.values()) < 1.03 * max(once.values()) < 10_000


async def test_a_match_of_a_large_league_is_given_out_without_a_new_table():
    begun, played, _ = await large_league(300)
    announcements = Announcements(ManualClock(), ManualIds(), OPERATOR)
    fixture = begun.rounds[0].fixtures[0]
    first = announcements.start_match(begun, fixture, 1)
    half_played = replace(begun, tally=played.tally)
    assert announcements.start_match(half_played, fixture, 1).standings == first.standings
    assert {row.points for row in announcements.start_match(played, fixture, 1).standings or ()} == {0, 3}
