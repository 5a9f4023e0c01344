"""Feed of a league: its events as text with links, and when rounds and matches happened."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from league_sdk.domain.events import (
    AgentReturned,
    LeagueCompleted,
    LeagueCreated,
    LeagueResumed,
    LeagueStarted,
    LeagueStopped,
    MatchAssigned,
    MatchRecorded,
    MatchVoided,
    PlayerRegistered,
    PlayerRemoved,
    Record,
    RefereeRegistered,
    RoundCompleted,
    RoundStarted,
    ScheduleCreated,
)
from league_sdk.domain.league import League
from league_sdk.domain.model import MatchResult, ResultStatus
from league_sdk.domain.persistent import PersistentMap
from servers.read_model.event_text import count, printable, void_matches


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A part of a sentence.

    Attributes:
        text: How it reads; where it names an agent, a name that the agent gave itself.
        player_id: The player that it names, or empty.
        match_id: The match that it names, or empty.
        by_agent: Whether an agent wrote it.
    """

    text: str
    player_id: str = ""
    match_id: str = ""
    by_agent: bool = False


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """Something that happened.

    Attributes:
        sequence: The number of its record.
        at: When: ISO 8601 in UTC.
        kind: What: `league`, `player`, `referee`, `round`, `win`, `draw`, `technical`, `again` or `void`.
        spans: The sentence.
    """

    sequence: int
    at: str
    kind: str
    spans: tuple[TextSpan, ...]

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Clocks:
    """When things happened in a league: ISO 8601 in UTC; empty when they have not.

    Attributes:
        created: The league was created.
        started: It was started.
        ended: It is complete.
        last: The last record.
        rounds: Round number to when it began.
        assigned: Match id to when it was given to the referee that has it now.
        decided: Match id to when its result came, or it became void.
    """

    created: str = ""
    started: str = ""
    ended: str = ""
    last: str = ""
    rounds: PersistentMap[int, str] = field(default_factory=PersistentMap[int, str], repr=False)
    assigned: PersistentMap[str, str] = field(default_factory=PersistentMap[str, str], repr=False)
    decided: PersistentMap[str, str] = field(default_factory=PersistentMap[str, str], repr=False)

    def after(self, record: Record) -> "Clocks":
        """The clocks after one more record."""
        # By its payload: making whole events of the records of a long league takes time that nobody has when it begins.
        at, payload = record.at, record.payload
        now = replace(self, last=at)
        match record.type:
            case "LeagueCreated":
                return replace(now, created=at)
            case "LeagueStarted":
                return replace(now, started=at)
            case "LeagueCompleted":
                return replace(now, ended=at)
            case "RoundStarted":
                return replace(now, rounds=self.rounds.set(payload["round_id"], at))
            case "MatchAssigned":
                return replace(now, assigned=self.assigned.set(payload["match_id"], at))
            case "MatchRecorded":
                return replace(now, decided=self.decided.set(payload["result"]["match_id"], at))
            case "MatchVoided":
                return replace(now, decided=self.decided.set(payload["match_id"], at))
            case _:
                return now


def plain_entry(sequence: int, at: str, kind: str, text: str) -> FeedEntry:
    """An entry without links."""
    return FeedEntry(sequence, at, kind, (TextSpan(text),))


def feed_entry(league: League, record: Record) -> FeedEntry | None:
    """What a record says, or None when it is not worth a line.

    Args:
        league: The league, after the record or later.
        record: The record.
    """
    event = record.event
    told = _TOLD[type(event)](league, event)
    return None if told is None else FeedEntry(record.sequence, record.at, told[0], told[1])


def brief(record: Record) -> Record:
    """A record without what `feed_entry` does not look at: what was said in a match, and the whole of a schedule."""
    match record.type:
        case "MatchRecorded":
            result = {name: value for name, value in record.payload["result"].items() if name not in _NOT_IN_ENTRIES}
            return replace(record, payload={"result": result})
        case "ScheduleCreated":
            return replace(record, payload={**record.payload, "rounds": []})
        case _:
            return record


_NOT_IN_ENTRIES = frozenset(("details", "faults", "lifecycle", "transcript"))
_Told = tuple[str, tuple[TextSpan, ...]] | None


def _player(league: League, player_id: str) -> TextSpan:
    player = league.players.get(player_id) or league.dismissed.get(player_id)
    name = player_id if player is None else printable(player.display_name)
    return TextSpan(name, player_id="" if player_id in league.dismissed else player_id, by_agent=player is not None)


def _referee(league: League, referee_id: str) -> TextSpan:
    referee = league.referees.get(referee_id)
    return TextSpan(referee_id if referee is None else printable(referee.display_name), by_agent=referee is not None)


def _match(match_id: str) -> TextSpan:
    return TextSpan(match_id, match_id=match_id)


def _joined(items: Iterable[TextSpan]) -> tuple[TextSpan, ...]:
    told = list(items)
    return tuple(part for item in told for part in (TextSpan(", "), item))[1:]


def _say(kind: str, *parts: TextSpan | str) -> _Told:
    return kind, tuple(TextSpan(part) if isinstance(part, str) else part for part in parts)


def _created(_: League, event: LeagueCreated) -> _Told:
    return _say("league", f"The league {event.rules.league_id} is open for registration.")


def _returned(league: League, event: AgentReturned) -> _Told:
    agent = event.agent
    if agent.agent_id in league.players:
        return _say("player", _player(league, agent.agent_id), " is back.")
    return _say("referee", _referee(league, agent.agent_id), " is back.")


def _removed(league: League, event: PlayerRemoved) -> _Told:
    """The void matches are told with it, rather than one by one."""
    why = f": {printable(event.reason, 200)}" if event.reason else ""
    return _say(
        "player",
        _player(league, event.player_id),
        f" was removed by the operator{why}{void_matches(league, event)}.",
    )


def _scheduled(league: League, _: ScheduleCreated) -> _Told:
    rounds, matches = count(len(league.rounds), "round"), count(league.total_matches, "match")
    return _say("league", f"The schedule is drawn up: {rounds}, {matches}.")


def _assigned(league: League, event: MatchAssigned) -> _Told:
    """Why it is played again is left out: it may quote where agents are."""
    if event.attempt == 1:
        return None
    return _say("again", _match(event.match_id), " is played again by ", _referee(league, event.referee_id), ".")


def _recorded(league: League, event: MatchRecorded) -> _Told:
    result = event.result
    match, points = _match(result.match_id), _points(result)
    if result.winner is None:
        players = tuple(_player(league, player) for player in result.players)
        if result.status is ResultStatus.DRAW:
            return _say("draw", match, ": ", players[0], " and ", *_joined(players[1:]), f" drew, {points}.")
        return _say("technical", match, ": ", *_joined(players), f" both lost technically, {points}.")
    losers = _joined(_player(league, player) for player in result.players if player != result.winner)
    if result.status is ResultStatus.TECHNICAL_LOSS:
        return _say("technical", match, ": ", *losers, " lost technically to ", _player(league, result.winner), ".")
    return _say("win", match, ": ", _player(league, result.winner), " beat ", *losers, f", {points}.")


def _points(result: MatchResult) -> str:
    return ":".join(str(result.score.get(player, 0)) for player in _winner_first(result))


def _winner_first(result: MatchResult) -> list[str]:
    return sorted(result.players, key=lambda player: player != result.winner)


def _voided(league: League, event: MatchVoided) -> _Told:
    """The cause is left out: it may quote where agents are."""
    if event.cause in league.removed.values():
        return None
    return _say("void", _match(event.match_id), " could not be played and counts for nobody.")


def _completed(league: League, event: LeagueCompleted) -> _Told:
    title = "Champion: " if len(event.champions) == 1 else "Champions, equal in everything: "
    champions = _joined(_player(league, champion) for champion in event.champions)
    return _say("league", "The league is complete. ", title, *champions, ".")


_TOLD: Mapping[type, Callable[[League, Any], _Told]] = {
    LeagueCreated: _created,
    RefereeRegistered: lambda league, e: _say("referee", _referee(league, e.referee.agent_id), " is in, as a referee."),
    PlayerRegistered: lambda league, e: _say("player", _player(league, e.player.agent_id), " is in."),
    AgentReturned: _returned,
    PlayerRemoved: _removed,
    ScheduleCreated: _scheduled,
    LeagueStarted: lambda _, __: _say("league", "The league begins."),
    RoundStarted: lambda league, e: _say("round", f"Round {e.round_id} of {len(league.rounds)} begins."),
    MatchAssigned: _assigned,
    MatchRecorded: _recorded,
    MatchVoided: _voided,
    RoundCompleted: lambda league, e: _say("round", f"Round {e.round_id} of {len(league.rounds)} is complete."),
    LeagueCompleted: _completed,
    LeagueStopped: lambda _, __: _say("league", "The league is stopped."),
    LeagueResumed: lambda _, __: _say("league", "The league goes on."),
}
