"""The prompt of a seat: a model's instructions before it plays."""

from servers.agent.untrusted import NOTICE
from servers.host.membership import Membership
from servers.host.tool_results import turn_report

_COURSE = """\
You play in a league between agents: a round-robin, in which everybody meets everybody. A win earns points, a draw
fewer, a loss none; the standings decide. A referee leads each match and asks you for your moves. For each of them there
is a deadline. Shortly before it, a fallback strategy chooses for you, and you are told so: you never lose by thinking.
"""

_TOOLS = """\
How to play:
1. join_league, unless you have a seat.
2. wait_for_my_turn; when it answers before your turn has come, call it again.
3. choose_move with one of the legal moves it named. A move that is not allowed is refused, and you may choose again.
4. Continue with 2 until the league is over.
standings, schedule, my_history and opponent_record show what you may want to know before you choose.
"""


def explanation(membership: Membership) -> str:
    """Game and league, and where things stand."""
    parts = [_COURSE, _games(membership), _TOOLS, NOTICE, f"Now: {turn_report(membership).say}"]
    return "\n".join(part for part in parts if part)


def _games(membership: Membership) -> str:
    if membership.player is None:
        return ""
    games = membership.player.games.values()
    lines = [f"- {game.display_name or game.name}: {game.description}" for game in games]
    return "\n".join(("The games that can be played:", *lines, "")) if lines else ""
