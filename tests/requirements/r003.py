"""Requirements from Task requirements (003), in our own words."""

from tests.requirements.model import Requirement, Section

_FORMAT = Section("003", "FORMAT", "Competition format")
_TREE = Section("003", "TREE", "Mandatory project structure")
_ARCH = Section("003", "ARCH", "Core design principles")
_ORCH = Section("003", "ORCH", "Orchestrator types")
_LAYER = Section("003", "LAYER", "Three layers")
_AGENT = Section("003", "AGENT", "Agent states")
_CLIENT = Section("003", "CLIENT", "Client architecture")
_CONF = Section("003", "CONF", "Configuration layer")
_DATA = Section("003", "DATA", "Runtime data layer")
_LOG = Section("003", "LOG", "Logs layer and its checklist")
_PORT = Section("003", "PORT", "HTTP server requirements")
_PROTO = Section("003", "PROTO", "Protocol specification")
_LIMIT = Section("003", "LIMIT", "Response time limits")
_TYPE = Section("003", "TYPE", "Message types and schemas")
_CODE = Section("003", "CODE", "Error codes")
_GAME = Section("003", "GAME", "Game rules: Even-Odd")
_COMPL = Section("003", "COMPL", "Critical requirements: message validation")
_SEQ = Section("003", "SEQ", "Startup sequence")
_MATCH = Section("003", "MATCH", "Game state machine")
_ROBIN = Section("003", "ROBIN", "Round-robin schedule")
_SCORE = Section("003", "SCORE", "Scoring system")
_DOC = Section("003", "DOC", "Documentation requirements")
_LM = Section("003", "LM", "League Manager requirements")
_REF = Section("003", "REF", "Referee requirements")
_PLAYER = Section("003", "PLAYER", "Player requirements")
_CAP = Section("003", "CAP", "Required agent capabilities")
_PHASE = Section("003", "PHASE", "Phases and success criteria")
_TEST_P = Section("003", "TEST-P", "Protocol compliance tests")
_TEST_A = Section("003", "TEST-A", "Agent behaviour tests")
_TEST_I = Section("003", "TEST-I", "Integration tests")
_TEST_E = Section("003", "TEST-E", "Edge-case tests")
_COV = Section("003", "COV", "Test coverage")
_SDK = Section("003", "SDK", "SDK requirements checklist")
_IMPL = Section("003", "IMPL", "Implementation checklist")
_TECH = Section("003", "TECH", "Technical specifications")
_RES = Section("003", "RES", "Appendices: resilience and reference code")

REQUIREMENTS: tuple[Requirement, ...] = (
    _FORMAT(
        1,
        "Four players play a round-robin of three rounds and six matches.",
    ),
    _FORMAT(
        2,
        "A win gives 3 points, a draw 1 each, a loss 0.",
    ),
    _FORMAT(
        3,
        "Players run in parallel.",
    ),
    _FORMAT(
        4,
        "Ranking follows wins and losses.",
        decision="0022-ranking-and-pairings",
        reading="By points first.",
    ),
    _FORMAT(
        5,
        "There is a private league, then a class league with dates, grades and bonus points.",
        decision="0031-course-logistics",
        reading="A course's calendar and marks are no property of the software.",
    ),
    _TREE(
        1,
        "The root has exactly the folders SHARED, agents and doc.",
        decision="0001-folder-layout",
        reading="The folders are league_sdk, servers, clients, game_rules, config, data, logs, tests and docs.",
    ),
    _TREE(
        2,
        "Every file of the configuration layer is there.",
        decision="0001-folder-layout",
        reading="Under config/, without SHARED/.",
    ),
    _TREE(
        3,
        "Runtime data lie in the files that are listed.",
        decision="0001-folder-layout",
        reading="Under data/.",
    ),
    _TREE(
        4,
        "Logs lie in the files that are listed, with logs/system for what belongs to no league.",
        decision="0001-folder-layout",
        reading="Under logs/.",
    ),
    _TREE(
        5,
        "league_sdk has config models, loader, repositories and logger as modules.",
        decision="0001-folder-layout",
        reading="The same things by the same names, in league_sdk.settings, league_sdk.stores and league_sdk.logs.",
    ),
    _TREE(
        6,
        "Every agent has a folder with main, handlers and requirements.txt of its own.",
        decision="0001-folder-layout",
        reading="One package per role serves every agent of that role; dependencies are in pyproject.toml.",
    ),
    _TREE(
        7,
        "Documentation has protocol_spec.md, message_examples/, diagrams and ARCHITECTURE.md.",
        decision="0001-folder-layout",
        reading="Under docs/.",
        kind="documentation",
    ),
    _ARCH(
        1,
        "No rule, word or assumption of a game is in league, registration, ranking or match orchestration.",
    ),
    _ARCH(
        2,
        "Another game needs no change in league or referee.",
    ),
    _ARCH(
        3,
        "Another transport needs no change in business logic.",
    ),
    _ARCH(
        4,
        "Protocol handling and game logic do not mix.",
    ),
    _ARCH(
        5,
        "Components know one another by interfaces only: rules, protocol, transport and agents can be replaced.",
    ),
    _ARCH(
        6,
        "Messages are JSON with one fixed schema, whatever the game, transport and role.",
    ),
    _ARCH(
        7,
        "Protocol changes are versioned, and older peers are served by a rule.",
        decision="0034-the-envelope",
        reading="Minor versions down to the minimum 2.0.0 are accepted, unknown fields are ignored, "
        "anything else is refused with E018.",
    ),
    _ORCH(
        1,
        "The manager alone holds standings, schedule and round status.",
    ),
    _ORCH(
        2,
        "A referee alone holds the state and the moves of its match.",
    ),
    _LAYER(
        1,
        "The league layer registers, schedules, ranks and ends; it knows no rules, checks no moves and runs no game.",
    ),
    _LAYER(
        2,
        "The referee layer invites, collects, delegates validation to the game, announces and reports; "
        "it knows no ranking and no rules.",
    ),
    _LAYER(
        3,
        "A referee plays one match at a time.",
        decision="0003-one-referee-many-matches",
        reading="Up to max_concurrent_matches, each isolated.",
    ),
    _LAYER(
        4,
        "The game layer has rules, validation, outcome and state; it knows no registration, no protocol "
        "and no tournament.",
    ),
    _AGENT(
        1,
        "An agent is INIT, REGISTERED, ACTIVE, SUSPENDED or SHUTDOWN, and moves between them by the table only.",
    ),
    _AGENT(
        2,
        "A time-out suspends an active agent.",
        decision="0025-state-machines",
        reading="And recovery makes it active again, as the drawing has it, although the table gives "
        "both triggers one arrow.",
    ),
    _AGENT(
        3,
        "Too many failures end a suspended agent, the league's end an active one, an error any.",
    ),
    _CLIENT(
        1,
        "Decision, client interface, core system, message processing and transport are layers of their own.",
    ),
    _CLIENT(
        2,
        "The session manager performs the handshake, keeps connections, checks their health and reconnects.",
    ),
    _CLIENT(
        3,
        "The tool registry lists the tools of all servers, with their descriptions, and handles names that collide.",
    ),
    _CLIENT(
        4,
        "The message queue holds outgoing messages, orders them by priority and refuses to be flooded.",
    ),
    _CLIENT(
        5,
        "Passing failures are tried again, lasting ones are not.",
    ),
    _CLIENT(
        6,
        "A call that ran out of time may be given more time.",
        decision="0023-time-limits-and-retries",
        reading="Limits are part of the protocol and stay what they are; a call is repeated with the same limit.",
    ),
    _CLIENT(
        7,
        "Pauses between tries double, and are jittered so that agents do not retry in step.",
    ),
    _CONF(
        1,
        "system.json holds protocol version, time limits, retry policy, network and security settings "
        "with a schema version.",
    ),
    _CONF(
        2,
        "agents_config.json lists manager, referees and players with id, endpoint and status.",
    ),
    _CONF(
        3,
        "leagues/<league>.json holds game, points, participants and schedule.",
    ),
    _CONF(
        4,
        "games_registry.json lists every game with module, time limit, players and description.",
    ),
    _CONF(
        5,
        "defaults/referee.json and defaults/player.json let a new agent start without further settings.",
    ),
    _CONF(
        6,
        "A referee's default is one game at a time and no retry on time-out.",
        decision="0003-one-referee-many-matches",
        reading="The default is more than one match; retries follow system.json and the protocol.",
    ),
    _CONF(
        7,
        "A player may use random without saying so: it is the default strategy.",
    ),
    _DATA(
        1,
        "standings.json has schema version, league, a growing version, time, completed rounds and rows "
        "with rank, name, results, points and games played.",
    ),
    _DATA(
        2,
        "standings.json changes after each reported result.",
    ),
    _DATA(
        3,
        "rounds.json has each round with status, start, end and its matches with players and winner.",
    ),
    _DATA(
        4,
        "A match file has lifecycle, players with arrival times, numbered transcript and result.",
    ),
    _DATA(
        5,
        "The match file is written by the match's referee.",
        decision="0012-match-file-by-projection",
        reading="By the manager's projection from the referee's report.",
    ),
    _DATA(
        6,
        "history.json has a player's statistics, matches with both moves, and what each opponent chose.",
    ),
    _DATA(
        7,
        "A player's strategy can use the history of earlier leagues.",
    ),
    _LOG(
        1,
        "All agents write under the logs folder.",
        decision="0001-folder-layout",
        reading="logs/, or where --data says.",
    ),
    _LOG(
        2,
        "Logs are JSON Lines: one object a line.",
    ),
    _LOG(
        3,
        "Every entry has its required fields: time, level, and component and event, or agent, direction, "
        "message type and peer.",
    ),
    _LOG(
        4,
        "Times in logs are ISO 8601.",
    ),
    _LOG(
        5,
        "Messages are logged when they are sent and when they are received.",
    ),
    _LOG(
        6,
        "Each entry about a message names the peer.",
    ),
    _LOG(
        7,
        "Levels DEBUG, INFO, WARNING and ERROR are used as they are meant.",
    ),
    _LOG(
        8,
        "The manager keeps a central log of the league.",
    ),
    _LOG(
        9,
        "Each agent keeps a log of its own.",
    ),
    _LOG(
        10,
        "The league log has the listed events: start, registrations, announcement, assignment, result, "
        "round, standings, completion.",
    ),
    _LOG(
        11,
        "Registrations that do not come in time are a WARNING, and trouble with a referee is an ERROR in "
        "the league log.",
    ),
    _LOG(
        12,
        "The manager's own log is LM01.log.jsonl.",
    ),
    _PORT(
        1,
        "Manager 8000, referees 8001 and 8002, players 8101 to 8104, each at `/mcp`.",
    ),
    _PORT(
        2,
        "Each agent is an HTTP server on its assigned port.",
    ),
    _PORT(
        3,
        "Each agent takes POST at `/mcp`.",
    ),
    _PORT(
        4,
        "Each agent takes JSON bodies.",
    ),
    _PORT(
        5,
        "Each agent answers in JSON.",
    ),
    _PORT(
        6,
        "Each agent serves requests at the same time.",
    ),
    _PORT(
        7,
        "Each agent answers errors as errors, and continues.",
    ),
    _PROTO(
        1,
        "The protocol is league.v1.",
        decision="0051-two-dialects-under-one-roof",
        reading="league.v2 is spoken, as 000, 002 and 004 have it; league.v1 to and from agents that speak it.",
    ),
    _PROTO(
        2,
        "The version is 2.1.0, the oldest supported one 2.0.0.",
    ),
    _PROTO(
        3,
        "Every message has league_id, round_id and match_id.",
        decision="0034-the-envelope",
        reading="Game messages have; others carry those that they are about.",
    ),
    _PROTO(
        4,
        "league_id and conversation_id are UUIDs.",
        decision="0011-identifiers",
        reading="The league's id is as configured; conversation ids are UUIDs when written and any text when read.",
    ),
    _PROTO(
        5,
        "Match ids are R<round>M<match>, rounds are integers from 1.",
    ),
    _PROTO(
        6,
        "Senders are league_manager, referee and player_<id>.",
        decision="0051-two-dialects-under-one-roof",
        reading="That is v1's spelling, with referee_REF01 as in the examples; league.v2 writes referee:REF01.",
    ),
    _PROTO(
        7,
        "All times are in UTC and end in Z; another offset is refused with E021.",
    ),
    _PROTO(
        8,
        "+00:00 is not accepted as UTC.",
        decision="0034-the-envelope",
        reading="It is read, because 004 allows it and it is the same time; Z is written.",
    ),
    _LIMIT(
        1,
        "Registration has 10 seconds.",
    ),
    _LIMIT(
        2,
        "A join has 5 seconds, or the match is forfeited.",
        decision="0023-time-limits-and-retries",
        reading="After the tries of the retry policy.",
    ),
    _LIMIT(
        3,
        "A choice has 30 seconds, or it is a technical loss with 0 points.",
        decision="0023-time-limits-and-retries",
        reading="After the tries of the retry policy.",
    ),
    _LIMIT(
        4,
        "GAME_OVER has 5 seconds.",
        decision="0023-time-limits-and-retries",
        reading="10, as in 000 and 002; it decides nothing.",
    ),
    _LIMIT(
        5,
        "MATCH_RESULT_REPORT and LEAGUE_QUERY have 10 seconds, and so has everything else.",
    ),
    _TYPE(
        1,
        "All 18 message types exist, from their sender to their receiver.",
    ),
    _TYPE(
        2,
        "REFEREE_REGISTER_REQUEST is implemented.",
    ),
    _TYPE(
        3,
        "REFEREE_REGISTER_RESPONSE is implemented.",
    ),
    _TYPE(
        4,
        "LEAGUE_REGISTER_REQUEST is implemented.",
    ),
    _TYPE(
        5,
        "LEAGUE_REGISTER_RESPONSE is implemented.",
    ),
    _TYPE(
        6,
        "ROUND_ANNOUNCEMENT is implemented.",
    ),
    _TYPE(
        7,
        "LEAGUE_STANDINGS_UPDATE is implemented.",
    ),
    _TYPE(
        8,
        "ROUND_COMPLETED is implemented.",
    ),
    _TYPE(
        9,
        "LEAGUE_COMPLETED is implemented.",
    ),
    _TYPE(
        10,
        "GAME_INVITATION is implemented.",
    ),
    _TYPE(
        11,
        "GAME_JOIN_ACK is implemented.",
    ),
    _TYPE(
        12,
        "CHOOSE_PARITY_CALL is implemented.",
    ),
    _TYPE(
        13,
        "PARITY_CHOICE, the answer to the call, is implemented.",
        decision="0051-two-dialects-under-one-roof",
        reading="In league.v2 CHOOSE_PARITY_RESPONSE is written, and PARITY_CHOICE is read as well.",
    ),
    _TYPE(
        14,
        "GAME_OVER is implemented.",
    ),
    _TYPE(
        15,
        "MATCH_RESULT_REPORT is implemented.",
    ),
    _TYPE(
        16,
        "TIMEOUT_ERROR is implemented.",
        decision="0007-error-codes-and-numbers",
        reading="As GAME_ERROR with E001.",
    ),
    _TYPE(
        17,
        "INVALID_MOVE_ERROR is implemented.",
        decision="0007-error-codes-and-numbers",
        reading="As GAME_ERROR with E004.",
    ),
    _TYPE(
        18,
        "A player declares display name, semantic version, protocol version, games with even_odd among "
        "them, and endpoint.",
        decision="0034-the-envelope",
        reading="A protocol version that is left out counts as the present one; it is declared by all our players.",
    ),
    _TYPE(
        19,
        "Shapes with game_info, game_state, choice.value and result of v1.",
        decision="0051-two-dialects-under-one-roof",
        reading="In league.v1.",
    ),
    _CODE(
        1,
        "E001, E003, E004, E005, E009, E011, E012, E018 and E021 mean what the table says, and each is reachable.",
    ),
    _GAME(
        1,
        "A match is one round, both choose without seeing the other's choice.",
    ),
    _GAME(
        2,
        "Both are asked at the same time and have 30 seconds.",
    ),
    _GAME(
        3,
        "The referee draws from 1 to 10 after both have chosen.",
    ),
    _GAME(
        4,
        "The player whose choice fits the number wins.",
    ),
    _GAME(
        5,
        "Points are 3 for a win, 1 each for a draw, 0 for a loss.",
    ),
    _COMPL(
        1,
        "All messages conform to league.v1.",
        decision="0051-two-dialects-under-one-roof",
        reading="To and from agents that speak it; to league.v2 else.",
    ),
    _COMPL(
        2,
        "All base fields are in every message.",
    ),
    _COMPL(
        3,
        "All fields have the right types.",
    ),
    _COMPL(
        4, "league_id and conversation_id are valid UUIDs.", decision="0011-identifiers", reading="Only in league.v1."
    ),
    _COMPL(
        5,
        "All times are ISO 8601.",
    ),
    _COMPL(
        6,
        "Senders identify themselves rightly.",
        decision="0034-the-envelope",
        reading="A sender must be the agent whose token it shows.",
    ),
    _SEQ(1, "The manager starts first.", decision="0015-start-order-is-free", reading="Or in any order."),
    _SEQ(2, "Referees start and register.", decision="0015-start-order-is-free", reading="They wait for the manager."),
    _SEQ(3, "Players start and register.", decision="0015-start-order-is-free", reading="They wait for the manager."),
    _SEQ(
        4,
        "The league starts only when all registrations are in.",
        decision="0015-start-order-is-free",
        reading="Or when the time is up with enough players, or when the operator says so.",
    ),
    _MATCH(
        1,
        "WAITING_FOR_PLAYERS waits for both GAME_JOIN_ACK, 5 seconds.",
    ),
    _MATCH(
        2,
        "COLLECTING_CHOICES calls both and collects their choices, 30 seconds.",
    ),
    _MATCH(
        3,
        "DRAWING_NUMBER draws from 1 to 10 and decides.",
    ),
    _MATCH(
        4,
        "FINISHED tells the players and reports to the league.",
    ),
    _ROBIN(
        1,
        "For four players the six matches, seats and rounds are those of the table.",
    ),
    _ROBIN(
        2,
        "There are 3 rounds.",
    ),
    _ROBIN(
        3,
        "There are 2 matches a round.",
    ),
    _ROBIN(
        4,
        "There are 6 matches.",
    ),
    _SCORE(
        1,
        "The winner gets 3 points.",
    ),
    _SCORE(
        2,
        "A draw gives 1 point each.",
    ),
    _SCORE(
        3,
        "The loser gets 0 points.",
    ),
    _SCORE(
        4,
        "The ranking goes by total points.",
    ),
    _DOC(
        1,
        "protocol_spec.md has every message type with its schema, and the state transitions.",
        kind="documentation",
    ),
    _DOC(
        2,
        "ARCHITECTURE.md has a diagram, the three layers, duties of the parts and the flow of data.",
        kind="documentation",
    ),
    _DOC(
        3,
        "message_examples/ has a JSON example of each message type by category.",
        kind="documentation",
    ),
    _DOC(
        4,
        "Diagrams of architecture, message flow and states as PNG or SVG.",
        decision="0001-folder-layout",
        reading="As Mermaid made from the tables, so that they cannot be out of date.",
        kind="documentation",
    ),
    _DOC(
        5,
        "README.md has overview, set-up, how to run, ports and troubleshooting.",
        kind="documentation",
    ),
    _DOC(
        6,
        "AGENT_STRATEGY.md explains each player's strategy in at most 500 words, its decisions and its "
        "model of opponents.",
        kind="documentation",
    ),
    _DOC(
        7,
        "MATHEMATICAL_FOUNDATIONS.md has probabilities, expected values, ranking and the mathematics of the schedule.",
        kind="documentation",
    ),
    _DOC(
        8,
        "Test results and known limitations are documented.",
        kind="documentation",
    ),
    _LM(
        1,
        "Starts an HTTP server on port 8000.",
    ),
    _LM(
        2,
        "Accepts and validates referees' registrations.",
    ),
    _LM(
        3,
        "Accepts and validates players' registrations.",
    ),
    _LM(
        4,
        "Makes the round-robin schedule after all registrations.",
    ),
    _LM(
        5,
        "Sends ROUND_ANNOUNCEMENT to all players.",
    ),
    _LM(
        6,
        "Follows results by MATCH_RESULT_REPORT.",
    ),
    _LM(
        7,
        "Calculates standings after each round.",
    ),
    _LM(
        8,
        "Sends LEAGUE_STANDINGS_UPDATE after each round.",
    ),
    _LM(
        9,
        "Sends ROUND_COMPLETED after all matches of a round.",
    ),
    _LM(
        10,
        "Sends LEAGUE_COMPLETED after all rounds.",
    ),
    _REF(
        1,
        "Starts an HTTP server on its port, 8001 or 8002.",
    ),
    _REF(
        2,
        "Registers with the manager when it starts.",
    ),
    _REF(
        3,
        "Has the state machine of a match.",
    ),
    _REF(
        4,
        "Sends GAME_INVITATION to both players.",
    ),
    _REF(
        5,
        "Collects GAME_JOIN_ACK within 5 seconds.",
    ),
    _REF(
        6,
        "Sends CHOOSE_PARITY_CALL to both players.",
    ),
    _REF(
        7,
        "Collects the choices within 30 seconds.",
    ),
    _REF(
        8,
        "Draws a number from 1 to 10.",
    ),
    _REF(
        9,
        "Decides by parity who won.",
    ),
    _REF(
        10,
        "Sends GAME_OVER to both players.",
    ),
    _REF(
        11,
        "Sends MATCH_RESULT_REPORT to the manager.",
    ),
    _REF(
        12,
        "Handles time-outs and invalid moves.",
    ),
    _PLAYER(
        1,
        "Starts an HTTP server on its port, 8101 to 8104.",
    ),
    _PLAYER(
        2,
        "Registers with the manager when it starts.",
    ),
    _PLAYER(
        3,
        "Handles ROUND_ANNOUNCEMENT.",
    ),
    _PLAYER(
        4,
        "Answers GAME_INVITATION with GAME_JOIN_ACK within 5 seconds.",
    ),
    _PLAYER(
        5,
        "Answers CHOOSE_PARITY_CALL with its choice within 30 seconds.",
    ),
    _PLAYER(
        6,
        "Handles GAME_OVER.",
    ),
    _PLAYER(
        7,
        "Handles LEAGUE_STANDINGS_UPDATE.",
    ),
    _PLAYER(
        8,
        "Has a strategy for choosing even or odd.",
    ),
    _PLAYER(
        9,
        "Logs everything it does.",
    ),
    _CAP(
        1,
        "Every message is validated against its schema.",
    ),
    _CAP(
        2,
        "An agent keeps game history and a model of its opponents.",
    ),
    _CAP(
        3,
        "Perception, decision and action are separate parts of a player.",
    ),
    _CAP(
        4,
        "Several games at once are handled.",
    ),
    _CAP(
        5,
        "A peer that disconnects is handled without harm to others.",
    ),
    _CAP(
        6,
        "Messages that come again, or after a restart, do no harm.",
    ),
    _CAP(
        7,
        "Strategies random, frequency and pattern are there as described.",
    ),
    _CAP(
        8,
        "Invalid endpoints and claims of games one does not play are found out.",
    ),
    _CAP(
        9,
        "Nothing crashes, hangs or is left behind during games.",
    ),
    _PHASE(
        1,
        "All messages of a league are valid by their schema.",
    ),
    _PHASE(
        2,
        "Fifty games in a row pass without a time-out.",
    ),
    _PHASE(
        3,
        "A player wins more than 60 % of 100 games against a random one.",
        decision="0017-win-rate-against-random",
        reading="Impossible in a fair game: against a random opponent every strategy wins a quarter, "
        "draws half and loses a quarter of its matches.",
    ),
    _PHASE(
        4,
        "It was tested against random, deterministic and mirroring players.",
    ),
    _PHASE(
        5,
        "A mirror strategy copies the opponent's last move.",
    ),
    _PHASE(
        6,
        "Submission, checkpoints and rankings of the class.",
        decision="0031-course-logistics",
        reading="Not software.",
    ),
    _TEST_P(
        1,
        "All message types validate against their JSON schema.",
    ),
    _TEST_P(
        2,
        "Required fields are demanded in all messages.",
    ),
    _TEST_P(
        3,
        "Types of all fields are demanded.",
    ),
    _TEST_P(4, "UUID formats are validated.", decision="0011-identifiers", reading="Only league.v1 demands UUIDs."),
    _TEST_P(
        5,
        "Formats of timestamps are validated.",
    ),
    _TEST_A(
        1,
        "Registration with the manager is tested.",
    ),
    _TEST_A(
        2,
        "The referee's transitions are tested.",
    ),
    _TEST_A(
        3,
        "A player's answers to all messages are tested.",
    ),
    _TEST_A(
        4,
        "Time-outs are tested.",
    ),
    _TEST_A(
        5,
        "Error messages are tested.",
    ),
    _TEST_I(
        1,
        "The whole registration of referees and players is tested.",
    ),
    _TEST_I(
        2,
        "A whole match is tested.",
    ),
    _TEST_I(
        3,
        "A whole round is tested.",
    ),
    _TEST_I(
        4,
        "A whole league is tested.",
    ),
    _TEST_E(
        1,
        "A player that does not join in time.",
    ),
    _TEST_E(
        2,
        "A player that does not choose in time.",
    ),
    _TEST_E(
        3,
        "An invalid choice.",
    ),
    _TEST_E(
        4,
        "Malformed JSON.",
    ),
    _TEST_E(
        5,
        "Missing required fields.",
    ),
    _TEST_E(
        6,
        "A double registration.",
    ),
    _TEST_E(
        7,
        "An agent that disconnects in mid-game.",
    ),
    _TEST_E(
        8,
        "Messages handled at the same time.",
    ),
    _TEST_E(
        9,
        "Messages out of order.",
    ),
    _TEST_E(
        10,
        "Latency of the network.",
    ),
    _COV(
        1,
        "At least 70 % overall.",
        decision="0049-coverage-is-a-bar-of-its-own",
        reading="The bar is set higher, at 95 % of branches, and enforced by `make coverage`.",
    ),
    _COV(
        2, "At least 85 % of the agents' handlers.", decision="0001-folder-layout", reading="Part of the bar of 95 %."
    ),
    _COV(3, "At least 90 % of protocol validation.", decision="0001-folder-layout", reading="100 % is demanded."),
    _SDK(
        1,
        "Configuration classes fit the JSON schemas.",
    ),
    _SDK(
        2,
        "ConfigLoader demands required fields.",
    ),
    _SDK(
        3,
        "Repositories take a missing file gracefully.",
    ),
    _SDK(
        4,
        "The logger writes valid JSON Lines.",
    ),
    _SDK(
        5,
        "All times are ISO 8601 in UTC.",
    ),
    _SDK(
        6,
        "Files may be written from several threads or tasks at once without damage.",
    ),
    _SDK(
        7,
        "All public functions have type hints.",
    ),
    _SDK(
        8,
        "ConfigLoader reads each file once, when it is first asked for.",
    ),
    _SDK(
        9,
        "get_referee_by_id and get_player_by_id find an agent or say that there is none.",
    ),
    _SDK(
        10,
        "The repositories have load, save, update_player, add_round, save_match, get_match, "
        "list_matches, get_history and add_match_result.",
    ),
    _SDK(
        11,
        "JsonLogger, AgentLogger and LeagueLogger have the methods shown.",
    ),
    _IMPL(
        1,
        "The league layer shows a leaderboard.",
    ),
    _IMPL(
        2,
        "Registrations are validated.",
    ),
    _IMPL(
        3,
        "The handshake with both players comes before moves.",
    ),
    _IMPL(
        4,
        "Moves are validated by the game layer.",
    ),
    _IMPL(
        5,
        "The game layer tracks turns.",
    ),
    _IMPL(
        6,
        "More than one hundred games are played in tests.",
    ),
    _IMPL(
        7,
        "Fifty games in a row are played without a crash.",
    ),
    _IMPL(
        8,
        "Games at the same time are tested.",
    ),
    _IMPL(
        9,
        "A player beats more than three kinds of opponents in tests.",
        decision="0017-win-rate-against-random",
        reading="It plays against more than three kinds; winning cannot be demanded of a fair game.",
    ),
    _IMPL(
        10,
        "Reading the specification, setting up and packaging for submission.",
        decision="0031-course-logistics",
        reading="Steps of work, not behaviour.",
    ),
    _TECH(
        1,
        "Messages validate against the given JSON schema with league.v1 as a constant.",
        decision="0051-two-dialects-under-one-roof",
        reading="Those of league.v1, but for the senders of its examples; league.v2 has schemas of its own.",
    ),
    _TECH(
        2,
        "Referees have ports 8001 to 8099, players 8100 to 8199.",
    ),
    _TECH(
        3,
        "Times are written with milliseconds.",
    ),
    _RES(
        1,
        "There are 3 tries with pauses from 2 seconds, doubling.",
        decision="0023-time-limits-and-retries",
        reading="max_retries and backoff_base_sec in system.json.",
    ),
    _RES(
        2,
        "A breaker opens after 5 failures, for 60 seconds, then lets one call through.",
        decision="0023-time-limits-and-retries",
        reading="After 5 failures for 30 seconds, as in 001; both are settings.",
    ),
    _RES(
        3,
        "Credentials are agent id, token and league id, kept by the agent after registration.",
    ),
    _RES(
        4,
        "Authenticated messages carry token and league id.",
    ),
    _RES(
        5,
        "Methods handle_game_invitation, choose_parity and notify_match_result posted as bare JSON-RPC are answered.",
    ),
    _RES(
        6,
        "The reference schedule numbers all pairs in one round.",
        decision="0022-ranking-and-pairings",
        reading="003's own table of rounds holds.",
    ),
    _RES(
        7,
        "The winner's logic is that of determine_winner.",
    ),
)
