"""Asks the tournament format for schedules, rounds and the final ranking."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import anyio

from league_sdk.domain.commands import CloseRegistration, CompleteLeague, CompleteRound, PairRound
from league_sdk.domain.league import League
from league_sdk.domain.model import StageRules
from league_sdk.domain.progress import outcome_after, seeding, settled_schedule, tournament_of
from league_sdk.errors import InvalidState
from league_sdk.tournament import ByePoints, Format, FormatDoesNotFit

CANNOT_START = "the league cannot start"
"""Beginning of the reason of a league whose format refuses its players."""


class Pairing:
    """The tournament format of a league.

    `make_format` None leaves a league at a single round-robin.
    """

    def __init__(self, make_format: Callable[[Sequence[StageRules]], Format] | None = None) -> None:
        self._make_format = make_format

    def close_registration(self, league: League, reason: str) -> CloseRegistration:
        """The command that ends registration, with all that is settled of the schedule.

        InvalidState: the format does not take so many players.
        """
        players = seeding(league)
        tournament_format = self._format(league)
        if tournament_format is None or len(players) < max(2, league.rules.min_players):
            return CloseRegistration(reason)
        try:
            tournament_format.check(len(players))
        except FormatDoesNotFit as error:
            raise InvalidState(f"{CANNOT_START}: {error}", players=len(players)) from error
        expected = tournament_format.expected_rounds(len(players))
        return CloseRegistration(reason, settled_schedule(tournament_format, players), expected)

    def late_entry(self, league: League) -> ByePoints | None:
        """The points for a missed round of a player that enters now; None to refuse."""
        tournament_format = self._format(league)
        if tournament_format is None or not league.expected_rounds or league.closed:
            return None
        return tournament_format.late_entry(tournament_of(replace(league, rounds_completed=len(league.rounds))))

    def takes_late_entries(self, league: League) -> bool:
        """True if players may come after the start, as far as can be said before it."""
        tournament_format = self._format(league)
        return tournament_format is not None and tournament_format.late_entry(tournament_of(league)) is not None

    async def next_round(self, league: League) -> PairRound | None:
        """The command that adds the next round; None after the last one."""
        tournament_format = self._format(league)
        if tournament_format is None or not league.expected_rounds or league.closed:
            return None
        paired = await anyio.to_thread.run_sync(lambda: tournament_format.next_round(tournament_of(league)))
        return None if paired is None else PairRound(paired)

    async def end_of_round(self, league: League, round_id: int) -> CompleteRound:
        """The command that ends a round, with the format's ranking so far."""
        tournament_format = self._format(league)
        if tournament_format is None or not league.expected_rounds:
            return CompleteRound(round_id)
        outcome = await anyio.to_thread.run_sync(outcome_after, league, tournament_format, round_id)
        return CompleteRound(round_id, *outcome)

    async def completion(self, league: League) -> CompleteLeague:
        """The command that ends the league, with the format's ranking where it has one."""
        tournament_format = self._format(league)
        if tournament_format is None:
            return CompleteLeague()
        complete = league.rounds_completed
        if not league.expected_rounds:
            return CompleteLeague(*outcome_after(league, tournament_format, complete))
        return CompleteLeague(*await anyio.to_thread.run_sync(outcome_after, league, tournament_format, complete))

    def _format(self, league: League) -> Format | None:
        return None if self._make_format is None else self._make_format(league.rules.stages)
