"""Honest leagues hold; forged ones do not, even when every digest was made to fit again."""

import json
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game_rules.even_odd import EvenOdd
from league_sdk.audit import audit, rows_from_jsonl
from league_sdk.domain.commands import ResumeLeague, StopLeague
from league_sdk.domain.model import LeagueRules, Scoring
from league_sdk.fairness import Draw
from tests.league_sdk.audit.leagues import (
    CONDUCT,
    LEAGUE,
    Maker,
    exported,
    forged,
    league,
    look_at,
    number_of,
    resealed,
)
from tests.requirements.marker import requirement

RECORDS = league()
TECHNICAL = league(conduct={"R1M1": {"P01": "silent"}, "R1M2": {"P03": "cheats"}, "R2M1": {"P01": "declines"}})


def test_a_player_that_declines_and_gives_a_nonce_has_no_part_in_the_draw():
    report = look_at(league(2, conduct={"R1M1": {"P01": "declines"}}))
    assert (report.findings, report.verified_draws) == ([], 1)


@requirement("project-LATER-01")
@pytest.mark.parametrize("game", ["even_odd", "rock_paper_scissors", "tic_tac_toe"])
@pytest.mark.parametrize("players", [2, 3, 4, 7])
def test_an_honest_league_holds(game, players):
    report = look_at(league(players, game))
    assert report.findings == []
    assert report.complete
    assert report.decided == report.verified_draws == report.replayed == players * (players - 1) // 2
    assert (report.unverified, report.notes) == ([], [])


def test_a_league_of_other_rules_holds():
    records = league(
        5,
        "rock_paper_scissors",
        game_options={"rounds": 2},
        scoring=Scoring(win=2, draw=1, loss=-1, technical_loss=-2),
        tiebreakers=("fewest_technical_losses", "head_to_head", "points", "fewest_losses"),
        conduct={"R1M1": {"P02": "silent"}},
    )
    assert look_at(records).findings == []


def test_a_league_without_a_seed_holds():
    assert look_at(league(seed=None)).findings == []


@pytest.mark.parametrize("game", ["even_odd", "rock_paper_scissors", "tic_tac_toe"])
def test_a_league_with_players_that_fail_in_any_way_holds(game):
    failures = [*CONDUCT, "cheats", "fumbles", "plain"]
    for one, other in product(failures, ["", *failures]):
        report = look_at(league(2, game, conduct={"R1M1": {"P01": one, "P02": other}}))
        assert report.findings == [], (one, other)
        assert report.verified_draws == 1, (one, other)


@given(
    st.dictionaries(
        st.sampled_from(["R1M1", "R1M2", "R2M1", "R2M2", "R3M1", "R3M2"]),
        st.dictionaries(
            st.sampled_from(["P01", "P02", "P03", "P04"]), st.sampled_from([*CONDUCT, "cheats", "fumbles"]), max_size=4
        ),
    ),
    st.sets(st.sampled_from(["R1M1", "R2M2"])),
    st.sets(st.sampled_from(["R1M2", "R3M2"])),
)
def test_whatever_goes_wrong_in_an_honest_league_it_holds(conduct, twice, void):
    assert look_at(league(conduct=conduct, twice=tuple(twice), void=tuple(void))).findings == []


ALL_VOID = league(3, void=("R1M1", "R2M1", "R3M1"))


@pytest.mark.parametrize(("version", "champions"), [(2, []), (1, ["P01", "P02", "P03"])])
def test_a_league_whose_only_matches_are_void_has_no_champion_since_its_records_say_so(version, champions):
    assert look_at(ALL_VOID).findings == []
    last = len(ALL_VOID)
    for claimed in ([], ["P01", "P02", "P03"]):
        records = ALL_VOID
        if version == 1:
            records = forged(records, 1, lambda created: created.update(format_version=1))
        if claimed:
            records = forged(records, last, lambda over, told=claimed: over.update(champions=told))
        wrong = [found for found in look_at(records).findings if found.kind == "standings"]
        assert (wrong == []) == (claimed == champions)


def test_the_standings_are_computed_from_the_results():
    report = look_at(RECORDS)
    assert sum(row["points"] for row in report.standings) == sum(
        sum(record.payload["result"]["score"].values()) for record in RECORDS if record.type == "MatchRecorded"
    )
    assert report.champions == list(RECORDS[-1].payload["champions"])


def test_a_league_under_way_holds_and_is_said_not_to_be_complete():
    report = look_at(league(until=2))
    assert report.ok
    assert not report.complete
    assert "4 of 6 matches" in report.notes[0]


def test_a_league_that_only_waits_for_players_holds():
    report = look_at(RECORDS[:5])
    assert report.ok
    assert report.scheduled == 0


def test_a_referee_that_reveals_nothing_is_listed_and_no_fault():
    report = look_at(league(foreign=("R1M1", "R2M1")))
    assert report.ok
    assert report.unverified == ["R1M1, R2M1: the referee revealed no draw"]
    assert (report.verified_draws, report.replayed) == (4, 4)


def test_strictly_a_referee_that_reveals_nothing_is_a_fault():
    assert not look_at(league(foreign=("R1M1",)), strict=True).ok


@pytest.mark.parametrize("game", ["rock_paper_scissors", "tic_tac_toe"])
def test_a_match_without_chance_is_played_again_from_its_result_alone(game):
    records = league(2, game, plain=("R1M1",))
    report = look_at(records)
    assert (report.ok, report.verified_draws, report.replayed) == (True, 0, 1)
    winner = records[number_of(records, "MatchRecorded") - 1].payload["result"]["winner"]
    other = "P01" if winner != "P01" else "P02"

    def change(result):
        result["winner"], result["status"] = other, "WIN"
        result["score"] = {player: 3 * (player == other) for player in ("P01", "P02")}

    report = look_at(forged(records, number_of(records, "MatchRecorded"), _result(change)))
    assert "recomputed" in report.findings[0].message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda result: result["details"]["choices"]["P01"].append("a1"), "before the last move of P01"),
        (lambda result: result["details"]["choices"].update(P01=["a1"], P02=["b1"]), "the game is not over"),
        (lambda result: result["details"]["choices"].update(P01=["a1", "a1"]), "not a legal move"),
        (lambda result: result["details"]["choices"].update(P01="z9"), "not a legal move"),
    ],
)
def test_moves_that_do_not_make_a_match_are_found(change, message):
    records = league(2, "tic_tac_toe", plain=("R1M1",))
    report = look_at(forged(records, number_of(records, "MatchRecorded"), _result(change)))
    assert any(message in found.message for found in report.findings), report.findings


def test_a_match_of_one_move_each_is_read_as_such():
    """Even/Odd names a choice a player, not a list; its number cannot be computed without the draw."""
    report = look_at(league(2, plain=("R1M1",)))
    assert (report.ok, report.replayed) == (True, 0)
    assert report.unverified == ["R1M1: the referee revealed no draw"]


def test_a_league_that_was_stopped_and_goes_on_holds():
    maker = Maker(LeagueRules(LEAGUE, "even_odd", seed="7"))
    maker.play(4, until=1)
    maker.do(StopLeague("operator"))
    assert look_at(maker.records).ok
    maker.do(ResumeLeague("operator"))
    assert look_at(maker.records).ok
    stop = maker.records[number_of(maker.records, "LeagueStopped") - 1]
    again = look_at(resealed([*maker.records[: stop.sequence], stop, *maker.records[stop.sequence :]]))
    assert "a second time" in again.findings[0].message


def _result(change):
    return lambda payload: change(payload["result"])


def _set(*path, to):
    def change(payload):
        for part in path[:-1]:
            payload = payload[part]
        payload[path[-1]] = to

    return change


def _other_winner(result):
    result["winner"], result["status"] = ("P02", "WIN") if result["winner"] != "P02" else ("P01", "WIN")
    result["score"] = {"P01": 3 * (result["winner"] == "P01"), "P02": 3 * (result["winner"] == "P02")}


def _other_number(result):
    details = result["details"]
    details["drawn_number"] = details["drawn_number"] % 10 + 1


def _other_secret(result):
    result["details"]["draw"]["secret"] = "a better one"


def _consistent_secret(result):
    """Everything in the reveal fits, but it is another one than was published in the invitation."""
    _reveal(result, Draw("a better one", LEAGUE, "R1M1", 1))


def _consistent_secret_and_transcript(result):
    draw = Draw("a better one", LEAGUE, "R1M1", 1)
    _reveal(result, draw)
    for entry in result["transcript"]:
        if "draw_commitment" in entry:
            entry["draw_commitment"] = draw.commitment


def _reveal(result, draw):
    result["details"]["draw"] = draw.reveal(result["players"], result["details"]["draw"]["nonces"])


def _other_nonce(result):
    result["details"]["draw"]["nonces"]["P01"] = "a better one"


def _consistent_nonce(result):
    secret = result["details"]["draw"]["secret"]
    draw = Draw(secret, LEAGUE, "R1M1", 1)
    result["details"]["draw"] = draw.reveal(result["players"], {"P01": "a better one"})


def _no_reveal(result):
    del result["details"]["draw"]


def _choice(result):
    choices = result["details"]["choices"]
    choices["P01"] = "odd" if choices["P01"] == "even" else "even"


def _said(result):
    entry = next(entry for entry in result["transcript"] if entry.get("from") == "P01" and "choice" in entry)
    entry["choice"] = "odd" if entry["choice"] == "even" else "even"


def _technical(result):
    fault = {"player_id": "P01", "cause": "no_move", "phase": "move", "error_code": "E001", "tries": 4}
    result["faults"] = [{**fault, "description": "no answer", "evidence": {}}]
    result["status"], result["winner"], result["score"] = "TECHNICAL_LOSS", "P02", {"P01": 0, "P02": 3}


def _late_at_the_door(result):
    _technical(result)
    result["faults"][0] |= {"phase": "join", "cause": "no_join"}


FORGERIES = {
    "a secret": (_other_secret, "draw", "committed to"),
    "a secret and all that follows from it": (_consistent_secret, "draw", "its invitation published another"),
    "a secret and the messages": (_consistent_secret_and_transcript, "draw", "follows from the league's seed"),
    "a nonce": (_other_nonce, "draw", "does not follow"),
    "a nonce and all that follows from it": (_consistent_nonce, "draw", "another nonce"),
    "a seed": (_set("details", "draw", "seed", to="0" * 64), "draw", "seed of its draw"),
    "a commitment": (_set("details", "draw", "commitment", to="0" * 64), "draw", "committed to"),
    "a nonce of a stranger": (_set("details", "draw", "nonces", "P09", to="x"), "draw", "P09"),
    "a nonce that is too long": (_set("details", "draw", "nonces", "P01", to="x" * 129), "draw", "at most 128"),
    "a nonce that is no text": (_set("details", "draw", "nonces", "P01", to=[]), "draw", "at most 128"),
    "a reveal without its parts": (_set("details", "draw", to={}), "draw", "no secret or no nonces"),
    "no reveal": (_no_reveal, "draw", "its invitation published another"),
    "a number": (_other_number, "outcome", "its drawn_number is"),
    "a choice in the result": (_choice, "outcome", "its choices is"),
    "a choice in the messages": (_said, "outcome", "recomputed"),
    "a detail left out": (lambda result: result["details"].pop("number_parity"), "outcome", "is not recorded"),
    "a reason": (_set("reason", to="because"), "outcome", "its reason is"),
    "a winner": (_other_winner, "outcome", "recomputed"),
    "a status": (_set("status", to="CANCELLED"), "outcome", "its status is"),
    "a winner who is a stranger": (_set("winner", to="P09"), "outcome", "does not play"),
    "points": (_set("score", "P01", to=30), "score", "by the league's rules"),
    "points of a stranger": (_set("score", "P09", to=3), "score", "by the league's rules"),
    "a technical loss": (_technical, "blame", "holds every move"),
    "a technical loss at the door": (_late_at_the_door, "blame", "says that it did"),
    "players": (_set("players", to=["P01", "P03"]), "schedule", "played by others"),
    "a round": (_set("round_id", to=2), "schedule", "played by others"),
    "a referee": (_set("referee_id", to="REF02"), "course", "was assigned"),
    "an attempt": (_set("attempt", to=2), "course", "was assigned"),
    "what is no result": (_set("details", to=7), "record", "does not fit its type"),
}


@requirement("project-LATER-01")
def test_a_forged_result_is_found_though_all_digests_fit():
    number = number_of(RECORDS, "MatchRecorded", "R1M1")
    for name, (change, kind, message) in FORGERIES.items():
        report = look_at(forged(RECORDS, number, _result(change)))
        assert not any(found.kind == "chain" for found in report.findings), name
        first = [found for found in report.findings if found.record == number and found.kind == kind]
        assert any(message in found.message for found in first), (name, report.findings)
        assert report.first_changed == number, name


def test_a_record_keeps_the_sentence_of_an_earlier_version_of_its_game(monkeypatch: pytest.MonkeyPatch):
    number = number_of(RECORDS, "MatchRecorded", "R1M1")
    earlier = forged(RECORDS, number, _result(_set("reason", to="P01 won.")))
    outcome = EvenOdd.outcome

    def renamed(self, state):
        end = outcome(self, state)
        return end and replace(end, earlier_reason="P01 won.")

    monkeypatch.setattr(EvenOdd, "outcome", renamed)
    assert not look_at(earlier).findings


TECHNICAL_FORGERIES = {
    "another is blamed": ("R1M1", _set("faults", 0, "player_id", to="P02"), "by the faults"),
    "a cause that cannot be": ("R1M1", _set("faults", 0, "cause", to="no_join"), "cannot have the fault"),
    "a cause that is none": ("R1M1", _set("faults", 0, "cause", to="ugly"), "cannot have the fault"),
    "tries": ("R1M1", _set("faults", 0, "tries", to=0), "was asked 0 times"),
    "a stranger is blamed": ("R1M1", _set("faults", 0, "player_id", to="P09"), "its faults name"),
    "no winner": ("R1M1", _set("winner", to=None), "by the faults"),
    "a win": ("R1M1", _set("status", to="WIN"), "its status is WIN"),
    "a draw": ("R1M1", _set("status", to="DRAW"), "its winner P02"),
    "a legal move": ("R1M2", _set("faults", 0, "evidence", "received", to="even"), "which is legal"),
    "a choice": ("R1M1", _set("details", "choices", to={"P02": "both"}), "by its transcript"),
}


def test_a_forged_technical_loss_is_found_though_all_digests_fit():
    for name, (match_id, change, message) in TECHNICAL_FORGERIES.items():
        number = number_of(TECHNICAL, "MatchRecorded", match_id)
        report = look_at(forged(TECHNICAL, number, _result(change)))
        found = [found for found in report.findings if (found.record, found.match) == (number, match_id)]
        assert any(message in one.message for one in found), (name, report.findings)


def test_a_technical_loss_given_to_the_innocent_is_found_by_the_messages():
    def blame_the_other(result):
        result["faults"][0]["player_id"], result["winner"] = "P02", "P01"
        result["score"] = {"P01": 3, "P02": 0}

    number = number_of(TECHNICAL, "MatchRecorded", "R1M1")
    report = look_at(forged(TECHNICAL, number, _result(blame_the_other)))
    assert {found.message for found in report.findings if found.kind == "blame"} == {
        "P02 is blamed, and its transcript holds its move",
        "P01 is not blamed, and its transcript holds no legal move of it",
    }


def test_forged_champions_are_found():
    number = len(RECORDS)
    others = [player for player in ("P01", "P02") if [player] != RECORDS[-1].payload["champions"]][:1]
    report = look_at(forged(RECORDS, number, _set("champions", to=others)))
    (found,) = report.findings
    assert (found.kind, found.record) == ("standings", number)


def _swap_seats(payload):
    players = payload["rounds"][0]["fixtures"][0]["players"]
    players.reverse()


def _meet_again(payload):
    payload["rounds"][1] = {**payload["rounds"][0], "round_id": 2}


def _drop_round(payload):
    del payload["rounds"][2]


SCHEDULES = {
    "somebody meets somebody twice": _meet_again,
    "a round is missing": _drop_round,
    "somebody plays twice in a round": _set("rounds", 0, "fixtures", 0, "players", to=["P01", "P03"]),
    "a stranger plays": _set("rounds", 0, "fixtures", 0, "players", to=["P01", "P09"]),
    "a match bears another's name": _set("rounds", 0, "fixtures", 0, "match_id", to="R1M2"),
    "a match bears another round's name": _set("rounds", 0, "fixtures", 0, "match_id", to="R3M9"),
    "a round bears another number": _set("rounds", 0, "round_id", to=5),
    "seats are changed": _swap_seats,
    "nothing is scheduled": _set("rounds", to=[]),
}


def test_a_forged_schedule_is_found_though_all_digests_fit():
    number = number_of(RECORDS, "ScheduleCreated")
    for name, change in SCHEDULES.items():
        assert not look_at(forged(RECORDS, number, change)).ok, name


def without(records, *numbers):
    return resealed([record for record in records if record.sequence not in numbers])


IDLE = ("DrawCommitted", "RefereeRegistered", "AgentReturned")
"""Types of records here on which nothing depends that happens later: both referees have the same rights."""


def test_any_record_that_later_ones_depend_on_is_missed_though_all_digests_fit():
    for record in RECORDS[:-1]:
        if record.type not in IDLE:
            assert not look_at(without(RECORDS, record.sequence)).ok, f"without record {record.sequence}"


def test_a_record_left_out_is_found_by_a_head_digest_that_was_kept():
    number = number_of(RECORDS, "AgentReturned")
    report = look_at(without(RECORDS, number), head=RECORDS[-1].digest)
    assert [found.kind for found in report.findings] == ["chain"]


def test_any_record_that_stands_twice_is_found_though_all_digests_fit():
    for number, record in enumerate(RECORDS, start=1):
        if record.type != "AgentReturned":
            assert not look_at(resealed([*RECORDS[:number], *RECORDS[number - 1 :]])).ok, f"record {number} twice"


def test_a_forged_course_is_found_though_all_digests_fit():
    for kind, change, message in (
        ("LeagueCreated", lambda payload: payload["rules"].pop("game_type"), "KeyError: 'game_type'"),
        ("LeagueCreated", lambda payload: payload.pop("rules"), "KeyError: 'rules'"),
        ("MatchRecorded", _set("result", "attempt", to=None), "course"),
        ("MatchRecorded", _set("result", "match_id", to=["R1M1"]), "TypeError"),
        ("MatchRecorded", lambda payload: payload["result"].pop("faults"), "KeyError: 'faults'"),
        ("LeagueCreated", _set("rules", "league_id", to="winter"), "those of league 'winter'"),
        ("LeagueCreated", _set("rules", "scoring", "win", to=2), "by the league's rules"),
        ("LeagueCreated", _set("rules", "tiebreakers", to=["beauty"]), "'beauty' is not known"),
        ("LeagueCreated", _set("rules", "scoring", "win", to="3"), "not whole numbers"),
        ("LeagueCreated", _set("rules", "game_type", to="chess"), "no match can be recomputed"),
        ("LeagueCreated", _set("rules", "seed", to="8"), "follows from the league's seed"),
        ("LeagueCreated", _set("format_version", to="2"), "the version of its format"),
        ("PlayerRegistered", _set("player", "agent_id", to="P02"), "is taken"),
        ("PlayerRegistered", _set("player", "agent_id", to=["P02"]), "have to be text"),
        ("RefereeRegistered", _set("referee", "role", to="player"), "its role is"),
        ("AgentReturned", _set("agent", "agent_id", to="P09"), "never had that seat"),
        ("MatchAssigned", _set("referee_id", to="REF09"), "is no referee"),
        ("MatchAssigned", _set("attempt", to=2), "has to be next"),
        ("MatchAssigned", _set("match_id", to="R9M9"), "not in the schedule"),
        ("MatchAssigned", _set("match_id", to="R2M1"), "not under way"),
        ("RoundStarted", _set("round_id", to=2), "has to be next"),
        ("RoundCompleted", _set("round_id", to=2), "is under way"),
    ):
        report = look_at(forged(RECORDS, number_of(RECORDS, kind), change))
        found = [found for found in report.findings if message in found.sentence or message == found.kind]
        assert found, (kind, message, report.findings)


def test_a_type_that_does_not_exist_is_found():
    records = resealed([*RECORDS[:3], replace(RECORDS[3], type="LeagueSold"), *RECORDS[4:]])
    assert "LeagueSold" in look_at(records).findings[0].message


def test_a_game_that_breaks_is_a_finding_and_no_crash():
    class Broken(EvenOdd):
        def apply(self, state, moves, rng):
            raise ZeroDivisionError("in apply")

    report = audit(rows_from_jsonl(exported(RECORDS)), lambda name, options: Broken())
    assert any("ZeroDivisionError: in apply" in found.message for found in report.findings)


def test_an_unknown_formula_is_listed_and_no_fault():
    number = number_of(RECORDS, "MatchRecorded", "R1M1")
    report = look_at(forged(RECORDS, number, _result(_set("details", "draw", "algorithm", to="dice"))))
    assert report.ok
    assert "dice" in report.unverified[0]


def test_a_report_is_json():
    report = look_at(forged(RECORDS, number_of(RECORDS, "MatchRecorded"), _result(_other_winner)))
    told = json.loads(json.dumps(report.as_json()))
    assert told["ok"] is False
    assert told["first_changed_record"] == told["findings"][0]["record"]
    assert told["findings"][0]["match"] == "R1M1"


def _claimed(result):
    answer = next(entry for entry in result["transcript"] if "choice" in entry)
    answer["substituted"] = "raised"
    result["substituted"] = {answer["from"]: {"raised": 1}}


def test_substituted_moves_are_counted_and_no_fault():
    records = forged(RECORDS, number_of(RECORDS, "MatchRecorded"), _result(_claimed))
    report = look_at(records)
    assert report.findings == []
    ((player, reasons),) = report.substituted.items()
    assert reasons == {"raised": 1}
    assert report.as_json()["substituted_moves"] == {player: reasons}


def test_a_record_from_before_they_were_counted_holds():
    def older(result):
        del result["substituted"]

    report = look_at(forged(RECORDS, number_of(RECORDS, "MatchRecorded"), _result(older)))
    assert report.findings == []
    assert report.substituted == {}


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({}, "its substituted moves are {}; by its transcript"),
        ({"P01": {"raised": 2}, "P02": {"late": 1}}, "its substituted moves are"),
        ({"P09": {"raised": 1}}, "it counts substituted moves of 'P09', who does not play in it"),
        ({"P01": {"raised": "many"}}, "its substituted moves have to be numbers from 1"),
        ({"P01": {"raised": -1}}, "its substituted moves have to be numbers from 1"),
        ({"P01": 3}, "has no attribute 'values'"),
    ],
)
def test_counts_that_are_not_those_of_the_messages_are_found(told, message):
    def change(result):
        _claimed(result)
        result["substituted"] = told

    report = look_at(forged(RECORDS, number_of(RECORDS, "MatchRecorded"), _result(change)))
    assert any(message in found.message for found in report.findings), report.findings


@requirement("project-TRUST-07")
def test_what_was_played_again_or_is_void_is_counted_for_each_player():
    report = look_at(league(twice=("R1M1",), void=("R1M2",)))
    told = {player: (share.replays, share.voids) for player, share in report.shares.items()}
    assert sorted(told.values()) == [(0, 1), (0, 1), (1, 0), (1, 0)]
    again = min(player for player, counts in told.items() if counts == (1, 0))
    assert f"{again}: 1 of 3 matches were played again or are void (replays: 1, void: 0)" in report.notes
    assert {row["player_id"] for row in report.as_json()["played_again_or_void"]} == set(told)
    assert report.ok
