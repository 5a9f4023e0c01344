import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from league_sdk.domain.commands import RemovePlayer
from league_sdk.domain.model import Role
from league_sdk.errors import UnsupportedGameType
from league_sdk.plugins import PluginError
from league_sdk.ports import StoreFailed
from league_sdk.settings import ConfigError, Workspace
from servers.agent import event_store
from servers.agent.event_store import StorageError
from servers.agent.identity import Credentials, CredentialsFile
from servers.launcher.plan import LaunchPlan, load_plan, make_plan
from servers.launcher.plan_document import PLAN_FILE
from servers.launcher.planned_players import SPARE_STRATEGIES
from servers.launcher.port_check import PortsTaken, check_ports
from servers.launcher.referee_scaling import RefereeScaling
from servers.launcher.run_options import PlanError, PlayerSpec, RunOptions, named
from tests.requirements.marker import requirement
from tests.servers.league_history import under_way, waiting

ROOT = Path(__file__).parents[3]
TOKEN = "the operator's secret"
STORE = "sqlite:///elsewhere/events.db"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "league data")


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ("LEAGUE_CONFIG", "LEAGUE_DATA", "LEAGUE_MANAGER"):
        monkeypatch.delenv(name, raising=False)


def plan(workspace: Workspace, **changes: Any) -> LaunchPlan:
    return make_plan(replace(RunOptions(workspace), **changes), TOKEN)


@pytest.mark.parametrize(
    "changes",
    [{"guests": 1}, {"seats": True}, {"count": 3, "players": (PlayerSpec("Eve", url="http://192.0.2.7:1/mcp"),)}],
)
def test_every_agent_of_a_league_knows_whether_strangers_may_come(workspace: Workspace, changes: dict[str, Any]):
    assert not any(spec.strangers for spec in plan(workspace).agents)
    made = plan(workspace, league_id="open", **changes)
    assert all(spec.strangers for spec in made.agents)
    made.save()
    assert all(spec.strangers for spec in load_plan(workspace, "open").agents)


def names(made: LaunchPlan) -> list[str]:
    return [spec.name for spec in made.players]


def _other_players(folder, **changes):
    """The shipped configuration with changes to players of the registry."""
    shutil.copytree(ROOT / "config", folder / "config")
    file = folder / "config" / "agents" / "agents_config.json"
    registry = json.loads(file.read_text())
    for player in registry["players"]:
        player |= changes.get(player["player_id"], {})
    file.write_text(json.dumps(registry))
    return folder / "config"


class TestSeats:
    def test_without_a_wish_the_league_is_the_configured_one(self, workspace):
        made = plan(workspace)
        assert made.league_id == "league_even_odd"
        assert names(made) == ["Agent Alpha", "Agent Beta", "Agent Gamma", "Agent Delta"]
        assert [spec.name for spec in made.referees] == ["Referee Alpha", "Referee Beta"]
        assert made.manager.role is Role.LEAGUE_MANAGER
        assert [spec.role for spec in made.agents] == [Role.LEAGUE_MANAGER, *[Role.REFEREE] * 2, *[Role.PLAYER] * 4]

    def test_ids_are_reserved_by_name_so_that_the_order_of_arrival_does_not_matter(self, workspace):
        made = plan(workspace, players=(PlayerSpec("Zoe"), PlayerSpec("Ada")), count=3, referees=1)
        assert made.rules.roster == {"Zoe": "P01", "Ada": "P02", "Agent Alpha": "P03"}
        assert made.rules.referee_roster == {"Referee Alpha": "REF01"}
        assert (made.rules.expected_players, made.rules.expected_referees) == (3, 1)

    def test_a_registered_player_on_another_machine_is_invited_there(self, workspace, tmp_path):
        made = plan(workspace, config=_other_players(tmp_path, P03={"endpoint": "http://192.0.2.7:8103/mcp"}))
        assert names(made) == ["Agent Alpha", "Agent Beta", "Agent Delta"]
        assert made.manager.invited == (("Agent Gamma", "http://192.0.2.7:8103/mcp"),)
        assert made.rules.roster["Agent Gamma"] == "P03"

    def test_those_who_like_the_league_best_play_where_not_all_do(self, workspace, tmp_path):
        config = _other_players(tmp_path, P03={"preferred_leagues": ["league_even_odd"]})
        assert names(plan(workspace, config=config, count=2)) == ["Agent Gamma", "Agent Alpha"]

    def test_a_registered_player_has_the_requirements_of_the_registry(self, workspace, tmp_path):
        config = _other_players(tmp_path, P03={"requirements": ["gpu=1", "label.disk=fast"]})
        needed = {spec.name: spec.requirements for spec in plan(workspace, config=config).players}
        assert needed.pop("Agent Gamma") == ("gpu=1", "label.disk=fast")
        assert set(needed.values()) == {()}

    @requirement("project-CLI-02")
    def test_more_players_than_are_registered_get_names_and_strategies_of_their_own(self, workspace):
        made = plan(workspace, count=7)
        assert names(made)[4:] == ["Agent 5", "Agent 6", "Agent 7"]
        assert [spec.strategy for spec in made.players][4:] == [SPARE_STRATEGIES[n % 5] for n in (4, 5, 6)]

    def test_a_spare_player_never_takes_a_name_that_is_taken(self, workspace):
        assert names(plan(workspace, players=(PlayerSpec("Agent 6"),), count=6))[-1] == "Agent 6'"

    def test_a_player_that_is_named_as_the_registry_has_it_sits_once(self, workspace):
        made = plan(workspace, players=(PlayerSpec("Agent Gamma", "mirror"),), count=4)
        assert names(made) == ["Agent Gamma", "Agent Alpha", "Agent Beta", "Agent Delta"]
        assert made.players[0].strategy == "mirror"

    def test_a_player_without_a_name_gets_one(self, workspace):
        made = plan(workspace, players=(PlayerSpec(strategy="mirror"), PlayerSpec(strategy="random")))
        assert names(made) == ["Agent 1", "Agent 2"]

    @requirement("001-FUT-05", "004-OBJ-07", "004-ARCH-05", "004-DEP-02", "project-CLI-02")
    def test_an_agent_that_runs_elsewhere_is_invited_and_not_started(self, workspace):
        made = plan(workspace, players=(PlayerSpec.parse("http://192.168.1.11:8101/mcp"), PlayerSpec.parse("name=Ada")))
        assert names(made) == ["Ada"]
        assert made.manager.invited == (("192.168.1.11:8101", "http://192.168.1.11:8101/mcp"),)
        assert made.rules.expected_players == 2

    @requirement("project-CLI-11")
    @pytest.mark.parametrize(
        ("asked", "ours", "size"),
        [
            ({"count": 4, "guests": 1}, 3, 4),
            ({"count": 4, "players": (PlayerSpec("Ada"), PlayerSpec("Bob")), "guests": 1}, 3, 4),
            ({"players": (PlayerSpec("Ada"), PlayerSpec("Bob")), "guests": 1}, 2, 3),
            ({"players": (PlayerSpec("Ada"),), "guests": 1}, 1, 2),
            ({"guests": 1}, 3, 4),
            ({"guests": 2, "roster": "class.json"}, 0, 2),
            ({"guests": 6}, 0, 6),
            ({"count": 2, "guests": 2}, 0, 2),
        ],
    )
    def test_players_counts_the_whole_league_guests_and_named_ones_among_them(self, workspace, asked, ours, size):
        made = plan(workspace, **asked)
        assert (len(made.players), made.rules.expected_players) == (ours, size)

    @pytest.mark.parametrize(
        ("asked", "told"),
        [
            (
                {"players": (PlayerSpec("A"), PlayerSpec("B"), PlayerSpec("C"))},
                "3 with --player make 3; say --players 3",
            ),
            (
                {"players": (PlayerSpec("A"),), "guests": 2},
                "1 with --player and 2 with --guests make 3; say --players 3",
            ),
            ({"guests": 5}, "5 with --guests make 5; say --players 5"),
        ],
    )
    def test_more_than_fit_into_the_league_are_refused_with_the_number_that_fits(self, workspace, asked, told):
        with pytest.raises(PlanError, match=f"--players 2 is the whole league, but {told}, or leave it out"):
            plan(workspace, count=2, **asked)

    def test_everybody_in_a_large_league_has_a_name(self, workspace):
        assert len(set(names(plan(workspace, count=60)))) == 60

    @pytest.mark.parametrize(("count", "limits"), [(13, {"max_players": 12}), (2, {"min_players": 3})])
    def test_a_league_has_as_many_players_as_its_file_allows(self, workspace, count, limits):
        overrides = {f"league.participants.{name}": value for name, value in limits.items()}
        expected = f"{count} players do not fit; expected {limits.get('min_players', 2)} to "
        with pytest.raises(ConfigError, match=expected):
            plan(workspace, count=count, overrides=overrides)

    def test_a_league_seats_those_of_the_registry_that_it_lists_and_that_play_its_game(self, workspace, tmp_path):
        _registry(tmp_path)
        league = {"league.players": ["P02", "P03", "P04", "P05"], "league.referees": ["REF02", "REF03"]}
        made = plan(workspace, config=tmp_path / "config", overrides=league)
        assert names(made) == ["Bea", "Eve"]
        assert [(spec.name, spec.max_concurrent_matches) for spec in made.referees] == [("Flag", 3)]

    def test_referees_beyond_the_registered_ones_are_numbered(self, workspace):
        assert [spec.name for spec in plan(workspace, referees=3).referees][-1] == "Referee 3"

    def test_the_game_chooses_the_league(self, workspace):
        made = plan(workspace, game="tic_tac_toe")
        assert made.rules.game_type == "tic_tac_toe"
        assert {spec.game_types for spec in made.agents} == {("tic_tac_toe",)}

    def test_a_second_plan_is_a_league_beside_the_first(self, workspace):
        assert [plan(workspace).league_id for _ in range(3)] == [
            "league_even_odd",
            "league_even_odd-2",
            "league_even_odd-3",
        ]

    def test_a_league_that_the_chosen_store_knows_keeps_its_id(self, workspace, tmp_path):
        url = f"sqlite:///{tmp_path}/shared.db"
        first = plan(workspace, store_url=url)
        _store_something(workspace, first.league_id, url)
        other = Workspace(tmp_path / "another folder")
        assert plan(other, store_url=url).league_id == "league_even_odd-2"

    def test_a_seed_reaches_everybody(self, workspace):
        made = plan(workspace, seed="42")
        assert made.rules.seed == "42"
        assert {spec.seed for spec in made.agents} == {"42"}


class TestPorts:
    @requirement("000-REF-START-01", "000-PL-START-01", "003-PORT-02", "003-LM-01", "003-REF-01", "003-PLAYER-01")
    def test_they_are_those_of_the_configuration(self, workspace):
        made = plan(workspace)
        assert [spec.port for spec in made.agents] == [8000, 8001, 8002, 8101, 8102, 8103, 8104]
        assert {spec.manager_url for spec in made.agents[1:]} == {"http://localhost:8000/mcp"}

    @requirement("project-RUN-03")
    def test_a_port_base_moves_all_of_them(self, workspace):
        made = plan(workspace, port_base=19_000)
        assert [spec.port for spec in made.agents] == [19_000, 19_001, 19_002, 19_101, 19_102, 19_103, 19_104]
        assert {spec.manager_url for spec in made.agents[1:]} == {"http://localhost:19000/mcp"}

    def test_a_plan_that_is_known_can_move_too(self, workspace):
        moved = plan(workspace).at_ports(9000)
        assert [spec.port for spec in moved.agents] == [9000, 9001, 9002, 9101, 9102, 9103, 9104]
        assert {spec.manager_url for spec in moved.agents[1:]} == {"http://localhost:9000/mcp"}
        assert moved.manager.manager_url == ""

    @requirement("project-CLI-12")
    def test_port_base_zero_takes_ports_that_are_free(self, workspace):
        made = plan(workspace, port_base=0)
        ports = [spec.port for spec in made.agents]
        check_ports("127.0.0.1", ports)
        assert len(set(ports)) == 7
        assert min(ports) > 0
        assert {spec.manager_url for spec in made.agents[1:]} == {f"http://localhost:{made.manager.port}/mcp"}
        assert made.page == f"http://localhost:{made.manager.port}/"

    def test_a_plan_that_is_known_can_move_to_ports_that_are_free(self, workspace):
        made = plan(workspace)
        moved = made.at_ports(0)
        check_ports("127.0.0.1", [spec.port for spec in moved.agents])
        assert not {spec.port for spec in moved.agents} & {spec.port for spec in made.agents}
        assert {spec.manager_url for spec in moved.agents[1:]} == {f"http://localhost:{moved.manager.port}/mcp"}

    def test_any_ports_are_enough_for_more_players_than_the_range_has(self, workspace):
        assert len({spec.port for spec in plan(workspace, count=120, port_base=0).agents}) == 123

    def test_there_are_no_free_ports_at_an_address_of_another_machine(self, workspace):
        with pytest.raises(PortsTaken, match=r"free ports cannot be had on 192\.0\.2\.1: .*--host"):
            plan(workspace, port_base=0, bind_host="192.0.2.1")

    def test_agents_elsewhere_take_no_port(self, workspace):
        made = plan(workspace, players=(PlayerSpec(url="http://far/mcp"), PlayerSpec("Ada")))
        assert [spec.port for spec in made.players] == [8101]

    @pytest.mark.parametrize("port_base", [65_500, 65_535])
    def test_a_port_base_that_is_too_high_is_refused(self, workspace, port_base):
        with pytest.raises(PlanError, match=rf"{port_base}.*65535.*--port-base"):
            plan(workspace, port_base=port_base)
        with pytest.raises(PlanError, match=r"65535"):
            plan(workspace).at_ports(port_base)

    @requirement("003-TECH-02", "project-CLI-12")
    def test_fifty_players_and_twenty_five_referees_have_the_ports_of_the_documents(self, workspace):
        made = plan(workspace, count=50, referees=25)
        assert [spec.port for spec in made.referees] == list(range(8001, 8026))
        assert [spec.port for spec in made.players] == list(range(8101, 8151))

    @requirement("project-CLI-12")
    def test_the_ranges_widen_for_more_agents_than_they_have_ports(self, workspace):
        made = plan(workspace, count=101, referees=100)
        assert [spec.port for spec in made.players] == list(range(8101, 8202))
        assert [spec.port for spec in made.referees] == [*range(8001, 8100), 8202]

    def test_more_agents_than_there_are_ports_are_refused(self, workspace):
        with pytest.raises(PlanError, match=r"2 referees and 436 players need more ports.*--port-base"):
            plan(workspace, count=436, port_base=65_000)

    def test_the_address_to_listen_on_can_be_chosen(self, workspace):
        assert {spec.bind_host for spec in plan(workspace, bind_host="0.0.0.0").agents} == {"0.0.0.0"}


class TestMistakes:
    @pytest.mark.parametrize(
        "text",
        ["Ada", "name", "name=", "colour=red", "name=Ada,strategy", "http://", "https:///mcp", "name=A,url=ftp://x"],
    )
    def test_a_player_that_cannot_be_read_is_refused_with_what_was_expected(self, text):
        with pytest.raises(PlanError, match=r"--player .*expected"):
            PlayerSpec.parse(text)

    def test_an_agent_elsewhere_brings_its_own_strategy(self):
        with pytest.raises(PlanError, match="leave strategy= out"):
            PlayerSpec.parse("name=A,url=http://x/mcp,strategy=random")

    @requirement("project-CLI-02")
    def test_a_player_is_read_in_any_order_and_with_spaces(self):
        assert PlayerSpec.parse("strategy=mirror, name=Ada Lovelace") == PlayerSpec("Ada Lovelace", "mirror")
        assert PlayerSpec.parse("name=Ada,url=https://x:1/mcp") == PlayerSpec("Ada", url="https://x:1/mcp")

    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"players": (PlayerSpec("Ada"),)}, "at least 2 players, got 1; .*--players 2"),
            ({"players": (PlayerSpec("Ada"), PlayerSpec("Ada"))}, "two players are called Ada"),
            (
                {"players": (PlayerSpec("A"), PlayerSpec("B"), PlayerSpec("C")), "count": 2},
                "--players 2 is the whole league",
            ),
            ({"referees": 0}, "at least 1 referee, got 0"),
            ({"league": "league_even_odd", "game": "tic_tac_toe"}, "plays even_odd, not tic_tac_toe"),
        ],
    )
    def test_numbers_and_names_that_do_not_fit_are_refused(self, workspace, changes, told):
        with pytest.raises(PlanError, match=told):
            plan(workspace, **changes)

    def test_what_is_not_installed_is_named_with_what_is(self, workspace):
        with pytest.raises(PluginError, match="no strategy 'winning'; known are alternating"):
            plan(workspace, players=(PlayerSpec("A", "winning"), PlayerSpec("B")))
        with pytest.raises(UnsupportedGameType, match="no game 'ludo'; known are even_odd"):
            plan(workspace, game="ludo")
        with pytest.raises(StorageError, match=r"no store is called 'mongodb'.*known are memory:, sqlite:"):
            plan(workspace, store_url="mongodb://x")

    def test_a_store_that_is_not_there_is_found_before_anything_starts(self, workspace):
        with pytest.raises(StoreFailed, match="cannot make the folder"):
            plan(workspace, store_url="sqlite:////proc/no/such/folder/events.db")
        with pytest.raises(StorageError, match="SQLite needs a file"):
            plan(workspace, store_url="sqlite://not an url:x@/")

    def test_a_league_that_is_not_configured_is_refused(self, workspace):
        with pytest.raises(ConfigError, match="no league 'nope'; known leagues"):
            plan(workspace, league="nope")

    def test_nothing_is_written_for_a_plan_that_cannot_be(self, workspace):
        with pytest.raises(PlanError):
            plan(workspace, count=436, port_base=65_000)
        with pytest.raises(PluginError):
            plan(workspace, players=(PlayerSpec("A", "winning"), PlayerSpec("B")))
        assert workspace.latest_league() is None


class TestKeeping:
    def test_a_plan_comes_back_as_it_was_saved(self, workspace):
        made = plan(
            workspace,
            players=(PlayerSpec("Ada", "always-even"), PlayerSpec(url="http://far/mcp")),
            seed="7",
            overrides={"timeouts.move_timeout_sec": 3},
        )
        made.save()
        known = load_plan(workspace, made.league_id)
        assert known == replace(made, manager=replace(made.manager, resume=True, token_kept=True))

    @pytest.mark.parametrize("history", [waiting, under_way], ids=["before the schedule", "under way"])
    def test_a_player_that_was_removed_is_not_started_and_stays_known(self, workspace, history):
        made = plan(workspace, players=tuple(PlayerSpec(f"Player {number}") for number in range(1, 4)), referees=1)
        league = history(3)
        league.do(RemovePlayer("P02"))
        left = made.continued(league.league)
        assert [spec.name for spec in left.agents[1:]] == ["Referee Alpha", "Player 1", "Player 3"]
        assert left.agents[0].neighbours == ("localhost:8001", "localhost:8101", "localhost:8103")
        assert left.at_ports(9000).agents[-1].port == 9103
        assert left.players == made.players

    def test_referees_that_joined_are_started_again_and_strangers_are_not(self, workspace):
        made = plan(workspace, referees=1, most_referees=3)
        assert [spec.name for spec in made.referees] == ["Referee Alpha"]
        assert [spec.name for spec in made.spare] == ["Referee Beta", "Referee 3"]
        assert (made.rules.expected_referees, made.rules.referee_roster) == (1, {"Referee Alpha": "REF01"})
        assert made.agents[0].neighbours[-2:] == ("localhost:8002", "localhost:8003")
        made.save()
        league = under_way(4)  # Referee 1 and Referee 2, of which one has its token here
        file = CredentialsFile(workspace.credentials_file(made.league_id, "referee", "Referee 2"))
        file.save(Credentials("REF02", made.league_id, "a token"))
        known = load_plan(workspace, made.league_id)
        assert (known.spare, known.at_ports(9000).spare[-1].port) == (made.spare, 9003)
        again = known.continued(league.league)
        assert [(spec.name, spec.port) for spec in again.referees] == [("Referee Alpha", 8001), ("Referee 2", 8002)]
        assert [spec.name for spec in again.spare] == ["Referee 3"]
        scaling = RefereeScaling.of(replace(again, spare=()))
        assert scaling is not None, "also when as many are there as there may be"
        assert scaling.limits == (1, 2)
        assert RefereeScaling.of(plan(workspace, referees=2)) is None

    def test_more_referees_than_the_league_takes_are_refused(self, workspace):
        with pytest.raises(PlanError, match=r"--referees 2:101: the league takes at most 100 \(participants.max_ref"):
            plan(workspace, referees=2, most_referees=101)

    def test_no_secret_is_in_the_file(self, workspace):
        made = plan(workspace, store_url=STORE)
        made.save()
        text = (workspace.league_dir(made.league_id) / PLAN_FILE).read_text()
        assert TOKEN not in text
        assert "elsewhere" not in text
        assert TOKEN not in repr(made)

    def test_a_store_is_remembered_as_a_secret_and_holds_from_everywhere(self, workspace, tmp_path, monkeypatch):
        made = plan(workspace, store_url=STORE)
        made.save()
        monkeypatch.chdir("/")
        known = load_plan(workspace, made.league_id)
        assert known.manager.store_url == f"sqlite:///{tmp_path}/elsewhere/events.db"
        kept = workspace.operator_token_file(made.league_id).with_name(event_store.STORE_FILE)
        assert kept.stat().st_mode & 0o077 == 0

    def test_a_folder_that_was_moved_is_found_where_it_is(self, workspace, tmp_path):
        made = plan(workspace)
        made.save()
        moved = Workspace(workspace.root.rename(tmp_path / "moved"))
        assert {spec.workspace for spec in load_plan(moved, made.league_id).agents} == {moved.root}

    def test_a_league_that_is_not_there_is_refused_with_those_that_are(self, workspace):
        plan(workspace).save()
        with pytest.raises(PlanError, match=r"no league 'nope' in .*there are: league_even_odd"):
            load_plan(workspace, "nope")

    def test_a_league_whose_agents_were_started_one_by_one_says_how_to_start_them(self, workspace):
        workspace.league_dir("summer").mkdir(parents=True)
        with pytest.raises(PlanError, match="league manager --resume summer"):
            load_plan(workspace, "summer")

    @pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"created": {}, "manager": {}}'])
    def test_a_damaged_file_is_refused_and_named(self, workspace, text):
        made = plan(workspace)
        made.save()
        (workspace.league_dir(made.league_id) / PLAN_FILE).write_text(text)
        with pytest.raises(PlanError, match=r"run\.json is damaged"):
            load_plan(workspace, made.league_id)

    def test_the_file_is_json_that_people_can_read(self, workspace):
        made = plan(workspace)
        made.save()
        document = json.loads((workspace.league_dir(made.league_id) / PLAN_FILE).read_text())
        assert document["league_id"] == made.league_id
        assert [player["name"] for player in document["players"]] == names(made)


def _registry(folder: Path) -> None:
    """Players and referees of which some are not listed, some are away, and some play another game."""
    agents = {
        "players": [
            {"id": f"P{number:02d}", "display_name": name, "endpoint": f"http://localhost:81{number:02d}/mcp", **more}
            for number, (name, more) in enumerate(
                [
                    ("Ada", {}),
                    ("Bea", {}),
                    ("Cid", {"status": "SUSPENDED"}),
                    ("Dot", {"game_types": ["tic_tac_toe"]}),
                    ("Eve", {"game_types": ["even_odd"]}),
                ],
                start=1,
            )
        ],
        "referees": [
            {"id": "REF01", "display_name": "Whistle", "endpoint": "http://localhost:8001/mcp"},
            {
                "id": "REF02",
                "display_name": "Flag",
                "endpoint": "http://localhost:8002/mcp",
                "max_concurrent_matches": 3,
            },
            {"id": "REF03", "display_name": "Card", "endpoint": "http://localhost:8003/mcp", "active": False},
        ],
    }
    (folder / "config" / "leagues").mkdir(parents=True)
    (folder / "config" / "agents").mkdir()
    (folder / "config" / "agents" / "agents_config.json").write_text(json.dumps(agents))
    league = {"league_id": "summer", "game_type": "even_odd"}
    (folder / "config" / "leagues" / "summer.json").write_text(json.dumps(league))


def _store_something(workspace: Workspace, league_id: str, url: str) -> None:
    import anyio

    from league_sdk.domain.events import LeagueCreated
    from league_sdk.domain.model import LeagueRules
    from league_sdk.stores import open_store

    async def store() -> None:
        opened = await open_store(url, workspace.data, league_id)
        created = LeagueCreated(LeagueRules(league_id, "even_odd"))
        await opened.append(league_id, [created], expected=0, at="2025-01-15T10:00:00.000Z")
        await opened.close()

    anyio.run(store)


class TestNamesAndDeadline:
    def test_a_league_has_the_id_the_name_and_the_deadline_that_it_is_given(self, workspace):
        moment = "2036-05-01T09:00:00Z"
        made = plan(workspace, league_id="spring", rules=named("Spring Cup", moment))
        assert (made.league_id, made.rules.league_id) == ("spring", "spring")
        assert (made.rules.display_name, made.rules.registration_deadline) == ("Spring Cup", moment)

    @pytest.mark.parametrize(
        ("changes", "why"),
        [
            ({"league_id": "taken"}, "'league resume taken' continues it"),
            ({"league_id": "taken"}, "'league control cancel --league taken' ends it for good and frees its name"),
            (
                {"rules": named(None, "2026-05-01T09:00:00Z")},
                "close at 2026-05-01T09:00:00Z, and it is .*Z already",
            ),
            ({"league_id": "../up"}, "cannot be the id of a league"),
            ({"league_id": "-rf"}, "'-rf' cannot be the id of a league: use letters, .* and no '.' or '-' in front"),
        ],
    )
    def test_what_cannot_be_is_refused_before_anything_is_written(self, workspace, changes, why):
        workspace.league_dir("taken").mkdir(parents=True)
        with pytest.raises(PlanError, match=why):
            plan(workspace, **changes)
        assert [folder.name for folder in workspace.leagues.iterdir()] == ["taken"]


@pytest.mark.parametrize(
    ("title", "deadline", "why"),
    [
        ("two\nlines", None, "one line of at most 128 visible characters"),
        ("", None, "one line"),
        (None, "tomorrow", "expected a moment in UTC, such as"),
    ],
)
def test_a_name_and_a_deadline_that_cannot_be_are_refused(title, deadline, why):
    with pytest.raises(PlanError, match=why):
        named(title, deadline)


class TestHostedSeats:
    def test_a_league_without_seats_has_no_host_of_them(self, workspace):
        made = plan(workspace)
        assert made.seats is None
        assert made.manager.seats_url == ""

    def test_the_host_of_seats_has_a_port_of_its_own_which_the_manager_may_call(self, workspace):
        made = plan(workspace, seats=True)
        assert made.seats is not None
        assert (made.seats.role, made.seats.port) == (Role.SEATS, 8100)
        assert made.agents[0].seats_url == "http://localhost:8100/mcp"
        assert "localhost:8100" in made.agents[0].neighbours

    def test_a_port_that_another_agent_has_is_left_to_it(self, workspace):
        made = plan(workspace, seats=True, overrides={"network.player_port_range": [8100, 8200]})
        assert made.seats is not None
        assert made.seats.port not in {agent.port for agent in made.agents if agent is not made.seats}

    def test_a_plan_that_is_kept_has_its_seats_again_also_at_other_ports(self, workspace):
        made = plan(workspace, seats=True)
        made.save()
        again = load_plan(workspace, made.league_id)
        assert again.seats == made.seats
        moved = again.at_ports(9000)
        assert moved.seats is not None
        assert (moved.seats.port, moved.manager.seats_url) == (9100, "http://localhost:9100/mcp")
