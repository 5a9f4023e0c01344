"""llm: a language model chooses.

What the model is told to do is our own text, or that of whoever runs the player. The situation goes to it as quoted
data: names, moves and positions came over the wire, and are never instructions. Of its answer nothing is believed: it
has to be one of the legal moves, and anything else is an error, so that the fallback chooses.
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from league_sdk.bounds import shorten
from league_sdk.game import IllegalChoice, LanguageModel, Move, PastMatch, PlayerView, Strategy, StrategyFunction
from servers.agent import untrusted

PROMPT = (
    "You are a player in a league between programs. You are asked for one move at a time, and a move that comes late "
    "or is not allowed is lost.\n\nThe rules: {rules}\n\nPlay to win. Where no choice is better than another in "
    "itself, predict this opponent from what it has done so far, and do not let it predict you."
)
RULES = "{rules}"
"""Stands in a prompt for what the game says about itself."""
UNKNOWN_RULES = "not known here; go by the data."
ANSWER = (
    'Your whole answer is one line of JSON: {"move": M}, with one of `legal_moves` in place of M, exactly as it is '
    "written there. No other word."
)
TASK = "It is your move. The data says who you are, what may be chosen, and what has happened so far."

LAST_MATCHES = 20
"""Earlier matches against this opponent in a prompt."""
LAST_MOVES = 60
"""Moves of a match, and entries of any list in a position, in a prompt."""
LAST_ROWS = 20
"""Rows of the standings in a prompt."""
LONGEST_QUESTION = 24_000
"""Characters; what others say is not to cost us a fortune."""

_FENCE = re.compile(r"```[a-zA-Z]*\s*(.*?)\s*```", re.DOTALL)


def instructions(prompt: str, rules: str) -> str:
    """The system prompt. Contains nothing said by other agents."""
    return f"{prompt.replace(RULES, rules)}\n\n{ANSWER} {untrusted.NOTICE}"


def question(view: PlayerView) -> str:
    """The situation, as quoted data."""
    data: dict[str, Any] = {
        "game": view.game_type,
        "match": view.match_id,
        "round": view.round_id,
        "you": view.player_id,
        "legal_moves": list(view.legal_moves),
        "position": _short(dict(view.observation)),
        "your_moves": _short(list(view.my_moves)),
        "opponent": {"id": view.opponent_id, "name": _name_of(view.opponent_id, view)},
        "opponents_moves": _short(list(view.opponent_moves)),
        "earlier_matches_against_this_opponent": [_told(past) for past in view.against_opponent()[-LAST_MATCHES:]],
        "standings": [_row(row) for row in view.standings[:LAST_ROWS]],
    }
    text = (
        f"{TASK} It stands between {untrusted.OPEN} and {untrusted.CLOSE}, as JSON.\n\n"
        f"{untrusted.block(untrusted.as_json(untrusted.said(data)))}\n\n{ANSWER}"
    )
    if len(text) > LONGEST_QUESTION:
        raise ValueError(f"the situation takes {len(text)} characters, which is too much to ask a model about")
    return text


def move_in(answer: str, legal_moves: Sequence[Move]) -> Move:
    """Find the legal move in an answer: JSON with `move`, bare JSON, or text."""
    text = answer.strip()
    fenced = _FENCE.fullmatch(text)
    text = fenced[1] if fenced else text
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = text.strip("`\"'*. \n")
    inside: Any = cast("dict[str, Any]", said).get("move") if isinstance(said, dict) else said
    for candidate in cast("tuple[Any, Any]", (said, inside)):
        for move in legal_moves:
            if _same(move, candidate):
                return move
    meant = [move for move in legal_moves if isinstance(inside, str) and str(move) == inside]
    if len(meant) == 1:
        return meant[0]
    raise IllegalChoice(f"the model answered {shorten(answer.strip(), 80)!r}, which is not one of the legal moves")


def make(argument: str, model: LanguageModel) -> StrategyFunction:
    """The strategy that asks `model`."""
    del argument

    async def choose(view: PlayerView) -> Move:
        rules = model.rules(view.game_type) or UNKNOWN_RULES
        answer = await model.ask(view, instructions(model.prompt or PROMPT, rules), question(view))
        return move_in(answer, view.legal_moves)

    return choose


def _no_model(argument: str) -> Callable[[PlayerView], Awaitable[Move]]:
    del argument
    raise ValueError("it needs a language model, which the players have that the command `league` starts")


def _same(move: Move, said: Any) -> bool:
    """True for equal JSON values; `True` is not `1`."""
    return json.dumps(move, sort_keys=True) == json.dumps(said, sort_keys=True)


def _short(value: Any) -> Any:
    """A value with its texts shortened, and only the last entries of its lists."""
    if isinstance(value, str):
        return shorten(value, 200)
    if isinstance(value, Mapping):
        items = list(cast("Mapping[str, Any]", value).items())[:LAST_MOVES]
        return {shorten(str(key), 100): _short(item) for key, item in items}
    if isinstance(value, list | tuple):
        return [_short(item) for item in cast("Sequence[Any]", value)[-LAST_MOVES:]]
    return value


def _name_of(player_id: str, view: PlayerView) -> str:
    """A player's display name, as far as the view tells; text that the player chose."""
    names = {str(row.get("player_id")): str(row.get("display_name", "")) for row in view.standings}
    known = names.get(player_id) or next((past.opponent_name for past in reversed(view.against_opponent())), "")
    return shorten(known, 100)


def _told(past: PastMatch) -> dict[str, Any]:
    return {
        "result": past.result,
        "your_moves": _short(list(past.my_moves)),
        "opponents_moves": _short(list(past.opponent_moves)),
    }


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    wanted = ("rank", "player_id", "display_name", "played", "wins", "draws", "losses", "points")
    return {name: _short(row[name]) for name in wanted if name in row}


LLM = Strategy("llm", "Asks a language model.", _no_model, make_with_model=make)
