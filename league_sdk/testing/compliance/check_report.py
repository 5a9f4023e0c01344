"""The result of a check of an agent: an entry for each rule, and a verdict."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any
from xml.etree import ElementTree as Xml

from league_sdk.bounds import as_evidence
from league_sdk.json_value import Json
from league_sdk.logs import redact

_NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


_MOST_REASONS = 3
"""Different reasons in a verdict; the checks below it have them all."""


class ComplianceOutcome(StrEnum):
    """The fate of an agent in a league."""

    PLAYS = "plays"
    LOSES = "loses"
    CANNOT_PLAY = "cannot_play"


_PLAYER_WORDS = {
    ComplianceOutcome.PLAYS: "would play and lose nothing",
    ComplianceOutcome.LOSES: "would lose technically",
    ComplianceOutcome.CANNOT_PLAY: "cannot play",
}
_LEADER_WORDS = {
    ComplianceOutcome.PLAYS: "keeps the protocol",
    ComplianceOutcome.LOSES: "breaks the protocol",
    ComplianceOutcome.CANNOT_PLAY: "cannot take part",
}


@dataclass(frozen=True, slots=True)
class ComplianceVerdict:
    """The end of a check, in one line.

    Attributes:
        outcome: The agent's fate in a league.
        words: The same in words.
        reasons: The reasons for a bad outcome.
    """

    outcome: ComplianceOutcome
    words: str
    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line."""
        return f"{self.words}: {'; '.join(self.reasons)}" if self.reasons else self.words


class Status(StrEnum):
    """The result of a check; "advised" marks a flaw that does not lose a match."""

    PASSED = "passed"
    FAILED = "failed"
    ADVISED = "advised"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class ComplianceCheck:
    """One rule of the protocol, checked in one dialect.

    Attributes:
        name: The rule, such as `GAME_JOIN_ACK: timestamp`.
        section: The rule's section: a heading of docs/protocol_spec.md.
        status: The result; skipped if there was nothing to check.
        dialect: The dialect: `jsonrpc`, `mcp/2026-07-28`, …; empty for all.
        sent: Of a failed or advised check the request, as JSON, without secrets.
        received: Its answer, as JSON or text, shortened and without secrets.
        expected: The rule's demand.
        detail: The fault, or the reason for skipping.
        fatal: True if an agent that fails here cannot play at all.
    """

    name: str
    section: str
    status: Status
    dialect: str = ""
    sent: Json = None
    received: Json = None
    expected: str = ""
    detail: str = ""
    fatal: bool = False

    @property
    def title(self) -> str:
        """The name with the dialect in front, unique in a report."""
        return f"{self.dialect} {self.name}".strip()

    @property
    def is_wrong(self) -> bool:
        """True if the check failed or came to an advice."""
        return self.status in (Status.FAILED, Status.ADVISED)

    def as_json(self) -> dict[str, Json]:
        """The check as one JSON object; request and answer only if something is wrong."""
        told: dict[str, Json] = {
            "name": self.name,
            "section": self.section,
            "status": str(self.status),
            "dialect": self.dialect,
            "expected": self.expected,
            "detail": self.detail,
        }
        if self.is_wrong:
            told |= {"sent": self.sent, "received": self.received}
        return told


@dataclass(slots=True)
class ComplianceReport:
    """All checks of one agent.

    Attributes:
        url: The agent.
        role: The role that it was checked as.
        game: The game that was played.
        agent_name: The name that it gives itself over MCP; empty if it gives none.
        dialects: The dialects that it speaks.
        checks: Every check, in order.
        seconds: Duration of the check.
    """

    url: str
    role: str
    game: str = ""
    agent_name: str = ""
    dialects: tuple[str, ...] = ()
    checks: list[ComplianceCheck] = field(default_factory=list[ComplianceCheck])
    seconds: float = 0.0
    _taken: Counter[str] = field(default_factory=Counter[str], init=False, repr=False)

    @property
    def complies(self) -> bool:
        """True if something was checked and nothing failed."""
        counted = self.counts
        return counted["passed"] > 0 and counted["failed"] == 0

    @property
    def verdict(self) -> ComplianceVerdict:
        """The agent's fate in a league; it plays if it complies."""
        words = _PLAYER_WORDS if self.role == "player" else _LEADER_WORDS
        if self.complies:
            return ComplianceVerdict(ComplianceOutcome.PLAYS, words[ComplianceOutcome.PLAYS])
        fatal = [check for check in self.failed if check.fatal]
        outcome = ComplianceOutcome.CANNOT_PLAY if fatal or not self.failed else ComplianceOutcome.LOSES
        reasons = dict.fromkeys(f"{check.name}: {check.detail}" for check in fatal or self.failed)
        told = list(reasons)[:_MOST_REASONS] or ["there was nothing to look at"]
        more = len(reasons) - len(told)
        return ComplianceVerdict(outcome, words[outcome], (*told, *([f"and {more} more"] if more > 0 else [])))

    @property
    def failed(self) -> list[ComplianceCheck]:
        """The failed checks."""
        return [check for check in self.checks if check.status is Status.FAILED]

    @property
    def advised(self) -> list[ComplianceCheck]:
        """The checks that came to an advice."""
        return [check for check in self.checks if check.status is Status.ADVISED]

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of checks by status."""
        counted = Counter(str(check.status) for check in self.checks)
        return {str(status): counted[str(status)] for status in Status}

    def add(self, check: ComplianceCheck) -> None:
        """Add a redacted check; a name that is taken gets a number."""
        self._taken[check.title] += 1
        taken = self._taken[check.title]
        name = f"{check.name} ({taken})" if taken > 1 else check.name
        sent, received = (_shown(value) if check.is_wrong else None for value in (check.sent, check.received))
        self.checks.append(replace(check, name=name, sent=sent, received=received))

    def as_json(self) -> dict[str, Json]:
        """The report as one JSON object."""
        return {
            "url": self.url,
            "role": self.role,
            "game": self.game,
            "agent_name": self.agent_name,
            "complies": self.complies,
            "verdict": {
                "outcome": str(self.verdict.outcome),
                "text": str(self.verdict),
                "reasons": list(self.verdict.reasons),
            },
            "dialects": list(self.dialects),
            "counts": dict(self.counts),
            "seconds": round(self.seconds, 3),
            "checks": [check.as_json() for check in self.checks],
        }

    def as_junit(self) -> str:
        """A JUnit XML document: a test case for each check, in a suite for each dialect."""
        total = {"name": "league check", **_totals(self.checks), "time": f"{self.seconds:.3f}"}
        root = Xml.Element("testsuites", total)
        for dialect in dict.fromkeys(check.dialect for check in self.checks):
            mine = [check for check in self.checks if check.dialect == dialect]
            suite = Xml.SubElement(root, "testsuite", {"name": dialect or str(self.role), **_totals(mine)})
            for check in mine:
                _test_case(suite, check, f"{self.role}.{dialect or 'all'}")
        return Xml.tostring(root, encoding="unicode", xml_declaration=True)


def _totals(checks: Sequence[ComplianceCheck]) -> dict[str, str]:
    counted = Counter(check.status for check in checks)
    numbers = (len(checks), counted[Status.FAILED], 0, counted[Status.SKIPPED])
    return dict(zip(("tests", "failures", "errors", "skipped"), map(str, numbers), strict=True))


def _test_case(suite: Xml.Element, check: ComplianceCheck, group: str) -> None:
    case = Xml.SubElement(suite, "testcase", classname=group, name=check.name)
    if check.status is Status.SKIPPED:
        Xml.SubElement(case, "skipped", message=_xml(check.detail))
    elif check.status is Status.FAILED:
        failure = Xml.SubElement(case, "failure", message=_xml(check.detail))
        failure.text = _xml(explain(check))
    elif check.status is Status.ADVISED:
        Xml.SubElement(case, "system-out").text = _xml(f"advice: {explain(check)}")


def explain(check: ComplianceCheck) -> str:
    """A check in four lines: the fault, the rule, the request and the answer."""
    lines = {"protocol": f"{check.expected} (section {check.section})"}
    if check.sent is not None:
        lines["sent"] = as_text(check.sent)
    lines["received"] = as_text(check.received)
    return "\n".join([check.detail, *(f"  {name}: {text}" for name, text in lines.items())])


def as_text(value: Json) -> str:
    """A request or an answer in one line."""
    return "nothing" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(value: Json) -> Any:
    return None if value is None else as_evidence(redact(value))


def _xml(text: str) -> str:
    """Text without the control characters that XML cannot represent."""
    return _NOT_IN_XML.sub("?", text)
