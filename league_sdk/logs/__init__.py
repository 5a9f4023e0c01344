"""JSON-lines logs: one object a line, UTC, no secrets, rotated, off the hot path."""

from league_sdk.logs.files import LogFiles
from league_sdk.logs.loggers import LOG_ROOT, AgentLogger, JsonLogger, LeagueJournal, LeagueLogger
from league_sdk.logs.redaction import REDACTED, redact

__all__ = [
    "LOG_ROOT",
    "REDACTED",
    "AgentLogger",
    "JsonLogger",
    "LeagueJournal",
    "LeagueLogger",
    "LogFiles",
    "redact",
]
