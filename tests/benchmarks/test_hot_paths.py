"""Benchmarks of the steps that every match takes."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from game_rules.even_odd import EvenOdd
from league_sdk.bounds import Bounds
from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CreateLeague,
    RecordResult,
    RegisterPlayer,
    RegisterReferee,
    StartLeague,
    StartRound,
)
from league_sdk.domain.decisions.result_summary import summarised
from league_sdk.domain.events import MatchAssigned, MatchRecorded, event_from_json, event_to_json, seal
from league_sdk.domain.league import League, decide, evolve
from league_sdk.domain.matches.match import new_match, step
from league_sdk.domain.matches.match_io import Begin, Joined, MoveMade
from league_sdk.domain.model import MatchResult, ResultStatus, Role
from league_sdk.domain.pairings.schedule import round_robin
from league_sdk.domain.ranking.standings import Tally
from league_sdk.fairness import Draw
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.match import GameInvitation
from league_sdk.protocol.rounds import LeagueStandingsUpdate, StandingRow
from league_sdk.stores.sql import SqlEventStore
from tests.servers.fakes import NOW, entrant, rules

GAME = EvenOdd()
CODEC = Codec([GAME.move_spec])
EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "message_examples"
INVITATION = json.loads((EXAMPLES / "gameflow" / "game_invitation.json").read_text(encoding="utf-8"))
AT = "2025-01-15T10:00:00.000Z"


def ids(players: int) -> dict[str, str]:
    return {f"P{number:02d}": f"Player {number}" for number in range(1, players + 1)}


def table_of(players: int) -> LeagueStandingsUpdate:
    rows = tuple(
        StandingRow(rank=1, player_id=known, display_name=name, played=9, wins=4, draws=2, losses=3, points=14)
        for known, name in ids(players).items()
    )
    stamp: dict[str, Any] = {
        "sender": "league_manager",
        "timestamp": NOW,
        "conversation_id": "c",
        "auth_token": "t" * 43,
    }
    return LeagueStandingsUpdate(**stamp, league_id="summer", round_id=9, standings=rows)


def result(match_id: str, players: tuple[str, ...], referee: str = "REF01", attempt: int = 1) -> MatchResult:
    first, second = players
    return MatchResult(
        match_id=match_id,
        round_id=1,
        players=players,
        referee_id=referee,
        status=ResultStatus.WIN,
        winner=first,
        score={first: 3, second: 0},
        attempt=attempt,
    )


@cache
def league_of(players: int) -> League:
    """A league in its first round, whose first match has been given out."""
    league: League | None = None
    joining = [RegisterPlayer(entrant(Role.PLAYER, number)) for number in range(1, players + 1)]
    for command in (
        CreateLeague(rules(max_players=players)),
        RegisterReferee(entrant(Role.REFEREE, 1)),
        *joining,
        CloseRegistration("operator"),
        StartLeague(),
        StartRound(1),
        AssignMatch("R1M1", "REF01"),
    ):
        for event in decide(league, command):
            league = evolve(league, event)
    assert league is not None
    return league


def test_a_message_is_read(benchmark):
    assert benchmark(CODEC.parse, INVITATION, GameInvitation).match_id == INVITATION["match_id"]


def test_a_message_is_written(benchmark):
    message = CODEC.parse(INVITATION, GameInvitation)
    assert benchmark(CODEC.render, message)["match_id"] == INVITATION["match_id"]


@pytest.mark.parametrize("players", [10, 100, 1000])
def test_a_table_is_measured_and_read(benchmark, players):
    written = CODEC.render(table_of(players))
    Bounds().check(written)
    assert len(benchmark(CODEC.parse, written, LeagueStandingsUpdate).standings) == players


@pytest.mark.parametrize("players", [10, 100, 1000])
def test_a_table_is_written(benchmark, players):
    assert len(benchmark(CODEC.render, table_of(players))["standings"]) == players


@pytest.mark.parametrize("players", [10, 100, 1000])
def test_a_result_is_decided_and_folded(benchmark, players):
    league = league_of(players)
    fixture = league.fixture("R1M1")

    def record() -> League:
        after = league
        for event in decide(league, RecordResult(result("R1M1", fixture.players))):
            after = evolve(after, event)
        return after

    assert len(benchmark(record).results) == 1


@pytest.mark.parametrize("players", [10, 100, 1000])
def test_a_table_is_ranked(benchmark, players):
    names = ids(players)
    tally = Tally()
    known = list(names)
    for number in range(players // 2):
        tally = tally.add(result(f"R1M{number + 1}", (known[2 * number], known[2 * number + 1])))
    assert len(benchmark(tally.ranked, names)) == players


@pytest.mark.parametrize("players", [10, 100, 1000])
def test_a_table_takes_a_result(benchmark, players):
    names = list(ids(players))
    tally = Tally()
    for number in range(players // 2):
        tally = tally.add(result(f"R1M{number + 1}", (names[2 * number], names[2 * number + 1])))
    assert benchmark(tally.add, result("R2M1", (names[0], names[1]))).row(names[0]).played == 2


def test_a_schedule_for_a_thousand_players(benchmark):
    rounds = benchmark(round_robin, list(ids(1000)))
    assert (len(rounds), sum(len(one.fixtures) for one in rounds)) == (999, 499_500)


def test_a_match_is_stepped_through(benchmark):
    def play() -> Any:
        draw = Draw.seeded("seed", "summer", "R1M1", 1)
        match: Any = new_match(GAME, match_id="R1M1", round_id=1, players=("P01", "P02"), referee_id="REF01", draw=draw)
        for happened in (
            Begin(AT),
            Joined("P01", AT, "nonce one"),
            Joined("P02", AT, "nonce two"),
            MoveMade("P01", "even", AT, 1),
            MoveMade("P02", "odd", AT, 1),
        ):
            match, _ = step(match, happened)
        return match

    assert benchmark(play).result is not None


def told_result(match_id: str, players: tuple[str, ...]) -> MatchResult:
    """A result with all that a referee tells of a match."""
    first, second = players
    kinds = ("GAME_INVITATION", "GAME_JOIN_ACK", "CHOOSE_PARITY_CALL", "CHOOSE_PARITY_RESPONSE", "GAME_OVER")
    secret = f"{match_id}:{first}".ljust(64, "0")
    transcript = [
        {"sequence": number, "message_type": kind, "timestamp": AT, "to": player, "draw_nonce": secret}
        for number, (kind, player) in enumerate(((kind, player) for kind in kinds for player in players), start=1)
    ]
    return replace(
        result(match_id, players),
        details={
            "drawn_number": 8,
            "choices": {first: "even", second: "odd"},
            "draw": {"secret": secret, "seed": secret, "nonces": {first: secret, second: secret}},
        },
        lifecycle=dict.fromkeys(("CREATED", "WAITING_FOR_PLAYERS", "COLLECTING_CHOICES", "FINISHED"), AT),
        transcript=transcript,
    )


@cache
def stored_results(count: int) -> list[tuple[str, str]]:
    """Types and JSON of the events by which so many matches are given out and decided."""
    events = [
        event
        for number in range(1, count + 1)
        for event in (
            MatchAssigned(f"R1M{number}", "REF01"),
            MatchRecorded(told_result(f"R1M{number}", ("P01", "P02") if number % 2 else ("P03", "P04"))),
        )
    ]
    return [(type(event).__name__, json.dumps(event_to_json(event))) for event in events]


def folded(league: League, stored: list[tuple[str, str]]) -> League:
    for kind, text in stored:
        league = evolve(league, summarised(event_from_json(kind, json.loads(text)), league))
    return league


def test_a_hundred_results_are_read_and_folded(benchmark):
    league, stored = league_of(10), stored_results(100)
    assert len(benchmark(folded, league, stored).results) == 100


def test_a_record_is_sealed(benchmark):
    assert benchmark(seal, "summer", 7, AT, MatchAssigned("R1M1", "REF01"), "0" * 64).sequence == 7


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.mark.parametrize("together", [1, 50])
def test_results_are_stored(benchmark, loop, tmp_path, together):
    store = loop.run_until_complete(SqlEventStore.open(f"sqlite:///{tmp_path}/events.db"))
    stored = 0

    def append() -> int:
        nonlocal stored
        events = [MatchAssigned(f"R1M{stored + number}", "REF01") for number in range(1, together + 1)]
        loop.run_until_complete(store.append("summer", events, expected=stored, at=AT))
        stored += together
        return stored

    assert benchmark(append) >= together
    loop.run_until_complete(store.close())
