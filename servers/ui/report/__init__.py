"""A league as one self-contained HTML file, public data only.

It is made of the live page's templates. It names no outside address, and its policy allows no script and no style but
the very ones it has, by their digests.
"""

import base64
import gzip
import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from servers import read_model
from servers.read_model import MatchRow, Stage
from servers.read_model.live import Live
from servers.read_model.ratings import league_ratings
from servers.read_model.text import count
from servers.ui.csp import own_policy
from servers.ui.pages import Pages, Values
from servers.ui.rendering import environment, parts
from servers.ui.rendering import render as rendered
from servers.ui.report.subject import Subject
from servers.ui.report.tables import audit_rows, numbers, settings, time, when

__all__ = ["Subject", "render"]

MOST_PLAIN = 100_000
"""Characters of data that are kept as they are."""
MANY = 24
"""Players from which on the cross-table is drawn small."""
KINDS = {"WIN": "win", "DRAW": "draw", "TECHNICAL_LOSS": "technical loss"}


def render(subject: Subject) -> Iterator[str]:
    live = Live(subject.limits)
    live.take(subject.league, ())
    live.clocks = subject.clocks
    live.time_all()
    pages = Pages(live, subject.game, subject.tournament_format)
    frame = {**pages.frame("report"), "root": "#/", "layout": "bare.html"}
    matches = list(read_model.match_rows(subject.league))
    players = [row.player_id for row in subject.league.standings()]
    data = _data(frame, pages, players, matches)
    return parts("report", {**frame, **_values(subject, pages, matches), "data": data})


def _values(subject: Subject, pages: Pages, matches: list[MatchRow]) -> Values:
    style, script = _text("page.css", "charts.css", "report.css"), _text("replay.js", "report.js")
    audit, players = subject.audit, len(subject.league.players)
    kinds = {_kind(match): None for match in matches}
    return {
        **pages.standings(0, max(1, players)),
        "ratings": league_ratings(subject.league, subject.game),
        **pages.charts(None),
        **pages.results(0, 0, max(1, players)),
        "many": players > MANY,
        "matches": matches,
        "kinds": list(kinds),
        "game_name": subject.game_name,
        "numbers": numbers(subject),
        "when": when(subject.clocks),
        "audit": audit,
        "verdict": audit.all_clear if audit.ok else count(len(audit.findings), "finding"),
        "audit_rows": audit_rows(audit),
        "settings": settings(subject),
        "written": time(subject.written),
        "version": subject.version,
        "style": Markup(style),  # noqa: S704 - ours
        "script": Markup(script),  # noqa: S704 - ours
        "policy": own_policy(script, style, images=True),
    }


def _text(*names: str) -> str:
    return "".join((files("servers.ui") / "static" / name).read_text("utf-8") for name in names)


def _kind(match: MatchRow) -> str:
    if match.stage is Stage.DECIDED:
        return KINDS[str(match.status)]
    return "void" if match.stage is Stage.VOID else "open"


def _data(frame: Values, pages: Pages, players: list[str], matches: list[MatchRow]) -> Markup:
    """Contents shown on demand: a card and a page a match, a page a player."""
    macros: Any = environment().get_template("macros.html").make_module(frame)
    shown = {f"matches/{row.match_id}": rendered("match", {**frame, **pages.match(row.match_id)}) for row in matches}
    for player in players:
        values = {**frame, **pages.player(player), "removal": None}
        shown[f"players/{player}"] = rendered("player", values)
    return embedded(
        {
            "players": players,
            "matches": [
                {
                    "id": row.match_id,
                    "round": row.round_id,
                    "players": row.players,
                    "kind": _kind(row),
                    "card": macros.card(row),
                }
                for row in matches
            ],
            "pages": {address: page.decode() for address, page in shown.items()},
        }
    )


def embedded(value: object) -> Markup:
    """Data in an element that no browser runs: JSON, compressed when large.

    No character in it can end the element, or begin another.
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    if len(text) > MOST_PLAIN:
        kind, text = "application/gzip", base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    else:
        kind = "application/json"
        text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(f'<script type="{kind}" id="data">{text}</script>')  # noqa: S704 - as above
