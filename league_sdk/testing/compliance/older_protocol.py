"""Translation of the checker's messages, for agents that speak `league.v1`."""

from collections.abc import Mapping
from typing import Any

from league_sdk.dialect import V1, V2, known_dialect
from league_sdk.errors import LeagueError
from league_sdk.game import MoveSpec
from league_sdk.json_value import Json
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.v1 import V1Codec
from league_sdk.testing.compliance.responses import as_object, is_object


class Translator:
    """Translates between `league.v2` and the checked agent's protocol."""

    def __init__(self, codec: Codec, spec: MoveSpec) -> None:
        self.protocol = V2
        self.asked = ""
        self._codec = codec
        self._spec = spec
        self._v1 = V1Codec(codec, [spec])

    def called_as(self, registration: Mapping[str, Json], protocol: Json) -> None:
        """Take the protocol that a registration asks for, else the one it used."""
        asked = as_object(registration.get("player_meta")).get("dialect")
        self.asked = asked if isinstance(asked, str) else ""
        self.protocol = known_dialect(self.asked).protocol or (V1 if protocol == V1 else V2)

    def written(self, message: Json, kind: type[Message]) -> Json:
        """A message to the agent, in its protocol."""
        if self.protocol != V1:
            return message
        return self._v1.render(self._codec.parse(as_object(message), kind, spec=self._spec), spec=self._spec)

    def read(self, message: Json, kind: type[Message], sent: Json = None, asked: Json = None) -> Json:
        """A readable message of the agent's in `league.v2`; others as they are.

        `sent` is the request that it answers as it was written, and `asked` as the checker has it.
        """
        if not is_object(message) or "message_type" not in message:
            return message
        if sent is not asked and message.get("conversation_id") in (None, as_object(sent).get("conversation_id")):
            message = {**message, "conversation_id": as_object(asked).get("conversation_id")}
        if message.get("protocol") != V1:
            return message
        try:
            return self._codec.render(self._v1.parse(message, kind, spec=self._spec), spec=self._spec)
        except LeagueError:
            return message

    def reply(self, message: Message, to: Mapping[str, Json]) -> dict[str, Any]:
        """A reply of the checker's, in the protocol of its request."""
        codec = self._v1 if to.get("protocol") == V1 else self._codec
        return codec.render(message, spec=self._spec)
