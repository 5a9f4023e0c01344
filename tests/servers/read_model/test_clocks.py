"""The times of a league."""

from league_sdk.domain.commands import VoidMatch
from servers.read_model import Clocks
from tests.servers.league_history import finished, under_way


def test_clocks_know_when():
    records = finished(2).records()
    clocks = Clocks()
    for record in records:
        clocks = clocks.after(record)
    at = {record.type: record.at for record in records}
    assert (clocks.created, clocks.started, clocks.ended) == (
        at["LeagueCreated"],
        at["LeagueStarted"],
        at["LeagueCompleted"],
    )
    assert clocks.last == records[-1].at
    assert clocks.rounds[1] == at["RoundStarted"]
    assert clocks.assigned["R1M1"] == at["MatchAssigned"]
    assert clocks.decided["R1M1"] == at["MatchRecorded"]


def test_a_void_match_is_decided_too():
    history = under_way(2)
    history.do(VoidMatch("R1M1", "nobody can referee it"))
    clocks = Clocks()
    for record in history.records():
        clocks = clocks.after(record)
    assert clocks.decided["R1M1"] == history.records()[-1].at
