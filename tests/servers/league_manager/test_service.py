"""The league manager's answers: registration, reports, queries, and the operator."""

from datetime import timedelta
from typing import Any

import pytest

from league_sdk import tokens
from league_sdk.clock import SystemIds
from league_sdk.domain.commands import AssignMatch, CloseRegistration, CompleteRound, StartLeague, StartRound, VoidMatch
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import StageRules
from league_sdk.net.endpoints import read_endpoint
from league_sdk.plugins import stages_format
from league_sdk.ports import CallRefused, StoreFailed
from servers.league_manager.ledger import Ledger
from servers.league_manager.pairing import Pairing
from servers.league_manager.service import ASK_THE_OPERATOR, LeagueManagerService
from servers.league_manager.tools import tool_table
from tests.requirements.marker import requirement
from tests.servers.fakes import (
    LEAGUE,
    OPERATOR,
    Manager,
    StubbornStore,
    agent,
    enrol,
    envelope,
    manager,
    player_request,
    query,
    referee_request,
    result_report,
    start,
    token_of,
)

pytestmark = pytest.mark.anyio


async def refused(made: Manager, tool: str, message: dict[str, Any], bearer: str | None = None) -> tuple[int, str, Any]:
    """Number, E-code and context of a refusal."""
    with pytest.raises(CallRefused) as caught:
        await made.call(tool, message, bearer)
    data = caught.value.data
    assert data is not None
    assert data["message_type"] == "LEAGUE_ERROR"
    return caught.value.number, data["error_code"], data["context"]


async def first_round(players: int = 4, referees: int = 2, **rules: Any) -> Manager:
    """A league in its first round, R1M1 given to REF01."""
    made = await manager(**rules)
    await enrol(made.ledger, players, referees)
    await start(made.ledger)
    await made.ledger.execute(StartRound(1))
    await made.ledger.execute(AssignMatch("R1M1", "REF01"))
    return made


class TestRegistration:
    @requirement("001-SEC-01", "003-TYPE-04", "003-TYPE-05", "003-TEST-I-01", "004-MSG-05")
    async def test_a_player_gets_its_id_its_token_and_what_the_manager_will_show_it(self):
        made = await manager()
        answer = await made.call("register_player", player_request())
        assert answer == {
            "protocol": "league.v2",
            "message_type": "LEAGUE_REGISTER_RESPONSE",
            "sender": "league_manager",
            "timestamp": "2025-01-15T10:00:00Z",
            "conversation_id": "conv-of-caller",
            "status": "ACCEPTED",
            "player_id": "P01",
            "auth_token": "tok-1",
            "league_id": LEAGUE,
            "reason": None,
            "peer_token": tokens.peer_token(OPERATOR, LEAGUE, "P01"),
        }

    @requirement("003-TYPE-02", "003-TYPE-03", "003-TEST-I-01", "004-MSG-05")
    async def test_a_referee_gets_the_same(self):
        made = await manager()
        answer = await made.call("register_referee", referee_request(max_concurrent_matches=7))
        assert (answer["status"], answer["referee_id"], answer["auth_token"]) == ("ACCEPTED", "REF01", "tok-1")
        assert answer["message_type"] == "REFEREE_REGISTER_RESPONSE"
        assert made.league.referee("REF01").max_concurrent_matches == 7

    async def test_ids_count_up_in_the_order_of_registration_a_role_each(self):
        made = await manager()
        for name in ("Ada", "Bea"):
            await made.call("register_player", player_request(name))
            await made.call("register_referee", referee_request(name))
        assert list(made.league.players) == ["P01", "P02"]
        assert list(made.league.referees) == ["REF01", "REF02"]

    async def test_a_seat_that_is_reserved_by_name_waits_for_its_owner(self):
        made = await manager(roster={"Bea": "P01"})
        assert (await made.call("register_player", player_request("Ada")))["player_id"] == "P02"
        assert (await made.call("register_player", player_request("Bea")))["player_id"] == "P01"

    async def test_only_the_digest_of_a_token_is_stored(self):
        made = await manager()
        answer = await made.call("register_player", player_request())
        stored = str([record.payload for record in made.records])
        assert answer["auth_token"] not in stored
        assert made.league.player("P01").token_digest == tokens.digest("tok-1")

    @requirement("002-PREG-04")
    @pytest.mark.parametrize(
        ("rules", "meta", "code", "reason"),
        [
            pytest.param({"max_players": 2}, {}, "E015", "all 2 seats are taken", id="full"),
            pytest.param({}, {"display_name": "Player 1"}, "E016", "'Player 1' is taken", id="duplicate name"),
            pytest.param({}, {"game_types": ["chess"]}, "E017", "plays even_odd", id="unsupported game"),
            pytest.param({}, {"game_types": []}, "E017", "plays even_odd", id="no game at all"),
            pytest.param({}, {"protocol_version": "1.9.9"}, "E018", "2.0.0 or newer", id="version too old"),
            pytest.param({}, {"protocol_version": "3.0.0"}, "E018", "below 3.0.0", id="version not ours"),
            pytest.param(
                {}, {"contact_endpoint": "nowhere"}, "E019", "the endpoint cannot be called", id="bad endpoint"
            ),
            pytest.param({"expected_players": 2}, {}, "E020", "Registration closed", id="all expected are in"),
        ],
    )
    async def test_a_player_who_may_not_join_is_told_why(self, rules: Any, meta: Any, code: str, reason: str):
        made = await manager(**rules)
        await enrol(made.ledger, 2)
        answer = await made.call("register_player", player_request(**meta))
        assert (answer["status"], answer["error_code"]) == ("REJECTED", code)
        assert reason in answer["reason"]
        assert not {"player_id", "auth_token", "peer_token"} & set(answer)
        assert len(made.league.players) == 2
        ((level, details),) = made.journal.named("REGISTRATION_REJECTED")
        assert (level, details["code"], details["role"], details["address"]) == (
            "WARNING",
            code,
            "player",
            "127.0.0.1",
        )

    @pytest.mark.parametrize(
        ("rules", "meta", "code"),
        [
            ({"max_referees": 1}, {}, "E015"),
            ({}, {"display_name": "Referee 1"}, "E016"),
            ({}, {"game_types": ["chess"]}, "E017"),
            ({}, {"protocol_version": "1.0.0"}, "E018"),
            ({}, {"contact_endpoint": "ftp://localhost/mcp"}, "E019"),
        ],
    )
    async def test_a_referee_who_may_not_join_is_told_why(self, rules: Any, meta: Any, code: str):
        made = await manager(**rules)
        await enrol(made.ledger, 0, 1)
        answer = await made.call("register_referee", referee_request(**meta))
        assert (answer["status"], answer["error_code"]) == ("REJECTED", code)
        assert "referee_id" not in answer

    async def test_a_late_player_hears_that_registration_is_closed(self):
        made = await first_round()
        answer = await made.call("register_player", player_request())
        assert (answer["status"], answer["reason"], answer["error_code"]) == (
            "REJECTED",
            f"Registration closed{ASK_THE_OPERATOR}",
            "E020",
        )
        assert "league control cancel" in answer["reason"]

    async def test_a_referee_may_join_a_league_that_runs(self):
        made = await first_round()
        answer = await made.call("register_referee", referee_request("Umpire"))
        assert answer["status"] == "ACCEPTED"
        assert made.ledger.league.referee(answer["referee_id"]).display_name == "Umpire"

    async def test_a_malformed_request_is_an_error_and_not_a_rejection(self):
        made = await manager()
        message = player_request()
        del message["player_meta"]["display_name"]
        number, code, told = await refused(made, "register_player", message)
        assert (number, code, told["field"]) == (-32602, "E003", "player_meta.display_name")

    async def test_a_request_for_another_league_is_an_error(self):
        made = await manager()
        number, code, told = await refused(made, "register_player", {**player_request(), "league_id": "winter"})
        assert (number, code, told["expected"]) == (14, "E014", LEAGUE)

    async def test_naming_the_right_league_is_fine(self):
        made = await manager()
        answer = await made.call("register_player", {**player_request(), "league_id": LEAGUE})
        assert answer["status"] == "ACCEPTED"


class TestComingBack:
    async def test_the_same_token_takes_the_same_seat_at_a_new_endpoint_even_while_the_league_runs(self):
        made = await first_round()
        moved = "http://localhost:9999/mcp"
        request = player_request("Player 2", token_of("P02"), contact_endpoint=moved)
        answer = await made.call("register_player", request)
        assert (answer["status"], answer["player_id"], answer["auth_token"]) == ("ACCEPTED", "P02", token_of("P02"))
        assert answer["peer_token"] == tokens.peer_token(OPERATOR, LEAGUE, "P02")
        assert made.league.player("P02").endpoint == moved
        assert made.types[-1] == "AgentReturned"

    async def test_a_referee_comes_back_the_same_way(self):
        made = await first_round()
        answer = await made.call("register_referee", referee_request("Referee 1", token_of("REF01")))
        assert (answer["status"], answer["referee_id"]) == ("ACCEPTED", "REF01")

    async def test_a_name_without_its_token_does_not_open_the_seat(self):
        made = await manager()
        await enrol(made.ledger, 2)
        for token in (None, "a guess"):
            answer = await made.call("register_player", player_request("Player 2", token))
            assert (answer["status"], answer["error_code"]) == ("REJECTED", "E016")

    async def test_a_token_under_another_name_is_refused(self):
        made = await manager()
        await enrol(made.ledger, 2)
        number, code, _ = await refused(made, "register_player", player_request("Eve", token_of("P02")))
        assert (number, code) == (12, "E012")

    async def test_a_token_of_the_other_role_opens_nothing(self):
        made = await manager()
        await enrol(made.ledger, 2)
        assert (await refused(made, "register_referee", referee_request("Player 2", token_of("P02"))))[:2] == (
            12,
            "E012",
        )
        assert list(made.league.referees) == ["REF01"]

    async def test_a_strong_token_that_an_agent_proposes_becomes_its_own(self):
        made = await manager()
        proposed = SystemIds().token()
        answer = await made.call("register_player", player_request("Ada", proposed))
        assert answer["auth_token"] == proposed
        again = await made.call("register_player", player_request("Ada", proposed))
        assert (again["status"], again["player_id"]) == ("ACCEPTED", "P01")

    async def test_an_unknown_token_from_an_earlier_league_does_not_hinder_a_new_seat(self):
        made = await manager()
        answer = await made.call("register_player", player_request("Ada", "a token of last year"))
        assert (answer["status"], answer["auth_token"]) == ("ACCEPTED", "tok-1")

    async def test_an_agent_that_comes_back_with_an_old_protocol_is_turned_away(self):
        made = await manager()
        await enrol(made.ledger, 2)
        request = player_request("Player 2", token_of("P02"), protocol_version="1.0.0")
        assert (await made.call("register_player", request))["error_code"] == "E018"


ASK = {"league_id": LEAGUE, "query_type": "GET_STATUS"}


class TestWhoMayAsk:
    async def test_a_token_is_needed(self):
        made = await first_round()
        number, code, told = await refused(made, "league_query", envelope("LEAGUE_QUERY", "player:P01", **ASK))
        assert (number, code, told["field"]) == (11, "E011", "auth_token")

    @requirement("000-LM-QUERY-02", "002-NOTE-02")
    @pytest.mark.parametrize(
        ("sender", "token"),
        [
            ("player:P01", "a guess"),
            ("player:P01", token_of("P02")),
            ("player:P01", token_of("REF01")),
            ("referee:REF01", token_of("P01")),
            ("league_manager", token_of("P01")),
            ("player:P01", ""),
        ],
    )
    async def test_it_has_to_be_the_senders_own(self, sender: str, token: str):
        made = await first_round()
        number, code, _ = await refused(made, "league_query", envelope("LEAGUE_QUERY", sender, token, **ASK))
        assert (number, code) in {(6001, "E012"), (11, "E011")}
        assert (code == "E011") == (token == "")

    async def test_the_token_may_come_as_a_bearer_header(self):
        made = await first_round()
        message = envelope("LEAGUE_QUERY", "player:P01", **ASK)
        answer = await made.call("league_query", message, bearer=token_of("P01"))
        assert answer["query_type"] == "GET_STATUS"

    async def test_the_message_wins_over_the_header(self):
        made = await first_round()
        message = envelope("LEAGUE_QUERY", "player:P01", token_of("P01"), **ASK)
        assert await made.call("league_query", message, bearer="whatever")

    async def test_the_operator_may_ask_anything(self):
        made = await first_round()
        message = envelope("LEAGUE_QUERY", "league_manager", OPERATOR, **ASK)
        assert (await made.call("league_query", message))["status"]["state"] == "RUNNING"

    async def test_the_status_tells_the_last_record(self):
        made = await first_round()
        message = envelope("LEAGUE_QUERY", "player:P01", token_of("P01"), **ASK)
        head = (await made.call("league_query", message))["status"]["record_head"]
        last = (await made.ledger._store.read(LEAGUE))[-1]
        assert head == {"sequence": last.sequence, "digest": last.digest}

    async def test_a_player_may_not_report(self):
        made = await first_round()
        message = {**result_report(), "sender": "player:P01", "auth_token": token_of("P01")}
        number, code, _ = await refused(made, "report_match_result", message)
        assert (number, code) == (13, "E013")
        assert not made.league.results

    @requirement("project-PROTO-07")
    @pytest.mark.parametrize("agent_id", ["P01", "REF01"])
    @pytest.mark.parametrize("tool", ["start_league", "create_schedule", "get_standings"])
    async def test_the_operators_tools_are_the_operators(self, tool: str, agent_id: str):
        made = await first_round()
        assert (await refused(made, tool, {}))[:2] == (11, "E011")
        assert (await refused(made, tool, {"auth_token": "a guess"}))[:2] == (12, "E012")
        assert (await refused(made, tool, {"auth_token": token_of(agent_id)}))[:2] == (13, "E013")

    async def test_registration_is_open_to_anybody_even_with_a_token_of_no_meaning(self):
        made = await manager()
        assert (await made.call("register_player", player_request(), bearer="x"))["status"] == "ACCEPTED"


class TestReports:
    @requirement("000-LM-RESULT-05", "000-LM-RESULT-06", "002-REPORT-04", "003-TYPE-15", "004-MSG-06", "004-FLOW-02")
    async def test_a_report_is_recorded_and_acknowledged(self):
        made = await first_round()
        answer = await made.call("report_match_result", result_report())
        assert (answer["message_type"], answer["status"]) == ("MATCH_RESULT_ACK", "ACCEPTED")
        assert (answer["match_id"], answer["round_id"]) == ("R1M1", 1)
        assert made.league.standings()[0].player_id == "P01"

    async def test_the_same_report_again_is_acknowledged_and_changes_nothing(self):
        made = await first_round()
        first = await made.call("report_match_result", result_report())
        before = made.league
        again = await made.call("report_match_result", result_report())
        assert again == first
        assert made.league is before
        assert made.types.count("MatchRecorded") == 1

    @requirement("002-REPORT-06")
    async def test_a_different_report_is_refused_and_logged_as_an_error(self):
        made = await first_round()
        await made.call("report_match_result", result_report())
        other = result_report(winner="P02", score={"P01": 0, "P02": 3})
        assert (await refused(made, "report_match_result", other))[:2] == (5003, "E010")
        ((level, details),) = made.journal.named("DUPLICATE_REPORT")
        assert (level, details["match_id"], details["referee_id"]) == ("ERROR", "R1M1", "REF01")
        assert made.league.results["R1M1"].winner == "P01"

    @requirement("000-LM-RESULT-01", "003-RES-04", "004-OBJ-02")
    @pytest.mark.parametrize(
        ("report", "number", "code"),
        [
            pytest.param(result_report("R9M9"), 5002, "E007", id="no such match"),
            pytest.param(result_report("R1M2", "P03", {"P03": 3, "P04": 0}), 5002, "E007", id="not assigned yet"),
            pytest.param(result_report(referee="REF02"), 5002, "E007", id="assigned to another"),
            pytest.param(result_report(attempt=2), 5002, "E007", id="another attempt"),
            pytest.param(result_report(winner="P03", score={"P03": 3, "P02": 0}), -32602, "E002", id="not a player"),
            pytest.param(result_report(score={"P01": 4, "P02": 0}), -32602, "E002", id="too many points"),
            pytest.param(result_report(score={"P01": 3}), -32602, "E002", id="points missing"),
            pytest.param(result_report(winner=None), -32602, "E002", id="a draw with the points of a win"),
            pytest.param(result_report(round_id=2), -32602, "E002", id="another round"),
            pytest.param(result_report(league_id="winter"), 14, "E014", id="another league"),
            pytest.param(result_report(token="a guess"), 5001, "E012", id="a guessed token"),
            pytest.param(result_report(token=token_of("REF02")), 5001, "E012", id="another referee's token"),
        ],
    )
    async def test_a_forged_report_is_refused(self, report: dict[str, Any], number: int, code: str):
        made = await first_round()
        assert (await refused(made, "report_match_result", report))[:2] == (number, code)
        assert not made.league.results

    async def test_a_technical_loss_comes_with_its_fault(self):
        made = await first_round()
        fault = {
            "player_id": "P02",
            "cause": "no_move",
            "phase": "move",
            "error_code": "E001",
            "tries": 4,
            "description": "no answer",
        }
        body = {
            "winner": "P01",
            "score": {"P01": 3, "P02": 0},
            "details": {"status": "TECHNICAL_LOSS"},
            "faults": [fault],
        }
        await made.call("report_match_result", result_report(result=body))
        assert made.league.results["R1M1"].faults[0].cause == "no_move"

    async def test_a_void_match_takes_no_result(self):
        made = await first_round()
        await made.ledger.execute(VoidMatch("R1M1", "nobody could referee it"))
        assert (await refused(made, "report_match_result", result_report()))[:2] == (8, "E008")

    async def test_the_operator_is_no_referee(self):
        made = await first_round()
        report = {**result_report(), "auth_token": OPERATOR}
        assert (await refused(made, "report_match_result", report))[:2] == (5002, "E007")


class TestAStoreThatFails:
    async def test_a_report_is_to_be_sent_again(self):
        store = StubbornStore()
        made = await manager(store)
        await enrol(made.ledger, 2)
        await start(made.ledger)
        await made.ledger.execute(StartRound(1))
        await made.ledger.execute(AssignMatch("R1M1", "REF01"))
        store.full = True
        assert (await refused(made, "report_match_result", result_report()))[:2] == (23, "E023")
        assert made.journal.named("STORE_FAILED")[0][0] == "ERROR"
        assert not made.league.results
        store.full = False
        assert (await made.call("report_match_result", result_report()))["status"] == "ACCEPTED"

    @pytest.mark.parametrize("token", [None, token_of("P02")])
    async def test_so_is_a_registration(self, token: str | None):
        store = StubbornStore()
        made = await manager(store)
        await enrol(made.ledger, 2)
        store.full = True
        request = player_request("Player 2" if token else "Ada", token)
        assert (await refused(made, "register_player", request))[:2] == (23, "E023")
        assert list(made.league.players) == ["P01", "P02"]


async def test_a_manager_that_another_one_has_overtaken_keeps_nothing_for_itself():
    made = await first_round()
    other = Ledger(made.store, made.clock, LEAGUE)
    await other.open()
    await other.execute(VoidMatch("R1M1", "nobody could referee it"))
    with pytest.raises(CallRefused, match="another league manager leads") as caught:
        await made.call("report_match_result", result_report())
    assert caught.value.number == 23, "to be sent again: to that one"
    assert not made.league.results
    with pytest.raises(StoreFailed, match="another league manager leads"):
        await made.ledger.until(lambda league: bool(league.results))


class TestTokensThatExpire:
    async def test_an_old_token_opens_nothing_any_more(self):
        made = await manager()
        made.service.authentication._ttl = timedelta(hours=1)
        await enrol(made.ledger, 2)
        made.clock.advance(3600)
        assert await made.call("league_query", query("GET_STATUS"))
        made.clock.advance(1)
        assert (await refused(made, "league_query", query("GET_STATUS")))[:2] == (6001, "E012")

    async def test_coming_back_in_time_makes_it_good_again(self):
        made = await manager()
        made.service.authentication._ttl = timedelta(hours=1)
        await enrol(made.ledger, 2)
        made.clock.advance(3000)
        await made.call("register_player", player_request("Player 1", token_of("P01")))
        made.clock.advance(3000)
        assert await made.call("league_query", query("GET_STATUS"))
        assert (await refused(made, "league_query", query("GET_STATUS", "P02")))[:2] == (6001, "E012")


class TestQueries:
    @requirement("004-OBJ-05", "004-V2-05", "project-PROTO-02")
    async def test_standings(self):
        made = await first_round()
        await made.call("report_match_result", result_report())
        answer = await made.call("league_query", query("GET_STANDINGS"))
        assert [(row["player_id"], row["points"], row["rank"]) for row in answer["standings"]] == [
            ("P01", 3, 1),
            ("P02", 0, 2),
            ("P03", 0, 2),
            ("P04", 0, 2),
        ]
        assert (answer["league_id"], answer["current_round"]) == (LEAGUE, 1)

    @requirement("004-OBJ-05", "project-PROTO-02")
    @pytest.mark.parametrize("asker", ["P01", "REF01"])
    async def test_status(self, asker: str):
        made = await first_round()
        answer = await made.call("league_query", query("GET_STATUS", asker))
        assert answer["status"].pop("record_head")["sequence"] == len(await made.ledger._store.read(LEAGUE))
        assert answer["status"] == {
            "state": "RUNNING",
            "players": 4,
            "referees": 2,
            "current_round": 1,
            "total_rounds": 3,
            "matches_completed": 0,
            "total_matches": 6,
        }

    @requirement("004-OBJ-05", "004-V2-06", "project-PROTO-02")
    async def test_the_whole_schedule(self):
        made = await first_round()
        await made.call("report_match_result", result_report())
        answer = await made.call("league_query", query("GET_SCHEDULE", "REF01"))
        assert len(answer["schedule"]) == 6
        assert answer["schedule"][0] == {
            "match_id": "R1M1",
            "round_id": 1,
            "player_A_id": "P01",
            "player_B_id": "P02",
            "game_type": "even_odd",
            "status": "COMPLETED",
            "referee_id": "REF01",
            "referee_endpoint": "http://localhost:8001/mcp",
            "winner": "P01",
            "result": "WIN",
        }
        assert answer["schedule"][1]["status"] == "SCHEDULED"

    @requirement("004-V2-06")
    async def test_the_schedule_of_one_round(self):
        made = await first_round()
        answer = await made.call("league_query", query("GET_SCHEDULE", params={"round_id": 2}))
        assert [match["match_id"] for match in answer["schedule"]] == ["R2M1", "R2M2"]

    async def test_a_round_that_is_not_there(self):
        made = await first_round()
        number, code, told = await refused(made, "league_query", query("GET_SCHEDULE", params={"round_id": 4}))
        assert (number, code, told["expected"]) == (-32602, "E002", "1 to 3")

    @requirement("004-V2-07", "project-PROTO-02")
    async def test_a_players_own_next_match(self):
        made = await first_round()
        answer = await made.call("league_query", query("GET_NEXT_MATCH"))
        assert (answer["next_match"]["match_id"], answer["next_match"]["status"]) == ("R1M1", "ASSIGNED")
        await made.call("report_match_result", result_report())
        answer = await made.call("league_query", query("GET_NEXT_MATCH"))
        assert answer["next_match"]["match_id"] == "R2M1"

    @requirement("004-V2-07")
    async def test_another_players_next_match(self):
        made = await first_round()
        answer = await made.call("league_query", query("GET_NEXT_MATCH", "REF02", {"player_id": "P04"}))
        assert answer["next_match"]["match_id"] == "R1M2"

    @requirement("004-V2-07")
    async def test_there_is_no_next_match_after_the_last(self):
        made = await first_round(2, 1)
        await made.call("report_match_result", result_report())
        await made.ledger.execute(CompleteRound(1))
        assert "next_match" not in await made.call("league_query", query("GET_NEXT_MATCH"))

    @requirement("004-V2-08", "project-PROTO-02")
    async def test_a_players_record(self):
        made = await first_round()
        await made.call("report_match_result", result_report())
        answer = await made.call("league_query", query("GET_PLAYER_STATS", "P02"))
        stats = answer["player_stats"]
        assert (stats["player_id"], stats["losses"], stats["remaining"], stats["win_rate"]) == ("P02", 1, 2, 0.0)
        answer = await made.call("league_query", query("GET_PLAYER_STATS", "REF01", {"player_id": "P01"}))
        assert (answer["player_stats"]["wins"], answer["player_stats"]["win_rate"]) == (1, 1.0)

    @pytest.mark.parametrize("kind", ["GET_NEXT_MATCH", "GET_PLAYER_STATS"])
    async def test_a_question_about_an_unknown_player(self, kind: str):
        made = await first_round()
        assert (await refused(made, "league_query", query(kind, params={"player_id": "P77"})))[:2] == (5, "E005")

    @pytest.mark.parametrize("kind", ["GET_NEXT_MATCH", "GET_PLAYER_STATS"])
    async def test_a_referee_has_to_say_about_whom_it_asks(self, kind: str):
        made = await first_round()
        number, code, told = await refused(made, "league_query", query(kind, "REF01"))
        assert (number, code, told["field"]) == (-32602, "E003", "query_params.player_id")

    @pytest.mark.parametrize("kind", ["GET_SCHEDULE", "GET_NEXT_MATCH"])
    async def test_before_the_schedule_there_is_none_to_ask_for(self, kind: str):
        made = await manager()
        await enrol(made.ledger, 2)
        assert (await refused(made, "league_query", query(kind)))[:2] == (30, "E030")

    @pytest.mark.parametrize("kind", ["GET_STANDINGS", "GET_STATUS", "GET_PLAYER_STATS"])
    async def test_the_other_questions_are_answered_before_the_schedule(self, kind: str):
        made = await manager()
        await enrol(made.ledger, 2)
        answer = await made.call("league_query", query(kind))
        assert answer["current_round"] == 0

    async def test_an_unknown_question(self):
        made = await first_round()
        assert (await refused(made, "league_query", query("GET_RICH")))[:2] == (6002, "E022")

    async def test_a_question_about_another_league(self):
        made = await first_round()
        assert (await refused(made, "league_query", query("GET_STATUS", league_id="winter")))[:2] == (6003, "E014")

    async def test_the_alias_answers_the_same(self):
        made = await first_round()
        assert await made.call("handle_league_query", query("GET_STATUS")) == await made.call(
            "league_query", query("GET_STATUS")
        )


class TestTheOperator:
    async def test_starting_closes_registration_and_tells_what_was_started(self):
        made = await manager()
        await enrol(made.ledger, 3)
        answer = await made.call("start_league", {}, OPERATOR)
        assert (answer["message_type"], answer["status"], answer["state"]) == (
            "START_LEAGUE_RESPONSE",
            "ACCEPTED",
            "RUNNING",
        )
        assert (answer["players"], answer["referees"], answer["total_rounds"], answer["total_matches"]) == (3, 1, 3, 3)
        assert answer["conversation_id"] == "operator"

    @pytest.mark.parametrize(("players", "referees"), [(1, 1), (2, 0)])
    async def test_too_few_agents_cannot_be_started(self, players: int, referees: int):
        made = await manager()
        await enrol(made.ledger, players, referees)
        number, code, told = await refused(made, "start_league", {}, OPERATOR)
        assert (number, code, told["players"], told["referees"]) == (8, "E008", players, referees)
        assert made.league.state is LeagueState.WAITING_FOR_REGISTRATIONS

    async def test_a_running_league_is_not_started_again(self):
        made = await first_round()
        assert (await refused(made, "start_league", {}, OPERATOR))[:2] == (8, "E008")

    async def test_the_schedule_can_be_made_first_and_asked_for_again(self):
        made = await manager()
        await enrol(made.ledger, 4)
        answer = await made.call("create_schedule", {"players": ["P04", "P03", "P02", "P01"]}, OPERATOR)
        assert made.league.state is LeagueState.SCHEDULED
        assert (answer["total_rounds"], len(answer["matches"])) == (3, 6)
        again = await made.call("create_schedule", {}, OPERATOR)
        assert again["matches"] == answer["matches"]
        assert (await made.call("start_league", {}, OPERATOR))["state"] == "RUNNING"

    @requirement("004-LM-11")
    async def test_a_schedule_is_for_all_registered_players(self):
        made = await manager()
        await enrol(made.ledger, 3)
        number, code, told = await refused(made, "create_schedule", {"players": ["P01", "P02"]}, OPERATOR)
        assert (number, code, told["field"], told["expected"]) == (-32602, "E002", "players", ["P01", "P02", "P03"])
        assert made.league.state is LeagueState.WAITING_FOR_REGISTRATIONS

    @requirement("004-LM-09")
    async def test_the_standings_can_be_looked_at_at_any_time(self):
        made = await manager()
        await enrol(made.ledger, 2)
        answer = await made.call("get_standings", {}, OPERATOR)
        assert [row["player_id"] for row in answer["standings"]] == ["P01", "P02"]
        assert answer["current_round"] == 0

    @pytest.mark.parametrize("tool", ["start_league", "create_schedule", "get_standings"])
    async def test_the_operator_may_say_which_league_it_means(self, tool: str):
        made = await manager()
        await enrol(made.ledger, 2)
        assert (await refused(made, tool, {"league_id": "winter"}, OPERATOR))[:2] == (14, "E014")
        assert await made.call(tool, {"league_id": LEAGUE}, OPERATOR)


@requirement("project-LEAVE-03")
@pytest.mark.parametrize(
    ("options", "answered"),
    [
        ({"late_entry_points": "draw"}, ("ACCEPTED", "P05", None)),
        ({}, ("REJECTED", None, f"Registration closed: swiss takes no late entry here{ASK_THE_OPERATOR}")),
    ],
)
async def test_a_player_enters_a_running_league_where_its_format_takes_it(options: dict[str, Any], answered: Any):
    made = await manager(stages=(StageRules("swiss", {"rounds": 2, **options}),))
    made.service = LeagueManagerService(
        ledger=made.ledger,
        clock=made.clock,
        ids=made.ids,
        journal=made.journal,
        operator_token=OPERATOR,
        read_endpoint=read_endpoint,
        pairing=Pairing(stages_format),
    )
    made.agent = agent(tool_table(made.service), made.service.authentication.identify, journal=made.journal)
    await enrol(made.ledger, 4, 1)
    await made.ledger.execute(CloseRegistration("operator", expected_rounds=2))
    await made.ledger.execute(StartLeague())
    answer = await made.call("register_player", player_request("Late"))
    assert (answer["status"], answer.get("player_id"), answer["reason"]) == answered
    assert ("P05" in made.league.players) is (answered[0] == "ACCEPTED")
