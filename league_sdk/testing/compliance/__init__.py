"""Checks a foreign agent before any league, by playing the league's part.

The report has every rule of the protocol that the agent breaks.

    from league_sdk.testing.compliance import check_agent

    report = await check_agent("http://localhost:8101/mcp")
    assert report.complies, report.failed
"""

from league_sdk.testing.compliance.check import check_agent
from league_sdk.testing.compliance.check_report import (
    ComplianceCheck,
    ComplianceOutcome,
    ComplianceReport,
    ComplianceVerdict,
    Status,
)
from league_sdk.testing.compliance.readiness import NotToBeChecked
from league_sdk.testing.compliance.script import Timeouts
from league_sdk.testing.compliance.wire import DIALECTS

__all__ = [
    "DIALECTS",
    "ComplianceCheck",
    "ComplianceOutcome",
    "ComplianceReport",
    "ComplianceVerdict",
    "NotToBeChecked",
    "Status",
    "Timeouts",
    "check_agent",
]
