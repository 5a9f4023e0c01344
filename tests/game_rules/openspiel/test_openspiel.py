import importlib
import itertools
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.errors import InvalidMove, UnsupportedGameType
from league_sdk.game import Game
from league_sdk.testing import check_game
from tests.requirements.marker import requirement

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'mcp-agent-league[games]'")

PLAYERS = ("P07", "P03")
GAMES = {entry.name: entry for entry in plugins.game_libraries()["openspiel"].games()}
FOR_TWO = sorted(name for name, entry in GAMES.items() if not entry.refusal and entry.max_players == 2)
KINDS = (
    *("connect_four", "kuhn_poker", "leduc_poker", "goofspiel(num_cards=4,imp_info=True)", "matrix_pd", "phantom_ttt"),
    *("tic_tac_toe", "nim", "kuhn_poker(players=3)"),
)


class Drawn(HashRng):
    """Gives the numbers that a test has written down."""

    def __init__(self, *numbers: float) -> None:
        super().__init__("unused")
        self.numbers = list(numbers)

    def random(self) -> float:
        return self.numbers.pop(0)


def spiel(text: str) -> Game[Any]:
    return plugins.game(f"openspiel:{text}")


def states(game: Game[Any], state: Any) -> Iterator[Any]:
    """All states that follow by the players' moves."""
    yield state
    movers = game.to_move(state)
    for moves in itertools.product(*(game.legal_moves(state, player) for player in movers)) if movers else ():
        yield from states(game, game.apply(state, dict(zip(movers, moves, strict=True)), Drawn(0.0)))


@requirement("project-GAMES-03")
@pytest.mark.parametrize("text", KINDS)
def test_a_game_of_openspiel_keeps_the_contract(text: str):
    check_game(spiel(text), matches=2)


@pytest.mark.slow
@requirement("project-GAMES-03")
@pytest.mark.parametrize("name", FOR_TWO)
def test_each_game_for_two_keeps_the_contract(name: str):
    check_game(spiel(name), matches=1, max_turns=3_000)


@requirement("project-GAMES-03")
def test_more_than_eighty_games_for_two_can_be_played():
    assert len(GAMES) >= 126
    assert len(FOR_TWO) >= 70


def test_the_listed_seats_are_those_of_the_loaded_game():
    pyspiel = importlib.import_module("pyspiel")
    small = [
        kind
        for kind in pyspiel.registered_games()
        if kind.default_loadable and kind.short_name not in ("quoridor", "colored_trails")
    ]
    assert {kind.short_name: pyspiel.load_game(kind.short_name).num_players() for kind in small} == {
        kind.short_name: GAMES[kind.short_name].max_players for kind in small
    }


@requirement("project-GAMES-04")
@pytest.mark.parametrize("seat", [0, 1])
def test_nobody_sees_in_kuhn_poker_which_card_the_other_holds(seat: int):
    game = spiel("kuhn_poker")
    seen: dict[str, set[str]] = defaultdict(set)
    for cards in itertools.permutations(range(3), 2):
        left = [card for card in range(3) if card != cards[0]]
        dealt = Drawn((cards[0] + 0.5) / 3, (left.index(cards[1]) + 0.5) / 2)
        for state in states(game, game.start(PLAYERS, dealt)):
            if game.to_move(state):
                public = " ".join(str(move) for _, move in state.made)
                told = (game.observe(state, PLAYERS[seat]), game.legal_moves(state, PLAYERS[seat]))
                seen[f"{cards[seat]} {public}"].add(json.dumps([*told, game.public_moves(state)]))
    assert len(seen) == 3 * 4
    assert all(len(told) == 1 for told in seen.values())


@requirement("project-GAMES-04")
@pytest.mark.parametrize(
    "text", ["leduc_poker", "liars_dice(numdice=1,dice_sides=3)", "phantom_ttt", "goofspiel(imp_info=True)"]
)
def test_worlds_with_one_information_state_look_the_same_to_their_player(text: str):
    game = spiel(text)
    seen: dict[tuple[str, str], set[str]] = defaultdict(set)
    for number in range(60):
        rng = HashRng(f"{text} {number}")
        state = game.start(PLAYERS, rng)
        while movers := game.to_move(state):
            for player in movers:
                shown = json.dumps(
                    [game.observe(state, player), game.legal_moves(state, player), game.public_moves(state)]
                )
                seen[player, state.position.information_state_string(PLAYERS.index(player))].add(shown)
            moves = {player: rng.choice(game.legal_moves(state, player)[:3]) for player in movers}
            state = game.apply(state, moves, rng)
    assert len(seen) > 20
    assert all(len(told) == 1 for told in seen.values())


def test_chance_is_drawn_by_the_probabilities_of_the_game():
    game = spiel("kuhn_poker")
    cards = [game.start(PLAYERS, Drawn(first, 0.0)).history[0] for first in (0.0, 0.3, 0.4, 0.6, 0.7, 0.999)]
    assert cards == [0, 0, 1, 1, 2, 2]


def test_a_perfect_information_game_tells_how_to_rebuild_its_position():
    game, pyspiel = spiel("connect_four"), importlib.import_module("pyspiel")
    state = game.start(PLAYERS, HashRng("none"))
    for player, move in (("P07", "x3"), ("P03", "o3")):
        state = game.apply(state, {player: move}, HashRng("none"))
    seen = game.observe(state, "P07")
    rebuilt = pyspiel.load_game("connect_four").new_initial_state()
    for action in seen["history"]:
        rebuilt.apply_action(action)
    assert str(rebuilt) == seen["state"]
    assert rebuilt.legal_actions() == seen["actions"]


def test_several_at_once_choose_in_a_simultaneous_game():
    game = spiel("matrix_pd")
    state = game.start(PLAYERS, HashRng("none"))
    assert game.to_move(state) == PLAYERS
    end = game.apply(state, {"P07": "Defect", "P03": "Cooperate"}, HashRng("none"))
    outcome = game.outcome(end)
    assert outcome is not None
    assert (outcome.winner, outcome.scores) == ("P07", {"P07": 10.0, "P03": 0.0})
    assert outcome.reason == "P07 wins with a return of 10 against 0."
    assert outcome.earlier_reason == "P07 wins. Returns: P07 10, P03 0."
    drawn = game.outcome(game.apply(state, dict.fromkeys(PLAYERS, "Defect"), HashRng("none")))
    assert drawn is not None
    assert drawn.reason == "It is a draw: P07 and P03 have a return of 1 each."


@pytest.mark.parametrize("move", ["x9", "X3", "", None, 3, ["x3"], True, "x3\n"])
def test_text_that_is_no_legal_action_is_refused(move: Any):
    game = spiel("connect_four")
    with pytest.raises(InvalidMove):
        game.check(game.start(PLAYERS, HashRng("none")), "P07", move)


@requirement("project-GAMES-03")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("blackjack", "cannot be played: seats: it is for one player"),
        ("tiny_hanabi", "cannot be played: outcome: all players share one result"),
        ("bridge_uncontested_bidding", "cannot be played: replay: it draws chance by itself"),
        ("mfg_garnet", "cannot be played: turns: a mean field game"),
        ("misere", "OpenSpiel needs parameters for it: game"),
        ("kuhn_poker(players=99)", "OpenSpiel says: num_players_ <= kGameType.max_num_players"),
        ("kuhn_poker(colour=1)", "OpenSpiel says: Unknown parameter 'colour'. Available parameters are: players"),
        ("kuhn_poker(players=", "OpenSpiel says: Missing closing bracket"),
        ("hanabi(players=99)", "OpenSpiel broke down while it set it up"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_in_a_sentence(text: str, why: str, capfd: pytest.CaptureFixture[str]):
    with pytest.raises(plugins.BrokenPlugin) as caught:
        spiel(text)
    assert why in str(caught.value)
    assert capfd.readouterr().err == ""


def test_an_unknown_game_is_refused_with_the_nearest_names():
    with pytest.raises(UnsupportedGameType, match=r"did you mean openspiel:connect_four\? 'league games --all'"):
        spiel("connect_fuor")
    with pytest.raises(UnsupportedGameType, match=r"there is no library of games 'open'; did you mean openspiel\?"):
        plugins.game("open:chess")


def test_a_missing_extra_is_told_with_the_line_that_installs_it():
    program = (
        "import sys; sys.modules['pyspiel'] = None\n"
        "from league_sdk import plugins\n"
        "assert 'openspiel' in plugins.game_libraries() and plugins.games()\n"
        "plugins.game('openspiel:chess')\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240, check=False)
    assert "pip install 'mcp-agent-league[games]'" in ended.stderr


@pytest.mark.parametrize("find", [plugins.games, plugins.game_classes])
def test_libraries_are_no_games(find: Callable[[], Any]):
    assert "openspiel" not in find()


def test_a_name_and_its_game_type_mean_the_same_game():
    assert spiel("kuhn_poker(players=2)").name == "openspiel__kuhn_poker__28players__3d2__29"
    assert plugins.game("openspiel__kuhn_poker__28players__3d2__29").name == spiel("kuhn_poker(players=2)").name
    with pytest.raises(plugins.BrokenPlugin, match="has its parameters in its name, and no options: players"):
        plugins.game("openspiel:kuhn_poker", options={"players": 3})
