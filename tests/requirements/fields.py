"""The fields that the documents require of each message: their field tables as data, in names and sections only.

A path names a field: `standings[].rank` is one of every row, `choices.*` is one for every player. What the documents
demand and a decision settles otherwise stands in `SETTLED`, beside the page that settles it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

ENVELOPE = ("protocol", "message_type", "sender", "timestamp", "conversation_id")
"""002 §1.2 and 004 §4.1: in every message, replies and the data of errors among them."""
TOKEN = "auth_token"
"""002 §1.4 and 004 §4.1: in every request after registration."""
MATCH = ("league_id", "round_id", "match_id", "player_id")
"""004 §4.1: in messages of a match, and in those to or from one player; league_id by protocol.md §1."""
_RECORD = ("rank", "player_id", "display_name", "played", "wins", "draws", "losses", "points")
_META = ("display_name", "version", "game_types", "contact_endpoint")


@dataclass(frozen=True, slots=True)
class When:
    """Fields that are required where another field has one of some values.

    Attributes:
        field: The other field, or `sender's role`.
        values: Its values.
        paths: What is required then.
    """

    field: str
    values: tuple[object, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The fields that one message type has to have beside the envelope.

    Attributes:
        section: Where the documents say so.
        required: Paths that are there in every message of the type.
        conditions: Paths that are there in some.
    """

    section: str
    required: tuple[str, ...]
    conditions: tuple[When, ...] = field(default=())


def _inside(name: str, parts: tuple[str, ...]) -> tuple[str, ...]:
    return (name.removesuffix("[]"), *(f"{name}.{part}" for part in parts))


def _accepted(role: str) -> tuple[When, ...]:
    given = (f"{role}_id", TOKEN, "league_id", "reason")
    return (When("status", ("ACCEPTED",), given), When("status", ("REJECTED",), ("reason",)))


_BY_ROLE = (When("sender's role", ("player",), ("player_id",)), When("sender's role", ("referee",), ("referee_id",)))
"""002 knows acknowledgements by players alone; a referee's says `referee_id` in the place of `player_id`."""
_ROUND_ACK = ("status", "round_id")
_MATCH_ACK = (*MATCH, "status")
_NO_NUMBER = ("WIN", "DRAW")
_QUERIED = "query_type"

TABLES: Mapping[str, Table] = {
    "REFEREE_REGISTER_REQUEST": Table(
        "002 §2.1, 003 flow 1, 004 §4.2.1", _inside("referee_meta", (*_META, "max_concurrent_matches"))
    ),
    "REFEREE_REGISTER_RESPONSE": Table("002 §2.1, 003 flow 1, 004 §4.2.1", ("status",), _accepted("referee")),
    "LEAGUE_REGISTER_REQUEST": Table(
        "002 §2.2, 003 message types, 004 §4.2.1", _inside("player_meta", (*_META, "protocol_version"))
    ),
    "LEAGUE_REGISTER_RESPONSE": Table("002 §2.2, 003 flow 2, 004 §4.2.1", ("status",), _accepted("player")),
    "ROUND_ANNOUNCEMENT": Table(
        "002 §3.1, 004 §4.2.2",
        (
            *(TOKEN, "league_id", "round_id"),
            *_inside("matches[]", ("match_id", "game_type", "player_A_id", "player_B_id", "referee_endpoint")),
        ),
    ),
    "ROUND_ANNOUNCEMENT_ACK": Table("002 §3.1", _ROUND_ACK, _BY_ROLE),
    "LEAGUE_STANDINGS_UPDATE": Table(
        "002 §3.2, 004 §4.2.4", (TOKEN, "league_id", "round_id", *_inside("standings[]", _RECORD))
    ),
    "STANDINGS_UPDATE_ACK": Table("002 §3.2", _ROUND_ACK, _BY_ROLE),
    "ROUND_COMPLETED": Table("002 §3.3", (TOKEN, "league_id", "round_id", "matches_played", "next_round_id")),
    "ROUND_COMPLETED_ACK": Table("002 §3.3", _ROUND_ACK, _BY_ROLE),
    "LEAGUE_COMPLETED": Table(
        "002 §3.4",
        (
            *(TOKEN, "league_id", "total_rounds", "total_matches"),
            *_inside("champion", ("player_id", "display_name", "points")),
            *_inside("final_standings[]", ("rank", "player_id", "display_name", "points", "wins", "draws", "losses")),
        ),
    ),
    "LEAGUE_COMPLETED_ACK": Table("002 §3.4", ("status",), _BY_ROLE),
    "GAME_INVITATION": Table(
        "002 §4.1, 003 flow 3, 004 §4.2.3", (TOKEN, *MATCH, "game_type", "role_in_match", "opponent_id")
    ),
    "GAME_JOIN_ACK": Table("002 §4.1, 003 flow 3, 004 §4.2.3", (TOKEN, *MATCH, "arrival_timestamp", "accept")),
    "CHOOSE_PARITY_CALL": Table(
        "002 §4.2, 003 flow 3, 004 §4.2.3",
        (
            *(TOKEN, *MATCH, "game_type", "deadline"),
            *_inside("context", ("opponent_id", "round_id")),
            *_inside("context.your_standings", ("wins", "losses", "draws", "points")),
        ),
    ),
    "CHOOSE_PARITY_RESPONSE": Table("002 §4.2, 003 flow 3, 004 §4.2.3", (TOKEN, *MATCH, "parity_choice")),
    "GAME_OVER": Table(
        "002 §4.3, 003 flow 3, 004 §4.2.3",
        (TOKEN, *MATCH, "game_type", *_inside("game_result", ("status", "winner_player_id", "reason"))),
        (
            When(
                "game_result.status",
                _NO_NUMBER,
                tuple(f"game_result.{name}" for name in ("drawn_number", "number_parity", "choices", "choices.*")),
            ),
        ),
    ),
    "GAME_OVER_ACK": Table("002 §4.3", _MATCH_ACK),
    "MATCH_RESULT_REPORT": Table(
        "002 §5.1, 003 flow 3, 004 §4.2.3",
        (
            *(TOKEN, "league_id", "round_id", "match_id", "game_type"),
            *_inside("result", ("winner", "score", "score.*", "details", "details.status")),
        ),
        (
            When(
                "result.details.status",
                _NO_NUMBER,
                tuple(f"result.details.{name}" for name in ("drawn_number", "choices", "choices.*")),
            ),
        ),
    ),
    "MATCH_RESULT_ACK": Table("002 §5.1", ("status", "match_id", "round_id")),
    "LEAGUE_ERROR": Table(
        "002 §5.1, §6.1",
        ("error_code", "error_description", "context"),
        (
            When("error_code", ("E012",), ("context.action",)),
            When("error_code", ("E010",), ("context.match_id", "context.previous_report_time")),
        ),
    ),
    "GAME_ERROR": Table(
        "002 §6.2, 003 flow 4",
        (
            *(TOKEN, *MATCH, "error_code", "error_description", "affected_player", "action_required"),
            *("retryable", "retry_count", "max_retries", "consequence"),
        ),
    ),
    "GAME_ERROR_ACK": Table("002 §6.2", _MATCH_ACK),
    "LEAGUE_QUERY": Table("002 §7.1", (TOKEN, "league_id", _QUERIED)),
    "LEAGUE_QUERY_RESPONSE": Table(
        "002 §7.1",
        (_QUERIED,),
        (
            When(_QUERIED, ("GET_STANDINGS",), ("current_round", *_inside("standings[]", _RECORD))),
            # 004 §3.1.3 and 003 name these queries; what their answers hold is ours.
            When(_QUERIED, ("GET_STATUS",), ("status",)),
            When(_QUERIED, ("GET_SCHEDULE",), ("schedule",)),
            When(_QUERIED, ("GET_PLAYER_STATS",), ("player_stats",)),
        ),
    ),
}
"""Fields that 002 §2 to §7, 003's messages in `league.v2` and 004 §4.1, §4.2 require, message type by message type."""

OWN: Mapping[str, Table] = {
    "ANSWER_ACK": Table("protocol.md §2", (*_MATCH_ACK,)),
    "WITHDRAW_REQUEST": Table("protocol.md §7", (TOKEN,)),
    "WITHDRAW_RESPONSE": Table("protocol.md §7", ("status", "league_id", "agent_id", "withdrew", "lost_matches")),
    "START_LEAGUE": Table("004 §3.1.3", (TOKEN,)),
    "START_LEAGUE_RESPONSE": Table("004 §3.1.3", ("status", "league_id")),
    "SCHEDULE_RESPONSE": Table("004 §3.1.3", ("league_id", "matches")),
    "STANDINGS_RESPONSE": Table("004 §3.1.3", ("league_id", *_inside("standings[]", _RECORD))),
    "START_MATCH": Table(
        "004 §3.2.3",
        (
            *(TOKEN, "league_id", "round_id", "match_id", "game_type"),
            *(f"player_{seat}_{name}" for seat in "AB" for name in ("id", "endpoint", "ticket")),
        ),
    ),
    "START_MATCH_RESPONSE": Table("004 §3.2.3", ("status", "match_id", "game_session_id")),
    "MATCH_STATUS": Table("protocol.md §2", (TOKEN, "match_id")),
    "MATCH_STEP_RESPONSE": Table("004 §3.2.3", ("match_id", "game_session_id", "state")),
}
"""Messages that no table of the documents shows: what their tools need, and the envelope."""

V1_ENVELOPE = (*ENVELOPE, "league_id", "round_id", "match_id")
"""003, base message structure: in every message of `league.v1`."""
V1: Mapping[str, Table] = {
    "GAME_INVITATION": Table(
        "003 game flow messages", _inside("game_info", ("game_type", "opponent_id", "timeout_seconds"))
    ),
    "CHOOSE_PARITY_CALL": Table("003 game flow messages", _inside("game_state", ("game_type", "timeout_seconds"))),
    "GAME_OVER": Table(
        "003 game flow messages",
        _inside("result", ("winner_id", "loser_id", "winner_choice", "loser_choice", "points_awarded")),
        (When("result.status", _NO_NUMBER, ("result.drawn_number", "result.number_parity")),),
    ),
}
"""Fields that 003 shows in the `league.v1` messages that a player is sent."""

SETTLED: Mapping[str, tuple[str, str]] = {
    "LEAGUE_REGISTER_REQUEST league_id": (
        "0034-the-envelope",
        "004's example has it and 002 does not; who registers may not know the league yet.",
    ),
    "GAME_OVER game_result.drawn_number": (
        "0006-technical-loss-points",
        "Required of wins and draws; a technical loss before the draw has no number.",
    ),
    "MATCH_RESULT_REPORT result.details.drawn_number": (
        "0006-technical-loss-points",
        "Required of wins and draws; a technical loss before the draw has no number.",
    ),
    "ROUND_ANNOUNCEMENT_ACK auth_token": (
        "0016-tokens",
        "004 wants the token in every message after registration; answers have it where 002 requires it.",
    ),
    "GAME_JOIN_ACK auth_token": (
        "0016-tokens",
        "Required, and not the player's token: it is the ticket of the match that the referee showed.",
    ),
    "LEAGUE_ERROR context.provided_token": ("0016-tokens", "Optional in 002; a token is never repeated."),
    "MATCH_RESULT_ACK league_id": (
        "0034-the-envelope",
        "004 wants the ids in messages of a match; this one has those that 002 gives it.",
    ),
}
"""Message type and path to the page that settles it differently from one of the documents, and how."""
