"""Completes calls of simple agents by what tool, token and time say of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from clients.derivations import Derivations
from league_sdk.clock import Clock, Ids, to_record_time
from league_sdk.dialect import V2
from league_sdk.game import MoveSpec
from league_sdk.json_value import Json
from league_sdk.ports import Journal
from league_sdk.protocol.calls import CallSpec
from league_sdk.protocol.derived_fields import (
    Completed,
    complete,
    conversation_of,
    message_type_of,
    speaker_at_registration,
)
from league_sdk.protocol.envelope import Envelope, Message
from servers.agent.access import Access

_ENVELOPE = ("protocol", "message_type", "sender", "timestamp", "conversation_id")


@dataclass(frozen=True, slots=True)
class Speaker:
    """The owner of a credential: what its message may leave out."""

    sender: str
    protocol: str = V2
    player_id: str | None = None  # of a player that pushes an answer


Speakers: TypeAlias = Callable[[Access, Mapping[str, Json], str | None], Speaker | None]
"""Finds the speaker by its credential, from a tool's access rule, the arguments and the token; None without."""


class DerivedCalls:
    """Derives the missing fields of calls; `speakers` says whose a credential is."""

    def __init__(self, clock: Clock, ids: Ids, journal: Journal, derivations: Derivations, speakers: Speakers) -> None:
        self._clock = clock
        self._ids = ids
        self._journal = journal
        self._derivations = derivations
        self._speakers = speakers

    def complete(
        self, call: CallSpec, spec: MoveSpec | None, access: Access, arguments: Mapping[str, Json], token: str | None
    ) -> Completed:
        """The arguments with those missing fields that are certain."""
        if None not in arguments.values() and all(name in arguments for name in _ENVELOPE):
            return Completed(dict(arguments))
        speaker = self._speakers(access, arguments, token)
        name, endpoint = ("", "") if speaker is not None else speaker_at_registration(arguments)
        known: dict[str, Json] = {
            "protocol": V2 if speaker is None else speaker.protocol,
            "message_type": message_type_of(call.request, spec),
            "sender": name if speaker is None else speaker.sender,
            "timestamp": to_record_time(self._clock.now()),
            "player_id": None if speaker is None else speaker.player_id,
        }
        if arguments.get("conversation_id") is None:
            spoken = str(arguments.get("sender") or known["sender"])
            known["conversation_id"] = (
                self._ids.conversation()
                if call.read_only
                else conversation_of(call.tool, f"{spoken} {endpoint}", arguments)
            )
        return complete(arguments, call.request, known)

    def note(self, message: Message, completed: Completed, peer: str) -> None:
        """Tell of a message's derived fields, once it is accepted."""
        if not completed.derived:
            return
        if isinstance(message, Envelope):
            message.derive(completed.derived)
        fields = {name: completed.message.get(name) for name in completed.derived}
        self._derivations.note(self._journal, peer, str(completed.message.get("message_type")), fields)
