"""Number of a league's referees, which follows its open matches."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import NamedTuple

import anyio

from league_sdk.domain.league import League
from league_sdk.domain.model import Role
from league_sdk.names import name_key
from servers.agent.agent_spec import AgentSpec
from servers.launcher.plan import LaunchPlan, with_token
from servers.launcher.requirements import PlanError


class RefereeRange(NamedTuple):
    """The fewest and the most referees of a league at a time."""

    fewest: int
    most: int

    @classmethod
    def parse(cls, text: str) -> "RefereeRange":
        """Read `2` or `2:6`."""
        parts = [part.strip() for part in text.split(":")]
        if len(parts) > 2 or not all(part.isdecimal() and len(part) < 6 for part in parts):
            raise PlanError(
                f"--referees {text!r}: expected a number, such as 2, or the fewest and the most at a time, such as 2:6"
            )
        fewest, most = int(parts[0]), int(parts[-1])
        if fewest < 1:
            raise PlanError(f"--referees {text!r}: a league needs at least 1 referee")
        if most < fewest:
            raise PlanError(f"--referees {text!r}: the fewest come first; say --referees {most}:{fewest}")
        return cls(fewest, most)

    def change(self, running: int, at_once: int, matches: int, before: int) -> int:
        """The number of referees to add, or below 0 to send away.

        A referee takes `at_once` of the open `matches`. None goes for a single short round: those are kept that the
        round `before` needed.
        """

        def needed(number: int) -> int:
            return min(self.most, max(self.fewest, -(-number // at_once)))

        return max(0, needed(matches) - running) or min(0, needed(max(matches, before)) - running)


@dataclass(slots=True)
class RefereeScaling:
    """Referees that join and leave a league as its rounds need them."""

    limits: RefereeRange  # the fewest and the most
    # specifications to begin referees from, each with a port of its own; at least as many as the most
    places: Sequence[AgentSpec]
    _before: int = field(default=0, init=False)

    @classmethod
    def of(cls, plan: LaunchPlan) -> "RefereeScaling | None":
        """The scaling of a plan with places for more than the fewest; else None."""
        places, fewest = (*plan.referees, *plan.spare), plan.rules.expected_referees
        return cls(RefereeRange(fewest, len(places)), places) if len(places) > fewest else None

    def change(self, league: League, running: Sequence[AgentSpec]) -> tuple[list[AgentSpec], list[AgentSpec], int]:
        """Referees to start and those to ask to leave in a new round; open matches."""
        matches, before = len(league.under_way()), self._before
        self._before = matches
        own = [spec for spec in running if spec.role is Role.REFEREE]
        staying = [spec for spec in own if spec.leave is None or not spec.leave.is_set()]
        known = (league.named(Role.REFEREE, spec.name) for spec in staying)
        at_once = min((agent.max_concurrent_matches for agent in known if agent is not None), default=max(1, matches))
        change = self.limits.change(len(staying), at_once, matches, before)
        return self._newcomers(change, league, own), staying[len(staying) + min(0, change) :], matches

    def _newcomers(self, number: int, league: League, own: Sequence[AgentSpec]) -> list[AgentSpec]:
        ports = {spec.port for spec in own}
        free = [place for place in self.places if place.port not in ports][: max(0, number)]
        # One that has left does not come back: its name is used up. Nor does one pass for a player.
        names = {agent.display_name for agent in league.referees.values()} | {spec.name for spec in own}
        of_players = {name_key(player.display_name) for player in league.players.values()}
        new: list[AgentSpec] = []
        for place in free:
            numbered = map("Referee {}".format, count(len(names) + 1))
            free_names = (name for name in chain((place.name,), numbered) if name not in names)
            name = next(name for name in free_names if name_key(name) not in of_players)
            names.add(name)
            new.append(may_leave(with_token(replace(place, name=name))))
        return new


def may_leave(spec: AgentSpec) -> AgentSpec:
    """The same agent; a referee can be asked to leave."""
    return replace(spec, leave=anyio.Event()) if spec.role is Role.REFEREE else spec
