"""Commands to a league. `league.decide` answers with events, or refuses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from league_sdk.domain.model import Agent, LeagueRules, MatchResult
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from league_sdk.domain.participants.sitting_out import LiftedBy, SittingOutReason
from league_sdk.json_value import Json
from league_sdk.tournament import Advanced, PairedRound, Ranking


@dataclass(frozen=True, slots=True)
class CreateLeague:
    """Begin a league; `operator_digest` is that of its operator's token."""

    rules: LeagueRules
    operator_digest: str = ""


@dataclass(frozen=True, slots=True)
class ChangeOperatorToken:
    """Record the digest of another operator's token; `how` as in the event."""

    digest: str
    how: str


@dataclass(frozen=True, slots=True)
class KeepPlan:
    """Record the plan by which the launcher starts the agents, unless there is one."""

    plan: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class MakeReadOnly:
    """Let no manager lead the league; attributes as in the event."""

    reason: str
    manager: str = ""


@dataclass(frozen=True, slots=True)
class BeginEpoch:
    """Let a manager lead read-only records, in an epoch with this random id."""

    id: str


@dataclass(frozen=True, slots=True)
class ExpectAgents:
    """Keep the names of agents for them, unless they are registered already.

    Attributes:
        agents: The agents, with the digests of the tokens that they will register with.
        by: The part of the league that starts them.
    """

    agents: tuple[ExpectedAgent, ...]
    by: str = "launcher"


@dataclass(frozen=True, slots=True)
class RegisterReferee:
    """Register a referee; the league sets its `agent_id` and `role`.

    Attributes:
        agent: The referee.
        admitted_by: Its credential, as in `RefereeRegistered`.
    """

    agent: Agent
    admitted_by: str = ""


@dataclass(frozen=True, slots=True)
class InviteReferee:
    """Let a referee of this name register; `digest` is that of its invitation."""

    display_name: str
    digest: str


@dataclass(frozen=True, slots=True)
class RevokeInvitation:
    """Take a referee's invitation back; one that came by it withdraws."""

    display_name: str


@dataclass(frozen=True, slots=True)
class MoveDeadline:
    """Let registration close at another time: ISO 8601 in UTC."""

    deadline: str


@dataclass(frozen=True, slots=True)
class RegisterPlayer:
    """Register a player; the league sets its `agent_id` and `role`."""

    agent: Agent


@dataclass(frozen=True, slots=True)
class EnterPlayer:
    """Register a player after the start, in a format that takes it.

    Attributes:
        agent: The player; the league sets its `agent_id` and `role`.
        bye_points: The points for each round that it has missed: `none` or `draw`.
    """

    agent: Agent
    bye_points: str = "none"


@dataclass(frozen=True, slots=True)
class ReturnAgent:
    """Let an authenticated agent register again.

    `token_digest` and `endpoint` hold from now on, and so do `dialect`, `instance_id` and `card`, if they are not
    empty. A return that changes nothing is recorded only to `renew` its time.
    """

    agent_id: str
    token_digest: str
    endpoint: str
    dialect: str = ""
    instance_id: str = ""
    card: int = 0
    renew: bool = False


@dataclass(frozen=True, slots=True)
class RemovePlayer:
    """Remove a player for good; decided matches stay, its others become void.

    The reason is in the operator's words, and may be empty.
    """

    player_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class WithdrawAgent:
    """Let an agent leave for good; a player loses its open matches.

    The reason is in the agent's words, and may be empty.
    """

    agent_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SitOut:
    """Let a player sit out. A weaker reason than it has changes nothing.

    The detail is in the words of who commands it, and may be empty.
    """

    player_id: str
    reason: SittingOutReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Rejoin:
    """Let a player that sits out play again, unless its reason asks for another end."""

    player_id: str
    by: LiftedBy
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ForfeitMatch:
    """Decide an open match of a player that sits out, without playing it."""

    match_id: str


@dataclass(frozen=True, slots=True)
class CloseRegistration:
    """Accept no more agents, and make the schedule."""

    reason: str  # `quorum`, `operator` or `timeout`
    rounds: tuple[PairedRound, ...] | None = None  # all of them, where no pairing depends on a result
    expected_rounds: int = 0  # their number, where they are paired one by one


@dataclass(frozen=True, slots=True)
class StartLeague:
    """Set a scheduled league running."""


@dataclass(frozen=True, slots=True)
class PairRound:
    """Add the next round to the schedule; the one before has to be complete."""

    paired: PairedRound


@dataclass(frozen=True, slots=True)
class StartRound:
    """Begin the next round; the one before has to be complete."""

    round_id: int


@dataclass(frozen=True, slots=True)
class AssignMatch:
    """Assign a match of the current round to a referee; again after a failed attempt."""

    match_id: str
    referee_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CommitDraw:
    """Record what a referee has committed to, before it invites anybody.

    The same commitment again changes nothing.
    """

    match_id: str
    attempt: int
    commitment: str


@dataclass(frozen=True, slots=True)
class RecordResult:
    """Record a referee's report. The same report again changes nothing."""

    result: MatchResult


@dataclass(frozen=True, slots=True)
class VoidMatch:
    """Give up a match of the current round that no referee can finish: it is void."""

    match_id: str
    cause: str


@dataclass(frozen=True, slots=True)
class CompleteRound:
    """End the current round, all of whose matches are decided or void.

    Attributes:
        round_id: The round.
        ranking: The ranking so far of a format that has one of its own; empty where points and tie-breaks decide.
        advanced: The players so far that advance from level ties by lots, or as the higher seed.
    """

    round_id: int
    ranking: Ranking = ()
    advanced: tuple[Advanced, ...] = ()


@dataclass(frozen=True, slots=True)
class CompleteLeague:
    """End the league, all of whose rounds are complete.

    Attributes:
        ranking: The final ranking of a format that has one of its own; empty where points and tie-breaks decide.
        advanced: The players that advance from level ties by lots, or as the higher seed.
    """

    ranking: Ranking = ()
    advanced: tuple[Advanced, ...] = ()


@dataclass(frozen=True, slots=True)
class CloseLeague:
    """Pair no further round of an endless league."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class StopLeague:
    """End the league early; it can be resumed."""

    reason: str


@dataclass(frozen=True, slots=True)
class CancelLeague:
    """End the league for good, without a champion; the reason may be empty."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class ResumeLeague:
    """Resume a league that was stopped, or whose manager died."""

    reason: str = ""


Command: TypeAlias = (
    CreateLeague
    | ChangeOperatorToken
    | KeepPlan
    | MakeReadOnly
    | BeginEpoch
    | ExpectAgents
    | InviteReferee
    | RevokeInvitation
    | MoveDeadline
    | RegisterReferee
    | RegisterPlayer
    | EnterPlayer
    | ReturnAgent
    | RemovePlayer
    | WithdrawAgent
    | SitOut
    | Rejoin
    | ForfeitMatch
    | CloseRegistration
    | StartLeague
    | PairRound
    | StartRound
    | AssignMatch
    | CommitDraw
    | RecordResult
    | VoidMatch
    | CompleteRound
    | CloseLeague
    | CompleteLeague
    | StopLeague
    | CancelLeague
    | ResumeLeague
)
