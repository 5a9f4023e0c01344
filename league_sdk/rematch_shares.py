"""Each player's share of replayed or void matches, tested against chance.

The rule is Fisher's exact test, one-sided (R. A. Fisher, The Design of Experiments, 1935, chapter 2), against the
league's own rate. Of N matches that were begun, K were replayed or are void. If these had hit matches at random, a
player of n matches would have k or more of them with the probability

    sum over i = k … min(n, K) of C(n, i) · C(N - n, K - i) / C(N, K)

A share is unlikely if this is below 1 in 100, divided by the number of players, since each of them is tested
(Bonferroni's correction). In a small league no share can be that unlikely, which is as it should be.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import exp, lgamma
from typing import Final

LEVEL: Final = 0.01  # largest probability that a league in which all is chance has any share called unlikely


@dataclass(frozen=True, slots=True)
class Share:
    """One player's share of matches that were replayed or are void."""

    player_id: str
    matches: int  # that were begun
    replays: int  # in all
    voids: int  # other than by a removal
    affected: int  # replayed or void
    probability: float  # that chance alone gives it as many or more
    unlikely: bool

    @property
    def sentence(self) -> str:
        what = f"{self.player_id}: {self.affected} of {self.matches} matches were played again or are void"
        told = f"{what} (replays: {self.replays}, void: {self.voids})"
        if not self.unlikely:
            return told
        times = 1 / max(self.probability, 1e-12)
        return f"{told}, which chance alone would give it once in {float(f'{times:.2g}'):,.0f} leagues"


def shares(
    begun: Mapping[str, int],
    total: int,
    replays: Mapping[str, int],
    voids: Collection[str],
    sides: Mapping[str, Sequence[str]],
) -> dict[str, Share]:
    """The shares of all players that have any.

    Args:
        begun: Matches that were begun, by player id, for every player.
        total: Matches that were begun, in all.
        replays: Number of replays by match id; only of replayed matches.
        voids: Ids of the matches that are void, other than by a removal.
        sides: Player ids by match id, of the matches in `replays` and `voids`.
    """
    affected = [match_id for match_id in sides if match_id in replays or match_id in voids]
    again, void, hit = Counter[str](), Counter[str](), Counter[str]()
    for match_id in affected:
        for player in sides[match_id]:
            again[player] += replays.get(match_id, 0)
            void[player] += match_id in voids
            hit[player] += 1
    found: dict[str, Share] = {}
    for player in begun:
        if hit[player]:
            chance = at_least(hit[player], begun[player], len(affected), total)
            unlikely = chance * len(begun) < LEVEL
            found[player] = Share(player, begun[player], again[player], void[player], hit[player], chance, unlikely)
    return found


def at_least(hits: int, own: int, marked: int, total: int) -> float:
    """The hypergeometric tail: P(`hits` or more of `marked` among `own` of `total`)."""
    most, rest = min(own, marked), total - own
    least = max(hits, marked - rest)
    if hits <= max(0, marked - rest):
        return 1.0
    whole = _choices(total, marked)
    tail = sum(exp(_choices(own, i) + _choices(rest, marked - i) - whole) for i in range(least, most + 1))
    return min(1.0, tail)


def _choices(of: int, some: int) -> float:
    """The logarithm of a binomial coefficient."""
    return lgamma(of + 1) - lgamma(some + 1) - lgamma(of - some + 1)
