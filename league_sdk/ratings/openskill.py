"""The OpenSkill model: Plackett and Luce, estimated match by match.

The package openskill has the algorithm 4 of Weng and Lin 2011 (JMLR 12, 267): each match moves a normal distribution
for each player. The order of the matches matters, and no correlation between players is kept. Without drift (tau 0),
since agents do not learn from one match to the next. Two players of strengths a and b win in the proportion
exp(a / c) : exp(b / c) with c = beta * sqrt(2), which gives the scale of Elo points.
"""

from collections import Counter
from collections.abc import Iterable
from importlib import import_module
from math import sqrt
from typing import Any

import numpy as np

from league_sdk.ratings.estimate import ELO, MEAN, Estimate, by_strength
from league_sdk.ratings.matches import RatedMatch


def openskill(matches: Iterable[RatedMatch]) -> Estimate:
    """Estimate the strengths of players from matches of two or more.

    Args:
        matches: The matches in the order in which they were played.

    Raises:
        ValueError: If there is no match.
        ModuleNotFoundError: If the package openskill is not installed.
    """
    model: Any = import_module("openskill.models").PlackettLuce(tau=0.0)
    found = dict[str, Any]()
    played = Counter[str]()
    parts = list[set[str]]()
    for match in matches:
        teams = [[found.setdefault(player, model.rating())] for player in match.players]
        rated = model.rate(teams, ranks=list(match.places))
        found.update((player, team[0]) for player, team in zip(match.players, rated, strict=True))
        played.update(match.players)
        met = [part for part in parts if part & set(match.players)]
        parts = [part for part in parts if part not in met] + [set(match.players).union(*met)]
    if not found:
        raise ValueError("there are no rated matches")
    players = sorted(found)
    strengths = np.array([found[player].mu for player in players])
    order = by_strength(players, strengths)
    scale = ELO / (model.beta * sqrt(2))
    errors = np.array([found[players[index]].sigma for index in order]) * scale
    matches_of = tuple(played[players[index]] for index in order)
    return Estimate(
        players=tuple(players[index] for index in order),
        ratings=(strengths - strengths.mean())[order] * scale + MEAN,
        covariance=np.diag(errors**2),
        matches=matches_of,
        observations=matches_of,
        parts=tuple(frozenset(part) for part in parts),
    )
