"""Compares Swiss pairings: ours, py4swiss and caissify-pairings, over simulated tournaments.

`python -m tests.benchmarks.swiss_pairings` prints the tables of docs/how_to/choose_a_format.md. It takes hours;
`--tournaments 50 --oracles 5 --large 1` some minutes.
"""

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from caissify_pairings import generate_pairings

from league_sdk.formats.swiss import Swiss
from league_sdk.tournament import ByePoints, Entrant, PairedRound, PairingResult, PlayedRound, Tournament

WIN, DRAW = 2, 1
"""Chess's points, doubled: all three pair by the same score groups."""


class Caissify:
    """FIDE's Dutch system by the library caissify-pairings, in the shape of a format."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds

    def next_round(self, tournament: Tournament) -> PairedRound | None:
        if len(tournament.rounds) >= self.rounds:
            return None
        seeds = {entrant.player_id: entrant.seed for entrant in tournament.entrants}
        made = generate_pairings(
            system="dutch",
            players=[self._player(tournament, player, seed) for player, seed in seeds.items()],
            previous_pairings={
                (min(pair), max(pair))
                for each in tournament.rounds
                for pair in ([seeds[player] for player in seats] for seats in each.paired.pairings)
            },
            round_number=len(tournament.rounds) + 1,
            total_rounds=self.rounds,
            initial_color=first_seat(tournament),
        )
        players = tournament.players
        games = [pair for pair in made if not pair.get("bye")]
        return PairedRound(
            tuple((players[pair["white_id"] - 1], players[pair["black_id"] - 1]) for pair in games),
            tuple(players[pair["white_id"] - 1] for pair in made if pair.get("bye")),
            bye_points=ByePoints.WIN,
        )

    def _player(self, tournament: Tournament, player: str, seed: int) -> dict[str, object]:
        colors, floats, byes = [], [], 0
        for complete, each in enumerate(tournament.rounds):
            seats = next((seats for seats in each.paired.pairings if player in seats), None)
            if seats is None:
                floats.append("down")
                byes += 1
                continue
            colors.append("white" if seats[0] == player else "black")
            before = replace(tournament, rounds=tournament.rounds[:complete]).points()
            mine, theirs = before[player], before[seats[seats[0] == player]]
            floats.append("down" if mine > theirs else "up" if mine < theirs else "none")
        return {
            "id": seed,
            "name": player,
            "score": tournament.points()[player] / WIN,
            "rating": 3000 - seed,
            "starting_number": seed,
            "color_hist": colors,
            "float_history": floats,
            "bye_count": byes,
        }


def first_seat(tournament: Tournament) -> str:
    """The seat that the top of the seeding has in round 1 of the Dutch pairing."""
    bare = replace(tournament, entrants=tournament.entrants[:2], rounds=())
    paired = Swiss(1, "dutch").next_round(bare)
    return "white" if paired and paired.pairings[0][0] == tournament.players[0] else "black"


def start(players: int, seed: str) -> Tournament:
    """A tournament before its first round."""
    entrants = tuple(Entrant(f"P{number:05d}", number) for number in range(1, players + 1))
    return Tournament(entrants, seed=seed, win=WIN, draw=DRAW)


def play(tournament: Tournament, paired: PairedRound, rng: random.Random) -> Tournament:
    """The tournament after one more round: the better of the seeding wins more often, three of ten are drawn."""
    results: list[PairingResult] = []
    for seats in paired.pairings:
        edge = (int(seats[1][1:]) - int(seats[0][1:])) / len(tournament.entrants)
        chance = rng.random()
        if chance < 0.3:
            results.append(PairingResult(seats, dict.fromkeys(seats, DRAW)))
        else:
            winner = seats[rng.random() > 0.5 + 0.4 * edge]
            results.append(PairingResult(seats, {each: WIN * (each == winner) for each in seats}, winner))
    return replace(tournament, rounds=(*tournament.rounds, PlayedRound(paired, tuple(results))))


def violations(tournament: Tournament) -> Iterator[str]:
    """Breaches of the rules that hold for every Swiss tournament."""
    met = Counter(frozenset(seats) for each in tournament.rounds for seats in each.paired.pairings)
    byes = Counter(player for each in tournament.rounds for player in each.paired.byes)
    yield from (f"{sorted(pair)} meet again" for pair, times in met.items() if times > 1 or len(pair) < 2)
    yield from (f"{player} has a second bye" for player, times in byes.items() if times > 1)
    for number, each in enumerate(tournament.rounds, start=1):
        busy = [*(player for seats in each.paired.pairings for player in seats), *each.paired.byes]
        if sorted(busy) != sorted(tournament.players) or len(each.paired.byes) != len(tournament.players) % 2:
            yield f"round {number} has not everybody once"


def uneven(tournament: Tournament) -> int:
    """Players who had one seat at least three times more than the other."""
    seats = Counter[str]()
    for each in tournament.rounds:
        for first, second in each.paired.pairings:
            seats.update({first: 1})
            seats.subtract({second: 1})
    return sum(abs(surplus) > 2 for surplus in seats.values())


@dataclass
class Tally:
    """Counts of one way to pair."""

    rounds: Counter[bool] = field(default_factory=Counter[bool])  # compared, by whether there is a bye
    same: Counter[bool] = field(default_factory=Counter[bool])
    matches: int = 0
    level: int = 0
    gap: int = 0
    violations: list[str] = field(default_factory=list)
    uneven: int = 0
    tournaments: int = 0

    def add_round(self, tournament: Tournament, paired: PairedRound) -> None:
        points = tournament.points()
        gaps = [abs(points[first] - points[second]) for first, second in paired.pairings]
        self.matches += len(gaps)
        self.level += gaps.count(0)
        self.gap += sum(gaps)

    def add_tournament(self, tournament: Tournament) -> None:
        self.tournaments += 1
        self.violations += violations(tournament)
        self.uneven += uneven(tournament)

    def row(self, name: str) -> str:
        same = " | ".join(
            f"{self.same[bye] / self.rounds[bye]:.1%} of {self.rounds[bye]:,}" if self.rounds[bye] else "-"
            for bye in (False, True)
        )
        return (
            f"| {name} | {self.tournaments:,} | {len(self.violations)} | {self.uneven} | {same} "
            f"| {self.level / self.matches:.1%} | {self.gap / WIN / self.matches:.3f} |"
        )


def pairs(paired: PairedRound | None) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(seats) for seats in paired.pairings) if paired else frozenset()


PAIRERS: dict[str, Callable[[int], Swiss | Caissify]] = {
    "pairing=matching": lambda rounds: Swiss(rounds),
    "pairing=dutch": lambda rounds: Swiss(rounds, "dutch"),
    "caissify-pairings": Caissify,
}
REFERENCE, ORACLE = "pairing=dutch", "caissify-pairings"


def compare(players: int, rounds: int, seed: str, names: list[str], tallies: dict[str, Tally]) -> None:
    """Play one tournament by each pairer; all of them pair the reference's positions as well."""
    for name in names:
        tournament, rng = start(players, seed), random.Random(seed)
        pairer = PAIRERS[name](rounds)
        while (paired := pairer.next_round(tournament)) is not None:
            tallies[name].add_round(tournament, paired)
            for other in names if name == REFERENCE else ():
                if other != REFERENCE:
                    bye = bool(paired.byes)
                    tallies[other].rounds[bye] += 1
                    tallies[other].same[bye] += pairs(PAIRERS[other](rounds).next_round(tournament)) == pairs(paired)
            tournament = play(tournament, paired, rng)
        tallies[name].add_tournament(tournament)


def seconds_a_round(name: str, players: int, rounds: int) -> tuple[float, float]:
    """Processor seconds of the mean and the slowest round of a tournament."""
    tournament, rng = start(players, "speed"), random.Random("speed")
    pairer, took = PAIRERS[name](14 if players > 30 else 7), list[float]()
    for _ in range(rounds):
        began = time.process_time()
        paired = pairer.next_round(tournament)
        took.append(time.process_time() - began)
        assert paired is not None
        tournament = play(tournament, paired, rng)
    return sum(took) / len(took), max(took)


HEAD = (
    "| pairing | tournaments | breaches | seats 3 apart | as dutch: no bye | with a bye | equal scores | mean gap |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- |"
)


def table(sizes: list[int], seed: str, oracles: int = 0) -> None:
    tallies = {name: Tally() for name in PAIRERS}
    rng = random.Random(seed)
    for number, players in enumerate(sizes):
        rounds = rng.randint(3, max(3, min(9, players // 2)))  # 5 players: 3, the most that are certain
        names = [name for name in PAIRERS if name != ORACLE or number < oracles]
        compare(players, rounds, f"{seed}{number}", names, tallies)
    print(HEAD)
    for name, tally in tallies.items():
        if tally.tournaments:
            print(tally.row(name))
        for breach in tally.violations:
            print(breach)
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tournaments", type=int, default=1000, help="of 5 to 60 players")
    parser.add_argument("--oracles", type=int, default=100, help="of them by caissify-pairings too")
    parser.add_argument("--large", type=int, default=20, help="of 200 players, without caissify-pairings")
    parser.add_argument("--speed", action="store_true", help="measure seconds a round only")
    options = parser.parse_args()
    if not options.speed:
        rng = random.Random("sizes")
        table([rng.randint(5, 60) for _ in range(options.tournaments)], "small", options.oracles)
        if options.large:
            table([200] * options.large, "large")
    for name, players, rounds in [
        *((name, 50, 9) for name in PAIRERS),
        ("pairing=matching", 200, 9),
        ("pairing=dutch", 200, 9),
        ("caissify-pairings", 200, 2),
        ("pairing=matching", 1000, 14),
        ("pairing=dutch", 1000, 2),
        ("pairing=matching", 10_000, 14),
    ]:
        mean, slowest = seconds_a_round(name, players, rounds)
        print(f"| {name} | {players:,} | {rounds} | {mean:.3f} | {slowest:.3f} |", flush=True)


if __name__ == "__main__":
    main()
