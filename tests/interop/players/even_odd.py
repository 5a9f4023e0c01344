"""A player of Even/Odd as eight functions, which each framework serves in its own way."""

import random
from datetime import UTC, datetime
from typing import Any


def answer(kind: str, match_id: str, player_id: str, **fields: Any) -> dict[str, Any]:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    envelope = {"protocol": "league.v2", "message_type": kind, "sender": f"player:{player_id}", "timestamp": now}
    return {**envelope, "match_id": match_id, "player_id": player_id, **fields}


def handle_game_invitation(match_id: str, player_id: str, auth_token: str = "") -> dict[str, Any]:
    joined = answer("GAME_JOIN_ACK", match_id, player_id, accept=True)
    return {**joined, "arrival_timestamp": joined["timestamp"]}


def choose_parity(match_id: str, player_id: str, auth_token: str = "") -> dict[str, Any]:
    return answer("CHOOSE_PARITY_RESPONSE", match_id, player_id, parity_choice=random.choice(["even", "odd"]))


def notify_match_result(match_id: str, auth_token: str = "") -> dict[str, Any]:
    return {"status": "ok"}


def notify_game_error(auth_token: str = "") -> dict[str, Any]:
    return {"status": "ok"}


def notify_round(round_id: int, auth_token: str = "") -> dict[str, Any]:
    return {"status": "ok"}


def update_standings(auth_token: str = "") -> dict[str, Any]:
    return {"status": "ok"}


def notify_round_completed(round_id: int, auth_token: str = "") -> dict[str, Any]:
    return {"status": "ok"}


def notify_league_completed(auth_token: str = "") -> dict[str, Any]:
    return {"status": "ok"}


TOOLS = (
    handle_game_invitation,
    choose_parity,
    notify_match_result,
    notify_game_error,
    notify_round,
    update_standings,
    notify_round_completed,
    notify_league_completed,
)
