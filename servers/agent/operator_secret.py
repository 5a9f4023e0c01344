"""Right of a manager to lead a league: the operator's token in its records.

The tokens by which agents know their manager are derived from the operator's. A manager with another one would be
refused by all of them, and record their matches as void, for good.
"""

from pathlib import Path

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.settings import Workspace, read_secret
from league_sdk.tokens import operator_digest, same

NEXT = ".next"
"""Ends the name of the file with a token whose record is perhaps not stored yet."""


class NotTheOperator(Exception):
    """A manager cannot show the token of its league's operator, and must not lead."""


def kept_token(workspace: Workspace, league: League) -> str | None:
    """The operator's token in a league's secret file; None without one.

    One whose change is recorded takes its place first, if the change was interrupted there.
    """
    file = workspace.operator_token_file(league.league_id)
    later = read_secret(next_file(workspace, league.league_id))
    if later is not None and shows(league, later):
        take_next(workspace, league.league_id)
    return read_secret(file)


def next_file(workspace: Workspace, league_id: str) -> Path:
    """The file of a token that is about to be the operator's."""
    file = workspace.operator_token_file(league_id)
    return file.with_name(f"{file.name}{NEXT}")


def take_next(workspace: Workspace, league_id: str) -> None:
    """Keep the next token as the operator's."""
    next_file(workspace, league_id).replace(workspace.operator_token_file(league_id))


def check_leads(league: League, token: str | None, *, kept: bool) -> bool:
    """Refuse a manager that cannot show the operator's token of a recorded league.

    Args:
        league: The league as it is recorded.
        token: The token that the manager has; None without one.
        kept: Whether the token was in a secret file before this start.

    Returns:
        True if the league has no digest of the token yet, and this is its first.

    Raises:
        NotTheOperator: The token is another, or a league from before digests were recorded has no kept one.
    """
    if league.read_only:
        raise NotTheOperator(
            f"the records of league {league.league_id!r} were {league.read_only}, and are read-only: no manager leads "
            f"them before 'league lead {league.league_id}'"
        )
    if league.state is LeagueState.COMPLETED or shows(league, token):
        return False
    if not league.operator_digest and token is not None and kept:
        return True
    why = "is another than the one that its records know" if token is not None else "is not here"
    if not league.operator_digest and token is not None:
        why = "was not kept here before, and its records, of an older release, do not know it"
    raise NotTheOperator(
        f"the operator's token of league {league.league_id!r} {why}: its agents would refuse this manager, so it does "
        f"not lead, and nothing is recorded. Put the league's folder in data/secrets back, or start its manager with "
        "its token (--operator-token). If that is lost for good, --new-token makes a new one, and all agents register "
        "again"
    )


def shows(league: League, token: str | None) -> bool:
    """True if this is the operator's token that the records know."""
    if token is None or not league.operator_digest:
        return False
    return same(operator_digest(token, league.league_id), league.operator_digest)
