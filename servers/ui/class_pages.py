"""Pages for a class: cards to print, and feedback for one student."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from league_sdk.domain.league import League
from servers import read_model
from servers.read_model.players import RAISED, player_record, reasons_text, speed
from servers.read_model.text import fault_sentence, name_of
from servers.ui.csp import own_policy
from servers.ui.qr_codes import as_svg
from servers.ui.rendering import parts

REPORT = "league~report.html"
"""Name of the league's report beside the pages, which has a replay of every match.

No student's page can have it: `slug` makes no name with a tilde.
"""
_IN_VAIN = frozenset({"E001", "E009"})
"""Codes of requests without any answer, which have no place in a median of answers."""
SLOWEST_SHOWN = 10
SLOW_SHARE = 0.5
"""The part of a deadline from which on an answer counts as slow, where the deadline is known."""


def cards(made: Sequence[Mapping[str, str]], manager_url: str) -> Iterator[str]:
    """The cards of a class, to be printed and cut."""
    codes = [Markup(as_svg(card["join_link"])) if card["join_link"] else "" for card in made]  # noqa: S704 - ours
    return parts("class_cards", {**_frame(), "cards": list(zip(made, codes, strict=True)), "manager": manager_url})


def feedback(league: League, player_id: str, name: str, verdict: str) -> Iterator[str]:
    """Feedback on one student's player; of the others it has their names alone."""
    record = player_record(league, player_id)
    names = {key: player.display_name for key, player in {**league.dismissed, **league.players}.items()}
    rows = {row.match_id: row for row in read_model.match_rows(league)}
    slow = sorted(record.exchanges, key=lambda exchange: -exchange.seconds)[:SLOWEST_SHOWN]
    values: dict[str, Any] = {
        "league": league,
        "player_id": player_id,
        "name": name,
        "record": record,
        "names": names,
        "why": {each.match_id: _why(league, rows[each.match_id], player_id) for each in record.appearances},
        "slow": [each for each in slow if each.error_code or _is_slow(each)],
        "speed": speed(record.exchanges),
        "unanswered": sum(each.error_code in _IN_VAIN for each in record.exchanges),
        "report": REPORT,
        "causes": read_model.CAUSES,
        "raised": RAISED,
        "reasons_text": reasons_text,
        "verdict": verdict,
    }
    return parts("class_feedback", {**_frame(), **values})


def _why(league: League, row: read_model.MatchRow, player_id: str) -> str:
    """The end of a match; a technical loss in full if it is the player's own."""
    result = league.results.get(row.match_id)
    if result is None or not result.faults:
        return result.reason if result else ""
    own = [fault_sentence(league, fault) for fault in result.faults if fault.player_id == player_id]
    others = [name_of(league, fault.player_id) for fault in result.faults if fault.player_id != player_id]
    return " ".join([*own, *(f"{other} lost technically." for other in others)])


def _is_slow(exchange: read_model.Exchange) -> bool:
    return exchange.seconds >= (1.0 if exchange.limit is None else SLOW_SHARE * exchange.limit)


def _frame() -> dict[str, Any]:
    style = (files("servers.ui") / "static" / "class.css").read_text("utf-8")
    return {"style": Markup(style), "policy": own_policy("", style)}  # noqa: S704 - ours
