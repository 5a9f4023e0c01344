"""The contract of a tournament format, checked by playing tournaments."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from league_sdk.clock import HashRng
from league_sdk.testing.contract import require
from league_sdk.tournament import (
    ENDLESS,
    ByePoints,
    Entrant,
    Format,
    FormatDoesNotFit,
    PairedRound,
    PairingResult,
    PlayedRound,
    Ranking,
    RoundView,
    Seats,
    Tournament,
)

SIZES = (2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 31)
"""The numbers of players that are tried, where the format takes them."""

_PATIENCE = 20
"""A tournament that takes so many times its expected rounds, with every match decided, does not end."""


def check_format(
    tournament_format: Format, *, sizes: Iterable[int] = SIZES, seed: str = "check_format", leaving: bool = True
) -> None:
    """Play tournaments by chance, and require that the format keeps its contract.

    Checked are: nobody is twice in a round, meets itself, or is paired after leaving; whoever sits out is not paired;
    the same tournament gives the same pairings, so that a league can be taken up again after any round; an announced
    schedule is the one that is played; a bracket has the matches that were played, and its ties end; groups have
    every player once; the tournament ends, unless it has no last round; and the ranking has every player once.
    A player that sits out is in no round whose pairs the format chooses, neither in a match nor with a bye, and in the
    next one once it rejoins; where `paired_by` is `schedule` or `bracket`, and within a series, its match is forfeited.
    It can be asked for late entries before anybody is in. A player that enters late is in the next round, on either
    side of a match or with a bye, and gets no win for a round that it missed; nobody enters a tournament whose
    schedule is announced, or that is over.

    Args:
        tournament_format: The format with its options.
        sizes: Numbers of players to try; those that the format refuses are left out, but it has to take one.
        seed: The source of all chance.
        leaving: Whether to play tournaments again in which players leave, and others in which they sit out.

    Raises:
        ContractBroken: At the first promise that is not kept.
    """
    name = tournament_format.name
    require(bool(name), "a format needs a name")
    require(bool(tournament_format.description.strip()), f"{name}: a format needs a description of one sentence")
    tournament_format.late_entry(Tournament(()))  # a manager asks before anybody is in
    taken = [size for size in sizes if _takes(tournament_format, size)]
    require(bool(taken), f"{name} takes none of the numbers of players that were tried")
    for size in taken:
        for leavers in (0, max(1, size // 4)) if leaving and size > 3 else (0,):
            _Simulation(tournament_format, size, f"{seed}|{size}|{leavers}", leavers).play()
        _Simulation(tournament_format, size, f"{seed}|{size}|late", 0, comers=2).play()
        if leaving and size > 3:
            _Simulation(tournament_format, size, f"{seed}|{size}|sitting out", 0, sitting=True).play()


def _takes(tournament_format: Format, size: int) -> bool:
    try:
        tournament_format.check(size)
    except FormatDoesNotFit as refusal:
        require(bool(str(refusal).strip()), f"{tournament_format.name} refuses {size} players without saying why")
        return False
    return True


@dataclass(slots=True)
class _Simulation:
    """One tournament, played to its end with results by chance."""

    tournament_format: Format
    size: int
    seed: str
    leavers: int
    comers: int = 0
    sitting: bool = False  # whether players sit out, and rejoin

    def play(self) -> Tournament:
        """Check every round on the way."""
        rng = HashRng(self.seed)
        players = [f"P{number:02d}" for number in range(1, self.size + 1)]
        announced = self.tournament_format.schedule(players)
        self._require(
            announced is None or self.tournament_format.settled, "it has a schedule, and says it is not settled"
        )
        entrants = tuple(Entrant(player, place) for place, player in enumerate(players, start=1))
        tournament = Tournament(entrants, seed=self.seed, rank=rank_by_points)
        expected = self.tournament_format.expected_rounds(self.size)
        most = _PATIENCE * max(1, self.size if expected == ENDLESS else expected)
        left, newcomer = 0, ""
        while (paired := self.tournament_format.next_round(tournament)) is not None:
            number = len(tournament.rounds) + 1
            if expected == ENDLESS and number > _PATIENCE:
                return tournament
            self._check_round(tournament, paired)
            there = {*paired.byes, *(player for seats in paired.pairings for player in seats)}
            self._require(not newcomer or newcomer in there, f"{newcomer} entered and is not in round {number}")
            self._check_sitting_out(tournament, paired, there)
            self._check_bracket(tournament)
            self._check_ranking(tournament)
            if announced is not None and not self.leavers:
                self._require(number <= len(announced), f"round {number} was not announced")
                self._require(paired == announced[number - 1], f"round {number} is not the one that was announced")
            out = {each.player_id for each in tournament.entrants if each.sitting_out}
            results = tuple(_not_played(seats, out) or random_result(seats, rng) for seats in paired.pairings)
            tournament = replace(tournament, rounds=(*tournament.rounds, PlayedRound(paired, results)))
            self._require(number <= most, f"it has not ended after {number} rounds")
            if left < self.leavers and rng.randint(0, 1):
                tournament = _without(tournament, rng.randint(0, self.size - 1))
                left += 1
            if self.sitting:
                tournament = _sitting_out(tournament, rng.randint(0, self.size - 1))
            tournament, newcomer = self._with_newcomer(tournament)
        self._require(expected != ENDLESS or len(tournament.active) < 2, "it has no last round, and ended")
        self._check_end(tournament, announced, expected)
        return tournament

    def _check_end(self, tournament: Tournament, announced: Sequence[PairedRound] | None, expected: int) -> None:
        late = None if expected == ENDLESS else self.tournament_format.late_entry(tournament)
        self._require(late is None, "it takes a late entry after its last round")
        if announced is not None and not self.leavers:
            self._require(len(tournament.rounds) == len(announced), "it ended before its schedule")
        self._check_ranking(tournament)
        self._check_bracket(tournament, over=True)

    def _with_newcomer(self, tournament: Tournament) -> tuple[Tournament, str]:
        """The tournament with one more player, where it is taken, and its id."""
        number = len(tournament.entrants) + 1
        worth = self.tournament_format.late_entry(tournament)
        self._require(worth is not ByePoints.WIN, "a player that enters late gets a win for each missed round")
        if worth is None or number > self.size + self.comers:
            return tournament, ""
        announced = self.tournament_format.schedule(tournament.players) is not None
        self._require(not announced, "it takes a late entry, and its schedule is announced")
        newcomer = Entrant(f"P{number:02d}", number, joined_after=len(tournament.rounds))
        return replace(tournament, entrants=(*tournament.entrants, newcomer)), newcomer.player_id

    def _check_round(self, tournament: Tournament, paired: PairedRound) -> None:
        number = len(tournament.rounds) + 1
        active = {entrant.player_id for entrant in tournament.entrants if not entrant.left}
        seated = [player for seats in paired.pairings for player in seats]
        self._require(bool(seated) or number > 1, f"round {number} has no match")
        self._require(all(len(set(seats)) == len(seats) >= 2 for seats in paired.pairings), "a match lacks an opponent")
        self._require(len(seated) == len(set(seated)), f"a player is twice in round {number}: {seated}")
        self._require(active.issuperset(seated), f"round {number} has a player that is not in the tournament any more")
        self._require(active.issuperset(paired.byes), f"round {number} gives a bye to a player that has left")
        self._require(not set(seated) & set(paired.byes), f"a player of round {number} plays and has a bye")
        if paired.game > 1:
            before = tournament.rounds[-1].paired if tournament.rounds else PairedRound(())
            met = {frozenset(seats) for seats in before.pairings}
            self._require(before.game in (0, paired.game - 1), f"round {number} is game {paired.game} of its series")
            self._require(met >= set(map(frozenset, paired.pairings)), f"a series of round {number} has no game before")
        again = self.tournament_format.next_round(replace(tournament, rounds=tuple(tournament.rounds)))
        self._require(again == paired, f"asked again, the format paired round {number} otherwise")

    def _check_sitting_out(self, tournament: Tournament, paired: PairedRound, there: set[str]) -> None:
        number, active = len(tournament.rounds) + 1, {entrant.player_id for entrant in tournament.active}
        if paired.paired_by in ("schedule", "bracket") or paired.game > 1:
            return
        self._require(active >= there, f"round {number} has a player that sits out")
        self._require(there >= active, f"round {number} leaves out a player that does not sit out, and has not left")

    def _check_bracket(self, tournament: Tournament, *, over: bool = False) -> None:
        ties = self.tournament_format.bracket(tournament)
        known = {entrant.player_id for entrant in tournament.entrants}
        self._require(bool(ties) is (self.tournament_format.view is RoundView.BRACKET), "its view is another one")
        for tie in ties:
            players = {player for player in tie.players if player is not None}
            self._require(known >= players, f"a tie has players that are not in the tournament: {tie.players}")
            self._require(tie.winner is None or tie.winner in players, f"a tie is won by somebody else: {tie}")
            self._require(tie.decided or not over, f"a tie is not decided at the end: {tie}")
            played = (tournament.rounds[index].paired.pairings for index in tie.rounds)
            found = all(any(players == set(seats) for seats in pairings) for pairings in played)
            self._require(found, f"a tie names a round without its match: {tie}")
        members = [player for pool in self.tournament_format.pools(tournament.players) for player in pool]
        self._require(sorted(members) == sorted(known), "its groups have not every player once")

    def _check_ranking(self, tournament: Tournament) -> None:
        ranking = self.tournament_format.ranking(tournament)
        if ranking is not None:
            ranked = sorted(player for group in ranking for player in group)
            everybody = sorted(entrant.player_id for entrant in tournament.entrants)
            self._require(ranked == everybody, f"the ranking has not every player once: {ranking}")

    def _require(self, kept: bool, broken: str) -> None:
        name, leaving = self.tournament_format.name, f", {self.leavers} leaving" if self.leavers else ""
        require(kept, f"{name} with {self.size} players{leaving} (seed {self.seed!r}): {broken}")


def random_result(seats: Seats, rng: HashRng) -> PairingResult:
    """A result by chance: mostly won, sometimes drawn, seldom void or forfeited."""
    chance = rng.randint(0, 19)
    if chance == 0:
        return PairingResult(seats)
    if chance < 5:
        return PairingResult(seats, dict.fromkeys(seats, 1))
    winner = seats[rng.randint(0, len(seats) - 1)]
    points = {player: 3 if player == winner else 0 for player in seats}
    forfeits = frozenset(seats) - {winner} if chance == 5 else frozenset[str]()
    return PairingResult(seats, points, winner, forfeits)


def rank_by_points(players: Sequence[str], rounds: Sequence[PlayedRound]) -> Ranking:
    """Some players by the points of the matches among them."""
    points = dict.fromkeys(players, 0)
    for played in rounds:
        for result in played.results:
            if points.keys() >= set(result.seats):
                for player, gained in result.points.items():
                    points[player] += gained
    return tuple(
        tuple(player for player in players if points[player] == worth)
        for worth in sorted({*points.values()}, reverse=True)
    )


def _without(tournament: Tournament, place: int) -> Tournament:
    if len(tournament.active) < 3:
        return tournament
    entrants = list(tournament.entrants)
    if not entrants[place].left:
        entrants[place] = replace(entrants[place], left_after=len(tournament.rounds))
    return replace(tournament, entrants=tuple(entrants))


def _sitting_out(tournament: Tournament, place: int) -> Tournament:
    """The tournament after one more player sits out, or rejoins."""
    entrants = list(tournament.entrants)
    one = entrants[place]
    if not one.left and (one.sitting_out or len(tournament.active) > 2):
        entrants[place] = replace(one, sitting_out=not one.sitting_out)
    return replace(tournament, entrants=tuple(entrants))


def _not_played(seats: Seats, out: set[str]) -> PairingResult | None:
    """The forfeit of a match of which somebody sits out; None for others."""
    forfeits = out.intersection(seats)
    if not forfeits:
        return None
    others = [player for player in seats if player not in forfeits]
    points = {player: 3 * (player in others) for player in seats}
    winner = others[0] if len(others) == 1 else None
    return PairingResult(seats, points, winner, forfeits=frozenset(forfeits), not_played=True)
