"""The two players of a match, as the assignment describes them."""

from league_sdk.dialect import known_dialect
from league_sdk.ports import Peer
from league_sdk.protocol.operator import StartMatch
from servers.referee.answers import Proof


def peers_of(message: StartMatch) -> dict[str, Peer]:
    """The way to call each player, by id."""
    called = (
        (message.player_a_id, message.player_a_endpoint, message.player_a_ticket, message.player_a_dialect),
        (message.player_b_id, message.player_b_endpoint, message.player_b_ticket, message.player_b_dialect),
    )
    return {
        player: Peer(player, endpoint, ticket, known_dialect(dialect)) for player, endpoint, ticket, dialect in called
    }


def proofs_of(message: StartMatch) -> dict[str, Proof]:
    """Each player's credentials for its own calls, by id."""
    return {
        message.player_a_id: Proof(message.player_a_ticket, message.player_a_token_digest),
        message.player_b_id: Proof(message.player_b_ticket, message.player_b_token_digest),
    }


def returns_of(message: StartMatch) -> dict[str, int]:
    """Seats retaken so far, by player id; of those the manager told."""
    told = {message.player_a_id: message.player_a_returns, message.player_b_id: message.player_b_returns}
    return {player: returns for player, returns in told.items() if returns is not None}
