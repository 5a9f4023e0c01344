"""A player that has lost its memory within a match continues from a repeated call for a move."""

from collections.abc import Callable
from typing import Any

import pytest

from game_rules.even_odd import EvenOdd
from game_rules.rock_paper_scissors import RockPaperScissors
from game_rules.tic_tac_toe import TicTacToe
from league_sdk import tokens
from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.matches.match import Match, new_match, step
from league_sdk.domain.matches.match_io import AskForMove, Begin, Invite, Joined, MoveMade, SendReport
from league_sdk.errors import AuthTokenInvalid, InvalidState
from league_sdk.game import Game
from league_sdk.protocol.match import MoveCall
from servers.agent.access import Access, Caller
from servers.referee.messages import MatchMessages, MatchSetting
from tests.requirements.marker import requirement
from tests.servers.fakes import LEAGUE, NOW, context
from tests.servers.player.player_harness import PEER_TOKEN, Player, game_over, player

pytestmark = pytest.mark.anyio

GAMES: dict[str, Callable[[], Game[Any]]] = {
    "even_odd": EvenOdd,
    "rock_paper_scissors": lambda: RockPaperScissors(rounds=5),
    "tic_tac_toe": TicTacToe,
}
PAIR = ("P01", "P02")


def begun(game: Game[Any], players: tuple[str, str] = PAIR) -> tuple[Match[Any], tuple[Any, ...]]:
    """A match whose players have joined, and the calls for the first moves."""
    match = new_match(game, match_id="R1M1", round_id=1, players=players, referee_id="REF01", seed="7")
    match, commands = step(match, Begin(NOW))
    for command in commands:
        assert isinstance(command, Invite)
        match, commands = step(match, Joined(command.player, NOW))
    return match, commands


def call(match: Match[Any], player_id: str, *, repeated: bool = True) -> MoveCall:
    """A referee's call."""
    setting = MatchSetting(LEAGUE, match.game.name, "conversation", names={"P01": "Ada", "P02": "Bea"})
    messages = MatchMessages(setting, "referee:REF01", ManualClock(), ManualIds())
    return messages.move_call(match, player_id, 30.0, repeated=repeated)


@requirement("project-TRUST-10")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", GAMES)
async def test_every_game_is_played_to_its_end_by_a_player_that_forgets_everything_before_each_turn(
    name: str, seat: int
):
    game, me = GAMES[name](), "P01"
    players = ("P01", "P02") if seat == 0 else ("P02", "P01")
    match, commands = begun(game, players)
    mine: list[Any] = []
    while not any(isinstance(command, SendReport) for command in commands):
        asked = [command for command in commands if isinstance(command, AskForMove)]
        for command in asked:
            if command.player == me:
                restarted = player(games={name: game})
                message = call(match, me)
                answer = await restarted.service.choose_move(message, Caller())
                move = answer.move
                (view,) = restarted.views
                if game.public_moves(match.game_state):
                    assert list(view.my_moves) == mine
                assert view.opponent_id == "P02"
                assert restarted.service.under_way["R1M1"].seats == players
                mine.append(move)
            else:
                move = game.legal_moves(match.game_state, command.player)[-1]
            match, commands = step(match, MoveMade(command.player, move, NOW, command.turn))
    assert match.result is not None
    assert match.result.faults == ()
    assert mine


async def test_it_goes_on_with_the_match_and_remembers_it_when_it_is_over():
    match, _ = begun(RockPaperScissors(rounds=2))
    restarted = player(games={"rock_paper_scissors": RockPaperScissors(rounds=2)})
    await restarted.service.choose_move(call(match, "P01"), Caller())
    await restarted.tell(drawn_number=None)
    ((past, round_id, _),) = restarted.memory.remembered
    assert (past.opponent_id, past.opponent_name, round_id) == ("P02", "Bea", 1)
    assert restarted.journal.named("DRAW_NOT_VERIFIED") == []


async def test_the_same_call_again_gets_the_same_answer():
    moves = iter(["rock", "paper"])
    match, _ = begun(RockPaperScissors(rounds=2))
    restarted = player(lambda _: next(moves), games={"rock_paper_scissors": RockPaperScissors(rounds=2)})
    for _ in range(2):
        assert (await restarted.service.choose_move(call(match, "P01"), Caller())).move == "rock"


async def test_a_first_call_does_not_say_enough():
    match, _ = begun(EvenOdd())
    with pytest.raises(InvalidState):
        await player().service.choose_move(call(match, "P01", repeated=False), Caller())


async def test_a_match_that_is_over_is_not_taken_up_again():
    match, _ = begun(EvenOdd())
    made = player()
    await made.invite()
    await made.call("notify_match_result", game_over())
    with pytest.raises(InvalidState):
        await made.service.choose_move(call(match, "P01"), Caller())
    assert not made.service.under_way


def showing(made: Player, message: MoveCall, ticket: str) -> Caller:
    return made.seat.identify(Access.TICKET, message, ticket, context())


@pytest.mark.parametrize("attempt", [1, 4])
async def test_its_ticket_follows_from_the_attempt_and_what_the_manager_gave(attempt: int):
    match, _ = begun(EvenOdd())
    message = call(match, "P01").model_copy(update={"attempt": attempt})
    assert showing(player(), message, tokens.match_ticket(PEER_TOKEN, "R1M1", attempt)).role == "referee"
    for wrong in (
        tokens.match_ticket(PEER_TOKEN, "R1M1", attempt + 1),
        tokens.match_ticket(PEER_TOKEN, "R1M2", attempt),
        tokens.match_ticket("another's", "R1M1", attempt),
        "",
    ):
        with pytest.raises(AuthTokenInvalid):
            showing(player(), message, wrong)


async def test_a_call_of_an_older_referee_need_not_say_for_which_attempt_it_is():
    match, _ = begun(EvenOdd())
    message = call(match, "P01", repeated=False)
    assert showing(player(), message, tokens.match_ticket(PEER_TOKEN, "R1M1", 2)).role == "referee"
    with pytest.raises(AuthTokenInvalid):
        showing(player(), message, "a guess")
