"""The protocol's rules for a reply: functions that give the faults of a reply."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from league_sdk.domain.model import PROTOCOL, Role
from league_sdk.errors import InvalidField
from league_sdk.game import MoveSpec
from league_sdk.json_value import Json
from league_sdk.protocol.calls import CallSpec
from league_sdk.protocol.codec import MOVE, Codec
from league_sdk.protocol.envelope import Message, parse_sender, wire_name
from league_sdk.protocol.match import GameReply, MoveCall, MoveResponse

DERIVED = "it is missing: a league derives it, with a warning; send it"
EVERY_MESSAGE = "Every message"
A_MATCH = "A match"
ENVELOPE = ("protocol", "message_type", "timestamp", "sender", "conversation_id")
CERTAIN = (*ENVELOPE, "match_id", "player_id", "round_id", "league_id")
"""Fields of an answer that a league derives when they are missing."""
ECHOED = ("match_id", "player_id", "round_id", "league_id")
"""Fields of a reply that must equal those of its request, if both have them."""


@dataclass(frozen=True, slots=True)
class RuleResult:
    """One rule about a field, applied to one reply; the problem is empty if it holds.

    An absent field may be absent; a league plays on with a player that breaks a minor rule.
    """

    rule: str
    section: str
    expected: str
    problem: str = ""
    absent: bool = False
    minor: bool = False


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """The call that a reply answers, and the answering agent's id, if registered."""

    call: CallSpec
    codec: Codec
    role: Role
    agent_id: str | None = None
    spec: MoveSpec | None = None

    @property
    def reply_type(self) -> str:
        return message_type(self.call.reply, self.spec)

    @property
    def section(self) -> str:
        return section_of(self.call.reply, self.spec)


def message_type(kind: type[Message], spec: MoveSpec | None) -> str:
    """The name of a message, in the game's spelling."""
    spec = spec or MoveSpec()
    if issubclass(kind, MoveCall):
        return spec.call_type
    if issubclass(kind, MoveResponse):
        return spec.response_type
    name: str = kind.model_fields["message_type"].default
    return name


def section_of(kind: type[Message], spec: MoveSpec | None = None) -> str:
    """The protocol's section on a message; that on a match for a game's own messages."""
    return A_MATCH if issubclass(kind, MoveCall | MoveResponse) else message_type(kind, spec)


def judge(request: Mapping[str, Json], reply: Mapping[str, Json], setting: ReplyContext) -> Iterator[RuleResult]:
    """Apply every rule to a reply."""
    faults = _faults(reply, setting)
    yield _protocol(reply, setting.call.reply.demanded)
    yield _message_type(reply, setting)
    of_time = faults.pop("timestamp", "")
    yield RuleResult(
        "timestamp",
        EVERY_MESSAGE,
        "UTC in ISO 8601, written with Z; a fraction and +00:00 are read; another offset, or none, is E021",
        of_time,
        minor=of_time == DERIVED,
    )
    of_sender = _sender(reply, setting, faults.pop("sender", ""))
    yield replace(of_sender, minor=_certain_identity(request, setting))
    yield _conversation(request, reply, faults.pop("conversation_id", ""))
    yield from _fields(request, setting, reply, faults)


def _certain_identity(request: Mapping[str, Json], setting: ReplyContext) -> bool:
    """True for a player's answer to a call about a match, which says whose it is."""
    return bool(request) and issubclass(setting.call.reply, GameReply)


def _protocol(reply: Mapping[str, Json], demanded: tuple[str, ...]) -> RuleResult:
    said = reply.get("protocol")
    if said is None and "protocol" not in demanded:
        return RuleResult("protocol", EVERY_MESSAGE, f"{PROTOCOL!r}, or nothing", absent=True)
    problem = "" if said == PROTOCOL else DERIVED if said is None else f"it is {said!r}"
    return RuleResult("protocol", EVERY_MESSAGE, f"{PROTOCOL!r}, in every message", problem, minor=problem == DERIVED)


def _message_type(reply: Mapping[str, Json], setting: ReplyContext) -> RuleResult:
    spec = setting.spec or MoveSpec()
    named = (setting.reply_type, *(spec.response_aliases if issubclass(setting.call.reply, MoveResponse) else ()))
    said = reply.get("message_type")
    problem = "" if said in named else DERIVED if said is None else f"it is {said!r}"
    expected = " or ".join(repr(name) for name in named)
    return RuleResult("message_type", setting.section, expected, problem, minor=problem == DERIVED)


def _sender(reply: Mapping[str, Json], setting: ReplyContext, fault: str) -> RuleResult:
    wanted = "league_manager" if setting.role is Role.LEAGUE_MANAGER else f"{setting.role}:{setting.agent_id or '<id>'}"
    expected = f"{wanted}, as the agent signs all its messages"
    said = reply.get("sender")
    if said is None and not fault:
        return RuleResult("sender", EVERY_MESSAGE, expected, absent=True)
    if not fault and isinstance(said, str):
        fault = _wrong_sender(said, setting)
    return RuleResult("sender", EVERY_MESSAGE, expected, fault)


def _wrong_sender(said: str, setting: ReplyContext) -> str:
    try:
        sender = parse_sender(said)
    except InvalidField:
        return f"it is {said!r}"
    right = sender.role is setting.role and (setting.agent_id is None or sender.agent_id == setting.agent_id)
    return "" if right or (setting.role is Role.LEAGUE_MANAGER and sender.role is setting.role) else f"it is {said!r}"


def _conversation(request: Mapping[str, Json], reply: Mapping[str, Json], fault: str) -> RuleResult:
    asked, said = request.get("conversation_id"), reply.get("conversation_id")
    expected = f"{asked!r}: the same in a request and its reply"
    if not fault and said is not None and asked is not None and said != asked:
        fault = f"it is {said!r}"
    return RuleResult("conversation_id", EVERY_MESSAGE, expected, fault, absent=not fault and said is None)


def _fields(
    request: Mapping[str, Json], setting: ReplyContext, reply: Mapping[str, Json], faults: dict[str, str]
) -> Iterator[RuleResult]:
    """The message's own fields: the required ones each, then all others together."""
    schema = setting.codec.output_schema(setting.call.reply, spec=setting.spec)
    demanded = setting.codec.input_schema(setting.call.reply, spec=setting.spec)["required"]
    advised = {wire_name(name) for name in setting.call.reply.always_written}
    about: Mapping[str, Any] = schema["properties"]
    for name in about:
        if name in ENVELOPE or name not in {*demanded, *advised, *faults, "status"}:
            continue
        expected = _expected(about[name], name, request)
        problem = faults.pop(name, "") or _another(name, request, reply)
        left_out = not problem and name not in reply
        if left_out and name in advised:  # which a receiver does without
            yield RuleResult(name, setting.section, expected, "it is missing", minor=True)
        else:
            minor = problem == DERIVED or (name == "player_id" and _certain_identity(request, setting))
            yield RuleResult(name, setting.section, expected, problem, absent=left_out, minor=minor)
    others = [name for name in ECHOED if name not in demanded and _another(name, request, reply)]
    problem = "; ".join(
        [*(f"{name}: {fault}" for name, fault in faults.items()), *(f"{n}: it is {reply[n]!r}" for n in others)]
    )
    yield RuleResult(
        "the other fields", setting.section, "what is optional may be left out, not be something else", problem
    )


def _expected(about: Mapping[str, Any], name: str, request: Mapping[str, Json]) -> str:
    text = str(about.get("description", ""))
    if "const" in about:
        return f"{about['const']!r}: {text}"
    if name in ECHOED and name in request:
        return f"{request[name]!r}, as in the request"
    kind = about.get("type")
    return f"{'a ' + str(kind) + ': ' if kind else ''}{text}"


def _another(name: str, request: Mapping[str, Json], reply: Mapping[str, Json]) -> str:
    """A field's value that differs from the request's, but must not."""
    if name not in ECHOED or request.get(name) is None or reply.get(name) is None or reply[name] == request[name]:
        return ""
    return f"it is {reply[name]!r}"


def _faults(reply: Mapping[str, Json], setting: ReplyContext) -> dict[str, str]:
    """The fault in each field, by the message's model."""
    kind, field = setting.call.reply, MOVE
    data = dict(reply)
    if issubclass(kind, MoveResponse):
        field = (setting.spec or MoveSpec()).choice_field
        data.pop(MOVE, None) if field != MOVE else None
        if field in data:
            data[MOVE] = data.pop(field)
    data |= {"protocol": PROTOCOL, "message_type": message_type(kind, setting.spec)}
    try:
        kind.model_validate(data, by_alias=True, by_name=False)
    except ValidationError as error:
        return dict(_told(fault, reply, field) for fault in reversed(error.errors(include_url=False)))
    return {}


def _told(fault: ErrorDetails, reply: Mapping[str, Json], choice: str) -> tuple[str, str]:
    name = str(fault["loc"][0]) if fault["loc"] else str(fault.get("ctx", {}).get("field", "message"))
    name = choice if name == MOVE else name
    if fault["type"] == "missing" or name not in reply:
        return name, DERIVED if name in CERTAIN else "it is missing"
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"][1:])
    wrong: Any = fault["input"]
    shown = (
        repr(wrong)[:200]
        if not isinstance(wrong, Mapping | list | tuple)
        else f"a {type(cast(object, wrong)).__name__}"
    )
    wanted = fault["msg"].removeprefix("Input should be ")
    return name, f"{where.removeprefix('.') or 'it'} is {shown}, expected {wanted}"
