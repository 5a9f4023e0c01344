"""Always one move, named by the argument: `always-<move>` chooses `<move>`.

A move that the game does not have is a mistake of whoever set the player up, so the strategy raises rather than
play something else in silence; the runtime around it answers with its fallback and writes the error down, and the
match continues. A move that the game has but that is not to be had just now (a taken cell) is replaced by a random one.
"""

from league_sdk.game import Move, PlayerView, Strategy, StrategyFunction


def make(argument: str) -> StrategyFunction:
    if not argument:
        raise ValueError("always needs a move: call it always-<move>")

    def choose(view: PlayerView) -> Move:
        """The move that reads like the argument; random while it isn't legal."""
        for move in view.legal_moves:
            if str(move) == argument:
                return move
        if all(str(move) != argument for move in (*view.my_moves, *view.opponent_moves)):
            legal = ", ".join(str(move) for move in view.legal_moves)
            raise ValueError(f"always-{argument}: {view.game_type} has no move {argument!r}; choose from {legal}")
        return view.rng.choice(view.legal_moves)

    return choose


ALWAYS = Strategy(
    "always", "Always chooses the move that its name ends in.", make, argument="move", argument_is_move=True
)
