from dataclasses import replace

import pytest

from game_rules.tic_tac_toe import TicTacToe
from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.model import Role
from league_sdk.errors import RequestKind
from league_sdk.game import MoveSpec
from league_sdk.protocol.calls import move_call, resolve_call
from league_sdk.protocol.catalog import CALLS, call_for, calls_for
from league_sdk.protocol.envelope import stamp
from league_sdk.protocol.match import GameOver, MoveCall, MoveContext, MoveResponse
from league_sdk.protocol.operator import MatchStep
from league_sdk.protocol.queries import LeagueErrorMessage
from tests.league_sdk.protocol.samples import CODEC, PARITY, example
from tests.requirements.marker import requirement

MANAGER, REFEREE, PLAYER = Role.LEAGUE_MANAGER, Role.REFEREE, Role.PLAYER

PROTOCOL_TABLE = """
REFEREE_REGISTER_REQUEST  manager         register_referee                                    REFEREE_REGISTER_RESPONSE response
LEAGUE_REGISTER_REQUEST   manager         register_player                                     LEAGUE_REGISTER_RESPONSE  response
ROUND_ANNOUNCEMENT        player,referee  notify_round,receive_round_announcement             ROUND_ANNOUNCEMENT_ACK    response
GAME_INVITATION           player          handle_game_invitation,receive_game_invitation      GAME_JOIN_ACK             join
CHOOSE_PARITY_CALL        player          choose_parity,parity_choose,receive_parity_call     CHOOSE_PARITY_RESPONSE    move
GAME_OVER                 player          notify_match_result,receive_game_over               GAME_OVER_ACK             response
GAME_ERROR                player          notify_game_error,notify_error                      GAME_ERROR_ACK            response
MATCH_RESULT_REPORT       manager         report_match_result                                 MATCH_RESULT_ACK          response
LEAGUE_STANDINGS_UPDATE   player          update_standings,notify_standings,receive_standings_update STANDINGS_UPDATE_ACK response
ROUND_COMPLETED           player,referee  notify_round_completed,receive_round_completed      ROUND_COMPLETED_ACK       response
LEAGUE_COMPLETED          player,referee  notify_league_completed,receive_league_completed    LEAGUE_COMPLETED_ACK      response
WITHDRAW_REQUEST          manager         withdraw                                            WITHDRAW_RESPONSE         response
LEAGUE_QUERY              manager         league_query,handle_league_query                    LEAGUE_QUERY_RESPONSE     response
"""  # noqa: E501
ROLES = {"manager": MANAGER, "referee": REFEREE, "player": PLAYER}
ROWS = [line.split() for line in PROTOCOL_TABLE.strip().splitlines()]


def _written_name(kind, spec):
    """The first message_type that a schema allows: the one we write."""
    allowed = CODEC.input_schema(kind, spec=spec)["properties"]["message_type"]
    return allowed.get("const") or allowed["enum"][0]


@pytest.mark.parametrize(("message_type", "to", "tools", "reply", "timeout"), ROWS, ids=[row[0] for row in ROWS])
def test_the_catalogue_holds_the_protocol_s_table(message_type, to, tools, reply, timeout):
    calls = [*CALLS, move_call(PARITY)]
    (call,) = [call for call in calls if _written_name(call.request, call.spec) == message_type]
    assert [call.tool, *call.aliases] == tools.split(",")
    assert sorted(call.to) == sorted(ROLES[name] for name in to.split(","))
    assert _written_name(call.reply, call.spec) == reply
    assert call.timeout == timeout


def test_every_tool_says_what_it_is():
    for call in (*CALLS, move_call(PARITY), resolve_call(PARITY)):
        assert call.title
        assert call.description.endswith(".")


def test_who_changes_nothing_is_idempotent_too():
    assert {call.tool for call in CALLS if call.read_only} == {"league_query", "get_standings", "match_status"}
    assert all(call.idempotent for call in CALLS if call.read_only)


def test_what_cannot_be_undone_is_called_destructive_and_so_confirmed_by_hosts():
    destructive = {call.tool for call in CALLS if call.destructive}
    assert destructive == {"start_league", "create_schedule", "notify_league_completed", "withdraw"}
    assert not [call.tool for call in CALLS if call.destructive and call.read_only]


def test_only_steps_that_advance_a_match_and_requests_for_seats_do_something_more_when_they_are_repeated():
    again = {call.tool for call in CALLS if not call.idempotent}
    assert again == {"register_referee", "register_player", "collect_choices", "finalize_match"}


@pytest.mark.parametrize("role", [MANAGER, REFEREE, PLAYER])
def test_no_role_has_two_tools_of_one_name(role):
    names = [name for call in calls_for(role, [PARITY, MoveSpec()]) for name in (call.tool, *call.aliases)]
    assert len(set(names)) == len(names)


def test_a_player_has_a_move_tool_for_each_spelling():
    tools = [call.tool for call in calls_for(PLAYER, [PARITY, MoveSpec(), TicTacToe.move_spec, PARITY])]
    assert tools[-2:] == ["choose_parity", "choose_move"]


def test_a_referee_can_be_led_by_hand_through_each_game():
    tools = {call.tool: call for call in calls_for(REFEREE, [PARITY, MoveSpec()])}
    assert {"start_match", "collect_choices", "draw_number", "resolve_match", "finalize_match"} <= set(tools)
    assert tools["draw_number"].request is MatchStep
    assert tools["draw_number"].spec is PARITY


@requirement("003-ARCH-06")
def test_games_that_differ_in_labels_only_share_their_tools():
    labelled = replace(MoveSpec(), resolving_label="SHOWING")
    assert calls_for(PLAYER, [MoveSpec(), labelled]) == calls_for(PLAYER, [MoveSpec()])
    assert calls_for(REFEREE, [MoveSpec(), labelled]) == calls_for(REFEREE, [MoveSpec()])


@pytest.mark.parametrize(
    ("role", "specs"),
    [
        (PLAYER, [MoveSpec(tool="notify_round")]),
        (PLAYER, [MoveSpec(tool_aliases=("receive_game_over",))]),
        (PLAYER, [MoveSpec(), MoveSpec(call_type="OTHER_CALL")]),
        (REFEREE, [MoveSpec(resolve_tool="start_match")]),
    ],
)
def test_a_game_cannot_take_the_name_of_another_tool(role, specs):
    with pytest.raises(ValueError, match="MoveSpec"):
        calls_for(role, specs)


def _move_call(message_type):
    context = {"opponent_id": "P02", "round_id": 1, "your_standings": {"wins": 0, "losses": 0, "draws": 0}}
    return MoveCall(
        **stamp(ManualClock(), ManualIds(), "referee:REF01"),
        message_type=message_type,
        match_id="R1M1",
        player_id="P01",
        game_type="g",
        context=MoveContext.model_validate(context),
        deadline="2025-01-15T10:00:30Z",
    )


@requirement("001-COMP-02")
def test_a_message_finds_its_tool():
    over = CODEC.parse(example(GameOver), GameOver)
    assert call_for(over).tool == "notify_match_result"
    assert call_for(_move_call("CHOOSE_PARITY_CALL"), [MoveSpec(), PARITY]).tool == "choose_parity"
    assert call_for(_move_call("MOVE_CALL"), [MoveSpec(), TicTacToe.move_spec]).tool == "choose_move"
    assert call_for(_move_call("MOVE_CALL")).tool == "choose_move"
    assert call_for(_move_call("MOVE_CALL")).kind is RequestKind.MATCH


def _move_response(message_type):
    return MoveResponse(
        **stamp(ManualClock(), ManualIds(), "player:P01"),
        message_type=message_type,
        match_id="R1M1",
        player_id="P01",
        move="odd",
    )


def test_an_answer_that_is_pushed_finds_the_tool_of_its_game():
    assert call_for(_move_response("CHOOSE_PARITY_RESPONSE"), [MoveSpec(), PARITY]).tool == "receive_parity_response"
    assert call_for(_move_response("MOVE_RESPONSE")).tool == "receive_move_response"
    alike = [MoveSpec(), replace(MoveSpec(), resolving_label="SHOWING")]
    assert call_for(_move_response("MOVE_RESPONSE"), alike).request is MoveResponse
    with pytest.raises(ValueError, match="CHOOSE_PARITY_RESPONSE: one tool has to take it, found none"):
        call_for(_move_response("CHOOSE_PARITY_RESPONSE"), [MoveSpec()])


def test_a_message_that_no_tool_or_several_take_is_a_mistake():
    with pytest.raises(ValueError, match="found none"):
        call_for(_move_call("CHOOSE_PARITY_CALL"))
    with pytest.raises(ValueError, match="LEAGUE_ERROR: one tool has to take it, found none"):
        call_for(CODEC.parse(example(LeagueErrorMessage), LeagueErrorMessage))
    with pytest.raises(ValueError, match="found collect_choices, finalize_match"):
        call_for(MatchStep())
