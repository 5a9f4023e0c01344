"""The players that the checker brings along for a referee, and what a match of theirs may come to."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from league_sdk.clock import HashRng, to_wire_time
from league_sdk.domain.model import Role
from league_sdk.game import Game, Json
from league_sdk.testing.compliance.peers import CheckerAgent, Heard
from league_sdk.testing.compliance.script import OPPONENT, PLAYER, Script

_SEEDS = 64
"""Matches are played again with so many chances to find who may win."""


@dataclass(slots=True)
class Plan:
    """What the players do in one match.

    Attributes:
        declining: Who declines the invitation.
        illegal_once: Who moves illegally at first.
    """

    declining: tuple[str, ...] = ()
    illegal_once: tuple[str, ...] = ()


@dataclass(slots=True)
class Rival:
    """One player of the checker's.

    Attributes:
        player_id: `P01` or `P02`.
        script: Knows the game.
        plans: What to do in which match; to come, and to make the first legal move, in all others.
        moves: Its legal moves, by match.
    """

    player_id: str
    script: Script
    plans: Mapping[str, Plan]
    moves: dict[str, list[Json]] = field(default_factory=dict[str, list[Json]])
    agent: CheckerAgent = field(init=False)
    _asked: Counter[str] = field(default_factory=Counter[str])

    def __post_init__(self) -> None:
        """Make the agent."""
        spec = self.script.game.move_spec
        self.agent = CheckerAgent(
            f"player:{self.player_id}",
            Role.PLAYER,
            self.script.codec,
            spec,
            {
                "handle_game_invitation": self._join,
                spec.tool: self._move,
                "notify_match_result": self._acknowledge,
                "notify_game_error": self._acknowledge,
            },
        )

    def heard(self, tool: str, match_id: str) -> list[Heard]:
        """What it was told in a match, of one kind."""
        return [heard for heard in self.agent.of(tool) if heard.message.get("match_id") == match_id]

    def _of_match(self, heard: Heard) -> dict[str, Any]:
        return {"match_id": heard.message["match_id"], "player_id": self.player_id}

    async def _join(self, heard: Heard) -> dict[str, Any]:
        accept = self.player_id not in self._plan(heard).declining
        now = to_wire_time(self.script.clock.now())
        return {**self._of_match(heard), "accept": accept, "arrival_timestamp": now}

    async def _move(self, heard: Heard) -> dict[str, Any]:
        match_id = str(heard.message["match_id"])
        context: Mapping[str, Any] = heard.message.get("context") or {}
        legal = list(context.get("legal_moves") or opening_moves(self.script.game, self.player_id))
        self._asked[match_id] += 1
        if self._asked[match_id] == 1 and self.player_id in self._plan(heard).illegal_once:
            return {**self._of_match(heard), "move": illegal_move(legal)}
        self.moves.setdefault(match_id, []).append(legal[0])
        return {**self._of_match(heard), "move": legal[0]}

    async def _acknowledge(self, heard: Heard) -> dict[str, Any]:
        return self._of_match(heard)

    def _plan(self, heard: Heard) -> Plan:
        return self.plans.get(str(heard.message.get("match_id")), Plan())


def opening_moves(game: Game[Any], player: str) -> tuple[Json, ...]:
    """What a player may do at the beginning."""
    return game.legal_moves(game.start((PLAYER, OPPONENT), HashRng("opening")), player)


def illegal_move(legal: list[Json]) -> Json:
    """Something that is almost a legal move: another case, where that makes a difference."""
    shouted = [move.upper() for move in legal if isinstance(move, str)]
    return next((move for move in shouted if move not in legal), "no such move")


def possible_winners(game: Game[Any], moves: Mapping[str, list[Json]]) -> set[str | None]:
    """Who can have won a match with these moves, whatever chance brought; None stands for a draw."""
    winners: set[str | None] = set()
    for seed in range(_SEEDS):
        rng, left = HashRng(f"seed {seed}"), {player: list(made) for player, made in moves.items()}
        state = game.start((PLAYER, OPPONENT), rng)
        while asked := game.to_move(state):
            if not all(left.get(player) for player in asked):
                break
            state = game.apply(state, {player: left[player].pop(0) for player in asked}, rng)
        outcome = game.outcome(state)
        if outcome is not None:
            winners.add(outcome.winner)
    return winners
