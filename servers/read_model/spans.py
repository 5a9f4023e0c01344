"""Parts of sentences about a league: words, agents and matches."""

from dataclasses import dataclass, replace

from league_sdk.domain.league import League
from league_sdk.domain.matches.own_parts import OwnPart
from servers.read_model.text import printable


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A part of a sentence."""

    text: str  # the words; where it names an agent, a name that the agent gave itself
    agent_id: str = ""  # the agent that it names, or empty
    match_id: str = ""  # the match that it names, or empty
    linked: bool = False  # whether the agent has a page
    by_agent: bool = False  # whether an agent wrote it


@dataclass(frozen=True, slots=True)
class EventText:
    """The text of an event."""

    kind: str  # `league`, `player`, `referee`, `round`, `win`, `draw`, `technical`, `again` or `void`
    # a sentence for everybody, without a capital at its beginning and a full stop at its end
    spans: tuple[TextSpan, ...]
    tail: str = ""  # its end for the operator: may quote addresses

    @property
    def line(self) -> str:
        """The line for a terminal: with the ids of agents, and the tail."""
        parts = (f"{span.text} ({span.agent_id})" if span.by_agent else span.text for span in self.spans)
        return f"{''.join(parts)}{self.tail}"

    @property
    def sentence(self) -> tuple[TextSpan, ...]:
        first, *others = self.spans
        plain = not (first.by_agent or first.match_id)
        opening = replace(first, text=first.text[:1].upper() + first.text[1:]) if plain else first
        return (opening, *others, TextSpan("."))


def say(kind: str, *parts: TextSpan | str, tail: str = "") -> EventText:
    """The text of an event from its parts."""
    return EventText(kind, tuple(TextSpan(part) if isinstance(part, str) else part for part in parts), tail)


def because(reason: str) -> str:
    """A reason behind a sentence; empty without one."""
    return f": {printable(reason, 200)}" if reason else ""


def public_cause(cause: str) -> str:
    """The parts that failed a void match; other words may quote addresses."""
    parts = cause.partition(": ")[0]
    return parts if any(parts.startswith(f"{part.text} failed ") for part in OwnPart) else ""


def agent_span(league: League, agent_id: str) -> TextSpan:
    """An agent by its name."""
    agent = league.players.get(agent_id) or league.referees.get(agent_id) or league.dismissed.get(agent_id)
    if agent is None:
        return TextSpan(agent_id, agent_id, linked=False)
    return TextSpan(printable(agent.display_name), agent_id, linked=agent_id in league.players, by_agent=True)


def match_span(match_id: str) -> TextSpan:
    """A match by its id."""
    return TextSpan(match_id, match_id=match_id)
