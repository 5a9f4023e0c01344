"""Write docs/adr/README.md from the titles of the decisions, grouped by area."""

from collections.abc import Iterator
from pathlib import Path

from docs.generators.tables import table

DECISIONS = Path(__file__).resolve().parents[1] / "adr"
TARGET = DECISIONS / "README.md"
PILLARS = "Pillars"
NEWEST = "Newest"
AREAS = {
    PILLARS: "0001 0006 0018 0019 0023 0025 0026 0036 0041 0047 0080 0121 0134",
    "Tree, names and code": "0011 0029 0030 0094 0095 0198",
    "Messages, dialects and errors": "0002 0007 0008 0027 0028 0034 0051 0052 0055 0062 0070 0085 0091 0131",
    "Calls and connections": "0009 0037 0060 0071 0081 0092 0096 0097 0162 0171",
    "Matches, faults and blame": (
        "0003 0005 0035 0069 0072 0074 0076 0132 0152 0172 0173 0174 0181 0183 0184 0187 0188 0190"
    ),
    "Formats, pairings and standings": (
        "0022 0033 0123 0128 0129 0130 0136 0137 0139 0140 0142 0143 0160 0163 0176 0178 0182"
    ),
    "Records, restarts and the audit": "0012 0020 0039 0040 0044 0059 0077 0115 0138 0159 0177 0179 0203",
    "Registration, identity and security": "0004 0016 0042 0053 0165 0166 0168 0169 0170",
    "Players, strategies and games": "0017 0046 0050 0054 0122 0141 0149 0150 0151",
    "Classes": "0031 0135 0148 0185 0192 0195 0196 0197",
    "Ratings and experiments": "0145 0146 0147 0153 0154 0155 0164 0180",
    "Settings and starting": "0014 0015 0038 0048 0061 0078 0111 0124 0125 0126 0157 0199 0202",
    "Pages, reports and exports": "0057 0066 0067 0068 0107 0108 0109 0120 0144",
    "Operations and deployment": "0063 0064 0065 0127 0156",
    "Scope, tests and documentation": "0021 0049 0093 0200",
}
"""Numbers by area; a decision that stands in none is among the newest."""

HEAD = """\
# Decisions

Made by `docs/generators/decisions.py` from the pages in this folder: a new page needs no row, and gets its area there.

Five documents describe the league (000 interfaces, 001 architecture, 002 message contracts, 003 task
requirements, 004 product design review). They agree on the system and differ in details. Each page here says
what was open, what holds, and what follows from it. The requirements (`make requirements`) point to these
pages from those that they settle. The pillars are what a newcomer reads first; all others are details of them.
"""
TAIL = """
A new decision takes a number that is free. A decision that is overtaken keeps its page, and its status names the
page that replaces it.
"""


def render() -> str:
    """The page as Markdown."""
    pages = {page.name[:4]: page for page in sorted(DECISIONS.glob("0*.md"))}
    areas = {area: numbers.split() for area, numbers in AREAS.items()}
    sorted_in = {number for numbers in areas.values() for number in numbers}
    areas[NEWEST] = [number for number in pages if number not in sorted_in]
    return (
        HEAD + "".join(_area(area, [pages[number] for number in areas[area]]) for area in areas if areas[area]) + TAIL
    )


def _area(area: str, pages: list[Path]) -> str:
    return f"\n## {area}\n\n{table(('no.', 'decision'), _rows(pages))}"


def _rows(pages: list[Path]) -> Iterator[tuple[str, str]]:
    for page in pages:
        number, _, title = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").partition(". ")
        yield f"[{number}]({page.name})", title
