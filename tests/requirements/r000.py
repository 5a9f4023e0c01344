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
    ),
    _LM_START(
        2,
        "The manager answers protocol messages at the path `/mcp`.",
    ),
    _LM_START(
        3,
        "Before it listens, the manager opens its store, its files of standings and rounds, its league "
        "log and its client for outgoing calls.",
    ),
    _LM_START(
        4,
        "A port that somebody else holds ends the start with an error that names the port.",
    ),
    _LM_START(
        5,
        "A configuration that does not validate ends the start with an error that names file, field, "
        "value and what was expected.",
    ),
    _LM_START(
        6,
        "A store or data folder that cannot be opened ends the start with an error, before anybody can register.",
    ),
    _LM_REF(
        1,
        "A referee registers with display name, version, game types, contact endpoint and how many "
        "matches it can run at once.",
    ),
    _LM_REF(
        2,
        "An accepted referee gets the status ACCEPTED, its id, a token and the league's id.",
    ),
    _LM_REF(
        3,
        "Every referee gets an id of its own, such as REF01.",
        decision="0004-ids-reserved-by-name",
        reading="In order of registration, except that a name in the roster has its id reserved.",
    ),
    _LM_REF(
        4,
        "The token comes from a cryptographically secure source.",
    ),
    _LM_REF(
        5,
        "The referee's metadata and endpoint are kept where a restarted manager finds them.",
        decision="0014-config-is-read-only",
        reading="They are kept as events in the store; agents_config.json is read and never rewritten.",
    ),
    _LM_REF(
        6,
        "Each registration is written to the league log.",
    ),
    _LM_REF(
        7,
        "A referee that exceeds the league's number of referees is answered REJECTED, because the league is full.",
        decision="0027-refusals-and-errors",
        reading="REJECTED with reason and error_code, not a JSON-RPC error.",
    ),
    _LM_REF(
        8,
        "A referee whose endpoint cannot be used is answered REJECTED, because of its endpoint.",
        decision="0070-one-parser-for-endpoints",
        reading="The endpoint's form is checked at registration; an agent that listens only later is let in.",
    ),
    _LM_REF(
        9,
        "A referee that does not know the league's game is answered REJECTED, because of the game.",
    ),
    _LM_REF(
        10,
        "A referee with a display name that another one has is answered REJECTED, because of the name.",
    ),
    _LM_REF(
        11,
        "Metadata that is incomplete or mistyped is refused, naming the field.",
        decision="0027-refusals-and-errors",
        reading="A malformed request gets JSON-RPC -32602 and E002 or E003.",
    ),
    _LM_REF(
        12,
        "Referees register only while the league waits for registrations.",
        decision="0125-referees-join-a-running-league",
        reading="They may also join a league that runs; once it is over, the answer is REJECTED with E020.",
    ),
    _LM_PLAY(
        1,
        "A player registers with a display name, version, game types and contact endpoint.",
    ),
    _LM_PLAY(
        2,
        "An accepted player gets the status ACCEPTED, its id, a token and the league's id.",
    ),
    _LM_PLAY(
        3,
        "Players are numbered P01, P02, … in order.",
        decision="0004-ids-reserved-by-name",
        reading="In order of registration, except that a name in the roster has its id reserved; past 99 "
        "the number widens.",
    ),
    _LM_PLAY(
        4,
        "A player that exceeds the league's number of players is answered REJECTED, because the league is full.",
    ),
    _LM_PLAY(
        5,
        "A display name that another player has is answered REJECTED, because of the name.",
    ),
    _LM_PLAY(
        6,
        "A player whose endpoint cannot be used is answered REJECTED, because of its endpoint.",
        decision="0070-one-parser-for-endpoints",
        reading="The endpoint's form is checked at registration.",
    ),
    _LM_PLAY(
        7,
        "A player that does not play the league's game is answered REJECTED, because of the game.",
    ),
    _LM_PLAY(
        8,
        "When the last expected player is in, the schedule is made without anybody asking for it.",
    ),
    _LM_PLAY(
        9,
        "A player's metadata, endpoint and token digest survive a restart of the manager.",
        decision="0014-config-is-read-only",
        reading="They are events in the store; agents_config.json is never rewritten.",
    ),
    _LM_PLAY(
        10,
        "Each player's registration is written to the league log.",
    ),
    _LM_SCHED(
        1,
        "In a round-robin every player meets every other exactly once.",
    ),
    _LM_SCHED(
        2,
        "Nobody has two matches in one round, and with an even number nobody sits out.",
    ),
    _LM_SCHED(
        3,
        "Matches spread evenly over the referees.",
    ),
    _LM_SCHED(
        4,
        "Match ids are made of round and match: R1M1, R1M2, R2M1.",
    ),
    _LM_SCHED(
        5,
        "Four players and two referees give exactly the pairings shown in the example.",
        decision="0022-ranking-and-pairings",
        reading="Pairings are those of 003; which referee takes which match follows from the even spread.",
    ),
    _LM_SCHED(
        6,
        "The schedule is written to the rounds file and to the league log.",
    ),
    _LM_SCHED(
        7,
        "With fewer than two players no schedule is made, and the refusal says how many are missing.",
    ),
    _LM_SCHED(
        8,
        "With no referee no league starts, and the refusal says so.",
    ),
    _LM_SCHED(
        9,
        "Making the schedule ends registration and leads to the running league.",
        decision="0025-state-machines",
        reading="The settled league machine has SCHEDULED between waiting and RUNNING.",
    ),
    _LM_ROUND(
        1,
        "A round's announcement names the round and its matches, and goes to every registered player at the same time.",
    ),
    _LM_ROUND(
        2,
        "The manager waits for each player's acknowledgement for 10 seconds at most.",
        decision="0028-announcements-are-best-effort",
        reading="Each message has its 10 seconds; the round itself begins after a grace of one.",
    ),
    _LM_ROUND(
        3,
        "A player that cannot be reached or does not acknowledge is logged, and the round continues.",
    ),
    _LM_ROUND(
        4,
        "A round that reaches no player at all is an error.",
        decision="0028-announcements-are-best-effort",
        reading="Each player that was not reached is logged as a WARNING and the round continues, so that "
        "the league always ends: its matches are then decided by technical loss.",
    ),
    _LM_ROUND(
        5,
        "The announcement and who acknowledged it are logged.",
    ),
    _LM_RESULT(
        1,
        "A report is accepted only with the reporting referee's token.",
    ),
    _LM_RESULT(
        2,
        "A report for a match that does not exist is refused with MATCH_NOT_FOUND.",
    ),
    _LM_RESULT(
        3,
        "A report whose players, winner or points cannot be right is refused.",
    ),
    _LM_RESULT(
        4,
        "A recorded result gives 3, 1 or 0 points and counts as win, draw or loss in the standings.",
    ),
    _LM_RESULT(
        5,
        "The standings are ranked anew after each result and written to their file.",
    ),
    _LM_RESULT(
        6,
        "The referee gets MATCH_RESULT_ACK once the result is stored.",
    ),
    _LM_RESULT(
        7,
        "A second report for a match is refused as a duplicate, or ignored with a warning.",
        decision="0026-duplicate-messages",
        reading="The same content is acknowledged again and changes nothing; different content is "
        "refused with E010 and logged as an ERROR.",
    ),
    _LM_RESULT(
        8,
        "A result that cannot be stored is an error for the reporter, and nothing is acknowledged.",
    ),
    _LM_RESULT(
        9,
        "The last result of a round completes the round and sends the standings.",
    ),
    _LM_RESULT(
        10,
        "Results are taken only while the league is running.",
    ),
    _LM_STAND(
        1,
        "After each round every player gets the standings of that round, all at the same time, with 10 "
        "seconds to acknowledge.",
    ),
    _LM_STAND(
        2,
        "Standings are ordered by points, then wins, then alphabetically.",
        decision="0022-ranking-and-pairings",
        reading="Points, wins, draws, head-to-head, then player id, as 004 has it.",
    ),
    _LM_STAND(
        3,
        "Ranks start at 1.",
        decision="0022-ranking-and-pairings",
        reading="Players equal in every criterion share a rank.",
    ),
    _LM_STAND(
        4,
        "A player that cannot be reached is logged and left out, and the update continues.",
    ),
    _LM_STAND(
        5,
        "A standings file that was damaged does not stop the league.",
        decision="0019-events-in-sqlalchemy",
        reading="The file is a projection and is written again from the store.",
    ),
    _LM_RCOMP(
        1,
        "After a round every player hears ROUND_COMPLETED with the next round's number, or null after the last.",
    ),
    _LM_RCOMP(
        2,
        "With a next round that round is announced; without one the league is completed.",
    ),
    _LM_RCOMP(
        3,
        "A player that cannot hear it is logged and left out.",
    ),
    _LM_LCOMP(
        1,
        "LEAGUE_COMPLETED carries the final standings, the champion and how many rounds and matches there were.",
    ),
    _LM_LCOMP(
        2,
        "The champion has the most points, then the most wins, then the name that comes first.",
        decision="0022-ranking-and-pairings",
        reading="The champion is the first of the ranking of 004; players equal in every criterion are "
        "champions together.",
    ),
    _LM_LCOMP(
        3,
        "It goes to all players, waits 10 seconds at most for each, and an unreachable one does not hold it up.",
    ),
    _LM_LCOMP(
        4,
        "The final state is stored and logged before the manager prepares to stop.",
    ),
    _LM_QUERY(
        1,
        "A player may ask for the standings at any time while the league runs and after it, and asking "
        "changes nothing.",
    ),
    _LM_QUERY(
        2,
        "A query is answered only when the token belongs to the agent that asks.",
    ),
    _LM_QUERY(
        3,
        "A query from an unknown player is refused.",
    ),
    _LM_QUERY(
        4,
        "A query that has nothing to answer with yet gets an empty table, not a failure.",
        decision="0028-announcements-are-best-effort",
        reading="Before the first result every player stands with zero matches, so the standings always exist.",
    ),
    _LM_RESP(
        1,
        "The manager is the only source for standings, schedule, round status and the league's state.",
    ),
    _LM_RESP(
        2,
        "It keeps every agent's endpoint.",
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
        decision="0019-events-in-sqlalchemy",
        reading="The event store is the truth; the files are projections of it.",
    ),
    _LM_RESP(
        5,
        "It writes every event of the league to league.log.jsonl.",
    ),
    _LM_NOT(
        1,
        "The manager neither runs matches nor knows the rules of a game.",
    ),
    _LM_NOT(
        2,
        "The manager never decides who won a match; it records what the referee reports.",
    ),
    _LM_NOT(
        3,
        "The manager sends no invitations and collects no moves.",
    ),
    _LM_NOT(
        4,
        "Time limits inside a match are none of the manager's business.",
    ),
    _LM_NOT(
        5,
        "The manager keeps no match transcripts of its own.",
        decision="0012-match-file-by-projection",
        reading="It stores the transcript that the referee's report carries and writes the match file from it.",
    ),
    _LM_NOT(
        6,
        "The manager does not talk to players about a match under way.",
    ),
    _LM_NOT(
        7,
        "The manager changes nothing about a match while a referee plays it.",
        decision="0003-one-referee-many-matches",
        reading="An assignment changes only when the referee died or said it cannot play; the new "
        "attempt has a new number.",
    ),
    _LM_FAIL(
        1,
        "Every failure has an error code and a sentence for a person, and is logged.",
        decision="0029-typed-exceptions",
        reading="Failures are typed exceptions with a code, not Result values.",
    ),
    _LM_FAIL(
        2,
        "Acknowledgements have 10 seconds, and a missing one is logged and blocks nothing.",
    ),
    _LM_FAIL(
        3,
        "A port that is taken or a configuration that is wrong ends the process with an error.",
    ),
    _LM_FAIL(
        4,
        "Damaged standings are recovered, and the damage is logged.",
        decision="0019-events-in-sqlalchemy",
        reading="They are a projection and are rebuilt from the store.",
    ),
    _REF_START(
        1,
        "A referee listens on its configured port, 8001 or 8002 by default, at `/mcp`, and loads the "
        "rules of the league's game.",
    ),
    _REF_START(
        2,
        "A started referee registers with the manager and waits for the confirmation.",
    ),
    _REF_START(
        3,
        "A port that is taken, rules that cannot be loaded or a refused registration each end the start "
        "with an error of their own.",
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
    ),
    _REF_ASSIGN(
        3,
        "From the invitation each player has 5 seconds to join.",
    ),
    _REF_ASSIGN(
        4,
        "A player that cannot be reached loses technically, after up to 3 more tries.",
    ),
    _REF_ASSIGN(
        5,
        "A match that neither player can be reached for is reported as such.",
        decision="0006-technical-loss-points",
        reading="It is reported as TECHNICAL_LOSS with 0 points each and no winner.",
    ),
    _REF_JOIN(
        1,
        "When both have joined, both are asked to move; with one, the match keeps waiting.",
    ),
    _REF_JOIN(
        2,
        "A player that declines loses technically at once.",
    ),
    _REF_JOIN(
        3,
        "A join acknowledgement for another match or from another player does not count.",
    ),
    _REF_JOIN(
        4,
        "A second acknowledgement from the same player changes nothing.",
    ),
    _REF_JOIN(
        5,
        "The request to move carries the player's present standing.",
    ),
    _REF_JOIN(
        6,
        "Arrival times are recorded with the match.",
    ),
    _REF_JTIME(
        1,
        "A player that does not join in time gets GAME_ERROR with TIMEOUT_ERROR and the counts of tries, "
        "and is invited again.",
    ),
    _REF_JTIME(
        2,
        "After the last try the late player loses technically and its opponent wins.",
    ),
    _REF_JTIME(
        3,
        "A GAME_ERROR that cannot be delivered does not stop the match.",
    ),
    _REF_MOVE(
        1,
        "A move counts only for its own match and from a player of that match.",
    ),
    _REF_MOVE(
        2,
        "Only `even` and `odd` are moves of Even/Odd.",
    ),
    _REF_MOVE(
        3,
        "Moves and their times are recorded; when both are in, the match is resolved.",
    ),
    _REF_MOVE(
        4,
        "An invalid move gets GAME_ERROR and the player is asked again.",
        decision="0007-error-codes-and-numbers",
        reading="The code is E004, named INVALID_PARITY_CHOICE in Even/Odd.",
    ),
    _REF_MOVE(
        5,
        "A second move of the same player in one turn.",
        decision="0026-duplicate-messages",
        reading="The first one stands and the second is ignored; 000 would take the latest, but a choice "
        "that is in must not depend on what comes later.",
    ),
    _REF_MTIME(
        1,
        "A player that does not move within 30 seconds gets GAME_ERROR naming the missing answer, and is "
        "asked again, up to the configured number of retries.",
    ),
    _REF_MTIME(
        2,
        "After the last try the late player loses technically and its opponent wins.",
    ),
    _REF_DRAW(
        1,
        "The number is drawn uniformly from 1 to 10, both included.",
    ),
    _REF_DRAW(
        2,
        "Even numbers have parity `even`, all others `odd`.",
    ),
    _REF_DRAW(
        3,
        "When both are right or both are wrong it is a draw.",
        decision="0005-same-choice-is-a-draw",
        reading="Equal choices are a draw whatever the number, which is the same.",
    ),
    _REF_DRAW(
        4,
        "When one is right and the other wrong, the one who is right wins.",
    ),
    _REF_DRAW(
        5,
        "A result carries its status, the winner or null, the number, its parity, the choices and a "
        "reason a person understands.",
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
    ),
    _REF_REPORT(
        2,
        "After GAME_OVER the manager gets MATCH_RESULT_REPORT.",
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
        reading="Each failure is logged and the report is kept up; its other matches continue meanwhile.",
    ),
    _REF_REPORT(
        5,
        "The whole match is written to its file when the report is acknowledged.",
        decision="0012-match-file-by-projection",
        reading="The manager's projection writes it from the report.",
    ),
    _REF_RESET(
        1,
        "After a match nothing of it is left behind that another match could see, and the referee is "
        "free for the next.",
    ),
    _REF_RESP(
        1,
        "The referee alone knows the state of a match, the moves and the result until it is reported.",
    ),
    _REF_RESP(
        2,
        "The referee takes a match through all its states, from the invitation to the report.",
    ),
    _REF_RESP(
        3,
        "Every message and event of a match is in the referee's log.",
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
    ),
    _REF_NOT(
        3,
        "A referee registers nobody and announces no rounds.",
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
    ),
    _REF_FAIL(
        1,
        "Join and move limits lead to technical losses; late acknowledgements of GAME_OVER are logged "
        "and nothing more.",
    ),
    _REF_FAIL(
        2,
        "There are at most 3 retries, with growing pauses.",
        decision="0023-time-limits-and-retries",
        reading="Growing pauses with full jitter are the rule between calls; the numbers come from the configuration.",
    ),
    _REF_FAIL(
        3,
        "One unreachable player costs that player the match, and the match is still finished and reported.",
    ),
    _PL_START(
        1,
        "A player listens on its configured port, 8101 to 8104 by default, at `/mcp`, with its strategy, "
        "history, log and client ready.",
    ),
    _PL_START(
        2,
        "A started player registers, waits for the answer and keeps its id and token.",
    ),
    _PL_START(
        3,
        "A player's earlier history is loaded at the start.",
    ),
    _PL_START(
        4,
        "A port that is taken and a registration that is refused each end the start with an error that "
        "gives the reason.",
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
    ),
    _PL_INV(
        2,
        "A player always accepts an invitation to a match of its own.",
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
    ),
    _PL_CALL(
        2,
        "What the strategy returns is checked to be a legal move before it is sent.",
    ),
    _PL_CALL(
        3,
        "A strategy that fails is replaced by a fallback choice.",
        decision="0035-fallback-moves",
        reading="The fallback is a legal move of the game that is played; `even` is such a move.",
    ),
    _PL_CALL(
        4,
        "A strategy that takes too long is cancelled and the fallback is sent in time.",
    ),
    _PL_CALL(
        5,
        "A move that the player chose is written to its log.",
    ),
    _PL_STRAT(
        1,
        "There are strategies that choose at random and strategies that look for patterns in the opponent's past.",
    ),
    _PL_STRAT(
        2,
        "A strategy that uses a trained model.",
        decision="0050-players-with-a-language-model",
        reading="A language model of any provider; and any function can be a strategy.",
    ),
    _PL_STRAT(
        3,
        "A strategy decides from opponent, standing, round and its own history.",
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
    ),
    _PL_OVER(
        3,
        "GAME_OVER is acknowledged even when the history cannot be written, and the failure is logged.",
    ),
    _PL_STAND(
        1,
        "The last standings are kept for the strategy, and acknowledged.",
    ),
    _PL_RCOMP(
        1,
        "ROUND_COMPLETED is acknowledged and logged, whether another round follows or not.",
    ),
    _PL_LCOMP(
        1,
        "LEAGUE_COMPLETED is acknowledged and logged, and the player gets ready to stop.",
    ),
    _PL_STOP(
        1,
        "A player that stops closes its server and files, flushes its log and ends cleanly.",
    ),
    _PL_RESP(
        1,
        "A player acknowledges every message within its time limit.",
    ),
    _PL_RESP(
        2,
        "A player takes a technical loss like any other result and plays on.",
    ),
    _PL_RESP(
        3,
        "A player logs everything it hears and says.",
    ),
    _PL_RESP(
        4,
        "A player's own history and statistics are its own: nobody else writes them.",
    ),
    _PL_NOT(
        1,
        "A player runs no matches, enforces no rules and draws no numbers.",
    ),
    _PL_NOT(
        2,
        "A player calls the manager and nobody else; it never calls another player.",
        decision="0027-refusals-and-errors",
        reading="A player's answers travel back as results of the referee's calls.",
    ),
    _PL_NOT(
        3,
        "A player cannot register others, change the league or read what other players know.",
    ),
    _PL_FAIL(
        1,
        "Missing an acknowledgement that is not a join or a move costs no match.",
    ),
    _PL_FAIL(
        2,
        "A history that cannot be written and standings that cannot be read are logged, and the player continues.",
    ),
    _PL_FAIL(
        3,
        "A strategy runs inside a time limit, and whatever it does a move leaves in time.",
    ),
    _CL_INIT(
        1,
        "The client is set up with protocol version and default time limits, and numbers its requests "
        "and conversations itself.",
    ),
    _CL_SEND(
        1,
        "A request is a JSON-RPC 2.0 object with jsonrpc, method, params and an id of its own, sent by "
        "POST with a JSON content type.",
    ),
    _CL_SEND(
        2,
        "An unreachable endpoint, a connection limit, a response limit, broken JSON, a JSON-RPC error "
        "and an HTTP error are each told apart.",
    ),
    _CL_SEND(
        3,
        "Each call has its own time limit or the default one.",
    ),
    _CL_NOTE(
        1,
        "A notification has no id and no answer.",
        decision="0027-refusals-and-errors",
        reading="The protocol has none: every message is acknowledged, so the client sends requests "
        "only; MCP's own notifications are the SDK's affair. A server still accepts bare "
        "JSON-RPC notifications.",
    ),
    _CL_FORM(
        1,
        "Protocol, message type, sender, UTC time and conversation id are filled into every outgoing message.",
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
    ),
    _CL_CONV(
        1,
        "Conversation ids are unique.",
        decision="0011-identifiers",
        reading="They are UUIDs; any text is read.",
    ),
    _CL_TIME(
        1,
        "Default time limits come from the settings and hold for all calls that give none.",
        decision="0030-interfaces-are-duties",
        reading="They are given when the client is built; changing them afterwards is not possible, so "
        "no call depends on another.",
    ),
    _CL_RESP(
        1,
        "Every call that goes out and every answer that comes in is logged.",
    ),
    _CL_RESP(
        2,
        "Network failures reach the caller as typed errors and break nothing else.",
    ),
    _CL_NOT(
        1,
        "The client holds no business logic, no agent state and no word of any game.",
    ),
    _CL_NOT(
        2,
        "The client decides neither recipients nor payloads; it sends what it is given, and adds only "
        "the token meant for that peer.",
    ),
    _CL_NOT(
        3,
        "The client repeats calls for network reasons only.",
    ),
    _CL_FAIL(
        1,
        "Retries for passing failures back off exponentially and are limited by the configuration.",
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
    ),
    _MAP(
        6,
        "Every documented failure and time limit has a test, at the level of units and of whole interactions.",
    ),
    _MAP(
        7,
        "Everything conforms to the message contracts.",
    ),
)
