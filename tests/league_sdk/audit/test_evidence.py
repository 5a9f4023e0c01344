"""Evidence of matches: commitments, reveals and transcripts."""

from dataclasses import replace
from typing import Any

import pytest

from league_sdk.audit.findings import Report
from league_sdk.domain.events import Record
from tests.league_sdk.audit.leagues import forged, league, look_at, number_of, resealed
from tests.requirements.marker import requirement

RECORDS = league()
LOST = league(conduct={"R1M1": {"P01": "silent"}})


def edited(records: list[Record], change: Any, match_id: str = "R1M1") -> list[Record]:
    """The records with one result changed."""
    return forged(records, number_of(records, "MatchRecorded", match_id), lambda told: change(told["result"]))


def without_reveal(result: Any) -> None:
    del result["details"]["draw"]


def bare(result: Any) -> None:
    """As a referee reports that called nobody."""
    result |= {"transcript": [], "details": {}, "lifecycle": {}}


def first_record(records: list[Record], **changes: Any) -> list[Record]:
    return forged(records, 1, lambda told: told.update(changes))


def kinds(report: Report) -> list[tuple[str, str, str | None]]:
    return [(found.severity, found.kind, found.match) for found in report.findings]


@requirement("project-LATER-01")
def test_a_draw_that_was_committed_to_and_never_revealed_is_a_finding():
    report = look_at(edited(RECORDS, without_reveal))
    assert ("changed", "draw", "R1M1") in kinds(report)
    assert any("committed to a draw, and revealed none" in found.message for found in report.findings)


@requirement("project-LATER-01")
def test_a_report_whose_evidence_was_refused_is_doubtful_and_fails_only_when_strict():
    def refused(result: Any) -> None:
        bare(result)
        result["details"] = {"evidence_omitted": True}

    records = edited(LOST, refused)
    report = look_at(records)
    assert report.ok
    assert kinds(report) == [("doubtful", "draw", "R1M1"), ("doubtful", "blame", "R1M1")]
    assert all("left the evidence out" in found.message for found in report.findings)
    strict = look_at(records, strict=True)
    assert not strict.ok
    assert [found.sentence for found in strict.doubtful] == [found.sentence for found in report.doubtful]


@requirement("project-LATER-01")
def test_a_draw_other_than_the_one_committed_to_is_a_finding():
    number = number_of(RECORDS, "DrawCommitted", "R1M1")
    report = look_at(forged(RECORDS, number, lambda told: told.update(commitment="c0ffee")))
    assert kinds(report) == [("changed", "draw", "R1M1")]
    assert "another draw before the players were invited" in report.findings[0].message


@requirement("project-LATER-01")
def test_a_referee_that_never_tells_its_commitment_is_not_verifiable_and_no_finding():
    report = look_at(league(foreign=("R1M1",)))
    assert (report.ok, report.findings) == (True, [])
    assert report.unverified == ["R1M1: the referee revealed no draw"]


@requirement("project-LATER-01")
def test_a_technical_loss_on_a_referees_word_alone_is_doubtful():
    alone = resealed([record for record in LOST if record.type != "DrawCommitted"])
    report = look_at(edited(alone, bare))
    assert report.ok
    assert kinds(report) == [("doubtful", "blame", "R1M1")]
    assert "P01 lost it by REF01's word alone" in report.findings[0].message
    assert report.as_json()["doubtful"] == [report.findings[0].sentence]


def test_that_the_blamed_player_answered_others_meanwhile_is_shown_beside_it_and_is_no_finding():
    alone = resealed([record for record in LOST if record.type != "DrawCommitted"])

    def played_meanwhile(result: Any) -> None:
        assigned = next(record.at for record in LOST if record.type == "MatchAssigned")
        for entry in result["transcript"]:
            entry["timestamp"] = assigned

    other = next(
        record.payload["result"]["match_id"]
        for record in LOST
        if record.type == "MatchRecorded"
        and "P01" in record.payload["result"]["players"]
        and record.payload["result"]["match_id"] != "R1M1"
    )
    report = look_at(edited(edited(alone, bare), played_meanwhile, other))
    assert report.ok
    assert report.findings[0].message.endswith(f"P01 answered meanwhile in {other}")


def test_records_of_the_first_format_are_not_doubted_for_what_they_never_said():
    old = resealed([record for record in LOST if record.type != "DrawCommitted"])
    report = look_at(edited(first_record(old, format_version=1), bare))
    assert report.findings == []


def test_what_only_a_later_format_writes_is_a_finding_in_an_older_one():
    """Else a forger would choose the weaker rules by one number."""
    report = look_at(first_record(LOST, format_version=1))
    assert ("changed", "course", None) in kinds(report)
    assert "records of format 1 have no DrawCommitted" in report.findings[0].message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"attempt": 2}, "which was not assigned"),
        ({"match_id": "R9M9"}, "which was not assigned"),
        ({"commitment": ""}, "has to be text"),
        ({"commitment": 7}, "has to be text"),
    ],
)
def test_a_commitment_that_fits_no_match_is_a_finding(changes: Any, message: str):
    report = look_at(forged(RECORDS, number_of(RECORDS, "DrawCommitted"), lambda told: told.update(changes)))
    assert not report.ok
    assert any(message in found.message for found in report.findings)


@pytest.mark.parametrize(("after", "message"), [("DrawCommitted", "a second time"), ("MatchRecorded", "was decided")])
def test_a_commitment_that_comes_twice_or_late_is_a_finding(after: str, message: str):
    number = number_of(RECORDS, "DrawCommitted", "R1M1")
    place = number_of(RECORDS, after, "R1M1")
    again = replace(RECORDS[number - 1], at=RECORDS[place - 1].at)
    report = look_at(resealed([*RECORDS[:place], again, *RECORDS[place:]]))
    assert any(message in found.message for found in report.findings)


def admitted(by: str, records: list[Record] = RECORDS) -> list[Record]:
    return forged(records, number_of(records, "RefereeRegistered"), lambda told: told.update(admitted_by=by))


def expecting(records: list[Record], name: str, digest: str) -> list[Record]:
    """The records of a league whose launcher expected one referee."""
    told = {"role": "referee", "display_name": name, "token_digest": digest}
    event = replace(records[0], type="AgentsExpected", payload={"agents": [told], "by": "launcher"})
    return resealed([records[0], event, *records[1:]])


def with_token(how: str, digest: str = "d2", known: str = "d1") -> list[Record]:
    """The records of a league whose operator's token was changed at once."""
    records = forged(RECORDS, 1, lambda told: told.update(operator_digest=known))
    event = replace(records[0], type="OperatorTokenChanged", payload={"digest": digest, "how": how})
    return resealed([records[0], event, *records[1:]])


def test_a_token_of_the_operators_that_came_without_the_one_before_is_noted():
    report = look_at(with_token("lost"))
    assert report.findings == []
    (note,) = [note for note in report.notes if "token" in note]
    assert note.startswith("record 2: the operator's token was changed without the one before")
    assert not any("token" in note for note in look_at(with_token("rotated")).notes)


@pytest.mark.parametrize(
    ("records", "kind", "message"),
    [
        (with_token("kept"), "course", "as if none had been before"),
        (with_token("found"), "record", "none of a manager's"),
        (with_token("rotated", digest=""), "record", "none of a manager's"),
    ],
    ids=["recorded twice", "unknown", "no digest"],
)
def test_a_record_of_the_operators_token_that_no_manager_writes_is_a_finding(
    records: list[Record], kind: str, message: str
):
    report = look_at(records)
    assert kinds(report) == [("changed", kind, None)]
    assert message in report.findings[0].message


@requirement("project-LATER-01")
@pytest.mark.parametrize("by", ["", "launcher", "invitation", "address", "a bribe"])
def test_a_referee_that_no_event_expected_is_a_finding(by: str):
    report = look_at(admitted(by))
    assert kinds(report) == [("changed", "course", None)]
    assert "REF01 registers as referee, and no event expected it" in report.findings[0].message


@requirement("project-LATER-01")
def test_a_referee_that_came_without_a_credential_beside_those_of_the_launcher_is_a_finding():
    """It was let in since nobody else could come: somebody else came."""
    report = look_at(expecting(admitted("open"), "Whistle of the launcher", "0" * 64))
    assert kinds(report) == [("changed", "course", None)]


def test_a_referee_without_a_credential_is_none_where_the_launcher_starts_all_players():
    players = [record.payload["player"]["display_name"] for record in RECORDS if record.type == "PlayerRegistered"]
    digests = [record.payload["player"]["token_digest"] for record in RECORDS if record.type == "PlayerRegistered"]
    told = [
        {"role": "player", "display_name": name, "token_digest": digest}
        for name, digest in zip(players, digests, strict=True)
    ]
    told.append({"role": "referee", "display_name": "Whistle of the launcher", "token_digest": "0" * 64})
    event = replace(RECORDS[0], type="AgentsExpected", payload={"agents": told, "by": "launcher"})
    records = forged(admitted("open"), 1, lambda told: told["rules"].update(expected_players=len(players)))
    assert look_at(resealed([records[0], event, *records[1:]])).findings == []


def test_a_referee_that_was_invited_or_listed_is_expected():
    assert look_at(admitted("open")).findings == []
    listed = forged(
        admitted("address"),
        1,
        lambda told: told["rules"].update(referees_expected={"Whistle 1": "http://10.0.0.1/mcp"}),
    )
    assert look_at(listed).findings == []
    invitation = replace(RECORDS[0], type="RefereeInvited", payload={"display_name": "Whistle 1", "digest": "0" * 64})
    invited = admitted("invitation")
    assert look_at(resealed([invited[0], invitation, *invited[1:]])).findings == []


def test_a_referee_of_the_launchers_is_expected_by_its_name_and_token():
    records = admitted("launcher")
    digest = records[number_of(records, "RefereeRegistered") - 1].payload["referee"]["token_digest"]
    assert look_at(expecting(records, "Whistle 1", digest)).findings == []
    assert "kept for another agent" in look_at(expecting(records, "Whistle 1", "f" * 64)).findings[0].message


def test_nobody_asked_referees_of_the_first_format_for_a_credential():
    old = resealed([record for record in RECORDS if record.type != "DrawCommitted"])
    assert look_at(first_record(admitted("", old), format_version=1)).findings == []


def with_gone_in(records: list[Record], match_id: str, named: str) -> list[Record]:
    """The records with one try alone for the player at fault, since it was gone in another match."""

    def change(result: Any) -> None:
        (fault,) = result["faults"]
        fault |= {"tries": 1, "evidence": {**fault["evidence"], "gone_in": named}}

    return edited(records, change, match_id)


def test_one_try_for_a_player_that_was_gone_at_its_last_match_is_explained():
    records = league(conduct={"R1M1": {"P01": "is gone"}, "R2M1": {"P01": "is gone"}})
    assert look_at(records).findings == []
    assert look_at(with_gone_in(records, "R2M1", "R1M1")).findings == []


@pytest.mark.parametrize("earlier", ["silent", "well"])
def test_one_try_for_a_player_that_was_there_at_its_last_match_is_a_finding(earlier: str):
    conduct = {"R2M1": {"P01": "is gone"}} | ({} if earlier == "well" else {"R1M1": {"P01": earlier}})
    report = look_at(with_gone_in(league(conduct=conduct), "R2M1", "R1M1"))
    assert kinds(report) == [("changed", "blame", "R2M1")]
    assert "P01 had one try" in report.findings[0].message


def test_one_try_has_to_name_the_players_last_match():
    conduct = {"R1M1": {"P01": "is gone"}, "R3M1": {"P01": "is gone"}}
    report = look_at(with_gone_in(league(conduct=conduct), "R3M1", "R1M1"))
    assert kinds(report) == [("changed", "blame", "R3M1")]
