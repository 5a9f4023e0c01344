"""A league's progress, in a few numbers."""

from dataclasses import dataclass

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.domain.ranking.standing import Standing
from league_sdk.names import game_name
from servers.agent.manager_lock import PAUSED, REFUSED, is_pause
from servers.read_model.round_names import round_name
from servers.read_model.text import count


@dataclass(frozen=True, slots=True)
class Overview:
    """A league's progress."""

    league_id: str  # as configured
    title: str  # what people call it; its id when it has no name
    game_name: str  # its game, as `openspiel:chess`
    state: LeagueState
    stop_reason: str  # while it is stopped: why
    players: int
    expected_players: int | None  # how many it waits for; None when it waits for the clock or the operator
    referees: int
    current_round: int  # the round that began last; 0 before the first
    total_rounds: int  # rounds of the schedule; of an endless league, those so far
    rounds_completed: int  # how many of them are complete
    decided: int  # matches with a result
    voided: int  # void matches, which do not count
    under_way: int  # matches that a referee has
    total_matches: int  # matches of the schedule
    champions: tuple[Standing, ...]  # the rows of the winners, once it is complete
    removed: int = 0  # players that have left: removed, or by themselves
    sitting_out: int = 0  # players that sit out now
    registration_deadline: str | None = None  # when registration closes by itself; None without a deadline
    cancelled: bool = False  # stopped for good
    endless: bool = False  # true without a last round, and still open
    never_came: int = 0  # expected players that had not registered when registration closed
    round_name: str = ""  # the round that began last, as people call it
    paired_one_by_one: bool = False  # true while the matches of later rounds are not known

    @property
    def rounds_named(self) -> str:
        """The round that began last: `round 2 of 5`, or `semi-final, game 2`."""
        if self.round_name:
            return self.round_name
        return f"round {self.current_round}" + ("" if self.endless else f" of {self.total_rounds}")

    @property
    def never_came_named(self) -> str:
        """A sentence on the expected players that never came; empty if all did."""
        if not self.never_came:
            return ""
        return f"{count(self.never_came, 'player')} never came: {self.expected_players} were expected."

    @property
    def paused(self) -> bool:
        """True if its manager waits for its operator to let it continue."""
        return self.state is LeagueState.STOPPED and is_pause(self.stop_reason)

    @property
    def paused_for(self) -> str:
        """The reason of a pause that its manager made itself; empty otherwise."""
        return self.stop_reason.removeprefix(REFUSED) if self.paused and self.stop_reason != PAUSED else ""

    @property
    def state_named(self) -> str:
        """The state for people: a league that is paused, or cancelled, is not stopped."""
        return "CANCELLED" if self.cancelled else "PAUSED" if self.paused else str(self.state)

    @property
    def decided_named(self) -> str:
        """The matches that are decided: `13 of 22 matches`, or `13 matches`."""
        if self.paired_one_by_one:
            return count(self.decided, "match")
        return f"{self.decided} of {self.total_matches} matches"


def overview(league: League) -> Overview:
    """A league's progress; one that does not run has no match under way."""
    open_now = league.under_way() if league.state is LeagueState.RUNNING else ()
    winners = league.standings() if league.champions else ()
    return Overview(
        league_id=league.league_id,
        title=league.rules.display_name or league.league_id,
        game_name=game_name(league.rules.game_type),
        state=league.state,
        stop_reason=league.stop_reason,
        players=len(league.players),
        expected_players=league.rules.expected_players,
        referees=len(league.referees),
        current_round=league.rounds_started,
        total_rounds=league.total_rounds,
        rounds_completed=league.rounds_completed,
        decided=len(league.results),
        voided=len(league.voided),
        under_way=sum(fixture.match_id in league.assignments for fixture in open_now),
        total_matches=league.total_matches,
        champions=tuple(row for row in winners if row.player_id in league.champions),
        removed=len(league.removed.keys() & league.players.keys()),
        sitting_out=len(league.sitting_out),
        registration_deadline=league.rules.registration_deadline,
        cancelled=league.cancelled,
        endless=league.goes_on,
        never_came=_never_came(league),
        round_name=round_name(league, league.rounds_started),
        paired_one_by_one=league.expected_rounds > 0 and league.state is not LeagueState.COMPLETED,
    )


def _never_came(league: League) -> int:
    """Expected players that neither registered nor, before that, were dismissed."""
    expected = league.rules.expected_players
    if expected is None or not league.scheduled:
        return 0
    dismissed = sum(agent.role is Role.PLAYER for agent in league.dismissed.values())
    return max(0, expected - len(league.players) - dismissed)
