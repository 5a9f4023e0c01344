"""Names of rounds, as every surface says them."""

import re

from league_sdk.domain.league import League

_GAME = re.compile(r", match \d+$")
_ONE = {"Semi-finals": "semi-final", "Quarter-finals": "quarter-final"}


def round_name(league: League, round_id: int) -> str:
    """A round as `round 2 of 5`, `round 2` if endless, or `semi-final, game 2`."""
    if 1 <= round_id <= len(league.rounds):
        scheduled = league.round(round_id)
        if scheduled.paired_by == "bracket" and scheduled.title:
            return _stage(scheduled.title) + (f", game {scheduled.game}" if scheduled.game else "")
    return f"round {round_id}" + ("" if league.goes_on else f" of {league.total_rounds}")


def _stage(title: str) -> str:
    """The name of a bracket's column, as it stands within a sentence."""
    name = _GAME.sub("", title)
    for many, one in _ONE.items():
        name = name.replace(many, one).replace(many.lower(), one)
    return name[:1].lower() + name[1:]
