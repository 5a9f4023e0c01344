"""The content of a report, and its redaction."""

from dataclasses import replace
from xml.etree import ElementTree

from league_sdk.testing.compliance import ComplianceCheck, ComplianceReport, Status
from league_sdk.testing.compliance.check_report import explain
from tests.requirements.marker import requirement


def report(*checks: ComplianceCheck) -> ComplianceReport:
    made = ComplianceReport("http://localhost:8101/mcp", "player", "some_game", dialects=("jsonrpc",))
    for check in checks:
        made.add(check)
    return made


PASSED = ComplianceCheck("a rule", "A match", Status.PASSED, "jsonrpc")
SKIPPED = ComplianceCheck("a rule", "A match", Status.SKIPPED, "mcp/2025-06-18", detail="why not")
FAILED = ComplianceCheck(
    "another rule",
    "A match",
    Status.FAILED,
    "jsonrpc",
    sent={"params": {"auth_token": "hush", "n": 1}},
    received="text \x00 with \x1b[31m control characters",
    expected="something else",
    detail="it is \ud800 wrong",
)


ADVISED = replace(FAILED, name="a kind rule", status=Status.ADVISED)


def test_it_complies_when_something_passed_and_nothing_failed():
    assert report(PASSED, SKIPPED).complies
    assert not report(PASSED, FAILED).complies
    assert report(PASSED, ADVISED).complies
    assert not report(SKIPPED).complies
    assert not report().complies


def test_an_advice_has_its_evidence_and_fails_nothing():
    made = report(PASSED, ADVISED)
    (advised,) = made.advised
    assert (made.failed, advised.sent) == ([], {"params": {"auth_token": "[redacted]", "n": 1}})
    assert made.as_json()["checks"][1]["sent"]["params"]["n"] == 1
    root = ElementTree.fromstring(made.as_junit())
    assert (root.get("failures"), root.get("skipped")) == ("0", "0")
    (told,) = root.findall(".//testcase/system-out")
    assert (told.text or "").startswith("advice: it is ? wrong")


def test_checks_of_one_name_are_numbered():
    assert [check.title for check in report(PASSED, PASSED, SKIPPED).checks] == [
        "jsonrpc a rule",
        "jsonrpc a rule (2)",
        "mcp/2025-06-18 a rule",
    ]


def test_secrets_are_not_shown():
    (failed,) = report(PASSED, FAILED).failed
    assert failed.sent == {"params": {"auth_token": "[redacted]", "n": 1}}
    assert "hush" not in explain(failed)


def test_as_json_a_failed_check_has_its_evidence():
    told = report(PASSED, FAILED).as_json()
    assert told["counts"] == {"passed": 1, "failed": 1, "advised": 0, "skipped": 0}
    assert "sent" not in told["checks"][0]
    assert told["checks"][1]["sent"]["params"]["n"] == 1


def test_as_junit_there_is_a_suite_for_each_dialect_and_no_letter_that_xml_cannot_hold():
    root = ElementTree.fromstring(report(PASSED, FAILED, SKIPPED).as_junit())
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("3", "1", "1")
    assert [suite.get("name") for suite in root.findall("testsuite")] == ["jsonrpc", "mcp/2025-06-18"]
    (failure,) = root.findall(".//failure")
    assert failure.get("message") == "it is ? wrong"
    assert "something else (section A match)" in (failure.text or "")
    (skipped,) = root.findall(".//skipped")
    assert skipped.get("message") == "why not"


@requirement("project-WIRE-07")
def test_the_verdict_is_one_line_and_names_the_reasons():
    assert str(report(PASSED).verdict) == "would play and lose nothing"
    made = report(PASSED, FAILED, replace(FAILED, dialect="mcp/2025-06-18"), replace(FAILED, name="a third rule"))
    assert str(made.verdict).startswith("would lose technically: another rule: it is")
    assert len(made.verdict.reasons) == 2
    fatal = replace(FAILED, name="speaks MCP or JSON-RPC", fatal=True)
    assert (report(FAILED, fatal).verdict.outcome, len(report(FAILED, fatal).verdict.reasons)) == ("cannot_play", 1)
    many = report(PASSED, *(replace(FAILED, name=f"rule {number}") for number in range(5)))
    assert many.verdict.reasons[-1] == "and 2 more"
    assert str(report(SKIPPED).verdict) == "cannot play: there was nothing to look at"
    assert made.as_json()["verdict"]["outcome"] == "loses"


def test_of_a_referee_and_a_manager_the_verdict_is_about_the_protocol():
    made = ComplianceReport("http://localhost:8001/mcp", "referee")
    made.add(PASSED)
    assert str(made.verdict) == "keeps the protocol"


def test_what_was_not_sent_is_not_shown():
    (failed,) = report(PASSED, replace(FAILED, sent=None)).failed
    assert "sent" not in explain(failed)
