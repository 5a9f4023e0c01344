"""The registry of agents (`agents_config.json`) and their defaults."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from league_sdk.domain.model import OnBadMove
from league_sdk.names import name_key
from league_sdk.settings.base import (
    Also,
    Endpoint,
    Informational,
    Level,
    Name,
    SchemaVersion,
    Seconds,
    Section,
    spellings,
)

AgentStatus = Literal["INIT", "REGISTERED", "ACTIVE", "SUSPENDED", "SHUTDOWN"]

CHOICE_TIMEOUT = "_timeout_sec"

_ACTIVE = "True if it takes part; false too when `status` is SUSPENDED or SHUTDOWN."
_PORTS = Informational(
    "Agents are started at the ports of `network` in `system.json`, and say themselves where they are."
)
_GAMES = "Games it plays; empty: any game."


class _Agent(Section):
    version: Annotated[str, Informational("Our agents say the version of the release.")] = Field(
        default="1.0.0", min_length=1, description="The agent's own version."
    )
    status: AgentStatus = Field(
        default="ACTIVE", description="State to begin with: INIT, REGISTERED, ACTIVE, SUSPENDED, …"
    )
    active: bool = Field(default=True, description=_ACTIVE)

    @classmethod
    def tidy(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """A status that means absence decides over `active`; the id is the default name."""
        tidied = dict(given)
        if tidied.get("status") in ("SUSPENDED", "SHUTDOWN"):
            tidied["active"] = False
        id_field = next(iter(name for name in cls.model_fields if name.endswith("_id")))
        if tidied.get("display_name", "") == "" and id_field in tidied:
            tidied["display_name"] = tidied[id_field]
        return tidied


class ManagerConfig(_Agent):
    """The league manager."""

    status: AgentStatus = Field(
        default="ACTIVE", description="State to begin with; SUSPENDED and SHUTDOWN are as `active` false."
    )
    active: bool = Field(default=True, description="True if it leads leagues; where false, none is started.")

    manager_id: Annotated[Name, Also("id", "agent_id")] = Field(
        default="LM01", description="Its id, by which a league's file may name it; messages call it `league_manager`."
    )
    display_name: Name = Field(default="Central League Manager", description="Its name for people.")
    endpoint: Endpoint = Field(
        default="http://localhost:8000/mcp",
        description="Its URL. Where that is on another machine, agents that are started one by one look for it there.",
    )


class RefereeConfig(_Agent):
    """A referee with a place in every league."""

    referee_id: Annotated[Name, Also("id", "agent_id")] = Field(description="Its id, such as `REF01`.")
    display_name: str = Field(default="", max_length=64, description="Its name for people; the id when empty.")
    endpoint: Annotated[Endpoint, _PORTS] = Field(description="Its URL.")
    game_types: Annotated[tuple[str, ...], Also("supported_games")] = Field(default=(), description=_GAMES)
    max_concurrent_matches: Annotated[int, Also("max_concurrent_games")] = Field(
        default=10, ge=1, description="Matches it runs at once; when not given, as `defaults/referee.json` says."
    )


class PlayerConfig(_Agent):
    """A player with a place in every league."""

    player_id: Annotated[Name, Also("id", "agent_id")] = Field(description="Its id, such as `P01`.")
    display_name: str = Field(default="", max_length=64, description="Its name for people; the id when empty.")
    endpoint: Annotated[Endpoint, Also("default_endpoint")] = Field(
        description="Its URL. Where that is on another machine, `league run` invites it there and starts none here."
    )
    game_types: Annotated[tuple[str, ...], Also("supported_games")] = Field(default=(), description=_GAMES)
    preferred_leagues: tuple[str, ...] = Field(
        default=(), description="Leagues it likes best: where not all of the registry play, it goes first."
    )
    strategy: Name = Field(
        default="random", description="Its strategy; when not given, as `defaults/player.json` says."
    )
    requirements: tuple[str, ...] = Field(
        default=(),
        description="All that its node of a Ray cluster has to have: `gpu=1`, `resource.NAME=1`, `label.NAME=VALUE`, "
        "`pip=PACKAGE==VERSION`.",
    )


class AgentsConfig(Section):
    """The whole of `agents_config.json`."""

    schema_version: SchemaVersion = Field(default="1.0.0", description="Version of the file's format.")
    league_manager: ManagerConfig = Field(default=ManagerConfig(), description="The league manager.")
    referees: tuple[RefereeConfig, ...] = Field(default=(), description="All known referees.")
    players: tuple[PlayerConfig, ...] = Field(default=(), description="All known players.")

    @model_validator(mode="after")
    def _unique(self) -> Self:
        referees, players = self.referees, self.players
        ids = [self.league_manager.manager_id, *(r.referee_id for r in referees), *(p.player_id for p in players)]
        _refuse_doubles("an id", ids)
        _refuse_doubles("a display name", [referee.display_name for referee in referees], name_key)
        _refuse_doubles("a display name", [player.display_name for player in players], name_key)
        _refuse_doubles("an endpoint", [agent.endpoint for agent in (self.league_manager, *referees, *players)])
        return self


def _refuse_doubles(what: str, values: list[str], form: Callable[[str], str] = str) -> None:
    forms = list(map(form, values))
    doubles = [values[forms.index(key)] for key, count in Counter(forms).items() if count > 1]
    if doubles:
        raise ValueError(f"{what} of its own for every agent, but {', '.join(doubles)} stands there more than once")


class AgentLogging(Section):
    """Logging of one kind of agent; null values are taken from `system.json`."""

    level: Level | None = Field(default=None, description="Least level that is written.")
    format: Literal["jsonl"] | None = Field(default=None, description="One JSON object a line.")


class RefereeSettings(Section):
    """A referee's settings.

    `<choice field>_timeout_sec` is the limit for moves that travel in that field.
    """

    model_config = ConfigDict(extra="allow")

    game_join_timeout_sec: Annotated[Seconds | None, Also("game_join_ack_timeout_sec")] = Field(
        default=None, description="Seconds that a player has to accept an invitation."
    )
    move_timeout_sec: Seconds | None = Field(
        default=None, description="Seconds that a player has for one move, in any game."
    )
    max_concurrent_matches: Annotated[int, Also("max_concurrent_games")] = Field(
        default=10, ge=1, description="Matches that a referee runs at once."
    )
    retry_on_timeout: bool = Field(
        default=True, description="True to ask a late player again, as often as `retry_policy` says."
    )

    __pydantic_extra__: dict[str, Seconds] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    @classmethod
    def keeps(cls, name: str) -> bool:
        """True for a time limit of games with another choice field."""
        return name.endswith(CHOICE_TIMEOUT) and name not in spellings(cls)

    @property
    def by_choice(self) -> Mapping[str, float]:
        """Seconds for one move, by the games' choice field."""
        extra = self.__pydantic_extra__.items()
        return {name.removesuffix(CHOICE_TIMEOUT): seconds for name, seconds in extra}


class RefereeDefaults(Section):
    """The whole of `defaults/referee.json`."""

    schema_version: SchemaVersion = Field(default="1.0.0", description="Version of the file's format.")
    default_settings: RefereeSettings = Field(default=RefereeSettings(), description="A referee's settings.")
    logging: AgentLogging = Field(default=AgentLogging(), description="Logging of referees.")


def _model_name(value: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9-]*:\S{1,200}", value):
        raise ValueError("a provider and a model, such as anthropic:claude-haiku-4-5")
    return value


ModelName = Annotated[str, AfterValidator(_model_name)]


class LanguageModelSettings(Section):
    """The language model of a player whose strategy needs one, and its limits."""

    model: ModelName | None = Field(
        default=None,
        description="Provider and model, such as `anthropic:claude-haiku-4-5`, `openai:gpt-6-luna` or "
        "`google:gemini-3.5-flash-lite`; null: a small one of the provider whose key is in the environment.",
    )
    base_url: Endpoint | None = Field(
        default=None,
        description="The provider's URL; with a model `openai:…`, any server that speaks OpenAI's protocol. "
        "null: the provider's own address.",
    )
    temperature: float | None = Field(
        default=None, ge=0, le=2, description="Variation of its answers; null: the provider's default."
    )
    thinking: Literal["off", "minimal", "low", "medium", "high"] | None = Field(
        default="off",
        description="Effort of thinking before an answer, if that can be set; `off`: as little as possible. "
        "null: the provider's default.",
    )
    prompt: str | None = Field(
        default=None,
        min_length=1,
        description="Its system prompt, or `@FILE` with a file that has it; `{rules}` in it stands for the rules "
        "of the game. null: the strategy's own prompt.",
    )
    max_tokens: int = Field(
        default=1024, ge=16, le=100_000, description="Tokens that one answer may have, its thoughts included."
    )
    timeout_sec: Seconds = Field(
        default=20.0, description="Seconds that one move may take; never more than most of what the referee grants."
    )
    max_cost_per_league: float | None = Field(
        default=1.0,
        ge=0,
        description="US dollars that all players who share a data folder may spend together in one league, before "
        "the fallback chooses for them; null: without a limit.",
    )
    input_price: float | None = Field(
        default=None,
        ge=0,
        description="US dollars for a million tokens that go out; null: as published for the model. 0 for a model of "
        "your own.",
    )
    output_price: float | None = Field(
        default=None, ge=0, description="The same for tokens that come back; both prices, or neither."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("both input_price and output_price, or neither")
        if self.base_url is not None and self.model is None:
            raise ValueError("a model as well, where there is a base_url")
        return self


class PlayerSettings(Section):
    """A player's settings."""

    response_timeout_sec: Seconds | None = Field(
        default=None,
        description="Seconds that a strategy may think before the fallback chooses for it; null: as long as the "
        "referee waits, less a margin for the answer's way.",
    )
    on_bad_move: OnBadMove = Field(
        default=OnBadMove.SUBSTITUTE,
        description="For a strategy that raises or chooses an illegal move, where the referee leaves it to the player: "
        "substitute sends a random legal move, marked; tell sends it as it is, or an error.",
    )
    strategy: Name = Field(default="random", description="The strategy of a player that names none.")
    auto_register: bool = Field(
        default=True, description="True if `league player` registers by itself; else it serves any caller."
    )
    llm: LanguageModelSettings = Field(
        default=LanguageModelSettings(), description="The language model of a player whose strategy needs one."
    )


class PlayerDefaults(Section):
    """The whole of `defaults/player.json`."""

    schema_version: SchemaVersion = Field(default="1.0.0", description="Version of the file's format.")
    default_settings: PlayerSettings = Field(default=PlayerSettings(), description="A player's settings.")
    logging: AgentLogging = Field(default=AgentLogging(), description="Logging of players.")
