"""Loads the configuration files, under the environment and the command line."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from league_sdk.domain.model import LeagueRules
from league_sdk.game import Game
from league_sdk.names import alternatives, game_name
from league_sdk.settings.agents import (
    AgentLogging,
    AgentsConfig,
    PlayerConfig,
    PlayerDefaults,
    RefereeConfig,
    RefereeDefaults,
)
from league_sdk.settings.base import is_league_id
from league_sdk.settings.layers import Part, environment, flags
from league_sdk.settings.league import GamesRegistry, LeagueConfig
from league_sdk.settings.league_rules import rules_of
from league_sdk.settings.paths import SYSTEM_FILE, find_config
from league_sdk.settings.problems import NOTHING, ConfigError, Problem, UnknownAgent
from league_sdk.settings.sources import Sources
from league_sdk.settings.system import LoggingConfig, SystemConfig, TimeoutsConfig
from league_sdk.settings.time_limits import limits_of, own_limits, shadowed

A = TypeVar("A")
C = TypeVar("C", RefereeConfig, PlayerConfig)

_AGENTS_FILE = "agents/agents_config.json"
_GAMES_FILE = "games/games_registry.json"
_REFEREE_FILE = "defaults/referee.json"
_PLAYER_FILE = "defaults/player.json"


class ConfigLoader:
    """Reads the configuration files on demand, once each, under the other sources.

    Defaults in code < files < `LEAGUE_…` environment variables < overrides.

    Args:
        root: The folder with the files; None finds it (see `find_config`).
        environ: The environment; None takes the process's.
        overrides: Values from the command line by dotted path, such as `{"timeouts.move_timeout_sec": 3}`; None means
            not given. `league.…`, `referee.…` and `player.…` lead into those files.
        cwd: The current directory; None takes the process's.

    Attributes:
        root: The folder with the files.
        origin: The reason for that folder, as a phrase for people.

    Raises:
        ConfigError: The folder does not exist, or an override is unknown.
    """

    def __init__(
        self,
        root: Path | None = None,
        environ: Mapping[str, str] | None = None,
        overrides: Mapping[str, Any] | None = None,
        *,
        cwd: Path | None = None,
    ) -> None:
        environ = os.environ if environ is None else environ
        cwd = cwd or Path.cwd()
        found = find_config(root, environ, cwd)
        self.root = found.path
        self.origin = found.origin
        above = [flags(overrides or {}), environment(environ)]
        self._cwd = cwd
        self._agents: AgentsConfig | None = None
        self._sources = Sources(self.root, cwd, above)

    @property
    def warnings(self) -> list[str]:
        """Warnings for the user so far, one line each."""
        return list(dict.fromkeys(self._sources.warnings))

    def load_system(self) -> SystemConfig:
        """The settings of every agent and every league.

        Raises:
            ConfigError: The file, a variable or a flag is not usable.
        """
        return self._sources.load(SYSTEM_FILE, SystemConfig, "system")

    def load_agents(self) -> AgentsConfig:
        """The registry of agents, completed by the defaults for referees and players.

        Raises:
            ConfigError: The file is not usable.
        """
        if self._agents is None:
            agents = self._sources.load(_AGENTS_FILE, AgentsConfig)
            referees = tuple(
                self._completed(referee, "referee", "max_concurrent_matches", self.load_referee_defaults())
                for referee in agents.referees
            )
            players = tuple(
                self._completed(player, "player", "strategy", self.load_player_defaults()) for player in agents.players
            )
            self._agents = agents.model_copy(update={"referees": referees, "players": players})
        return self._agents

    def load_league(self, league_id: str | None = None) -> LeagueConfig:
        """One league's configuration.

        Args:
            league_id: Its id, or the path of a file that ends in `.json`; None takes the default league.

        Raises:
            ConfigError: There is no such league, or its file is not usable.
        """
        league_id = league_id or self.default_league()
        if league_id.endswith(".json"):
            return self._sources.load(str(self._cwd / league_id), LeagueConfig, "league", required=True)
        name = f"leagues/{league_id}.json"
        if not is_league_id(league_id) or not (self.root / name).is_file():
            others = alternatives(league_id, self.leagues(), "known leagues:")
            missing = f"there is no league {league_id!r}; {others}"
            raise ConfigError([Problem(self._sources.name_of("leagues"), "", NOTHING, missing)])
        league = self._sources.load(name, LeagueConfig, "league")
        if league.league_id != league_id:
            expected = f"{league_id}, like the file's name"
            raise ConfigError([Problem(self._sources.name_of(name), "league_id", league.league_id, expected)])
        return league

    def load_games_registry(self) -> GamesRegistry:
        """The registry of games.

        Raises:
            ConfigError: The file is not usable.
        """
        return self._sources.load(_GAMES_FILE, GamesRegistry, None)

    def load_referee_defaults(self) -> RefereeDefaults:
        """The settings of referees that have none of their own.

        Raises:
            ConfigError: The file, a variable or a flag is not usable.
        """
        return self._sources.load(_REFEREE_FILE, RefereeDefaults, "referee")

    def load_player_defaults(self) -> PlayerDefaults:
        """The settings of players that have none of their own.

        Raises:
            ConfigError: The file, a variable or a flag is not usable.
        """
        return self._sources.load(_PLAYER_FILE, PlayerDefaults, "player")

    def get_referee_by_id(self, referee_id: str) -> RefereeConfig:
        """A referee of the registry.

        Raises:
            UnknownAgent: There is none with this id; it is a ValueError.
        """
        by_id = {referee.referee_id: referee for referee in self.load_agents().referees}
        return _known(by_id, referee_id, "Referee")

    def get_player_by_id(self, player_id: str) -> PlayerConfig:
        """A player of the registry.

        Raises:
            UnknownAgent: There is none with this id; it is a ValueError.
        """
        by_id = {player.player_id: player for player in self.load_agents().players}
        return _known(by_id, player_id, "Player")

    def leagues(self) -> tuple[str, ...]:
        """Ids of all leagues that have a file, in alphabetical order."""
        return tuple(sorted(path.stem for path in (self.root / "leagues").glob("*.json")))

    def default_league(self) -> str:
        """The id of the league to use when none is named.

        Raises:
            ConfigError: `default_league` is not set and there is more than one league, or none.
        """
        configured = self.load_system().default_league
        if configured:
            return configured
        known = self.leagues()
        if len(known) != 1:
            choice = f"one of {', '.join(known)}" if known else "a league; there is no file in leagues/"
            problem = Problem(self._sources.name_of(SYSTEM_FILE), "default_league", None, choice)
            raise ConfigError([problem])
        return known[0]

    def league_for_game(self, game_type: str) -> LeagueConfig:
        """The league to use when only a game is named.

        The default league if it plays that game, else the first one that does, else one with the default rules, called
        `league_<game>`.

        Raises:
            ConfigError: A league's file is not usable.
        """
        names = self.leagues()
        default = self.load_system().default_league
        if default in names:
            names = (default, *(name for name in names if name != default))
        for name in names:
            league = self.load_league(name)
            if league.game_type == game_type:
                return league
        assumed = {"league_id": f"league_{game_type}"[:64], "game_type": game_type}
        if (name := game_name(game_type)) != game_type:
            assumed["display_name"] = name[:128]
        return self._sources.assume(assumed, LeagueConfig, "league")

    def league_rules(
        self, league: str | LeagueConfig | None = None, *, as_id: str | None = None, **overrides: Any
    ) -> LeagueRules:
        """A league's rules for the domain, with the places that the registry reserves.

        Args:
            league: As for `load_league`, or a configuration.
            as_id: The id of the new league, if it is not the configured one.
            **overrides: Fields of LeagueRules that win over the configuration; None means not given.

        Raises:
            ConfigError: The configuration is not usable, or the overrides do not fit it.
        """
        config = league if isinstance(league, LeagueConfig) else self.load_league(league)
        changes = {name: value for name, value in {"league_id": as_id, **overrides}.items() if value is not None}
        own = own_limits(self._sources, config, self.load_referee_defaults().default_settings.by_choice)
        otherwise = self.load_system().registration_timeout_sec
        return rules_of(config, self.load_agents(), otherwise, own, changes)

    def timeouts_for(
        self, choice_field: str | None = None, of_league: Mapping[str, float] = MappingProxyType({})
    ) -> TimeoutsConfig:
        """The time limits that hold in a match.

        In each source the narrowest setting wins, in the order of `time_limits.LIMITS`. A stronger source wins over all
        of a weaker one. A league's own limits are part of its rules, and win.

        Args:
            choice_field: The field in which the game's moves travel; None asks for no game.
            of_league: The `timeouts` of the league's rules.

        Raises:
            ConfigError: The configuration is not usable.
        """
        system = self.load_system()
        self.load_referee_defaults()
        limits = limits_of(self._sources, (choice_field,) if choice_field else ())
        return system.timeouts.model_copy(update={**limits, **of_league})

    def logging_for(self, role: Literal["league_manager", "referee", "player"]) -> LoggingConfig:
        """The logging of an agent: by the defaults for its role, else by `system.json`.

        Raises:
            ConfigError: The configuration is not usable.
        """
        system = self.load_system()
        own: list[Part] = []
        if role == "referee":
            self.load_referee_defaults()
            own = ["referee"]
        elif role == "player":
            self.load_player_defaults()
            own = ["player"]
        values = {
            name: self._sources.winning_value([(part, f"logging.{name}") for part in (*own, "system")])
            for name in AgentLogging.model_fields
        }
        return system.logging.model_copy(update=values)

    def validate(self) -> list[str]:
        """Load all files, and return the warnings, one line each.

        Raises:
            ConfigError: With every problem of every file, variable and flag.
        """
        loads: list[Callable[[], Any]] = [
            self.load_system,
            self.load_agents,
            self.load_games_registry,
            self.load_referee_defaults,
            self.load_player_defaults,
            *((lambda name=name: self.load_league(name)) for name in self.leagues()),
        ]
        problems: list[Problem] = []
        for load in loads:
            try:
                load()
            except ConfigError as error:
                problems += error.problems
        if problems:
            raise ConfigError({str(problem): problem for problem in problems}.values())
        self.load_league()
        choices = self.load_referee_defaults().default_settings.by_choice
        return [*self.warnings, *shadowed(self._sources, _REFEREE_FILE, SYSTEM_FILE, choices)]

    def check_game(self, game: Game[Any]) -> None:
        """Check an installed game against its entry in the registry of games.

        Raises:
            ConfigError: The registry tells of other numbers of players, or is not usable.
        """
        problems = [
            Problem(
                self._sources.name_of(_GAMES_FILE),
                f"{game.name}.{field}",
                said,
                f"{real}, as the installed game has it",
            )
            for entry in self.load_games_registry().games
            if entry.game_type == game.name
            for field, said, real in (
                ("min_players", entry.min_players, game.min_players),
                ("max_players", entry.max_players, game.max_players),
            )
            if said != real
        ]
        if problems:
            raise ConfigError(problems)

    def chosen_above_files(self, path: str, part: Part = "league") -> bool:
        """True if a source above a part's file gives one of its settings."""
        return self._sources.narrowest_above([(part, path)]) is not None

    def _completed(self, agent: C, part: Part, name: str, defaults: RefereeDefaults | PlayerDefaults) -> C:
        """An agent of the registry, with its role's default for an unset setting."""
        if name in agent.model_fields_set and not self._sources.narrowest_above([(part, f"default_settings.{name}")]):
            return agent
        return agent.model_copy(update={name: getattr(defaults.default_settings, name)})


def _known(agents: Mapping[str, A], agent_id: str, role: str) -> A:
    if agent_id not in agents:
        raise UnknownAgent(f"{role} not found: {agent_id}; known ids: {', '.join(agents) or 'none'}")
    return agents[agent_id]
