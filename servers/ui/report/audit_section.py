"""The section of a report that tells what an audit found."""

from collections.abc import Sequence

from league_sdk.audit.findings import CHANGED
from servers.read_model.text import count, printable
from servers.ui.report.markup import Content, Markup, tag
from servers.ui.report.subject import Subject

MOST_FINDINGS = 50


def audit_section(subject: Subject) -> Content:
    """The audit, with what it could not see."""
    audit = subject.audit
    kind = "good" if audit.ok else "bad"
    changed = sum(found.severity == CHANGED for found in audit.findings)
    verdict = f"{count(changed, 'thing')} {'does' if changed == 1 else 'do'} not hold." if changed else audit.all_clear
    rows = [
        ("Records", f"{audit.records}, each with the digest of the one before it"),
        ("Digest of the last one", tag("code", audit.head)),
        ("Draws verified", f"{audit.verified_draws} of {audit.decided}"),
        ("Matches played again to the same end", f"{audit.replayed} of {audit.decided}"),
        ("Void matches", str(audit.void)),
        *(
            [
                (
                    "Substituted moves",
                    ", ".join(
                        f"{who} {sum(told.values())} ({', '.join(told)})" for who, told in audit.substituted.items()
                    ),
                )
            ]
            if audit.substituted
            else []
        ),
        ("Files compared with the records", str(audit.files)),
        ("Champion by the results", ", ".join(audit.champions) or "none yet"),
    ]
    shown = audit.findings[:MOST_FINDINGS]
    findings = [tag("li", f"{found.severity}: {printable(found.sentence, 400)}") for found in shown]
    more = len(audit.findings) - len(findings)
    again = f"league audit --head {audit.head}" if audit.head else "league audit"
    return [
        tag("p", tag("span", "✓ " if audit.ok else "✗ ", aria_hidden="true"), verdict, class_=f"verdict {kind}"),
        tag("p", "Recomputed from its records, with code that shares nothing with the league's own.", class_="soft"),
        tag("ul", findings, class_="findings") if findings else None,
        tag("p", f"… and {more} more; league audit --json lists all of them.") if more > 0 else None,
        pairs(rows),
        [tag("p", "Not verifiable: ", printable(text, 300)) for text in audit.unverified],
        [tag("p", "Note: ", printable(text, 300), ".", class_="soft") for text in audit.notes],
        [tag("p", "Not checked: ", printable(text, 400), ".", class_="soft") for text in audit.unchecked],
        tag(
            "p",
            "Who has the records can repeat it: ",
            tag("code", again),
            class_="soft small",
        ),
    ]


def pairs(rows: Sequence[tuple[str, Content]]) -> Markup:
    """A table of names and values."""
    lines = [tag("tr", tag("th", name, scope="row"), tag("td", value)) for name, value in rows]
    return tag("div", tag("table", lines, class_="pairs"), class_="scroll")
