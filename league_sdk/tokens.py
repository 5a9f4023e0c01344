"""Tokens: issued once, stored as a digest, compared in constant time.

These kinds of secret travel in `auth_token`:

* an **agent token** is issued at registration; an agent shows it to the manager. The manager keeps its digest. An
  agent may propose a strong one of its own making: then it knows its token even if the answer never reaches it.
* an agent that a league's launcher starts proposes a token that is derived from the operator's. So the manager knows
  its digest before the agent comes, keeps the agent's name for it, and the launcher has it again without storing it.
* a **peer token** goes the other way: the manager shows it to one agent, which so recognises the manager. It is
  derived from the operator's token, so a restarted manager has it again without storing it.
* a **match ticket** is shown by a referee to a player during one match. It is derived from that player's peer token,
  so the player can check it, and it is valid for nothing else.
* a **seat token** is shown by a player that cannot be called to the host of its seat (`seat_token` there). It is
  derived from the operator's token, so neither manager nor host stores it.
"""

import hashlib
import hmac
import re

_STRONG = re.compile(r"[A-Za-z0-9_-]{43,128}")


def digest(token: str) -> str:
    """SHA-256 of a token, in hexadecimal: the only form in which one is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def matches(token: str | None, stored_digest: str) -> bool:
    """True if `token` has the stored digest, compared in constant time."""
    return token is not None and hmac.compare_digest(digest(token), stored_digest)


def same(token: str | None, expected: str) -> bool:
    """True if two secrets are equal, compared in constant time."""
    return token is not None and hmac.compare_digest(token.encode(), expected.encode())


def strong(token: str) -> bool:
    """True if a proposed token has our form: 32 bytes or more in URL-safe base64."""
    return _STRONG.fullmatch(token) is not None


def operator_digest(operator_token: str, league_id: str) -> str:
    """Digest of the operator's token, not comparable between leagues."""
    return digest(_derive(operator_token, "operator", league_id))


def launched_token(operator_token: str, league_id: str, role: str, display_name: str) -> str:
    """The token of an agent that the league's launcher starts: HMAC-SHA-256."""
    return _derive(operator_token, "launched", league_id, role, display_name)


def peer_token(operator_token: str, league_id: str, agent_id: str) -> str:
    """The manager's token for one agent: HMAC-SHA-256 under the operator's token."""
    return _derive(operator_token, "peer", league_id, agent_id)


def match_ticket(peer_token: str, match_id: str, attempt: int) -> str:
    """A referee's token for one player during one attempt at one match."""
    return _derive(peer_token, "match", match_id, str(attempt))


def seat_key(operator_token: str, league_id: str) -> str:
    """The key of a league's host of seats: HMAC-SHA-256 under the operator's token."""
    return _derive(operator_token, "seats", league_id)


def seat_token(seat_key: str, seat_id: str) -> str:
    """The token of a seat's owner: the seat's id, a dot, and HMAC-SHA-256 of the id."""
    return f"{seat_id}.{_derive(seat_key, 'seat', seat_id)}"


def seat_address(seat_key: str, seat_id: str) -> str:
    """A seat's part of its URL: its id, a dot, and HMAC-SHA-256 of the id.

    Only the manager and referees know it. Records name the id: with that alone every opponent could fill a seat's
    queue, until a referee's calls are refused.
    """
    return f"{seat_id}.{_derive(seat_key, 'address', seat_id)}"


def seat_and_number(seat_id: str) -> tuple[str, int]:
    """A seat, and the number of its owner: 1, then 2 after a takeover."""
    seat, _, number = seat_id.partition("-")
    return seat, int(number or 1)


def next_seat(seat_id: str) -> str:
    """The id of a seat for the owner after this one."""
    seat, number = seat_and_number(seat_id)
    return f"{seat}-{number + 1}"


def _derive(key: str, *parts: str) -> str:
    message = "\x1f".join(parts).encode()
    return hmac.new(key.encode(), message, hashlib.sha256).hexdigest()
