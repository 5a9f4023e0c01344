"""The transcript of a match: every message in and out, in order."""

from collections.abc import Mapping

from league_sdk.bounds import as_evidence, shorten
from league_sdk.clock import Clock, to_record_time
from league_sdk.domain.matches.match_io import NoteStandIn
from league_sdk.json_value import Json
from league_sdk.protocol.envelope import Envelope, Message
from league_sdk.protocol.substituted import Substituted

_TOLD: Mapping[str, str] = {"move": "choice", "accept": "accept"}
"""Fields of an answer that an entry shows, and their names there."""
STAND_IN = "STAND_IN_MOVE"
"""The `message_type` of an entry for a move that no message brought."""
_DRAW = ("draw_commitment", "draw_nonce")
"""Fields of any message that an entry shows: who fixed which part of chance, and before what."""


class Transcript:
    """Collects entries in the match file's form."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: list[Mapping[str, Json]] = []

    @property
    def entries(self) -> tuple[Mapping[str, Json], ...]:
        return tuple(self._entries)

    @property
    def substituted(self) -> dict[str, dict[str, int]]:
        """Number of substituted answers by player and reason; only players with any."""
        counts: dict[str, dict[str, int]] = {}
        for entry in self._entries:
            if "substituted" in entry:
                of_player = counts.setdefault(entry["from"], {})
                of_player[entry["substituted"]] = of_player.get(entry["substituted"], 0) + 1
        return counts

    def sent(self, message: Envelope, player: str) -> None:
        self._add(message.message_type, to=player, **_draw(message))

    def received(self, answer: Message, player: str, *, pushed: bool = False) -> None:
        extra = {name: as_evidence(getattr(answer, field)) for field, name in _TOLD.items() if hasattr(answer, field)}
        claim = getattr(answer, "substituted", None)
        if isinstance(claim, Substituted):
            extra["substituted"] = str(claim.reason)  # the reason alone: more is for whoever runs the player
        if pushed:
            extra["pushed"] = True
        if isinstance(answer, Envelope) and answer.derived:
            extra["derived"] = list(answer.derived)
        self._add(getattr(answer, "message_type", ""), **{"from": player}, **extra, **_draw(answer))

    def failed(self, message: Envelope, player: str, code: str, description: str) -> None:
        self._add(message.message_type, **{"from": player}, error_code=code, error=shorten(description))

    def stood_in(self, made: NoteStandIn) -> None:
        self._add(STAND_IN, **{"for": made.player}, turn=made.turn, choice=as_evidence(made.move))

    def _add(self, message_type: str, **entry: Json) -> None:
        stamp = {"sequence": len(self._entries) + 1, "message_type": message_type}
        self._entries.append({**stamp, "timestamp": to_record_time(self._clock.now()), **entry})


def _draw(message: Message) -> dict[str, Json]:
    told = {name: getattr(message, name, None) for name in _DRAW}
    return {name: value for name, value in told.items() if value is not None}
