"""Pauses a league whose agents refuse their manager, in place of losing matches."""

from typing import TypeGuard

import anyio

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.errors import AuthTokenInvalid, AuthTokenMissing, Forbidden, LeagueError
from league_sdk.names import listed
from servers.agent.manager_lock import REFUSED
from servers.league_manager.league_context import LeagueContext
from servers.league_manager.manager_timeouts import within
from servers.league_manager.operator_controls import OperatorControls
from servers.league_manager.referee_pool import RefereePool

REGISTER_AGAIN_SEC = 30.0
"""Time for agents to register again after a change of the operator's token: a launcher starts them together."""
MOST_NAMED = 10
CONTINUE = "press Resume or run 'league control resume'"


def is_refusal(error: Exception) -> TypeGuard[LeagueError]:
    """True if an agent does not take its caller for the one that it says."""
    return isinstance(error, AuthTokenMissing | AuthTokenInvalid | Forbidden)


class Refusals:
    """Refusals of the manager's own calls.

    A referee that the launcher started refuses for no reason of its own, and where all referees refuse there is nobody
    to play: the league is paused. Any other one is at fault itself, and is passed over: else it could pause the league
    whenever it likes. A player's word never counts: an agent that does not know the manager any more is known from
    the records, where the operator's token was changed since it registered.
    """

    def __init__(self, context: LeagueContext, controls: OperatorControls | None, pool: RefereePool) -> None:
        self._context = context
        self._controls = controls
        self._pool = pool
        self._refusing: dict[str, LeagueError] = {}
        self._warned = False
        self._lock = anyio.Lock()

    def reset(self) -> None:
        """Begin a run: who refuses is found anew."""
        self._refusing.clear()

    async def until_aware(self) -> None:
        """Wait for agents to register again after a change of the operator's token.

        The league is paused where some have not in time; once the operator continues it, they are not waited for.
        """
        context = self._context
        if self._controls is None or self._warned or not self._missing(context.league):
            return
        self._warned = True
        context.tell(
            f"the operator's token was changed: waiting for {listed(self._missing(context.league), MOST_NAMED)}"
        )
        await within(context.ledger, context.clock, REGISTER_AGAIN_SEC, lambda league: not self._missing(league))
        if missing := self._missing(context.league):
            told = "have not registered since the operator's token was changed, and would refuse the league"
            await self._pause(f"{listed(missing, MOST_NAMED)} {told}; start them again, then {CONTINUE}")

    async def refused(self, referee_id: str, error: LeagueError) -> None:
        """Pause the league for a referee's refusal, unless it is at fault itself."""
        self._refusing[referee_id] = error
        if self._pool.own(referee_id) or self._pool.alone(self._refusing):
            told = f"{listed([*self._refusing], MOST_NAMED)} does not take this manager for the league's ({error.code})"
            await self._pause(f"{told}; start it again, then {CONTINUE}")

    def accepted(self, referee_id: str) -> None:
        """Forget a referee's refusal: it has taken a match from this manager since."""
        self._refusing.pop(referee_id, None)

    async def _pause(self, reason: str) -> None:
        if self._controls is None:
            return
        self._context.journal.event("LEAGUE_PAUSED", "ERROR", reason=reason)
        # The pause cancels the run, and this task with it, before it is back here.
        with anyio.CancelScope(shield=True):
            async with self._lock:
                if self._context.league.state is LeagueState.RUNNING:
                    await self._controls.pause(f"{REFUSED}{reason}")
        if self._context.league.state is LeagueState.STOPPED:
            await anyio.sleep_forever()  # the run is about to be cancelled

    def _missing(self, league: League) -> list[str]:
        """Agents without which matches would be lost to a refusal."""
        players = [known for known in league.playing() if known in league.unaware and not self._never_registers(known)]
        referees = [known for known in league.active_referees if known in league.unaware]
        return [*players, *(referees if len(referees) == len(league.active_referees) else ())]

    def _never_registers(self, player_id: str) -> bool:
        return self._context.league.player(player_id).display_name in self._context.unregistered
