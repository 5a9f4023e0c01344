"""Prints the tests that a run skipped, and why: `python -m tests.skipped REPORT.xml…`, of reports in JUnit's format."""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree


def skipped(report: Path) -> Counter[str]:
    """The number of tests skipped in one report, by reason."""
    found = ElementTree.parse(report).iter("skipped")
    return Counter((entry.get("message") or "no reason given").splitlines()[0] for entry in found)


def main(reports: list[str]) -> None:
    """Print a line a reason."""
    total = sum((skipped(Path(report)) for report in reports), Counter[str]())
    print(f"skipped tests: {total.total()}")
    for reason, count in total.most_common():
        print(f"  {count:>3}  {reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
