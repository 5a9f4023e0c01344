"""Settings: frozen and validated, from code, files, environment and command line."""

from league_sdk.settings.agents import (
    AgentLogging,
    AgentsConfig,
    LanguageModelSettings,
    ManagerConfig,
    PlayerConfig,
    PlayerDefaults,
    PlayerSettings,
    RefereeConfig,
    RefereeDefaults,
    RefereeSettings,
)
from league_sdk.settings.layers import OTHER_VARIABLES, variables
from league_sdk.settings.league import (
    GameConfig,
    GamesRegistry,
    LeagueConfig,
    LeagueTimeouts,
    ParticipantsConfig,
    ScheduleConfig,
    ScoringConfig,
)
from league_sdk.settings.loader import ConfigLoader
from league_sdk.settings.paths import (
    ConfigRoot,
    Workspace,
    find_config,
    find_workspace,
    read_secret,
    write_secret,
)
from league_sdk.settings.problems import ConfigError, Problem, UnknownAgent
from league_sdk.settings.rules import listed_players, listed_referees, taking_part
from league_sdk.settings.system import (
    CircuitBreakerConfig,
    LimitsConfig,
    LoggingConfig,
    NetworkConfig,
    RetryPolicyConfig,
    SecurityConfig,
    SystemConfig,
    TimeoutsConfig,
)

__all__ = [
    "OTHER_VARIABLES",
    "AgentLogging",
    "AgentsConfig",
    "CircuitBreakerConfig",
    "ConfigError",
    "ConfigLoader",
    "ConfigRoot",
    "GameConfig",
    "GamesRegistry",
    "LanguageModelSettings",
    "LeagueConfig",
    "LeagueTimeouts",
    "LimitsConfig",
    "LoggingConfig",
    "ManagerConfig",
    "NetworkConfig",
    "ParticipantsConfig",
    "PlayerConfig",
    "PlayerDefaults",
    "PlayerSettings",
    "Problem",
    "RefereeConfig",
    "RefereeDefaults",
    "RefereeSettings",
    "RetryPolicyConfig",
    "ScheduleConfig",
    "ScoringConfig",
    "SecurityConfig",
    "SystemConfig",
    "TimeoutsConfig",
    "UnknownAgent",
    "Workspace",
    "find_config",
    "find_workspace",
    "listed_players",
    "listed_referees",
    "read_secret",
    "taking_part",
    "variables",
    "write_secret",
]
