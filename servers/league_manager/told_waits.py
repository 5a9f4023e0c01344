"""Tells terminals what matches under way wait for."""

from collections.abc import Sequence

from league_sdk.ports import Journal
from servers.agent import startup_status
from servers.agent.bootstrap import AgentContext
from servers.agent.startup_status import ReportTo
from servers.agent.waits_file import write_waits
from servers.read_model.live import Live


def tell_waits(tools: AgentContext, live: Live, report: ReportTo, journal: Journal) -> None:
    """Report waits to the starter, and write them for others on this machine."""

    def write(lines: Sequence[tuple[str, str]]) -> None:
        try:
            write_waits(tools.workspace, tools.spec.league_id, lines)
        except OSError as error:
            journal.event("PROJECTION_FAILED", "ERROR", reason=str(error))

    def changed() -> None:
        lines = [(line.text, line.until) for line in live.waits()]
        report(startup_status.waits(lines))
        write(lines)

    write([])  # what a manager that was killed had left
    live.running.subscribe(changed)
