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
    ),
    _ENV(
        2,
        "A success has result, an error has code, message and data; never both.",
    ),
    _ENV(
        3,
        "Every payload has protocol, message_type, sender, timestamp and conversation_id; one that lacks "
        "any of them is refused.",
        decision="0228-missing-fields-are-derived",
        reading="Missing ones that the connection, the token or the time of arrival says are derived, with a warning, "
        "while protocol.lenient is on; any other is refused.",
    ),
    _ENV(
        4,
        "The protocol is league.v2, and another one is refused.",
    ),
    _ENV(
        5,
        "Timestamps are ISO 8601 in UTC.",
    ),
    _ENV(
        6,
        "Answers carry the common fields too.",
        decision="0034-the-envelope",
        reading="Replies carry sender and echo conversation_id, although 002's examples leave both out.",
    ),
    _TIME(
        1,
        "GAME_JOIN_ACK has 5 seconds, enforced by the referee.",
    ),
    _TIME(
        2,
        "CHOOSE_PARITY_RESPONSE has 30 seconds, enforced by the referee.",
    ),
    _TIME(
        3,
        "Every other answer has 10 seconds, enforced by whoever asked.",
    ),
    _AUTH(
        1,
        "After registration every request carries a token, and one without is refused.",
    ),
    _AUTH(
        2,
        "The token is the agent's own and stands in the message.",
        decision="0016-tokens",
        reading="In answers and referees' messages a token made for that peer or match stands in the "
        "field, so that no agent learns another's token.",
    ),
    _RREG(
        1,
        "The request goes to register_referee with referee_meta: display_name, version, game_types, "
        "contact_endpoint, max_concurrent_matches.",
    ),
    _RREG(
        2,
        "The answer has status, referee_id, auth_token, league_id, and a reason that is null when accepted.",
    ),
    _RREG(
        3,
        "A rejection has status REJECTED and a reason.",
    ),
    _RREG(
        4,
        "Missing or mistyped fields get -32602, an internal failure -32603.",
    ),
    _RREG(
        5,
        "Full, unusable endpoint and unsupported game have the numbers 1001, 1002 and 1003.",
        decision="0027-refusals-and-errors",
        reading="The table has these numbers; the answer to a well-formed request is REJECTED with the "
        "matching E-code.",
    ),
    _RREG(
        6,
        "A successful registration stores endpoint and token and makes the referee available.",
        decision="0014-config-is-read-only",
        reading="In the event store; the configuration file is not touched.",
    ),
    _RREG(
        7,
        "A failed registration changes nothing.",
    ),
    _PREG(
        1,
        "The request goes to register_player with player_meta: display_name, version, game_types, contact_endpoint.",
    ),
    _PREG(
        2,
        "The answer has status, player_id, auth_token, league_id and a reason that is null when accepted.",
    ),
    _PREG(
        3,
        "Full, duplicate name, unusable endpoint and unsupported game have the numbers 2001, 2002, 2003 and 2004.",
        decision="0027-refusals-and-errors",
        reading="The table has these numbers; the answer to a well-formed request is REJECTED with the "
        "matching E-code.",
    ),
    _PREG(
        4,
        "A refusal of a name says which name, and what to do.",
    ),
    _PREG(
        5,
        "A successful registration stores endpoint and token, and the last one may lead to the schedule.",
        decision="0014-config-is-read-only",
        reading="In the event store; the configuration file is not touched.",
    ),
    _PREG(
        6,
        "A failed registration changes nothing.",
    ),
    _RANN(
        1,
        "It goes to notify_round with league_id, round_id and matches: match_id, game_type, player_A_id, "
        "player_B_id, referee_endpoint.",
    ),
    _RANN(
        2,
        "The acknowledgement has status ACKNOWLEDGED, player_id and round_id.",
    ),
    _RANN(
        3,
        "A wrong token has the number 3001 and an unknown player 3002.",
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
    ),
    _STAND(
        1,
        "It goes to update_standings with league_id, round_id and rows ordered by rank: rank, player_id, "
        "display_name, played, wins, draws, losses, points.",
    ),
    _STAND(
        2,
        "It is sent after the last match of a round, once the standings are recalculated.",
    ),
    _STAND(
        3,
        "The acknowledgement has status, player_id and round_id; a wrong token has the number 3001.",
    ),
    _RCOMP(
        1,
        "It goes to notify_round_completed with league_id, round_id, matches_played and next_round_id, "
        "which is null at the end.",
    ),
    _RCOMP(
        2,
        "It is sent after the standings of the round.",
    ),
    _RCOMP(
        3,
        "The acknowledgement has status, player_id and round_id.",
    ),
    _LCOMP(
        1,
        "It goes to notify_league_completed with league_id, total_rounds, total_matches, champion and final_standings.",
    ),
    _LCOMP(
        2,
        "The champion has player_id, display_name and points.",
    ),
    _LCOMP(
        3,
        "It is sent after all rounds, and never before.",
    ),
    _LCOMP(
        4,
        "The acknowledgement has status and player_id.",
    ),
    _INV(
        1,
        "It goes to handle_game_invitation with token, league_id, round_id, match_id, game_type, "
        "role_in_match and opponent_id.",
    ),
    _INV(
        2,
        "GAME_JOIN_ACK has match_id, player_id, arrival_timestamp and accept.",
    ),
    _INV(
        3,
        "A wrong token has the number 4001, an unknown player 4002.",
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
    ),
    _INV(
        6,
        "After the last try the player loses technically, hears GAME_ERROR, and the result is reported.",
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
        decision="0002-flat-tool-arguments",
        reading="choose_parity is the name; parity_choose is accepted and is chosen when a peer has only that.",
    ),
    _CALL(
        2,
        "The context has opponent_id, round_id and the player's wins, losses, draws and points.",
    ),
    _CALL(
        3,
        "The deadline is 30 seconds from now, in UTC.",
    ),
    _CALL(
        4,
        "It is sent only after both players have joined.",
    ),
    _CALL(
        5,
        "CHOOSE_PARITY_RESPONSE has match_id, player_id and parity_choice, which is even or odd.",
    ),
    _CALL(
        6,
        "A match in another state has the number 4005.",
    ),
    _CALL(
        7,
        "It keeps the invitation's conversation id.",
    ),
    _CALL(
        8,
        "Both answers lead to DRAWING_NUMBER and FINISHED.",
    ),
    _CALL(
        9,
        "After the last try the player loses technically, hears GAME_ERROR, and the match continues to its end.",
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
    ),
    _OVER(
        2,
        "Number and choices are there in every result.",
        decision="0006-technical-loss-points",
        reading="They are there when they exist; a technical loss before the draw has no number.",
    ),
    _OVER(
        3,
        "The acknowledgement has status, player_id and match_id; a wrong token has the number 4001.",
    ),
    _OVER(
        4,
        "The player updates history and statistics and writes history.json.",
    ),
    _REPORT(
        1,
        "It goes to report_match_result with ids, game_type and a result of winner, score by player and details.",
    ),
    _REPORT(
        2,
        "The details have number, choices and status.",
    ),
    _REPORT(
        3,
        "It is sent after both players were told.",
    ),
    _REPORT(
        4,
        "MATCH_RESULT_ACK has status ACCEPTED, match_id and round_id.",
    ),
    _REPORT(
        5,
        "A wrong token has the number 5001, a match that is unknown or not this referee's 5002, a duplicate 5003.",
    ),
    _REPORT(
        6,
        "A refused duplicate says which match and when it was reported first.",
        decision="0026-duplicate-messages",
        reading="Only a report with other content is refused.",
    ),
    _REPORT(
        7,
        "An accepted report updates and saves standings, and the last of a round sends standings and completion.",
    ),
    _REPORT(
        8,
        "An accepted report frees the referee, and the match file is written.",
        decision="0012-match-file-by-projection",
        reading="By the manager's projection.",
    ),
    _LERR(
        1,
        "It is the data of a JSON-RPC error, with error_code, error_description and context.",
    ),
    _LERR(
        2,
        "E012 has the JSON-RPC number 12.",
        decision="0007-error-codes-and-numbers",
        reading="A code that the tables leave open takes its own figure as its number.",
    ),
    _LERR(
        3,
        "The context says which action failed and for whom, and repeats the token that was wrong.",
        decision="0016-tokens",
        reading="Action and agent, yes; a token is never repeated, nor logged.",
    ),
    _LERR(
        4,
        "E001, E002, E003, E013, E020, E021 mean protocol version, missing field, wrong type, missing "
        "token, full and duplicate name.",
        decision="0007-error-codes-and-numbers",
        reading="The settled table holds: E018, E003, E002, E011, E015 and E016.",
    ),
    _LERR(
        5,
        "E030 is for what needs a started league, E031 for what a finished one no longer allows.",
    ),
    _LERR(
        6,
        "Whether repeating can help is known for every code.",
    ),
    _GERR(
        1,
        "It goes to notify_game_error with match_id, error_code, error_description, affected_player, "
        "action_required, retry_count, max_retries and consequence.",
    ),
    _GERR(
        2,
        "E002, E003 and E004 mean an invalid move, a disconnection and a wrong state.",
        decision="0007-error-codes-and-numbers",
        reading="The settled table holds: E004, E009 and E008.",
    ),
    _GERR(
        3,
        "The acknowledgement has status, player_id and match_id.",
    ),
    _GERR(
        4,
        "The referee counts tries and after the last sends GAME_OVER with TECHNICAL_LOSS and reports it.",
    ),
    _QUERY(
        1,
        "It goes to league_query with league_id and query_type; GET_STANDINGS and GET_STATUS are types.",
    ),
    _QUERY(
        2,
        "The answer repeats the type and has standings and the current round.",
    ),
    _QUERY(
        3,
        "A wrong token has the number 6001, an unknown type 6002, an unknown league 6003.",
    ),
    _QUERY(
        4,
        "It changes nothing.",
    ),
    _NOTE(
        1,
        "Manager, match and player go through the states that are listed.",
        decision="0025-state-machines",
        reading="By the settled tables.",
    ),
    _NOTE(
        2,
        "An invalid token is answered with LEAGUE_ERROR E012.",
    ),
    _NOTE(
        3,
        "Time-outs, unavailability and rate limits may be tried again; tokens, types and duplicate names may not.",
    ),
    _NOTE(
        4,
        "Technical losses come from joins and moves that stay out after all tries, and from disconnection.",
    ),
    _NOTE(
        5,
        "Schema, envelope, time limits and error answers of every message have unit tests.",
    ),
    _NOTE(
        6,
        "Registration, match, round and league have integration tests.",
    ),
    _NOTE(
        7,
        "Time limits, wrong tokens, double registration, malformed payloads and network failures have tests.",
    ),
)
