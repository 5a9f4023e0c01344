from io import StringIO

from rich.console import Console

from servers.cli.experiment_summary import standings_table


def test_long_numbers_are_wrapped_in_a_narrow_terminal_and_never_cut():
    played = {"matches": 120_000, "won": 30_154, "drawn": 59_953, "lost": 29_893, "score": 0.501}
    row = {"name": "frequency", "rating": 1501, "margin": 1, **played, "not_distinguishable_from": []}
    row |= dict.fromkeys(("move_seconds", "tokens", "cost_usd"))
    text = StringIO()
    Console(file=text, width=80).print(standings_table([row]))
    assert "…" not in text.getvalue()
