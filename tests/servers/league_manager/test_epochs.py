"""A manager whose agents follow another one ends; it is not for one player to say so."""

from collections.abc import Sequence

import anyio
import pytest

from league_sdk.domain.commands import BeginEpoch, ExpectAgents, MakeReadOnly, RegisterPlayer, RegisterReferee
from league_sdk.domain.model import Role
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from league_sdk.errors import Forbidden
from league_sdk.ports import Peer
from league_sdk.protocol.rounds import RoundCompletedAck, RoundCompletedMessage
from servers.league_manager.epochs import EpochCalls
from servers.league_manager.ledger import Superseded
from tests.league_sdk.domain.season import agent, created
from tests.servers.fakes import NOW, FakePeers

MESSAGE = RoundCompletedMessage(
    sender="league_manager",
    timestamp=NOW,
    conversation_id="c",
    league_id="summer",
    round_id=1,
    matches_played=1,
    next_round_id=None,
)
OTHER = {"number": 1, "id": "the other restore"}


class Restored:
    """A league that leads in epoch 1, with two players of strangers and two referees."""

    def __init__(self, launched: Sequence[tuple[Role, str]] = ()) -> None:
        season = created()
        season.do(ExpectAgents(tuple(ExpectedAgent(role, name, f"digest of {name}") for role, name in launched)))
        for name in ("Rhea", "Rob"):
            season.do(RegisterReferee(agent(name, role=Role.REFEREE), "secret"))
        for name in ("Ada", "Bob"):
            season.do(RegisterPlayer(agent(name)))
        season.do(MakeReadOnly("restored"))
        season.do(BeginEpoch("mine"))
        self.peers = FakePeers()
        self.calls = EpochCalls(self.peers, lambda: season.league)

    def told(self, agent_id: str, context: object = OTHER) -> None:
        """A call to an agent that refuses it."""
        self.peers.script(RoundCompletedMessage, Forbidden("no", epoch=context), to=agent_id)
        peer = Peer(agent_id, "http://localhost/mcp", "token")

        async def call() -> None:
            await self.calls.call(peer, MESSAGE, RoundCompletedAck, timeout=1)

        anyio.run(call)


def test_where_all_strangers_follow_another_restore_the_manager_ends_with_a_sentence():
    league = Restored()
    for agent_id in ("P01", "P02", "REF01"):
        with pytest.raises(Forbidden):
            league.told(agent_id)
    with pytest.raises(Superseded, match="P01, P02, REF01, REF02 of summer follow another"):
        league.told("REF02")


def test_a_referee_of_its_own_launcher_is_believed_at_once():
    league = Restored([(Role.REFEREE, "Rhea")])
    with pytest.raises(Superseded):
        league.told("REF01")


@pytest.mark.parametrize("context", [None, "2", {"number": 0, "id": ""}, {"number": 1, "id": "mine"}])
def test_a_refusal_that_names_no_other_manager_ends_nothing(context):
    league = Restored([(Role.REFEREE, "Rhea")])
    with pytest.raises(Forbidden):
        league.told("REF01", context)


def test_one_player_that_is_losing_ends_nothing():
    league = Restored([(Role.REFEREE, "Rhea"), (Role.REFEREE, "Rob"), (Role.PLAYER, "Bob")])
    with pytest.raises(Forbidden):
        league.told("P02")
    alone = Restored([(Role.REFEREE, "Rhea"), (Role.REFEREE, "Rob"), (Role.PLAYER, "Bob")])
    with pytest.raises(Forbidden):
        alone.told("P01")
    two = Restored([(Role.REFEREE, "Rhea"), (Role.REFEREE, "Rob")])
    with pytest.raises(Forbidden):
        two.told("P01")


def test_its_calls_carry_its_epoch():
    league = Restored()
    with pytest.raises(Forbidden):
        league.told("P01")
    assert [call.peer.epoch for call in league.peers.calls] == [{"number": 1, "id": "mine"}]
