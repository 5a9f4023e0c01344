"""Write docs/reference/metrics.md from the table of metrics."""

from pathlib import Path

from clients.meter import OUTCOMES
from docs.generators.tables import table
from servers.observability.metrics import ALL, METRICS, PEERS_NAMED, SECONDS, MetricSpec

TARGET = Path(__file__).resolve().parents[1] / "reference" / "metrics.md"

HEAD = f"""\
# Metrics

Made by `docs/generators/metrics.py` from `servers/observability/metrics.py`; change that, not this page.

Every agent serves these at `/metrics`, in Prometheus' text format. [Operations](../operations.md) says who may read
them, and what to watch.

Labels have few values. Tools and codes are those of the protocol. An outcome is an [error code](errors.md) or
{", ".join(f"`{outcome}`" for outcome in OUTCOMES)}. The first {PEERS_NAMED} peers have a label of their own,
and the others are `other`. No metric tells a token, a move, a draw or an address.

Buckets end at {", ".join(f"{bound:g}" for bound in SECONDS)} seconds; those of matches are longer.
The metrics of the process (`process_cpu_seconds_total`, `process_resident_memory_bytes`,
`process_open_fds`, …) are those of every Prometheus client.
"""


def render() -> str:
    """The page as Markdown."""
    rows = [
        (f"`{spec.name}`", spec.kind, ", ".join(f"`{label}`" for label in spec.labels), _served_by(spec), spec.about)
        for spec in METRICS
    ]
    return "\n".join([HEAD, table(("metric", "kind", "labels", "of", "what it is"), rows)])


def _served_by(spec: MetricSpec) -> str:
    names = [str(role).replace("league_", "") for role in spec.roles]
    return "everybody" if spec.roles == ALL else ", ".join(names)
