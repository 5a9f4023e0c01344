import asyncio
import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise
from typing import Any

import pytest

from league_sdk import plugins
from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.matches.match import new_match, step
from league_sdk.domain.matches.match_io import AskForMove, Begin, Invite, Joined, MoveMade, Reported, SendGameOver
from league_sdk.domain.model import Role
from league_sdk.game import PlayerView
from servers.agent.access import Caller
from servers.agent.identity import Credentials, Seat
from servers.experiments.match_loop import Contestant, play
from servers.player.move_substitution import Guarded
from servers.player.ports import PlayerContext, PlayerHooks
from servers.player.service import PlayerService
from servers.referee.messages import MatchMessages, MatchSetting
from tests.servers.fakes import FakeJournal
from tests.servers.player.player_harness import FakeMemory

CALLER = Caller(operator=True)
AT = "2025-01-15T10:00:00.000Z"
GAMES = {name: game for name, game in plugins.games().items() if game.min_players == 2}
STRATEGIES = {
    name: "always-even" if name == "always" else name
    for name, found in plugins.strategies().items()
    if found.make_with_model is None
}


def raises(view):
    """Fails in every other turn, after it took some chance."""
    if view.rng.random() < 0.5:
        raise LookupError("no idea")
    return view.rng.choice(view.legal_moves)


async def waits(view):
    await asyncio.sleep(0)
    return view.legal_moves[-1]


def contestants(*functions):
    """Both players, in seat order."""
    return [Contestant(f"P{seat + 1:02d}", f"player {seat}", each) for seat, each in enumerate(functions)]


def any_move(view):
    return view.rng.choice(view.legal_moves)


def player(seat, game):
    """A player as the league runs it."""
    own = Seat(Role.PLAYER, seat.name, None)
    own.settle(Credentials(seat.player_id, "experiment", "its token", "peer token"))
    parts = PlayerContext(
        seat=own,
        games={game.name: game},
        memory=FakeMemory,
        clock=ManualClock(),
        journal=FakeJournal(),
        seed="seed",
    )
    return PlayerService(parts, Guarded(seat.choose, 60, any_move), PlayerHooks())


async def refereed(game, seats):
    """The match machine's result, with players that answer real messages."""
    players = {seat.player_id: player(seat, game) for seat in seats}
    match = new_match(game, match_id="R1M1", round_id=1, players=tuple(players), referee_id="REF01", seed="chance")
    messages = MatchMessages(MatchSetting("experiment", game.name, "c1"), "referee:REF01", ManualClock(), ManualIds())
    match, commands = step(match, Begin(AT))
    waiting = list(commands)
    while waiting:
        command = waiting.pop(0)
        if isinstance(command, Invite):
            await players[command.player].handle_game_invitation(messages.invitation(match, command.player), CALLER)
            event = Joined(command.player, AT)
        elif isinstance(command, AskForMove):
            call = messages.move_call(match, command.player, 60)
            answer = await players[command.player].choose_move(call, CALLER)
            event = MoveMade(command.player, answer.move, AT, command.turn)
        elif isinstance(command, SendGameOver):
            continue
        else:
            event = Reported(AT)
        match, more = step(match, event)
        waiting += more
    substituted = {player_id: len(service.under_way["R1M1"].substituted) for player_id, service in players.items()}
    return match, substituted


def equal_both_ways(game, pair, functions):
    """Assert that the match loop and the match machine play a pair of strategies alike."""
    seats = contestants(*(functions[name] for name in pair))
    played = play(game, seats, seed="seed", chance="chance", match_id="R1M1")
    match, substituted = asyncio.run(refereed(game, seats))
    assert match.result is not None, pair
    assert game.public_moves(played.state) == game.public_moves(match.game_state), pair
    assert (played.turn, played.end.winner) == (match.turn, match.result.winner), pair
    assert {"scores": dict(played.end.scores), **played.end.details} == dict(match.result.details), pair
    assert {seat.player_id: seat.substituted for seat in seats} == substituted, pair


@pytest.mark.parametrize("game", GAMES)
def test_every_strategy_plays_every_game_as_with_a_referee(game):
    functions = {name: plugins.strategy(spelled) for name, spelled in STRATEGIES.items()}
    functions |= {"raises": raises, "waits": waits, "illegal": lambda view: {"no": "move"}}
    names = list(functions)
    for pair in (*pairwise([*names, names[0]]), *zip(names, names, strict=True)):
        equal_both_ways(GAMES[game], pair, functions)


@pytest.mark.parametrize("text", ["tic_tac_toe", "kuhn_poker", "goofspiel(num_cards=4,imp_info=True)", "connect_four"])
def test_games_of_openspiel_are_played_as_with_a_referee(text):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'mcp-agent-league[games]'")
    functions = {name: plugins.strategy(name) for name in ("random", "alternating", "mirror", "mcts-5")}
    functions |= {"raises": raises, "waits": waits, "illegal": lambda view: {"no": "move"}}
    for pair in (*pairwise([*functions, "random"]), ("random", "random")):
        equal_both_ways(plugins.game(f"openspiel:{text}"), pair, functions)


def test_the_reason_of_a_substituted_move_is_that_of_the_first_failure():
    seats = contestants(raises, lambda view: "no such move")
    play(GAMES["rock_paper_scissors"], seats, seed="seed", chance="chance", match_id="R1M1")
    assert [seat.fault for seat in seats] == ["raised LookupError", "illegal"]
    assert seats[1].substituted == 5


def test_a_game_that_never_ends_properly_is_an_error():
    class Stuck(type(GAMES["even_odd"])):
        name = "stuck"

        def to_move(self, state):
            return ()

    stuck: Any = Stuck
    with pytest.raises(ValueError, match="nobody is to move"):
        play(stuck(), contestants(any_move, any_move), seed="s", chance="c", match_id="R1M1")


class Torn(type(GAMES["tic_tac_toe"])):
    """A game that cannot show itself."""

    name = "torn"

    def observe(self, state, player):
        raise LookupError("no board")


def careless(view):
    """Catches every error."""
    try:
        return view.legal_moves[len(view.observation)]
    except Exception:
        return view.legal_moves[0]


@pytest.mark.parametrize("choose", [careless, lambda view: view.legal_moves[len(view.observation)]])
def test_a_game_that_fails_while_a_strategy_reads_its_view_is_not_the_strategys_fault(choose):
    torn: Any = Torn
    with pytest.raises(LookupError, match="no board"):
        play(torn(), contestants(choose, any_move), seed="s", chance="c", match_id="R1M1")


def test_a_view_can_be_copied_changed_and_read_after_the_match():
    kept = []

    def keeps(view):
        kept.append(view)
        return view.random_move()

    seats = contestants(keeps, any_move)
    played = play(GAMES["tic_tac_toe"], seats, seed="seed", chance="chance", match_id="R1M1")
    first, last = kept[0], pickle.loads(pickle.dumps(kept[-1]))
    assert (first.my_moves, first.standings, first.deadline) == ((), (), None)
    assert list(last.my_moves) == GAMES["tic_tac_toe"].public_moves(played.state)["P01"][: len(last.my_moves)]
    assert replace(last, legal_moves=("only",)).legal_moves == ("only",)
    assert copy.deepcopy(last).observation == kept[-1].observation
    assert isinstance(last, PlayerView)
    with pytest.raises(FrozenInstanceError):
        setattr(last, "legal_moves", ())  # noqa: B010
