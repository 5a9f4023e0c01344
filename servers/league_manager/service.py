"""The league manager's service: a method for each message it gets."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

from league_sdk.clock import Clock, Ids, to_wire_time
from league_sdk.domain.commands import (
    Command,
    EnterPlayer,
    RecordResult,
    RegisterPlayer,
    RegisterReferee,
    Rejoin,
    StartLeague,
    WithdrawAgent,
)
from league_sdk.domain.decisions.departures import lost_by_default
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.participants.sitting_out import LiftedBy
from league_sdk.errors import (
    DuplicateReport,
    Forbidden,
    InvalidField,
    LeagueNotFound,
    RateLimited,
    RegistrationClosed,
)
from league_sdk.net.addresses import ReadEndpoint
from league_sdk.ports import Journal, StoreFailed
from league_sdk.protocol import mapping
from league_sdk.protocol.envelope import reply_to
from league_sdk.protocol.match import MatchResultAck, MatchResultReport
from league_sdk.protocol.operator import (
    CreateSchedule,
    GetStandings,
    ScheduleResponse,
    StandingsResponse,
    StartLeagueRequest,
    StartLeagueResponse,
)
from league_sdk.protocol.queries import LeagueQuery, LeagueQueryResponse
from league_sdk.protocol.registration import (
    LeagueRegisterRequest,
    LeagueRegisterResponse,
    RefereeRegisterRequest,
    RefereeRegisterResponse,
    WithdrawRequest,
    WithdrawResponse,
)
from servers.agent.access import Caller
from servers.agent.rate_limit import Buckets, Rate
from servers.league_manager.admission import Admission
from servers.league_manager.announcements import SENDER
from servers.league_manager.authentication import Authentication
from servers.league_manager.ledger import Ledger, Superseded
from servers.league_manager.lost_nodes import LostNodes
from servers.league_manager.pairing import Pairing
from servers.league_manager.player_seats import PlayerSeats
from servers.league_manager.queries import answered
from servers.league_manager.referee_admission import RefereeAdmission
from servers.league_manager.refused_registrations import RefusedRegistrations
from servers.league_manager.seat_registry import SeatRegistry

R = TypeVar("R")
ASK_THE_OPERATOR = "; ask the league's operator, who can cancel the league and start it again (league control cancel)"
RETURNS = Rate(per_sec=0.2, burst=20)
"""Recorded returns of one agent: an agent that crashes is restarted ten times in a run."""


class LeagueManagerService:
    """Registration, reports, queries and the operator's commands.

    Peer tokens are derived from `operator_token`; `token_ttl` counts from the time when a seat was last taken, None is
    for ever; `look` finds out what an agent speaks at its endpoint (`mcp`, `jsonrpc`, or nothing without an answer).
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        clock: Clock,
        ids: Ids,
        journal: Journal,
        operator_token: str,
        read_endpoint: ReadEndpoint,
        admission: Admission | None = None,
        referees: RefereeAdmission | None = None,
        token_ttl: timedelta | None = None,
        look: Callable[[str], Awaitable[str]] | None = None,
        pairing: Pairing | None = None,
        seats: PlayerSeats | None = None,
        heard: Callable[[str], None] = lambda _: None,
        lost_nodes: LostNodes | None = None,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._journal = journal
        self._pairing = pairing or Pairing()
        self._heard = heard
        self._lost_nodes = lost_nodes or LostNodes()
        admission = admission or Admission()
        self.authentication = Authentication(ledger, clock, operator_token, token_ttl, admission.check_card)
        self.refusals = RefusedRegistrations(clock)
        self._seats = SeatRegistry(
            ledger=ledger,
            authentication=self.authentication,
            admission=admission,
            referees=referees or RefereeAdmission(),
            recorded_returns=Buckets(clock, RETURNS),
            refusals=self.refusals,
            seats=seats or PlayerSeats(ids),
            ids=ids,
            journal=journal,
            operator_token=operator_token,
            read_endpoint=read_endpoint,
            store=self._store,
            look=look,
        )

    async def register_referee(self, message: RefereeRegisterRequest, caller: Caller) -> RefereeRegisterResponse:
        agent = mapping.agent_from_meta(message.referee_meta, self._ledger.league.rules.game_type, message.derived)
        self._check_league(message.league_id)
        answer = await self._seats.register(message, caller, agent, RegisterReferee)
        return RefereeRegisterResponse(
            **reply_to(message, SENDER, self._clock), **_renamed(answer, "agent_id", "referee_id")
        )

    async def register_player(self, message: LeagueRegisterRequest, caller: Caller) -> LeagueRegisterResponse:
        agent = mapping.agent_from_meta(message.player_meta, self._ledger.league.rules.game_type, message.derived)
        late = self._pairing.late_entry(self._ledger.league) if self._ledger.league.scheduled else None
        command = RegisterPlayer if late is None else partial(EnterPlayer, bye_points=late.value)
        self._check_league(message.league_id)
        answer = await self._seats.register(message, caller, agent, command)
        league = self._ledger.league
        if answer.get("error_code") == RegistrationClosed.code and league.scheduled and not league.finished:
            answer["reason"] += ASK_THE_OPERATOR
        await self._heard_of(answer.get("agent_id", ""))
        return LeagueRegisterResponse(
            **reply_to(message, SENDER, self._clock), **_renamed(answer, "agent_id", "player_id")
        )

    async def withdraw(self, message: WithdrawRequest, caller: Caller) -> WithdrawResponse:
        """Let an agent leave; asked again, the answer is the same."""
        self._check_league(message.league_id)
        if not caller.agent_id:
            raise Forbidden("an agent withdraws with its own auth_token; the operator removes a player instead")
        await self._store(WithdrawAgent(caller.agent_id, message.reason))
        league = self._ledger.league
        return WithdrawResponse(
            **reply_to(message, SENDER, self._clock),
            league_id=league.league_id,
            agent_id=caller.agent_id,
            withdrew=league.withdrew[caller.agent_id],
            lost_matches=lost_by_default(league, caller.agent_id),
        )

    async def report_match_result(self, message: MatchResultReport, caller: Caller) -> MatchResultAck:
        """Record a match's one result. The same report again is acknowledged again."""
        self._check_league(message.league_id)
        fixture = self._ledger.league.fixture(message.match_id)
        result = mapping.match_result(message, fixture, caller.agent_id, self._ledger.league.attempt(message.match_id))
        if mapping.ignored_counts(message, result):
            self._journal.event("SUBSTITUTION_IGNORED", "WARNING", match_id=message.match_id)
        if not self._ledger.league.decided(message.match_id):
            await self._lost_nodes.check(self._ledger.league, result)
        try:
            await self._store(RecordResult(result))
        except DuplicateReport as error:
            error.context["previous_report_time"] = to_wire_time(self._ledger.recorded_at(message.match_id))
            self._journal.event(
                "DUPLICATE_REPORT", "ERROR", match_id=message.match_id, referee_id=caller.agent_id, reason=error.message
            )
            raise
        envelope = reply_to(message, SENDER, self._clock)
        return MatchResultAck(**envelope, match_id=message.match_id, round_id=fixture.round_id)

    async def league_query(self, message: LeagueQuery, caller: Caller) -> LeagueQueryResponse:
        self._check_league(message.league_id)
        await self._heard_of(caller.agent_id)
        answer = answered(self._ledger.league, message, caller, self._ledger.head)
        return LeagueQueryResponse(
            **reply_to(message, SENDER, self._clock),
            query_type=message.query_type,
            league_id=self._ledger.league_id,
            current_round=self._ledger.league.rounds_started,
            **answer,
        )

    async def start_league(self, message: StartLeagueRequest, caller: Caller) -> StartLeagueResponse:
        """Close registration, if it is open, and start."""
        del caller
        self._check_league(message.league_id)
        if self._ledger.league.state is LeagueState.WAITING_FOR_REGISTRATIONS:
            await self._ledger.execute(self._pairing.close_registration(self._ledger.league, "operator"))
        await self._ledger.execute(StartLeague())
        league = self._ledger.league
        return StartLeagueResponse(
            **reply_to(message, SENDER, self._clock),
            league_id=league.league_id,
            state=str(league.state),
            players=len(league.players),
            referees=len(league.referees),
            total_rounds=league.total_rounds,
            total_matches=league.total_matches,
        )

    async def create_schedule(self, message: CreateSchedule, caller: Caller) -> ScheduleResponse:
        """Close registration if it is open; the schedule of a league awaiting its start."""
        del caller
        self._check_league(message.league_id)
        registered = list(self._ledger.league.players)
        if message.players is not None and sorted(message.players) != sorted(registered):
            raise InvalidField(
                "the schedule is for all registered players",
                field="players",
                value=message.players,
                expected=registered,
            )
        if self._ledger.league.state is LeagueState.WAITING_FOR_REGISTRATIONS:
            await self._ledger.execute(self._pairing.close_registration(self._ledger.league, "operator"))
        league = self._ledger.league
        return ScheduleResponse(
            **reply_to(message, SENDER, self._clock),
            league_id=league.league_id,
            total_rounds=league.total_rounds,
            matches=mapping.scheduled_matches(league),
        )

    async def get_standings(self, message: GetStandings, caller: Caller) -> StandingsResponse:
        del caller
        self._check_league(message.league_id)
        league = self._ledger.league
        return StandingsResponse(
            **reply_to(message, SENDER, self._clock),
            league_id=league.league_id,
            current_round=league.rounds_started,
            standings=mapping.standing_rows(league.standings()),
        )

    async def _heard_of(self, agent_id: str) -> None:
        """Note a player's call, and let it rejoin if it sits out as absent."""
        self._heard(agent_id)
        if agent_id in self._ledger.league.sitting_out and self._ledger.league.state is not LeagueState.COMPLETED:
            await self._store(Rejoin(agent_id, LiftedBy.CALL))

    def _check_league(self, league_id: str | None) -> None:
        if league_id is not None and league_id != self._ledger.league_id:
            raise LeagueNotFound(
                f"there is no league {league_id!r} here",
                field="league_id",
                value=league_id,
                expected=self._ledger.league_id,
            )

    async def _store(self, command: Command) -> None:
        """Execute an agent's command; one that can't be stored is left to its retry."""
        try:
            await self._ledger.execute(command)
        except StoreFailed as error:
            self._journal.event("STORE_FAILED", "ERROR", command=type(command).__name__, reason=str(error))
            why = str(error) if isinstance(error, Superseded) else "the league cannot store anything now"
            raise RateLimited(f"{why}; send it again later") from error


def _renamed(answer: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in answer.items()}
