"""Metrics of an agent; every one is a row of `METRICS`.

An agent has a registry of its own, since several may live in one process. Labels have few values: tools and codes are
those of the protocol, and only so many peers get a name of their own.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, Summary, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from clients.meter import OK
from league_sdk.domain.model import Role

ALL = (Role.LEAGUE_MANAGER, Role.REFEREE, Role.PLAYER)
MANAGER = (Role.LEAGUE_MANAGER,)
REFEREE = (Role.REFEREE,)

CONTENT_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
"""Upper ends of the buckets, in seconds."""
MATCH_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
PEERS_NAMED = 128
"""Number of peers with a label of their own; the others are counted together."""
LONGEST_NAME = 64
OTHER = "other"
OPERATOR = "operator"
STRANGER = "stranger"
"""Label of callers that have not proved who they are."""

Readings: TypeAlias = Callable[[], Mapping[tuple[str, ...], float]]
"""Values now, by the values of the labels."""


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One metric."""

    name: str  # its name in Prometheus
    kind: Literal["counter", "gauge", "histogram", "summary"]
    labels: tuple[str, ...]
    about: str  # a sentence for people
    roles: tuple[Role, ...] = ALL  # who serves it


INFO = MetricSpec(
    "league_agent_info",
    "gauge",
    ("role", "name", "version", "protocol_version"),
    "1 for each agent, with its release and the version of the league's protocol that it speaks.",
)
READY = MetricSpec("league_agent_ready", "gauge", (), "1 when the agent is ready to serve, as at `/readyz`; else 0.")
SENT = MetricSpec(
    "league_calls_sent_total",
    "counter",
    ("tool", "peer", "outcome"),
    "Attempts of outgoing calls, by outcome: ok, acknowledged, malformed, circuit_open, overloaded (our "
    "own queue or connections), or an E-code.",
)
CALL_SECONDS = MetricSpec("league_call_seconds", "histogram", ("tool",), "Time that peers took to answer, in seconds.")
PEER_SECONDS = MetricSpec("league_peer_seconds", "summary", ("peer",), "The same for each peer: sum and count.")
RETRIES = MetricSpec("league_retries_total", "counter", ("tool", "code"), "Retries after a failed attempt, by reason.")
RECEIVED = MetricSpec(
    "league_calls_received_total",
    "counter",
    ("tool", "peer", "outcome"),
    "Incoming calls, by caller (an id, operator, or stranger) and outcome: ok, or an E-code.",
)
HANDLING_SECONDS = MetricSpec(
    "league_handling_seconds", "histogram", ("tool",), "Time that incoming calls took to be answered, in seconds."
)
REJECTED = MetricSpec(
    "league_requests_rejected_total",
    "counter",
    ("code",),
    "Calls of our tools that were refused, registrations among them, by error code.",
)
QUEUE_WAITING = MetricSpec(
    "league_queue_waiting", "gauge", ("queue",), "Calls that wait in the queue, sent or received."
)
QUEUE_UNDER_WAY = MetricSpec("league_queue_under_way", "gauge", ("queue",), "Calls in progress.")
BREAKERS = MetricSpec("league_breakers", "gauge", ("state",), "Circuit breakers by state: one for each endpoint.")
SESSIONS = MetricSpec("league_sessions_open", "gauge", (), "Sessions with peers that are open.")
TROUBLES = MetricSpec(
    "league_troubles_total",
    "counter",
    ("event", "level"),
    "Lines of the log that are a WARNING or an ERROR, by their event type.",
)
DERIVED = MetricSpec(
    "league_derived_fields_total",
    "counter",
    ("peer", "field"),
    "Fields that peers left out of messages and that were derived; while it stays 0, `protocol.lenient` can be off.",
)

STATE = MetricSpec("league_state", "gauge", ("state",), "1 for the state that the league is in, else 0.", MANAGER)
ROUNDS = MetricSpec("league_rounds", "gauge", ("state",), "Rounds: planned, started, completed.", MANAGER)
REGISTERED = MetricSpec("league_registered_agents", "gauge", ("role",), "Registered agents.", MANAGER)
MATCHES = MetricSpec(
    "league_matches",
    "gauge",
    ("state",),
    "Matches of the schedule by state: waiting, under_way, win, draw, technical_loss, void.",
    MANAGER,
)
TECHNICAL_LOSSES = MetricSpec(
    "league_technical_losses_total",
    "counter",
    ("cause",),
    "Technical losses by cause, one for each player at fault; also those from before a restart.",
    MANAGER,
)
EVENTS_STORED = MetricSpec(
    "league_events_stored_total",
    "counter",
    ("type",),
    "Events in the store by type; also those from before a restart.",
    MANAGER,
)
STORE_SECONDS = MetricSpec(
    "league_store_append_seconds", "histogram", (), "Time that the store took to append, in seconds.", MANAGER
)
STORE_FAILURES = MetricSpec("league_store_failures_total", "counter", (), "Appends that the store refused.", MANAGER)

REFEREE_MATCHES = MetricSpec(
    "league_referee_matches",
    "gauge",
    ("state",),
    "Matches that the referee knows, by the state of the match.",
    REFEREE,
)
MATCH_DURATION = MetricSpec("league_match_seconds", "histogram", (), "Duration of matches, in seconds.", REFEREE)

METRICS: tuple[MetricSpec, ...] = tuple(value for value in tuple(globals().values()) if isinstance(value, MetricSpec))
"""All of them, in the order of this file."""

Sent: TypeAlias = tuple[Callable[[], None], Callable[[float], None], Callable[[float], None]]
Received: TypeAlias = tuple[Callable[[], None], Callable[[float], None]]


class AgentMetrics:
    """The metrics of one agent. Implements `CallMeter`.

    What is told at every call costs a lookup and three additions; what can be read off the agent is read when somebody
    asks for it.
    """

    def __init__(self, role: Role, peers_named: int = PEERS_NAMED) -> None:
        self.role = role
        self.registry = CollectorRegistry()
        self._room = peers_named
        self._named: set[str] = set()
        self._readings = _Readings()
        self.registry.register(self._readings)
        ProcessCollector(registry=self.registry)
        self._sent_total = self._counter(SENT)
        self._call_seconds = self._histogram(CALL_SECONDS)
        self._peer_seconds = Summary(PEER_SECONDS.name, PEER_SECONDS.about, PEER_SECONDS.labels, registry=self.registry)
        self._retries = self._counter(RETRIES)
        self._received_total = self._counter(RECEIVED)
        self._handling_seconds = self._histogram(HANDLING_SECONDS)
        self._rejected = self._counter(REJECTED)
        self._troubles = self._counter(TROUBLES)
        self._derived = self._counter(DERIVED)
        self._sent: dict[tuple[str, str, str], Sent] = {}
        self._received: dict[tuple[str, str, str], Received] = {}
        if role in MANAGER:
            self._store_seconds = self._histogram(STORE_SECONDS)
            self._store_failures = self._counter(STORE_FAILURES)
        if role in REFEREE:
            self._match_seconds = self._histogram(MATCH_DURATION, MATCH_SECONDS)

    def tried(self, tool: str, peer: str, outcome: str, seconds: float) -> None:
        """A try of a call that went out is over; see `CallMeter`."""
        key = (tool, peer if peer in self._named else self._label(peer), outcome)
        found = self._sent.get(key)
        if found is None:
            children = self._sent_total.labels(*key), self._call_seconds.labels(tool), self._peer_seconds.labels(key[1])
            found = self._sent[key] = children[0].inc, children[1].observe, children[2].observe
        found[0]()
        if seconds:
            found[1](seconds)
            found[2](seconds)

    def tries_again(self, tool: str, code: str) -> None:
        """The retry policy tries once more; see `CallMeter`."""
        self._retries.labels(tool, code).inc()

    def derived(self, peer: str, field: str) -> None:
        """A field was derived; see `CallMeter`."""
        self._derived.labels(self._label(peer), field).inc()

    def received(self, tool: str, peer: str, outcome: str, seconds: float) -> None:
        """A call that came in is answered."""
        key = (tool, peer if peer in self._named else self._label(peer), outcome)
        found = self._received.get(key)
        if found is None:
            children = self._received_total.labels(*key), self._handling_seconds.labels(tool)
            found = self._received[key] = children[0].inc, children[1].observe
        found[0]()
        found[1](seconds)
        if outcome != OK:
            self._rejected.labels(outcome).inc()

    def logged(self, event: str, level: str) -> None:
        """A line of the log that is worth a look."""
        self._troubles.labels(event, level).inc()

    def stored(self, seconds: float) -> None:
        """The store has appended something."""
        self._store_seconds.observe(seconds)

    def not_stored(self) -> None:
        """The store has refused to append."""
        self._store_failures.inc()

    def match_over(self, seconds: float) -> None:
        self._match_seconds.observe(seconds)

    def read(self, spec: MetricSpec, read_values: Readings) -> None:
        """Read a metric off the agent at every scrape."""
        self._readings.add(spec, read_values)

    def page(self) -> Iterator[bytes]:
        """All metrics in Prometheus' text format, in pieces that let calls in between."""
        for metric in self.registry.collect():
            # Nobody asks when a counter was made, and it would double the page.
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield generate_latest(_One(metric))

    def _label(self, peer: str) -> str:
        full = len(self._named) >= self._room and peer not in (OPERATOR, STRANGER)
        if full or len(peer) > LONGEST_NAME:
            return OTHER
        self._named.add(peer)
        return peer

    def _counter(self, spec: MetricSpec) -> Counter:
        return Counter(spec.name, spec.about, spec.labels, registry=self.registry)

    def _histogram(self, spec: MetricSpec, buckets: tuple[float, ...] = SECONDS) -> Histogram:
        return Histogram(spec.name, spec.about, spec.labels, buckets=buckets, registry=self.registry)


class _Readings(Collector):
    """Metrics that are read off the agent at a scrape."""

    def __init__(self) -> None:
        self._of: dict[MetricSpec, Readings] = {}

    def add(self, spec: MetricSpec, read_values: Readings) -> None:
        self._of[spec] = read_values

    def collect(self) -> Iterator[Metric]:
        for spec, read_values in self._of.items():
            kind = CounterMetricFamily if spec.kind == "counter" else GaugeMetricFamily
            family: Any = kind(spec.name, spec.about, labels=spec.labels)
            for labels, value in read_values().items():
                family.add_metric(labels, value)
            yield family


class _One:
    """A registry of one metric."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric

    def collect(self) -> Iterator[Metric]:
        yield self._metric
