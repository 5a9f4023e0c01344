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
    ),
    _PRIN(
        2,
        "All communication goes by league.v2.",
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
    ),
    _PRIN(
        5,
        "Time limits, retries and circuit breakers are used on every outgoing call.",
    ),
    _PRIN(
        6,
        "Everything is logged as JSONL.",
    ),
    _LAYER(
        1,
        "The manager keeps the registry, makes the schedule, holds the standings, announces rounds and "
        "names the champion.",
    ),
    _LAYER(
        2,
        "A referee runs matches, applies the game's rules through the game's module, keeps time and "
        "records the transcript.",
    ),
    _LAYER(
        3,
        "A player executes its strategy in time, remembers its matches and learns from opponents.",
    ),
    _LAYER(
        4,
        "Standings, rounds and the league log belong to the manager; the match file to the referee; the "
        "history to the player.",
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
    ),
    _COMP(
        3,
        "Messages are sent to many agents in parallel.",
    ),
    _COMP(
        4,
        "The game logic is a module of its own that draws and decides.",
    ),
    _COMP(
        5,
        "Strategies are random, pattern-based and, as an option, driven by a language model.",
        decision="0050-players-with-a-language-model",
        reading="The language model comes with an extra, since most players do without.",
    ),
    _COMP(
        6,
        "A player keeps wins, losses, draws, points, opponents' patterns and its win rate.",
    ),
    _COMP(
        7,
        "Every message type is a typed pydantic model.",
    ),
    _COMP(
        8,
        "ConfigLoader loads system, agents, leagues and games lazily, caches them, and finds a referee "
        "or player by id.",
    ),
    _COMP(
        9,
        "JsonLogger has debug, info, warning, error, log_message_sent and log_message_received.",
    ),
    _COMP(
        10,
        "The client retries with exponential backoff and has a circuit breaker.",
    ),
    _COMP(
        11,
        "Repositories read and write standings, rounds, matches and player histories.",
    ),
    _ENV(
        1,
        "Every message has protocol, message_type, sender, timestamp and conversation_id, and auth_token "
        "once registered.",
    ),
    _ENV(
        2,
        "Senders are written as type and id; the manager signs with its id.",
        decision="0034-the-envelope",
        reading="`league_manager` is written; `league_manager:<id>` is read.",
    ),
    _ENV(
        3,
        "Timestamps are ISO 8601 in UTC with Z.",
    ),
    _ENV(
        4,
        "The token is a JWT or a hash, and empty for registration.",
        decision="0016-tokens",
        reading="An opaque random text; registration carries none, or the previous one to take the seat again.",
    ),
    _RPC(
        1,
        "Requests with method, params and id posted to `/mcp` are understood, and answered with result "
        "or error and the same id.",
    ),
    _RPC(
        2,
        "A missing field is answered with -32602 and the field's name in the data.",
    ),
    _FLOW(
        1,
        "A league runs through registration, announcement, matches, results, standings, round completion "
        "and league completion in that order.",
    ),
    _FLOW(
        2,
        "A match runs through invitations, joins, calls, moves, draw, GAME_OVER and report in that order.",
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
        decision="0023-time-limits-and-retries",
        reading="It is tried again and then is a technical loss, as in 000, 002 and 003.",
    ),
    _TIME(
        2,
        "A move that does not come within 30 seconds is tried again up to 3 times and then is a technical loss.",
    ),
    _TIME(
        3,
        "Other answers have 10 seconds and are tried again with exponential backoff.",
    ),
    _TIME(
        4,
        "HTTP requests have 5 seconds and a circuit breaker.",
        decision="0023-time-limits-and-retries",
        reading="The 5 seconds are for opening a connection; a call has the one limit of its message, "
        "because a second one beneath it would cut moves short.",
    ),
    _DIR(
        1,
        "Configuration lies in system.json, agents/agents_config.json, leagues/<league>.json, "
        "games/games_registry.json and defaults/{referee,player}.json.",
        decision="0001-folder-layout",
        reading="Under config/ at the top, without SHARED/.",
    ),
    _DIR(
        2,
        "Runtime data lie in leagues/<league>/{standings,rounds}.json, matches/<league>/ and "
        "players/<player>/history.json.",
        decision="0001-folder-layout",
        reading="Under data/; match files are named <match>.json, as in 003.",
    ),
    _DIR(
        3,
        "Logs lie in league/<league>/league.log.jsonl and agents/<agent>.log.jsonl.",
        decision="0001-folder-layout",
        reading="Under logs/.",
    ),
    _DIR(
        4,
        "Runtime data and logs are not under version control.",
    ),
    _DIR(
        5,
        "System-wide events go to logs/system/startup.log.jsonl.",
    ),
    _CONF(
        1,
        "system.json holds protocol version, network ports, time limits, retry policy, circuit breaker and logging.",
    ),
    _CONF(
        2,
        "agents_config.json holds manager, referees and players with endpoint, version, games and, for "
        "players, a strategy.",
        decision="0014-config-is-read-only",
        reading="Both 001's and 003's field names are read.",
    ),
    _CONF(
        3,
        "The league file holds game, format, points by result, numbers of participants, schedule and rules.",
        decision="0014-config-is-read-only",
        reading="The fields of 003; the rules of a game are the game's.",
    ),
    _CONF(
        4,
        "A breaker opens after 5 failures, for 30 seconds, and lets one call through to test.",
        decision="0023-time-limits-and-retries",
        reading="The numbers are settings, and these are their defaults; the 60 seconds of 003 are one "
        "line in system.json.",
    ),
    _CONF(
        5,
        "Log files rotate at the configured size.",
    ),
    _DATA(
        1,
        "standings.json has league id, a version that grows, time, completed rounds and a row a player.",
    ),
    _DATA(
        2,
        "A match file has its ids, game, referee, players, the states with their times, the numbered "
        "transcript and the result.",
    ),
    _STATE(
        1,
        "An agent goes from INIT by registration to REGISTERED, ACTIVE, SUSPENDED and SHUTDOWN.",
        decision="0025-state-machines",
        reading="The table of 003 holds, without REGISTERING; SUSPENDED returns to ACTIVE.",
    ),
    _STATE(
        2,
        "A match goes CREATED, WAITING_FOR_PLAYERS, COLLECTING_CHOICES, DRAWING_NUMBER, FINISHED, REPORTED.",
        decision="0025-state-machines",
        reading="Failed joins and moves are outcomes of a match, not states; ABORTED is for a match that "
        "the referee gives up.",
    ),
    _STATE(
        3,
        "A league goes through registration, schedule, play and end.",
        decision="0025-state-machines",
        reading="WAITING_FOR_REGISTRATIONS, SCHEDULED, RUNNING, COMPLETED and STOPPED; referees and "
        "players may come in any order.",
    ),
    _ERR(
        1,
        "Codes E012, E013, E014, E001, E002 and E003 mean an invalid token, an unregistered player, an "
        "unknown league, a time-out, an invalid choice and a disconnection.",
        decision="0007-error-codes-and-numbers",
        reading="The settled table holds: unregistered player E005, invalid choice E004, connection E009.",
    ),
    _ERR(
        2,
        "Retries wait 1, 2, 4 seconds.",
        decision="0023-time-limits-and-retries",
        reading="The base is the setting backoff_base_sec, 2 by default, with full jitter.",
    ),
    _ERR(
        3,
        "A breaker is CLOSED, OPEN and HALF_OPEN, and closes again after a success and opens again after "
        "a failure on trial.",
    ),
    _ERR(
        4,
        "Every asynchronous call is bounded by a time limit, and running out of it is logged.",
    ),
    _SEC(
        1,
        "The manager issues a token at registration, and messages afterwards carry one that is checked.",
    ),
    _SEC(
        2,
        "Tokens have the form tok_<hash>.",
        decision="0016-tokens",
        reading="Tokens are opaque; only their digest is stored.",
    ),
    _SEC(
        3,
        "Message type, sender, timestamp, choice and match id are validated on every input.",
    ),
    _DEP(
        1,
        "Each agent is a process of its own on its own port.",
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
    ),
    _DEP(
        4,
        "The league starts by itself when all are registered, or by POST /admin/start_league.",
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
    ),
    _API(
        2,
        "POST /admin/start_league answers with status, league id and the numbers of players, rounds and matches.",
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
        decision="0051-two-dialects-under-one-roof",
        reading="After a bare acknowledgement; else the answer is the result of the referee's call.",
    ),
    _API(
        5,
        "A player's methods receive_round_announcement, receive_game_invitation, receive_parity_call, "
        "receive_game_over, receive_standings_update, receive_round_completed and "
        "receive_league_completed are understood.",
    ),
    _PERF(
        1,
        "A league takes up to 10 players and 10 referees by configuration.",
    ),
    _PERF(
        2,
        "A message is processed in less than 100 ms.",
        decision="0080-one-way-to-make-a-call",
        reading="`league bench` measures the p95 of every tool in a league under load.",
        missed="94 to 371 ms at 100 players; 57 to 116 ms at 50",
    ),
    _PERF(
        3,
        "A match with its waits lasts about a minute, a league of four about ten.",
        decision="0080-one-way-to-make-a-call",
        reading="Upper bounds: `league bench` measures how long they take, and docs/performance.md says it.",
    ),
    _PERF(
        4,
        "Matches of a round run in parallel over referees.",
    ),
    _PERF(
        5,
        "Connections are kept open and used again.",
    ),
    _PERF(
        6,
        "Input and output are asynchronous throughout.",
        decision="0018-asyncio-only",
        reading="On asyncio.",
    ),
    _FUT(
        1,
        "Dashboards and metrics.",
        decision="0057-a-page-without-an-application",
        reading="The league manager serves the page; metrics are for Prometheus.",
    ),
    _FUT(
        2,
        "PostgreSQL as the database, by URL.",
    ),
    _FUT(
        3,
        "Further games can be added.",
    ),
    _FUT(
        4,
        "A replay of matches.",
    ),
    _FUT(
        5,
        "Distributed deployment.",
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
        decision="0145-ratings-by-bradley-terry",
        reading="On Elo's scale, from all matches at once, with errors: `league ratings`.",
    ),
    _FUT(
        9,
        "Brackets.",
        decision="0121-formats-pair-round-by-round",
        reading="A knockout is a format; page and report draw its bracket.",
    ),
)
