"""Write docs/reference/errors.md from the table of errors."""

from pathlib import Path

from docs.generators.tables import parts, table
from league_sdk.errors import SPECS, ErrorSpec

TARGET = Path(__file__).resolve().parents[1] / "reference" / "errors.md"

HEAD = """\
# Error codes

Made by `docs/generators/errors.py` from `league_sdk/errors.py`; change that, not this page.

Whatever is refused is refused with one of these codes. On the wire it is a JSON-RPC error, whose `data` is a
[`LEAGUE_ERROR`](../protocol_spec.md#league_error) message with `error_code`, `error_description` and `context`.
*Again*, [below](#on-the-wire-and-in-python), says whether the same request can succeed later. The number can depend on
what was asked. E004 bears the game's own name for it.

A player that loses a match technically is told a [cause](../faults.md) beside the code.
"""

ADVICE = {
    "E001": "Answer sooner. The limits are in `timeouts` of the [configuration](../configuration.md).",
    "E002": "`context` names the field, its value and what was expected.",
    "E003": "`context` names the field that is missing.",
    "E004": "Choose one of the legal moves that the call names, spelled exactly so.",
    "E005": "Register first, or ask in the right league.",
    "E006": "Register first.",
    "E007": "Look at the schedule. A match that was given to another referee is no longer yours.",
    "E008": "`context` names the state, the trigger and what is allowed; see the [states](../states.md).",
    "E009": "Look whether the peer is there. It is tried again by itself.",
    "E010": "The match has its result; leave it. The same report again would have been acknowledged.",
    "E011": "Show the token from registration in `auth_token`, or as a bearer token.",
    "E012": "Use the newest token: whoever registers again may get another one.",
    "E013": "At registration: show the league's join secret, or as a referee its referee secret or an invitation. Else "
    "another role may do this; the operator's token is in `data/secrets/`.",
    "E014": "Leave `league_id` out, or ask the manager of that league.",
    "E015": "Wait for the next league, or ask for one with more seats.",
    "E016": "Take another display name, or show your earlier token to take your seat again.",
    "E017": "Name the league's game in `game_types`, or join another league.",
    "E018": "Write `league.v2` into `protocol`, and speak version 2.0.0 or newer.",
    "E019": "Give an http or https URL that the manager can reach and may call: `security.allowed_endpoints`.",
    "E020": "The league has begun. Wait for the next one.",
    "E021": "Write the time in UTC: `2025-01-15T10:00:00.000Z`.",
    "E022": "Ask one of the queries that `league_query` lists.",
    "E023": "Wait, and ask again; `limits` and `security` say how often one may.",
    "E030": "Wait for the start, or start it: `league start`.",
    "E031": "It is over. Nothing of it changes any more.",
    "E099": "The fault is on the other side. Its log has the details.",
}
"""What to do, by code."""


def render() -> str:
    """The page as Markdown."""
    meanings = [(f"`{spec.code}` `{spec.name}`", parts(spec.error)[0], ADVICE[spec.code]) for spec in SPECS.values()]
    wire = [_on_the_wire(spec) for spec in SPECS.values()]
    return "\n".join(
        [
            HEAD,
            table(("code", "what it means", "what to do"), meanings),
            "## On the wire and in Python\n",
            table(("code", "again", "JSON-RPC number", "class"), wire),
        ]
    )


def _on_the_wire(spec: ErrorSpec) -> tuple[str, ...]:
    numbers = [str(spec.number), *(f"{kind.replace('_', ' ')}: {number}" for kind, number in spec.numbers.items())]
    return f"`{spec.code}`", "yes" if spec.retryable else "no", ", ".join(numbers), f"`{spec.error.__name__}`"
