"""Requirements from Architecture design (001), in our own words."""

from tests.requirements.model import Requirement, Section

_PRIN = Section("001", "PRIN", "1.2 Design principles")
_LAYER = Section("001", "LAYER", "2 Architecture layers")
_COMP = Section("001", "COMP", "3 Component design")
_ENV = Section("001", "ENV", "4.1 Message envelope")
_RPC = Section("001", "RPC", "4.2 JSON-RPC")
_FLOW = Section("001", "FLOW", "4.3 Message flow")
_TIME = Section("001", "TIME", "4.4 Time limits")
_DIR = Section("001", "DIR", "5.1 Directories")
_CONF = Section("001", "CONF", "5.2 Configuration schema")
_DATA = Section("001", "DATA", "5.3 Runtime data")
_STATE = Section("001", "STATE", "6 State machines")
_ERR = Section("001", "ERR", "7 Error handling")
_SEC = Section("001", "SEC", "8 Security")
_DEP = Section("001", "DEP", "9 Deployment")
_API = Section("001", "API", "10 API")
_PERF = Section("001", "PERF", "11 Performance")
_FUT = Section("001", "FUT", "12 Future enhancements")

REQUIREMENTS: tuple[Requirement, ...] = (
    _PRIN(
        1,
        "Orchestration, refereeing and play are three separate layers.",
        "tests/test_architecture.py::test_imports_keep_every_contract",
        "tests/test_architecture.py::test_a_part_knows_nothing_of_what_is_none_of_its_business",
    ),
    _PRIN(
        2,
        "All communication goes by league.v2.",
        "tests/league_sdk/protocol/test_codec.py::test_another_protocol_is_e018_whatever_else_is_wrong",
    ),
    _PRIN(
        3,
        "Agents keep their state in SHARED/data.",
        decision="0019-events-in-sqlalchemy",
        reading="Each agent owns what it stores; the manager's truth is its event store, and the files "
        "under data/ are projections.",
    ),
    _PRIN(
        4,
        "What agents do is set by JSON configuration.",
        "tests/league_sdk/settings/test_loader.py::test_the_rules_take_everything_from_the_configuration",
    ),
    _PRIN(
        5,
        "Time limits, retries and circuit breakers are used on every outgoing call.",
        "tests/clients/test_peer.py::test_a_passing_failure_is_tried_again",
        "tests/clients/test_peer.py::test_the_failure_comes_out_when_the_tries_are_used_up",
        "tests/clients/test_peer.py::test_a_peer_that_fails_too_often_is_not_called_for_a_while",
    ),
    _PRIN(
        6,
        "Everything is logged as JSONL.",
        "tests/league_sdk/test_logs.py::test_every_value_makes_exactly_one_line_of_ascii",
        "tests/league_sdk/test_logs.py::test_a_leagues_lines_carry_the_fields_that_are_documented",
        "tests/league_sdk/test_logs.py::test_an_agents_lines_carry_the_fields_that_are_documented",
    ),
    _LAYER(
        1,
        "The manager keeps the registry, makes the schedule, holds the standings, announces rounds and "
        "names the champion.",
        "tests/servers/test_leagues.py::test_four_players_meet_as_the_table_says_and_everything_adds_up",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_the_rounds_come_in_order_and_each_is_complete_before_the_next",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_league_completed_names_champion_and_final_standings",
    ),
    _LAYER(
        2,
        "A referee runs matches, applies the game's rules through the game's module, keeps time and "
        "records the transcript.",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_both_join_and_both_choose_and_the_game_decides",
        "tests/game_rules/test_every_game.py::test_a_game_keeps_its_contract",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_the_times_of_joining_and_of_every_state_are_kept_in_order",
    ),
    _LAYER(
        3,
        "A player executes its strategy in time, remembers its matches and learns from opponents.",
        "tests/servers/player/strategies/test_fallback.py::test_a_plain_strategy_that_blocks_is_replaced_and_does_not_freeze_the_loop",
        "tests/servers/player/strategies/test_fallback.py::test_an_async_strategy_that_is_late_is_cancelled",
        "tests/servers/player/strategies/test_tables.py::test_pattern_reads_on_across_matches",
    ),
    _LAYER(
        4,
        "Standings, rounds and the league log belong to the manager; the match file to the referee; the "
        "history to the player.",
        "tests/league_sdk/stores/test_json_files.py::test_a_match_carries_the_fields_that_are_documented",
        "tests/league_sdk/stores/test_json_files.py::test_standings_carry_the_fields_that_are_documented",
        "tests/league_sdk/stores/test_player_history.py::test_a_history_carries_the_fields_that_are_documented",
        decision="0012-match-file-by-projection",
        reading="The match file is written by the manager's projection from what the referee reports.",
    ),
    _COMP(
        1,
        "Each agent serves HTTP with FastAPI.",
        decision="0009-starlette-instead-of-fastapi",
        reading="The MCP SDK on Starlette and uvicorn takes its place.",
    ),
    _COMP(
        2,
        "Each message type is routed to its handler by a table.",
        "tests/league_sdk/protocol/test_catalog.py::test_a_message_finds_its_tool",
    ),
    _COMP(
        3,
        "Messages are sent to many agents in parallel.",
        "tests/servers/league_manager/test_broadcast.py::test_each_agent_hears_in_order_and_a_slow_one_only_delays_its_own_messages",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_both_are_asked_at_once_and_nobody_before_both_are_there",
    ),
    _COMP(
        4,
        "The game logic is a module of its own that draws and decides.",
        "tests/game_rules/test_even_odd.py::test_the_number_is_drawn_from_1_to_10_after_both_have_chosen",
        "tests/game_rules/test_even_odd.py::test_the_winner_of_every_pair_of_choices_and_every_number",
    ),
    _COMP(
        5,
        "Strategies are random, pattern-based and, as an option, driven by a language model.",
        "tests/servers/player/strategies/test_every_strategy.py::test_the_strategies_that_are_promised_are_there",
        "tests/servers/player/strategies/test_llm.py::test_the_model_is_told_the_rules_and_shown_what_there_is_to_choose_from",
        decision="0050-players-with-a-language-model",
        reading="The language model comes with an extra, since most players do without.",
    ),
    _COMP(
        6,
        "A player keeps wins, losses, draws, points, opponents' patterns and its win rate.",
        "tests/league_sdk/stores/test_player_history.py::test_a_history_carries_the_fields_that_are_documented",
    ),
    _COMP(
        7,
        "Every message type is a typed pydantic model.",
        "tests/league_sdk/protocol/test_codec.py::test_every_message_type_is_known_by_name",
        "tests/league_sdk/protocol/test_codec.py::test_every_message_survives_being_written_and_read",
    ),
    _COMP(
        8,
        "ConfigLoader loads system, agents, leagues and games lazily, caches them, and finds a referee "
        "or player by id.",
        "tests/league_sdk/settings/test_loader.py::test_a_file_is_read_only_when_it_is_asked_for",
        "tests/league_sdk/settings/test_loader.py::test_a_file_is_read_once",
        "tests/league_sdk/settings/test_loader.py::test_the_agents_are_read_once_too",
        "tests/league_sdk/settings/test_loader.py::test_agents_are_found_by_id",
        "tests/league_sdk/settings/test_loader.py::test_an_unknown_agent_is_a_value_error_that_names_those_that_are_known",
    ),
    _COMP(
        9,
        "JsonLogger has debug, info, warning, error, log_message_sent and log_message_received.",
        "tests/league_sdk/test_logs.py::test_a_components_lines_carry_their_details_beside_the_fixed_fields",
        "tests/league_sdk/test_logs.py::test_the_systems_log_has_a_folder_of_its_own",
    ),
    _COMP(
        10,
        "The client retries with exponential backoff and has a circuit breaker.",
        "tests/clients/test_peer.py::test_a_passing_failure_is_tried_again",
        "tests/clients/test_peer.py::test_the_failure_comes_out_when_the_tries_are_used_up",
        "tests/clients/test_peer.py::test_a_peer_that_fails_too_often_is_not_called_for_a_while",
        "tests/clients/test_retry.py::test_waits_double_up_to_the_cap_and_are_announced",
    ),
    _COMP(
        11,
        "Repositories read and write standings, rounds, matches and player histories.",
        "tests/league_sdk/stores/test_repositories.py::test_missing_files_read_as_empty",
        "tests/league_sdk/stores/test_repositories.py::test_standings_are_counted_and_ranked_again",
        "tests/league_sdk/stores/test_repositories.py::test_a_round_is_added_once",
        "tests/league_sdk/stores/test_repositories.py::test_matches_are_saved_got_and_listed_in_order",
    ),
    _ENV(
        1,
        "Every message has protocol, message_type, sender, timestamp and conversation_id, and auth_token "
        "once registered.",
        "tests/league_sdk/protocol/test_envelope.py::test_a_request_needs_its_whole_envelope",
        "tests/league_sdk/protocol/test_envelope.py::test_a_new_message_gets_time_and_conversation",
    ),
    _ENV(
        2,
        "Senders are written as type and id; the manager signs with its id.",
        "tests/league_sdk/protocol/test_envelope.py::test_an_id_of_the_league_manager_is_read_and_never_written",
        "tests/league_sdk/protocol/test_envelope.py::test_every_form_of_sender_is_read",
        "tests/league_sdk/protocol/test_envelope.py::test_other_senders_are_refused",
        decision="0034-the-envelope",
        reading="`league_manager` is written; `league_manager:<id>` is read.",
    ),
    _ENV(
        3,
        "Timestamps are ISO 8601 in UTC with Z.",
        "tests/league_sdk/test_clock.py::test_the_wire_has_utc_in_whole_seconds_and_a_deadline_is_rounded_up",
    ),
    _ENV(
        4,
        "The token is a JWT or a hash, and empty for registration.",
        "tests/league_sdk/test_clock.py::TestIds::test_system_ids_are_fresh_uuids_and_long_url_safe_tokens",
        decision="0016-tokens",
        reading="An opaque random text; registration carries none, or the previous one to take the seat again.",
    ),
    _RPC(
        1,
        "Requests with method, params and id posted to `/mcp` are understood, and answered with result "
        "or error and the same id.",
        "tests/interaction/test_on_the_wire.py::test_a_program_without_mcp_can_call_the_tool_as_a_method",
    ),
    _RPC(
        2,
        "A missing field is answered with -32602 and the field's name in the data.",
        "tests/league_sdk/protocol/test_codec.py::test_every_required_field_is_missed_when_it_is_missing",
        "tests/league_sdk/transports/test_jsonrpc.py::test_a_refusal_is_an_error_object_with_number_and_data",
    ),
    _FLOW(
        1,
        "A league runs through registration, announcement, matches, results, standings, round completion "
        "and league completion in that order.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_the_rounds_come_in_order_and_each_is_complete_before_the_next",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_a_player_hears_of_rounds_standings_and_the_end_in_order",
        "tests/servers/league_manager/test_league_log.py::test_a_whole_league_is_told_in_order",
    ),
    _FLOW(
        2,
        "A match runs through invitations, joins, calls, moves, draw, GAME_OVER and report in that order.",
        "tests/league_sdk/domain/test_match.py::TestTheStraightWay::test_both_join_and_both_choose_and_the_game_decides",
    ),
    _FLOW(
        3,
        "Standings are sent after every result.",
        decision="0033-one-standings-broadcast-a-round",
        reading="They are calculated after every result and sent once a round.",
    ),
    _TIME(
        1,
        "A join that does not come within 5 seconds cancels the match.",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_an_invitation_without_answer_is_sent_again_exactly_as_often_as_allowed",
        "tests/league_sdk/domain/test_match.py::TestJoining::test_the_opponent_of_who_did_not_join_wins",
        decision="0023-time-limits-and-retries",
        reading="It is tried again and then is a technical loss, as in 000, 002 and 003.",
    ),
    _TIME(
        2,
        "A move that does not come within 30 seconds is tried again up to 3 times and then is a technical loss.",
        "tests/league_sdk/domain/test_match.py::TestChoosing::test_silence_is_asked_again_and_then_loses",
    ),
    _TIME(
        3,
        "Other answers have 10 seconds and are tried again with exponential backoff.",
        "tests/clients/test_retry.py::test_waits_double_up_to_the_cap_and_are_announced",
        "tests/clients/test_peer.py::test_a_passing_failure_is_tried_again",
        "tests/clients/test_peer.py::test_the_failure_comes_out_when_the_tries_are_used_up",
    ),
    _TIME(
        4,
        "HTTP requests have 5 seconds and a circuit breaker.",
        "tests/clients/test_peer.py::test_a_peer_that_fails_too_often_is_not_called_for_a_while",
        decision="0023-time-limits-and-retries",
        reading="The 5 seconds are for opening a connection; a call has the one limit of its message, "
        "because a second one beneath it would cut moves short.",
    ),
    _DIR(
        1,
        "Configuration lies in system.json, agents/agents_config.json, leagues/<league>.json, "
        "games/games_registry.json and defaults/{referee,player}.json.",
        "tests/league_sdk/settings/test_shipped_files.py::test_every_file_of_the_configuration_layer_is_there",
        decision="0001-folder-layout",
        reading="Under config/ at the top, without SHARED/.",
    ),
    _DIR(
        2,
        "Runtime data lie in leagues/<league>/{standings,rounds}.json, matches/<league>/ and "
        "players/<player>/history.json.",
        "tests/league_sdk/stores/test_json_files.py::test_standings_carry_the_fields_that_are_documented",
        "tests/league_sdk/stores/test_json_files.py::test_rounds_carry_the_fields_that_are_documented",
        "tests/league_sdk/stores/test_json_files.py::test_a_match_carries_the_fields_that_are_documented",
        "tests/league_sdk/stores/test_player_history.py::test_a_history_carries_the_fields_that_are_documented",
        decision="0001-folder-layout",
        reading="Under data/; match files are named <match>.json, as in 003.",
    ),
    _DIR(
        3,
        "Logs lie in league/<league>/league.log.jsonl and agents/<agent>.log.jsonl.",
        "tests/league_sdk/test_logs.py::test_a_leagues_lines_carry_the_fields_that_are_documented",
        "tests/league_sdk/test_logs.py::test_an_agents_lines_carry_the_fields_that_are_documented",
        decision="0001-folder-layout",
        reading="Under logs/.",
    ),
    _DIR(
        4,
        "Runtime data and logs are not under version control.",
        "tests/test_architecture.py::test_what_a_league_writes_stays_out_of_version_control",
    ),
    _DIR(
        5,
        "System-wide events go to logs/system/startup.log.jsonl.",
        "tests/league_sdk/test_logs.py::test_the_systems_log_has_a_folder_of_its_own",
    ),
    _CONF(
        1,
        "system.json holds protocol version, network ports, time limits, retry policy, circuit breaker and logging.",
        "tests/league_sdk/settings/test_shipped_files.py::test_the_shipped_system_file_shows_every_setting",
    ),
    _CONF(
        2,
        "agents_config.json holds manager, referees and players with endpoint, version, games and, for "
        "players, a strategy.",
        "tests/league_sdk/settings/test_shipped_files.py::test_the_files_that_the_documents_show_are_read_without_a_warning",
        "tests/league_sdk/settings/test_shipped_files.py::test_both_spellings_mean_the_same",
        "tests/servers/cli/test_documents_files.py::test_a_league_is_played_from_the_files_as_printed",
        decision="0032-shapes-of-files",
        reading="Both 001's and 003's field names are read.",
    ),
    _CONF(
        3,
        "The league file holds game, format, points by result, numbers of participants, schedule and rules.",
        "tests/league_sdk/settings/test_loader.py::test_the_rules_take_everything_from_the_configuration",
        "tests/league_sdk/settings/test_shipped_files.py::test_the_files_that_the_documents_show_are_read_without_a_warning",
        "tests/league_sdk/settings/test_shipped_files.py::test_both_spellings_mean_the_same",
        decision="0032-shapes-of-files",
        reading="The fields of 003; the rules of a game are the game's.",
    ),
    _CONF(
        4,
        "A breaker opens after 5 failures, for 30 seconds, and lets one call through to test.",
        "tests/clients/test_circuit.py::test_it_opens_after_so_many_failures_in_a_row",
        "tests/clients/test_circuit.py::test_it_lets_a_trial_through_after_a_while_and_closes_when_that_succeeds",
        "tests/clients/test_circuit.py::test_a_failed_trial_opens_it_for_another_while",
        decision="0023-time-limits-and-retries",
        reading="The numbers are settings, and these are their defaults; the 60 seconds of 003 are one "
        "line in system.json.",
    ),
    _CONF(
        5,
        "Log files rotate at the configured size.",
        "tests/league_sdk/test_logs.py::test_files_rotate_by_size_and_the_oldest_go",
    ),
    _DATA(
        1,
        "standings.json has league id, a version that grows, time, completed rounds and a row a player.",
        "tests/league_sdk/stores/test_json_files.py::test_standings_carry_the_fields_that_are_documented",
    ),
    _DATA(
        2,
        "A match file has its ids, game, referee, players, the states with their times, the numbered "
        "transcript and the result.",
        "tests/league_sdk/stores/test_json_files.py::test_a_match_carries_the_fields_that_are_documented",
    ),
    _STATE(
        1,
        "An agent goes from INIT by registration to REGISTERED, ACTIVE, SUSPENDED and SHUTDOWN.",
        "tests/league_sdk/domain/test_lifecycles.py::test_the_straight_way_is_the_protocols",
        "tests/league_sdk/domain/test_lifecycles.py::test_every_pair_of_state_and_trigger_is_either_in_the_table_or_refused",
        decision="0025-state-machines",
        reading="The table of 003 holds, without REGISTERING; SUSPENDED returns to ACTIVE.",
    ),
    _STATE(
        2,
        "A match goes CREATED, WAITING_FOR_PLAYERS, COLLECTING_CHOICES, DRAWING_NUMBER, FINISHED, REPORTED.",
        "tests/league_sdk/domain/test_lifecycles.py::test_the_straight_way_is_the_protocols",
        "tests/league_sdk/domain/test_lifecycles.py::test_every_pair_of_state_and_trigger_is_either_in_the_table_or_refused",
        "tests/league_sdk/domain/test_match.py::TestTheReferee::test_an_aborted_match_keeps_its_reason_and_moves_no_more",
        decision="0025-state-machines",
        reading="Failed joins and moves are outcomes of a match, not states; ABORTED is for a match that "
        "the referee gives up.",
    ),
    _STATE(
        3,
        "A league goes through registration, schedule, play and end.",
        "tests/league_sdk/domain/test_lifecycles.py::test_the_straight_way_is_the_protocols",
        "tests/league_sdk/domain/test_lifecycles.py::test_every_pair_of_state_and_trigger_is_either_in_the_table_or_refused",
        "tests/league_sdk/domain/test_lifecycles.py::test_a_league_can_be_stopped_until_it_is_complete",
        decision="0025-state-machines",
        reading="WAITING_FOR_REGISTRATIONS, SCHEDULED, RUNNING, COMPLETED and STOPPED; referees and "
        "players may come in any order.",
    ),
    _ERR(
        1,
        "Codes E012, E013, E014, E001, E002 and E003 mean an invalid token, an unregistered player, an "
        "unknown league, a time-out, an invalid choice and a disconnection.",
        "tests/servers/test_error_codes.py::test_a_code_arises_with_its_number",
        "tests/servers/referee/test_match_runner.py::TestTechnicalLosses::test_who_does_not_come",
        "tests/servers/referee/test_match_runner.py::TestTechnicalLosses::test_who_does_not_move",
        decision="0007-error-codes-and-numbers",
        reading="The settled table holds: unregistered player E005, invalid choice E004, connection E009.",
    ),
    _ERR(
        2,
        "Retries wait 1, 2, 4 seconds.",
        "tests/clients/test_retry.py::test_waits_double_up_to_the_cap_and_are_announced",
        decision="0023-time-limits-and-retries",
        reading="The base is the setting backoff_base_sec, 2 by default, with full jitter.",
    ),
    _ERR(
        3,
        "A breaker is CLOSED, OPEN and HALF_OPEN, and closes again after a success and opens again after "
        "a failure on trial.",
        "tests/clients/test_circuit.py::test_it_opens_after_so_many_failures_in_a_row",
        "tests/clients/test_circuit.py::test_it_lets_a_trial_through_after_a_while_and_closes_when_that_succeeds",
        "tests/clients/test_circuit.py::test_a_failed_trial_opens_it_for_another_while",
    ),
    _ERR(
        4,
        "Every asynchronous call is bounded by a time limit, and running out of it is logged.",
        "tests/servers/referee/test_match_runner.py::TestAMatchThatGoesWell::test_every_call_has_its_own_limit_and_shows_the_players_ticket",
        "tests/servers/referee/test_match_runner.py::TestTheTranscript::test_a_failed_call_is_told_with_its_code",
        "tests/clients/test_peer.py::test_a_passing_failure_is_tried_again",
        "tests/servers/league_manager/test_broadcast.py::test_an_agent_that_cannot_be_told_is_given_up_and_noted",
    ),
    _SEC(
        1,
        "The manager issues a token at registration, and messages afterwards carry one that is checked.",
        "tests/servers/league_manager/test_service.py::TestRegistration::test_a_player_gets_its_id_its_token_and_what_the_manager_will_show_it",
        "tests/security/test_tokens.py::test_every_tool_but_registration_asks_for_a_token",
        "tests/security/test_tokens.py::test_a_wrong_token_opens_nothing",
    ),
    _SEC(
        2,
        "Tokens have the form tok_<hash>.",
        "tests/league_sdk/test_clock.py::TestIds::test_system_ids_are_fresh_uuids_and_long_url_safe_tokens",
        "tests/league_sdk/test_tokens.py::test_a_digest_is_the_sha_256_of_the_token",
        "tests/league_sdk/test_tokens.py::test_only_the_token_itself_matches_its_digest",
        decision="0016-tokens",
        reading="Tokens are opaque; only their digest is stored.",
    ),
    _SEC(
        3,
        "Message type, sender, timestamp, choice and match id are validated on every input.",
        "tests/league_sdk/protocol/test_codec.py::test_every_field_is_refused_when_its_type_is_wrong",
        "tests/league_sdk/protocol/test_envelope.py::test_a_time_that_is_not_in_utc_is_e021",
        "tests/league_sdk/protocol/test_envelope.py::test_every_field_that_is_a_time_is_held_to_it",
        "tests/league_sdk/protocol/test_envelope.py::test_every_form_of_sender_is_read",
        "tests/league_sdk/protocol/test_envelope.py::test_other_senders_are_refused",
    ),
    _DEP(
        1,
        "Each agent is a process of its own on its own port.",
        "tests/end_to_end/test_the_main_job.py::test_seven_separate_processes_listened_each_on_a_port_of_its_own",
    ),
    _DEP(
        2,
        "Manager, then referees, then players must be started in this order.",
        decision="0015-start-order-is-free",
        reading="They may be started all at once and in any order; each waits for what it needs.",
    ),
    _DEP(
        3,
        "Each agent says when it listens and when it is registered.",
        "tests/servers/player/test_runtime.py::test_a_player_without_a_league_answers_whoever_calls",
        "tests/servers/player/test_runtime.py::test_two_players_play_a_league_and_tell_of_it",
    ),
    _DEP(
        4,
        "The league starts by itself when all are registered, or by POST /admin/start_league.",
        "tests/servers/league_manager/test_course.py::TestRegistration::test_the_league_starts_once_all_that_are_expected_are_in",
        "tests/servers/league_manager/test_admin.py::test_the_league_is_started",
    ),
    _DEP(
        5,
        "Agents start by `python -m agents.…` with environment variables.",
        decision="0001-folder-layout",
        reading="They start by `league manager`, `league referee` and `league player`, with flags or "
        "LEAGUE_ variables.",
    ),
    _API(
        1,
        "The manager's methods are register_referee, register_player and report_match_result.",
        "tests/servers/test_contracts.py::test_an_agent_has_exactly_its_tools_and_their_aliases",
    ),
    _API(
        2,
        "POST /admin/start_league answers with status, league id and the numbers of players, rounds and matches.",
        "tests/servers/league_manager/test_admin.py::test_the_league_is_started",
        decision="0042-admin-routes-need-a-token",
        reading="With the operator's token as a bearer token, and more fields.",
    ),
    _API(
        3,
        "GET /admin/standings answers with what stands in standings.json.",
        decision="0016-tokens",
        reading="With the same rows, to whoever shows the operator's token.",
    ),
    _API(
        4,
        "A referee takes GAME_JOIN_ACK and CHOOSE_PARITY_RESPONSE pushed to receive_game_join_ack and "
        "receive_parity_response.",
        "tests/servers/referee/test_answers.py::test_a_match_is_played_with_a_player_that_pushes_all_its_answers",
        "tests/dialects/test_a_mixed_league.py::test_a_league_of_four_dialects_is_played_without_a_technical_loss",
        decision="0051-two-dialects-under-one-roof",
        reading="After a bare acknowledgement; else the answer is the result of the referee's call.",
    ),
    _API(
        5,
        "A player's methods receive_round_announcement, receive_game_invitation, receive_parity_call, "
        "receive_game_over, receive_standings_update, receive_round_completed and "
        "receive_league_completed are understood.",
        "tests/servers/test_contracts.py::test_an_agent_has_exactly_its_tools_and_their_aliases",
        "tests/servers/test_agent.py::test_an_alias_is_the_same_tool",
    ),
    _PERF(
        1,
        "A league takes up to 10 players and 10 referees by configuration.",
        "tests/league_sdk/settings/test_league.py::test_the_defaults_of_a_league_are_those_of_the_domain",
        "tests/league_sdk/domain/test_league.py::TestRegistration::test_a_full_league_takes_no_more",
    ),
    _PERF(
        2,
        "A message is processed in less than 100 ms.",
        "tests/servers/cli/test_bench.py::test_a_league_is_measured_beside_the_bare_sdk",
        "tests/servers/cli/test_bench.py::test_one_players_latencies_stand_beside_its_deadlines",
        decision="0080-one-way-to-make-a-call",
        reading="`league bench` measures the p95 of every tool in a league under load.",
        missed="94 to 371 ms at 100 players; 57 to 116 ms at 50",
    ),
    _PERF(
        3,
        "A match with its waits lasts about a minute, a league of four about ten.",
        "tests/servers/cli/test_bench.py::test_a_league_is_measured_beside_the_bare_sdk",
        decision="0080-one-way-to-make-a-call",
        reading="Upper bounds: `league bench` measures how long they take, and docs/performance.md says it.",
    ),
    _PERF(
        4,
        "Matches of a round run in parallel over referees.",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_no_referee_gets_more_matches_at_once_than_it_takes",
        "tests/servers/league_manager/test_course.py::TestALeagueThatGoesWell::test_the_pairings_are_those_of_the_circle_method_spread_over_the_referees",
    ),
    _PERF(
        5,
        "Connections are kept open and used again.",
        "tests/clients/test_session_manager.py::test_a_session_is_opened_on_first_use_and_then_shared",
    ),
    _PERF(
        6,
        "Input and output are asynchronous throughout.",
        "tests/interaction/test_every_wire.py::test_it_keeps_the_contract_of_a_transport",
        decision="0018-asyncio-only",
        reading="On asyncio.",
    ),
    _FUT(
        1,
        "Dashboards and metrics.",
        "tests/servers/web/test_browser.py::test_a_league_is_watched_from_registration_to_its_champion",
        "tests/servers/test_metrics.py::test_an_agent_serves_the_metrics_of_its_role_and_no_other",
        decision="0057-a-page-without-an-application",
        reading="The league manager serves the page; metrics are for Prometheus.",
    ),
    _FUT(
        2,
        "PostgreSQL as the database, by URL.",
        "tests/league_sdk/stores/test_stores.py::test_postgresql_keeps_the_contract",
        "tests/league_sdk/stores/test_sql.py::test_the_scheme_of_a_url_chooses_the_store",
    ),
    _FUT(
        3,
        "Further games can be added.",
        "tests/game_rules/test_every_game.py::test_the_games_that_are_promised_are_there",
        "tests/game_rules/test_every_game.py::test_a_game_keeps_its_contract",
        "tests/league_sdk/test_plugins.py::test_a_file_in_a_folder_brings_a_game",
    ),
    _FUT(
        4,
        "A replay of matches.",
        "tests/servers/cli/test_replay.py::test_a_match_is_played_back_position_by_position",
    ),
    _FUT(
        5,
        "Distributed deployment.",
        "tests/end_to_end/test_other_leagues.py::test_an_agent_that_runs_elsewhere_takes_part_by_its_address",
        "tests/servers/test_plan.py::TestSeats::test_an_agent_that_runs_elsewhere_is_invited_and_not_started",
    ),
    _FUT(
        6,
        "WebSockets.",
        decision="0021-planned-for-later",
        reading="Future work by 001's own words.",
    ),
    _FUT(
        7,
        "Service discovery.",
        decision="0021-planned-for-later",
        reading="Future work by 001's own words; addresses come from the configuration or the command line.",
    ),
    _FUT(
        8,
        "Elo ratings.",
        decision="0021-planned-for-later",
        reading="Future work by 001's own words.",
    ),
    _FUT(
        9,
        "Brackets.",
        decision="0021-planned-for-later",
        reading="Future work by 001's own words; every league is a round robin.",
    ),
)
