"""What a check of an agent comes to: one entry for each rule that was looked at, and a verdict."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any
from xml.etree import ElementTree as Xml

from league_sdk.bounds import as_evidence
from league_sdk.logs import redact
from league_sdk.ports import Json

_NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


_MOST_REASONS = 3
"""A verdict names so many different reasons; the checks below it have them all."""


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
        reasons: Why, when it is not the best.
    """

    outcome: ComplianceOutcome
    words: str
    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line."""
        return f"{self.words}: {'; '.join(self.reasons)}" if self.reasons else self.words


class Status(StrEnum):
    """What became of a check. What is advised could be better, and stands in the way of no match."""

    PASSED = "passed"
    FAILED = "failed"
    ADVISED = "advised"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class ComplianceCheck:
    """One rule of the protocol, looked at in one dialect.

    Attributes:
        name: Which rule, such as `GAME_JOIN_ACK: timestamp`.
        section: Where the protocol says so: a heading of docs/protocol_spec.md.
        status: Whether the agent keeps it; advised where it had better, skipped when there was nothing to look at.
        dialect: What was spoken: `jsonrpc`, `mcp/2026-07-28`, …; empty for what holds in all.
        sent: Of a failed or advised check the request, as JSON, without secrets.
        received: And what came back, as JSON or text, shortened and without secrets.
        expected: What the protocol says.
        detail: What is wrong, or why there was nothing to look at.
        fatal: Whether an agent that fails here cannot play at all.
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
        """The name with the dialect in front, which no two checks of a report share."""
        return f"{self.dialect} {self.name}".strip()

    @property
    def is_wrong(self) -> bool:
        """Whether there is something to mend."""
        return self.status in (Status.FAILED, Status.ADVISED)

    def as_json(self) -> dict[str, Json]:
        """As one JSON object; what was sent and what came back is there where something is wrong."""
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
        role: What it was checked as.
        game: The game that was played.
        dialects: What it speaks.
        checks: Every check, in order.
        seconds: How long it took.
    """

    url: str
    role: str
    game: str = ""
    dialects: tuple[str, ...] = ()
    checks: list[ComplianceCheck] = field(default_factory=list[ComplianceCheck])
    seconds: float = 0.0
    _taken: Counter[str] = field(default_factory=Counter[str], init=False, repr=False)

    @property
    def complies(self) -> bool:
        """Whether something was looked at and nothing failed."""
        counted = self.counts
        return counted["passed"] > 0 and counted["failed"] == 0

    @property
    def verdict(self) -> ComplianceVerdict:
        """What would become of the agent in a league; it complies when it plays."""
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
        """The checks that failed."""
        return [check for check in self.checks if check.status is Status.FAILED]

    @property
    def advised(self) -> list[ComplianceCheck]:
        """The checks that come to an advice."""
        return [check for check in self.checks if check.status is Status.ADVISED]

    @property
    def counts(self) -> Mapping[str, int]:
        """How many checks passed, failed, came to an advice and were skipped."""
        counted = Counter(str(check.status) for check in self.checks)
        return {str(status): counted[str(status)] for status in Status}

    def add(self, check: ComplianceCheck) -> None:
        """Keep a check; a name that is taken gets a number. What is shown of messages is made fit to show."""
        self._taken[check.title] += 1
        taken = self._taken[check.title]
        name = f"{check.name} ({taken})" if taken > 1 else check.name
        sent, received = (_shown(value) if check.is_wrong else None for value in (check.sent, check.received))
        self.checks.append(replace(check, name=name, sent=sent, received=received))

    def as_json(self) -> dict[str, Json]:
        """As one JSON object."""
        return {
            "url": self.url,
            "role": self.role,
            "game": self.game,
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
        """As a JUnit XML document: a test case for each check, in a suite for each dialect."""
        counted = self.counts
        root = Xml.Element("testsuites", _totals(counted, self))
        for dialect in dict.fromkeys(check.dialect for check in self.checks):
            mine = [check for check in self.checks if check.dialect == dialect]
            suite = Xml.SubElement(
                root,
                "testsuite",
                name=dialect or str(self.role),
                tests=str(len(mine)),
                failures=str(sum(check.status is Status.FAILED for check in mine)),
                errors="0",
                skipped=str(sum(check.status is Status.SKIPPED for check in mine)),
            )
            for check in mine:
                _test_case(suite, check, f"{self.role}.{dialect or 'all'}")
        return Xml.tostring(root, encoding="unicode", xml_declaration=True)


def _totals(counted: Mapping[str, int], report: ComplianceReport) -> dict[str, str]:
    return {
        "name": "league check",
        "tests": str(len(report.checks)),
        "failures": str(counted["failed"]),
        "errors": "0",
        "skipped": str(counted["skipped"]),
        "time": f"{report.seconds:.3f}",
    }


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
    """A check in four lines: what the protocol says, where, what was sent and what came back."""
    lines = {"protocol": f"{check.expected} (section {check.section})"}
    if check.sent is not None:
        lines["sent"] = as_text(check.sent)
    lines["received"] = as_text(check.received)
    return "\n".join([check.detail, *(f"  {name}: {text}" for name, text in lines.items())])


def as_text(value: Json) -> str:
    """What was sent, or came back, in one line."""
    return "nothing" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(value: Json) -> Any:
    return None if value is None else as_evidence(redact(value))


def _xml(text: str) -> str:
    """Text without the control characters that XML cannot hold."""
    return _NOT_IN_XML.sub("?", text)
