"""Verifiable chance: commitment before, a nonce by each player, secret after.

    commitment = H("league.v2/draw/commitment", secret, league, match, attempt)
    seed       = H("league.v2/draw/seed", secret, league, match, attempt, nonce of seat 1, nonce of seat 2, …)

H is SHA-256, in lower-case hexadecimal, over the parts one after the other, each written as its length in bytes of
UTF-8, a colon, the bytes, and a comma (`3:abc,`), so that no two lists of parts are written alike. The attempt is
written in decimal digits; a player without a nonce counts as the empty text.

The referee publishes the commitment in the invitation, so it cannot change its secret afterwards; the nonces come
later, so it could not choose the secret for them. All chance of the match follows from the seed (`clock.HashRng`), and
at the end the referee reveals the inputs. docs/verifiable_draws.md has an example to follow by hand.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from league_sdk.json_value import Json

ALGORITHM = "sha256-v1"  # the name of this formula in a reveal
LONGEST_NONCE = 128  # characters of the longest nonce

_COMMITMENT = "league.v2/draw/commitment"
_SEED = "league.v2/draw/seed"
_SECRET = "league.v2/draw/secret"  # noqa: S105 (a label, not a secret)
_LOTS = "league.v2/lots"
_DEAL = "league.v2/deal"


def digest(*parts: str) -> str:
    """SHA-256, in hexadecimal, over netstrings, so that no two lists are alike."""
    written = bytearray()
    for part in parts:
        data = part.encode()
        written += b"%d:%b," % (len(data), data)
    return hashlib.sha256(written).hexdigest()


def lot(player_id: str, draws: Iterable[str]) -> str:
    """A player's lot, from the seeds of revealed draws; the lowest lot wins."""
    return digest(_LOTS, *draws, player_id)


def seed_of_deal(seed: str, draws: Iterable[str]) -> str:
    """The seed of a deal that follows from the draws revealed before it."""
    return digest(_DEAL, seed, *draws)


def seed_of_match(league_seed: str, match_id: str, attempt: int = 1) -> str:
    """The seed of an attempt at a match in a seeded league."""
    return hashlib.sha256(f"{league_seed}\x1f{match_id}\x1f{attempt}".encode()).hexdigest()


def seeded_nonce(league_seed: str, player_name: str, match_id: str, commitment: str) -> str:
    """The reproducible nonce of a player of a seeded league."""
    return digest("league.v2/draw/nonce", league_seed, player_name, match_id, commitment)


@dataclass(frozen=True, slots=True)
class Draw:
    """A referee's secret for one attempt at one match."""

    secret: str = field(repr=False)
    league_id: str
    match_id: str
    attempt: int = 1

    @classmethod
    def seeded(cls, seed: str, league_id: str, match_id: str, attempt: int = 1) -> "Draw":
        """A reproducible draw: its secret follows from a seed, and is as hard to guess."""
        secret = digest(_SECRET, seed, league_id, match_id, str(attempt))
        return cls(secret, league_id, match_id, attempt)

    @property
    def commitment(self) -> str:
        """Published before the match: it fixes the secret without revealing it."""
        return digest(_COMMITMENT, *self._bound)

    def seed(self, nonces: Sequence[str]) -> str:
        """The seed of all chance in the match; nonces in seat order, empty ones included."""
        return digest(_SEED, *self._bound, *nonces)

    def reveal(self, players: Sequence[str], nonces: Mapping[str, str]) -> dict[str, Json]:
        """The reveal published after the match; players in seat order, nonces by id."""
        seats = [nonces.get(player, "") for player in players]
        return {
            "algorithm": ALGORITHM,
            "commitment": self.commitment,
            "secret": self.secret,
            "nonces": dict(zip(players, seats, strict=True)),
            "seed": self.seed(seats),
        }

    @property
    def _bound(self) -> tuple[str, str, str, str]:
        return self.secret, self.league_id, self.match_id, str(self.attempt)


@dataclass(frozen=True, slots=True)
class Pledge:
    """A player's knowledge of a draw before the match, to check the reveal."""

    commitment: str
    league_id: str
    match_id: str
    attempt: int
    player_id: str  # the checking player
    nonce: str

    def fault(self, reveal: Json, players: Sequence[str]) -> str | None:
        """The fault in a reveal (any JSON), in a sentence; None if it is correct."""
        if not isinstance(reveal, Mapping):
            return "a commitment was published, but nothing was revealed"
        told = cast(Mapping[str, Json], reveal)
        secret, nonces = told.get("secret"), told.get("nonces")
        if not isinstance(secret, str) or not isinstance(nonces, Mapping):
            return "the reveal has no secret or no nonces"
        draw = Draw(secret, self.league_id, self.match_id, self.attempt)
        given = [cast(Mapping[str, Json], nonces).get(player, "") for player in players]
        if not all(isinstance(nonce, str) for nonce in given):
            return "a revealed nonce is not a text"
        try:
            if not hmac.compare_digest(draw.commitment.encode(), self.commitment.encode()):
                return "the revealed secret is not the one that was committed to"
            if cast(Mapping[str, Json], nonces).get(self.player_id, "") != self.nonce:
                return "the revealed nonces do not hold the one that was given"
            if told.get("seed") not in (None, draw.seed(given)):
                return "the revealed seed does not follow from the secret and the nonces"
        except UnicodeEncodeError:
            return "the reveal holds text that cannot be written as UTF-8"
        return None
