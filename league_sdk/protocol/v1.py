"""`league.v1`: an older spelling of the messages, for agents that know no other.

It writes ids of leagues and conversations as UUIDs and senders as `player_P01`. Every message has a league, a round and
a match, and nests its subject: `game_info`, `game_state`, `choice`, `result`. Fields that `v1` has no word for keep
their name of `league.v2`. The name of a game's answer is in its `MoveSpec`.
"""

import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any, Final, TypeVar, cast

from league_sdk.bounds import Bounds
from league_sdk.clock import to_record_time
from league_sdk.dialect import V1, V2, v1_id
from league_sdk.game import MoveSpec
from league_sdk.json_value import Json
from league_sdk.protocol.codec import DialectCodec
from league_sdk.protocol.envelope import Message, utc
from league_sdk.protocol.match import GameInvitation, GameOver, GameReply, MoveCall, MoveResponse
from league_sdk.protocol.registration import LeagueRegisterRequest, RefereeRegisterRequest

M = TypeVar("M", bound=Message)
Body = dict[str, Json]

NO_ID: Final = str(uuid.UUID(int=0))  # stands for a league or a conversation that a message does not name
NO_MATCH: Final = "LEAGUE"
REGISTRATION: Final = "REGISTRATION"  # stands for a match, in messages about none
UNKNOWN: Final = "unknown"
REMEMBERED: Final = 10_000  # written UUIDs that can be translated back
_ROLES: Final = ("player", "referee")


class V1Codec:
    """Codec of `league.v1`: translates to and from another codec's messages.

    `leagues` are those that peers may name before we have written about them; `join_sec` is the time in invitations.
    """

    def __init__(
        self,
        codec: DialectCodec,
        specs: Iterable[MoveSpec] = (),
        *,
        leagues: Iterable[str] = (),
        join_sec: float = 5.0,
        bounds: Bounds | None = None,
    ) -> None:
        self._codec = codec
        self._specs = tuple(specs) or (MoveSpec(),)
        self._join_sec = join_sec
        self._bounds = bounds or Bounds()
        self._leagues = {v1_id(league): league for league in leagues}
        self._conversations: OrderedDict[str, str] = OrderedDict()

    def parse(self, arguments: Mapping[str, Any], expect: type[M], *, spec: MoveSpec | None = None) -> M:
        """Read a message; see `Codec.parse`. Messages of `league.v2` are read as such."""
        if not isinstance(cast(object, arguments), Mapping) or arguments.get("protocol") != V1:
            return self._codec.parse(arguments, expect, spec=spec)
        self._bounds.check(arguments)
        data: Body = {**arguments, "protocol": V2}
        self._read_envelope(data, expect)
        for kind, read in _READERS.items():
            if issubclass(expect, kind):
                read(data)
        if issubclass(expect, MoveResponse):
            self._read_choice(data, spec)
        return self._codec.parse(data, expect, spec=spec)

    def render(self, message: Message, *, spec: MoveSpec | None = None) -> dict[str, Any]:
        data = self._codec.render(message, spec=spec)
        data["protocol"] = V1
        for kind, write in _WRITERS.items():
            if isinstance(message, kind):
                write(data)
        if isinstance(message, GameInvitation):
            data["game_info"]["timeout_seconds"] = round(self._join_sec, 3)
        if isinstance(message, MoveResponse):
            known = spec or self._spec_of(data["message_type"])
            data["message_type"] = known.v1_response_type or known.response_type
            data["choice"] = {"value": data.pop(known.choice_field)}
        self._write_envelope(data)
        return data

    def _write_envelope(self, data: Body) -> None:
        league, conversation = data.get("league_id"), data.get("conversation_id")
        if league is not None:
            data["league_id"] = written = v1_id(league)
            self._leagues[written] = league
        if conversation is not None:
            data["conversation_id"] = written = v1_id(conversation)
            if written != conversation:
                self._conversations[written] = conversation
                self._conversations.move_to_end(written)
                while len(self._conversations) > REMEMBERED:
                    self._conversations.popitem(last=False)
        for role in _ROLES:
            if str(data.get("sender", "")).startswith(f"{role}:"):
                data["sender"] = f"{role}_{data['sender'].partition(':')[2]}"
        registering = "REGISTER" in str(data.get("message_type"))
        place = {"league_id": NO_ID, "round_id": 0, "match_id": REGISTRATION if registering else NO_MATCH}
        for name, nothing in (*place.items(), ("conversation_id", NO_ID)):
            if data.get(name) is None:
                data[name] = nothing

    def _read_envelope(self, data: Body, expect: type[Message]) -> None:
        nothing = {"league_id": NO_ID, "conversation_id": NO_ID, "round_id": 0}
        for name in [name for name, value in nothing.items() if data.get(name) == value]:
            if not _needs(expect, name):
                del data[name]
        if data.get("match_id") in (NO_MATCH, REGISTRATION) and not _needs(expect, "match_id"):
            del data["match_id"]
        _translate(data, "league_id", self._leagues)
        _translate(data, "conversation_id", self._conversations)
        if issubclass(expect, LeagueRegisterRequest | RefereeRegisterRequest) and _is_uuid(data.get("league_id")):
            # An agent can't know the league's UUID before it is told: any other stands for the league that is asked.
            del data["league_id"]
        sender = data.get("sender")
        if isinstance(sender, str):
            if sender in _ROLES:
                data["sender"] = f"{sender}:{UNKNOWN}"
            for role in _ROLES:
                if sender.startswith(f"{role}_"):
                    data["sender"] = f"{role}:{sender.removeprefix(f'{role}_')}"

    def _read_choice(self, data: Body, spec: MoveSpec | None) -> None:
        said = data.get("message_type")
        known = spec or (self._spec_of(said) if isinstance(said, str) else None)
        if known is None:
            return
        if said == known.v1_response_type:
            data["message_type"] = known.response_type
        choice = data.get("choice")
        if "choice" in data and (known.choice_field not in data or known.choice_field == "choice"):
            inside = cast("dict[str, Json]", choice) if isinstance(choice, dict) else {"value": choice}
            if "value" in inside:
                data[known.choice_field] = inside["value"]

    def _spec_of(self, message_type: str) -> MoveSpec:
        for spec in self._specs:
            if message_type in (spec.response_type, spec.v1_response_type, *spec.response_aliases, spec.call_type):
                return spec
        return self._specs[0]


def _is_uuid(text: Json) -> bool:
    try:
        return isinstance(text, str) and str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def _needs(expect: type[Message], name: str) -> bool:
    field = expect.model_fields.get(name)
    return field is not None and field.is_required()


def _translate(data: Body, name: str, known: Mapping[str, str]) -> None:
    said = data.get(name)
    if isinstance(said, str) and said in known:
        data[name] = known[said]


def _inside(data: Body, name: str) -> Body:
    """Remove the object `name` from a message and return it; empty if absent."""
    if not isinstance(data.get(name), dict):
        return {}
    return dict(cast("Body", data.pop(name)))


def _lift(data: Body, inside: Body, *names: str) -> None:
    for name in names:
        if name in inside:
            data.setdefault(name, inside[name])


def _write_invitation(data: Body) -> None:
    data["game_info"] = {name: data[name] for name in ("game_type", "opponent_id")}


def _read_invitation(data: Body) -> None:
    info = _inside(data, "game_info")
    _lift(data, info, "game_type", "opponent_id", "role_in_match", "opponent_name", "player_id")
    data.setdefault("role_in_match", "PLAYER_A")


def _write_call(data: Body) -> None:
    rounded = (utc(data["deadline"]) - utc(data["timestamp"])).total_seconds()
    seconds = data.get("time_limit_sec", rounded)
    data["game_state"] = {"game_type": data["game_type"], "timeout_seconds": max(0, round(seconds, 3))}


def _read_call(data: Body) -> None:
    state = _inside(data, "game_state")
    _lift(data, state, "game_type", "player_id")
    data.setdefault("player_id", UNKNOWN)
    if "deadline" not in data:
        _add_deadline(data, state.get("timeout_seconds"))
    record = {"wins": 0, "losses": 0, "draws": 0}
    opponent = state.get("opponent_id", UNKNOWN)
    context = {"opponent_id": opponent, "round_id": data.get("round_id", 0), "your_standings": record}
    data.setdefault("context", context)


def _add_deadline(data: Body, seconds: Json) -> None:
    try:
        data["deadline"] = to_record_time(utc(data["timestamp"]) + timedelta(seconds=float(seconds)))
    except (KeyError, TypeError, ValueError, OverflowError):
        return  # reported as missing when the message is read


def _write_game_over(data: Body) -> None:
    result: Body = dict(data["game_result"])
    winner = result.pop("winner_player_id", None)
    score, choices = cast("Body", result.get("score") or {}), cast("Body", result.get("choices") or {})
    losers = [player for player in score or choices if player != winner] if winner is not None else []
    loser = losers[0] if len(losers) == 1 else None
    told: Body = {"winner_id": winner, "loser_id": loser, "points_awarded": score.get(winner or "")}
    told |= {"winner_choice": choices.get(winner or ""), "loser_choice": choices.get(loser or "")}
    data["result"] = {**result, **told}


def _read_game_over(data: Body) -> None:
    result = _inside(data, "result")
    if not result:
        return
    taken = {
        name: result.pop(name, None)
        for name in ("winner_id", "loser_id", "winner_choice", "loser_choice", "points_awarded")
    }
    winner, loser = taken["winner_id"], taken["loser_id"]
    result.setdefault("winner_player_id", winner)
    result.setdefault("status", "DRAW" if winner is None else "WIN")
    if isinstance(winner, str) and isinstance(loser, str):
        if taken["points_awarded"] is not None:
            result.setdefault("score", {winner: taken["points_awarded"], loser: 0})
        if taken["winner_choice"] is not None:
            result.setdefault("choices", {winner: taken["winner_choice"], loser: taken["loser_choice"]})
    data.setdefault("game_result", result)


def _write_referee(data: Body) -> None:
    meta: Body = data["referee_meta"]
    games = meta.pop("game_types")
    data["referee_meta"] = {**meta, "referee_id": meta["display_name"], "supported_games": games}


def _read_referee(data: Body) -> None:
    if not isinstance(data.get("referee_meta"), dict):
        return
    meta = dict(cast("Body", data["referee_meta"]))
    for old, new in (("supported_games", "game_types"), ("referee_id", "display_name")):
        if old in meta:
            meta.setdefault(new, meta.pop(old))
    data["referee_meta"] = {"version": "1.0.0", "max_concurrent_matches": 1, **meta}


def _read_reply(data: Body) -> None:
    sender = data.get("sender")
    if isinstance(sender, str) and sender.startswith("player:"):
        data.setdefault("player_id", sender.removeprefix("player:"))
    if data.get("message_type") == "GAME_JOIN_ACK":
        # It has no fields of its own in v1: sending it means that the player is present.
        data.setdefault("accept", True)
        if "timestamp" in data:
            data.setdefault("arrival_timestamp", data["timestamp"])


_WRITERS: Final[Mapping[type[Message], Callable[[Body], None]]] = {
    GameInvitation: _write_invitation,
    MoveCall: _write_call,
    GameOver: _write_game_over,
    RefereeRegisterRequest: _write_referee,
}
_READERS: Final[Mapping[type[Message], Callable[[Body], None]]] = {
    GameInvitation: _read_invitation,
    MoveCall: _read_call,
    GameOver: _read_game_over,
    GameReply: _read_reply,
    RefereeRegisterRequest: _read_referee,
}
