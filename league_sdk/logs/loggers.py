"""The loggers: an agent's messages, a league's events, and any other component. One JSON object a line."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from league_sdk.clock import Clock
from league_sdk.logs.files import LogFiles
from league_sdk.names import safe_name, slug

Json: TypeAlias = Any
"""A JSON value."""

LOG_ROOT = Path("logs")
"""Where logs go when nobody says otherwise: under the current folder."""

_COMPONENT = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._:-]{0,127}")


class _Logger:
    """What the loggers share: the files, and who closes them."""

    def __init__(self, logs: Path | LogFiles, clock: Clock | None) -> None:
        self._own = not isinstance(logs, LogFiles)
        self._files = logs if isinstance(logs, LogFiles) else LogFiles(logs, clock=clock)

    def flush(self) -> None:
        """Return when every line so far is in the file."""
        self._files.flush()

    def close(self) -> None:
        """Write what waits. Files that were handed in stay open for their owner to close."""
        self._files.flush() if not self._own else self._files.close()


class AgentLogger(_Logger):
    """`agents/<agent_id>.log.jsonl`: what one agent sent, received and did. A `Journal`.

    Args:
        agent_id: `P01`, `REF01`, `LM01`; see `unregistered` for an agent that has none yet.
        logs: The process's log files; or the `logs` folder, and then `close` has to be called.
        clock: Where timestamps come from, when `logs` is a folder.

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
        """The log of an agent that has no id yet: `agents/unregistered-<name>.log.jsonl`, until `rename`."""
        logger = cls("unregistered", logs, clock)
        logger.agent_id = display_name
        logger._file = _agent_file(f"unregistered-{slug(display_name)}")
        return logger

    @property
    def path(self) -> Path:
        """The file."""
        return self._files.root / self._file

    def rename(self, agent_id: str) -> None:
        """The agent is called `agent_id` from now on; what was logged so far moves to the file of that name.

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
        """One message.

        Args:
            direction: `SENT` or `RECEIVED`.
            message_type: Such as `GAME_INVITATION`.
            peer: The other agent's id.
            level: DEBUG, INFO, WARNING or ERROR.
            details: Whatever else is worth knowing.
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
        """A message went out to `peer`."""
        self.log("SENT", message_type, peer, details=details)

    def log_received(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None:
        """A message came in from `peer`."""
        self.log("RECEIVED", message_type, peer, details=details)

    def sent(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None:
        """A message went out to `peer`."""
        self.log("SENT", message_type, peer, details=details)

    def received(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None:
        """A message came in from `peer`."""
        self.log("RECEIVED", message_type, peer, details=details)

    def event(self, event_type: str, level: str = "INFO", **details: Json) -> None:
        """Something happened to this agent that is not a message."""
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
    """`league/<league_id>/league.log.jsonl`: the course of one league, told by its components.

    Args:
        league_id: The league.
        logs: The process's log files; or the `logs` folder, and then `close` has to be called.
        clock: Where timestamps come from, when `logs` is a folder.

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
        """One event.

        Args:
            component: Who tells it: `league_manager`, `referee:REF01`, …
            event_type: Such as `ROUND_COMPLETED`.
            level: DEBUG, INFO, WARNING or ERROR.
            details: Whatever else is worth knowing.
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
        """An event as it should be."""
        self.log(component, event_type, "INFO", details)

    def warning(self, component: str, event_type: str, **details: Json) -> None:
        """An event that somebody may want to look into."""
        self.log(component, event_type, "WARNING", details)

    def error(self, component: str, event_type: str, **details: Json) -> None:
        """An event that somebody has to look into."""
        self.log(component, event_type, "ERROR", details)


class LeagueJournal:
    """The league manager's `Journal`: its messages go to its agent log, its events to the league's log.

    Args:
        agent: The manager's own log.
        league: The league's log.
        component: How the manager signs the league's log.
    """

    def __init__(self, agent: AgentLogger, league: LeagueLogger, component: str = "league_manager") -> None:
        self.agent = agent
        self.league = league
        self._component = component

    def sent(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None:
        """A message went out to `peer`."""
        self.agent.sent(message_type, peer, details)

    def received(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None:
        """A message came in from `peer`."""
        self.agent.received(message_type, peer, details)

    def event(self, event_type: str, level: str = "INFO", **details: Json) -> None:
        """Something happened in the league."""
        self.league.log(self._component, event_type, level, details)

    def close(self) -> None:
        """Close both."""
        self.agent.close()
        self.league.close()


class JsonLogger(_Logger):
    """Any component's own log: `system/<component>.log.jsonl`, or `league/<league_id>/<component>.log.jsonl`.

    Its lines carry their details beside the fixed fields; one that has a fixed field's name is written as
    `detail_<name>`.

    Args:
        component: Such as `orchestrator` or `referee:REF01`.
        league_id: The league it speaks of; None for the system's log.
        logs: The process's log files; or the `logs` folder, and then `close` has to be called.
        clock: Where timestamps come from, when `logs` is a folder.

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
        """One event."""
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
        """An event that matters to whoever looks for a fault."""
        self.log(event_type, "DEBUG", **details)

    def info(self, event_type: str, **details: Json) -> None:
        """An event as it should be."""
        self.log(event_type, "INFO", **details)

    def warning(self, event_type: str, **details: Json) -> None:
        """An event that somebody may want to look into."""
        self.log(event_type, "WARNING", **details)

    def error(self, event_type: str, **details: Json) -> None:
        """An event that somebody has to look into."""
        self.log(event_type, "ERROR", **details)

    def log_message_sent(self, message_type: str, recipient: str, **details: Json) -> None:
        """A message went out to another agent."""
        self.debug("MESSAGE_SENT", message_type=message_type, recipient=recipient, **details)

    def log_message_received(self, message_type: str, sender: str, **details: Json) -> None:
        """A message came in from another agent."""
        self.debug("MESSAGE_RECEIVED", message_type=message_type, sender=sender, **details)


def _agent_file(name: str) -> str:
    return f"agents/{name}.log.jsonl"
