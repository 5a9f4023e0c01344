"""Whole leagues, each agent behind a socket of its own, on ports that the system chooses."""

import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk.domain.events import event_from_json
from league_sdk.domain.league import League, fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.game import StrategyFunction
from league_sdk.settings import ConfigLoader, Workspace
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent
from tests.requirements.marker import requirement
from tests.servers.fakes import OPERATOR

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("leagues")]  # some look at the same one

NAMES = ("Ada", "Bea", "Cid", "Dot", "Eve")
STRATEGIES = ("random", "frequency", "mirror", "alternating", "pattern")
PAIRINGS_OF_003 = [
    [("P01", "P02"), ("P03", "P04")],
    [("P03", "P01"), ("P04", "P02")],
    [("P04", "P01"), ("P03", "P02")],
]
QUICK = {
    "retry_policy.backoff_base_sec": 0.01,
    "timeouts.move_timeout_sec": 5,
    "timeouts.generic_response_timeout_sec": 5,
    "heartbeat_interval_sec": 1,
}


@dataclass
class Played:
    """A league that was played.

    Attributes:
        codes: Exit code by agent's name.
        reports: What each agent reported, by name.
        workspace: Where it was played.
    """

    workspace: Path
    codes: dict[str, int] = field(default_factory=dict[str, int])
    reports: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])

    @property
    def records(self) -> list[Any]:
        return [report["record"] for report in self.reports["manager"] if report["kind"] == "record"]

    @property
    def league(self) -> League:
        return fold(event_from_json(record["type"], record["payload"]) for record in self.records)

    def results(self) -> dict[str, Any]:
        """The comparable part of every match: winner, score and reason."""
        return {
            match_id: (result.players, result.status, result.winner, dict(result.score), dict(result.details))
            for match_id, result in self.league.results.items()
        }


class Stage:
    """Starts agents in this event loop, and waits for what they report."""

    def __init__(self, workspace: Path, game: str, league_id: str, tasks: anyio.abc.TaskGroup) -> None:
        self.played = Played(workspace)
        self._game, self._league_id, self._tasks = game, league_id, tasks
        self._heard = anyio.Event()

    def spec(self, role: Role, name: str, **more: Any) -> AgentSpec:
        plain = AgentSpec(
            role,
            name,
            self.played.workspace,
            overrides=QUICK,
            operator_token=OPERATOR,
            game_types=(self._game,),
            league_id=self._league_id,
            seed="7",
        )
        return replace(plain, **more)

    def begin(self, spec: AgentSpec) -> None:
        self.played.reports[spec.name] = []

        async def run() -> None:
            self.played.codes[spec.name] = await run_agent(spec, self.listener(spec.name))

        self._tasks.start_soon(run)

    def listener(self, name: str) -> Callable[[Any], None]:
        """A recorder of an agent's reports."""

        def report(said: Any) -> None:
            self.played.reports[name].append(said)
            self._heard.set()
            self._heard = anyio.Event()

        return report

    async def until(self, name: str, kind: str, **fields: Any) -> Any:
        """Wait for a report of an agent."""
        while True:
            for report in self.played.reports.get(name, []):
                if report["kind"] == kind and all(report.get(key) == value for key, value in fields.items()):
                    return report
            await self._heard.wait()


@asynccontextmanager
async def stage(workspace: Path, game: str, league_id: str = "summer", limit: float = 60.0) -> AsyncGenerator[Stage]:
    with anyio.fail_after(limit):
        async with anyio.create_task_group() as tasks:
            yield Stage(workspace, game, league_id, tasks)


async def play(
    workspace: Path,
    game: str,
    players: int,
    *,
    strategies: Sequence[str] = STRATEGIES,
    functions: Mapping[str, StrategyFunction] | None = None,
    league_id: str = "summer",
    **more_rules: Any,
) -> Played:
    """Play one league with so many players and two referees, from start to end; `functions` by player's name."""
    names = NAMES[:players]
    config = ConfigLoader(overrides=QUICK)
    rules = config.league_rules(
        config.league_for_game(game),
        as_id=league_id,
        expected_players=players,
        expected_referees=2,
        seed="7",
        roster={name: f"P{number:02d}" for number, name in enumerate(names, start=1)},
        referee_roster={"Whistle": "REF01", "Flag": "REF02"},
        **more_rules,
    )
    async with stage(workspace, game, league_id) as on:
        on.begin(on.spec(Role.LEAGUE_MANAGER, "manager", rules=rules))
        manager_url = (await on.until("manager", "listening"))["endpoint"]
        for name, strategy in zip(names, strategies, strict=False):
            function = (functions or {}).get(name)
            on.begin(on.spec(Role.PLAYER, name, strategy=strategy, function=function, manager_url=manager_url))
        for name in ("Flag", "Whistle"):
            on.begin(on.spec(Role.REFEREE, name, manager_url=manager_url))
    return on.played


GAMES = ["even_odd", "rock_paper_scissors", "tic_tac_toe"]
_ONCE: dict[str, Played] = {}


def mix(game: str) -> Sequence[str]:
    """Strategies that fit the game."""
    return STRATEGIES if game == "even_odd" else ("random",) * 4


async def four_players(folders: pytest.TempPathFactory, game: str) -> Played:
    """A league of four that is played once, however many tests look at it."""
    if game not in _ONCE:
        _ONCE[game] = await play(folders.mktemp(game), game, 4, strategies=mix(game))
    return _ONCE[game]


@requirement(
    "000-REF-START-01",
    "000-REF-START-02",
    "000-PL-START-01",
    "000-PL-INV-01",
    "001-LAYER-01",
    "002-NOTE-06",
    "003-FORMAT-03",
    "003-PORT-02",
    "003-LM-01",
    "003-REF-01",
    "003-REF-02",
    "003-PLAYER-01",
    "003-PLAYER-02",
    "003-CAP-09",
    "003-TEST-I-01",
    "003-TEST-I-04",
    "004-OBJ-07",
    "004-ARCH-05",
    "004-FLOW-02",
    "004-DEP-01",
    "project-RUN-02",
    "project-RUN-07",
    "project-GAMES-01",
)
@pytest.mark.parametrize("game", GAMES)
async def test_four_players_meet_as_the_table_says_and_everything_adds_up(
    tmp_path_factory: pytest.TempPathFactory, game: str
):
    played = await four_players(tmp_path_factory, game)
    league = played.league
    assert set(played.codes.values()) == {0}
    assert len(played.codes) == 7
    assert league.state is LeagueState.COMPLETED
    assert [[fixture.players for fixture in round_.fixtures] for round_ in league.rounds] == PAIRINGS_OF_003
    assert len(league.results) == 6
    assert not league.voided
    table = league.standings()
    points = sum(row.points for row in table)
    assert points == sum(sum(result.score.values()) for result in league.results.values())
    assert 12 <= points <= 18
    assert {row.played for row in table} == {3}
    assert all(row.wins * 3 + row.draws == row.points for row in table)
    assert league.champions == tuple(row.player_id for row in table if row.rank == 1)
    assert Counter(result.referee_id for result in league.results.values()) == {"REF01": 3, "REF02": 3}
    assert {result.attempt for result in league.results.values()} == {1}
    assert all(result.faults == () for result in league.results.values())
    lines = (played.workspace / "logs" / "system" / "startup.log.jsonl").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    for event_type in ("AGENT_STARTED", "AGENT_ENDED"):
        told = Counter(entry["role"] for entry in entries if entry["event_type"] == event_type)
        assert told == {"league_manager": 1, "referee": 2, "player": 4}
    assert {entry["exit_code"] for entry in entries if "exit_code" in entry} == {0}


@requirement("project-GAMES-01")
@pytest.mark.parametrize("game", GAMES)
async def test_the_same_seed_gives_the_same_results(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, game: str
):
    first, second = await four_players(tmp_path_factory, game), await play(tmp_path, game, 4, strategies=mix(game))
    assert first.results() == second.results()
    assert first.league.champions == second.league.champions


async def test_five_players_have_a_bye_each_and_meet_everybody_once(tmp_path: Path):
    played = await play(tmp_path, "even_odd", 5)
    league = played.league
    assert sorted(bye for round_ in league.rounds for bye in round_.byes) == ["P01", "P02", "P03", "P04", "P05"]
    meetings = [frozenset(result.players) for result in league.results.values()]
    assert len(meetings) == len(set(meetings)) == 10
    assert {row.played for row in league.standings()} == {4}


@requirement(
    "000-LM-START-03",
    "000-LM-PLAY-10",
    "000-LM-ROUND-05",
    "000-LM-RESULT-05",
    "000-LM-LCOMP-04",
    "000-PL-START-01",
    "003-LOG-10",
    "003-LOG-12",
    "001-DIR-05",
)
async def test_what_lies_in_the_folders_afterwards(tmp_path_factory: pytest.TempPathFactory):
    played = await four_players(tmp_path_factory, "even_odd")
    folder = Workspace(played.workspace)
    standings = json.loads((folder.data / "leagues" / "summer" / "standings.json").read_text())
    assert [row["player_id"] for row in standings["standings"]] == [row.player_id for row in played.league.standings()]
    matches = sorted(path.stem for path in (folder.data / "matches" / "summer").glob("*.json"))
    assert matches == ["R1M1", "R1M2", "R2M1", "R2M2", "R3M1", "R3M2"]
    match = json.loads((folder.data / "matches" / "summer" / "R1M1.json").read_text())
    kinds = [entry["message_type"] for entry in match["transcript"]]
    assert kinds[0] == "GAME_INVITATION"
    assert kinds.count("CHOOSE_PARITY_RESPONSE") == 2
    for player in ("P01", "P02", "P03", "P04"):
        history = json.loads((folder.data / "players" / player / "history.json").read_text())
        assert history["stats"]["total_matches"] == 3
    league_log = [
        json.loads(line)["event_type"]
        for line in (folder.logs / "league" / "summer" / "league.log.jsonl").read_text().splitlines()
    ]
    for kind in ("LEAGUE_CREATED", "PLAYER_REGISTERED", "ROUND_ANNOUNCEMENT_SENT", "MATCH_RESULT_RECEIVED"):
        assert kind in league_log
    assert league_log.count("LEAGUE_COMPLETED") == 1
    logs = {path.name for path in (folder.logs / "agents").glob("*.jsonl")}
    assert {f"{agent}.log.jsonl" for agent in ("LM01", "REF01", "REF02", "P01", "P02", "P03", "P04")} <= logs


def kept_secrets(folder: Path) -> list[str]:
    """Every token in the files that only their owner can read."""
    private = [path for path in folder.rglob("*.json") if path.stat().st_mode & 0o077 == 0]
    kept = [json.loads(path.read_text()) for path in private]
    return [one[name] for one in kept for name in ("auth_token", "peer_token") if name in one]


async def test_no_secret_is_told_or_logged(tmp_path: Path):
    played = await play(tmp_path, "even_odd", 2)
    folder = Workspace(tmp_path)
    told = json.dumps(played.reports)
    logged = "".join(path.read_text() for path in folder.logs.rglob("*.jsonl"))
    secrets = [OPERATOR, *kept_secrets(tmp_path)]
    assert len(secrets) > 2
    for secret in secrets:
        assert secret not in told
        assert secret not in logged


@requirement("project-CLI-05", "000-PL-START-05", "001-DEP-02", "003-SEQ-01", "003-SEQ-02", "003-SEQ-03")
async def test_agents_may_come_before_their_manager(tmp_path: Path, free_tcp_port: int):
    url = f"http://localhost:{free_tcp_port}/mcp"
    config = ConfigLoader(overrides=QUICK)
    rules = config.league_rules(
        config.league_for_game("even_odd"), as_id="summer", expected_players=2, expected_referees=1, roster={}
    )
    async with stage(tmp_path, "even_odd") as on:
        for name in ("Ada", "Bea"):
            on.begin(on.spec(Role.PLAYER, name, manager_url=url))
        on.begin(on.spec(Role.REFEREE, "Whistle", manager_url=url))
        for name in ("Ada", "Bea", "Whistle"):
            assert (await on.until(name, "waiting"))["text"].startswith(f"waiting for the league manager at {url}: ")
        on.begin(on.spec(Role.LEAGUE_MANAGER, "manager", rules=rules, port=free_tcp_port))
    assert on.played.codes == {"Ada": 0, "Bea": 0, "Whistle": 0, "manager": 0}


@requirement("000-REF-START-03", "project-RUN-03")
async def test_a_port_that_is_taken_is_told_in_a_sentence(tmp_path: Path):
    async with stage(tmp_path, "even_odd") as on:
        on.begin(on.spec(Role.PLAYER, "Ada"))
        listening = await on.until("Ada", "listening")
        port = int(listening["endpoint"].split(":")[2].split("/")[0])
        on.begin(on.spec(Role.REFEREE, "Whistle", port=port, manager_url="http://localhost:1/mcp"))
        failed = await on.until("Whistle", "failed")
        on._tasks.cancel_scope.cancel()
    assert f"port {port}" in failed["text"]
    assert "in use" in failed["text"]


@requirement("000-PL-START-04", "002-PREG-04", "002-NOTE-06")
async def test_a_player_that_is_refused_says_why_and_fails(tmp_path: Path):
    config = ConfigLoader(overrides=QUICK)
    rules = config.league_rules(
        config.league_for_game("even_odd"), as_id="summer", expected_players=2, expected_referees=1, roster={}
    )
    async with stage(tmp_path, "even_odd") as on:
        on.begin(on.spec(Role.LEAGUE_MANAGER, "manager", rules=rules))
        url = (await on.until("manager", "listening"))["endpoint"]
        on.begin(on.spec(Role.PLAYER, "Ada", manager_url=url))
        await on.until("Ada", "registered")
        twin = replace(on.spec(Role.PLAYER, "Ada", manager_url=url), workspace=tmp_path / "elsewhere")
        on.played.reports["twin"] = []
        code = await run_agent(twin, on.played.reports["twin"].append)
        on._tasks.cancel_scope.cancel()
    assert code == 1
    assert "'Ada' is taken (E016)" in on.played.reports["twin"][-1]["text"]


async def test_a_league_that_nobody_joins_in_time_is_stopped(tmp_path: Path):
    config = ConfigLoader(overrides=QUICK)
    rules = config.league_rules(
        config.league_for_game("even_odd"), as_id="summer", expected_players=2, registration_timeout_sec=0.05
    )
    async with stage(tmp_path, "even_odd") as on:
        on.begin(on.spec(Role.LEAGUE_MANAGER, "manager", rules=rules))
    assert on.played.codes == {"manager": 1}
    assert on.played.league.state is LeagueState.STOPPED


@requirement("000-LM-START-03")
async def test_a_manager_cannot_continue_a_league_that_never_was(tmp_path: Path):
    async with stage(tmp_path, "even_odd") as on:
        on.begin(on.spec(Role.LEAGUE_MANAGER, "manager", rules=None))
    assert on.played.codes == {"manager": 1}
    assert "there is no league 'summer' to continue" in on.played.reports["manager"][-1]["text"]


@requirement("000-REF-START-03")
async def test_an_agent_of_an_unknown_game_says_so(tmp_path: Path):
    async with stage(tmp_path, "chess") as on:
        on.begin(on.spec(Role.PLAYER, "Ada"))
    assert on.played.codes == {"Ada": 1}
    assert "chess" in on.played.reports["Ada"][-1]["text"]


@requirement("project-CLI-10")
async def test_a_league_that_was_interrupted_goes_on(tmp_path: Path):
    config = ConfigLoader(overrides=QUICK)
    rules = config.league_rules(
        config.league_for_game("even_odd"), as_id="summer", expected_players=2, expected_referees=1, roster={}
    )
    async with stage(tmp_path, "even_odd") as on:
        on.begin(on.spec(Role.LEAGUE_MANAGER, "manager", rules=rules))
        url = (await on.until("manager", "listening"))["endpoint"]
        on.begin(on.spec(Role.PLAYER, "Ada", manager_url=url))
        await on.until("Ada", "registered")
        on._tasks.cancel_scope.cancel()
    assert on.played.league.state is LeagueState.STOPPED
    assert on.played.league.stop_reason == "interrupted"

    async with stage(tmp_path, "even_odd") as again:
        again.begin(again.spec(Role.LEAGUE_MANAGER, "manager", rules=None, resume=True))
        url = (await again.until("manager", "listening"))["endpoint"]
        for name in ("Bea", "Ada"):
            again.begin(again.spec(Role.PLAYER, name, manager_url=url))
        again.begin(again.spec(Role.REFEREE, "Whistle", manager_url=url))
    league = again.played.league
    assert set(again.played.codes.values()) == {0}
    assert league.state is LeagueState.COMPLETED
    assert league.player("P01").display_name == "Ada"
    assert next(report for report in again.played.reports["manager"] if report["kind"] == "record")["replayed"] is True


async def test_nobody_waits_for_ever_for_a_manager_that_is_gone(tmp_path: Path):
    config = ConfigLoader(overrides=QUICK)
    rules = config.league_rules(
        config.league_for_game("even_odd"), as_id="summer", expected_players=2, expected_referees=1, roster={}
    )
    impatient = {**QUICK, "heartbeat_interval_sec": 0.02, "manager_absence_sec": 0.4}
    async with stage(tmp_path, "even_odd") as on:
        manager = anyio.CancelScope()

        async def lead() -> None:
            with manager:
                await run_agent(on.spec(Role.LEAGUE_MANAGER, "manager", rules=rules), on.listener("manager"))

        on.played.reports["manager"] = []
        on._tasks.start_soon(lead)
        url = (await on.until("manager", "listening"))["endpoint"]
        on.begin(on.spec(Role.PLAYER, "Ada", manager_url=url, overrides=impatient))
        on.begin(on.spec(Role.REFEREE, "Whistle", manager_url=url, overrides=impatient))
        for name in ("Ada", "Whistle"):
            await on.until(name, "registered")
        manager.cancel()
    assert on.played.codes == {"Ada": 1, "Whistle": 1}
    for name in ("Ada", "Whistle"):
        assert f"the league manager at {url} has not answered" in on.played.reports[name][-1]["text"]
