"""The players of a match, as the assignment describes them."""

from league_sdk.dialect import known_dialect
from league_sdk.domain.matches.causes import GONE_CONNECT_SEC
from league_sdk.ports import Peer
from league_sdk.protocol.operator import StartMatch
from servers.referee.answers import Proof


def peers_of(message: StartMatch) -> dict[str, Peer]:
    """The way to call each player, by id."""
    return {
        seat.player_id: Peer(
            seat.player_id,
            seat.endpoint,
            seat.ticket,
            known_dialect(seat.dialect),
            hosted=bool(seat.hosted),
            connect_sec=GONE_CONNECT_SEC if seat.gone_in else None,
        )
        for seat in message.seats
    }


def proofs_of(message: StartMatch) -> dict[str, Proof]:
    """Each player's credentials for its own calls, by id."""
    return {seat.player_id: Proof(seat.ticket, seat.token_digest) for seat in message.seats}


def returns_of(message: StartMatch) -> dict[str, int]:
    """Seats retaken so far, by player id; of those the manager told."""
    return {seat.player_id: seat.returns for seat in message.seats if seat.returns is not None}


def gone_in(message: StartMatch) -> dict[str, str]:
    """The last match of each player that was gone in it, and has not been seen since."""
    return {seat.player_id: seat.gone_in for seat in message.seats if seat.gone_in is not None}
