"""Counters of agents: on the pages of a whole league, and of a single one."""

from collections import Counter

import pytest
from prometheus_client.parser import text_string_to_metric_families

from clients.meter import OUTCOMES
from league_sdk.domain.model import Role
from league_sdk.errors import SPECS
from servers.observability.metrics import ALL, METRICS, OTHER, SENT, AgentMetrics
from tests.requirements.marker import requirement
from tests.servers.watched_league import EVERYBODY, NAMES, watched

pytestmark = pytest.mark.xdist_group("watched")

ROLES = {"Manager": Role.LEAGUE_MANAGER, "Referee": Role.REFEREE, **dict.fromkeys(NAMES, Role.PLAYER)}


def series(metrics: AgentMetrics) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(b"".join(metrics.page()).decode())
    return {(s.name, *s.labels.values()): s.value for family in families for s in family.samples}


@requirement("001-FUT-01", "project-LATER-07")
@pytest.mark.parametrize("name", EVERYBODY)
def test_an_agent_serves_the_metrics_of_its_role_and_no_other(name: str):
    families = {family.name: family for family in text_string_to_metric_families(watched().pages[name])}
    wanted = {spec.name.removesuffix("_total"): spec for spec in METRICS if ROLES[name] in spec.roles}
    assert {family for family in families if not family.startswith("process_")} == set(wanted)
    for family, spec in wanted.items():
        assert families[family].type == spec.kind, family
        assert families[family].documentation == spec.about
        for sample in families[family].samples:
            assert set(sample.labels) - {"le"} == set(spec.labels), sample


@pytest.mark.parametrize("name", EVERYBODY)
def test_the_page_is_in_the_format_of_prometheus(name: str):
    assert watched().types[name].startswith("text/plain; version=")
    assert "_created" not in watched().pages[name]


def test_a_manager_tells_matches_by_state_rounds_seats_and_state():
    seen = watched()
    states = {s.labels["state"]: s.value for s in seen.samples("Manager") if s.name == "league_matches"}
    assert set(states) == {"waiting", "under_way", "win", "draw", "technical_loss", "void"}
    assert states["win"] + states["draw"] == sum(states.values()) == 6
    assert seen.value("Manager", "league_rounds", state="completed") == 3
    assert seen.value("Manager", "league_registered_agents", role="player") == 4
    assert seen.value("Manager", "league_state", state="COMPLETED") == 1
    assert seen.value("Manager", "league_state") == 1


def test_every_event_that_is_stored_is_counted_by_its_type():
    seen = watched()
    assert seen.value("Manager", "league_events_stored_total", type="LeagueCreated") == 1
    assert seen.value("Manager", "league_events_stored_total", type="MatchRecorded") == 6
    assert seen.value("Manager", "league_events_stored_total", type="PlayerRegistered") == 4
    assert seen.value("Manager", "league_store_append_seconds_count") > 10


@requirement("project-LATER-07")
def test_calls_are_counted_by_tool_peer_and_outcome_on_both_ends():
    seen = watched()
    called = seen.value("Referee", "league_calls_sent_total", tool="handle_game_invitation", peer="P01", outcome="ok")
    answered = sum(
        seen.value(name, "league_calls_received_total", tool="handle_game_invitation", peer="REF01") for name in NAMES
    )
    assert (called, answered) == (3, 12)
    assert seen.value("Manager", "league_calls_sent_total", tool="start_match", peer="REF01", outcome="ok") == 12
    assert seen.value("Manager", "league_calls_received_total", tool="report_match_result", outcome="ok") == 6


def test_latencies_are_measured_by_tool_and_by_peer():
    seen = watched()
    assert seen.value("Referee", "league_call_seconds_count", tool="handle_game_invitation") == 12
    assert 0 < seen.value("Referee", "league_call_seconds_sum", tool="handle_game_invitation") < 60
    assert seen.value("Referee", "league_peer_seconds_count", peer="P01") == 9
    assert seen.value("Manager", "league_handling_seconds_count", tool="report_match_result") == 6
    assert seen.value("Referee", "league_match_seconds_count") == 6


def test_requests_that_are_refused_are_counted_by_error_code():
    seen = watched()
    assert seen.value("Manager", "league_requests_rejected_total", code="E003") == 1
    assert seen.value("Manager", "league_calls_received_total", tool="league_query", peer="stranger") == 1
    assert seen.value("Manager", "league_troubles_total", event="CALL_REFUSED", level="WARNING") == 1


def test_outcomes_are_those_that_are_documented():
    for name in EVERYBODY:
        outcomes = {s.labels["outcome"] for s in watched().samples(name) if "outcome" in s.labels}
        assert outcomes <= {*OUTCOMES, *SPECS}


@pytest.mark.parametrize("name", EVERYBODY)
def test_no_move_no_token_and_no_address_gets_into_the_metrics(name: str):
    page = watched().pages[name]
    lines = [line for line in page.splitlines() if not line.startswith("#")]
    values = {text for line in lines for text in line.partition("{")[2].split('"')[1::2]}
    assert not [text for text in values if "://" in text or "/" in text or len(text) > 40]
    assert not values & {"even", "odd"}


def test_only_so_many_peers_have_a_name_of_their_own():
    metrics = AgentMetrics(Role.REFEREE, peers_named=2)
    for peer in ("P01", "P02", "P03", "P04", "P01", "x" * 100):
        metrics.tried("choose_move", peer, "ok", 0.1)
    found = series(metrics)
    assert {key[2]: value for key, value in found.items() if key[0] == SENT.name} == {"P01": 2, "P02": 1, OTHER: 3}
    assert {key[1]: value for key, value in found.items() if key[0] == "league_peer_seconds_count"} == {
        "P01": 2,
        "P02": 1,
        OTHER: 3,
    }


def test_a_try_that_reached_nobody_has_no_latency():
    metrics = AgentMetrics(Role.PLAYER)
    metrics.tried("league_query", "league_manager", "circuit_open", 0.0)
    assert series(metrics)["league_call_seconds_count", "league_query"] == 0


def test_retries_are_counted_by_tool_and_cause():
    metrics = AgentMetrics(Role.PLAYER)
    metrics.tries_again("league_query", "E009")
    metrics.tries_again("league_query", "E009")
    assert series(metrics)["league_retries_total", "E009", "league_query"] == 2


def test_two_agents_in_one_process_count_apart():
    first, second = AgentMetrics(Role.PLAYER), AgentMetrics(Role.PLAYER)
    first.received("league_query", "P01", "E008", 0.01)
    assert ("league_requests_rejected_total", "E008") in series(first)
    assert ("league_requests_rejected_total", "E008") not in series(second)


def test_every_metric_is_described_and_named_as_prometheus_wants_it():
    assert [name for name, times in Counter(spec.name for spec in METRICS).items() if times > 1] == []
    for spec in METRICS:
        assert spec.name.startswith("league_")
        assert spec.name.endswith("_total") == (spec.kind == "counter")
        assert spec.about.endswith(".")
        assert set(spec.roles) <= set(ALL)
