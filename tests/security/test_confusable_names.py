"""Villains whose names can be taken for another one's."""

import pytest

from league_sdk import tokens
from league_sdk.domain.commands import ExpectAgents
from league_sdk.domain.model import Role
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from servers.league_manager.admission import Admission
from tests.security.guarded_manager import guarded, rejection
from tests.servers.fakes import LEAGUE, OPERATOR, enrol, player_request, referee_request

pytestmark = pytest.mark.anyio

LIKE_THE_MANAGER = {
    "central league manager": "is the league manager's",
    "Central  League Manager": "is the league manager's",
    "League Manager": "is the league manager's",
    "LEAGUE_MANAGER": "is the league manager's",
    "CentraI League Manager": "looks like 'Central League Manager', which is taken",
    "\u0421entral L\u0435ague Manager": "looks like 'Central League Manager', which is taken",
    "League Mana\u0261er": "looks like 'League Manager', which is taken",
}


@pytest.mark.parametrize(("name", "reason"), LIKE_THE_MANAGER.items())
async def test_a_guest_is_not_called_like_the_manager(name, reason):
    made = await guarded(admission=Admission(own_name="Central League Manager"))
    for tool, ask in (("register_player", player_request), ("register_referee", referee_request)):
        answer = await rejection(made, tool, ask(name))
        assert (answer["error_code"], reason in answer["reason"]) == ("E016", True), answer


@pytest.mark.parametrize("name", ["P1ayer 1", "P\u04c0ayer 1", "PLAYER l", "\u03a1layer I", "Player \U0001d7cf"])
async def test_nor_like_a_player_that_is_there(name):
    made = await guarded()
    await enrol(made.ledger, 1)
    answer = await rejection(made, "register_player", player_request(name))
    assert answer["error_code"] == "E016"
    assert "looks like 'Player 1', which is taken; choose another" in answer["reason"] or "is taken" in answer["reason"]


async def test_nor_like_one_that_is_expected_in_either_role():
    made = await guarded()
    digest = tokens.digest(tokens.launched_token(OPERATOR, LEAGUE, "referee", "Referee Alpha"))
    await made.ledger.execute(ExpectAgents((ExpectedAgent(Role.REFEREE, "Referee Alpha", digest),)))
    for name in ("Referee A1pha", "R\u0435f\u0435r\u0435\u0435 Alpha"):
        for tool, ask in (("register_player", player_request), ("register_referee", referee_request)):
            answer = await rejection(made, tool, ask(name))
            assert "looks like 'Referee Alpha', which is taken; choose another" in answer["reason"]


async def test_a_stranger_without_the_secret_does_not_learn_who_is_there():
    made = await guarded(admission=Admission(join_secret="open sesame"))
    await enrol(made.ledger, 1)
    answer = await rejection(made, "register_player", player_request("P1ayer 1"))
    assert (answer["error_code"], "Player 1" in answer["reason"]) == ("E013", False)


async def test_a_name_in_letters_of_another_kind_is_a_name():
    made = await guarded()
    for number, name in enumerate(("Ada", "\u0410\u043d\u043d\u0430", "\u30a2\u30c0", "Ad\u00e4", "Ada 1"), 1):
        answer = await made.call("register_player", player_request(name))
        assert answer["player_id"] == f"P{number:02d}", name


async def test_whoever_has_its_seat_comes_back_whatever_its_name_looks_like():
    made = await guarded(admission=Admission(own_name="Player I"))
    await enrol(made.ledger, 1)
    answer = await made.call("register_player", player_request("Player 1", "token of P01"))
    assert answer["status"] == "ACCEPTED"
