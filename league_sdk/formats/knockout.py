"""Knockout: who loses is out. Series, a third place, a second chance are options.

The bracket is a list of ties, each between two sources: a place of the seeding, or the winner or loser of an earlier
tie. From the rounds played so far it is filled in from the beginning, always in the same way, so nothing is kept.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import ClassVar

from league_sdk.domain.pairings.bracket_ties import (
    THIRD_PLACE,
    KnockoutTie,
    PlaceOrigin,
    TieSource,
    double_bracket,
    single_bracket,
)
from league_sdk.fairness import lot
from league_sdk.tournament import (
    BracketTie,
    Format,
    FormatDoesNotFit,
    PairedRound,
    PairingResult,
    Ranking,
    RoundView,
    Seats,
    TieDecision,
    Tournament,
)


@dataclass(slots=True)
class _Progress:
    """A tie while the bracket is filled in."""

    players: tuple[str | None, str | None] = (None, None)
    known: bool = False
    legs: list[PairingResult] = field(default_factory=list[PairingResult])
    rounds: list[int] = field(default_factory=list[int])
    decided: bool = False
    winner: str | None = None
    loser: str | None = None
    by: TieDecision = TieDecision.OPEN

    @property
    def upheld(self) -> bool:
        """True when the first of its players has won it."""
        return self.decided and self.winner == self.players[0]

    def decide(self, winner: str | None, by: TieDecision) -> None:
        """Settle who advances; None when neither place was taken."""
        self.decided, self.winner, self.by = True, winner, by
        self.loser = next((player for player in self.players if player != winner), None)


@dataclass(frozen=True, slots=True)
class Knockout(Format):
    """A bracket by the seeding: the best meet last, and byes go to them.

    A tie is won by more than half of its matches; a win counts 1, a draw ½. When it is level after `best_of` matches,
    `extra_matches` more are played, until one is not drawn. After that lots are drawn: from the league's seed or,
    without one, from the draws that its matches have revealed; where none was revealed, the higher seed advances.

    Attributes:
        best_of: Matches of a tie, with the seats swapped each time.
        third_place: Whether the losers of the semi-finals meet.
        double: Whether a player is out only after a second lost tie.
        extra_matches: The most matches that are added to a level tie.
    """

    name: ClassVar[str] = "knockout"
    description: ClassVar[str] = "Who loses is out: a bracket from the seeding to the final."

    view: ClassVar[RoundView] = RoundView.BRACKET

    best_of: int = 1
    third_place: bool = False
    double: bool = False
    extra_matches: int = 4

    def __post_init__(self) -> None:
        if self.best_of < 1:
            raise FormatDoesNotFit(f"best_of is {self.best_of}; a tie has 1 match or more")
        if self.extra_matches < 0:
            raise FormatDoesNotFit(f"extra_matches is {self.extra_matches}; it is 0 or more")
        if self.double and self.third_place:
            raise FormatDoesNotFit(
                "a double knockout has no match for third place: its last round but one decides that"
            )

    def check(self, players: int) -> None:
        """Refuse too few players, for a third place and a second chance too."""
        if self.third_place and players < 4:
            raise FormatDoesNotFit(f"a match for third place needs at least 4 players, got {players}")
        if self.double and players < 3:
            raise FormatDoesNotFit(f"a double knockout needs at least 3 players, got {players}")
        if players < 2:
            raise FormatDoesNotFit(f"a knockout needs at least 2 players, got {players}")

    def expected_rounds(self, players: int) -> int:
        """The stages of the bracket, times the matches of a tie."""
        return len({tie.stage for tie in self._bracket(players) if not tie.rematch}) * self.best_of

    def next_round(self, tournament: Tournament) -> PairedRound | None:
        """The next match of every open tie of the first stage that has one."""
        bracket = self._bracket(len(tournament.entrants))
        courses = self._filled(bracket, tournament)
        ready = self._ready(bracket, courses)
        if not ready:
            return None
        pairings = tuple(_seats(courses[index]) for index in ready)
        legs = max(len(courses[index].legs) for index in ready)
        titles = dict.fromkeys(bracket[index].title for index in ready)
        game = legs + 1 if legs or self.best_of > 1 else 0
        title = " and ".join(titles) + (f", match {game}" if game else "")
        busy = {player for seats in pairings for player in seats}
        waiting = {
            player
            for tie, course in zip(bracket, courses, strict=True)
            if not course.decided
            for player in self._known(tie, courses, tournament)
            if player is not None and player not in busy
        }
        byes = tuple(
            entrant.player_id for entrant in tournament.entrants if entrant.player_id in waiting and not entrant.left
        )
        return PairedRound(pairings, byes, title=title, game=game, paired_by="bracket")

    def ranking(self, tournament: Tournament) -> Ranking | None:
        """The champion, the other finalist, and so on; losers of a stage are equal.

        While it continues, those who are still in come first: by the ties that they have lost, then by the stage that
        they have reached.
        """
        bracket = self._bracket(len(tournament.entrants))
        courses = self._filled(bracket, tournament)
        groups = self._still_in(bracket, courses, tournament)
        placed = {player for group in groups for player in group}

        def place(*players: str | None) -> None:
            group = tuple(player for player in players if player is not None and player not in placed)
            placed.update(group)
            if group:
                groups.append(group)

        last = max(tie.stage for tie in bracket)
        for stage in range(last, -1, -1):
            ties = [index for index, tie in enumerate(bracket) if tie.stage == stage]
            if stage == last or (self.third_place and stage == last):
                for index in ties:  # the final, then the match for third place
                    place(courses[index].winner)
                    place(courses[index].loser)
            else:
                place(*(courses[index].loser for index in ties))
        place(*(entrant.player_id for entrant in tournament.entrants))
        return tuple(groups)

    def _still_in(
        self, bracket: Sequence[KnockoutTie], courses: Sequence[_Progress], tournament: Tournament
    ) -> list[tuple[str, ...]]:
        """The players of open ties, but of that for third place."""
        stage = {
            player: tie.stage
            for tie, course in zip(bracket, courses, strict=True)
            if not course.decided and tie.lane != THIRD_PLACE
            for player in self._places(tie, courses, tournament)
            if player is not None
        }
        lost = Counter(course.loser for course in courses)
        order = sorted({(lost[player], -reached) for player, reached in stage.items()})
        return [
            tuple(player for player in tournament.players if player in stage and (lost[player], -stage[player]) == key)
            for key in order
        ]

    def bracket(self, tournament: Tournament) -> tuple[BracketTie, ...]:
        """Every tie, but a second final that is not needed."""
        bracket = self._bracket(len(tournament.entrants))
        courses = self._filled(bracket, tournament)
        return tuple(
            BracketTie(
                tie.title,
                tie.stage,
                course.players if course.known else self._places(tie, courses, tournament),
                tie.lane,
                course.known,
                tuple(course.rounds),
                course.decided,
                course.winner,
                course.by,
            )
            for tie, course in zip(bracket, courses, strict=True)
            if not (tie.rematch and courses[tie.sources[0].index].upheld)
        )

    def _bracket(self, players: int) -> tuple[KnockoutTie, ...]:
        return double_bracket(players) if self.double else single_bracket(players, self.third_place)

    def _filled(self, bracket: Sequence[KnockoutTie], tournament: Tournament) -> list[_Progress]:
        """Every tie's course after the rounds so far."""
        courses = [_Progress() for _ in bracket]
        for complete in range(len(tournament.rounds) + 1):
            self._advance(bracket, courses, tournament, complete)
            if complete < len(tournament.rounds):
                results = {frozenset(result.seats): result for result in tournament.rounds[complete].results}
                for index in self._ready(bracket, courses):
                    course = courses[index]
                    result = results.get(frozenset(_seats(course)))
                    course.legs.append(result or PairingResult(_seats(course)))
                    course.rounds.append(complete)
        return courses

    def _advance(
        self, bracket: Sequence[KnockoutTie], courses: Sequence[_Progress], tournament: Tournament, complete: int
    ) -> None:
        """Decide every tie that can be decided when `complete` rounds are over."""
        gone = {
            entrant.player_id
            for entrant in tournament.entrants
            if entrant.left_after is not None and entrant.left_after <= complete
        }
        for index, (tie, course) in enumerate(zip(bracket, courses, strict=True)):
            if course.decided:
                continue
            if not course.known:
                known = self._known(tie, courses, tournament)
                if len(known) < 2:
                    continue
                course.players, course.known = (known[0], known[1]), True
            first, second = course.players
            if tie.rematch and courses[tie.sources[0].index].upheld:
                course.decide(first, TieDecision.MATCHES)
            elif first is None or second is None:
                course.decide(first or second, TieDecision.WALKOVER)
            elif (leader := self._leader(course, gone)) is not None:
                course.decide(*leader)
            elif len(course.legs) >= self.best_of + self.extra_matches or {first, second} <= gone:
                course.decide(*_by_lots(course, index, tournament))

    def _leader(self, course: _Progress, gone: set[str]) -> tuple[str, TieDecision] | None:
        """The winner of a tie by its matches or by walkover, if it has one."""
        first, second = (player for player in course.players if player is not None)
        score = {first: 0, second: 0}
        for leg in course.legs:
            for player in score:
                if not leg.void:
                    score[player] += 2 if leg.winner == player else 1 if leg.winner is None else 0
        ahead = max(score, key=lambda player: score[player])
        level = score[first] == score[second]
        if not level and (score[ahead] > self.best_of or len(course.legs) >= self.best_of):
            return ahead, TieDecision.MATCHES
        if len({first, second} & gone) == 1:
            return (second if first in gone else first), TieDecision.WALKOVER
        return None

    @staticmethod
    def _ready(bracket: Sequence[KnockoutTie], courses: Sequence[_Progress]) -> list[int]:
        """The open ties of the first stage that has one."""
        open_ties = [index for index, course in enumerate(courses) if not course.decided]
        stage = min((bracket[index].stage for index in open_ties), default=0)
        return [index for index in open_ties if bracket[index].stage == stage]

    @staticmethod
    def _known(tie: KnockoutTie, courses: Sequence[_Progress], tournament: Tournament) -> list[str | None]:
        """The players of a tie that are settled; None stands for an empty place."""
        places = Knockout._places(tie, courses, tournament)
        return [
            player
            for player, source in zip(places, tie.sources, strict=True)
            if source.origin is PlaceOrigin.SEED or courses[source.index].decided
        ]

    @staticmethod
    def _places(
        tie: KnockoutTie, courses: Sequence[_Progress], tournament: Tournament
    ) -> tuple[str | None, str | None]:
        """The players of a tie; None for a place that is empty or open."""

        def player(source: TieSource) -> str | None:
            if source.origin is PlaceOrigin.SEED:
                taken = source.index < len(tournament.entrants)
                return tournament.entrants[source.index].player_id if taken else None
            return courses[source.index].winner if source.origin is PlaceOrigin.WINNER else courses[source.index].loser

        return player(tie.sources[0]), player(tie.sources[1])


def _by_lots(course: _Progress, index: int, tournament: Tournament) -> tuple[str, TieDecision]:
    """The winner of a level tie: who has the lower lot, or else the higher seed."""
    players = [player for player in course.players if player is not None]
    if not tournament.lots_from_draws:
        seed = f"{tournament.seed}|{index}"
        lots = {player: sha256(f"{seed}|lots|{player}".encode()).hexdigest() for player in players}
    elif draws := [leg.draw for leg in course.legs if leg.draw]:
        lots = {player: lot(player, draws) for player in players}
    else:
        return min(players, key=tournament.players.index), TieDecision.SEED
    return min(players, key=lots.__getitem__), TieDecision.LOTS


def _seats(course: _Progress) -> Seats:
    """The seats of a tie's next match: swapped each time."""
    first, second = (player for player in course.players if player is not None)
    return (second, first) if len(course.legs) % 2 else (first, second)
