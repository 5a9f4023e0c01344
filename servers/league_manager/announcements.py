"""Messages that the manager sends unasked, written from the league's state."""

from collections.abc import Callable, Mapping
from typing import Any

from league_sdk import tokens
from league_sdk.clock import Clock, Ids
from league_sdk.domain.league import League
from league_sdk.domain.model import PROTOCOL, Fixture, Role
from league_sdk.domain.pairings.schedule import series_games, told_format
from league_sdk.domain.ranking.standings import id_order
from league_sdk.fairness import seed_of_match
from league_sdk.protocol.envelope import Envelope, Message, stamp
from league_sdk.protocol.mapping import champions, match_infos, scoring_info, standing_rows
from league_sdk.protocol.operator import MatchSeat, MatchStatus, MatchTimeouts, StartMatch
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
from servers.league_manager.excerpts import (
    TOP,
    Addressed,
    all_voided,
    around_each,
    excerpt,
    is_large,
    part,
    places_of,
    to_everybody,
    voided,
)
from servers.league_manager.peer_tokens import peer_token_of
from servers.league_manager.player_seats import PlayerSeats

SENDER = str(Role.LEAGUE_MANAGER)


class Announcements:
    """Writes messages.

    Match tickets are derived from `operator_token`; `gone_in` tells a player's last match, if it was gone in it.
    """

    def __init__(
        self,
        clock: Clock,
        ids: Ids,
        operator_token: str,
        seats: PlayerSeats | None = None,
        gone_in: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self._clock = clock
        self._ids = ids
        self._operator_token = operator_token
        self._table: tuple[object, dict[str, StandingRow]] = (None, {})
        self._seats = seats or PlayerSeats(ids)
        self._gone_in = gone_in

    def round(self, league: League, round_id: int, referees: Mapping[str, str]) -> tuple[Addressed, type[Message]]:
        """A round begins; matches that are not to be played are not announced.

        `referees` has the planned referee by match id.
        """
        scheduled = league.round(round_id)
        coming = league.coming(round_id)
        matches = match_infos(
            coming, referees, league.referees, league.rules.game_type, series_games(league.rounds, round_id)
        )
        message = RoundAnnouncement(
            **self._stamp(),
            league_id=league.league_id,
            round_id=round_id,
            matches=matches,
            byes=scheduled.byes or None,
            **told_format(league.rules, scheduled),
        )
        if not is_large(league):
            return to_everybody(message), RoundAnnouncementAck
        own, byes = places_of(coming, referees), {player: place for place, player in enumerate(scheduled.byes)}

        def to(agent_id: str) -> Envelope:
            sitting = excerpt(scheduled.byes, [byes[agent_id]] if agent_id in byes else [])
            fields = part(matches, own.get(agent_id, ()), "matches") | {"byes": sitting or None}
            return message.model_copy(update=fields)

        return to, RoundAnnouncementAck

    def round_completed(self, league: League, round_id: int) -> list[tuple[Addressed, type[Message], bool]]:
        """Messages for the end of a round; the last value: True if referees get it too."""
        scheduled, table = league.round(round_id), self.standings(league)
        causes = voided(league, scheduled.fixtures)
        void = sum(fixture.match_id in league.voided for fixture in scheduled.fixtures)
        completed = RoundCompletedMessage(
            **self._stamp(),
            league_id=league.league_id,
            round_id=round_id,
            matches_played=len(scheduled.fixtures) - void,
            next_round_id=round_id + 1 if round_id < league.total_rounds or league.goes_on else None,
            void_matches=causes(""),
        )

        def end(agent_id: str) -> Envelope:
            shown = causes(agent_id)
            left_out = {"total": void, "truncated": True} if len(shown or {}) < void else {}
            return completed.model_copy(update={"void_matches": shown, **left_out})

        return [
            (table, StandingsUpdateAck, False),
            (end if is_large(league) else to_everybody(completed), RoundCompletedAck, True),
        ]

    def standings(self, league: League) -> Addressed:
        """The table after the last complete round."""
        rows = standing_rows(league.standings())
        standings = LeagueStandingsUpdate(
            **self._stamp(), league_id=league.league_id, round_id=max(1, league.rounds_completed), standings=rows
        )
        if not is_large(league):
            return to_everybody(standings)
        around = around_each(rows)
        return lambda agent_id: standings.model_copy(update=part(rows, around(agent_id), "standings"))

    def league_completed(self, league: League, head: RecordHead | None) -> tuple[Addressed, type[Message]]:
        winners, rows = champions(league), standing_rows(league.standings())
        message = LeagueCompletedMessage(
            **self._stamp(),
            league_id=league.league_id,
            total_rounds=league.total_rounds,
            total_matches=len(league.results),
            champion=winners[0] if winners else None,
            no_champion=None if winners else league.no_champion,
            champions=winners if len(winners) > 1 else None,
            final_standings=rows,
            void_matches=all_voided(league),
            record_head=head,
        )
        if not is_large(league):
            return to_everybody(message), LeagueCompletedAck
        causes = voided(league, (fixture for scheduled in league.rounds for fixture in scheduled.fixtures))
        around = around_each(rows)

        def to(agent_id: str) -> Envelope:
            fields = part(rows, around(agent_id), "final_standings") | {"void_matches": causes(agent_id)}
            return message.model_copy(update=fields | {"champions": message.champions and message.champions[:TOP]})

        return to, LeagueCompletedAck

    def start_match(self, league: League, fixture: Fixture, attempt: int, *, recorded: bool = False) -> StartMatch:
        """A match for a referee, with the tickets that it shows the players.

        It is sent a second time once the referee's commitment to its draw is `recorded`.
        """
        seats = tuple(self._seat(league, player, fixture.match_id, attempt) for player in fixture.players)
        known = self._rows(league)
        rows = sorted(
            (known[player] for player in fixture.players), key=lambda row: (row.rank, id_order(row.player_id))
        )
        return StartMatch(
            **self._stamp(),
            protocol=PROTOCOL,
            league_id=league.league_id,
            round_id=fixture.round_id,
            match_id=fixture.match_id,
            game_type=league.rules.game_type,
            game_options=dict(league.rules.game_options) or None,
            timeouts=MatchTimeouts(**league.rules.timeouts) if league.rules.timeouts else None,
            on_bad_move=league.rules.on_bad_move,
            **{
                f"player_{letter}_{'id' if name == 'player_id' else name}": value
                for letter, seat in zip("ab", seats, strict=False)
                for name, value in seat
            },
            players=seats if seats[2:] else None,
            attempt=attempt,
            draw_recorded=recorded,
            scoring=scoring_info(league.rules.scoring),
            seed=self._seed(league, fixture.match_id, attempt),
            standings=tuple(rows),
        )

    def _seat(self, league: League, player_id: str, match_id: str, attempt: int) -> MatchSeat:
        player = league.player(player_id)
        return MatchSeat(
            player_id=player_id,
            endpoint=self._seats.url(player),
            name=player.display_name,
            ticket=self._ticket(league, player_id, match_id, attempt),
            dialect=player.dialect or None,
            token_digest=player.token_digest or None,
            returns=league.returns.get(player_id, 0),
            hosted=player.hosted or None,
            gone_in=self._gone_in(player_id),
        )

    def match_status(self, match_id: str) -> MatchStatus:
        """The message that asks a referee for a match's state."""
        return MatchStatus(**self._stamp(), protocol=PROTOCOL, match_id=match_id)

    def _rows(self, league: League) -> dict[str, StandingRow]:
        """The table by player as of the last result; of the last round when large."""
        state = league.rounds_completed if is_large(league) else league.tally
        known, rows = self._table
        if known is not state:
            rows = {row.player_id: row for row in standing_rows(league.standings())}
            self._table = (state, rows)
        return rows

    def _ticket(self, league: League, player_id: str, match_id: str, attempt: int) -> str:
        peer_token = peer_token_of(self._operator_token, league, league.player(player_id))
        return tokens.match_ticket(peer_token, match_id, attempt)

    def _seed(self, league: League, match_id: str, attempt: int) -> str | None:
        """The seed of an attempt in a seeded league; None leaves it to chance."""
        if league.rules.seed is None:
            return None
        return seed_of_match(league.rules.seed, match_id, attempt)

    def _stamp(self) -> dict[str, Any]:
        return stamp(self._clock, self._ids, SENDER)
