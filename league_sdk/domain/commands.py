"""What can be asked of a league. `league.decide` answers with events, or refuses."""

from dataclasses import dataclass
from typing import TypeAlias

from league_sdk.domain.model import Agent, LeagueRules, MatchResult


@dataclass(frozen=True, slots=True)
class CreateLeague:
    """Begin a league; the only command that needs none."""

    rules: LeagueRules


@dataclass(frozen=True, slots=True)
class RegisterReferee:
    """Give a referee a seat. Its `agent_id` and `role` are settled by the league, whatever they are here."""

    agent: Agent


@dataclass(frozen=True, slots=True)
class RegisterPlayer:
    """Give a player a seat. Its `agent_id` and `role` are settled by the league, whatever they are here."""

    agent: Agent


@dataclass(frozen=True, slots=True)
class ReturnAgent:
    """Let an agent, whose identity has been checked, take its seat again.

    Attributes:
        agent_id: Whose seat.
        token_digest: Digest of the token that is valid from now on.
        endpoint: Where it is called from now on.
        dialect: How it is spoken to from now on; as before when empty.
    """

    agent_id: str
    token_digest: str
    endpoint: str
    dialect: str = ""


@dataclass(frozen=True, slots=True)
class RemovePlayer:
    """Take a player out of the league for good. What was decided stays; its other matches are void.

    Attributes:
        player_id: Whom.
        reason: Why, in the operator's words; may be empty.
    """

    player_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CloseRegistration:
    """Take no more agents and make the schedule.

    Attributes:
        reason: `quorum`, `operator` or `timeout`.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class StartLeague:
    """Set a scheduled league running."""


@dataclass(frozen=True, slots=True)
class StartRound:
    """Begin the next round; the one before has to be complete."""

    round_id: int


@dataclass(frozen=True, slots=True)
class AssignMatch:
    """Give a match of the current round to a referee; again, when the last attempt came to nothing."""

    match_id: str
    referee_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RecordResult:
    """Take a referee's report. The same report again changes nothing."""

    result: MatchResult


@dataclass(frozen=True, slots=True)
class VoidMatch:
    """Give up a match of the current round that nobody can referee; it counts for nobody."""

    match_id: str
    cause: str


@dataclass(frozen=True, slots=True)
class CompleteRound:
    """End the current round, all of whose matches are decided or void."""

    round_id: int


@dataclass(frozen=True, slots=True)
class CompleteLeague:
    """End the league, all of whose rounds are complete."""


@dataclass(frozen=True, slots=True)
class StopLeague:
    """End the league early; it can be resumed."""

    reason: str


@dataclass(frozen=True, slots=True)
class ResumeLeague:
    """Go on with a league that was stopped, or whose manager died."""

    reason: str = ""


Command: TypeAlias = (
    CreateLeague
    | RegisterReferee
    | RegisterPlayer
    | ReturnAgent
    | RemovePlayer
    | CloseRegistration
    | StartLeague
    | StartRound
    | AssignMatch
    | RecordResult
    | VoidMatch
    | CompleteRound
    | CompleteLeague
    | StopLeague
    | ResumeLeague
)
