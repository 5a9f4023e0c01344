"""Operator controls: pause, stop, replay a match, sit out or remove a player.

A pause is a stop that the manager outlives: what is under way is finished and counted, nothing new begins, and the
league continues where it was once the operator says so. Whatever happens to the manager meanwhile, `league resume` goes
on as after any other stop.
"""

import re
from datetime import datetime, timedelta

import anyio

from league_sdk.clock import Clock, SystemClock, to_wire_time
from league_sdk.domain.commands import (
    CancelLeague,
    CloseLeague,
    InviteReferee,
    MoveDeadline,
    Rejoin,
    RemovePlayer,
    ResumeLeague,
    RevokeInvitation,
    SitOut,
    StopLeague,
)
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.participants.sitting_out import LiftedBy, SittingOutReason
from league_sdk.errors import InvalidField, InvalidState, LeagueAlreadyComplete, PlayerNotRegistered
from league_sdk.names import name_key
from servers.agent.manager_lock import PAUSED
from servers.league_manager.ledger import Ledger

TEN_MINUTES = "+10m"
_LATER = re.compile(r"\+(\d{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class OperatorControls:
    """The operator's commands to a league that has begun."""

    def __init__(self, ledger: Ledger, clock: Clock | None = None) -> None:
        self._ledger = ledger
        self._clock = clock or SystemClock()
        self._pausing = False
        self._given_up = anyio.Event()
        self._again: dict[str, anyio.Event] = {}

    async def pause(self, reason: str = PAUSED) -> None:
        self._check(LeagueState.RUNNING, "only a league that runs can be paused")
        self._pausing = True
        try:
            await self._ledger.execute(StopLeague(reason))
        except BaseException:
            self._pausing = False
            raise

    async def resume(self) -> None:
        self._check(LeagueState.STOPPED, "the league is not paused")
        await self._ledger.execute(ResumeLeague("resumed by the operator"))

    async def close(self) -> None:
        """Let an endless league end with the round under way."""
        await self._ledger.execute(CloseLeague("closed by the operator"))

    async def stop(self) -> None:
        """End the league early; its manager ends, too."""
        self._pausing = False
        if self._ledger.league.state is not LeagueState.STOPPED:
            await self._ledger.execute(StopLeague("stopped by the operator"))
        self._given_up.set()

    async def cancel(self, reason: str = "") -> None:
        """End the league for good, without a champion; its manager ends, too."""
        self._pausing = False
        await self._ledger.execute(CancelLeague(reason))
        self._given_up.set()

    async def move_deadline(self, text: str = TEN_MINUTES) -> str:
        """Let registration close at a moment in UTC, or so much later: `+10m`.

        Later is counted from the deadline that there is, else from now.
        """
        now = self._clock.now()
        moment = _moment(text, self._ledger.league.rules.registration_deadline, now)
        if moment <= now:
            told = f"registration cannot close at {to_wire_time(moment)}: it is {to_wire_time(now)} already"
            raise InvalidField(told, field="deadline", expected="a moment that comes")
        deadline = to_wire_time(moment, round_up=True)
        await self._ledger.execute(MoveDeadline(deadline))
        return deadline

    def play_again(self, match_id: str) -> None:
        """Abort a match under way and play it again; one with a result keeps it."""
        league = self._ledger.league
        league.fixture(match_id)
        if match_id not in self._again:
            raise InvalidState(
                f"{match_id} is not under way",
                match_id=match_id,
                decided=league.decided(match_id),
                state=str(league.state),
            )
        self._again[match_id].set()

    def find(self, player: str) -> str:
        """The id of a player, by its id or display name; else PlayerNotRegistered."""
        league = self._ledger.league
        if player in league.players:
            return player
        key = name_key(player)
        for known in league.players.values():
            if name_key(known.display_name) == key:
                return known.agent_id
        raise PlayerNotRegistered(f"no player {player!r} in this league, by id or name", player_id=player)

    async def remove(self, player_id: str, reason: str = "") -> None:
        """Remove a player for good: decided matches stay, the others are void.

        A player that is removed already stays so.
        """
        await self._ledger.execute(RemovePlayer(player_id, reason))

    async def sit_out(self, player_id: str, reason: str = "") -> bool:
        """Let a player sit out until the operator lets it play again; False if it does.

        One that sits out for another reason stays out for this one; a match under way is finished.
        """
        state = self._ledger.league.sitting_out.get(player_id)
        if state is not None and state.reason is SittingOutReason.OPERATOR:
            return False
        await self._ledger.execute(SitOut(player_id, SittingOutReason.OPERATOR, reason))
        return True

    async def rejoin(self, player_id: str, reason: str = "") -> None:
        """Let a player that sits out play again, whatever the reason was."""
        if player_id not in self._ledger.league.sitting_out:
            self._ledger.league.player(player_id)
            raise InvalidState(f"{player_id} does not sit out", player_id=player_id)
        await self._ledger.execute(Rejoin(player_id, LiftedBy.OPERATOR, reason))

    async def invite(self, display_name: str, digest: str) -> None:
        """Let a referee of this name register with the invitation of this digest."""
        await self._ledger.execute(InviteReferee(display_name, digest))

    async def revoke(self, display_name: str) -> None:
        """Take the invitation back; a referee that came by it gets no new match."""
        await self._ledger.execute(RevokeInvitation(display_name))

    async def wanted_again(self, match_id: str) -> None:
        """Wait until a match that is under way is to be played again."""
        event = self._again[match_id] = anyio.Event()
        try:
            await event.wait()
        finally:
            if self._again.get(match_id) is event:
                del self._again[match_id]

    async def goes_on(self) -> bool:
        """Wait while the league is paused; True if it continues then."""
        if not self._pausing:
            return False
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watch_end, tasks.cancel_scope)
            await self._ledger.until(lambda league: league.state is not LeagueState.STOPPED)
            tasks.cancel_scope.cancel()
        self._pausing = False
        return self._ledger.league.state is not LeagueState.STOPPED

    async def _watch_end(self, scope: anyio.CancelScope) -> None:
        await self._given_up.wait()
        scope.cancel()

    def _check(self, state: LeagueState, otherwise: str) -> None:
        league = self._ledger.league
        if league.state is LeagueState.COMPLETED:
            raise LeagueAlreadyComplete(f"league {league.league_id} is complete", league_id=league.league_id)
        if league.state is not state:
            raise InvalidState(otherwise, state=str(league.state))


def _moment(text: str, deadline: str | None, now: datetime) -> datetime:
    """A moment in UTC, or one that is so much later than the deadline."""
    later = _LATER.fullmatch(text)
    try:
        if later is not None:
            start = now if deadline is None else datetime.fromisoformat(deadline)
            return start + timedelta(**{_UNITS[later[2]]: int(later[1])})
        moment = datetime.fromisoformat(text)
        if moment.utcoffset() == timedelta():
            return moment
    except (ValueError, OverflowError):
        pass
    expected = "so much later, such as +10m, or a moment in UTC, such as 2036-05-01T09:00:00Z"
    raise InvalidField(f"expected {expected}", field="deadline", expected=expected)
