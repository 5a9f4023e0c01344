"""Requirements from Product design review (004), in our own words."""

from tests.requirements.model import Requirement, Section

_OBJ = Section("004", "OBJ", "1.2 Objectives and 1.3 principles")
_V2 = Section("004", "V2", "1.4 Protocol V2 features")
_ARCH = Section("004", "ARCH", "2 System architecture")
_LM = Section("004", "LM", "3.1 League Manager")
_REF = Section("004", "REF", "3.2 Referee")
_PL = Section("004", "PL", "3.3 Player agent")
_MSG = Section("004", "MSG", "4.1-4.2 Messages")
_MCP = Section("004", "MCP", "4.3 MCP wrapper")
_FLOW = Section("004", "FLOW", "5 Data flow")
_STATE = Section("004", "STATE", "6.1 State machines")
_STORE = Section("004", "STORE", "6.2 Persistence")
_TEST = Section("004", "TEST", "7 Testing")
_DEP = Section("004", "DEP", "8 Deployment")
_ERR = Section("004", "ERR", "9 Errors and edge cases")
_PERF = Section("004", "PERF", "10 Performance and scalability")
_APP = Section("004", "APP", "Appendices")

REQUIREMENTS: tuple[Requirement, ...] = (
    _OBJ(
        1,
        "League Protocol V2 is spoken to the letter.",
    ),
    _OBJ(
        2,
        "Referees register before they judge.",
    ),
    _OBJ(
        3,
        "Every agent that registered authenticates itself with its token.",
    ),
    _OBJ(
        4,
        "All times are checked to be UTC.",
    ),
    _OBJ(
        5,
        "Players can ask about the league.",
    ),
    _OBJ(
        6,
        "League, referee and rules are three layers.",
    ),
    _OBJ(
        7,
        "Agents may run on one machine or on several.",
    ),
    _OBJ(
        8,
        "Agents can be written in any language, because all they need is JSON-RPC.",
    ),
    _OBJ(
        9,
        "It scales from four players to thousands.",
        decision="0080-one-way-to-make-a-call",
        reading="Nothing in the design is bounded; what was measured is in docs/performance.md.",
    ),
    _OBJ(
        10,
        "Time-outs and connection errors are tried again 3 times after 2 seconds, and nothing else is.",
        decision="0188-the-price-of-a-player-that-is-gone",
        reading="With 2 seconds as the base of an exponential backoff; an invalid move is asked for again as well. A "
        "player that is gone, whose connection is refused or breaks, is asked once more after 2 seconds.",
    ),
    _V2(
        1,
        "A missing token is E011, an invalid one E012.",
    ),
    _V2(
        2,
        "A timestamp that is not UTC is E021.",
    ),
    _V2(
        3,
        "Timestamps that end in Z or +00:00 are accepted.",
    ),
    _V2(
        4,
        "A protocol version below 2.0.0 is E018.",
    ),
    _V2(
        5,
        "GET_STANDINGS gives standings with display names.",
    ),
    _V2(
        6,
        "GET_SCHEDULE gives the schedule and what is played.",
    ),
    _V2(
        7,
        "GET_NEXT_MATCH gives a player's next match.",
    ),
    _V2(
        8,
        "GET_PLAYER_STATS gives a player's numbers.",
    ),
    _V2(
        9,
        "Senders are league_manager, player:P01 and referee:REF01.",
    ),
    _V2(
        10,
        "All 18 message types and the catalogue of error codes are there.",
    ),
    _ARCH(
        1,
        "Orchestration is part of manager and referee; there is no third orchestrator.",
        decision="0015-start-order-is-free",
        reading="`league run` supervises processes and takes no part in the league.",
    ),
    _ARCH(
        2,
        "The manager's tools are register_referee, register_player, report_match_result, get_standings "
        "and handle_league_query.",
    ),
    _ARCH(
        3,
        "A referee's tools are start_match and notify_league_completed.",
    ),
    _ARCH(
        4,
        "A player's tools are handle_game_invitation, choose_parity, notify_match_result and notify_standings.",
    ),
    _ARCH(
        5,
        "Manager and referee are MCP clients as well as servers.",
    ),
    _ARCH(
        6,
        "MCP revision 2024-11-05 is spoken.",
        decision="0009-starlette-instead-of-fastapi",
        reading="And every later one that the official SDK speaks.",
    ),
    _ARCH(
        7,
        "FastAPI and httpx are used, on Python 3.8 or later.",
        decision="0009-starlette-instead-of-fastapi",
        reading="The MCP SDK on Starlette, httpx2 under it, and Python 3.11 or later.",
    ),
    _ARCH(
        8,
        "HTTPS as a transport.",
        decision="0047-leagues-open-to-strangers",
        reading="By certificate files; nothing of it is needed on one machine.",
    ),
    _LM(
        1,
        "Players declare protocol_version and the manager checks it.",
    ),
    _LM(
        2,
        "Registration lasts a configurable time, 60 seconds by default, then the schedule is made.",
    ),
    _LM(
        3,
        'Who comes later is rejected with "Registration closed".',
    ),
    _LM(
        4,
        "A player of other games is rejected because of the game.",
    ),
    _LM(
        5,
        "The manager's state has league, agents with digests, schedule, results, standings and whether "
        "registration is closed.",
        decision="0016-tokens",
        reading="Digests of tokens, never tokens.",
    ),
    _LM(
        6,
        "register_player takes player_meta as published in its input schema.",
        decision="0002-flat-tool-arguments",
        reading="The whole message is the arguments object.",
    ),
    _LM(
        7,
        "create_schedule makes the schedule and returns its matches with ids, rounds, players and game.",
    ),
    _LM(
        8,
        "report_match_result records a match by id, winner, score and details.",
    ),
    _LM(
        9,
        "get_standings returns rows of rank, id, name, played, wins, draws, losses and points.",
    ),
    _LM(
        10,
        "Tools publish their input and output schemas.",
    ),
    _LM(
        11,
        "The list of players that create_schedule takes.",
        decision="0002-flat-tool-arguments",
        reading="It may be left out; the registered players are meant in any case.",
    ),
    _REF(
        1,
        "start_match takes match id and both players' ids and endpoints.",
    ),
    _REF(
        2,
        "collect_choices asks both players for their moves in a match that is played by hand.",
    ),
    _REF(
        3,
        "draw_number draws and decides in a match that is played by hand.",
    ),
    _REF(
        4,
        "finalize_match tells the players and reports a match that was played by hand.",
    ),
    _REF(
        5,
        "The match keeps ids, choices, number, winner, state and times.",
    ),
    _PL(
        1,
        "handle_game_invitation answers with GAME_JOIN_ACK within 5 seconds.",
    ),
    _PL(
        2,
        "choose_parity answers with parity_choice within 30 seconds.",
    ),
    _PL(
        3,
        "parity_choice is exactly even or odd in lower case.",
    ),
    _PL(
        4,
        "notify_match_result takes GAME_OVER and acknowledges it.",
    ),
    _PL(
        5,
        "Player tools demand only the fields that 004 lists as required.",
        decision="0034-the-envelope",
        reading="The common fields are demanded as well, as §4.1 of the same document says.",
    ),
    _PL(
        6,
        "A random strategy is there.",
    ),
    _PL(
        7,
        "A strategy guided by Gemini.",
        decision="0050-players-with-a-language-model",
        reading="Gemini is one of the providers of `llm`.",
    ),
    _MSG(
        1,
        "Common fields are in every message; the token after registration.",
    ),
    _MSG(
        2,
        "Game messages carry match_id and round_id.",
        decision="0034-the-envelope",
        reading="And league_id. They are written by us; from a peer only those are demanded that 002 demands.",
    ),
    _MSG(
        3,
        "Messages to or from a player carry player_id.",
        decision="0034-the-envelope",
        reading="They are written by us; 002 does not demand them everywhere.",
    ),
    _MSG(
        4,
        'Examples with league.v1 and sender "referee".',
        decision="0051-two-dialects-under-one-roof",
        reading="Left over in 004; league.v2 is written, and answers in that mixture are read.",
    ),
    _MSG(
        5,
        "Registrations of players and referees have the shapes shown.",
    ),
    _MSG(
        6,
        "ROUND_ANNOUNCEMENT, game messages, report and standings have the shapes shown.",
    ),
    _MCP(
        1,
        "A message travels as tools/call with the tool's name and the message as arguments.",
    ),
    _MCP(
        2,
        "The reply comes back as JSON text in content.",
        decision="0002-flat-tool-arguments",
        reading="And as structuredContent.",
    ),
    _FLOW(
        1,
        "Connections begin with the MCP handshake.",
    ),
    _FLOW(
        2,
        "A match goes from start_match through invitations, choices, draw and report to the standings.",
    ),
    _FLOW(
        3,
        "Too many invalid choices are a technical loss.",
    ),
    _FLOW(
        4,
        "Equal choices are always a draw, whatever the number.",
    ),
    _STATE(
        1,
        "The manager is INITIALIZING, REGISTERING, READY, RUNNING, COMPLETED.",
        decision="0025-state-machines",
        reading="Spelled WAITING_FOR_REGISTRATIONS, SCHEDULED, RUNNING, COMPLETED.",
    ),
    _STATE(
        2,
        "A match is WAITING_FOR_PLAYERS, COLLECTING_CHOICES, DRAWING_NUMBER, FINISHED; a time-out leads "
        "to FINISHED with a technical loss.",
    ),
    _STATE(
        3,
        "A player is IDLE, INVITED, PLAYING, AWAITING_RESULT and IDLE again.",
    ),
    _STORE(
        1,
        "The manager keeps players with endpoints, schedule, results and standings in a file or in SQLite.",
        decision="0020-one-sqlite-file-a-league",
        reading="One SQLite file a league, PostgreSQL by URL.",
    ),
    _STORE(
        2,
        "A player may keep history, opponents and statistics.",
    ),
    _TEST(
        1,
        "A league can be started agent by agent on the command line with port, id and strategy.",
    ),
    _TEST(
        2,
        "Registration of players is validated.",
    ),
    _TEST(
        3,
        "The schedule is right.",
    ),
    _TEST(
        4,
        "Standings are right.",
    ),
    _TEST(
        5,
        "The winner is decided rightly.",
    ),
    _TEST(
        6,
        "Time-outs are handled.",
    ),
    _TEST(
        7,
        "GAME_JOIN_ACK has its format.",
    ),
    _TEST(
        8,
        "CHOOSE_PARITY_RESPONSE takes only even and odd.",
    ),
    _TEST(
        9,
        "The MCP handshake is tested in full.",
    ),
    _TEST(
        10,
        "A match is tested from invitation to result.",
    ),
    _TEST(
        11,
        "Several matches at once are tested.",
    ),
    _TEST(
        12,
        "The limits of 5 and 30 seconds are kept.",
    ),
    _TEST(
        13,
        "Broken JSON, time-outs and disconnection are recovered from.",
    ),
    _TEST(
        14,
        "EVEN, Even, 0, e and the like are no choices.",
    ),
    _TEST(
        15,
        "2025-01-15T10:30:00Z is a timestamp; a blank for T, or no zone, is none.",
    ),
    _TEST(
        16,
        "always_even and always_odd make outcomes predictable.",
    ),
    _TEST(
        17,
        "A player that takes nearly all its time is not cut off.",
    ),
    _TEST(
        18,
        "A player that answers INVALID sets off the retries.",
    ),
    _DEP(
        1,
        "Everything runs on one machine.",
    ),
    _DEP(
        2,
        "Agents on other machines are reached by their addresses.",
    ),
    _DEP(
        3,
        "Containers.",
        decision="0065-containers",
        reading="There is no Docker where the tests run: the commands of the compose file are run as processes.",
    ),
    _DEP(
        6,
        "TLS between agents.",
    ),
    _DEP(
        7,
        "Kubernetes.",
        decision="0127-manifests-for-kubernetes",
        reading="Manifests are validated and their commands run as processes; no cluster runs the tests.",
    ),
    _DEP(
        8,
        "A load balancer.",
        decision="0021-planned-for-later",
        reading="A league has one manager; referees share the matches.",
    ),
    _DEP(
        9,
        "Quotas of processor time and memory.",
        decision="0127-manifests-for-kubernetes",
        reading="The league bounds requests, connections and sizes (0047); containers bound processor time and memory.",
    ),
    _DEP(
        10,
        "Sandboxes for strategies.",
        decision="0021-planned-for-later",
        reading="A strategy runs with the rights of its player's process.",
    ),
    _DEP(
        4,
        "Tokens may travel in a header of MCP's HTTP requests.",
    ),
    _DEP(
        5,
        "Requests are limited by rate.",
        decision="0047-leagues-open-to-strangers",
        reading="For each agent, and for strangers for each network address.",
    ),
    _ERR(
        1,
        "An unanswered invitation or choice is a technical loss, and the opponent wins.",
        decision="0023-time-limits-and-retries",
        reading="After the tries of the retry policy.",
    ),
    _ERR(
        2,
        "General calls have 10 seconds and one more try.",
        decision="0023-time-limits-and-retries",
        reading="As many as max_retries.",
    ),
    _ERR(
        3,
        "An unreachable player's match is postponed or forfeited.",
        decision="0006-technical-loss-points",
        reading="Forfeited, so that the league ends.",
    ),
    _ERR(
        4,
        "Upper case is refused and asked for again, at most 3 times.",
    ),
    _ERR(
        5,
        "A missing field is -32602, and is logged.",
    ),
    _ERR(
        6,
        "A message that does not belong to the present state is ignored.",
        decision="0025-state-machines",
        reading="It is refused with E008 and changes nothing.",
    ),
    _ERR(
        7,
        "Two players with one id.",
        decision="0004-ids-reserved-by-name",
        reading="Cannot be: ids are given by the manager; two with one name are refused.",
    ),
    _ERR(
        8,
        "Other matches continue when one player drops out.",
    ),
    _ERR(
        9,
        "A referee that dies does not decide a match: it is played again.",
    ),
    _ERR(
        10,
        "A manager that died continues from what it stored.",
    ),
    _PERF(
        1,
        "Matches of a round run at the same time on several referees.",
    ),
    _PERF(
        2,
        "Standings stay right when results come at the same time.",
    ),
    _PERF(
        3,
        "A match takes less than 60 seconds, with ten matches at once and a hundred players.",
        decision="0080-one-way-to-make-a-call",
        reading="Measured by `league bench`, published in docs/performance.md.",
    ),
    _PERF(
        7,
        "A call takes less than 100 ms at p95.",
        decision="0080-one-way-to-make-a-call",
        reading="`league bench` measures the p95 of every tool in a league under load.",
        missed="94 to 371 ms at 100 players; 57 to 116 ms at 50",
    ),
    _PERF(
        4,
        "Four players take 2 to 6 minutes, a hundred 2 hours with 50 matches at once.",
        decision="0080-one-way-to-make-a-call",
        reading="Measured by `league bench`, published in docs/performance.md.",
    ),
    _PERF(
        5,
        "Ten players take 45 matches and fifty 1,225.",
    ),
    _PERF(
        6,
        "Matches spread over referees by RabbitMQ.",
        decision="0021-planned-for-later",
        reading="The even spread at scheduling does without a broker.",
    ),
    _APP(
        1,
        "Ports are 8000, 8001 and 8101 to 8104, up to 8130 in class.",
    ),
    _APP(
        2,
        "Pairings of the appendix: R2 P01-P03 P02-P04, R3 P01-P04 P02-P03.",
        decision="0022-ranking-and-pairings",
        reading="The same pairs in the same rounds; seats are those of 003.",
    ),
    _APP(
        3,
        "A win is 3 and 0, a draw 1 and 1, a technical loss 0 and 0.",
        decision="0006-technical-loss-points",
        reading="The player at fault gets 0, the opponent 3; 0 and 0 when both are at fault.",
    ),
    _APP(
        4,
        "Ties are broken by points, wins, draws, head-to-head and player id.",
    ),
)
