"""Write docs/reference/message_flow.md from the catalogue of calls."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from docs.generators.protocol_spec import CALLERS, CODEC, SPEC, calls
from league_sdk.domain.model import Role
from league_sdk.protocol.calls import CallSpec
from league_sdk.protocol.envelope import Message

TARGET = Path(__file__).resolve().parents[1] / "reference" / "message_flow.md"

LETTERS = {Role.LEAGUE_MANAGER: "M", Role.REFEREE: "R", Role.PLAYER: "P"}
PARTICIPANTS = {"M": "league manager", "R": "referee", "P": "player", "O": "operator"}

HEAD = """\
# Message flow

Made by `docs/generators/message_flow.py` from the catalogue of calls; change that, not this page.

Every arrow is the call of a [tool](tools.md), and every dotted arrow its result; both are
[messages](../protocol_spec.md). A move is spelled as its game wants it: shown is Even/Odd.
"""

COURSE = """\
{register_referee}
{register_player}
Note over M: quorum, timeout or operator: the schedule is settled
loop every round
{notify_round}
par every match of the round
{start_match}
Note over R,P: the match, below
{report_match_result}
end
{update_standings}
{notify_round_completed}
end
{notify_league_completed}
"""

MATCH = """\
{handle_game_invitation}
loop until the game is over
{choose_parity}
opt the answer is late, broken or not allowed, and there are tries left
{notify_game_error}
end
end
{notify_match_result}
"""

LATER = """\
{handle_game_invitation_acknowledged}
{receive_game_join_ack}
{choose_parity_acknowledged}
{receive_parity_response}
"""

ASKING = """\
{league_query}
{withdraw}
{start_league}
{create_schedule}
{get_standings}
{match_status}
{collect_choices}
{draw_number}
{finalize_match}
"""

DIAGRAMS: tuple[tuple[str, str, str, str], ...] = (
    ("A league, from start to end", "Announcements hold nobody up: no match waits for their answer.", "PMR", COURSE),
    (
        "A match",
        "A player that gives no right answer within its tries loses the match technically: [causes](../faults.md).",
        "RP",
        MATCH,
    ),
    (
        "Answers that come later",
        "A player may acknowledge a call, and answer it in a call of its own while there is time.",
        "RP",
        LATER,
    ),
    (
        "Questions, and the operator's tools",
        "Players and referees may ask at any time. A match that was started step by step is led by hand.",
        "PMRO",
        ASKING,
    ),
)


def render() -> str:
    """The page as Markdown."""
    return "\n".join([HEAD, *(_section(*diagram) for diagram in DIAGRAMS)])


def _section(title: str, text: str, who: str, course: str) -> str:
    lines = [f"participant {letter} as {PARTICIPANTS[letter]}" for letter in who]
    lines += course.format_map(_arrows()).splitlines()
    body = "".join(f"    {line}\n" for line in lines)
    return f"## {title}\n\n{text}\n\n```mermaid\nsequenceDiagram\n{body}```\n"


def _arrows() -> Mapping[str, str]:
    """By tool, the lines of its call and its result."""
    arrows: dict[str, str] = {}
    for tool, call in calls().items():
        arrows[tool] = "\n".join(_pairs(call, _name(call.reply)))
        arrows[f"{tool}_acknowledged"] = "\n".join(_pairs(call, "status: ok"))
    return arrows


def _pairs(call: CallSpec, reply: str) -> Iterable[str]:
    caller = _caller(call)
    for role in call.to:
        yield f"{caller}->>{LETTERS[role]}: {call.tool} · {_name(call.request)}"
        yield f"{LETTERS[role]}-->>{caller}: {reply}"


def _caller(call: CallSpec) -> str:
    """The caller; of several, the one in the course of a league."""
    said = CALLERS.get(call.tool) or ("operator" if call.kind == "operator" else "league manager")
    return next(letter for letter, name in PARTICIPANTS.items() if said.startswith(name))


def _name(kind: type[Message]) -> str:
    about = CODEC.input_schema(kind, spec=SPEC)["properties"]["message_type"]
    return about["enum"][0] if "enum" in about else about["const"]
