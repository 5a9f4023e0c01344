"""Requirements from the project itself, in our own words."""

from tests.requirements.model import Requirement, Section

_RUN = Section("project", "RUN", "The main job")
_CLI = Section("project", "CLI", "The command line")
_CFG = Section("project", "CFG", "Configuration")
_PROTO = Section("project", "PROTO", "The protocol")
_AGENT = Section("project", "AGENT", "The agents")
_GAMES = Section("project", "GAMES", "Games")
_STATE = Section("project", "STATE", "State")
_API = Section("project", "API", "The public interface")
_END = Section("project", "END", "It always ends, and counts right")
_TRUST = Section("project", "TRUST", "Results that can be trusted")
_WIRE = Section("project", "WIRE", "Calls between agents")
_QUAL = Section("project", "QUAL", "How it is built")
_LEAVE = Section("project", "LEAVE", "Leaving and coming")
_LATER = Section("project", "LATER", "Further aims")

REQUIREMENTS: tuple[Requirement, ...] = (
    _RUN(
        1,
        "On a fresh clone `make run` sets everything up and plays four players and two referees to a "
        "champion, and ends with exit status 0.",
    ),
    _RUN(
        2,
        "Seven separate processes run, each an MCP server on its own port with a client inside.",
    ),
    _RUN(
        3,
        "A port in use is named in the error, and --port-base moves all of them.",
    ),
    _RUN(
        4,
        "The terminal shows phase, round, matches and standings as they change, then champion, duration "
        "and where the data lie.",
    ),
    _RUN(
        5,
        "Without a terminal there are plain lines, and --json prints one object and nothing else.",
    ),
    _RUN(
        6,
        "A second run starts a new league beside the old one.",
    ),
    _RUN(
        7,
        "A league of four has 6 matches, 3 rounds and at most 18 points.",
    ),
    _RUN(
        8,
        "Rounds may overlap where the schedule is settled beforehand: a match begins once both players are free. It is "
        "recorded, never the default, and refused where pairings follow from results.",
        decision="0160-rounds-that-overlap",
        reading="The rounds are still announced and completed in their order.",
    ),
    _CLI(
        1,
        "`league run` starts, supervises and stops everything, and leaves no process behind on success, "
        "failure or Ctrl-C.",
    ),
    _CLI(
        2,
        "Players are given as a count, as name and strategy, or as the address of an agent that runs elsewhere.",
    ),
    _CLI(
        3,
        "Referees, game, seed, time limits, data folder and league file can be chosen.",
    ),
    _CLI(
        4,
        "`--in-process` plays in one event loop over the same sockets.",
    ),
    _CLI(
        5,
        "`league manager`, `league referee` and `league player` run one agent each and may be started in any order.",
    ),
    _CLI(
        6,
        "`league start` and POST /admin/start_league begin a league by hand.",
    ),
    _CLI(
        7,
        "`league standings`, `schedule`, `matches`, `show` and `query` read a league.",
    ),
    _CLI(
        8,
        "`league doctor` checks versions, ports, configuration, folders and colliding names, and says what to do.",
    ),
    _CLI(
        9,
        "Every command has help with an example.",
    ),
    _CLI(
        10,
        "A stopped league continues with `league resume`.",
    ),
    _CLI(
        11,
        "`--players` counts the whole league, invited and named players among them.",
    ),
    _CLI(
        12,
        "`--port-base 0` takes any free ports, and the ranges of ports widen for large leagues.",
    ),
    _CLI(
        13,
        "The live view fits into 80 columns and 24 lines, with the newest news and technical losses.",
    ),
    _CLI(
        14,
        "A strategy that plays no legal move of the game is refused before the league starts.",
    ),
    _CLI(
        15,
        "SIGTERM is not told as if somebody had pressed Ctrl-C.",
    ),
    _CLI(
        16,
        "A class comes from its roster to its grades: each student has a join secret, bound to the player's name.",
    ),
    _CLI(
        17,
        "An instructor sees who of the class has a card, was checked, joined, plays, sits out or is missing.",
    ),
    _CLI(
        18,
        "A class's event is rehearsed with stand-ins by the real options, uses no card, and leaves nothing.",
    ),
    _CLI(
        19,
        "Grades over several leagues match students by the roster, and say who missed which.",
    ),
    _CFG(
        1,
        "Defaults give way to files, files to LEAGUE_ variables, those to flags.",
    ),
    _CFG(
        2,
        "A wrong setting is reported with file, field, value and what was expected.",
    ),
    _CFG(
        3,
        "The whole configuration works without any file.",
    ),
    _CFG(
        4,
        "A wrong value is told the rule of its own setting, and an unknown name the nearest one.",
    ),
    _CFG(
        5,
        "The configuration files that the documents print run as they stand.",
    ),
    _CFG(
        6,
        "A league's own time limits, delay between rounds and start date have their effect.",
    ),
    _CFG(
        7,
        "A league that waits for its start date says so, with the time.",
    ),
    _PROTO(
        1,
        "Every tool answers to its name and its aliases.",
    ),
    _PROTO(
        2,
        "Every query type is answered.",
    ),
    _PROTO(
        3,
        "Every error code is reachable and has a test.",
    ),
    _PROTO(
        4,
        "Every message has an example that validates.",
        kind="documentation",
    ),
    _PROTO(
        5,
        "A message that is rendered and parsed again is the same.",
    ),
    _PROTO(
        6,
        "A call with the token in an Authorization header is accepted.",
    ),
    _PROTO(
        7,
        "The operator's tools need the operator's token.",
    ),
    _PROTO(
        8,
        "A match can be played a step at a time by hand.",
    ),
    _PROTO(
        9,
        "All revisions of MCP that the SDK speaks are served.",
    ),
    _PROTO(
        10,
        "Agents that speak bare JSON-RPC can play.",
    ),
    _PROTO(
        11,
        "Unknown fields are ignored, missing ones derived where they are certain, others and mistyped ones refused.",
    ),
    _PROTO(
        12,
        "A state machine refuses what its table lacks.",
    ),
    _AGENT(
        1,
        "One referee runs many matches at once, each isolated.",
    ),
    _AGENT(
        2,
        "Strategies random, always-even, always-odd, alternating, frequency, pattern and mirror are there.",
    ),
    _AGENT(
        3,
        "A crash or a delay of a strategy is caught by the fallback.",
    ),
    _AGENT(
        4,
        "Session manager, tool registry, queue, retry and breaker take part in every outgoing call.",
    ),
    _AGENT(
        5,
        "The same agent that comes again gets its seat back.",
    ),
    _AGENT(
        6,
        "A player that cannot be called takes its messages at a seat of the league's, and plays as the others do.",
    ),
    _GAMES(
        1,
        "Even/Odd, rock-paper-scissors and tic-tac-toe each play a whole league through the same code.",
    ),
    _GAMES(
        2,
        "A new game or strategy is one file and is found and checked without being listed.",
    ),
    _GAMES(
        3,
        "Games of OpenSpiel are played by their name, and one that cannot keep a promise of a game is refused by the "
        "name of the promise before anything starts.",
    ),
    _GAMES(
        4,
        "In a game with hidden information, two worlds that a player cannot tell apart give it the same bytes.",
    ),
    _GAMES(
        5,
        "Near to an equilibrium, the first seat of Kuhn poker earns its known value, and more simulations win "
        "at connect four.",
    ),
    _GAMES(
        6,
        "A match may have three players or more: each is told all opponents, the places decide the points, and "
        "standings, ratings, page, report, export and audit show and count all of them.",
    ),
    _GAMES(
        7,
        "A game whose number of players does not fit the league's format is refused before anything starts, with the "
        "options that fit.",
    ),
    _GAMES(
        8,
        "In a host a game whose moves tell the position has its board: as text in the answer, and drawn as a resource.",
    ),
    _STATE(
        1,
        "An event is stored before anybody is told of it.",
    ),
    _STATE(
        2,
        "A restart folds the events and carries on.",
    ),
    _STATE(
        3,
        "A record that was changed shows.",
    ),
    _STATE(
        4,
        "A result counts once, however often it is reported.",
    ),
    _STATE(
        5,
        "Stores in memory, SQLite and PostgreSQL pass one suite.",
    ),
    _STATE(
        6,
        "Files people read are replaced whole.",
    ),
    _STATE(
        7,
        "Tokens never appear in logs or files.",
    ),
    _API(
        1,
        "A player is about ten lines with league_sdk.Player, shown in the README and executed by a test.",
        kind="documentation",
    ),
    _API(
        2,
        "A strategy is one function, and a game one class, shown in the documentation and executed by a test.",
        kind="documentation",
    ),
    _END(
        1,
        "A league ends with every match played, decided by a technical loss, or void with its cause, and "
        "is not called complete before.",
    ),
    _END(
        2,
        "One bad player stops nobody else.",
    ),
    _END(
        3,
        "Forged results are refused.",
    ),
    _END(
        4,
        "Nothing waits on a fixed sleep, and nothing depends on who came first.",
    ),
    _END(
        5,
        "Schedules for 2 to 60 players are even in rounds, sides, byes and referees.",
    ),
    _END(
        6,
        "Standings agree with a brute-force calculation.",
    ),
    _END(
        7,
        "A pairing may be a series of matches with the seats swapped, with points by match or by series; a series that "
        "is decided ends, and the audit follows it with code of its own.",
    ),
    _TRUST(
        1,
        "What registration accepts as an endpoint can be called; whatever else is refused with E019 and what is "
        "wrong with it.",
    ),
    _TRUST(
        2,
        "A league with an endpoint on record that cannot be called continues, and that agent counts as unreachable.",
    ),
    _TRUST(
        3,
        "No exception out of a call to an agent ends the manager or a referee; it is E099 in the log, tried again,"
        " and no player's loss.",
    ),
    _TRUST(
        4,
        "Whatever a player answers, the manager takes the referee's report of it.",
    ),
    _TRUST(
        5,
        "A refused report is sent again without its evidence, and a match that was decided is not played again.",
    ),
    _TRUST(
        6,
        "A match is played again only for reasons outside the players' reach.",
    ),
    _TRUST(
        7,
        "Replays and void matches are counted for each player, and an unlikely share is pointed out.",
    ),
    _TRUST(
        8,
        "A void match makes `league run` end with exit code 1, unless somebody was removed from it.",
    ),
    _LEAVE(
        1,
        "A player or referee withdraws by itself: what was played counts, a player's open matches are lost, "
        "a referee gets no new one, and the audit follows it.",
    ),
    _LEAVE(
        2,
        "Results of a player that leaves before half of its matches are decided count for nobody, where the league's "
        "rules say so before the start; the audit recomputes it.",
    ),
    _LEAVE(
        3,
        "A player enters a league that runs where its format takes it, with the points that the rules give for missed "
        "rounds; others refuse it in a sentence.",
    ),
    _LEAVE(
        4,
        "In a ladder neighbours meet, a winner from below takes the place above, and players come and go.",
    ),
    _LEAVE(
        5,
        "An endless ladder runs until its operator closes it, and names its champion then; players come and go, it "
        "survives a kill, and the audit follows its pairings and places.",
    ),
    _LEAVE(
        6,
        "The number of referees follows the open matches of a round between a fewest and a most: they join a league "
        "that runs, and leave it without a match being lost; a resumed league has those that it had.",
    ),
    _TRUST(
        9,
        "A player that answers to undo what it is losing loses what it would have lost.",
    ),
    _TRUST(
        10,
        "A player that was killed within a match and is back in time is asked again, and loses nothing.",
    ),
    _TRUST(
        11,
        "A referee that freezes is replaced within 15 to 20 seconds.",
    ),
    _TRUST(
        12,
        "The fork server is started again when it is killed, or a sentence says how to continue.",
    ),
    _TRUST(
        13,
        "The head of the records is kept outside the store, and `league audit` says what it could not check and "
        "what would let it.",
    ),
    _TRUST(
        14,
        "Times that run backwards and files of matches that were deleted are findings of the audit.",
    ),
    _TRUST(
        15,
        "A move that a strategy did not choose is told as substituted with its reason, counted wherever results "
        "are shown, and costs nothing.",
    ),
    _TRUST(
        16,
        "Nothing that an agent prints, and no reader of it that leaves, decides a match.",
    ),
    _TRUST(
        17,
        "The start and the end of every agent, and why it failed, stand in the log of the system.",
    ),
    _WIRE(
        1,
        "Every call between agents that speak MCP passes a client and a server of the official SDK.",
    ),
    _WIRE(
        2,
        "Protocol messages have times in whole seconds, with a deadline rounded up, and what is read may have any "
        "fraction.",
    ),
    _WIRE(
        3,
        "Two equal moves within a second are told apart by the turn that the answer repeats.",
    ),
    _WIRE(
        4,
        "A peer whose tools refuse fields that they do not know is sent what it takes.",
    ),
    _WIRE(
        5,
        "A message type as a method of bare JSON-RPC is understood, and for another method the right one is told.",
    ),
    _WIRE(
        6,
        "Servers and clients say the release of the project as their version.",
    ),
    _WIRE(
        7,
        "`league check` begins with a verdict, which is what becomes of the player in a league.",
    ),
    _WIRE(
        8,
        "A seat in an MCP host that is in no league says so, and takes no move for a match that it has not shown.",
    ),
    _WIRE(
        9,
        "An agent that waits for its manager says why.",
    ),
    _WIRE(
        10,
        "A redirect within the origin is followed once and its endpoint kept; any other is refused with the "
        "endpoint to use.",
    ),
    _WIRE(
        11,
        "`league check` takes answers that a player pushes to its referee, as a league does.",
    ),
    _WIRE(
        12,
        "A player that is invited by its URL is known by the name that its server gives, made unique, and never by "
        "one that the roster reserves.",
    ),
    _WIRE(
        13,
        "A refused or unknown call is a line in the log and on the operator's screen, limited in its rate.",
    ),
    _WIRE(
        14,
        "The page on writing agents has a player with the SDK's high-level server, which passes the check and plays.",
        kind="documentation",
    ),
    _QUAL(
        1,
        "Layers import one another in one direction only, checked by a test.",
    ),
    _QUAL(
        2,
        "No word of a game is in league_sdk, servers or clients.",
    ),
    _QUAL(
        3,
        "Every transport passes the same interaction suite.",
    ),
    _QUAL(
        4,
        "Domain and protocol are covered to the last branch, everything to 95 %.",
        decision="0049-coverage-is-a-bar-of-its-own",
        reading="`make coverage` fails below 95 %, and below 100 % in domain and protocol.",
    ),
    _QUAL(
        5,
        "The wheel installs in an empty environment and plays outside the checkout.",
    ),
    _QUAL(
        6,
        "State diagrams in the documentation are made from the tables.",
        kind="documentation",
    ),
    _QUAL(
        7,
        "Snippets in the documentation run.",
        kind="documentation",
    ),
    _QUAL(
        8,
        "A command, setting, tool, error code, event or public name that is not documented fails a test.",
        kind="documentation",
    ),
    _QUAL(
        9,
        "A documentation site with a place for every page, which links to nothing that is missing and loads nothing "
        "from elsewhere.",
        decision="0068-a-documentation-site",
        reading="Zensical builds it; `make site`.",
        kind="documentation",
    ),
    _LATER(
        1,
        "Draws that players can verify, and an audit of the log by independent code.",
        decision="0036-verifiable-draws-and-audit",
        reading="The audit shares no code with the league.",
    ),
    _LATER(
        2,
        "Recovery proved against kill -9 of every process at any moment.",
        decision="0039-matches-outlive-the-manager",
        reading="Processes are killed before and after every kind of event and message; `make soak` does it at length.",
    ),
    _LATER(
        3,
        "League checks for other people's agents, seats for MCP hosts, resources and prompts.",
        decision="0054-a-seat-for-an-mcp-host",
        reading="`league check` and `league host`; what hosts may look at is in 0053.",
    ),
    _LATER(
        4,
        "A benchmark and published performance numbers.",
        decision="0080-one-way-to-make-a-call",
        reading="`league bench`; docs/performance.md.",
    ),
    _LATER(
        5,
        "A web page, metrics, containers and a documentation site.",
        decision="0057-a-page-without-an-application",
        reading="The page is served by the league manager; looking needs no token, acting needs the operator's.",
    ),
    _LATER(
        6,
        "Players that ask a language model of any provider: within their time, their answers checked, tokens and cost "
        "recorded and shown, spending capped.",
        decision="0050-players-with-a-language-model",
        reading="The wire formats of Anthropic, Google and OpenAI are tried against a server of our own.",
    ),
    _LATER(
        7,
        "Health, readiness and metrics of every agent, a dashboard and alerts that fit the metrics, a match as one "
        "trace whose id stands in the logs, and containers that play a league.",
        decision="0065-containers",
        reading="There is no Docker where the tests run: image and compose file are linted, their commands are run.",
    ),
    _LATER(
        8,
        "A league shown to people in the terminal and in a file: followed from anywhere, played back step by step, "
        "reported in one HTML file and exported, with the same numbers everywhere, and nothing that an agent said as "
        "markup.",
        decision="0066-a-report-in-one-file",
        reading="The report holds what is public; the export is for whoever runs the league. No game that comes with "
        "the project has a notation that other programs read, so none is made up.",
    ),
    _LATER(
        9,
        "One manager of a league records at a time: a frozen one that wakes up behind another records nothing, says so "
        "and ends. A database that restarts or fails over, and a connection that breaks in an append, lose and double "
        "nothing.",
        decision="0159-the-fence-between-two-managers",
        reading="The fence is the number of the next record, which has one writer; a newcomer records its start first.",
    ),
    _LATER(
        10,
        "On a network that is cut, slow, loses packets or machines, or has clocks that differ by minutes, no result is "
        "lost or doubled, and nobody is blamed but who was away.",
        decision="0159-the-fence-between-two-managers",
        reading="Machines are network namespaces with addresses of their own. A slow link is a relay of packets: "
        "200 ms there and back, one packet in twenty lost.",
    ),
)
