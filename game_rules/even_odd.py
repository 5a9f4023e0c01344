"""Even/Odd: both guess at once whether a number from 1 to 10 will be even or odd.

The number is uniform, so five of the ten are even. Two equal guesses are a draw whatever the number; of two different
guesses exactly one is right, and it wins. A league can set another range, and have both guess again when both are
wrong.
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
MOST_GUESSES = 10
"""Limit of guesses in one match when being wrong together is no draw; the last one counts as a draw after all."""


@dataclass(frozen=True, slots=True)
class EvenOddState:
    """A match before its deciding turn (no choices, no number), or after it."""

    players: tuple[str, ...]  # in seat order
    choices: tuple[str, ...] = ()
    number: int | None = None
    missed: tuple[tuple[str, int], ...] = ()  # turns in which both guessed wrong: their choice, and the number


def parity_of(number: int) -> str:
    """`even` or `odd`."""
    return EVEN if number % 2 == 0 else ODD


class EvenOdd(Game[EvenOddState]):
    """Guess the parity of a number that the referee draws afterwards.

    Args:
        number_range_min: The lowest number that can be drawn.
        number_range_max: The highest one.
        draw_on_both_wrong: True if a guess that both get wrong is a draw; else both guess again, ten times at most.

    Raises:
        TypeError, ValueError: The options are of another type, or no even and odd number is in the range.
    """

    name = "even_odd"
    display_name = "Even/Odd"
    description = (
        "Both players choose 'even' or 'odd' at once; then a number is drawn, from 1 to 10 unless the league says "
        "otherwise. "
        "Equal choices are a draw, of different ones the one that matches the number wins."
    )
    hidden = False
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
    result_fields: ClassVar[tuple[str, ...]] = ("drawn_number", "number_parity")
    # Against a choice that is known, the other one wins every second match; the same one never does.
    counters: ClassVar[Mapping[str, str]] = {EVEN: ODD, ODD: EVEN}

    def __init__(
        self, number_range_min: int = LOWEST, number_range_max: int = HIGHEST, draw_on_both_wrong: bool = True
    ) -> None:
        for name, bound in (("number_range_min", number_range_min), ("number_range_max", number_range_max)):
            if type(bound) is not int:
                raise TypeError(f"{name} must be a whole number, got {bound!r}")
        if type(draw_on_both_wrong) is not bool:
            raise TypeError(f"draw_on_both_wrong must be true or false, got {draw_on_both_wrong!r}")
        if number_range_min >= number_range_max:
            raise ValueError(
                f"number_range_max must be above number_range_min, got {number_range_min} to {number_range_max}"
            )
        self.lowest = number_range_min
        self.highest = number_range_max
        self.draw_on_both_wrong = draw_on_both_wrong

    @property
    def pure_chance(self) -> bool:
        """True of a range with as many even as odd numbers: either choice wins as often."""
        return (self.highest - self.lowest) % 2 == 1

    def start(self, players: Sequence[str], rng: Rng) -> EvenOddState:
        """No choices yet, and no number: it can't be known before the guess."""
        del rng
        return EvenOddState(tuple(players))

    def to_move(self, state: EvenOddState) -> tuple[str, ...]:
        """Both at once, until a guess decides."""
        return () if state.choices else state.players

    def legal_moves(self, state: EvenOddState, player: str) -> tuple[Move, ...]:
        """Exactly `even` or `odd`, in lower case."""
        return (EVEN, ODD) if player in self.to_move(state) else ()

    def apply(self, state: EvenOddState, moves: Mapping[str, Move], rng: Rng) -> EvenOddState:
        """Take both choices, then draw the number; both may have to choose again."""
        choices = tuple(moves[player] for player in state.players)
        number = rng.randint(self.lowest, self.highest)
        both_wrong = parity_of(number) not in choices
        if both_wrong and not self.draw_on_both_wrong and len(state.missed) + 1 < MOST_GUESSES:
            return replace(state, missed=(*state.missed, (choices[0], number)))
        return replace(state, choices=choices, number=number)

    def outcome(self, state: EvenOddState) -> Outcome | None:
        """A draw for equal choices, else a win for the choice that matches the number."""
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
            # A single choice is a plain value, as in the protocol; repeated guesses are a list.
            details={
                "drawn_number": number,
                "number_parity": parity,
                "choices": self.public_moves(state) if state.missed else choices,
            },
        )

    def public_moves(self, state: EvenOddState) -> dict[str, list[Move]]:
        """Guesses that decided nothing, then the deciding one."""
        missed = [choice for choice, _ in state.missed]
        moves: dict[str, list[Move]] = {player: [*missed] for player in state.players}
        for player, choice in zip(state.players, state.choices, strict=False):
            moves[player].append(choice)
        return moves

    def render(self, state: EvenOddState) -> str:
        """One line for each guess that both got wrong, one a player, one for the number."""
        missed = [f"both chose {choice}, number: {number}" for choice, number in state.missed]
        if state.number is None:
            return "\n".join([*missed, *(f"{player}: ?" for player in state.players), "number: not drawn yet"])
        chosen = zip(state.players, state.choices, strict=True)
        lines = [*missed, *(f"{player}: {choice}" for player, choice in chosen)]
        return "\n".join([*lines, f"number: {state.number} ({parity_of(state.number)})"])
