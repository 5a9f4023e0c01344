"""Checks somebody else's agent before any league: plays the league's part against it, and reports what it does wrong.

from league_sdk.testing.compliance import check_agent

report = await check_agent("http://localhost:8101/mcp")
assert report.complies, report.failed
"""

from league_sdk.testing.compliance.check import check_agent
from league_sdk.testing.compliance.report import (
    ComplianceCheck,
    ComplianceOutcome,
    ComplianceReport,
    ComplianceVerdict,
    Status,
)
from league_sdk.testing.compliance.script import Timeouts
from league_sdk.testing.compliance.wire import DIALECTS

__all__ = [
    "DIALECTS",
    "ComplianceCheck",
    "ComplianceOutcome",
    "ComplianceReport",
    "ComplianceVerdict",
    "Status",
    "Timeouts",
    "check_agent",
]
