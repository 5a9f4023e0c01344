"""Events of a league: immutable facts, the only stored data; state is their fold.

Every event becomes a record: its place in the league's sequence, its time, its JSON, and the digest of the record
before it, so that a record that was changed, removed or moved is detected.
"""

import hashlib
import json
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from league_sdk.domain.model import LeagueRules, MatchResult, Round
from league_sdk.domain.participants.registration_events import (
    AgentReturned,
    AgentsExpected,
    DeadlineMoved,
    InvitationRevoked,
    PlayerEntered,
    PlayerRegistered,
    RefereeInvited,
    RefereeRegistered,
)
from league_sdk.domain.participants.sitting_out import LiftedBy, SittingOutReason
from league_sdk.domain.records.deserialization import build
from league_sdk.domain.records.format_version import FORMAT_VERSION, NewerRecords, check_version, newer
from league_sdk.domain.records.leadership_events import EpochBegun, MadeReadOnly, OperatorTokenChanged, RunPlanned
from league_sdk.domain.records.serialization import plain
from league_sdk.json_value import Json
from league_sdk.tournament import Advanced, Ranking


@dataclass(frozen=True, slots=True)
class LeagueCreated:
    """A league exists, with these rules.

    Attributes:
        rules: Its rules.
        format_version: The version of its records, which says by which rules they are judged; 1 where they don't say.
        operator_digest: Digest of the operator's token (`tokens.operator_digest`); empty in records from before that
            was kept.
    """

    rules: LeagueRules
    format_version: int = FORMAT_VERSION
    operator_digest: str = ""


@dataclass(frozen=True, slots=True)
class PlayerRemoved:
    """The operator removed a player; its undecided matches are voided.

    Attributes:
        player_id: The player.
        reason: The reason, in the operator's words; may be empty.
    """

    player_id: str
    reason: str = ""

    @property
    def cause(self) -> str:
        """The cause of the player's void matches."""
        return f"{self.player_id} was removed by the operator" + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True, slots=True)
class AgentWithdrew:
    """A player or referee left; a player's undecided matches are recorded as lost.

    Attributes:
        agent_id: The agent.
        reason: The reason, in the agent's words; may be empty.
    """

    agent_id: str
    reason: str = ""

    @property
    def cause(self) -> str:
        """The reason of the matches that the player loses by it."""
        return f"{self.agent_id} withdrew" + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True, slots=True)
class PlayerSatOut:
    """A player sits out from now on: its matches are not played.

    Attributes:
        player_id: The player.
        reason: The reason.
        detail: More about it, for a person; may be empty.
        matches: The matches that an absent player missed.
    """

    player_id: str
    reason: SittingOutReason
    detail: str = ""
    matches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayerRejoined:
    """A player that sat out plays again, from its next match on.

    Attributes:
        player_id: The player.
        by: The end of sitting out.
        detail: More about it, for a person; may be empty.
    """

    player_id: str
    by: LiftedBy
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ScheduleCreated:
    """Registration is closed, and the schedule is made.

    Attributes:
        rounds: All rounds in order; none where they are paired one by one, as results come in.
        reason: The reason for closing: `quorum`, `operator` or `timeout`.
        expected_rounds: The number of rounds that are expected, where they are paired one by one; 999,999,999 for a
            league without a last one.
    """

    rounds: tuple[Round, ...]
    reason: str = "quorum"
    expected_rounds: int = 0


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """The next round is settled, from the results of those before."""

    round: Round


@dataclass(frozen=True, slots=True)
class LeagueStarted:
    """The league is running."""


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """A round is announced."""

    round_id: int


@dataclass(frozen=True, slots=True)
class MatchAssigned:
    """A match was assigned to a referee; from attempt 2 on after a failed one."""

    match_id: str
    referee_id: str
    attempt: int = 1
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DrawCommitted:
    """A referee has committed to its draw of a match, before it invites the players.

    Attributes:
        match_id: The match.
        attempt: The attempt that it is for.
        commitment: SHA-256 of the secret and of what binds it to that attempt, in hexadecimal.
    """

    match_id: str
    attempt: int
    commitment: str


@dataclass(frozen=True, slots=True)
class MatchRecorded:
    """A match has its one result."""

    result: MatchResult


@dataclass(frozen=True, slots=True)
class MatchVoided:
    """A match could not be played, through no fault of a player, and does not count."""

    match_id: str
    cause: str


@dataclass(frozen=True, slots=True)
class RoundCompleted:
    """Every match of the round is decided or void.

    Attributes:
        round_id: The round.
        ranking: The ranking so far of a format that has one of its own, such as a knockout; empty otherwise.
        advanced: Those that advance from level ties by lots, or as the higher seed, since the last record of them.
    """

    round_id: int
    ranking: Ranking = ()
    advanced: tuple[Advanced, ...] = ()


@dataclass(frozen=True, slots=True)
class LeagueCompleted:
    """Every round is complete.

    Attributes:
        champions: Ids of the best of those who were not removed; several if they are equal in every criterion.
        ranking: The final ranking of a format that has one of its own, such as a knockout; empty otherwise.
        advanced: As in `RoundCompleted`.
    """

    champions: tuple[str, ...]
    ranking: Ranking = ()
    advanced: tuple[Advanced, ...] = ()


@dataclass(frozen=True, slots=True)
class LeagueClosed:
    """An endless league ends with the rounds that are paired.

    Attributes:
        reason: The reason, in the operator's words.
        rounds: Their number; 0 in records from before it was kept.
    """

    reason: str = ""
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class LeagueStopped:
    """The league was stopped early; it can be resumed."""

    reason: str


@dataclass(frozen=True, slots=True)
class LeagueCancelled:
    """The league ends without a champion, as one that was started by mistake.

    Attributes:
        reason: The reason, in the words of who cancelled it; may be empty.
        by: Whose decision it was.
    """

    reason: str = ""
    by: str = "operator"


@dataclass(frozen=True, slots=True)
class LeagueResumed:
    """A stopped or interrupted league continues."""

    reason: str = ""


Event: TypeAlias = (
    LeagueCreated
    | OperatorTokenChanged
    | RunPlanned
    | MadeReadOnly
    | EpochBegun
    | AgentsExpected
    | RefereeInvited
    | InvitationRevoked
    | DeadlineMoved
    | RefereeRegistered
    | PlayerRegistered
    | PlayerEntered
    | AgentReturned
    | PlayerRemoved
    | AgentWithdrew
    | PlayerSatOut
    | PlayerRejoined
    | ScheduleCreated
    | RoundPaired
    | LeagueStarted
    | RoundStarted
    | MatchAssigned
    | DrawCommitted
    | MatchRecorded
    | MatchVoided
    | RoundCompleted
    | LeagueClosed
    | LeagueCompleted
    | LeagueStopped
    | LeagueCancelled
    | LeagueResumed
)

EVENT_TYPES: Mapping[str, type[Event]] = {cls.__name__: cls for cls in typing.get_args(Event)}

GENESIS = "0" * 64
"""The previous digest in a league's first record."""


@dataclass(frozen=True, slots=True)
class Record:
    """An event as stored.

    Attributes:
        league_id: The league.
        sequence: From 1, without gaps.
        at: ISO 8601 in UTC with milliseconds and `Z`.
        type: The event's class name.
        payload: The event as JSON.
        previous: Digest of the record before, or GENESIS.
        digest: SHA-256 over all of the above, in hexadecimal.
    """

    league_id: str
    sequence: int
    at: str
    type: str
    payload: Mapping[str, Json] = field(repr=False)
    previous: str
    digest: str

    @property
    def event(self) -> Event:
        return event_from_json(self.type, self.payload)


def event_to_json(event: Event) -> dict[str, Json]:
    """An event as JSON values."""
    return typing.cast(dict[str, Json], plain(event))


_BEFORE: Mapping[str, Json] = {"equal_meetings": False, "absences_before_sitting_out": 0}
"""Rules of leagues from before these rules."""


def event_from_json(type_name: str, payload: Mapping[str, Json]) -> Event:
    """An event from its JSON; ValueError for an unfit payload, or a newer release's."""
    cls = EVENT_TYPES.get(type_name)
    if cls is None:
        raise NewerRecords(newer(f"there is a {type_name}, unknown here"))
    try:
        if cls is LeagueCreated:  # leagues from before a rule keep to what they were played by
            check_version(payload.get("format_version", 1))
            payload = {"format_version": 1, **payload, "rules": {**_BEFORE, **payload["rules"]}}
        return typing.cast(Event, build(cls, payload))
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{type_name}: the payload does not fit: {error}") from error


def chain_digest(
    league_id: str, sequence: int, at: str, type_name: str, payload: Mapping[str, Json], previous: str
) -> str:
    """SHA-256 of a record without its digest, as canonical JSON.

    That has sorted keys and no spaces, in UTF-8.
    """
    body = [league_id, sequence, at, type_name, payload, previous]
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def seal(league_id: str, sequence: int, at: str, event: Event, previous: str) -> Record:
    """Make the record of an event that follows the record with digest `previous`."""
    type_name = type(event).__name__
    payload = event_to_json(event)
    digest = chain_digest(league_id, sequence, at, type_name, payload, previous)
    return Record(league_id, sequence, at, type_name, payload, previous, digest)


def first_broken_link(records: typing.Sequence[Record], *, after: int = 0, previous: str = GENESIS) -> int | None:
    """The number of the first record that was changed, removed or moved; else None.

    `after` and `previous` are the number and the digest of the record before the first of these.
    """
    for expected, record in enumerate(records, start=after + 1):
        digest = chain_digest(
            record.league_id, record.sequence, record.at, record.type, record.payload, record.previous
        )
        if record.sequence != expected or record.previous != previous or record.digest != digest:
            return expected
        previous = record.digest
    return None
