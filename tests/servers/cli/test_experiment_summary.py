from io import StringIO
from typing import Any

from rich.console import Console

from servers.cli.experiment_summary import standings_table


def row(name: str, **more: float) -> dict[str, Any]:
    numbers = {
        "rating": 2103,
        "margin": 280,
        "matches": 200,
        "won": 187,
        "drawn": 0,
        "lost": 13,
        "score": 0.935,
        **more,
    }
    return {"name": name, **numbers, "not_distinguishable_from": []} | dict.fromkeys(
        ("move_seconds", "tokens", "cost_usd")
    )


def printed(*rows: dict[str, Any]) -> str:
    text = StringIO()
    Console(file=text, width=80).print(standings_table([*rows]))
    return text.getvalue()


def test_long_numbers_are_wrapped_in_a_narrow_terminal_and_never_cut():
    text = printed(row("frequency", matches=120_000, won=30_154, drawn=59_953, lost=29_893, score=0.501))
    assert "…" not in text


def test_names_that_begin_alike_are_told_apart_in_80_columns():
    text = printed(row("openspiel-mcts-1000"), row("openspiel-mcts-100"))
    assert "openspiel-mcts-1000 " in text
    assert "openspiel-mcts-100 " in text
    assert "…" not in text
