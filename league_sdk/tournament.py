"""The port that the author of a tournament format meets; no I/O, no clock.

A format is asked round by round: from the entrants, the rounds so far and a seed it makes the next round's pairings, or
says that the tournament is over. It keeps nothing in between, so a league can be taken up again after any round. A new
format is one file in `league_sdk/formats`, or an entry point of another distribution.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, NamedTuple, TypeAlias

Seats: TypeAlias = tuple[str, ...]
"""The ids of the players of a match in seat order, the first seat first."""

Ranking: TypeAlias = tuple[tuple[str, ...], ...]
"""Player ids from the best to the last; those who share a rank are in one group."""


ENDLESS = 999_999_999
"""The expected rounds of a format without a last one: the league continues until its operator closes it."""


class FormatDoesNotFit(ValueError):
    """The format does not take these players or options; the message says what fits."""


class ByePoints(StrEnum):
    """The league points that a player gets for a round that it sits out."""

    NONE = "none"
    DRAW = "draw"
    WIN = "win"


class RoundView(StrEnum):
    """The picture that shows the rounds of a format best."""

    BRACKET = "bracket"
    ROUNDS = "rounds"
    CROSS_TABLE = "cross_table"


class TieDecision(StrEnum):
    """The reason for which a player of a tie advances."""

    OPEN = ""
    MATCHES = "matches"
    WALKOVER = "walkover"
    LOTS = "lots"
    SEED = "seed"
    """The higher seed of a level tie, of whose matches no draw was revealed."""


@dataclass(frozen=True, slots=True)
class Advanced:
    """A player that advances from a level tie by a rule, as records keep it.

    Attributes:
        player_id: The player.
        over: Its opponent.
        by: `lots`, or `seed` for the higher seed.
        title: The name of the tie's column, such as `Semi-finals`.
    """

    player_id: str
    over: str
    by: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class BracketTie:
    """Two places of a bracket, of which one advances.

    Attributes:
        title: The name of its column, such as `Semi-finals`.
        column: Ties of a column are played at the same time; from 0.
        players: The ids of its players; None for a place that is not settled, or stays empty.
        lane: The part of the bracket that it is drawn in, such as `Lower bracket`; empty for the main one.
        settled: Whether both places are settled, so that None is a bye.
        rounds: Indices of the tournament's rounds that had its matches.
        decided: Whether it is settled who advances.
        winner: The id of the player who advances; None while that is open, and for an empty place.
        by: The reason for it.
    """

    title: str
    column: int
    players: tuple[str | None, str | None] = (None, None)
    lane: str = ""
    settled: bool = False
    rounds: tuple[int, ...] = ()
    decided: bool = False
    winner: str | None = None
    by: TieDecision = TieDecision.OPEN


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player, as a format sees it.

    Attributes:
        player_id: Its id in the league.
        seed: Its place in the seeding, from 1.
        left_after: The number of rounds that had been paired when it left the tournament; None while it plays.
        joined_after: The number of rounds that it missed because it entered late; 0 from the start.
        sitting_out: True while it sits out: a format that chooses the pairs of a round leaves it out.
        has_played: True if it has played a match or more without forfeiting it.
    """

    player_id: str
    seed: int
    left_after: int | None = None
    joined_after: int = 0
    sitting_out: bool = False
    has_played: bool = True

    @property
    def left(self) -> bool:
        """True once it has left the tournament."""
        return self.left_after is not None

    @property
    def active(self) -> bool:
        """True while it can be paired: it has not left, and does not sit out."""
        return not self.left and not self.sitting_out


@dataclass(frozen=True, slots=True)
class PairedRound:
    """The matches of one round.

    Attributes:
        pairings: The seats of every match; each player is in one of them at most.
        byes: Players who sit the round out.
        bye_points: The league points that they get for it.
        title: The round's name where it has one, such as `Semi-finals`.
        stage: Its place among the stages of a tournament of several, from 0.
        game: The number of its matches in their series, from 1, where a pairing is a series of matches with the seats
            swapped; 0 for single matches. From 2 on, the same players met in the round before.
        paired_by: The base of its pairings: `schedule` (settled beforehand), `points`, `bracket`, or a word of the
            format's own.
        late_byes: Players who entered after this round, and get the points of a draw for it.
    """

    pairings: tuple[Seats, ...]
    byes: tuple[str, ...] = ()
    bye_points: ByePoints = ByePoints.NONE
    title: str = ""
    stage: int = 0
    game: int = 0
    paired_by: str = "schedule"
    late_byes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PairingResult:
    """A match that was paired, and its outcome.

    Attributes:
        seats: Its players in seat order.
        points: League points by player id; empty when the match is void.
        winner: The winner's id; None for a draw and for a void match.
        forfeits: Players who were given a technical loss.
        scores: The game's own score by player id, where it is known and the match was played to its end.
        draw: The seed of its verifiable draw; empty where it was not revealed.
        not_played: True for a forfeit of a player that sat out: nobody was asked to play, and no tie-break counts it.
    """

    seats: Seats
    points: Mapping[str, int] = field(default_factory=dict[str, int])
    winner: str | None = None
    forfeits: frozenset[str] = frozenset()
    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    draw: str = ""
    not_played: bool = False

    @property
    def void(self) -> bool:
        """True when the match does not count."""
        return not self.points


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A complete round."""

    paired: PairedRound
    results: tuple[PairingResult, ...]


class SeriesPoints(NamedTuple):
    """League points for a series of matches."""

    win: int = 3
    draw: int = 1
    loss: int = 0


@dataclass(frozen=True, slots=True)
class Tournament:
    """The state of a tournament between two rounds.

    Attributes:
        entrants: Every player, in the order of the seeding.
        rounds: The complete rounds in order.
        seed: The source of all chance; the same seed gives the same pairings.
        win: League points for a win.
        draw: League points for a draw.
        rank: Ranks some of the players by the matches among them in these rounds, with the league's own tie-breaks.
        by_series: Points for a series, where they count before those of its matches; None for points by match.
        ranked: The number of the first rounds whose ranking by the format is known, and that ranking; 0 where none is.
            A format need not work it out again.
        lots_from_draws: Whether lots come from the draws that matches have revealed, since anyone knows `seed`
            beforehand.
    """

    entrants: tuple[Entrant, ...]
    rounds: Sequence[PlayedRound] = ()
    seed: str = ""
    win: int = 3
    draw: int = 1
    rank: Callable[[Sequence[str], Sequence[PlayedRound]], Ranking] | None = None
    by_series: SeriesPoints | None = None
    ranked: tuple[int, Ranking] = (0, ())
    lots_from_draws: bool = False

    @property
    def active(self) -> tuple[Entrant, ...]:
        """The entrants that can be paired now, in the order of the seeding."""
        return tuple(entrant for entrant in self.entrants if entrant.active)

    @property
    def players(self) -> tuple[str, ...]:
        """The ids of all entrants, in the order of the seeding."""
        return tuple(entrant.player_id for entrant in self.entrants)

    @property
    def starters(self) -> int:
        """The number of entrants that were there from the start."""
        return sum(not entrant.joined_after for entrant in self.entrants)

    @property
    def left(self) -> frozenset[str]:
        """The ids of the players that have left."""
        return frozenset(entrant.player_id for entrant in self.entrants if entrant.left)

    def points(self) -> dict[str, int]:
        """League points of every entrant, those for byes included."""
        worth = {ByePoints.NONE: 0, ByePoints.DRAW: self.draw, ByePoints.WIN: self.win}
        total = {entrant.player_id: 0 for entrant in self.entrants}
        for played in self.rounds:
            for result in played.results:
                for player_id, points in result.points.items():
                    total[player_id] += points
            for player_id in played.paired.byes:
                total[player_id] += worth[played.paired.bye_points]
            for player_id in played.paired.late_byes:
                total[player_id] += self.draw
        return total


class Format(ABC):
    """A tournament format: a frozen dataclass whose fields are its options.

    Attributes:
        name: The name that a league's config uses, such as `round_robin`.
        description: One sentence for `--help` and the docs.
        final_stage: The name of the format that usually follows; empty where the format finds a champion by itself.
        view: The picture that shows its rounds best.
        settled: True if all rounds can be known before the first (`schedule`).
        tie_breaks: Ranking criteria for leagues that name none, the strongest first; empty for those of the protocol.
        tells_bad_moves: Players are asked to send an illegal move as it is, where the league does not say: on a long
            ladder a random move in its place would hide for weeks that an agent is broken.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    final_stage: ClassVar[str] = ""
    view: ClassVar[RoundView] = RoundView.ROUNDS
    tie_breaks: ClassVar[tuple[str, ...]] = ()
    settled: ClassVar[bool] = False
    tells_bad_moves: ClassVar[bool] = False

    @property
    def table_sizes(self) -> range:
        """The numbers of players that its matches can have; two by default."""
        return range(2, 3)

    @abstractmethod
    def check(self, players: int) -> None:
        """Refuse a number of players that the format cannot take.

        Raises:
            FormatDoesNotFit: With the numbers that fit.
        """

    @abstractmethod
    def expected_rounds(self, players: int) -> int:
        """The number of rounds without replays of drawn matches, or `ENDLESS`."""

    @abstractmethod
    def next_round(self, tournament: Tournament) -> PairedRound | None:
        """The pairings of the next round; None when the tournament is over.

        Nobody that has left is paired. A format that chooses its pairs, so that `paired_by` is neither `schedule` nor
        `bracket`, pairs active entrants only; others pair those that sit out too, and their matches are forfeits. The
        same tournament gives the same pairings.
        """

    def late_entry(self, tournament: Tournament) -> ByePoints | None:
        """The points for each missed round of a player that enters now; None to refuse.

        The rounds of the tournament are those that are paired, the last of them perhaps without all results.
        """
        del tournament

    def advancing(self, players: int) -> int:
        """The number of players that usually advance to the final stage."""
        return players

    def ranking(self, tournament: Tournament) -> Ranking | None:
        """The ranking so far; None when points and tie-breaks decide."""
        del tournament

    def bracket(self, tournament: Tournament) -> tuple[BracketTie, ...]:
        """All ties by column, from top to bottom; empty for a format without a bracket."""
        del tournament
        return ()

    def advanced(self, tournament: Tournament) -> tuple[Advanced, ...]:
        """The ties so far that neither matches nor a walkover decided."""
        told: list[Advanced] = []
        for tie in self.bracket(tournament):
            if tie.by in (TieDecision.LOTS, TieDecision.SEED):
                winner, other = sorted(filter(None, tie.players), key=lambda player: player != tie.winner)
                told.append(Advanced(winner, other, str(tie.by), tie.title))
        return tuple(told)

    def pools(self, players: Sequence[str]) -> Sequence[Sequence[str]]:
        """The players by group, where only those of a group meet; one group by default."""
        return (players,)

    def schedule(self, players: Sequence[str]) -> tuple[PairedRound, ...] | None:
        """All rounds, where no pairing depends on a result; None otherwise."""
        del players


def paired_round(
    players: Sequence[str], pairings: Iterable[Seats], *, left: Collection[str] = (), title: str = ""
) -> PairedRound:
    """A round without the players that have left; others without a match sit out."""
    playing = tuple(seats for seats in pairings if not any(player in left for player in seats))
    busy = {*left, *(player for seats in playing for player in seats)}
    return PairedRound(playing, tuple(player for player in players if player not in busy), title=title)


def next_of_table(
    tournament: Tournament, total: int, fewest: int, make: Callable[[int, Collection[str]], PairedRound]
) -> PairedRound | None:
    """The next round of a table that is settled beforehand; None after the last.

    Rounds in which nobody has an opponent any more are passed over.

    Args:
        tournament: The tournament so far.
        total: Rounds of the table.
        fewest: Matches of its smallest round while everybody plays: so many have to leave before a round can be empty.
        make: Makes a round of the table, from 0, without the players that have left.
    """
    played, earlier = 0, len(tournament.rounds)
    if len(tournament.left) < fewest:
        return make(earlier, tournament.left) if earlier < total else None
    for number in range(total):
        gone = {
            each.player_id for each in tournament.entrants if each.left_after is not None and each.left_after <= played
        }
        paired = make(number, gone)
        if paired.pairings and played == earlier:
            return paired
        played += bool(paired.pairings)
    return None
