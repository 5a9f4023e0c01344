"""The protocol's four state machines: agent, league, match, player in a match.

Each is an enumeration of states, one of triggers, and a table. Services look into the table before they act; an entry
that it lacks is answered with E008. `docs/states.md` is drawn from these tables.
"""

from enum import StrEnum

from league_sdk.domain.machine import Machine


class AgentState(StrEnum):
    """States of an agent, from its start to its end."""

    INIT = "INIT"
    REGISTERED = "REGISTERED"
    ACTIVE = "ACTIVE"
    SUSPENDED = "SUSPENDED"
    SHUTDOWN = "SHUTDOWN"


class AgentTrigger(StrEnum):
    """Triggers of an agent's transitions."""

    REGISTER = "register"
    LEAGUE_START = "league_start"
    LEAGUE_END = "league_end"
    TIMEOUT = "timeout"
    RECOVER = "recover"
    MAX_FAIL = "max_fail"
    ERROR = "error"


_A, _AT = AgentState, AgentTrigger

AGENT: Machine[AgentState, AgentTrigger] = Machine(
    "agent",
    _A.INIT,
    {
        (_A.INIT, _AT.REGISTER): _A.REGISTERED,
        (_A.REGISTERED, _AT.LEAGUE_START): _A.ACTIVE,
        (_A.ACTIVE, _AT.TIMEOUT): _A.SUSPENDED,
        (_A.SUSPENDED, _AT.RECOVER): _A.ACTIVE,
        (_A.SUSPENDED, _AT.MAX_FAIL): _A.SHUTDOWN,
        (_A.REGISTERED, _AT.LEAGUE_END): _A.SHUTDOWN,
        (_A.ACTIVE, _AT.LEAGUE_END): _A.SHUTDOWN,
        (_A.SUSPENDED, _AT.LEAGUE_END): _A.SHUTDOWN,
        (_A.INIT, _AT.ERROR): _A.SHUTDOWN,
        (_A.REGISTERED, _AT.ERROR): _A.SHUTDOWN,
        (_A.ACTIVE, _AT.ERROR): _A.SHUTDOWN,
        (_A.SUSPENDED, _AT.ERROR): _A.SHUTDOWN,
    },
)
"""An agent registers once, plays while the league runs, and never comes back from SHUTDOWN: a restarted process is
a new run of this machine. A peer that stops answering suspends it, the next answer recovers it, too many failures
end it. The league can end whatever the agent is doing by then, so `league_end` is known wherever it may arrive."""


class LeagueState(StrEnum):
    """States of a league."""

    WAITING_FOR_REGISTRATIONS = "WAITING_FOR_REGISTRATIONS"
    SCHEDULED = "SCHEDULED"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    STOPPED = "STOPPED"


class LeagueTrigger(StrEnum):
    """Triggers of a league's transitions."""

    CLOSE_REGISTRATION = "close_registration"
    START = "start"
    COMPLETE = "complete"
    STOP = "stop"
    RESUME_REGISTRATION = "resume_registration"
    RESUME_SCHEDULED = "resume_scheduled"
    RESUME_RUNNING = "resume_running"


_L, _LT = LeagueState, LeagueTrigger

LEAGUE: Machine[LeagueState, LeagueTrigger] = Machine(
    "league",
    _L.WAITING_FOR_REGISTRATIONS,
    {
        (_L.WAITING_FOR_REGISTRATIONS, _LT.CLOSE_REGISTRATION): _L.SCHEDULED,
        (_L.SCHEDULED, _LT.START): _L.RUNNING,
        (_L.RUNNING, _LT.COMPLETE): _L.COMPLETED,
        (_L.WAITING_FOR_REGISTRATIONS, _LT.STOP): _L.STOPPED,
        (_L.SCHEDULED, _LT.STOP): _L.STOPPED,
        (_L.RUNNING, _LT.STOP): _L.STOPPED,
        (_L.STOPPED, _LT.RESUME_REGISTRATION): _L.WAITING_FOR_REGISTRATIONS,
        (_L.STOPPED, _LT.RESUME_SCHEDULED): _L.SCHEDULED,
        (_L.STOPPED, _LT.RESUME_RUNNING): _L.RUNNING,
        (_L.WAITING_FOR_REGISTRATIONS, _LT.RESUME_REGISTRATION): _L.WAITING_FOR_REGISTRATIONS,
        (_L.SCHEDULED, _LT.RESUME_SCHEDULED): _L.SCHEDULED,
        (_L.RUNNING, _LT.RESUME_RUNNING): _L.RUNNING,
    },
)
"""A league only ever goes forward. STOPPED is a pause, not an end: it continues where it was, which the table shows
as one trigger for each place. A league whose manager died was never stopped; resuming it stays where it is."""

RESUMES: dict[LeagueState, LeagueTrigger] = {
    _L.WAITING_FOR_REGISTRATIONS: _LT.RESUME_REGISTRATION,
    _L.SCHEDULED: _LT.RESUME_SCHEDULED,
    _L.RUNNING: _LT.RESUME_RUNNING,
}
"""The trigger that resumes a league, by the state in which it was stopped or interrupted."""


class MatchState(StrEnum):
    """States of a match; games may rename RESOLVING (`MoveSpec.resolving_label`)."""

    CREATED = "CREATED"
    WAITING_FOR_PLAYERS = "WAITING_FOR_PLAYERS"
    COLLECTING_CHOICES = "COLLECTING_CHOICES"
    RESOLVING = "RESOLVING"
    FINISHED = "FINISHED"
    REPORTED = "REPORTED"
    ABORTED = "ABORTED"


class MatchTrigger(StrEnum):
    """Triggers of a match's transitions."""

    INVITE = "invite"
    ALL_JOINED = "all_joined"
    ALL_CHOSEN = "all_chosen"
    NEXT_TURN = "next_turn"
    DECIDE = "decide"
    FORFEIT = "forfeit"
    REPORT = "report"
    ABORT = "abort"


_M, _MT = MatchState, MatchTrigger

MATCH: Machine[MatchState, MatchTrigger] = Machine(
    "match",
    _M.CREATED,
    {
        (_M.CREATED, _MT.INVITE): _M.WAITING_FOR_PLAYERS,
        (_M.WAITING_FOR_PLAYERS, _MT.ALL_JOINED): _M.COLLECTING_CHOICES,
        (_M.COLLECTING_CHOICES, _MT.ALL_CHOSEN): _M.RESOLVING,
        (_M.RESOLVING, _MT.NEXT_TURN): _M.COLLECTING_CHOICES,
        (_M.RESOLVING, _MT.DECIDE): _M.FINISHED,
        (_M.WAITING_FOR_PLAYERS, _MT.FORFEIT): _M.FINISHED,
        (_M.COLLECTING_CHOICES, _MT.FORFEIT): _M.FINISHED,
        (_M.FINISHED, _MT.REPORT): _M.REPORTED,
        (_M.CREATED, _MT.ABORT): _M.ABORTED,
        (_M.WAITING_FOR_PLAYERS, _MT.ABORT): _M.ABORTED,
        (_M.COLLECTING_CHOICES, _MT.ABORT): _M.ABORTED,
        (_M.RESOLVING, _MT.ABORT): _M.ABORTED,
    },
)
"""A match is won and lost in play (`decide`) or by a technical loss (`forfeit`), and both end in FINISHED. A game of
many moves goes round COLLECTING_CHOICES and RESOLVING. A fault on the referee's side aborts the match, which is then
played again elsewhere; a match that has a result can no longer be aborted, only reported."""


class PlayerMatchState(StrEnum):
    """States of a player within one match."""

    IDLE = "IDLE"
    INVITED = "INVITED"
    PLAYING = "PLAYING"
    AWAITING_RESULT = "AWAITING_RESULT"


class PlayerMatchTrigger(StrEnum):
    """Triggers of a player's transitions within one match."""

    INVITATION = "invitation"
    ACCEPT = "accept"
    DECLINE = "decline"
    MOVE_CALL = "move_call"
    MOVE = "move"
    RESULT = "result"
    CANCEL = "cancel"


_P, _PT = PlayerMatchState, PlayerMatchTrigger

PLAYER_MATCH: Machine[PlayerMatchState, PlayerMatchTrigger] = Machine(
    "player in a match",
    _P.IDLE,
    {
        (_P.IDLE, _PT.INVITATION): _P.INVITED,
        (_P.INVITED, _PT.ACCEPT): _P.PLAYING,
        (_P.PLAYING, _PT.MOVE): _P.AWAITING_RESULT,
        (_P.AWAITING_RESULT, _PT.RESULT): _P.IDLE,
        (_P.INVITED, _PT.DECLINE): _P.IDLE,
        (_P.INVITED, _PT.INVITATION): _P.INVITED,
        (_P.PLAYING, _PT.INVITATION): _P.INVITED,
        (_P.AWAITING_RESULT, _PT.INVITATION): _P.INVITED,
        (_P.PLAYING, _PT.MOVE_CALL): _P.PLAYING,
        (_P.AWAITING_RESULT, _PT.MOVE_CALL): _P.PLAYING,
        (_P.IDLE, _PT.RESULT): _P.IDLE,
        (_P.INVITED, _PT.RESULT): _P.IDLE,
        (_P.PLAYING, _PT.RESULT): _P.IDLE,
        (_P.INVITED, _PT.CANCEL): _P.IDLE,
        (_P.PLAYING, _PT.CANCEL): _P.IDLE,
        (_P.AWAITING_RESULT, _PT.CANCEL): _P.IDLE,
    },
)
"""The first four rows are the straight way. The rest is what a network does to it: an acknowledgement that got lost
brings the invitation again, and so does a match that is played again; an answer that got lost, an illegal move or
the next turn bring another call for a move; and the result may come at any time, twice, or to a player who never
saw the invitation. A call for a move without an accepted invitation is refused."""
