"""Compares the rounds and rankings of a ladder with who beat whom."""

from collections.abc import Collection, Iterator, Sequence

from league_sdk.audit.findings import listed


class LadderPlaces:
    """Places of a ladder as it proceeds, from `players` by seed."""

    def __init__(self, players: Sequence[str]) -> None:
        self._places = list(players)
        self._came: set[str] = set()

    @property
    def players(self) -> set[str]:
        """All players so far, those that left too."""
        return {*self._places}

    def faults(self, number: int, pairings: Sequence[Sequence[str]], byes: Sequence[str]) -> Iterator[str]:
        """Contradictions between round `number` and the places before it."""
        seated = {*byes, *(player for seats in pairings for player in seats)}
        line = [player for player in self._places if player in seated]
        above = dict(zip(line[1:], line, strict=False))
        apart = [seats for seats in pairings if above.get(seats[0]) != seats[1] and above.get(seats[1]) != seats[0]]
        if apart:
            yield f"{listed([' - '.join(seats) for seats in apart])} meet, and are no neighbours"
            return
        # Two play every round; of more, the first place sits out every second one.
        top = line[:1] if len(line) > 2 and number % 2 == 0 else []
        bottom = line[-1:] if (len(line) - len(top)) % 2 else []
        if {*byes} != {*top, *bottom}:
            yield f"{listed(sorted(byes)) or 'nobody'} sits out; it has to be {listed([*top, *bottom]) or 'nobody'}"
        swapped = (number - 1) // 2 % 2 == 1
        wrong = [seats for seats in pairings if (above.get(seats[0]) == seats[1]) is not swapped]
        if wrong:
            yield f"{listed([' - '.join(seats) for seats in wrong])} have each other's seats"

    def play(self, results: Sequence[tuple[Sequence[str], str | None]], newcomers: Sequence[str]) -> None:
        """Take the results of a complete round, and who entered by its end."""
        at = {player: place for place, player in enumerate(self._places)}
        for players, winner in results:
            if winner is not None:
                other = players[0] if players[1] == winner else players[1]
                first, second = sorted((at[winner], at[other]))
                self._places[first], self._places[second] = winner, other
        self._places += newcomers

    def rest(self, came: Collection[str], seated: Collection[str], gone: Collection[str]) -> None:
        """Put those who sat out a round to the bottom, unless they ever came.

        `came` are those who did not forfeit their match, `seated` those of the round, `gone` those who had left.
        """
        self._came |= {*came}
        idle = {*self._places} - self._came - {*seated} - {*gone}
        self._places.sort(key=lambda player: player in idle)

    def so_far(self, ranking: Sequence[Sequence[str]], unknown: Collection[str]) -> Iterator[str]:
        """Contradictions between a recorded ranking and the places.

        Players in `unknown` entered while it was made, and may be missing.
        """
        told = [list(group) for group in ranking]
        known = {player for group in told for player in group}
        expected = [[player] for player in self._places if player in known or player not in unknown]
        if told != expected:
            yield "its ranking is not that of the places"
