"""Requirements from Message contracts (002), in our own words."""

from tests.requirements.model import Requirement, Section

_ENV = Section("002", "ENV", "1.1-1.2 Envelope and payload")
_TIME = Section("002", "TIME", "1.3 Time limits")
_AUTH = Section("002", "AUTH", "1.4 Authentication")
_RREG = Section("002", "RREG", "2.1 REFEREE_REGISTER_REQUEST")
_PREG = Section("002", "PREG", "2.2 LEAGUE_REGISTER_REQUEST")
_RANN = Section("002", "RANN", "3.1 ROUND_ANNOUNCEMENT")
_STAND = Section("002", "STAND", "3.2 LEAGUE_STANDINGS_UPDATE")
_RCOMP = Section("002", "RCOMP", "3.3 ROUND_COMPLETED")
_LCOMP = Section("002", "LCOMP", "3.4 LEAGUE_COMPLETED")
_INV = Section("002", "INV", "4.1 GAME_INVITATION")
_CALL = Section("002", "CALL", "4.2 CHOOSE_PARITY_CALL")
_OVER = Section("002", "OVER", "4.3 GAME_OVER")
_REPORT = Section("002", "REPORT", "5.1 MATCH_RESULT_REPORT")
_LERR = Section("002", "LERR", "6.1 LEAGUE_ERROR")
_GERR = Section("002", "GERR", "6.2 GAME_ERROR")
_QUERY = Section("002", "QUERY", "7.1 LEAGUE_QUERY")
_NOTE = Section("002", "NOTE", "9 Implementation notes")

REQUIREMENTS: tuple[Requirement, ...] = (
    _ENV(
        1,
        'A bare JSON-RPC request has jsonrpc "2.0", method, params and an id, text or number, that comes '
        "back with the answer.",
        "tests/interaction/test_on_the_wire.py::test_a_program_without_mcp_can_call_the_tool_as_a_method",
        "tests/league_sdk/transports/test_jsonrpc.py::test_a_call_gets_its_reply_under_its_own_id",
    ),
    _ENV(
        2,
        "A success has result, an error has code, message and data; never both.",
        "tests/league_sdk/transports/test_jsonrpc.py::test_a_call_gets_its_reply_under_its_own_id",
        "tests/league_sdk/transports/test_jsonrpc.py::test_a_refusal_is_an_error_object_with_number_and_data",
    ),
    _ENV(
        3,
        "Every payload has protocol, message_type, sender, timestamp and conversation_id; one that lacks "
        "any of them is refused.",
        "tests/league_sdk/protocol/test_envelope.py::test_a_request_needs_its_whole_envelope",
        "tests/league_sdk/protocol/test_codec.py::test_every_required_field_is_missed_when_it_is_missing",
    ),
    _ENV(
        4,
        "The protocol is league.v2, and another one is refused.",
        "tests/league_sdk/protocol/test_codec.py::test_another_protocol_is_e018_whatever_else_is_wrong",
    ),
    _ENV(
        5,
        "Timestamps are ISO 8601 in UTC.",
        "tests/league_sdk/protocol/test_envelope.py::test_a_time_that_is_not_in_utc_is_e021",
        "tests/league_sdk/protocol/test_envelope.py::test_every_field_that_is_a_time_is_held_to_it",
    ),
    _ENV(
        6,
        "Answers carry the common fields too.",
        "tests/league_sdk/protocol/test_envelope.py::test_a_reply_continues_the_conversation",
        "tests/league_sdk/protocol/test_envelope.py::test_our_own_reply_may_not",
        decision="0034-the-envelope",
        reading="Replies carry sender and echo conversation_id, although 002's examples leave both out.",
    ),
    _TIME(
        1,
        "GAME_JOIN_ACK has 5 seconds, enforced by the referee.",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_every_call_has_its_own_limit_and_shows_the_players_ticket",
        "tests/servers/referee/test_match_runner.py::TestTechnicalLosses::test_who_does_not_come",
    ),
    _TIME(
        2,
        "CHOOSE_PARITY_RESPONSE has 30 seconds, enforced by the referee.",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_every_call_has_its_own_limit_and_shows_the_players_ticket",
        "tests/servers/referee/test_match_runner.py::TestTechnicalLosses::test_who_does_not_move",
    ),
    _TIME(
        3,
        "Every other answer has 10 seconds, enforced by whoever asked.",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_every_call_has_its_own_limit_and_shows_the_players_ticket",
        "tests/servers/referee/test_match_runner.py::TestTryingAgain::test_a_notice_has_the_time_of_any_other_message",
        "tests/servers/test_registration.py::test_a_seat_is_taken_and_kept",
    ),
    _AUTH(
        1,
        "After registration every request carries a token, and one without is refused.",
        "tests/security/test_tokens.py::test_every_tool_but_registration_asks_for_a_token",
        "tests/servers/player/test_service.py::TestWhoMayCall::test_only_the_manager_tells_of_the_league",
    ),
    _AUTH(
        2,
        "The token is the agent's own and stands in the message.",
        "tests/league_sdk/test_tokens.py::test_every_attempt_at_every_match_has_another_ticket",
        "tests/league_sdk/test_tokens.py::test_every_agent_of_every_league_has_another_peer_token",
        decision="0016-tokens",
        reading="In answers and referees' messages a token made for that peer or match stands in the "
        "field, so that no agent learns another's token.",
    ),
    _RREG(
        1,
        "The request goes to register_referee with referee_meta: display_name, version, game_types, "
        "contact_endpoint, max_concurrent_matches.",
        "tests/league_sdk/protocol/test_registration.py::test_a_referee_takes_one_match_at_least",
    ),
    _RREG(
        2,
        "The answer has status, referee_id, auth_token, league_id, and a reason that is null when accepted.",
        "tests/league_sdk/protocol/test_registration.py::test_who_is_accepted_gets_an_id_a_token_and_a_league",
        "tests/league_sdk/protocol/test_registration.py::test_a_reason_that_is_missing_is_written_as_null",
    ),
    _RREG(
        3,
        "A rejection has status REJECTED and a reason.",
        "tests/league_sdk/protocol/test_registration.py::test_who_is_rejected_gets_a_reason_alone",
    ),
    _RREG(
        4,
        "Missing or mistyped fields get -32602, an internal failure -32603.",
        "tests/league_sdk/protocol/test_codec.py::test_every_required_field_is_missed_when_it_is_missing",
        "tests/league_sdk/protocol/test_codec.py::test_every_field_is_refused_when_its_type_is_wrong",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
    ),
    _RREG(
        5,
        "Full, unusable endpoint and unsupported game have the numbers 1001, 1002 and 1003.",
        "tests/servers/test_error_codes.py::test_a_refused_registration_carries_its_code",
        decision="0027-refusals-and-errors",
        reading="The table has these numbers; the answer to a well-formed request is REJECTED with the "
        "matching E-code.",
    ),
    _RREG(
        6,
        "A successful registration stores endpoint and token and makes the referee available.",
        "tests/league_sdk/domain/test_league_state.py::test_a_fold_over_what_was_stored_gives_the_same_league",
        decision="0014-config-is-read-only",
        reading="In the event store; the configuration file is not touched.",
    ),
    _RREG(
        7,
        "A failed registration changes nothing.",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_a_full_league_takes_no_more",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_an_agent_that_cannot_play_is_refused",
    ),
    _PREG(
        1,
        "The request goes to register_player with player_meta: display_name, version, game_types, contact_endpoint.",
        "tests/league_sdk/protocol/test_registration.py::test_a_player_has_to_say_all_about_itself",
    ),
    _PREG(
        2,
        "The answer has status, player_id, auth_token, league_id and a reason that is null when accepted.",
        "tests/league_sdk/protocol/test_registration.py::test_who_is_accepted_gets_an_id_a_token_and_a_league",
        "tests/league_sdk/protocol/test_registration.py::test_a_reason_that_is_missing_is_written_as_null",
    ),
    _PREG(
        3,
        "Full, duplicate name, unusable endpoint and unsupported game have the numbers 2001, 2002, 2003 and 2004.",
        "tests/servers/test_error_codes.py::test_a_refused_registration_carries_its_code",
        decision="0027-refusals-and-errors",
        reading="The table has these numbers; the answer to a well-formed request is REJECTED with the "
        "matching E-code.",
    ),
    _PREG(
        4,
        "A refusal of a name says which name, and what to do.",
        "tests/servers/league_manager/test_service.py::TestRegistration::test_a_player_who_may_not_join_is_told_why",
        "tests/servers/test_leagues.py::test_a_player_that_is_refused_says_why_and_fails",
    ),
    _PREG(
        5,
        "A successful registration stores endpoint and token, and the last one may lead to the schedule.",
        "tests/league_sdk/domain/test_league_state.py::test_a_fold_over_what_was_stored_gives_the_same_league",
        "tests/league_sdk/domain/test_league.py::TestClosing::test_the_schedule_is_made_when_registration_closes",
        "tests/league_sdk/domain/test_league.py::TestClosing::test_a_quorum_closes_only_when_it_is_there",
        decision="0014-config-is-read-only",
        reading="In the event store; the configuration file is not touched.",
    ),
    _PREG(
        6,
        "A failed registration changes nothing.",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_a_full_league_takes_no_more",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_an_agent_that_cannot_play_is_refused",
    ),
    _RANN(
        1,
        "It goes to notify_round with league_id, round_id and matches: match_id, game_type, player_A_id, "
        "player_B_id, referee_endpoint.",
        "tests/league_sdk/protocol/test_mapping.py::test_an_announced_match_names_its_referee",
        "tests/league_sdk/protocol/test_rounds.py::test_seats_have_the_wire_s_names",
    ),
    _RANN(
        2,
        "The acknowledgement has status ACKNOWLEDGED, player_id and round_id.",
        "tests/servers/player/test_duties.py::test_whatever_it_hears_is_acknowledged_and_both_stand_in_its_log",
    ),
    _RANN(
        3,
        "A wrong token has the number 3001 and an unknown player 3002.",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
        "tests/servers/player/test_service.py::TestWhoMayCall::test_only_the_manager_tells_of_the_league",
        "tests/servers/player/test_service.py::TestWhoMayCall::test_before_it_is_registered_it_knows_nobody",
    ),
    _RANN(
        4,
        "The manager keeps track of acknowledgements, and matches start once all are in.",
        decision="0028-announcements-are-best-effort",
        reading="Or after a grace of one second: a silent player does not hold up the others.",
    ),
    _RANN(
        5,
        "The player stores the round and waits for invitations.",
        "tests/servers/player/test_service.py::TestTheCourseOfTheLeague::test_it_becomes_active_with_the_first_round_and_ends_with_the_league",
    ),
    _STAND(
        1,
        "It goes to update_standings with league_id, round_id and rows ordered by rank: rank, player_id, "
        "display_name, played, wins, draws, losses, points.",
        "tests/league_sdk/protocol/test_mapping.py::test_the_table_keeps_its_order",
    ),
    _STAND(
        2,
        "It is sent after the last match of a round, once the standings are recalculated.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_a_player_hears_of_rounds_standings_and_the_end_in_order",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_standings_are_told_as_they_are_after_the_round",
    ),
    _STAND(
        3,
        "The acknowledgement has status, player_id and round_id; a wrong token has the number 3001.",
        "tests/servers/player/test_duties.py::test_whatever_it_hears_is_acknowledged_and_both_stand_in_its_log",
        "tests/servers/player/test_service.py::TestWhoMayCall::test_only_the_manager_tells_of_the_league",
    ),
    _RCOMP(
        1,
        "It goes to notify_round_completed with league_id, round_id, matches_played and next_round_id, "
        "which is null at the end.",
        "tests/league_sdk/protocol/test_rounds.py::test_after_the_last_round_the_next_one_is_null",
    ),
    _RCOMP(
        2,
        "It is sent after the standings of the round.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_a_player_hears_of_rounds_standings_and_the_end_in_order",
    ),
    _RCOMP(
        3,
        "The acknowledgement has status, player_id and round_id.",
        "tests/servers/player/test_duties.py::test_whatever_it_hears_is_acknowledged_and_both_stand_in_its_log",
    ),
    _LCOMP(
        1,
        "It goes to notify_league_completed with league_id, total_rounds, total_matches, champion and final_standings.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_league_completed_names_champion_and_final_standings",
    ),
    _LCOMP(
        2,
        "The champion has player_id, display_name and points.",
        "tests/league_sdk/protocol/test_mapping.py::test_a_league_has_champions_when_it_is_complete",
    ),
    _LCOMP(
        3,
        "It is sent after all rounds, and never before.",
        "tests/league_sdk/domain/test_league.py::TestCompleting::test_a_league_is_complete_after_its_last_round_and_never_before",
    ),
    _LCOMP(
        4,
        "The acknowledgement has status and player_id.",
        "tests/servers/player/test_duties.py::test_whatever_it_hears_is_acknowledged_and_both_stand_in_its_log",
    ),
    _INV(
        1,
        "It goes to handle_game_invitation with token, league_id, round_id, match_id, game_type, "
        "role_in_match and opponent_id.",
        "tests/league_sdk/protocol/test_envelope.py::test_seats_are_capital_letters_on_the_wire",
    ),
    _INV(
        2,
        "GAME_JOIN_ACK has match_id, player_id, arrival_timestamp and accept.",
        "tests/league_sdk/protocol/test_envelope.py::test_a_player_s_reply_says_which_match_it_is_about",
    ),
    _INV(
        3,
        "A wrong token has the number 4001, an unknown player 4002.",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
        "tests/servers/player/test_service.py::TestWhoMayCall::test_only_the_matchs_referee_plays_it",
        "tests/servers/player/test_service.py::TestWhoMayCall::test_before_it_is_registered_it_knows_nobody",
    ),
    _INV(
        4,
        "A late player is told so with the player, the limit, the try and the number of tries.",
        decision="0007-error-codes-and-numbers",
        reading="By GAME_ERROR and E001; there is no JSON-RPC error with code -1 on the wire, because "
        "nobody is waiting for it.",
    ),
    _INV(
        5,
        "Both acknowledgements lead to COLLECTING_CHOICES.",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_both_join_and_both_choose_and_the_game_decides",
    ),
    _INV(
        6,
        "After the last try the player loses technically, hears GAME_ERROR, and the result is reported.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_an_invitation_without_answer_is_sent_again_exactly_as_often_as_allowed",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_the_opponent_of_who_did_not_join_wins",
    ),
    _INV(
        7,
        "An unknown match has the number 4003.",
        decision="0007-error-codes-and-numbers",
        reading="No call is answered with it: an invitation makes a match known, and a call for a move in an unknown "
        "one is out of turn, 4005. The number stands in the table for peers that answer with it.",
    ),
    _CALL(
        1,
        "It goes to parity_choose with match_id, player_id, game_type, context and deadline.",
        "tests/clients/test_tool_registry.py::test_an_alias_is_chosen_when_the_peer_has_only_that",
        decision="0002-flat-tool-arguments",
        reading="choose_parity is the name; parity_choose is accepted and is chosen when a peer has only that.",
    ),
    _CALL(
        2,
        "The context has opponent_id, round_id and the player's wins, losses, draws and points.",
        "tests/league_sdk/protocol/test_match.py::test_a_record_without_points_has_none",
    ),
    _CALL(
        3,
        "The deadline is 30 seconds from now, in UTC.",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_a_call_for_a_move_tells_what_the_player_needs_to_know",
    ),
    _CALL(
        4,
        "It is sent only after both players have joined.",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_both_join_and_both_choose_and_the_game_decides",
    ),
    _CALL(
        5,
        "CHOOSE_PARITY_RESPONSE has match_id, player_id and parity_choice, which is even or odd.",
        "tests/game_rules/test_even_odd.py::test_anything_but_the_two_words_in_lower_case_is_refused",
        "tests/league_sdk/protocol/test_codec.py::test_a_game_s_answer_is_read_under_each_of_its_names",
    ),
    _CALL(
        6,
        "A match in another state has the number 4005.",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
    ),
    _CALL(
        7,
        "It keeps the invitation's conversation id.",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_the_whole_match_is_one_conversation",
    ),
    _CALL(
        8,
        "Both answers lead to DRAWING_NUMBER and FINISHED.",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_both_join_and_both_choose_and_the_game_decides",
    ),
    _CALL(
        9,
        "After the last try the player loses technically, hears GAME_ERROR, and the match goes on to its end.",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_silence_is_asked_again_and_then_loses",
    ),
    _CALL(
        10,
        "An invalid choice has the number 4004.",
        decision="0007-error-codes-and-numbers",
        reading="No call is answered with it: a choice comes in an answer, and GAME_ERROR says E004 of it. The number "
        "stands in the table for peers that answer with it.",
    ),
    _OVER(
        1,
        "It goes to notify_match_result with match_id, game_type and game_result: status, "
        "winner_player_id, drawn_number, number_parity, choices, reason.",
        "tests/league_sdk/protocol/test_match.py::test_a_result_keeps_what_the_game_adds",
        "tests/league_sdk/protocol/test_match.py::test_a_result_without_a_winner_is_written_with_null",
    ),
    _OVER(
        2,
        "Number and choices are there in every result.",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_illegal_moves_to_the_end_lose_and_the_other_choice_is_told",
        decision="0006-technical-loss-points",
        reading="They are there when they exist; a technical loss before the draw has no number.",
    ),
    _OVER(
        3,
        "The acknowledgement has status, player_id and match_id; a wrong token has the number 4001.",
        "tests/servers/player/test_duties.py::test_whatever_it_hears_is_acknowledged_and_both_stand_in_its_log",
        "tests/servers/player/test_service.py::TestWhoMayCall::test_only_the_matchs_referee_plays_it",
    ),
    _OVER(
        4,
        "The player updates history and statistics and writes history.json.",
        "tests/league_sdk/stores/test_player_history.py::test_a_history_carries_the_fields_that_are_documented",
    ),
    _REPORT(
        1,
        "It goes to report_match_result with ids, game_type and a result of winner, score by player and details.",
        "tests/league_sdk/protocol/test_match.py::test_the_winner_has_to_be_mentioned_even_when_there_is_none",
    ),
    _REPORT(
        2,
        "The details have number, choices and status.",
        "tests/league_sdk/protocol/test_match.py::test_a_report_keeps_what_the_game_adds",
    ),
    _REPORT(
        3,
        "It is sent after both players were told.",
        "tests/servers/referee/test_match_runner.py::TestTheReport::test_it_comes_after_the_players_were_told",
    ),
    _REPORT(
        4,
        "MATCH_RESULT_ACK has status ACCEPTED, match_id and round_id.",
        "tests/servers/league_manager/test_service.py::TestReports::test_a_report_is_recorded_and_acknowledged",
    ),
    _REPORT(
        5,
        "A wrong token has the number 5001, a match that is unknown or not this referee's 5002, a duplicate 5003.",
        "tests/league_sdk/domain/test_league.py::TestRecording::test_a_match_that_does_not_exist_has_no_result",
        "tests/league_sdk/domain/test_league.py::TestRecording::test_a_result_of_another_referee_is_refused",
        "tests/league_sdk/domain/test_league.py::TestRecording::test_even_a_true_copy_is_refused_from_another_referee",
        "tests/league_sdk/domain/test_league.py::TestRecording::test_another_result_for_the_same_match_is_refused",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
    ),
    _REPORT(
        6,
        "A refused duplicate says which match and when it was reported first.",
        "tests/league_sdk/domain/test_league.py::TestRecording::test_the_same_report_again_changes_nothing",
        "tests/league_sdk/domain/test_league.py::TestRecording::test_another_result_for_the_same_match_is_refused",
        decision="0026-duplicate-messages",
        reading="Only a report with other content is refused.",
    ),
    _REPORT(
        7,
        "An accepted report updates and saves standings, and the last of a round sends standings and completion.",
        "tests/league_sdk/stores/test_json_files.py::test_standings_carry_the_fields_that_are_documented",
        "tests/league_sdk/domain/test_league.py::TestCompleting::test_a_round_is_complete_when_every_match_is_decided_or_void",
    ),
    _REPORT(
        8,
        "An accepted report frees the referee, and the match file is written.",
        "tests/league_sdk/stores/test_json_files.py::test_a_match_carries_the_fields_that_are_documented",
        decision="0012-match-file-by-projection",
        reading="By the manager's projection.",
    ),
    _LERR(
        1,
        "It is the data of a JSON-RPC error, with error_code, error_description and context.",
        "tests/league_sdk/transports/test_jsonrpc.py::test_a_refusal_is_an_error_object_with_number_and_data",
    ),
    _LERR(
        2,
        "E012 has the JSON-RPC number 12.",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
        decision="0007-error-codes-and-numbers",
        reading="A code that the tables leave open takes its own figure as its number.",
    ),
    _LERR(
        3,
        "The context says which action failed and for whom, and repeats the token that was wrong.",
        "tests/league_sdk/protocol/test_codec.py::test_an_error_never_repeats_a_token",
        decision="0016-tokens",
        reading="Action and agent, yes; a token is never repeated, nor logged.",
    ),
    _LERR(
        4,
        "E001, E002, E003, E013, E020, E021 mean protocol version, missing field, wrong type, missing "
        "token, full and duplicate name.",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
        "tests/servers/test_error_codes.py::test_a_refused_registration_carries_its_code",
        decision="0007-error-codes-and-numbers",
        reading="The settled table holds: E018, E003, E002, E011, E015 and E016.",
    ),
    _LERR(
        5,
        "E030 is for what needs a started league, E031 for what a finished one no longer allows.",
        "tests/league_sdk/domain/test_league.py::test_rounds_and_matches_need_a_running_league",
        "tests/league_sdk/domain/test_league.py::TestCompleting::test_a_complete_league_stays_so",
    ),
    _LERR(
        6,
        "Whether repeating can help is known for every code.",
        "tests/league_sdk/test_errors.py::test_an_error_knows_its_row",
    ),
    _GERR(
        1,
        "It goes to notify_game_error with match_id, error_code, error_description, affected_player, "
        "action_required, retry_count, max_retries and consequence.",
        "tests/servers/referee/test_match_runner.py::TestTryingAgain::test_the_notice_says_what_went_wrong_and_what_follows",
    ),
    _GERR(
        2,
        "E002, E003 and E004 mean an invalid move, a disconnection and a wrong state.",
        "tests/servers/referee/test_match_runner.py::TestTechnicalLosses::test_who_does_not_move",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
        decision="0007-error-codes-and-numbers",
        reading="The settled table holds: E004, E009 and E008.",
    ),
    _GERR(
        3,
        "The acknowledgement has status, player_id and match_id.",
        "tests/servers/player/test_duties.py::test_whatever_it_hears_is_acknowledged_and_both_stand_in_its_log",
    ),
    _GERR(
        4,
        "The referee counts tries and after the last sends GAME_OVER with TECHNICAL_LOSS and reports it.",
        "tests/servers/referee/test_match_runner.py::TestTechnicalLosses::test_who_does_not_come",
        "tests/servers/referee/test_match_runner.py::TestTechnicalLosses::test_who_does_not_move",
        "tests/servers/referee/test_match_runner.py::TestTryingAgain::test_the_notice_says_what_went_wrong_and_what_follows",
    ),
    _QUERY(
        1,
        "It goes to league_query with league_id and query_type; GET_STANDINGS and GET_STATUS are types.",
        "tests/league_sdk/protocol/test_queries.py::test_there_are_five_queries",
    ),
    _QUERY(
        2,
        "The answer repeats the type and has standings and the current round.",
        "tests/league_sdk/protocol/test_queries.py::test_an_answer_has_only_what_was_asked",
    ),
    _QUERY(
        3,
        "A wrong token has the number 6001, an unknown type 6002, an unknown league 6003.",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
    ),
    _QUERY(
        4,
        "It changes nothing.",
        "tests/servers/league_manager/test_asking.py::test_a_player_may_ask_while_the_league_runs_and_after_it_and_changes_nothing",
    ),
    _NOTE(
        1,
        "Manager, match and player go through the states that are listed.",
        "tests/league_sdk/domain/test_lifecycles.py::test_the_straight_way_is_the_protocols",
        "tests/league_sdk/domain/test_lifecycles.py::test_every_pair_of_state_and_trigger_is_either_in_the_table_or_refused",
        decision="0025-state-machines",
        reading="By the settled tables.",
    ),
    _NOTE(
        2,
        "An invalid token is answered with LEAGUE_ERROR E012.",
        "tests/servers/league_manager/test_service.py::TestWhoMayAsk::test_it_has_to_be_the_senders_own",
        "tests/security/test_tokens.py::test_a_wrong_token_opens_nothing",
    ),
    _NOTE(
        3,
        "Time-outs, unavailability and rate limits may be tried again; tokens, types and duplicate names may not.",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_only_timeouts_broken_connections_and_illegal_moves_are_tried_again",
    ),
    _NOTE(
        4,
        "Technical losses come from joins and moves that stay out after all tries, and from disconnection.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_the_opponent_of_who_did_not_join_wins",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_silence_is_asked_again_and_then_loses",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_only_timeouts_broken_connections_and_illegal_moves_are_tried_again",
    ),
    _NOTE(
        5,
        "Schema, envelope, time limits and error answers of every message have unit tests.",
        "tests/league_sdk/protocol/test_codec.py::test_every_required_field_is_missed_when_it_is_missing",
        "tests/league_sdk/protocol/test_codec.py::test_every_field_is_refused_when_its_type_is_wrong",
        "tests/league_sdk/protocol/test_schema.py::test_every_schema_is_a_schema_of_an_object",
        "tests/league_sdk/protocol/test_codec.py::test_what_the_schema_allows_is_what_is_read",
        "tests/league_sdk/transports/test_jsonrpc.py::test_a_refusal_is_an_error_object_with_number_and_data",
    ),
    _NOTE(
        6,
        "Registration, match, round and league have integration tests.",
        "tests/servers/test_leagues.py::test_four_players_meet_as_the_table_says_and_everything_adds_up",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_the_rounds_come_in_order_and_each_is_complete_before_the_next",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_a_player_is_invited_asked_and_told",
        "tests/servers/test_leagues.py::test_a_player_that_is_refused_says_why_and_fails",
    ),
    _NOTE(
        7,
        "Time limits, wrong tokens, double registration, malformed payloads and network failures have tests.",
        "tests/league_sdk/protocol/test_codec.py::test_every_required_field_is_missed_when_it_is_missing",
        "tests/league_sdk/transports/test_jsonrpc.py::test_what_is_no_json_is_a_parse_error",
        "tests/league_sdk/transports/test_jsonrpc.py::test_what_is_no_request_is_an_invalid_request",
    ),
)
