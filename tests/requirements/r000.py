"""Requirements from Interface specifications (000), in our own words."""

from tests.requirements.model import Requirement, Section

_LM_START = Section("000", "LM-START", "2.2.1 Start the League Manager")
_LM_REF = Section("000", "LM-REF", "2.2.2 register_referee")
_LM_PLAY = Section("000", "LM-PLAY", "2.2.3 register_player")
_LM_SCHED = Section("000", "LM-SCHED", "2.2.4 create_schedule")
_LM_ROUND = Section("000", "LM-ROUND", "2.2.5 announce_round")
_LM_RESULT = Section("000", "LM-RESULT", "2.2.6 report_match_result")
_LM_STAND = Section("000", "LM-STAND", "2.2.7 update_standings")
_LM_RCOMP = Section("000", "LM-RCOMP", "2.2.8 announce_round_completed")
_LM_LCOMP = Section("000", "LM-LCOMP", "2.2.9 announce_league_completed")
_LM_QUERY = Section("000", "LM-QUERY", "2.2.10 query_standings")
_LM_RESP = Section("000", "LM-RESP", "2.3 Responsibilities of the League Manager")
_LM_NOT = Section("000", "LM-NOT", "2.4 What the League Manager does not do")
_LM_FAIL = Section("000", "LM-FAIL", "2.5 Failures in the League Manager")
_REF_START = Section("000", "REF-START", "3.2.1 start_referee")
_REF_ASSIGN = Section("000", "REF-ASSIGN", "3.2.2 handle_match_assignment")
_REF_JOIN = Section("000", "REF-JOIN", "3.2.3 handle_game_join_ack")
_REF_JTIME = Section("000", "REF-JTIME", "3.2.4 handle_game_join_timeout")
_REF_MOVE = Section("000", "REF-MOVE", "3.2.5 handle_choose_parity_response")
_REF_MTIME = Section("000", "REF-MTIME", "3.2.6 handle_choose_parity_timeout")
_REF_DRAW = Section("000", "REF-DRAW", "3.2.7 draw_number_and_determine_winner")
_REF_REPORT = Section("000", "REF-REPORT", "3.2.8 notify_players_and_report")
_REF_RESET = Section("000", "REF-RESET", "3.2.9 reset_for_next_match")
_REF_RESP = Section("000", "REF-RESP", "3.3 Responsibilities of the referee")
_REF_NOT = Section("000", "REF-NOT", "3.4 What the referee does not do")
_REF_FAIL = Section("000", "REF-FAIL", "3.5 Failures in the referee")
_PL_START = Section("000", "PL-START", "4.2.1 start_player")
_PL_ROUND = Section("000", "PL-ROUND", "4.2.2 handle_round_announcement")
_PL_INV = Section("000", "PL-INV", "4.2.3 handle_game_invitation")
_PL_CALL = Section("000", "PL-CALL", "4.2.4 handle_choose_parity_call")
_PL_STRAT = Section("000", "PL-STRAT", "4.2.5 make_strategy_decision")
_PL_OVER = Section("000", "PL-OVER", "4.2.6 handle_game_over")
_PL_STAND = Section("000", "PL-STAND", "4.2.7 handle_standings_update")
_PL_RCOMP = Section("000", "PL-RCOMP", "4.2.8 handle_round_completed")
_PL_LCOMP = Section("000", "PL-LCOMP", "4.2.9 handle_league_completed")
_PL_STOP = Section("000", "PL-STOP", "4.2.10 shutdown_gracefully")
_PL_RESP = Section("000", "PL-RESP", "4.3 Responsibilities of the player")
_PL_NOT = Section("000", "PL-NOT", "4.4 What the player does not do")
_PL_FAIL = Section("000", "PL-FAIL", "4.5 Failures in the player")
_CL_INIT = Section("000", "CL-INIT", "5.2.1 initialize")
_CL_SEND = Section("000", "CL-SEND", "5.2.2 send_request")
_CL_NOTE = Section("000", "CL-NOTE", "5.2.3 send_notification")
_CL_FORM = Section("000", "CL-FORM", "5.2.4 format_message")
_CL_VAL = Section("000", "CL-VAL", "5.2.5 validate_response")
_CL_CONV = Section("000", "CL-CONV", "5.2.6 generate_conversation_id")
_CL_TIME = Section("000", "CL-TIME", "5.2.7 set_timeout")
_CL_RESP = Section("000", "CL-RESP", "5.3 Responsibilities of the client")
_CL_NOT = Section("000", "CL-NOT", "5.4 What the client does not do")
_CL_FAIL = Section("000", "CL-FAIL", "5.5 Failures in the client")
_MAP = Section("000", "MAP", "6 Interface mapping and testing")

REQUIREMENTS: tuple[Requirement, ...] = (
    _LM_START(
        1,
        "The manager takes its league id, system settings and league settings from the loaded "
        "configuration and serves them on its configured port, 8000 by default.",
        "tests/league_sdk/settings/test_shipped_files.py::test_the_agents_have_the_ports_names_and_strategies_of_the_documents",
    ),
    _LM_START(
        2,
        "The manager answers protocol messages at the path `/mcp`.",
        "tests/interaction/test_on_the_wire.py::test_a_host_of_any_handshake_revision_can_initialize_list_and_call",
        "tests/interaction/test_on_the_wire.py::test_a_host_of_the_newest_revision_can_discover_list_and_call",
        "tests/interaction/test_on_the_wire.py::test_a_program_without_mcp_can_call_the_tool_as_a_method",
    ),
    _LM_START(
        3,
        "Before it listens, the manager opens its store, its files of standings and rounds, its league "
        "log and its client for outgoing calls.",
        "tests/servers/test_leagues.py::test_what_lies_in_the_folders_afterwards",
        "tests/servers/league_manager/test_ledger.py::test_opening_folds_what_is_stored",
        "tests/servers/test_leagues.py::test_a_manager_cannot_continue_a_league_that_never_was",
    ),
    _LM_START(
        4,
        "A port that somebody else holds ends the start with an error that names the port.",
        "tests/league_sdk/transports/test_http.py::test_a_port_in_use_is_a_clear_error_that_names_it",
    ),
    _LM_START(
        5,
        "A configuration that does not validate ends the start with an error that names file, field, "
        "value and what was expected.",
        "tests/league_sdk/settings/test_reading.py::test_a_message_names_file_field_value_and_what_was_expected",
        "tests/league_sdk/settings/test_loader.py::test_validate_lists_every_problem_of_every_source_at_once",
    ),
    _LM_START(
        6,
        "A store or data folder that cannot be opened ends the start with an error, before anybody can register.",
        "tests/league_sdk/settings/test_paths.py::test_a_folder_that_cannot_be_written_is_named_with_what_to_do",
        "tests/league_sdk/stores/test_sql.py::test_a_file_that_cannot_be_made_is_a_failure_of_the_store",
    ),
    _LM_REF(
        1,
        "A referee registers with display name, version, game types, contact endpoint and how many "
        "matches it can run at once.",
        "tests/league_sdk/protocol/test_registration.py::test_a_referee_takes_one_match_at_least",
    ),
    _LM_REF(
        2,
        "An accepted referee gets the status ACCEPTED, its id, a token and the league's id.",
        "tests/league_sdk/protocol/test_registration.py::test_who_is_accepted_gets_an_id_a_token_and_a_league",
    ),
    _LM_REF(
        3,
        "Every referee gets an id of its own, such as REF01.",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_ids_go_in_order_of_registration",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_reserved_ids_wait_for_their_names",
        decision="0004-ids-reserved-by-name",
        reading="In order of registration, except that a name in the roster has its id reserved.",
    ),
    _LM_REF(
        4,
        "The token comes from a cryptographically secure source.",
        "tests/league_sdk/test_clock.py::TestIds::test_system_ids_are_fresh_uuids_and_long_url_safe_tokens",
    ),
    _LM_REF(
        5,
        "The referee's metadata and endpoint are kept where a restarted manager finds them.",
        "tests/league_sdk/domain/test_league_state.py::test_a_fold_over_what_was_stored_gives_the_same_league",
        decision="0014-config-is-read-only",
        reading="They are kept as events in the store; agents_config.json is read and never rewritten.",
    ),
    _LM_REF(
        6,
        "Each registration is written to the league log.",
        "tests/league_sdk/test_logs.py::test_a_leagues_lines_carry_the_fields_that_are_documented",
    ),
    _LM_REF(
        7,
        "A referee that exceeds the league's number of referees is answered REJECTED, because the league is full.",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_a_full_league_takes_no_more",
        decision="0027-refusals-and-errors",
        reading="REJECTED with reason and error_code, not a JSON-RPC error.",
    ),
    _LM_REF(
        8,
        "A referee whose endpoint cannot be used is answered REJECTED, because of its endpoint.",
        "tests/league_sdk/domain/test_checks.py::test_an_agent_needs_a_name_and_an_address",
        decision="0013-endpoint-checks-at-registration",
        reading="The endpoint's form is checked at registration; an agent that listens only later is let in.",
    ),
    _LM_REF(
        9,
        "A referee that does not know the league's game is answered REJECTED, because of the game.",
        "tests/league_sdk/domain/test_checks.py::test_an_agent_that_does_not_play_the_game_is_refused",
    ),
    _LM_REF(
        10,
        "A referee with a display name that another one has is answered REJECTED, because of the name.",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_a_name_is_taken_once_by_a_player_and_once_by_a_referee",
    ),
    _LM_REF(
        11,
        "Metadata that is incomplete or mistyped is refused, naming the field.",
        "tests/league_sdk/protocol/test_codec.py::test_every_required_field_is_missed_when_it_is_missing",
        "tests/league_sdk/protocol/test_codec.py::test_every_field_is_refused_when_its_type_is_wrong",
        decision="0027-refusals-and-errors",
        reading="A malformed request gets JSON-RPC -32602 and E002 or E003.",
    ),
    _LM_REF(
        12,
        "Referees register only while the league waits for registrations.",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_nobody_registers_once_registration_is_closed",
        "tests/league_sdk/domain/test_league.py::TestReturning::test_an_agent_may_return_at_any_time_with_a_new_token_and_address",
        decision="0025-state-machines",
        reading="Afterwards the answer is REJECTED with E020, except for an agent that returns to its own seat.",
    ),
    _LM_PLAY(
        1,
        "A player registers with a display name, version, game types and contact endpoint.",
        "tests/league_sdk/protocol/test_registration.py::test_a_player_has_to_say_all_about_itself",
    ),
    _LM_PLAY(
        2,
        "An accepted player gets the status ACCEPTED, its id, a token and the league's id.",
        "tests/league_sdk/protocol/test_registration.py::test_who_is_accepted_gets_an_id_a_token_and_a_league",
    ),
    _LM_PLAY(
        3,
        "Players are numbered P01, P02, … in order.",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_ids_go_in_order_of_registration",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_reserved_ids_wait_for_their_names",
        decision="0004-ids-reserved-by-name",
        reading="In order of registration, except that a name in the roster has its id reserved; past 99 "
        "the number widens.",
    ),
    _LM_PLAY(
        4,
        "A player that exceeds the league's number of players is answered REJECTED, because the league is full.",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_a_full_league_takes_no_more",
    ),
    _LM_PLAY(
        5,
        "A display name that another player has is answered REJECTED, because of the name.",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_a_name_is_taken_once_by_a_player_and_once_by_a_referee",
    ),
    _LM_PLAY(
        6,
        "A player whose endpoint cannot be used is answered REJECTED, because of its endpoint.",
        "tests/league_sdk/domain/test_checks.py::test_an_agent_needs_a_name_and_an_address",
        decision="0013-endpoint-checks-at-registration",
        reading="The endpoint's form is checked at registration.",
    ),
    _LM_PLAY(
        7,
        "A player that does not play the league's game is answered REJECTED, because of the game.",
        "tests/league_sdk/domain/test_checks.py::test_an_agent_that_does_not_play_the_game_is_refused",
    ),
    _LM_PLAY(
        8,
        "When the last expected player is in, the schedule is made without anybody asking for it.",
        "tests/league_sdk/domain/test_league.py::TestClosing::test_the_schedule_is_made_when_registration_closes",
        "tests/league_sdk/domain/test_league.py::TestClosing::test_a_quorum_closes_only_when_it_is_there",
    ),
    _LM_PLAY(
        9,
        "A player's metadata, endpoint and token digest survive a restart of the manager.",
        "tests/league_sdk/domain/test_league_state.py::test_a_fold_over_what_was_stored_gives_the_same_league",
        decision="0014-config-is-read-only",
        reading="They are events in the store; agents_config.json is never rewritten.",
    ),
    _LM_PLAY(
        10,
        "Each player's registration is written to the league log.",
        "tests/servers/league_manager/test_league_log.py::test_a_whole_league_is_told_in_order",
        "tests/servers/test_leagues.py::test_what_lies_in_the_folders_afterwards",
    ),
    _LM_SCHED(
        1,
        "In a round-robin every player meets every other exactly once.",
        "tests/league_sdk/domain/test_schedule.py::test_everybody_meets_everybody_else_once",
    ),
    _LM_SCHED(
        2,
        "Nobody has two matches in one round, and with an even number nobody sits out.",
        "tests/league_sdk/domain/test_schedule.py::test_everybody_has_one_match_or_a_bye_in_every_round",
        "tests/league_sdk/domain/test_schedule.py::test_there_are_as_few_rounds_as_can_be",
    ),
    _LM_SCHED(
        3,
        "Matches spread evenly over the referees.",
        "tests/league_sdk/domain/test_schedule.py::test_matches_spread_evenly_over_referees",
    ),
    _LM_SCHED(
        4,
        "Match ids are made of round and match: R1M1, R1M2, R2M1.",
        "tests/league_sdk/domain/test_schedule.py::test_ids_say_round_and_place",
    ),
    _LM_SCHED(
        5,
        "Four players and two referees give exactly the pairings shown in the example.",
        "tests/league_sdk/domain/test_schedule.py::test_four_players_give_the_protocols_table",
        "tests/league_sdk/domain/test_schedule.py::test_four_players_and_two_referees_give_the_documented_assignment",
        decision="0022-ranking-and-pairings",
        reading="Pairings are those of 003; which referee takes which match follows from the even spread.",
    ),
    _LM_SCHED(
        6,
        "The schedule is written to the rounds file and to the league log.",
        "tests/league_sdk/stores/test_json_files.py::test_rounds_carry_the_fields_that_are_documented",
    ),
    _LM_SCHED(
        7,
        "With fewer than two players no schedule is made, and the refusal says how many are missing.",
        "tests/league_sdk/domain/test_schedule.py::test_fewer_than_two_players_are_refused",
        "tests/league_sdk/domain/test_league.py::TestClosing::test_a_league_needs_its_fewest_players_and_a_referee",
    ),
    _LM_SCHED(
        8,
        "With no referee no league starts, and the refusal says so.",
        "tests/league_sdk/domain/test_schedule.py::test_a_schedule_without_referees_is_refused",
        "tests/league_sdk/domain/test_league.py::TestClosing::test_a_league_needs_its_fewest_players_and_a_referee",
    ),
    _LM_SCHED(
        9,
        "Making the schedule ends registration and leads to the running league.",
        "tests/league_sdk/domain/test_lifecycles.py::test_the_straight_way_is_the_protocols",
        "tests/league_sdk/domain/test_league.py::TestStarting::test_a_scheduled_league_starts",
        decision="0025-state-machines",
        reading="The settled league machine has SCHEDULED between waiting and RUNNING.",
    ),
    _LM_ROUND(
        1,
        "A round's announcement names the round and its matches, and goes to every registered player at the same time.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_a_round_is_announced_with_all_its_matches_before_any_of_them_begins",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_a_player_hears_of_rounds_standings_and_the_end_in_order",
        "tests/servers/league_manager/test_broadcast.py::test_everybody_is_told_with_his_own_token_and_after_all_that_is_more_urgent",
    ),
    _LM_ROUND(
        2,
        "The manager waits for each player's acknowledgement for 10 seconds at most.",
        decision="0028-announcements-are-best-effort",
        reading="Each message has its 10 seconds; the round itself begins after a grace of one.",
    ),
    _LM_ROUND(
        3,
        "A player that cannot be reached or does not acknowledge is logged, and the round goes on.",
        "tests/servers/league_manager/test_broadcast.py::test_an_agent_that_cannot_be_told_is_given_up_and_noted",
        "tests/servers/league_manager/test_course.py::TestSlowAndSilentPlayers::test_a_player_who_does_not_hear_holds_up_a_round_no_longer_than_the_grace",
    ),
    _LM_ROUND(
        4,
        "A round that reaches no player at all is an error.",
        decision="0028-announcements-are-best-effort",
        reading="Each player that was not reached is logged as a WARNING and the round goes on, so that "
        "the league always ends: its matches are then decided by technical loss.",
    ),
    _LM_ROUND(
        5,
        "The announcement and who acknowledged it are logged.",
        "tests/servers/test_leagues.py::test_what_lies_in_the_folders_afterwards",
        "tests/clients/test_peer.py::test_a_message_goes_to_its_tool_with_the_peers_token_and_its_answer_comes_back",
    ),
    _LM_RESULT(
        1,
        "A report is accepted only with the reporting referee's token.",
        "tests/servers/league_manager/test_service.py::TestReports::test_a_forged_report_is_refused",
        "tests/security/test_tokens.py::test_a_referee_reports_its_own_matches_only",
    ),
    _LM_RESULT(
        2,
        "A report for a match that does not exist is refused with MATCH_NOT_FOUND.",
        "tests/league_sdk/domain/test_league.py::TestRecording::test_a_match_that_does_not_exist_has_no_result",
    ),
    _LM_RESULT(
        3,
        "A report whose players, winner or points cannot be right is refused.",
        "tests/league_sdk/domain/test_checks.py::test_the_score_has_to_be_the_leagues",
        "tests/league_sdk/domain/test_checks.py::test_a_result_that_does_not_fit_is_refused_by_the_field",
    ),
    _LM_RESULT(
        4,
        "A recorded result gives 3, 1 or 0 points and counts as win, draw or loss in the standings.",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_a_win_gives_the_leagues_points",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_equal_scores_are_a_draw_with_the_leagues_points",
        "tests/league_sdk/domain/test_standings.py::test_a_match_looks_different_from_each_side",
    ),
    _LM_RESULT(
        5,
        "The standings are ranked anew after each result and written to their file.",
        "tests/servers/league_manager/test_service.py::TestReports::test_a_report_is_recorded_and_acknowledged",
        "tests/servers/league_manager/test_league_log.py::test_a_whole_league_is_told_in_order",
        "tests/servers/test_leagues.py::test_what_lies_in_the_folders_afterwards",
    ),
    _LM_RESULT(
        6,
        "The referee gets MATCH_RESULT_ACK once the result is stored.",
        "tests/servers/league_manager/test_service.py::TestReports::test_a_report_is_recorded_and_acknowledged",
        "tests/servers/league_manager/test_ledger.py::test_an_event_is_stored_before_anybody_is_told_of_it",
    ),
    _LM_RESULT(
        7,
        "A second report for a match is refused as a duplicate, or ignored with a warning.",
        "tests/league_sdk/domain/test_league.py::TestRecording::test_the_same_report_again_changes_nothing",
        "tests/league_sdk/domain/test_league.py::TestRecording::test_another_result_for_the_same_match_is_refused",
        decision="0026-duplicate-messages",
        reading="The same content is acknowledged again and changes nothing; different content is "
        "refused with E010 and logged as an ERROR.",
    ),
    _LM_RESULT(
        8,
        "A result that cannot be stored is an error for the reporter, and nothing is acknowledged.",
        "tests/league_sdk/stores/test_sql.py::test_a_full_disk_refuses_the_append_and_keeps_what_there_is",
    ),
    _LM_RESULT(
        9,
        "The last result of a round completes the round and sends the standings.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_the_rounds_come_in_order_and_each_is_complete_before_the_next",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_a_player_hears_of_rounds_standings_and_the_end_in_order",
    ),
    _LM_RESULT(
        10,
        "Results are taken only while the league is running.",
        "tests/league_sdk/domain/test_league.py::test_rounds_and_matches_need_a_running_league",
    ),
    _LM_STAND(
        1,
        "After each round every player gets the standings of that round, all at the same time, with 10 "
        "seconds to acknowledge.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_a_player_hears_of_rounds_standings_and_the_end_in_order",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_standings_are_told_as_they_are_after_the_round",
        "tests/servers/league_manager/test_broadcast.py::test_everybody_is_told_with_his_own_token_and_after_all_that_is_more_urgent",
    ),
    _LM_STAND(
        2,
        "Standings are ordered by points, then wins, then alphabetically.",
        "tests/league_sdk/domain/test_standings.py::test_the_table_agrees_with_the_oracle",
        "tests/league_sdk/domain/test_standings.py::test_more_wins_stand_above_as_many_points_from_draws",
        "tests/league_sdk/domain/test_standings.py::test_head_to_head_decides_among_the_tied_only",
        decision="0022-ranking-and-pairings",
        reading="Points, wins, draws, head-to-head, then player id, as 004 has it.",
    ),
    _LM_STAND(
        3,
        "Ranks start at 1.",
        "tests/league_sdk/domain/test_standings.py::test_players_who_are_equal_in_everything_share_a_rank",
        decision="0022-ranking-and-pairings",
        reading="Players equal in every criterion share a rank.",
    ),
    _LM_STAND(
        4,
        "A player that cannot be reached is logged and left out, and the update goes on.",
        "tests/servers/league_manager/test_broadcast.py::test_an_agent_that_cannot_be_told_is_given_up_and_noted",
        "tests/servers/league_manager/test_broadcast.py::test_each_agent_hears_in_order_and_a_slow_one_only_delays_its_own_messages",
    ),
    _LM_STAND(
        5,
        "A standings file that was damaged does not stop the league.",
        "tests/league_sdk/stores/test_json_files.py::test_files_made_step_by_step_and_from_nothing_are_the_same",
        "tests/league_sdk/stores/test_json_files.py::test_after_rebuilding_updates_go_on",
        decision="0019-events-in-sqlalchemy",
        reading="The file is a projection and is written again from the store.",
    ),
    _LM_RCOMP(
        1,
        "After a round every player hears ROUND_COMPLETED with the next round's number, or null after the last.",
        "tests/league_sdk/protocol/test_rounds.py::test_after_the_last_round_the_next_one_is_null",
        "tests/league_sdk/protocol/test_rounds.py::test_the_next_round_has_to_be_mentioned",
    ),
    _LM_RCOMP(
        2,
        "With a next round that round is announced; without one the league is completed.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_round_completed_names_the_next_round_and_none_after_the_last",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_the_rounds_come_in_order_and_each_is_complete_before_the_next",
    ),
    _LM_RCOMP(
        3,
        "A player that cannot hear it is logged and left out.",
        "tests/servers/league_manager/test_broadcast.py::test_an_agent_that_cannot_be_told_is_given_up_and_noted",
    ),
    _LM_LCOMP(
        1,
        "LEAGUE_COMPLETED carries the final standings, the champion and how many rounds and matches there were.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_league_completed_names_champion_and_final_standings",
    ),
    _LM_LCOMP(
        2,
        "The champion has the most points, then the most wins, then the name that comes first.",
        "tests/league_sdk/domain/test_standings.py::test_the_table_agrees_with_the_oracle",
        "tests/league_sdk/domain/test_standings.py::test_more_wins_stand_above_as_many_points_from_draws",
        "tests/league_sdk/domain/test_standings.py::test_head_to_head_decides_among_the_tied_only",
        "tests/league_sdk/domain/test_standings.py::test_players_who_are_equal_in_everything_share_a_rank",
        "tests/league_sdk/domain/test_league.py::TestCompleting::test_players_who_are_equal_in_everything_are_champions_together",
        decision="0022-ranking-and-pairings",
        reading="The champion is the first of the ranking of 004; players equal in every criterion are "
        "champions together.",
    ),
    _LM_LCOMP(
        3,
        "It goes to all players, waits 10 seconds at most for each, and an unreachable one does not hold it up.",
        "tests/servers/league_manager/test_course.py::TestTheEnd::test_an_agent_that_does_not_hear_the_end_cannot_hold_it_up",
        "tests/servers/league_manager/test_broadcast.py::test_nobody_waits_longer_for_a_silent_agent_than_he_wants_to",
    ),
    _LM_LCOMP(
        4,
        "The final state is stored and logged before the manager prepares to stop.",
        "tests/servers/league_manager/test_course.py::TestTheEnd::test_the_end_is_never_told_before_every_match_is_decided",
        "tests/servers/test_leagues.py::test_what_lies_in_the_folders_afterwards",
    ),
    _LM_QUERY(
        1,
        "A player may ask for the standings at any time while the league runs and after it, and asking "
        "changes nothing.",
        "tests/servers/league_manager/test_asking.py::test_a_player_may_ask_while_the_league_runs_and_after_it_and_changes_nothing",
    ),
    _LM_QUERY(
        2,
        "A query is answered only when the token belongs to the agent that asks.",
        "tests/servers/league_manager/test_service.py::TestWhoMayAsk::test_it_has_to_be_the_senders_own",
        "tests/security/test_tokens.py::test_an_agent_speaks_only_as_itself",
    ),
    _LM_QUERY(
        3,
        "A query from an unknown player is refused.",
        "tests/servers/league_manager/test_asking.py::test_a_player_that_is_not_registered_gets_no_answer",
    ),
    _LM_QUERY(
        4,
        "A query that has nothing to answer with yet gets an empty table, not a failure.",
        "tests/league_sdk/domain/test_standings.py::test_nobody_has_played_yet",
        decision="0028-announcements-are-best-effort",
        reading="Before the first result every player stands with zero matches, so the standings always exist.",
    ),
    _LM_RESP(
        1,
        "The manager is the only source for standings, schedule, round status and the league's state.",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
        "tests/servers/test_contracts.py::test_an_agent_has_exactly_its_tools_and_their_aliases",
    ),
    _LM_RESP(
        2,
        "It keeps every agent's endpoint.",
        "tests/league_sdk/domain/test_league_state.py::test_a_fold_over_what_was_stored_gives_the_same_league",
        "tests/league_sdk/domain/test_league_state.py::test_agents_are_found_by_id_and_by_name",
    ),
    _LM_RESP(
        3,
        "It calculates standings after every match and broadcasts them after every round.",
        decision="0033-one-standings-broadcast-a-round",
        reading="One broadcast a round, when all its matches are decided or void.",
    ),
    _LM_RESP(
        4,
        "It writes all its state to files of standings and rounds.",
        "tests/league_sdk/stores/test_json_files.py::test_files_made_step_by_step_and_from_nothing_are_the_same",
        "tests/league_sdk/stores/test_json_files.py::test_after_rebuilding_updates_go_on",
        decision="0019-events-in-sqlalchemy",
        reading="The event store is the truth; the files are projections of it.",
    ),
    _LM_RESP(
        5,
        "It writes every event of the league to league.log.jsonl.",
        "tests/league_sdk/test_logs.py::test_the_managers_journal_tells_the_agent_log_and_the_league_log",
    ),
    _LM_NOT(
        1,
        "The manager neither runs matches nor knows the rules of a game.",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
        "tests/test_architecture.py::test_no_word_of_a_game_is_spoken_in_league_referee_or_client",
        "tests/test_architecture.py::test_a_word_of_a_game_would_be_found",
    ),
    _LM_NOT(
        2,
        "The manager never decides who won a match; it records what the referee reports.",
        "tests/league_sdk/domain/test_league.py::TestRecording::test_a_result_of_the_assigned_referee_counts",
    ),
    _LM_NOT(
        3,
        "The manager sends no invitations and collects no moves.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_a_player_hears_of_rounds_standings_and_the_end_in_order",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
    ),
    _LM_NOT(
        4,
        "Time limits inside a match are none of the manager's business.",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
    ),
    _LM_NOT(
        5,
        "The manager keeps no match transcripts of its own.",
        "tests/league_sdk/stores/test_json_files.py::test_a_match_carries_the_fields_that_are_documented",
        decision="0012-match-file-by-projection",
        reading="It stores the transcript that the referee's report carries and writes the match file from it.",
    ),
    _LM_NOT(
        6,
        "The manager does not talk to players about a match under way.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_a_player_hears_of_rounds_standings_and_the_end_in_order",
    ),
    _LM_NOT(
        7,
        "The manager changes nothing about a match while a referee plays it.",
        "tests/league_sdk/domain/test_league.py::TestAssigning::test_a_match_is_assigned_and_again_with_the_next_attempt",
        "tests/league_sdk/domain/test_league.py::TestRecording::test_a_result_of_an_earlier_attempt_is_refused",
        decision="0003-one-referee-many-matches",
        reading="An assignment changes only when the referee died or said it cannot play; the new "
        "attempt has a new number.",
    ),
    _LM_FAIL(
        1,
        "Every failure has an error code and a sentence for a person, and is logged.",
        "tests/league_sdk/test_errors.py::test_an_error_without_words_says_its_name",
        "tests/league_sdk/transports/test_jsonrpc.py::test_a_refusal_is_an_error_object_with_number_and_data",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
        decision="0029-typed-exceptions",
        reading="Failures are typed exceptions with a code, not Result values.",
    ),
    _LM_FAIL(
        2,
        "Acknowledgements have 10 seconds, and a missing one is logged and blocks nothing.",
        "tests/servers/league_manager/test_broadcast.py::test_an_agent_that_cannot_be_told_is_given_up_and_noted",
        "tests/servers/league_manager/test_broadcast.py::test_nobody_waits_longer_for_a_silent_agent_than_he_wants_to",
        "tests/servers/league_manager/test_course.py::TestSlowAndSilentPlayers::test_a_player_who_does_not_hear_holds_up_a_round_no_longer_than_the_grace",
    ),
    _LM_FAIL(
        3,
        "A port that is taken or a configuration that is wrong ends the process with an error.",
        "tests/league_sdk/settings/test_reading.py::test_a_message_names_file_field_value_and_what_was_expected",
        "tests/league_sdk/settings/test_loader.py::test_validate_lists_every_problem_of_every_source_at_once",
        "tests/league_sdk/transports/test_http.py::test_a_port_in_use_is_a_clear_error_that_names_it",
    ),
    _LM_FAIL(
        4,
        "Damaged standings are recovered, and the damage is logged.",
        "tests/league_sdk/stores/test_json_files.py::test_files_made_step_by_step_and_from_nothing_are_the_same",
        "tests/league_sdk/stores/test_json_files.py::test_after_rebuilding_updates_go_on",
        "tests/league_sdk/stores/test_repositories.py::test_a_damaged_file_is_named",
        decision="0019-events-in-sqlalchemy",
        reading="They are a projection and are rebuilt from the store.",
    ),
    _REF_START(
        1,
        "A referee listens on its configured port, 8001 or 8002 by default, at `/mcp`, and loads the "
        "rules of the league's game.",
        "tests/league_sdk/settings/test_shipped_files.py::test_the_agents_have_the_ports_names_and_strategies_of_the_documents",
        "tests/servers/test_plan.py::TestPorts::test_they_are_those_of_the_configuration",
        "tests/servers/test_leagues.py::test_four_players_meet_as_the_table_says_and_everything_adds_up",
    ),
    _REF_START(
        2,
        "A started referee registers with the manager and waits for the confirmation.",
        "tests/servers/test_registration.py::test_a_seat_is_taken_and_kept",
        "tests/servers/test_leagues.py::test_four_players_meet_as_the_table_says_and_everything_adds_up",
    ),
    _REF_START(
        3,
        "A port that is taken, rules that cannot be loaded or a refused registration each end the start "
        "with an error of their own.",
        "tests/servers/test_leagues.py::test_a_port_that_is_taken_is_told_in_a_sentence",
        "tests/servers/test_leagues.py::test_an_agent_of_an_unknown_game_says_so",
        "tests/servers/test_registration.py::test_a_refusal_is_final_and_told",
    ),
    _REF_ASSIGN(
        1,
        "A match begins when the referee is given match id, players, league and round.",
        decision="0003-one-referee-many-matches",
        reading="The manager gives it by calling the referee's start_match; ROUND_ANNOUNCEMENT is information.",
    ),
    _REF_ASSIGN(
        2,
        "Both players are invited at once, each told its role and its opponent.",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_both_join_and_both_choose_and_the_game_decides",
    ),
    _REF_ASSIGN(
        3,
        "From the invitation each player has 5 seconds to join.",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_every_call_has_its_own_limit_and_shows_the_players_ticket",
        "tests/servers/referee/test_match_runner.py::TestTechnicalLosses::test_who_does_not_come",
    ),
    _REF_ASSIGN(
        4,
        "A player that cannot be reached loses technically, after up to 3 more tries.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_an_invitation_without_answer_is_sent_again_exactly_as_often_as_allowed",
    ),
    _REF_ASSIGN(
        5,
        "A match that neither player can be reached for is reported as such.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_two_silent_players_both_lose",
        "tests/league_sdk/stores/test_json_files.py::test_a_technical_loss_shows_whose_fault_it_was",
        decision="0006-technical-loss-points",
        reading="It is reported as TECHNICAL_LOSS with 0 points each and no winner.",
    ),
    _REF_JOIN(
        1,
        "When both have joined, both are asked to move; with one, the match keeps waiting.",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_both_join_and_both_choose_and_the_game_decides",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_the_players_are_heard_out_before_anything_is_decided",
    ),
    _REF_JOIN(
        2,
        "A player that declines loses technically at once.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_a_declined_invitation_loses_at_once",
    ),
    _REF_JOIN(
        3,
        "A join acknowledgement for another match or from another player does not count.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_a_second_answer_and_a_stranger_change_nothing",
    ),
    _REF_JOIN(
        4,
        "A second acknowledgement from the same player changes nothing.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_a_second_answer_and_a_stranger_change_nothing",
    ),
    _REF_JOIN(
        5,
        "The request to move carries the player's present standing.",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_a_call_for_a_move_tells_what_the_player_needs_to_know",
    ),
    _REF_JOIN(
        6,
        "Arrival times are recorded with the match.",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_the_times_of_joining_and_of_every_state_are_kept_in_order",
    ),
    _REF_JTIME(
        1,
        "A player that does not join in time gets GAME_ERROR with TIMEOUT_ERROR and the counts of tries, "
        "and is invited again.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_an_invitation_without_answer_is_sent_again_exactly_as_often_as_allowed",
    ),
    _REF_JTIME(
        2,
        "After the last try the late player loses technically and its opponent wins.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_the_opponent_of_who_did_not_join_wins",
    ),
    _REF_JTIME(
        3,
        "A GAME_ERROR that cannot be delivered does not stop the match.",
        "tests/servers/referee/test_match_runner.py::TestTryingAgain::test_a_notice_that_does_not_arrive_holds_nothing_up",
    ),
    _REF_MOVE(
        1,
        "A move counts only for its own match and from a player of that match.",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_a_second_choice_and_a_stranger_change_nothing",
        "tests/league_sdk/domain/test_match.py::TestManyTurns::test_an_answer_to_an_earlier_turn_changes_nothing",
    ),
    _REF_MOVE(
        2,
        "Only `even` and `odd` are moves of Even/Odd.",
        "tests/game_rules/test_even_odd.py::test_anything_but_the_two_words_in_lower_case_is_refused",
    ),
    _REF_MOVE(
        3,
        "Moves and their times are recorded; when both are in, the match is resolved.",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_both_join_and_both_choose_and_the_game_decides",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_the_times_of_joining_and_of_every_state_are_kept_in_order",
    ),
    _REF_MOVE(
        4,
        "An invalid move gets GAME_ERROR and the player is asked again.",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_an_illegal_move_is_refused_and_a_legal_one_still_counts",
        decision="0007-error-codes-and-numbers",
        reading="The code is E004, named INVALID_PARITY_CHOICE in Even/Odd.",
    ),
    _REF_MOVE(
        5,
        "A second move of the same player in one turn.",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_a_second_choice_and_a_stranger_change_nothing",
        decision="0026-duplicate-messages",
        reading="The first one stands and the second is ignored; 000 would take the latest, but a choice "
        "that is in must not depend on what comes later.",
    ),
    _REF_MTIME(
        1,
        "A player that does not move within 30 seconds gets GAME_ERROR naming the missing answer, and is "
        "asked again, up to the configured number of retries.",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_silence_is_asked_again_and_then_loses",
    ),
    _REF_MTIME(
        2,
        "After the last try the late player loses technically and its opponent wins.",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_silence_is_asked_again_and_then_loses",
    ),
    _REF_DRAW(
        1,
        "The number is drawn uniformly from 1 to 10, both included.",
        "tests/game_rules/test_even_odd.py::test_the_number_is_drawn_from_1_to_10_after_both_have_chosen",
        "tests/game_rules/test_even_odd.py::test_every_number_comes_up_about_as_often_as_any_other",
    ),
    _REF_DRAW(
        2,
        "Even numbers have parity `even`, all others `odd`.",
        "tests/game_rules/test_even_odd.py::test_the_winner_of_every_pair_of_choices_and_every_number",
    ),
    _REF_DRAW(
        3,
        "When both are right or both are wrong it is a draw.",
        "tests/game_rules/test_even_odd.py::test_equal_choices_are_a_draw_whether_they_were_right_or_wrong",
        decision="0005-same-choice-is-a-draw",
        reading="Equal choices are a draw whatever the number, which is the same.",
    ),
    _REF_DRAW(
        4,
        "When one is right and the other wrong, the one who is right wins.",
        "tests/game_rules/test_even_odd.py::test_the_winner_of_every_pair_of_choices_and_every_number",
    ),
    _REF_DRAW(
        5,
        "A result carries its status, the winner or null, the number, its parity, the choices and a "
        "reason a person understands.",
        "tests/game_rules/test_even_odd.py::test_the_result_says_all_that_the_protocol_wants_to_know",
    ),
    _REF_DRAW(
        6,
        "A failing number generator is tried again and finally makes a draw.",
        decision="0005-same-choice-is-a-draw",
        reading="The generator is a hash of the match's seed and cannot fail, so there is nothing to fall back to.",
    ),
    _REF_REPORT(
        1,
        "Both players get GAME_OVER with the whole result and 10 seconds to acknowledge; one that does "
        "not acknowledge holds nothing up.",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_different_choices_have_a_winner_with_three_points",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_every_call_has_its_own_limit_and_shows_the_players_ticket",
        "tests/servers/referee/test_match_runner.py::TestTechnicalLosses::test_a_player_who_does_not_listen_to_the_result_changes_nothing",
    ),
    _REF_REPORT(
        2,
        "After GAME_OVER the manager gets MATCH_RESULT_REPORT.",
        "tests/servers/referee/test_match_runner.py::TestTheReport::test_it_comes_after_the_players_were_told",
    ),
    _REF_REPORT(
        3,
        "A report that is not acknowledged within 10 seconds is sent again, up to 3 times.",
        decision="0023-time-limits-and-retries",
        reading="It is sent again until the manager takes or refuses it, with growing pauses: no result "
        "is lost because a manager was restarted.",
    ),
    _REF_REPORT(
        4,
        "When no report gets through, the referee logs a critical error and is free again.",
        decision="0023-time-limits-and-retries",
        reading="Each failure is logged and the report is kept up; the other matches of the referee go on meanwhile.",
    ),
    _REF_REPORT(
        5,
        "The whole match is written to its file when the report is acknowledged.",
        "tests/league_sdk/stores/test_json_files.py::test_a_match_carries_the_fields_that_are_documented",
        decision="0012-match-file-by-projection",
        reading="The manager's projection writes it from the report.",
    ),
    _REF_RESET(
        1,
        "After a match nothing of it is left behind that another match could see, and the referee is "
        "free for the next.",
        "tests/servers/referee/test_service.py::TestStartingAMatch::test_no_more_matches_than_it_takes",
        "tests/servers/referee/test_service.py::TestStartingAMatch::test_the_next_attempt_is_another_match",
        "tests/servers/referee/test_service.py::TestIsolation::test_a_broken_match_can_be_asked_about_and_gives_its_place_free",
    ),
    _REF_RESP(
        1,
        "The referee alone knows the state of a match, the moves and the result until it is reported.",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_nobody_is_shown_a_choice_before_both_have_chosen",
    ),
    _REF_RESP(
        2,
        "The referee takes a match through all its states, from the invitation to the report.",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_both_join_and_both_choose_and_the_game_decides",
        "tests/league_sdk/domain/test_lifecycles.py::test_the_straight_way_is_the_protocols",
    ),
    _REF_RESP(
        3,
        "Every message and event of a match is in the referee's log.",
        "tests/servers/test_agent.py::test_both_ways_are_written_down_without_secrets",
        "tests/clients/test_peer.py::test_a_message_goes_to_its_tool_with_the_peers_token_and_its_answer_comes_back",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_the_course_is_noted_with_its_times",
    ),
    _REF_NOT(
        1,
        "A referee runs one match at a time.",
        decision="0003-one-referee-many-matches",
        reading="It runs up to max_concurrent_matches, each isolated from the others; 002 and 001 say so.",
    ),
    _REF_NOT(
        2,
        "A referee knows neither standings nor ranking nor rounds nor schedules.",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
    ),
    _REF_NOT(
        3,
        "A referee registers nobody and announces no rounds.",
        "tests/servers/test_contracts.py::test_an_agent_has_exactly_its_tools_and_their_aliases",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_a_player_is_invited_asked_and_told",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
    ),
    _REF_NOT(
        4,
        "A referee talks to the manager to register and to report, and about nothing else.",
        decision="0003-one-referee-many-matches",
        reading="It may also ask LEAGUE_QUERY, as 003 says.",
    ),
    _REF_NOT(
        5,
        "A referee keeps no history of players and has no strategy.",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
    ),
    _REF_FAIL(
        1,
        "Join and move limits lead to technical losses; late acknowledgements of GAME_OVER are logged "
        "and nothing more.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_the_opponent_of_who_did_not_join_wins",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_silence_is_asked_again_and_then_loses",
    ),
    _REF_FAIL(
        2,
        "There are at most 3 retries, with growing pauses.",
        "tests/clients/test_retry.py::test_waits_double_up_to_the_cap_and_are_announced",
        "tests/clients/test_peer.py::test_a_passing_failure_is_tried_again",
        "tests/clients/test_peer.py::test_the_failure_comes_out_when_the_tries_are_used_up",
        decision="0023-time-limits-and-retries",
        reading="Growing pauses with full jitter are the rule between calls; the numbers come from the configuration.",
    ),
    _REF_FAIL(
        3,
        "One unreachable player costs that player the match, and the match is still finished and reported.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_the_opponent_of_who_did_not_join_wins",
    ),
    _PL_START(
        1,
        "A player listens on its configured port, 8101 to 8104 by default, at `/mcp`, with its strategy, "
        "history, log and client ready.",
        "tests/league_sdk/settings/test_shipped_files.py::test_the_agents_have_the_ports_names_and_strategies_of_the_documents",
        "tests/servers/test_plan.py::TestPorts::test_they_are_those_of_the_configuration",
        "tests/servers/test_leagues.py::test_four_players_meet_as_the_table_says_and_everything_adds_up",
        "tests/servers/test_leagues.py::test_what_lies_in_the_folders_afterwards",
    ),
    _PL_START(
        2,
        "A started player registers, waits for the answer and keeps its id and token.",
        "tests/servers/test_registration.py::test_a_seat_is_taken_and_kept",
        "tests/servers/test_seat.py::TestTheCredentialsFile::test_they_come_back_as_they_were",
    ),
    _PL_START(
        3,
        "A player's earlier history is loaded at the start.",
        "tests/league_sdk/stores/test_player_history.py::test_what_strategies_see_comes_back_as_it_was_remembered",
    ),
    _PL_START(
        4,
        "A port that is taken and a registration that is refused each end the start with an error that "
        "gives the reason.",
        "tests/servers/player/test_runtime.py::test_a_port_in_use_ends_in_a_sentence_that_names_it",
        "tests/servers/test_leagues.py::test_a_player_that_is_refused_says_why_and_fails",
    ),
    _PL_START(
        5,
        "A manager that is not there yet is tried again.",
        decision="0015-start-order-is-free",
        reading="It is waited for, without a limit of three, because agents may be started in any order.",
    ),
    _PL_ROUND(
        1,
        "A player finds its own matches in the announcement, remembers opponent and referee, and "
        "acknowledges within 10 seconds.",
        decision="0030-interfaces-are-duties",
        reading="It acknowledges; opponent, round and role come with the invitation, so nothing has to "
        "be remembered before it.",
    ),
    _PL_ROUND(
        2,
        "A round without a match for the player is acknowledged too.",
        "tests/servers/player/test_service.py::TestTheCourseOfTheLeague::test_it_becomes_active_with_the_first_round_and_ends_with_the_league",
    ),
    _PL_ROUND(
        3,
        "An announcement of another league is not taken for one's own.",
        decision="0016-tokens",
        reading="It is refused with an error rather than ignored: a caller without this league's token gets E012.",
    ),
    _PL_INV(
        1,
        "An invitation is answered with GAME_JOIN_ACK, accepting, with the time of arrival, within 5 seconds.",
        "tests/servers/player/test_service.py::TestInvitations::test_an_invitation_is_accepted_at_once",
        "tests/servers/test_leagues.py::test_four_players_meet_as_the_table_says_and_everything_adds_up",
    ),
    _PL_INV(
        2,
        "A player always accepts an invitation to a match of its own.",
        "tests/servers/player/test_service.py::TestInvitations::test_an_invitation_is_accepted_at_once",
        "tests/servers/player/test_service.py::TestInvitations::test_the_same_invitation_again_is_accepted_again",
    ),
    _PL_INV(
        3,
        "Invitations from somebody who is not the referee of the match are turned away.",
        decision="0016-tokens",
        reading="000 would accept in every case to avoid a technical loss; a forged invitation must not "
        "move the player's state.",
    ),
    _PL_CALL(
        1,
        "A call for a move asks the strategy, with opponent, round and standing, and answers with the "
        "move within 30 seconds.",
        "tests/servers/player/test_service.py::TestMoves::test_the_strategy_chooses",
        "tests/servers/player/test_service.py::TestWhatAStrategyIsTold::test_all_that_the_referee_says",
        "tests/servers/player/test_service.py::TestWhatAStrategyIsTold::test_the_last_standings",
        "tests/servers/player/test_service.py::TestAStrategyThatFails::test_the_fallback_plays_and_says_why",
    ),
    _PL_CALL(
        2,
        "What the strategy returns is checked to be a legal move before it is sent.",
        "tests/servers/player/strategies/test_fallback.py::test_an_illegal_move_is_replaced",
    ),
    _PL_CALL(
        3,
        "A strategy that fails is replaced by a fallback choice.",
        "tests/servers/player/strategies/test_fallback.py::test_a_strategy_that_raises_is_replaced",
        "tests/servers/player/strategies/test_fallback.py::test_the_fallback_chooses",
        "tests/servers/player/strategies/test_fallback.py::test_when_the_fallback_fails_as_well_the_first_legal_move_is_played",
        decision="0035-fallback-moves",
        reading="The fallback is a legal move of the game that is played; `even` is such a move.",
    ),
    _PL_CALL(
        4,
        "A strategy that takes too long is cancelled and the fallback is sent in time.",
        "tests/servers/player/strategies/test_fallback.py::test_a_plain_strategy_that_blocks_is_replaced_and_does_not_freeze_the_loop",
        "tests/servers/player/strategies/test_fallback.py::test_an_async_strategy_that_is_late_is_cancelled",
    ),
    _PL_CALL(
        5,
        "A move that the player chose is written to its log.",
        "tests/servers/player/test_duties.py::test_a_move_stands_in_its_log",
    ),
    _PL_STRAT(
        1,
        "There are strategies that choose at random and strategies that look for patterns in the opponent's past.",
        "tests/servers/player/strategies/test_every_strategy.py::test_the_strategies_that_are_promised_are_there",
        "tests/servers/player/strategies/test_tables.py::test_random_takes_every_move_about_equally_often",
        "tests/servers/player/strategies/test_tables.py::test_pattern_plays_the_counter_of_what_followed_before",
    ),
    _PL_STRAT(
        2,
        "A strategy that uses a trained model.",
        "tests/servers/player/test_choosing.py::TestWithEveryProvider::test_a_good_answer_is_played_and_counted",
        "tests/servers/cli/test_language_models.py::TestALeague::test_the_model_plays_and_what_it_took_is_shown_and_kept",
        decision="0050-players-with-a-language-model",
        reading="A language model of any provider; and any function can be a strategy.",
    ),
    _PL_STRAT(
        3,
        "A strategy decides from opponent, standing, round and its own history.",
        "tests/servers/player/strategies/test_tables.py::test_frequency_counts_this_match_and_earlier_ones_together",
        "tests/servers/player/strategies/test_tables.py::test_pattern_reads_on_across_matches",
    ),
    _PL_OVER(
        1,
        "The player counts a win, a draw, a loss or a technical loss for itself from GAME_OVER.",
        decision="0006-technical-loss-points",
        reading="A technical loss counts as a loss in its own history, as in the standings.",
    ),
    _PL_OVER(
        2,
        "The player's history file gets match, opponent, result, moves and number after each match.",
        "tests/league_sdk/stores/test_player_history.py::test_a_history_carries_the_fields_that_are_documented",
    ),
    _PL_OVER(
        3,
        "GAME_OVER is acknowledged even when the history cannot be written, and the failure is logged.",
        "tests/servers/player/test_memory.py::test_a_memory_that_cannot_be_written_is_logged_and_the_result_acknowledged",
    ),
    _PL_STAND(
        1,
        "The last standings are kept for the strategy, and acknowledged.",
        "tests/servers/player/test_service.py::TestWhatAStrategyIsTold::test_the_last_standings",
        "tests/servers/player/test_service.py::TestTheCourseOfTheLeague::test_standings_are_acknowledged",
    ),
    _PL_RCOMP(
        1,
        "ROUND_COMPLETED is acknowledged and logged, whether another round follows or not.",
        "tests/servers/player/test_duties.py::test_whatever_it_hears_is_acknowledged_and_both_stand_in_its_log",
    ),
    _PL_LCOMP(
        1,
        "LEAGUE_COMPLETED is acknowledged and logged, and the player gets ready to stop.",
        "tests/servers/player/test_duties.py::test_whatever_it_hears_is_acknowledged_and_both_stand_in_its_log",
        "tests/servers/player/test_duties.py::test_the_champion_stands_in_its_log",
        "tests/servers/player/test_service.py::TestTheCourseOfTheLeague::test_it_becomes_active_with_the_first_round_and_ends_with_the_league",
    ),
    _PL_STOP(
        1,
        "A player that stops closes its server and files, flushes its log and ends cleanly.",
        "tests/servers/test_processes.py::TestLivingAsAChild::test_it_ends_on_a_signal",
        "tests/servers/test_processes.py::TestLivingAsAChild::test_it_reports_and_ends_when_it_is_told_to",
        "tests/league_sdk/test_logs.py::test_the_end_of_the_interpreter_loses_nothing",
    ),
    _PL_RESP(
        1,
        "A player acknowledges every message within its time limit.",
        "tests/servers/player/test_duties.py::test_whatever_it_hears_is_acknowledged_and_both_stand_in_its_log",
    ),
    _PL_RESP(
        2,
        "A player takes a technical loss like any other result and plays on.",
        "tests/servers/player/test_duties.py::test_a_technical_loss_is_a_result_like_others_and_the_next_match_is_played",
    ),
    _PL_RESP(
        3,
        "A player logs everything it hears and says.",
        "tests/servers/test_agent.py::test_both_ways_are_written_down_without_secrets",
        "tests/clients/test_peer.py::test_a_message_goes_to_its_tool_with_the_peers_token_and_its_answer_comes_back",
    ),
    _PL_RESP(
        4,
        "A player's own history and statistics are its own: nobody else writes them.",
        "tests/league_sdk/stores/test_player_history.py::test_a_folder_that_is_anothers_is_left_alone",
    ),
    _PL_NOT(
        1,
        "A player runs no matches, enforces no rules and draws no numbers.",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
    ),
    _PL_NOT(
        2,
        "A player calls the manager and nobody else; it never calls another player.",
        decision="0024-replies-are-results",
        reading="A player's answers travel back as results of the referee's calls.",
    ),
    _PL_NOT(
        3,
        "A player cannot register others, change the league or read what other players know.",
        "tests/security/test_tokens.py::test_a_player_may_ask_and_nothing_else",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
    ),
    _PL_FAIL(
        1,
        "Missing an acknowledgement that is not a join or a move costs no match.",
        "tests/servers/referee/test_match_runner.py::TestTechnicalLosses::test_a_player_who_does_not_listen_to_the_result_changes_nothing",
        "tests/servers/league_manager/test_course.py::TestSlowAndSilentPlayers::test_a_player_who_does_not_hear_holds_up_a_round_no_longer_than_the_grace",
    ),
    _PL_FAIL(
        2,
        "A history that cannot be written and standings that cannot be read are logged, and the player goes on.",
        "tests/league_sdk/stores/test_player_history.py::test_somebodys_damaged_history_stops_nobody_and_is_told",
    ),
    _PL_FAIL(
        3,
        "A strategy runs inside a time limit, and whatever it does a move leaves in time.",
        "tests/servers/player/strategies/test_fallback.py::test_a_plain_strategy_that_blocks_is_replaced_and_does_not_freeze_the_loop",
        "tests/servers/player/strategies/test_fallback.py::test_an_async_strategy_that_is_late_is_cancelled",
        "tests/servers/player/strategies/test_fallback.py::test_a_strategy_that_raises_is_replaced",
    ),
    _CL_INIT(
        1,
        "The client is set up with protocol version and default time limits, and numbers its requests "
        "and conversations itself.",
        "tests/league_sdk/protocol/test_envelope.py::test_a_new_message_gets_time_and_conversation",
        "tests/league_sdk/transports/test_jsonrpc.py::test_a_call_is_posted_and_its_result_is_the_reply",
    ),
    _CL_SEND(
        1,
        "A request is a JSON-RPC 2.0 object with jsonrpc, method, params and an id of its own, sent by "
        "POST with a JSON content type.",
        "tests/league_sdk/transports/test_jsonrpc.py::test_a_call_is_posted_and_its_result_is_the_reply",
    ),
    _CL_SEND(
        2,
        "An unreachable endpoint, a connection limit, a response limit, broken JSON, a JSON-RPC error "
        "and an HTTP error are each told apart.",
        "tests/clients/test_peer.py::test_a_passing_failure_is_tried_again",
        "tests/clients/test_peer.py::test_the_failure_comes_out_when_the_tries_are_used_up",
        "tests/clients/test_peer.py::test_a_reply_that_does_not_fit_is_malformed_and_not_asked_for_again",
        "tests/clients/test_peer.py::test_a_refusal_becomes_the_error_that_it_stands_for_and_is_not_tried_again",
        "tests/clients/test_session_manager.py::test_everybody_waiting_hears_that_nobody_is_there_and_the_next_call_tries_again",
        "tests/clients/test_session_manager.py::test_a_handshake_that_takes_too_long_is_unreachable",
        "tests/league_sdk/transports/test_jsonrpc.py::test_nobody_is_unreachable",
        "tests/league_sdk/transports/test_jsonrpc.py::test_no_answer_in_time_is_a_timeout",
        "tests/league_sdk/transports/test_jsonrpc.py::test_what_is_no_reply_is_malformed",
        "tests/league_sdk/transports/test_jsonrpc.py::test_an_error_object_is_a_refusal_whatever_the_http_status",
    ),
    _CL_SEND(
        3,
        "Each call has its own time limit or the default one.",
        "tests/league_sdk/transports/test_jsonrpc.py::test_no_answer_in_time_is_a_timeout",
    ),
    _CL_NOTE(
        1,
        "A notification has no id and no answer.",
        "tests/league_sdk/transports/test_jsonrpc.py::test_a_notification_is_carried_out_and_gets_no_body",
        decision="0024-replies-are-results",
        reading="The protocol has none: every message is acknowledged, so the client sends requests "
        "only; MCP's own notifications are the SDK's affair. A server still accepts bare "
        "JSON-RPC notifications.",
    ),
    _CL_FORM(
        1,
        "Protocol, message type, sender, UTC time and conversation id are filled into every outgoing message.",
        "tests/league_sdk/protocol/test_envelope.py::test_a_new_message_gets_time_and_conversation",
    ),
    _CL_FORM(
        2,
        "A failing clock is replaced by a fall-back time.",
        decision="0029-typed-exceptions",
        reading="A wrong time would be worse than none; there is no silent fall-back.",
    ),
    _CL_VAL(
        1,
        "An answer must be a well-formed reply of the expected type, otherwise the caller gets an error "
        "that says what is wrong.",
        "tests/clients/test_peer.py::test_a_reply_that_does_not_fit_is_malformed_and_not_asked_for_again",
        "tests/clients/test_peer.py::test_a_message_goes_to_its_tool_with_the_peers_token_and_its_answer_comes_back",
    ),
    _CL_CONV(
        1,
        "Conversation ids are unique.",
        "tests/league_sdk/test_clock.py::TestIds::test_system_ids_are_fresh_uuids_and_long_url_safe_tokens",
        decision="0011-identifiers",
        reading="They are UUIDs; any text is read.",
    ),
    _CL_TIME(
        1,
        "Default time limits come from the settings and hold for all calls that give none.",
        "tests/league_sdk/settings/test_loader.py::test_limits_that_nobody_sets_are_those_in_code",
        decision="0030-interfaces-are-duties",
        reading="They are given when the client is built; changing them afterwards is not possible, so "
        "no call depends on another.",
    ),
    _CL_RESP(
        1,
        "Every call that goes out and every answer that comes in is logged.",
        "tests/clients/test_peer.py::test_a_message_goes_to_its_tool_with_the_peers_token_and_its_answer_comes_back",
        "tests/clients/test_peer.py::test_a_refusal_becomes_the_error_that_it_stands_for_and_is_not_tried_again",
    ),
    _CL_RESP(
        2,
        "Network failures reach the caller as typed errors and break nothing else.",
        "tests/clients/test_peer.py::test_a_passing_failure_is_tried_again",
        "tests/clients/test_peer.py::test_the_failure_comes_out_when_the_tries_are_used_up",
        "tests/clients/test_session_manager.py::test_an_unforeseen_error_of_a_transport_is_logged_and_is_our_fault",
    ),
    _CL_NOT(
        1,
        "The client holds no business logic, no agent state and no word of any game.",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
        "tests/test_architecture.py::test_no_word_of_a_game_is_spoken_in_league_referee_or_client",
        "tests/test_architecture.py::test_a_word_of_a_game_would_be_found",
    ),
    _CL_NOT(
        2,
        "The client decides neither recipients nor payloads; it sends what it is given, and adds only "
        "the token meant for that peer.",
        "tests/clients/test_peer.py::test_without_a_token_none_is_shown",
        "tests/clients/test_peer.py::test_a_token_that_is_there_already_is_kept",
    ),
    _CL_NOT(
        3,
        "The client repeats calls for network reasons only.",
        "tests/clients/test_peer.py::test_a_refusal_becomes_the_error_that_it_stands_for_and_is_not_tried_again",
        "tests/clients/test_peer.py::test_a_passing_failure_is_tried_again",
        "tests/clients/test_peer.py::test_the_failure_comes_out_when_the_tries_are_used_up",
    ),
    _CL_FAIL(
        1,
        "Retries for passing failures back off exponentially and are limited by the configuration.",
        "tests/clients/test_retry.py::test_waits_double_up_to_the_cap_and_are_announced",
        "tests/clients/test_peer.py::test_a_passing_failure_is_tried_again",
        "tests/clients/test_peer.py::test_the_failure_comes_out_when_the_tries_are_used_up",
    ),
    _MAP(
        1,
        "Interfaces live in agents/league_manager, agents/referee_REF01, agents/player_P01 and "
        "SHARED/league_sdk/mcp_client.py.",
        decision="0001-folder-layout",
        reading="The tree is league_sdk, servers, clients, game_rules; one package serves every agent of a role.",
    ),
    _MAP(
        2,
        "Agents depend on interfaces (calls, store, log, rules, strategy), so each can be tested alone with fakes.",
        "tests/test_architecture.py::test_imports_keep_every_contract",
    ),
    _MAP(
        3,
        "Every public method of the four interfaces exists under its name.",
        decision="0030-interfaces-are-duties",
        reading="The interfaces are read as duties; the messages and services that carry them out are "
        "named in docs/ARCHITECTURE.md.",
    ),
    _MAP(4, "Methods return Result values.", decision="0029-typed-exceptions", reading="They raise typed errors."),
    _MAP(
        5,
        "Methods check that the present state allows them.",
        "tests/league_sdk/domain/test_lifecycles.py::test_every_pair_of_state_and_trigger_is_either_in_the_table_or_refused",
        "tests/league_sdk/domain/test_machine.py::test_it_refuses_what_the_table_lacks_and_says_what_is_allowed",
    ),
    _MAP(
        6,
        "Every documented failure and time limit has a test, at the level of units and of whole interactions.",
        "tests/faults/test_players.py::test_a_player_that",
        "tests/faults/test_players.py::test_a_player_that_does_another_thing_in_each_match",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_every_call_has_its_own_limit_and_shows_the_players_ticket",
    ),
    _MAP(
        7,
        "Everything conforms to the message contracts.",
        "tests/league_sdk/protocol/test_schema.py::test_every_schema_is_a_schema_of_an_object",
        "tests/league_sdk/protocol/test_codec.py::test_what_the_schema_allows_is_what_is_read",
        "tests/league_sdk/protocol/test_codec.py::test_every_required_field_is_missed_when_it_is_missing",
        "tests/league_sdk/protocol/test_codec.py::test_every_field_is_refused_when_its_type_is_wrong",
    ),
)
