"""The operator's actions on the page, and which of them are open now."""

from dataclasses import dataclass

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from servers.read_model.text import count, printable

MOST = 60
"""Matches under way that are listed."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that the operator may do."""

    path: str  # the route that does it
    label: str  # what it is called
    what: str  # what it does, in a sentence
    open: bool  # whether it can be done now
    tone: str = ""  # `danger` for what cannot be taken back
    confirm: str = ""  # what is asked before; empty when nothing


def actions(league: League) -> list[Action]:
    """The operator's actions, and if each is possible now."""
    state = league.state
    waiting = state in (LeagueState.WAITING_FOR_REGISTRATIONS, LeagueState.SCHEDULED)
    registering = state is LeagueState.WAITING_FOR_REGISTRATIONS and league.rules.registration_deadline is not None
    running, over = state is LeagueState.RUNNING, league.finished
    paused = state is LeagueState.STOPPED and not league.cancelled
    start = "Closes registration and starts the league with the registered agents."
    pause = "Starts no new match; matches under way are finished and count."
    stop = "Ends the league early, and its manager with it. Results so far are kept."
    later = "Lets registration close ten minutes later."
    cancel = "Ends the league for good, without a champion: for one that was started by mistake."
    close = "Ends the league with the round under way, and names its champion."
    return [
        Action("/admin/start_league", "Start", start, waiting),
        Action("/admin/pause_league", "Pause", pause, running),
        Action("/admin/resume_league", "Resume", "Continues a paused league.", paused),
        *([Action("/admin/close_league", "Close", close, running and not league.closed)] if league.endless else []),
        *([Action("/admin/deadline", "Ten more minutes", later, registering)] if registering else []),
        Action("/admin/stop_league", "Stop", stop, not over, "danger", "Stop the league, and end its manager?"),
        Action("/admin/cancel_league", "Cancel", cancel, not over, "danger", "Cancel the league for good?"),
    ]


def replays(league: League) -> list[Action]:
    """The matches under way, each of which the operator may have played again."""
    going = league.under_way() if league.state is LeagueState.RUNNING else ()
    return [
        Action(f"/admin/matches/{fixture.match_id}/replay", "Play again", fixture.match_id, open=True)
        for fixture in going[:MOST]
        if fixture.match_id in league.assignments
    ]


def player_actions(league: League, player_id: str) -> list[Action]:
    """All that the operator may do with a player now."""
    found = (_sitting_out(league, player_id), removal(league, player_id))
    return [action for action in found if action is not None]


def _sitting_out(league: League, player_id: str) -> Action | None:
    """Letting a player sit out, or play again; None where neither can be done."""
    if league.state is LeagueState.COMPLETED or player_id not in league.staying():
        return None
    if player_id in league.sitting_out:
        return Action(f"/admin/players/{player_id}/rejoin", "Play again", "It plays from its next match on.", open=True)
    what = "Its matches are not played until you let it play again; one that is under way is finished."
    return Action(f"/admin/players/{player_id}/sit-out", "Sit out", what, open=True)


def removal(league: League, player_id: str) -> Action | None:
    """Taking a player out of the league; None when that cannot be done, or was done."""
    staying = league.staying()
    last = bool(league.rounds) and len(staying) == 1
    if league.state is LeagueState.COMPLETED or player_id not in staying or last:
        return None
    open_matches = sum(1 for _ in league.open_matches(player_id))
    what = "This cannot be undone. Results so far count"
    what += f"; {count(open_matches, 'match')} will be void." if open_matches else "."
    who = f"{printable(league.player(player_id).display_name, 60)} ({player_id})"
    return Action(
        f"/admin/players/{player_id}/remove",
        "Remove this player",
        what,
        open=True,
        tone="danger",
        confirm=f"Remove {who} from the league? {what}",
    )
