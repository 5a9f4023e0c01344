"""Ladder: neighbours meet, and who beats the one above takes its place."""

from dataclasses import dataclass
from typing import ClassVar

from league_sdk.tournament import ENDLESS, ByePoints, Format, FormatDoesNotFit, PairedRound, Ranking, Tournament

_MOST_ROUNDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Ladder(Format):
    """A long-running league that players join and leave, ranked by their places.

    It starts in the order of the seeding; a player that enters later starts at the bottom. A player that sits out keeps
    its place, unless it has never played without forfeiting: then it goes to the bottom.

    Attributes:
        rounds: The number of rounds; 0 stands for as many as players at the start.
        endless: Rounds continue until the operator closes the league.
    """

    name: ClassVar[str] = "ladder"
    description: ClassVar[str] = "Neighbours meet, and the winner has the upper place; players may join at the bottom."
    tells_bad_moves: ClassVar[bool] = True

    rounds: int = 0
    endless: bool = False

    def __post_init__(self) -> None:
        if self.endless and self.rounds:
            raise FormatDoesNotFit(f"rounds is {self.rounds}, and an endless ladder has no number of them")
        if not 0 <= self.rounds <= _MOST_ROUNDS:
            raise FormatDoesNotFit(
                f"rounds is {self.rounds}; a ladder has 1 to {_MOST_ROUNDS:,}, or 0 for as many as players"
            )

    def check(self, players: int) -> None:
        """Refuse fewer than 2 players."""
        if players < 2:
            raise FormatDoesNotFit(f"a ladder needs at least 2 players, got {players}")

    def expected_rounds(self, players: int) -> int:
        """As set; else as many as players."""
        return ENDLESS if self.endless else self.rounds or players

    def next_round(self, tournament: Tournament) -> PairedRound | None:
        """Pair neighbours, from the first place and from the second in turn."""
        number = len(tournament.rounds)
        playing = {entrant.player_id for entrant in tournament.active}
        line = [player for player in places(tournament) if player in playing]
        if number >= self.expected_rounds(tournament.starters) or len(line) < 2:
            return None
        first = number % 2 if len(line) > 2 else 0
        pairs = [(line[place], line[place + 1]) for place in range(first, len(line) - 1, 2)]
        # Each pair of places swaps its seats every time that it is played again.
        pairs = [(lower, upper) for upper, lower in pairs] if number // 2 % 2 else pairs
        busy = {player for pair in pairs for player in pair}
        return PairedRound(tuple(pairs), tuple(player for player in line if player not in busy), paired_by="ladder")

    def late_entry(self, tournament: Tournament) -> ByePoints | None:
        """Players enter at the bottom, until the last round is paired."""
        return None if len(tournament.rounds) >= self.expected_rounds(tournament.starters) else ByePoints.NONE

    def ranking(self, tournament: Tournament) -> Ranking:
        """The places."""
        return tuple((player,) for player in places(tournament))


def places(tournament: Tournament) -> list[str]:
    """The players from the first place to the last.

    A player that sat out a round is neither in its pairings nor in its byes. Unless it has played without forfeiting by
    then, that costs it its place: others need not climb over players that never came.
    """
    known, ranking = tournament.ranked
    came = {each.player_id for each in tournament.entrants if each.has_played} if known else set[str]()
    left = {each.player_id: each.left_after for each in tournament.entrants if each.left_after is not None}
    line = [player for group in ranking for player in group]
    there = {*line}
    line += [
        each.player_id for each in tournament.entrants if each.joined_after <= known and each.player_id not in there
    ]
    for number, played in enumerate(tournament.rounds[known:], start=known + 1):
        place = {player: each for each, player in enumerate(line)}
        for result in played.results:
            upper, lower = sorted(result.seats, key=place.__getitem__)
            if not (result.void or result.not_played):
                came |= {*result.seats} - result.forfeits
            if result.winner == lower:
                line[place[upper]], line[place[lower]] = lower, upper
        idle = {*line} - came - _there(played.paired) - {player for player, after in left.items() if after < number}
        line = [player for player in line if player not in idle] + [player for player in line if player in idle]
        line += [entrant.player_id for entrant in tournament.entrants if entrant.joined_after == number]
    return line


def _there(paired: PairedRound) -> set[str]:
    """The players of a round: paired, or with a bye."""
    return {*paired.byes, *(player for seats in paired.pairings for player in seats)}
