from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.game import Game, PlayedMatch

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'mcp-agent-league[games]'")

PLAYERS = ("P07", "P03")


def spiel(text: str) -> Game[Any]:
    return plugins.game(f"openspiel:{text}")


def played(game: Game[Any], *moves: str) -> Any:
    state = game.start(PLAYERS, HashRng("none"))
    for move in moves:
        state = game.apply(state, {game.to_move(state)[0]: move}, HashRng("none"))
    return state


def pieces(picture: str) -> dict[tuple[int, int], str]:
    """The symbols of a drawn board by column and row, the labels left out."""
    found: dict[tuple[int, int], str] = {}
    for text in ElementTree.fromstring(picture).iterfind(".//{*}text"):
        if text.get("y", "").endswith("1"):
            xs = [int(x) for x in text.get("x", "").split()]
            found |= {
                (x // 40, int(text.get("y", "")) // 40): symbol for x, symbol in zip(xs, text.text or "", strict=True)
            }
    return found


def test_a_chess_position_is_drawn_piece_by_piece():
    game = spiel("chess")
    start, later = pieces(game.svg(played(game))), pieces(game.svg(played(game, "e4", "Nc6")))
    assert len(start) == len(later) == 32
    assert [start[x, 0] for x in range(8)] == list("♜♞♝♛♚♝♞♜")
    assert ((4, 6) in later, later[4, 4], (1, 0) in later, later[2, 2]) == (False, "♟", False, "♞")


def test_discs_of_connect_four_are_drawn_where_they_fell():
    game = spiel("connect_four")
    picture = game.svg(played(game, "x3", "o3", "x0"))
    assert 'd="M20 220h0M140 220h0" stroke="#c62828"' in picture
    assert 'd="M140 180h0" stroke="#f4c20d"' in picture
    assert spiel("nim").svg(played(spiel("nim"))) == ""


def test_a_chess_match_is_written_as_pgn():
    game = spiel("chess")
    state, turns = game.start(PLAYERS, HashRng("start")), list[dict[str, str]]()
    for move in ("f3", "e5", "g4", "Qh4#"):
        (player,) = game.to_move(state)
        turns.append({player: move})
        state = game.apply(state, turns[-1], HashRng("turn"))
    outcome = game.outcome(state)
    assert outcome is not None
    assert outcome.winner == "P07"
    match = PlayedMatch(
        league_id="spring",
        league_name='The "Spring" league',
        match_id="R1M1",
        round_id=1,
        date="2025-01-15T10:00:00.000Z",
        players=PLAYERS,
        names={"P07": "Ada\nLovelace", "P03": "Bob \\"},
        turns=tuple(turns),
        winner=outcome.winner,
        score={"P07": 3, "P03": 0},
    )
    assert game.notation(match).splitlines() == [
        '[Event "The \\"Spring\\" league"]',
        '[Site "?"]',
        '[Date "2025.01.15"]',
        '[Round "1"]',
        '[White "Bob \\\\"]',
        '[Black "Ada Lovelace"]',
        '[Result "0-1"]',
        "",
        "1. f3 e5 2. g4 Qh4# 0-1",
    ]
    assert game.notation(replace(match, winner=None, turns=())).endswith("\n1/2-1/2")
    assert game.notation(replace(match, winner=None, faults={"P07": "no_move", "P03": "no_move"})).endswith(" *")
    assert spiel("nim").notation(match) == ""
