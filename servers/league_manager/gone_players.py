"""Players that were gone at their last match, and have not called since."""

from collections.abc import Collection, Mapping, Sequence
from typing import Self

from league_sdk.domain.events import MatchRecorded, PlayerRejoined, Record
from league_sdk.domain.matches.causes import GONE
from servers.league_manager.ledger import Ledger


class GonePlayers:
    """Follows results and calls, so that nobody waits long for the same player twice.

    It is kept in memory: after a restart a player that is gone costs a little more once, and none is wronged that
    called meanwhile.
    """

    def __init__(self) -> None:
        self._matches: dict[str, str] = {}

    def follow(self, ledger: Ledger) -> Self:
        """Take every record from now on."""
        ledger.subscribe(self.take)
        return self

    def last_match(self, player_id: str) -> str | None:
        """The match at which it was gone; None for a player that may be there."""
        return self._matches.get(player_id)

    @property
    def ids(self) -> Collection[str]:
        """Ids of all of them; no message to one is waited for."""
        return self._matches.keys()

    def heard(self, player_id: str) -> None:
        """Note an authenticated call."""
        self._matches.pop(player_id, None)

    def take(self, league: object, records: Sequence[Record]) -> None:
        """Take new records of the league."""
        del league
        for record in records:
            if isinstance(record.event, PlayerRejoined):
                self.heard(record.event.player_id)
            elif isinstance(record.event, MatchRecorded) and record.event.result.referee_id:
                result = record.event.result
                gone = {fault.player_id for fault in result.faults if fault.cause in GONE}
                self._note(result.match_id, {player: player in gone for player in result.players})

    def _note(self, match_id: str, gone: Mapping[str, bool]) -> None:
        for player, is_gone in gone.items():
            if is_gone:
                self._matches[player] = match_id
            else:
                self._matches.pop(player, None)
