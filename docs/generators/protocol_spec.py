"""Write docs/protocol_spec.md from the catalogue, the messages' schemas and docs/message_examples/."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from game_rules.even_odd import EvenOdd
from league_sdk.domain.model import MINIMUM_PROTOCOL_VERSION, PROTOCOL, PROTOCOL_VERSION, Role
from league_sdk.errors import SPECS
from league_sdk.protocol.calls import CallSpec
from league_sdk.protocol.catalog import calls_for
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.operator import MatchReference
from league_sdk.protocol.queries import LeagueErrorMessage
from league_sdk.protocol.tool_schemas import Mode

DOCS = Path(__file__).resolve().parents[1]
TARGET = DOCS / "protocol_spec.md"
EXAMPLES = DOCS / "message_examples"

SPEC = EvenOdd.move_spec
CODEC = Codec([SPEC])
ENVELOPE = ("protocol", "message_type", "sender", "timestamp", "conversation_id", "auth_token")

SECTIONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "Registration",
        ("register_referee", "register_player"),
        "Referees and players join by calling the league manager. A well-formed request that may not join (the league "
        "is full, the name is taken, the game is another, the endpoint cannot be used, registration is closed, the "
        "protocol version is not spoken) is answered with `REJECTED`; a malformed one with an error. An agent that "
        "comes back shows its earlier token and takes the same seat.",
    ),
    (
        "Withdrawal",
        ("withdraw",),
        "A player or referee leaves for good, with its own token. What was played counts. A player's open matches are "
        "lost, and it is not paired any more; a referee brings its matches to their end, and gets no new one. The last "
        "one of its role is refused with E008. The same request again is answered as before.",
    ),
    (
        "Rounds",
        ("notify_round", "update_standings", "notify_round_completed", "notify_league_completed"),
        "The league manager keeps everybody informed. These messages ask for nothing but an acknowledgement, and no "
        "match waits for one.",
    ),
    (
        "A match",
        ("handle_game_invitation", SPEC.tool, "notify_match_result"),
        "The referee leads, the players answer. Which names a move has on the wire is the game's affair: shown here is "
        "Even/Odd, where `CHOOSE_PARITY_RESPONSE` is also read as `PARITY_CHOICE`. A game that declares no names has "
        "the tool `choose_move`, `MOVE_CALL`, `MOVE_RESPONSE` and the field `move`.",
    ),
    (
        "Answers that come later",
        ("receive_game_join_ack", SPEC.push_tool),
        'A player may answer the referee with a bare acknowledgement, such as `{"status": "ok"}`, and then give its '
        "answer in a call of its own, before the time for it is over: to the referee's endpoint, which the invitation "
        "names, showing the `auth_token` that came with the invitation or the call (its own token from registration "
        "will do). The same answer again is acknowledged again; another one, one for another match and a late one are "
        "refused, and what a player is blamed for is the same as for a direct answer. A game that declares no names "
        "has the tool `receive_move_response`.",
    ),
    (
        "Errors in a match",
        ("notify_game_error",),
        "Before a player is asked again, it is told what went wrong with its last answer.",
    ),
    (
        "Results",
        ("report_match_result",),
        "A match has one result. The same report again is acknowledged again and counts once; a different one is "
        "refused with E010.",
    ),
    (
        "Queries",
        ("league_query",),
        "Players and referees may ask at any time. Which part of the answer is there depends on what was asked.",
    ),
    (
        "The operator's tools",
        (
            "start_league",
            "create_schedule",
            "get_standings",
            "start_match",
            "match_status",
            "collect_choices",
            SPEC.resolve_tool,
            "finalize_match",
        ),
        "For a person with MCP Inspector, for scripts, and for the league manager, which hands out matches with "
        "`start_match`. The envelope may be left out. A match that was started with `step_by_step` is led by hand: "
        f"`collect_choices`, `{SPEC.resolve_tool}`, `finalize_match` (the second is called `resolve_match` for games "
        "that give it no name of their own).",
    ),
)

CALLERS = {
    "register_referee": "referee",
    "register_player": "player",
    "report_match_result": "referee",
    "league_query": "player or referee",
    "withdraw": "player or referee",
    "handle_game_invitation": "referee",
    SPEC.tool: "referee",
    "receive_game_join_ack": "player",
    SPEC.push_tool: "player",
    "notify_match_result": "referee",
    "notify_game_error": "referee",
    "start_match": "league manager or operator",
    "match_status": "league manager or operator",
}
"""Who calls a tool, where it is not the league manager or, for the operator's tools, the operator."""

LIMITS = {"join": "game_join_timeout_sec", "move": "move_timeout_sec", "response": "generic_response_timeout_sec"}
"""The settings, under `timeouts`, that limit the time for an answer."""

NAMES = {Role.LEAGUE_MANAGER: "league manager", Role.REFEREE: "referee", Role.PLAYER: "player"}

HEAD = f"""# The league protocol

`{PROTOCOL}`, version {PROTOCOL_VERSION}; agents from version {MINIMUM_PROTOCOL_VERSION} on can take part.

This page is written by `docs/generators/protocol_spec.py` from the catalogue of calls, the schemas that the
servers publish and the files in [message_examples](message_examples/); a test fails when it is out of date. The states
of leagues, matches and agents are on [their own page](states.md).
"""

RULES = """## Every message

| field | is |
| --- | --- |
| `protocol` | `league.v2`; anything else is E018 |
| `message_type` | the kind of message |
| `sender` | `league_manager`, `referee:REF01`, `player:P01`; before registration `referee:<display name>` or \
`player:<display name>` |
| `timestamp` | UTC in ISO 8601, written in whole seconds with `Z`; any fraction and `+00:00` are read; another \
offset, or none, is E021 |
| `conversation_id` | the same in a request and its reply, and in all messages of a match |
| `auth_token` | what the receiver checks, once registered; an `Authorization: Bearer` header may stand in for it |

Messages about a match add `league_id`, `round_id` and `match_id`. Fields that the receiver does not know are ignored;
required ones that are missing are E003, and mistyped ones E002: the error names the field, its value and what was
expected. From a peer only the fields marked *yes* below are demanded. What is *advised* is in all that we write, and
nothing of ours misses it; other leagues and players may. A reply may leave out `sender` and `conversation_id`.
With `protocol.lenient`, the default, a demanded field that the receiver knows already, such as `protocol` or
`player_id` of a reply, is [derived](adr/0228-missing-fields-are-derived.md) with one warning an agent; E003 is what
it cannot know.
"""


def render() -> str:
    """The whole page."""
    parts = [HEAD, _on_the_wire(), RULES, _overview(), *(_section(*section) for section in SECTIONS), _errors()]
    return "\n".join(parts)


def examples(message_type: str) -> list[Path]:
    """The files that show a message, the plainest first."""
    files = sorted(EXAMPLES.rglob("*.json"), key=lambda path: (len(path.stem), path.as_posix()))
    return [path for path in files if _read(path)["message_type"] == message_type]


def calls() -> dict[str, CallSpec]:
    """Every call by its tool, in the order of the roles that serve it."""
    return {call.tool: call for role in Role for call in calls_for(role, [SPEC])}


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def _json(value: Any) -> str:
    return f"```json\n{json.dumps(value, indent=2, ensure_ascii=False)}\n```\n"


def _on_the_wire() -> str:
    call = _read(EXAMPLES / "gameflow/choose_parity_call.json")
    reply = _read(EXAMPLES / "gameflow/choose_parity_response.json")
    error = _read(EXAMPLES / "errors/league_error.json")
    asked = {"name": SPEC.tool, "arguments": call}
    answered = {"content": [{"type": "text", "text": json.dumps(reply)}], "structuredContent": reply}
    refused = {"code": 6001, "message": "the auth_token is unknown in this league", "data": error}
    return "\n".join(
        [
            "## On the wire\n",
            "Agents are MCP servers at `/mcp`. A message is the `arguments` object of a `tools/call`, as it is:\n",
            _json({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": asked}),
            "The reply is the result, as `structuredContent` and as JSON text:\n",
            _json({"jsonrpc": "2.0", "id": 7, "result": answered}),
            "An error of the protocol is a JSON-RPC error, whose `data` is a `LEAGUE_ERROR` message:\n",
            _json({"jsonrpc": "2.0", "id": 8, "error": refused}),
            "Agents that speak JSON-RPC without MCP take part too: their method is the tool, their `params` are the "
            "message, and their `result` is the reply:\n",
            _json({"jsonrpc": "2.0", "id": 9, "method": SPEC.tool, "params": call}),
        ]
    )


def _overview() -> str:
    rows = [
        (
            f"`{_name(call.request)}`",
            f"{_caller(call)} → {_callee(call)}",
            _tools(call),
            f"`{_name(call.reply)}`",
            f"`{LIMITS[call.timeout]}`",
        )
        for _, tools, _ in SECTIONS
        for call in (calls()[tool] for tool in tools)
    ]
    table = _table(("message", "from → to", "tool (aliases)", "reply", "time limit"), rows)
    return f"## All calls\n\nThe time limits are settings, under `timeouts` in `system.json`.\n\n{table}"


def _section(title: str, tools: Iterable[str], text: str) -> str:
    parts, shown = [f"## {title}\n\n{text}\n"], set[type[Message]]()
    modes: tuple[Mode, Mode] = ("validation", "serialization")
    for call in (calls()[tool] for tool in tools):
        parts.append(
            f"### `{call.tool}`\n\n**{call.title}**\n\n{call.description}\n\n"
            f"- from → to: {_caller(call)} → {_callee(call)}\n"
            f"- tool: {_tools(call)}\n"
            f"- time limit: `{LIMITS[call.timeout]}`\n"
        )
        for kind, mode in zip((call.request, call.reply), modes, strict=True):
            if kind in shown:
                parts.append(f"#### {_name(kind)}\n\nAs above.\n")
            else:
                parts.append(_message(kind, mode))
            shown.add(kind)
    return "\n".join(parts)


def _message(kind: type[Message], mode: Mode) -> str:
    schema = CODEC.input_schema(kind, spec=SPEC)
    written = schema if mode == "validation" else CODEC.output_schema(kind, spec=SPEC)
    required = set(schema["required"])
    rows = list(_rows(written["properties"], required, CODEC.output_schema(kind, spec=SPEC), ""))
    parts = [f"#### {_name(kind)}\n\n{schema['description']}\n"]
    if issubclass(kind, MatchReference):
        parts.append("One of the two says which match is meant.\n")
    parts.append(
        _table(("field", "type", "required", "what it is"), rows) if rows else "Nothing beside the envelope.\n"
    )
    if "then" in schema:
        needed = ", ".join(f"`{name}`" for name in schema["then"]["required"])
        parts.append(f"When `status` is `ACCEPTED`, {needed} are there.\n")
    for path in (path for name in _types(kind) for path in examples(name)):
        parts.append(f"[{path.relative_to(EXAMPLES).as_posix()}]({path.relative_to(DOCS).as_posix()})\n")
        parts.append(_json(_read(path)))
    return "\n".join(parts)


def _rows(
    properties: dict[str, Any], required: set[str], sent: dict[str, Any], prefix: str
) -> Iterator[tuple[str, str, str, str]]:
    """A row a field; `sent` is the schema of what we write, with all that a peer should write too."""
    for name, about in properties.items():
        if not prefix and name in ENVELOPE and not about["description"].startswith("What the agent shows"):
            continue
        needed = "yes" if name in required else "advised" if name in sent.get("required", ()) else "no"
        yield f"`{prefix}{name}`", _type(about), needed, about["description"]
        inner, mark = _inside(about)
        within, _ = _inside(sent.get("properties", {}).get(name, {}))
        yield from _rows(inner.get("properties", {}), set(inner.get("required", [])), within, f"{prefix}{name}{mark}.")


def _inside(about: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The schema of the object that a field is, or is an array of."""
    value = about["anyOf"][0] if "anyOf" in about else about
    return (value["items"], "[]") if "items" in value else (value, "")


def _type(about: dict[str, Any]) -> str:
    if "anyOf" in about:
        return " or ".join(_type(option) for option in about["anyOf"])
    if "enum" in about:
        return " or ".join(f"`{value}`" for value in about["enum"])
    if "const" in about:
        return f"`{about['const']}`"
    if about.get("type") == "array":
        return f"array of {_type(about['items'])}"
    if about.get("format") == "date-time":
        return "timestamp"
    return about.get("type", "any JSON")


def _errors() -> str:
    error = _message(LeagueErrorMessage, "validation").removeprefix("#")
    rows = [
        (
            f"`{spec.code}`",
            f"`{spec.name}`",
            "yes" if spec.retryable else "no",
            str(spec.number),
            ", ".join(f"{kind.replace('_', ' ')} {number}" for kind, number in spec.numbers.items()),
        )
        for spec in SPECS.values()
    ]
    table = _table(("code", "name", "try again", "JSON-RPC code", "JSON-RPC code by what was asked"), rows)
    return (
        "## Errors\n\n"
        "Every refusal has one of these codes. The JSON-RPC code can depend on what was being asked. E004 bears the "
        f"game's own name, in Even/Odd `{SPEC.invalid_move_name}`. Tokens are never repeated.\n\n{table}\n{error}"
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def _types(kind: type[Message]) -> list[str]:
    """Every `message_type` of a message, the one we write first."""
    about = CODEC.input_schema(kind, spec=SPEC)["properties"]["message_type"]
    return about["enum"] if "enum" in about else [about["const"]]


def _name(kind: type[Message]) -> str:
    return _types(kind)[0]


def _tools(call: CallSpec) -> str:
    aliases = ", ".join(f"`{alias}`" for alias in call.aliases)
    return f"`{call.tool}`" + (f" ({aliases})" if aliases else "")


def _caller(call: CallSpec) -> str:
    return CALLERS.get(call.tool) or ("operator" if call.kind == "operator" else "league manager")


def _callee(call: CallSpec) -> str:
    return ", ".join(NAMES[role] for role in call.to)
