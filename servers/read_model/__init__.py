"""A league read as tables and text, for pages, reports and terminals alike.

Pure functions from a league, or from its records, to frozen values; no I/O, and no formatting beyond plain words. Who
shows a league asks here, so that every place shows the same numbers: those of `League.standings`.

All of it is public in the sense of `servers.read_model.public`: no tokens, no endpoints, nothing of a match that is
not over but who plays it and how far it is, and nothing that a player at fault sent.
"""

from servers.read_model.clocks import Clocks
from servers.read_model.draws import RevealedDraw, check_draw
from servers.read_model.feed import FeedEntry, brief, feed_entry, operator_entry
from servers.read_model.matches import (
    Exchange,
    Kind,
    Limits,
    Line,
    MatchRow,
    Stage,
    conversation,
    exchanges,
    match_rows,
)
from servers.read_model.overview import Overview, overview
from servers.read_model.players import (
    CAUSES,
    SUBSTITUTIONS,
    PlayerRecord,
    Speed,
    player_record,
    reasons_text,
    speed,
    speed_of,
)
from servers.read_model.ranking import counted_lines, reasons
from servers.read_model.replays import Replay, replay
from servers.read_model.round_names import round_name
from servers.read_model.stage_views import (
    BracketColumn,
    Group,
    StageView,
    current_view,
    stage_views,
    verdicts,
)
from servers.read_model.tables import RoundTable, Series, by_round, cell, cross_table, series
from servers.read_model.waits import Wait, WaitLine, seconds_left, wait_lines

__all__ = [
    "CAUSES",
    "SUBSTITUTIONS",
    "BracketColumn",
    "Clocks",
    "Exchange",
    "FeedEntry",
    "Group",
    "Kind",
    "Limits",
    "Line",
    "MatchRow",
    "Overview",
    "PlayerRecord",
    "Replay",
    "RevealedDraw",
    "RoundTable",
    "Series",
    "Speed",
    "Stage",
    "StageView",
    "Wait",
    "WaitLine",
    "brief",
    "by_round",
    "cell",
    "check_draw",
    "conversation",
    "counted_lines",
    "cross_table",
    "current_view",
    "exchanges",
    "feed_entry",
    "match_rows",
    "operator_entry",
    "overview",
    "player_record",
    "reasons",
    "reasons_text",
    "replay",
    "round_name",
    "seconds_left",
    "series",
    "speed",
    "speed_of",
    "stage_views",
    "verdicts",
    "wait_lines",
]
