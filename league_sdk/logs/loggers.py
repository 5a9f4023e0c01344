"""Loggers of an agent's messages, a league's events, and any other component."""

import re
from collections.abc import Mapping
from pathlib import Path

from league_sdk.clock import Clock
from league_sdk.json_value import Json
from league_sdk.logs.files import LogFiles
from league_sdk.names import safe_name, slug

LOG_ROOT = Path("logs")  # default folder of logs, relative to the current folder

_COMPONENT = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._:-]{0,127}")


class _Logger:
    """Shared by the loggers: the files, closed here only if opened here."""

    def __init__(self, logs: Path | LogFiles, clock: Clock | None) -> None:
        self._own = not isinstance(logs, LogFiles)
        self._files = logs if isinstance(logs, LogFiles) else LogFiles(logs, clock=clock)

    def flush(self) -> None:
        """Return when every line so far is in the file."""
        self._files.flush()

    def close(self) -> None:
        """Write waiting lines. Log files that were handed in stay open."""
        self._files.flush() if not self._own else self._files.close()


class AgentLogger(_Logger):
    """One agent's log: `agents/<agent_id>.log.jsonl`. A `Journal`.

    Args:
        agent_id: `P01`, `REF01`, `LM01`; see `unregistered` for an agent that has none yet.
        logs: The process's log files; or the `logs` folder, and then `close` has to be called.
        clock: Source of timestamps, if `logs` is a folder.

    Raises:
        ValueError: The id cannot name a file.
    """

    def __init__(self, agent_id: str, logs: Path | LogFiles = LOG_ROOT, clock: Clock | None = None) -> None:
        super().__init__(logs, clock)
        self.agent_id = agent_id
        self._file = _agent_file(safe_name(agent_id, "agent id"))

    @classmethod
    def unregistered(
        cls, display_name: str, logs: Path | LogFiles = LOG_ROOT, clock: Clock | None = None
    ) -> "AgentLogger":
        """The log of an agent without an id, used until `rename`.

        Its file is `agents/unregistered-<name>.log.jsonl`.
        """
        logger = cls("unregistered", logs, clock)
        logger.agent_id = display_name
        logger._file = _agent_file(f"unregistered-{slug(display_name)}")
        return logger

    @property
    def path(self) -> Path:
        """The file."""
        return self._files.root / self._file

    def rename(self, agent_id: str) -> None:
        """Give the agent an id; lines logged so far move to the file of that name.

        Raises:
            ValueError: The id cannot name a file.
        """
        file = _agent_file(safe_name(agent_id, "agent id"))
        old, self._file, self.agent_id = self._file, file, agent_id
        if old != file:
            self._files.rename(old, file)

    def log(
        self,
        direction: str,
        message_type: str,
        peer: str,
        level: str = "INFO",
        details: Mapping[str, Json] | None = None,
    ) -> None:
        """Log one message.

        Args:
            direction: `SENT` or `RECEIVED`.
            message_type: Such as `GAME_INVITATION`.
            peer: The other agent's id.
            level: DEBUG, INFO, WARNING or ERROR.
            details: Other facts.
        """
        if self._files.wants(level):
            entry = {
                "timestamp": self._files.timestamp(),
                "agent_id": self.agent_id,
                "direction": direction,
                "message_type": message_type,
                "level": level,
                "peer": peer,
                "details": details or {},
            }
            self._files.write(self._file, entry)

    def log_sent(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None:
        """Log a message to `peer`."""
        self.log("SENT", message_type, peer, details=details)

    def log_received(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None:
        """Log a message from `peer`."""
        self.log("RECEIVED", message_type, peer, details=details)

    sent, received = log_sent, log_received

    def event(self, event_type: str, level: str = "INFO", **details: Json) -> None:
        """Log an event of this agent that is not a message."""
        if self._files.wants(level):
            entry = {
                "timestamp": self._files.timestamp(),
                "agent_id": self.agent_id,
                "event_type": event_type,
                "level": level,
                "details": details,
            }
            self._files.write(self._file, entry)


class LeagueLogger(_Logger):
    """One league's log: `league/<league_id>/league.log.jsonl`.

    Args:
        league_id: The league.
        logs: The process's log files; or the `logs` folder, and then `close` has to be called.
        clock: Source of timestamps, if `logs` is a folder.

    Raises:
        ValueError: The id cannot name a folder.
    """

    def __init__(self, league_id: str, logs: Path | LogFiles = LOG_ROOT, clock: Clock | None = None) -> None:
        super().__init__(logs, clock)
        self.league_id = league_id
        self._file = f"league/{safe_name(league_id, 'league id')}/league.log.jsonl"

    @property
    def path(self) -> Path:
        """The file."""
        return self._files.root / self._file

    def log(
        self, component: str, event_type: str, level: str = "INFO", details: Mapping[str, Json] | None = None
    ) -> None:
        """Log one event.

        Args:
            component: Its source: `league_manager`, `referee:REF01`, …
            event_type: Such as `ROUND_COMPLETED`.
            level: DEBUG, INFO, WARNING or ERROR.
            details: Other facts.
        """
        if self._files.wants(level):
            entry = {
                "timestamp": self._files.timestamp(),
                "component": component,
                "event_type": event_type,
                "level": level,
                "details": details or {},
            }
            self._files.write(self._file, entry)

    def info(self, component: str, event_type: str, **details: Json) -> None:
        """Log a normal event."""
        self.log(component, event_type, "INFO", details)

    def warning(self, component: str, event_type: str, **details: Json) -> None:
        """Log an event that may need attention."""
        self.log(component, event_type, "WARNING", details)

    def error(self, component: str, event_type: str, **details: Json) -> None:
        """Log an event that needs attention."""
        self.log(component, event_type, "ERROR", details)


class LeagueJournal:
    """The league manager's `Journal`: messages go to its log, events to the league's."""

    def __init__(self, agent: AgentLogger, league: LeagueLogger) -> None:
        self.agent = agent
        self.league = league
        self.sent, self.received = agent.sent, agent.received

    def event(self, event_type: str, level: str = "INFO", **details: Json) -> None:
        self.league.log("league_manager", event_type, level, details)

    def close(self) -> None:
        self.agent.close()
        self.league.close()


class JsonLogger(_Logger):
    """Any component's own log, of the system or of one league.

    It is `system/<component>.log.jsonl`, or `league/<league_id>/<component>.log.jsonl`. Its lines carry their details
    beside the fixed fields; one that has a fixed field's name is written as `detail_<name>`.

    Args:
        component: Such as `orchestrator` or `referee:REF01`.
        league_id: The league; None for the system's log.
        logs: The process's log files; or the `logs` folder, and then `close` has to be called.
        clock: Source of timestamps, if `logs` is a folder.

    Raises:
        ValueError: The component or the league's id cannot name a file.
    """

    def __init__(
        self,
        component: str,
        league_id: str | None = None,
        logs: Path | LogFiles = LOG_ROOT,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(logs, clock)
        if _COMPONENT.fullmatch(component) is None:
            raise ValueError(f"component {component!r} cannot name a file: use letters, digits, '.', '_', '-' or ':'")
        folder = "system" if league_id is None else f"league/{safe_name(league_id, 'league id')}"
        self.component = component
        self._file = f"{folder}/{component}.log.jsonl"

    @property
    def path(self) -> Path:
        """The file."""
        return self._files.root / self._file

    def log(self, event_type: str, level: str = "INFO", **details: Json) -> None:
        """Log one event."""
        if self._files.wants(level):
            fixed = {
                "timestamp": self._files.timestamp(),
                "component": self.component,
                "event_type": event_type,
                "level": level,
            }
            more = {f"detail_{key}" if key in fixed else key: value for key, value in details.items()}
            self._files.write(self._file, fixed | more)

    def debug(self, event_type: str, **details: Json) -> None:
        """Log an event for debugging."""
        self.log(event_type, "DEBUG", **details)

    def info(self, event_type: str, **details: Json) -> None:
        """Log a normal event."""
        self.log(event_type, "INFO", **details)

    def warning(self, event_type: str, **details: Json) -> None:
        """Log an event that may need attention."""
        self.log(event_type, "WARNING", **details)

    def error(self, event_type: str, **details: Json) -> None:
        """Log an event that needs attention."""
        self.log(event_type, "ERROR", **details)

    def log_message_sent(self, message_type: str, recipient: str, **details: Json) -> None:
        """Log a message to another agent."""
        self.debug("MESSAGE_SENT", message_type=message_type, recipient=recipient, **details)

    def log_message_received(self, message_type: str, sender: str, **details: Json) -> None:
        """Log a message from another agent."""
        self.debug("MESSAGE_RECEIVED", message_type=message_type, sender=sender, **details)


def _agent_file(name: str) -> str:
    return f"agents/{name}.log.jsonl"
