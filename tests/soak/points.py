"""Points at which a sweep kills: before and after every step of a league, in every process."""

from collections.abc import Iterable, Sequence

from tests.soak.saboteur import MANAGER, PLAYER, REFEREE, RUN, Doom

EVENTS = (
    "LeagueCreated",
    "LeagueResumed",
    "RefereeRegistered",
    "PlayerRegistered",
    "ScheduleCreated",
    "LeagueStarted",
    "RoundStarted",
    "MatchAssigned",
    "DrawCommitted",
    "MatchRecorded",
    "RoundCompleted",
    "LeagueCompleted",
)
"""Every event of a league that is left to itself, in about their order; a return that changes nothing is none."""

REFEREE_CALLS = (
    "REFEREE_REGISTER_REQUEST",
    "GAME_INVITATION",
    "CHOOSE_PARITY_CALL",
    "GAME_OVER",
    "MATCH_RESULT_REPORT",
)
REFEREE_ANSWERS = ("notify_round", "start_match", "match_status", "notify_round_completed")
PLAYER_CALLS = ("LEAGUE_REGISTER_REQUEST",)
PLAYER_ANSWERS = ("notify_round", "handle_game_invitation", "choose_parity", "notify_match_result", "update_standings")
RUN_RECORDS = ("RefereeRegistered", "MatchAssigned", "MatchRecorded", "RoundCompleted")


def _around(role: str, point: str, kinds: Iterable[str], nth: int = 1) -> list[Doom]:
    return [Doom(role, point, kind, nth, before) for kind in kinds for before in (True, False)]


def of_the_manager() -> list[Doom]:
    """Before an event is stored, and after it is stored but nobody has been told."""
    return _around(MANAGER, "append", EVENTS)


def by_turns(dooms: Sequence[Doom]) -> list[Doom]:
    """Half of them: before one kind, after the next; all of them are left to `make soak`."""
    return [doom for place, doom in enumerate(dooms) if place % 2 == place // 2 % 2]


def of_the_others() -> list[Doom]:
    """Referees and players, around every message that they send or answer."""
    return [
        *_around(REFEREE, "call", REFEREE_CALLS),
        *_around(REFEREE, "answer", REFEREE_ANSWERS),
        *_around(PLAYER, "call", PLAYER_CALLS),
        *_around(PLAYER, "answer", PLAYER_ANSWERS),
    ]


def of_the_run() -> list[Doom]:
    """The process that starts all others: everything goes down with it, and `league resume` continues."""
    return [Doom(RUN, "record", kind, 1, place % 2 == 0) for place, kind in enumerate(RUN_RECORDS)]
