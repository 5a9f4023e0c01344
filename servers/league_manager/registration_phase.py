"""Registration: from an empty league to one that runs."""

from league_sdk.domain.commands import Command, StartLeague, StopLeague
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.errors import InvalidState
from servers.league_manager.league_context import LeagueContext
from servers.league_manager.manager_timeouts import seconds_to_close, seconds_to_start, waiting_for_start, within


class RegistrationPhase:
    """Closes registration in time, and starts a league its operator left to it."""

    def __init__(self, context: LeagueContext) -> None:
        self._context = context
        self._waited_for: str | None = ""  # the deadline that has come, or None for a time limit without one

    async def run(self) -> None:
        """Return when registration is over and the league started or awaiting a start."""
        context = self._context
        while context.league.state is LeagueState.WAITING_FOR_REGISTRATIONS:
            await self._wait_for_agents()
            await self._close()
        league = context.league
        if league.state is LeagueState.SCHEDULED and league.closing_reason != "operator":
            wait = seconds_to_start(league, context.clock)
            if wait > 0:
                context.tell(waiting_for_start(league, wait))
                context.journal.event("WAITING_FOR_START_DATE", start_date=league.rules.start_date, seconds=round(wait))
            await within(context.ledger, context.clock, wait, lambda now: now.state is not LeagueState.SCHEDULED)
            await self._unless_overtaken(StartLeague(), LeagueState.SCHEDULED)

    async def _wait_for_agents(self) -> None:
        """Wait for the agents that are expected, at most until registration closes."""
        context = self._context
        while context.league.rules.registration_deadline != self._waited_for:  # the operator may move it meanwhile
            self._waited_for = deadline = context.league.rules.registration_deadline

            def over(league: League, deadline: str | None = deadline) -> bool:
                moved = league.rules.registration_deadline != deadline
                return moved or league.quorum() or league.state is not LeagueState.WAITING_FOR_REGISTRATIONS

            await within(context.ledger, context.clock, seconds_to_close(context.league, context.clock), over)

    async def _close(self) -> None:
        league, rules = self._context.league, self._context.league.rules
        if league.state is not LeagueState.WAITING_FOR_REGISTRATIONS:
            return
        if league.quorum():
            await self._unless_overtaken(self._closing("quorum"), league.state)
            return
        players, referees = len(league.players), len(league.active_referees)
        self._context.journal.event("REGISTRATION_TIMEOUT", "WARNING", players=players, referees=referees)
        if players >= rules.min_players and referees:
            await self._end_registration(self._closing("timeout"), league)
            return
        over = f"closed at {rules.registration_deadline}"
        if rules.registration_deadline is None:
            over = f"timed out after {rules.registration_timeout_sec:g} s"
        reason = (
            f"registration {over} with {players} players "
            f"(at least {rules.min_players} are needed) and {referees} referees (1 is needed)"
        )
        await self._end_registration(StopLeague(reason), league)

    async def _end_registration(self, command: Command, before: League) -> None:
        """Close registration, or stop a league that cannot be played.

        One for a class stays open instead: its students come late, and have no other league to go to.
        """
        context = self._context
        if not (isinstance(command, StopLeague) and context.stays_open):
            await self._unless_overtaken(command, before.state)
            return
        context.tell(f"{command.reason}; registration stays open, and the league begins once enough are in")
        await context.ledger.until(lambda league: _registered(league) != _registered(before))

    def _closing(self, reason: str) -> Command:
        """The end of registration, or of a league that its format refuses."""
        try:
            return self._context.pairing.close_registration(self._context.league, reason)
        except InvalidState as error:
            return StopLeague(error.message)

    async def _unless_overtaken(self, command: Command, state: LeagueState) -> None:
        """Execute a command, unless the operator has moved the league on from `state`."""
        try:
            await self._context.execute(command)
        except InvalidState:
            if self._context.league.state is state:
                raise


def _registered(league: League) -> tuple[object, ...]:
    """All that decides if registration can close."""
    return league.state, league.rules.registration_deadline, len(league.players), len(league.active_referees)
