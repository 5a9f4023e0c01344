"""Registration of players that cannot be called."""

from dataclasses import replace
from typing import Any

import pytest

from league_sdk.clock import ManualIds
from league_sdk.domain.model import HOSTED, Agent, Role
from league_sdk.net.endpoints import read_endpoint
from league_sdk.tokens import seat_address, seat_token
from servers.league_manager.player_seats import PlayerSeats
from servers.league_manager.service import LeagueManagerService
from servers.league_manager.tools import tool_table
from tests.servers.fakes import OPERATOR, Manager, agent, manager, player_request, referee_request

pytestmark = pytest.mark.anyio
HOST = "http://league.example:8100/mcp"
KEY = "the key of seats"


async def manager_with_seats(host: str = HOST) -> tuple[Manager, PlayerSeats]:
    made, seats = await manager(), PlayerSeats(ManualIds(), host, KEY)
    made.service = LeagueManagerService(
        ledger=made.ledger,
        clock=made.clock,
        ids=made.ids,
        journal=made.journal,
        operator_token=OPERATOR,
        read_endpoint=read_endpoint,
        seats=seats,
    )
    made.agent = agent(tool_table(made.service), made.service.authentication.identify, journal=made.journal)
    return made, seats


async def register(made: Manager, name: str = "Ada", token: str | None = None, **meta: Any) -> dict[str, Any]:
    return await made.call("register_player", player_request(name, token, contact_endpoint="seat:", **meta))


async def test_a_player_that_cannot_be_called_gets_a_seat_and_its_key():
    made, seats = await manager_with_seats()
    answer = await register(made)
    ada = made.league.players["P01"]
    seat = ada.endpoint.removeprefix("seat:")
    assert ada.hosted
    assert seat
    assert answer["seat_endpoint"] == HOST
    assert answer["seat_token"] == seat_token(KEY, seat)
    assert seats.url(ada) == f"http://league.example:8100/seat/{seat_address(KEY, seat)}/mcp"


async def test_two_players_have_seats_apart():
    made, _ = await manager_with_seats()
    tokens = {(await register(made, name))["seat_token"] for name in ("Ada", "Bob")}
    assert len(tokens) == 2


async def test_who_comes_back_has_the_same_seat():
    made, _ = await manager_with_seats()
    first = await register(made)
    again = await register(made, token=first["auth_token"])
    assert (again["player_id"], again["seat_token"]) == (first["player_id"], first["seat_token"])


async def test_who_moves_to_an_endpoint_of_its_own_is_called_there_and_hosted_no_more():
    made, _ = await manager_with_seats()
    first = await register(made)
    answer = await made.call("register_player", player_request("Ada", first["auth_token"]))
    assert "seat_token" not in answer
    assert not made.league.players["P01"].hosted


async def test_from_the_moment_of_a_new_card_messages_wait_for_whoever_joins_with_it():
    cards = {"Ada": 1}
    seats = PlayerSeats(ManualIds(), HOST, KEY, lambda name: cards.get(name, 0))
    ada = replace(seats.with_seat(Agent("", Role.PLAYER, "Ada", HOSTED, ""), None), card=1)
    old = seats.url(ada)
    cards["Ada"] = 2
    heir = replace(seats.with_seat(Agent("", Role.PLAYER, "Ada", HOSTED, ""), None, ada), card=2)
    assert old != seats.url(ada) == seats.url(heir)


async def test_who_takes_a_hosted_player_over_has_its_seat_by_a_token_of_its_own():
    given = PlayerSeats(ManualIds(), HOST, KEY)
    ada = Agent("", Role.PLAYER, "Ada", HOSTED, "")
    first = given.with_seat(ada, None)
    second = given.with_seat(ada, None, first)
    third = given.with_seat(ada, None, second)
    assert (second.endpoint, third.endpoint) == (f"{first.endpoint}-2", f"{first.endpoint}-3")
    assert len({given.key_of(each)["seat_token"] for each in (first, second, third)}) == 3
    assert given.with_seat(ada, third).endpoint == third.endpoint


async def test_a_league_without_seats_says_so():
    made, _ = await manager_with_seats("")
    answer = await register(made)
    assert (answer["status"], answer["error_code"]) == ("REJECTED", "E019")
    assert "--seats" in answer["reason"]


async def test_nobody_chooses_a_seat_and_referees_have_none():
    made, _ = await manager_with_seats()
    await register(made)
    taken = made.league.players["P01"].endpoint
    answer = await made.call("register_player", player_request("Bob", contact_endpoint=taken))
    assert answer["error_code"] == "E019"
    answer = await made.call("register_referee", referee_request("Whistle", contact_endpoint="seat:"))
    assert answer["error_code"] == "E019"
    assert list(made.league.players) == ["P01"]


async def test_players_with_an_endpoint_are_called_there_and_told_of_no_seat():
    made, seats = await manager_with_seats()
    answer = await made.call("register_player", player_request("Ada"))
    assert "seat_endpoint" not in answer
    ada = made.league.player("P01")
    assert seats.url(ada) == ada.endpoint
