"""Broadcasts: in order for each, and nobody waits for anybody else."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing

import anyio
import pytest

from league_sdk.errors import PeerUnreachable, PlayerNotRegistered
from league_sdk.ports import MalformedReply, Peer, Priority
from league_sdk.protocol.rounds import RoundCompletedAck, RoundCompletedMessage
from servers.league_manager.broadcast import AT_ONCE, Broadcaster, Delivery
from servers.league_manager.excerpts import Addressed, to_everybody
from tests.requirements.marker import requirement
from tests.servers.fakes import LEAGUE, NOW, FakeJournal, FakePeers, Sent, never, settle

pytestmark = pytest.mark.anyio
PLAYERS = [Peer(f"P0{number}", f"http://localhost:810{number}/mcp", f"peer {number}") for number in (1, 2, 3)]


def done(round_id: int) -> Addressed:
    message = RoundCompletedMessage(
        sender="league_manager",
        timestamp=NOW,
        conversation_id=f"conv-{round_id}",
        league_id=LEAGUE,
        round_id=round_id,
        matches_played=1,
        next_round_id=None,
    )
    return to_everybody(message)


@asynccontextmanager
async def broadcasting(peers: FakePeers, journal: FakeJournal) -> AsyncGenerator[Broadcaster]:
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            with closing(Broadcaster(peers, tasks, journal, timeout=7.0)) as broadcaster:
                yield broadcaster
            tasks.cancel_scope.cancel()


@requirement("000-LM-ROUND-01", "000-LM-STAND-01")
async def test_everybody_is_told_with_his_own_token_and_after_all_that_is_more_urgent():
    peers = FakePeers()
    async with broadcasting(peers, FakeJournal()) as broadcaster:
        delivery = broadcaster.send(PLAYERS, done(1), RoundCompletedAck)
        assert await delivery.wait(5)
    assert [(call.peer, call.timeout, call.priority) for call in peers.calls] == [
        (player, 7.0, Priority.BROADCAST) for player in PLAYERS
    ]
    assert delivery.failed == set()


@requirement("000-LM-STAND-04", "001-COMP-03", "003-FORMAT-03")
async def test_each_agent_hears_in_order_and_a_slow_one_only_delays_its_own_messages():
    peers, gate = FakePeers(), anyio.Event()

    async def slowly(call: Sent) -> RoundCompletedAck:
        await gate.wait()
        return RoundCompletedAck(
            sender="player:P02", timestamp=NOW, conversation_id="x", round_id=call.message.round_id
        )

    peers.script(RoundCompletedMessage, slowly, to="P02")
    async with broadcasting(peers, FakeJournal()) as broadcaster:
        first = broadcaster.send(PLAYERS, done(1), RoundCompletedAck)
        second = broadcaster.send(PLAYERS, done(2), RoundCompletedAck)
        await settle()
        assert (first.missing, second.missing) == ({"P02"}, {"P02"})
        assert [message.round_id for message in peers.sent(RoundCompletedMessage, "P01")] == [1, 2]
        assert [message.round_id for message in peers.sent(RoundCompletedMessage, "P02")] == [1]
        gate.set()
        assert await second.wait(5)
    assert [message.round_id for message in peers.sent(RoundCompletedMessage, "P02")] == [1, 2]


@pytest.mark.parametrize("silent", [False, True])
async def test_a_message_to_very_many_goes_out_bit_by_bit(silent: bool, monkeypatch: pytest.MonkeyPatch):
    peers, gate = FakePeers(), anyio.Event()
    everybody = [Peer(f"P{number}", f"http://localhost:{9000 + number}/mcp", "peer") for number in range(AT_ONCE + 10)]

    async def slowly(call: Sent) -> RoundCompletedAck:
        await gate.wait()
        return RoundCompletedAck(sender="player:P02", timestamp=NOW, conversation_id="x", round_id=1)

    peers.script(RoundCompletedMessage, slowly)
    if silent:
        monkeypatch.setattr("servers.league_manager.broadcast.HOLD_SEC", 0.01)
    async with broadcasting(peers, FakeJournal()) as broadcaster:
        delivery = broadcaster.send(everybody, done(1), RoundCompletedAck)
        await settle()
        if not silent:
            assert len(peers.calls) == AT_ONCE
        while silent and len(peers.calls) < len(everybody):  # who does not answer makes room
            await settle()
        gate.set()
        assert await delivery.wait(5)
    assert {call.peer.agent_id for call in peers.calls} == {peer.agent_id for peer in everybody}
    assert delivery.failed == set()


async def test_an_agent_that_does_not_know_its_seat_yet_is_told_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("servers.league_manager.broadcast.UNSEATED_PAUSE_SEC", 0.001)
    peers, unseated = FakePeers(), PlayerNotRegistered("no seat yet")
    known = RoundCompletedAck(sender="player:P01", timestamp=NOW, conversation_id="x", round_id=1)
    peers.script(RoundCompletedMessage, unseated, unseated, known, to="P01")
    async with broadcasting(peers, FakeJournal()) as broadcaster:
        delivery = broadcaster.send(PLAYERS[:1], done(1), RoundCompletedAck)
        assert await delivery.wait(5)
    assert (len(peers.calls), delivery.failed) == (3, set())


async def test_an_agent_that_never_knows_its_seat_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("servers.league_manager.broadcast.UNSEATED_SEC", 0.0)
    peers, journal = FakePeers(), FakeJournal()
    peers.script(RoundCompletedMessage, PlayerNotRegistered("no seat"), to="P01")
    async with broadcasting(peers, journal) as broadcaster:
        delivery = broadcaster.send(PLAYERS[:1], done(1), RoundCompletedAck)
        assert await delivery.wait(5)
    assert (delivery.failed, len(journal.named("BROADCAST_FAILED"))) == ({"P01"}, 1)


@requirement("000-LM-ROUND-03", "000-LM-STAND-04", "000-LM-RCOMP-03", "000-LM-FAIL-02", "001-ERR-04", "000-LM-ROUND-04")
@pytest.mark.parametrize("trouble", [PeerUnreachable("nobody there"), MalformedReply("nonsense")])
async def test_an_agent_that_cannot_be_told_is_given_up_and_noted(trouble: Exception):
    peers, journal = FakePeers(), FakeJournal()
    peers.script(RoundCompletedMessage, trouble, to="P03")
    async with broadcasting(peers, journal) as broadcaster:
        delivery = broadcaster.send(PLAYERS, done(1), RoundCompletedAck)
        assert await delivery.wait(5)
    assert delivery.failed == {"P03"}
    ((level, details),) = journal.named("BROADCAST_FAILED")
    assert level == "WARNING"
    assert details == {"message_type": "ROUND_COMPLETED", "agent_id": "P03", "reason": str(trouble)}


@requirement("000-LM-LCOMP-03", "000-LM-FAIL-02")
async def test_nobody_waits_longer_for_a_silent_agent_than_he_wants_to():
    peers = FakePeers()
    peers.script(RoundCompletedMessage, never, to="P01")
    async with broadcasting(peers, FakeJournal()) as broadcaster:
        delivery = broadcaster.send(PLAYERS, done(1), RoundCompletedAck)
        assert not await delivery.wait(0.02)
    assert delivery.missing == {"P01"}


async def test_a_broadcast_to_nobody_is_done():
    async with broadcasting(FakePeers(), FakeJournal()) as broadcaster:
        assert await broadcaster.send([], done(1), RoundCompletedAck).wait(0)


async def test_closing_lets_the_outboxes_run_empty_and_end():
    peers = FakePeers()
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            broadcaster = Broadcaster(peers, tasks, FakeJournal(), 1.0)
            broadcaster.send(PLAYERS, done(1), RoundCompletedAck)
            broadcaster.close()
    assert len(peers.calls) == 3


async def test_a_delivery_is_settled_by_its_last_agent():
    delivery = Delivery({"P01", "P02"})
    delivery.settle("P01", delivered=True)
    assert not delivery.settled.is_set()
    delivery.settle("P02", delivered=False)
    assert delivery.settled.is_set()
    assert delivery.failed == {"P02"}
