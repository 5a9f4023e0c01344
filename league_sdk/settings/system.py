"""Settings for every agent and every league on this machine: `system.json`."""

import ipaddress
import re
from itertools import islice
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from league_sdk.settings.allowed import Allow
from league_sdk.settings.base import Also, Hidden, Informational, LeagueId, Level, Port, SchemaVersion, Seconds, Section
from league_sdk.settings.notify import NotifyConfig


def _range(value: tuple[int, int]) -> tuple[int, int]:
    if value[0] > value[1]:
        raise ValueError("two ports, the lower one first")
    return value


def _store_url(value: str) -> str:
    if not re.match(r"[a-z][a-z0-9+_-]*:", value):
        raise ValueError("a database URL, such as sqlite:///events.db, postgresql://user@host/name or memory:")
    return value


def _network(value: str) -> str:
    try:
        ipaddress.ip_network(value, strict=False)
    except ValueError as error:
        raise ValueError("an address, or a network such as 10.1.0.0/16") from error
    return value


HIGHEST_PORT = 65_535

Network = Annotated[str, AfterValidator(_network)]
StoreUrl = Annotated[str, AfterValidator(_store_url)]
PortRange = Annotated[tuple[Port, Port], AfterValidator(_range)]


class NetworkConfig(Section):
    """Hosts and ports."""

    base_host: str = Field(
        default="localhost", min_length=1, description="Host name that agents give out in their endpoints."
    )
    bind_host: str = Field(
        default="127.0.0.1", min_length=1, description="Address that servers listen on; `0.0.0.0` for every interface."
    )
    league_manager_port: Annotated[Port, Also("default_league_manager_port")] = Field(
        default=8000, description="The league manager's port."
    )
    referee_port_range: Annotated[PortRange, Also("default_referee_port_range")] = Field(
        default=(8001, 8099),
        description="First and last port for referees, in the order of their ids; more of them take ports above both "
        "ranges.",
    )
    player_port_range: Annotated[PortRange, Also("default_player_port_range")] = Field(
        default=(8101, 8200), description="The same for players."
    )

    @model_validator(mode="after")
    def _apart(self) -> Self:
        first, second = sorted((self.referee_port_range, self.player_port_range))
        if first[1] >= second[0]:
            raise ValueError("port ranges of referees and players that do not overlap")
        for low, high in (first, second):
            if low <= self.league_manager_port <= high:
                raise ValueError("a league_manager_port outside the port ranges of referees and players")
        return self

    def ports_for(self, referees: int, players: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Ports for so many agents: those of their ranges, then the next ones above both.

        Raises:
            ValueError: There are not that many ports.
        """
        ends = (self.referee_port_range[1], self.player_port_range[1])
        above = (port for port in range(max(ends) + 1, HIGHEST_PORT + 1) if port != self.league_manager_port)

        def ports(count: int, span: tuple[int, int]) -> tuple[int, ...]:
            own = range(span[0], min(span[1], span[0] + count - 1) + 1)
            found = (*own, *islice(above, count - len(own)))
            if len(found) < count:
                raise ValueError(f"{referees} referees and {players} players need more ports than there are")
            return found

        # Players first: where only they are more than their range has, their ports stay in one row.
        of_players = ports(players, self.player_port_range)
        return ports(referees, self.referee_port_range), of_players

    def moved_to(self, port_base: int) -> Self:
        """The same ports, moved so that the manager's becomes `port_base`.

        Raises:
            ValueError: A port would be below 1 or above 65535.
        """
        distance = port_base - self.league_manager_port
        referees = (self.referee_port_range[0] + distance, self.referee_port_range[1] + distance)
        players = (self.player_port_range[0] + distance, self.player_port_range[1] + distance)
        ports = (port_base, *referees, *players)
        if min(ports) < 1 or max(ports) > HIGHEST_PORT:
            raise ValueError(
                f"port base {port_base} moves ports to {min(ports)}-{max(ports)}; they end at {HIGHEST_PORT}"
            )
        changes = {"league_manager_port": port_base, "referee_port_range": referees, "player_port_range": players}
        return self.model_copy(update=changes)


class TimeoutsConfig(Section):
    """Time limits for answers."""

    move_timeout_sec: Seconds = Field(default=30.0, description="Seconds that a player has for one move.")
    game_join_timeout_sec: Annotated[Seconds, Also("game_join_ack_timeout_sec")] = Field(
        default=5.0, description="Seconds that a player has to accept an invitation."
    )
    generic_response_timeout_sec: Seconds = Field(
        default=10.0, description="Seconds for the answer to any other message."
    )
    match_timeout_sec: Seconds = Field(
        default=3600.0,
        description="Seconds in which nothing may happen in a match before it goes to another referee, and for which a "
        "match stays open whose report is refused.",
    )
    referee_timeout_sec: Seconds = Field(
        default=15.0,
        description="Seconds after which a match goes to another referee when its own does not answer, or has taken it "
        "and sends no message of it.",
    )
    referee_trial_sec: Seconds = Field(
        default=2.0,
        description="The same for the first match of a referee that has finished none, while there are others to try; "
        "no less than `referee_timeout_sec`: no trials. The launcher's own referees have none.",
    )
    seats_away_sec: Seconds = Field(
        default=60.0,
        description="Seconds that a match waits at its referee for the league's seats process before it is played "
        "again.",
    )
    http_request_timeout_sec: Seconds = Field(
        default=5.0,
        description="Seconds to connect to a peer; its answer has a limit of its own, above.",
    )


class RetryPolicyConfig(Section):
    """Retries after a failure that may be temporary."""

    max_retries: int = Field(default=3, ge=0, le=20, description="Tries after the first one.")
    backoff_strategy: Literal["exponential"] = Field(
        default="exponential", description="Growth of waits: doubled each time, with full jitter."
    )
    backoff_base_sec: float = Field(
        default=2.0,
        ge=0,
        le=3600,
        description="Seconds of the first wait at most; all of it before the one more try of a player that is gone.",
    )
    backoff_max_sec: float = Field(default=30.0, ge=0, le=3600, description="Seconds that no wait exceeds.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.backoff_max_sec < self.backoff_base_sec:
            raise ValueError("a backoff_max_sec that is not below backoff_base_sec")
        return self


class CircuitBreakerConfig(Section):
    """Pause of calls to a peer that keeps failing."""

    failure_threshold: int = Field(default=5, ge=1, description="Failures in a row that open the circuit.")
    timeout_sec: Seconds = Field(default=30.0, description="Seconds that it stays open before a trial call.")
    half_open_max_calls: int = Field(default=1, ge=1, description="Trial calls at once.")


class LoggingConfig(Section):
    """Content and rotation of log files."""

    level: Level = Field(default="INFO", description="Least level that is written: DEBUG, INFO, WARNING or ERROR.")
    format: Literal["jsonl"] = Field(default="jsonl", description="One JSON object a line.")
    rotation_mb: float = Field(
        default=100.0, gt=0, description="Megabytes (10⁶ bytes) after which a log file is rotated."
    )
    rotation_backups: int = Field(
        default=5, ge=0, le=1000, description="Rotated files that are kept beside the current one."
    )


class SecurityConfig(Section):
    """Protection of a league."""

    token_ttl_sec: float | None = Field(
        default=None,
        gt=0,
        description="Seconds after which an agent's token expires, counted from its registration or from its last "
        "return with that token; null: it lasts as long as its league. Longer than the league lasts, in general.",
    )
    join_secret: Annotated[str | None, Hidden()] = Field(
        default=None,
        min_length=8,
        max_length=1024,
        repr=False,
        description="Secret that a player has to show when it registers, the same for the league manager and for the "
        "players; null: none is needed.",
    )
    referee_secret: Annotated[str | None, Hidden()] = Field(
        default=None,
        min_length=8,
        max_length=1024,
        repr=False,
        description="Secret that a referee shows when it registers, the same for the league manager and for its own "
        "referees; null: one that the manager makes at the league's start, and keeps in its data folder, where "
        "referees find it. A referee of somebody else shows an invitation: `league invite`.",
    )
    require_check: bool = Field(
        default=False,
        description="With `--class`: admits only students whose player has passed `league class check`.",
    )
    allowed_endpoints: tuple[Allow, ...] = Field(
        default=(),
        description="Endpoints that the league manager may call: hosts, `*.domain`, addresses and networks such as "
        "`10.1.0.0/16`, each also with `:port`, and `public` for the public internet. Empty: all of them on a manager "
        "that listens on loopback, else `public`.",
    )
    registrations_per_address: int | None = Field(
        default=None,
        ge=1,
        description="Agents without a credential of their own (token, card, invitation) that one network address may "
        "register per start of the manager; null: 16 where strangers may come, else no limit.",
    )
    trusted_proxies: tuple[Network, ...] = Field(
        default=(),
        description="Addresses and networks of reverse proxies, such as `127.0.0.1`, whose `X-Forwarded-For` says "
        "where a request comes from: limits, metrics and origins go by the right-most address there that is none of "
        "them. Empty: the header is never believed. With any, strangers may come, from this machine too.",
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(), description="Host headers to insist on, such as `league.example:8000`, beside those of loopback."
    )
    metrics_readers: tuple[Network, ...] = Field(
        default=(),
        description="Addresses and networks such as `10.1.0.0/16` that may read `/metrics`, beside callers with the "
        "operator's token, and this machine where no strangers may come (guests, seats, a class, invited agents, "
        "trusted proxies, an address or host name beyond this machine).",
    )
    metrics_token: Annotated[str | None, Hidden()] = Field(
        default=None,
        min_length=8,
        max_length=1024,
        repr=False,
        description="Token that opens `/metrics` and nothing else, for a monitoring system; null: none.",
    )
    max_message_bytes: int = Field(
        default=4_194_304, ge=131_072, description="Bytes that one request or answer may have."
    )
    max_json_depth: int = Field(default=32, ge=16, le=100, description="Levels of nesting in a message.")
    max_text_length: int = Field(default=65_536, ge=2048, description="Characters in one text of a message.")
    max_items: int = Field(default=100_000, ge=1000, description="Values in one list or object of a message.")
    tls_cert: str | None = Field(
        default=None, min_length=1, description="PEM file of the certificate that our servers show; null: plain HTTP."
    )
    tls_key: str | None = Field(default=None, min_length=1, description="PEM file of its private key.")
    tls_ca: str | None = Field(
        default=None,
        min_length=1,
        description="PEM file of the authorities that our clients trust; null: those of the system.",
    )

    @model_validator(mode="after")
    def _paired(self) -> Self:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("both tls_cert and tls_key, or neither")
        return self

    @model_validator(mode="after")
    def _one_secret_a_role(self) -> Self:
        if self.referee_secret is not None and self.referee_secret == self.join_secret:
            raise ValueError("a referee_secret that is not the join_secret, which players have")
        return self


class LimitsConfig(Section):
    """Limits of concurrency and rates in one agent."""

    max_concurrent_calls: int = Field(default=256, ge=1, description="Outgoing calls under way at once.")
    queue_capacity: int = Field(
        default=10_000, ge=0, description="Outgoing calls that may wait for their turn; one more is refused."
    )
    queue_patience_sec: Seconds = Field(default=60.0, description="Seconds that a call waits for its turn at most.")
    session_idle_sec: Seconds = Field(default=300.0, description="Seconds without a call that close a session.")
    requests_per_sec: float = Field(
        default=200.0, gt=0, description="Calls a second that one agent may make in the long run; more are E023."
    )
    request_burst: int = Field(default=2000, ge=1, description="Calls that it may make at once.")
    stranger_requests_per_sec: float = Field(
        default=100.0,
        gt=0,
        description="The same for calls without a good token, together from one network address: registrations, and "
        "refused calls.",
    )
    stranger_burst: int = Field(default=20_000, ge=1, description="Calls of those at once.")
    max_connections: int = Field(
        default=8192, ge=16, description="Connections into one agent at once; open files of the process bound it too."
    )
    max_connections_per_address: int = Field(
        default=4096,
        ge=1,
        description="Of these, from one network address, without those of agents that have shown their tokens; half of "
        "them at most.",
    )
    max_connections_per_agent: int = Field(
        default=64,
        ge=1,
        description="Of these, from one player that has shown its token; referees and the operator may have half.",
    )
    client_patience_sec: Seconds = Field(
        default=15.0, description="Seconds that a client may take to send one whole request, or to take its answer."
    )


class ProtocolConfig(Section):
    """Reading of messages."""

    lenient: bool = Field(
        default=True,
        description="Derives fields that simple agents leave out of messages, such as `timestamp` or `sender`, where "
        "the connection, the token or the time of arrival says them, with one warning an agent and a count in "
        "`/metrics`; false: refuses such messages. A wrong value is refused either way.",
    )


class SystemConfig(Section):
    """The whole of `system.json`."""

    schema_version: SchemaVersion = Field(default="1.0.0", description="Version of the file's format.")
    system_id: Annotated[str, Informational("It names an installation for those who look after several.")] = Field(
        default="league_system_prod", min_length=1, description="Name of this installation, for information."
    )
    protocol_version: Literal["league.v2"] = Field(
        default="league.v2", description="The protocol that our agents speak."
    )
    default_league: LeagueId | None = Field(
        default=None, description="League to use when none is named; null: the only one in `leagues/`."
    )
    store_url: Annotated[StoreUrl | None, Hidden()] = Field(
        default=None,
        repr=False,
        description="URL of the event store: `sqlite:///FILE`, `postgresql://USER@HOST/NAME` or `memory:`; "
        "null: a SQLite file in the league's data folder.",
    )
    heartbeat_interval_sec: Seconds = Field(default=30.0, description="Seconds between two pings on an idle session.")
    manager_absence_sec: Seconds = Field(
        default=600.0,
        description="Seconds without an answer of the manager after which referees and players end; it has that long "
        "to be started again, on another machine too.",
    )
    registration_timeout_sec: float = Field(
        default=60.0,
        ge=0,
        le=86_400,
        description="Seconds until registration closes, given enough players; 0: never by itself.",
    )
    network: NetworkConfig = Field(default=NetworkConfig(), description="Hosts and ports.")
    timeouts: TimeoutsConfig = Field(default=TimeoutsConfig(), description="Time limits for answers.")
    retry_policy: RetryPolicyConfig = Field(default=RetryPolicyConfig(), description="Retries after a failure.")
    circuit_breaker: CircuitBreakerConfig = Field(
        default=CircuitBreakerConfig(), description="Pause of calls to a failing peer."
    )
    logging: LoggingConfig = Field(default=LoggingConfig(), description="Content and rotation of log files.")
    security: SecurityConfig = Field(default=SecurityConfig(), description="Protection of a league.")
    protocol: ProtocolConfig = Field(default=ProtocolConfig(), description="Reading of messages.")
    limits: LimitsConfig = Field(default=LimitsConfig(), description="Limits of concurrency and rates in one agent.")
    notify: NotifyConfig = Field(default=NotifyConfig(), description="Messages to a webhook of the operator's.")
