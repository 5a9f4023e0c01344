"""Even/Odd: both guess at once whether a number from 1 to 10 will be even or odd.

The number is uniform, so five of the ten are even. Two equal guesses are a draw whatever the number; of two
different guesses exactly one is right, and it wins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from league_sdk.clock import Rng
from league_sdk.game import Game, Move, MoveSpec, Outcome

EVEN = "even"
ODD = "odd"
LOWEST = 1
HIGHEST = 10


@dataclass(frozen=True, slots=True)
class EvenOddState:
    """A match before (no choices, no number) or after its single turn.

    Attributes:
        players: Ids in seat order.
        choices: What each player chose, in seat order; empty before.
        number: The number that was drawn; None before.
    """

    players: tuple[str, ...]
    choices: tuple[str, ...] = ()
    number: int | None = None


def parity_of(number: int) -> str:
    """`even` or `odd`."""
    return EVEN if number % 2 == 0 else ODD


class EvenOdd(Game[EvenOddState]):
    """Guess the parity of a number that the referee draws afterwards."""

    name = "even_odd"
    display_name = "Even/Odd"
    description = (
        "Both players choose 'even' or 'odd' at once; then a number from 1 to 10 is drawn. "
        "Equal choices are a draw, of different ones the one that matches the number wins."
    )
    move_spec = MoveSpec(
        tool="choose_parity",
        tool_aliases=("parity_choose", "receive_parity_call"),
        call_type="CHOOSE_PARITY_CALL",
        response_type="CHOOSE_PARITY_RESPONSE",
        response_aliases=("PARITY_CHOICE",),
        choice_field="parity_choice",
        push_tool="receive_parity_response",
        v1_response_type="PARITY_CHOICE",
        resolve_tool="draw_number",
        resolving_label="DRAWING_NUMBER",
        invalid_move_name="INVALID_PARITY_CHOICE",
    )
    # Against a choice that is known, the other one wins every second match; the same one never does.
    counters: ClassVar[Mapping[str, str]] = {EVEN: ODD, ODD: EVEN}

    def start(self, players: Sequence[str], rng: Rng) -> EvenOddState:
        """Nobody has chosen, and there is no number yet: nobody can know it."""
        del rng
        return EvenOddState(tuple(players))

    def to_move(self, state: EvenOddState) -> tuple[str, ...]:
        """Both at once, and once only."""
        return () if state.choices else state.players

    def legal_moves(self, state: EvenOddState, player: str) -> tuple[Move, ...]:
        """Exactly `even` or `odd`, in lower case."""
        return (EVEN, ODD) if player in self.to_move(state) else ()

    def apply(self, state: EvenOddState, moves: Mapping[str, Move], rng: Rng) -> EvenOddState:
        """Take both choices, then draw the number."""
        choices = tuple(moves[player] for player in state.players)
        return replace(state, choices=choices, number=rng.randint(LOWEST, HIGHEST))

    def outcome(self, state: EvenOddState) -> Outcome | None:
        """A draw for equal choices, else a win for the one that matches the number."""
        if state.number is None:
            return None
        number, parity = state.number, parity_of(state.number)
        choices = dict(zip(state.players, state.choices, strict=True))
        right = [player for player, choice in choices.items() if choice == parity]
        winner = right[0] if len(right) == 1 else None
        if winner is None:
            verdict = f"Both players chose '{state.choices[0]}', so it is a draw."
        else:
            verdict = f"{winner} chose '{parity}' correctly. {winner} wins."
        return Outcome(
            winner=winner,
            scores={player: float(player == winner) for player in state.players},
            reason=f"Number {number} is {parity}. {verdict}",
            details={"drawn_number": number, "number_parity": parity, "choices": choices},
        )

    def public_moves(self, state: EvenOddState) -> dict[str, list[Move]]:
        """Nothing before both have chosen, then both choices."""
        if not state.choices:
            return {player: [] for player in state.players}
        return {player: [choice] for player, choice in zip(state.players, state.choices, strict=True)}

    def render(self, state: EvenOddState) -> str:
        """One line a player, one for the number."""
        if state.number is None:
            return "\n".join(f"{player}: ?" for player in state.players) + "\nnumber: not drawn yet"
        lines = [f"{player}: {choice}" for player, choice in zip(state.players, state.choices, strict=True)]
        return "\n".join([*lines, f"number: {state.number} ({parity_of(state.number)})"])
