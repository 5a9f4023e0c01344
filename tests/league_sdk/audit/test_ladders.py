"""Ladders as the audit follows them: pairings of neighbours, places, and the closing of endless ones."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league_sdk.domain.commands import (
    CloseLeague,
    CloseRegistration,
    CompleteLeague,
    CreateLeague,
    EnterPlayer,
    PairRound,
    RegisterPlayer,
    RegisterReferee,
    RemovePlayer,
    StartLeague,
    StartRound,
    WithdrawAgent,
)
from league_sdk.domain.events import LeagueClosed, RoundPaired
from league_sdk.domain.model import Agent, LeagueRules, Role, StageRules
from league_sdk.domain.progress import tournament_of
from league_sdk.plugins import stages_format
from league_sdk.tournament import ENDLESS
from tests.league_sdk.audit.leagues import LEAGUE, Maker, forged, look_at, number_of
from tests.requirements.marker import requirement

STAGES = (StageRules("ladder", {"endless": True}),)
STEP = st.sampled_from(
    ["", "comes", "comes while it is paired", "comes within", "withdraws", "is removed within", "comes and leaves"]
)


def agent(name: str, role: Role = Role.PLAYER) -> Agent:
    return Agent("", role, name, f"http://localhost/{name}", "0" * 64, game_types=("even_odd",))


def played(steps: list[str], void: tuple[str, ...] = (), players: int = 4) -> Maker:
    """An endless ladder, closed after as many rounds as there are steps."""
    maker = Maker(LeagueRules(LEAGUE, "even_odd", seed="7", stages=STAGES), void=void)
    maker.do(CreateLeague(maker.rules))
    maker.do(RegisterReferee(agent("Whistle", Role.REFEREE), "secret"))
    for number in range(players):
        maker.do(RegisterPlayer(agent(f"Player {number}")))
    maker.do(CloseRegistration("operator", expected_rounds=ENDLESS))
    maker.do(StartLeague())
    ladder = stages_format(STAGES)
    for number, step in enumerate(steps, start=1):
        leaver = maker.league.staying()[number % len(maker.league.staying())]
        can_leave = len(maker.league.staying()) > 2
        if step == "comes":
            maker.do(EnterPlayer(agent(f"Late {number}"), "none"))
        if step == "withdraws" and can_leave:
            maker.do(WithdrawAgent(leaver))
        paired = ladder.next_round(tournament_of(maker.league))
        assert paired is not None
        if step == "comes while it is paired":
            maker.do(EnterPlayer(agent(f"Late {number}"), "none"))
        if step == "comes and leaves":
            maker.do(EnterPlayer(agent(f"Late {number}"), "none"))
            maker.do(WithdrawAgent(maker.league.staying()[-1]))
        maker.do(PairRound(paired))
        maker.do(StartRound(number))
        if step == "comes within":
            maker.do(EnterPlayer(agent(f"Late {number}"), "none"))
        if step == "is removed within" and can_leave:
            maker.do(RemovePlayer(leaver))
        maker.finish(number)
    maker.do(CloseLeague())
    maker.do(CompleteLeague(ladder.ranking(tournament_of(maker.league)) or ()))
    return maker


@requirement("project-LEAVE-05")
@settings(max_examples=30, deadline=None)
@given(st.lists(STEP, min_size=1, max_size=6), st.sets(st.sampled_from(["R1M1", "R2M1", "R3M2"])), st.integers(2, 5))
def test_whoever_comes_and_goes_an_honest_ladder_passes(steps: list[str], void: set[str], players: int):
    maker = played(steps, tuple(void), players)
    report = look_at(maker.records)
    assert report.findings == []
    assert [row["player_id"] for row in report.standings] == [row.player_id for row in maker.league.standings()]


def swap(payload: Any, one: int = 0, other: int = 1) -> None:
    """Exchange the second players of two matches."""
    first, second = (payload["round"]["fixtures"][place]["players"] for place in (one, other))
    first[1], second[1] = second[1], first[1]


def turn(payload: Any) -> None:
    payload["round"]["fixtures"][0]["players"].reverse()


def lift(payload: Any) -> None:
    payload["ranking"].insert(0, payload["ranking"].pop())


@pytest.mark.parametrize(
    ("kind", "change", "expected"),
    [
        ("RoundPaired", swap, "meet; by its format they do not"),
        ("RoundPaired", turn, "have each other's seats"),
        ("RoundPaired", lambda payload: payload["round"]["fixtures"].pop(), "do not meet; by its format they have to"),
        ("RoundCompleted", lift, "; by its format, "),
        ("LeagueClosed", None, "and was not closed"),
    ],
)
def test_a_forged_ladder_is_found(kind: str, change: Any, expected: str):
    maker = played(["", "", ""])
    number = number_of(maker.records, kind)
    report = look_at(forged(maker.records, number, change) if change else forged_without(maker, number))
    assert any(expected in found.sentence for found in report.findings), [f.sentence for f in report.findings]


def forged_without(maker: Maker, number: int) -> Any:
    """The records with one taken out, sealed again."""
    events = [record.event for record in maker.records]
    del events[number - 1]
    other = Maker(maker.rules)
    for event in events:
        other.keep(event)
    return other.records


def test_a_round_after_the_closing_is_found():
    maker = played(["", ""])
    kinds = [record.type for record in maker.records]
    closing, pairing = kinds.index("LeagueClosed"), kinds.index("RoundPaired")
    events = [record.event for record in maker.records]
    events.insert(pairing, events.pop(closing))
    other = Maker(maker.rules)
    for event in events:
        other.keep(event)
    assert any("after the league was closed" in found.sentence for found in look_at(other.records).findings)


def test_the_last_round_of_a_closed_ladder_cut_out_is_found_though_it_changed_no_place():
    maker = played(["", "", ""], void=("R3M1", "R3M2"))
    events = [record.event for record in maker.records]
    first = next(place for place, event in enumerate(events) if getattr(event, "round_id", 0) == 3 or _third(event))
    closing = next(place for place, event in enumerate(events) if isinstance(event, LeagueClosed))
    other = Maker(maker.rules)
    for event in (*events[:first], *events[closing:]):
        other.keep(event)
    assert [found.sentence.partition(": ")[2] for found in look_at(other.records).findings] == [
        "it is closed after 3 rounds, and 2 are paired"
    ]


def _third(event: Any) -> bool:
    return isinstance(event, RoundPaired) and event.round.round_id == 3
