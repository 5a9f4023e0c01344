"""Messages that the manager sends unasked, written from the league's state."""

import hashlib
from collections.abc import Mapping
from typing import Any

from league_sdk import tokens
from league_sdk.clock import Clock, Ids
from league_sdk.domain.league import League
from league_sdk.domain.model import PROTOCOL, Fixture, Role
from league_sdk.protocol.envelope import Envelope, Message, stamp
from league_sdk.protocol.mapping import champions, match_infos, scoring_info, standing_rows
from league_sdk.protocol.operator import MatchStatus, MatchTimeouts, StartMatch
from league_sdk.protocol.rounds import (
    LeagueCompletedAck,
    LeagueCompletedMessage,
    LeagueStandingsUpdate,
    RecordHead,
    RoundAnnouncement,
    RoundAnnouncementAck,
    RoundCompletedAck,
    RoundCompletedMessage,
    StandingRow,
    StandingsUpdateAck,
)

SENDER = str(Role.LEAGUE_MANAGER)


class Announcements:
    """Writes messages.

    Args:
        clock: For time stamps.
        ids: For conversation ids.
        operator_token: What match tickets are derived from.
    """

    def __init__(self, clock: Clock, ids: Ids, operator_token: str) -> None:
        self._clock = clock
        self._ids = ids
        self._operator_token = operator_token
        self._table: tuple[object, tuple[StandingRow, ...]] = (None, ())

    def round(self, league: League, round_id: int, referees: Mapping[str, str]) -> tuple[Envelope, type[Message]]:
        """A round begins; matches that are void already are not announced.

        Args:
            league: The league.
            round_id: Which round.
            referees: Planned referee id by match id.
        """
        scheduled = league.round(round_id)
        coming = [fixture for fixture in scheduled.fixtures if fixture.match_id not in league.voided]
        message = RoundAnnouncement(
            **self._stamp(),
            league_id=league.league_id,
            round_id=round_id,
            matches=match_infos(coming, referees, league.referees, league.rules.game_type),
            byes=scheduled.byes or None,
        )
        return message, RoundAnnouncementAck

    def round_completed(self, league: League, round_id: int) -> list[tuple[Envelope, type[Message], bool]]:
        """Messages for the end of a round; the last value: True if referees get it too."""
        scheduled = league.round(round_id)
        standings = LeagueStandingsUpdate(
            **self._stamp(),
            league_id=league.league_id,
            round_id=round_id,
            standings=standing_rows(league.standings()),
        )
        void = {f.match_id: league.voided[f.match_id] for f in scheduled.fixtures if f.match_id in league.voided}
        completed = RoundCompletedMessage(
            **self._stamp(),
            league_id=league.league_id,
            round_id=round_id,
            matches_played=len(scheduled.fixtures) - len(void),
            next_round_id=round_id + 1 if round_id < league.total_rounds else None,
            void_matches=void or None,
        )
        return [(standings, StandingsUpdateAck, False), (completed, RoundCompletedAck, True)]

    def league_completed(self, league: League, head: RecordHead | None) -> tuple[Envelope, type[Message]]:
        """The league is over; `head` is its last record."""
        winners = champions(league)
        message = LeagueCompletedMessage(
            **self._stamp(),
            league_id=league.league_id,
            total_rounds=league.total_rounds,
            total_matches=len(league.results),
            champion=winners[0],
            champions=winners if len(winners) > 1 else None,
            final_standings=standing_rows(league.standings()),
            void_matches=dict(league.voided) or None,
            record_head=head,
        )
        return message, LeagueCompletedAck

    def start_match(self, league: League, fixture: Fixture, attempt: int) -> StartMatch:
        """A match for a referee, with the tickets that it shows the players."""
        first, second = (league.player(player) for player in fixture.players)
        rows = [row for row in self._rows(league) if row.player_id in fixture.players]
        return StartMatch(
            **self._stamp(),
            protocol=PROTOCOL,
            league_id=league.league_id,
            round_id=fixture.round_id,
            match_id=fixture.match_id,
            game_type=league.rules.game_type,
            game_options=dict(league.rules.game_options) or None,
            timeouts=MatchTimeouts(**league.rules.timeouts) if league.rules.timeouts else None,
            player_a_id=first.agent_id,
            player_b_id=second.agent_id,
            player_a_endpoint=first.endpoint,
            player_b_endpoint=second.endpoint,
            player_a_name=first.display_name,
            player_b_name=second.display_name,
            player_a_ticket=self._ticket(league, first.agent_id, fixture.match_id, attempt),
            player_b_ticket=self._ticket(league, second.agent_id, fixture.match_id, attempt),
            player_a_dialect=first.dialect or None,
            player_b_dialect=second.dialect or None,
            player_a_token_digest=first.token_digest or None,
            player_b_token_digest=second.token_digest or None,
            player_a_returns=league.returns.get(first.agent_id, 0),
            player_b_returns=league.returns.get(second.agent_id, 0),
            attempt=attempt,
            scoring=scoring_info(league.rules.scoring),
            seed=self._seed(league, fixture.match_id, attempt),
            standings=tuple(rows),
        )

    def match_status(self, match_id: str) -> MatchStatus:
        """The message that asks a referee for a match's state."""
        return MatchStatus(**self._stamp(), protocol=PROTOCOL, match_id=match_id)

    def _rows(self, league: League) -> tuple[StandingRow, ...]:
        """The table; made once for all matches that are given out before the next result."""
        tally, rows = self._table
        if tally is not league.tally:
            rows = tuple(standing_rows(league.standings()))
            self._table = (league.tally, rows)
        return rows

    def _ticket(self, league: League, player_id: str, match_id: str, attempt: int) -> str:
        peer_token = tokens.peer_token(self._operator_token, league.league_id, player_id)
        return tokens.match_ticket(peer_token, match_id, attempt)

    def _seed(self, league: League, match_id: str, attempt: int) -> str | None:
        """The seed of an attempt in a seeded league; None leaves it to chance."""
        if league.rules.seed is None:
            return None
        return hashlib.sha256(f"{league.rules.seed}\x1f{match_id}\x1f{attempt}".encode()).hexdigest()

    def _stamp(self) -> dict[str, Any]:
        return stamp(self._clock, self._ids, SENDER)
