"""Checks that a match's random draw was fixed before the first move."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from league_sdk import fairness
from league_sdk.dialect import v1_id
from league_sdk.domain.model import MatchResult
from league_sdk.json_value import Json
from servers.read_model.matches import Kind, conversation


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that has to hold."""

    claim: str  # what, in a sentence
    held: bool


@dataclass(frozen=True, slots=True)
class RevealedDraw:
    """The random draw of a match, as revealed once the match is over."""

    commitment: str = ""  # what the referee published before the match; empty when nothing
    secret: str = field(default="", repr=False)  # what it revealed after the match; empty when nothing
    # what each player added, by player id, in seat order
    nonces: Mapping[str, str] = field(default_factory=dict[str, str])
    seed: str = ""  # what all chance of the match follows from, recomputed; empty when it cannot be
    checks: tuple[Check, ...] = ()  # what was recomputed; empty when nothing was revealed

    @property
    def verified(self) -> bool:
        """True if all of it could be recomputed, and fits."""
        return bool(self.checks) and all(check.held for check in self.checks)


def _bound(league_id: str, secret: str, result: MatchResult, published: set[str]) -> fairness.Draw:
    """The draw of a match; a referee of league.v1 binds it to the id that it knows."""
    bound = [fairness.Draw(secret, one, result.match_id, result.attempt) for one in (league_id, v1_id(league_id))]
    return next((draw for draw in bound if draw.commitment in published), bound[0])


def check_draw(league_id: str, result: MatchResult) -> RevealedDraw:
    """Check a revealed draw against the commitments made during the match."""
    lines = conversation(result)
    published = {line.commitment for line in lines if line.commitment}
    given = {
        line.speaker: line.nonce
        for line in lines
        if line.kind is Kind.JOIN and line.nonce and line.accepted is not False
    }
    told: Json = result.details.get("draw")
    commitment = min(published, default="")
    if not isinstance(told, Mapping):
        return RevealedDraw(commitment)
    reveal = cast("Mapping[str, Json]", told)
    secret, revealed = reveal.get("secret"), reveal.get("nonces")
    if not isinstance(secret, str) or not isinstance(revealed, Mapping):
        return RevealedDraw(
            commitment, checks=(Check("The referee revealed its secret and the players' nonces.", False),)
        )
    nonces = {player: str(cast("Mapping[str, Json]", revealed).get(player, "")) for player in result.players}
    try:
        draw = _bound(league_id, secret, result, published)
        seed = draw.seed([nonces[player] for player in result.players])
        fits = published == {draw.commitment} and reveal.get("commitment", draw.commitment) == draw.commitment
    except UnicodeEncodeError:
        return RevealedDraw(commitment, checks=(Check("The reveal can be written as UTF-8.", False),))
    return RevealedDraw(
        commitment or str(reveal.get("commitment", "")),
        secret,
        nonces,
        seed,
        (
            Check("The revealed secret is the one that was committed to before the match.", fits),
            Check(
                "The nonces are those that the players gave on joining.",
                all(nonces[player] == given.get(player, "") for player in result.players),
            ),
            Check("The seed follows from the secret and the nonces.", reveal.get("seed") in (None, seed)),
        ),
    )
