"""The Bradley-Terry model with draws and an advantage of the first seat.

With strengths a and b on the natural scale, a draw parameter d and a seat advantage s, the first seat wins, draws and
loses in the proportion exp(a + s/2) : exp(d + (a + b)/2) : exp(b - s/2). Without draws and advantage that is Bradley
and Terry 1952 (Biometrika 39); draws are Davidson's 1970 (JASA 65, 317); the advantage is that of Davidson and Beaver
1977 (Biometrics 33, 693). Draws stretch the natural scale. Elo points are those of which a small lead raises the
expected score as in Elo's formula, so strengths are multiplied by 1 - the draw rate of equal players (Coulom does so in
Bayeselo). Estimates are the mode of the posterior under a wide normal prior, which keeps the strength of a player that
won every match finite; their covariance is the inverse of the Hessian there.

Matches that share a cause are not independent: two with the same deal tell less, and two with the seats swapped more,
where the seat decides. With their groups given, the covariance comes from how much the groups' slopes vary: the
sandwich for clusters (Liang and Zeger 1986, Biometrika 73, 13), times n / (n - 1) for n groups. Few or one-sided groups
vary too little by chance. So each direction has the variation of one match more, as the model has it; where a direction
holds less information than that, as in the strength of a player that won every match, its error stays about that of
independent matches.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import xlogy
from scipy.stats import norm, t

from league_sdk.ratings.estimate import ELO, FEWEST, MEAN, Estimate, Vector, by_strength
from league_sdk.ratings.matches import RatedMatch

PRIOR_ELO = 1000.0
"""Standard deviation of the prior on each strength, in Elo points; a lead of 1,000 points means odds of 316 to one."""
PAIR = 2
"""Matches of a group up to which its variation is mostly the model's; of longer ones, it is what the matches share."""
PRIOR = 5.0
"""Standard deviation of the prior on the draw parameter and on the seat advantage, on the natural scale."""

Groups: TypeAlias = Mapping[tuple[RatedMatch, ...], int]
NO_GROUPS: Groups = {}


def bradley_terry(
    matches: Iterable[RatedMatch], *, seat_advantage: bool = False, groups: Groups = NO_GROUPS
) -> Estimate:
    """Estimate the strengths of players from matches of two.

    Args:
        matches: The matches, in any order.
        seat_advantage: Estimate the advantage of the first seat too.
        groups: The same matches as groups that share a cause, with the number of times that each came out so. Without
            groups, matches count as independent.

    Raises:
        ValueError: If there is no match, or one of more than two players.
    """
    outcomes = Counter((match.players, match.places) for match in matches)
    if not outcomes:
        raise ValueError("there are no rated matches")
    if any(len(players) != 2 for players, _ in outcomes):
        raise ValueError("the Bradley-Terry model rates matches of two players; openskill takes more")
    players = sorted({player for pair, _ in outcomes for player in pair})
    return _Fit(players, outcomes, seat_advantage).estimate(groups)


class _Fit:
    """The posterior of all results, a multinomial logit."""

    def __init__(
        self, players: list[str], outcomes: Counter[tuple[tuple[str, ...], tuple[int, ...]]], seats: bool
    ) -> None:
        self.players = players
        self.size = len(players)
        self.seats = seats
        index = {player: number for number, player in enumerate(players)}
        self.row = {pair: number for number, pair in enumerate(sorted({pair for pair, _ in outcomes}))}
        counts = np.zeros((len(self.row), 3))  # pairs by outcome: won by the first seat, drawn, won by the second
        for (pair, places), count in outcomes.items():
            counts[self.row[pair], _outcome(places)] += count
        self.draws = bool(counts[:, 1].any())
        # Weights in a logit: the strength of the first seat, that of the second, the draws, the advantage.
        advantage = 0.5 if seats else 0.0
        logits = np.array([[1, 0, 0, advantage], [0.5, 0.5, 1, 0], [0, 1, 0, -advantage]])
        self.possible = [0, 1, 2] if self.draws else [0, 2]
        self.logits: Vector = logits[self.possible]
        self.counts: Vector = counts[:, self.possible]
        self.totals: Vector = counts.sum(1)
        self.columns: NDArray[np.intp] = np.array(
            [(index[first], index[second], self.size, self.size + 1) for first, second in self.row], dtype=np.intp
        )
        self.precision: Vector = np.array([(ELO / PRIOR_ELO) ** 2] * self.size + [PRIOR**-2] * 2)

    def shares(self, parameters: Vector) -> Vector:
        """Shape (pairs, outcomes): the probability of each outcome."""
        logits = parameters[self.columns] @ self.logits.T
        odds = np.exp(logits - logits.max(1, keepdims=True))
        return odds / odds.sum(1, keepdims=True)

    def loss(self, parameters: Vector) -> float:
        """The negative logarithm of the posterior, up to a constant."""
        likelihood = (self.counts * np.log(self.shares(parameters) + 1e-300)).sum()
        return float((self.precision * parameters**2).sum() / 2 - likelihood)

    def gradient(self, parameters: Vector) -> Vector:
        """Of the loss."""
        surplus = self.counts - self.totals[:, None] * self.shares(parameters)
        slope = self.precision * parameters
        np.subtract.at(slope, self.columns, surplus @ self.logits)
        return slope

    def hessian(self, parameters: Vector) -> Vector:
        """Of the loss."""
        shares = self.shares(parameters)
        mean = shares @ self.logits
        second = np.einsum("po,oi,oj->pij", shares, self.logits, self.logits)
        blocks = self.totals[:, None, None] * (second - mean[:, :, None] * mean[:, None, :])
        curvature = np.diag(self.precision)
        np.add.at(curvature, (self.columns[:, :, None], self.columns[:, None, :]), blocks)
        return curvature

    def covariance(self, parameters: Vector, groups: Groups) -> Vector:
        """Of the parameters at the mode."""
        hessian = self.hessian(parameters)
        inverse: Vector = np.asarray(np.linalg.inv(hessian), dtype=np.float64)
        if not groups:
            return inverse
        prior = np.diag(self.precision)
        return inverse @ (prior + self.variation(parameters, groups, hessian - prior)) @ inverse

    def variation(self, parameters: Vector, groups: Groups, model: Vector) -> Vector:
        """Of the slope, from that of its groups, and from that of independent matches."""
        number, longest = min(self.observations(groups)), max(map(len, groups))
        if number < FEWEST:  # too few to vary: as if all matches of a group ended the same
            return model * longest
        shares, seen = self.shares(parameters), np.zeros_like(model)
        for group, times in groups.items():
            slope = np.zeros(self.size + 2)
            for match in group:
                row = self.row[match.players]
                surplus = -shares[row]
                surplus[self.possible.index(_outcome(match.places))] += 1
                np.add.at(slope, self.columns[row], surplus @ self.logits)
            seen += times * np.outer(slope, slope)
        factor = number / (number - 1)
        if longest > PAIR:  # Student's quantile in place of the normal one
            factor *= float(t.ppf(0.975, number - 1) / norm.ppf(0.975)) ** 2
        sizes, directions = np.linalg.eigh(model)
        one_more = np.maximum(sizes, 0.0) / (np.maximum(sizes, 0.0) + 1.0)
        return factor * seen + (directions * one_more) @ directions.T

    def observations(self, groups: Groups) -> tuple[int, ...]:
        """Numbers of the players' groups, or of their matches without groups."""
        if not groups:
            return tuple(self._matches().tolist())
        found = Counter[str]()
        for group, times in groups.items():
            found.update(dict.fromkeys({player for match in group for player in match.players}, times))
        return tuple(found[player] for player in self.players)

    def estimate(self, groups: Groups) -> Estimate:
        """The mode, and the normal distribution around it that has the same curvature."""
        start = np.zeros(self.size + 2)
        found = minimize(self.loss, start, jac=self.gradient, hess=self.hessian, method="trust-exact", tol=1e-8)
        parameters: Vector = np.asarray(found.x, dtype=np.float64)
        covariance = self.covariance(parameters, groups)
        jacobian = np.eye(self.size, self.size + 2)
        jacobian[:, : self.size] -= 1 / self.size
        centred, advantage = jacobian @ parameters, np.eye(self.size + 2)[-1]
        scale, draw_rate = ELO, None
        if self.draws:
            draw = np.exp(parameters[self.size])
            draw_rate = float(draw / (2 + draw))
            scale *= 1 - draw_rate
            jacobian[:, self.size] = -draw_rate * centred  # the scale is an estimate too
            advantage[self.size] = -draw_rate * parameters[-1]
        joint = jacobian @ covariance @ jacobian.T * scale**2
        order = by_strength(self.players, centred)
        error = float(np.sqrt(advantage @ covariance @ advantage))
        observations = self.observations(groups)
        return Estimate(
            players=tuple(self.players[index] for index in order),
            ratings=centred[order] * scale + MEAN,
            covariance=joint[np.ix_(order, order)],
            matches=tuple(self._matches()[order].tolist()),
            observations=tuple(observations[index] for index in order),
            parts=self._parts(),
            seat_advantage=(float(parameters[-1]) * scale, error * scale) if self.seats else None,
            draw_rate=draw_rate,
            direct=None if self.seats else self.direct(centred, groups)[np.ix_(order, order)],
        )

    def direct(self, strengths: Vector, groups: Groups) -> Vector:
        """Probability bounds of one-sided direct matches. See `Estimate.direct`.

        The bound is that of Hoeffding 1963 (JASA 58, 13), theorem 1: a mean score of s in n independent matches, or
        groups of matches, of equal players has a probability of at most 2 exp(-n KL(s, 1/2)).
        """
        grouped = np.zeros(len(self.row))
        for group, times in groups.items():
            for match in group:
                grouped[self.row[match.players]] += times / len(group)
        points, wins, sizes = (np.zeros((self.size, self.size)) for _ in range(3))
        first, second = self.columns[:, 0], self.columns[:, 1]
        size = grouped if groups else self.totals
        won, lost = self.counts[:, 0], self.counts[:, -1]
        for one, other, won_by_one in ((first, second, won), (second, first, lost)):
            np.add.at(sizes, (one, other), size)
            np.add.at(wins, (one, other), won_by_one)
            np.add.at(points, (one, other), (self.totals - won - lost) / 2 + won_by_one)
        played = points + points.T
        share = np.divide(points, played, out=np.full_like(points, 0.5), where=played > 0)
        divergence = np.log(2) + xlogy(share, share) + xlogy(1 - share, 1 - share)
        bound = np.minimum(1.0, 2 * np.exp(-sizes * divergence))
        agrees = (share > 0.5) == (strengths[:, None] > strengths[None, :])
        return np.where(((wins == 0) | (wins.T == 0)) & agrees & agrees.T, bound, 1.0)

    def _matches(self) -> NDArray[np.int64]:
        totals = np.zeros(self.size, dtype=np.int64)
        np.add.at(totals, self.columns[:, :2], self.totals[:, None].astype(np.int64))
        return totals

    def _parts(self) -> tuple[frozenset[str], ...]:
        first, second = self.columns[:, 0], self.columns[:, 1]
        links = coo_array((np.ones(len(first)), (first, second)), shape=(self.size, self.size))
        labels: NDArray[np.int32] = connected_components(links, directed=False)[1]
        return tuple(
            frozenset(player for player, label in zip(self.players, labels.tolist(), strict=True) if label == part)
            for part in range(labels.max() + 1)
        )


def _outcome(places: tuple[int, ...]) -> int:
    """0 if the first seat won, 1 for a draw, 2 if the second seat won."""
    first, second = places
    return 1 + (first > second) - (first < second)
