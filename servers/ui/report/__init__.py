"""A league as one HTML file that can be mailed: it needs nothing but itself, and holds what is public, and no more.

It names no outside address, and its policy allows no script and no style but the very ones it has, by their digests.
What agents said is text: on the page through `markup`, in the script through text nodes.
"""

import base64
import gzip
import json
from collections.abc import Iterator
from importlib.resources import files

from servers.read_model import player_record
from servers.read_model.text import printable
from servers.ui.csp import own_policy
from servers.ui.report import sections
from servers.ui.report.data import league_data
from servers.ui.report.markup import Markup, tag
from servers.ui.report.subject import Subject

__all__ = ["Subject", "render"]

MOST_PLAIN = 1_000_000
"""Characters of data that are kept as they are."""
_STYLES = (("servers.ui.web", "static/charts.css"), ("servers.ui.report", "report.css"))


def render(subject: Subject) -> Iterator[str]:
    """The file, part by part."""
    style = "".join((files(package) / name).read_text("utf-8") for package, name in _STYLES)
    script = (files("servers.ui.report") / "report.js").read_text("utf-8")
    policy = own_policy(script, style)
    yield "<!DOCTYPE html>\n"
    yield '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield tag("meta", http_equiv="Content-Security-Policy", content=policy) + "\n"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
    yield tag("title", f"{printable(subject.overview.title)} - league report") + "\n"
    yield tag("style", Markup(style)) + "\n</head>\n<body>\n"
    records = [player_record(subject.league, row.player_id, subject.limits) for row in subject.league.standings()]
    yield from (f"{part}\n" for part in sections.page(subject, records))
    yield embedded(league_data(subject.league, subject.game, subject.limits, records))
    yield "\n" + tag("script", Markup(script)) + "\n</body>\n</html>\n"


def embedded(value: object) -> Markup:
    """Data in an element that no browser runs: as JSON, or compressed where there is much of it.

    No character in it can end the element, or begin another.
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    if len(text) > MOST_PLAIN:
        packed = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
        return tag("script", Markup(packed), type="application/gzip", id="data")
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return tag("script", Markup(safe), type="application/json", id="data")
