"""One registration does not end a league: endpoints that cannot be called, at every place where one comes in."""

import contextlib
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.abc import SocketStream
from hypothesis import given
from hypothesis import strategies as st

from clients.circuit import CircuitBreakers
from clients.message_queue import MessageQueue
from clients.outbound import Outbound, Route
from clients.peer import PeerClient
from clients.retry import RetryPolicy
from clients.session_manager import SessionManager, SessionSettings
from clients.tool_registry import ToolRegistry
from league_sdk.clock import HashRng, ManualClock, SystemClock
from league_sdk.dialect import known_dialect
from league_sdk.domain.commands import CreateLeague, RegisterPlayer
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Agent, Cause, LeagueRules, Role
from league_sdk.errors import InvalidEndpoint, LeagueError
from league_sdk.net.addresses import AddressRule
from league_sdk.net.endpoints import is_endpoint, read_endpoint
from league_sdk.net.replies import FailuresAsReplies
from league_sdk.ports import Connector, Peer, UnforeseenError
from league_sdk.protocol.match import GameOverAck
from league_sdk.settings import Workspace, write_secret
from league_sdk.stores import open_store
from league_sdk.tokens import digest
from league_sdk.transports import connectors
from league_sdk.transports.http import HttpConnector, client_over
from league_sdk.transports.jsonrpc import JsonRpcConnector
from servers.launcher.plan import PlanError
from servers.launcher.run_options import PlayerSpec
from servers.league_manager.admission import Admission
from servers.league_manager.ledger import Ledger
from tests.faults.league_harness import (
    FAULTY,
    HEALTHY,
    LEAGUE,
    OPERATOR,
    LeagueHarness,
    faults_of,
    healthy,
    league_harness,
    patient_client,
)
from tests.faults.rogue import Rogue
from tests.requirements.marker import requirement
from tests.security.endpoints import HOSTILE, endpoint_like
from tests.security.guarded_manager import guarded
from tests.servers.fakes import CODEC, FakeJournal, enrol, player_request, referee_request, token_of

pytestmark = pytest.mark.anyio


def sendable() -> list[tuple[str, str]]:
    """Those that come as far as the endpoint's own check; the others are no text that a message may hold (E002)."""
    return [(text, why) for text, why in HOSTILE.items() if text and "\ud800" not in text]


# --- at registration


@requirement("project-TRUST-01")
@pytest.mark.parametrize("tool", ["register_player", "register_referee"])
async def test_no_newcomer_gets_in_with_one_and_each_is_told_why(tool: str):
    made = await guarded()
    request = player_request if tool == "register_player" else referee_request
    for text, why in sendable():
        answer = await made.call(tool, request("Eve", contact_endpoint=text))
        assert (answer["status"], answer["error_code"]) == ("REJECTED", "E019"), ascii(text)
        assert why in answer["reason"]
    assert (made.league.players, made.league.referees) == ({}, {})


async def test_nor_does_a_seated_agent_with_its_own_token():
    made = await guarded(admission=Admission(AddressRule(["127.0.0.1"])))
    await enrol(made.ledger, 1)
    before = made.league.players["P01"]
    for text, _ in sendable():
        moved = player_request("Player 1", token_of("P01"), contact_endpoint=text)
        answer = await made.call("register_player", moved)
        assert (answer["status"], answer["error_code"]) == ("REJECTED", "E019"), ascii(text)
    assert made.league.players["P01"] == before


async def test_what_is_kept_is_the_normal_form_also_when_an_agent_moves():
    made = await guarded()
    await made.call("register_player", player_request("Ada", "tok-1", contact_endpoint="HTTP://LocalHost.:80/a/../mcp"))
    assert made.league.players["P01"].endpoint == "http://localhost/mcp"


async def test_the_rule_judges_the_host_that_is_called():
    asked: list[str] = []

    async def resolve(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["93.184.216.34"]

    made = await guarded(admission=Admission(AddressRule(["public"], local=False, resolve=resolve)))
    for number, text in enumerate(["http://AGENT.example./mcp", "http://xn--mller-kva.example/mcp"]):
        answer = await made.call("register_player", player_request(f"Player {number}", contact_endpoint=text))
        assert answer["status"] == "ACCEPTED"
    called = [httpx2.URL(player.endpoint).raw_host.decode() for player in made.league.players.values()]
    assert asked == called == ["agent.example", "xn--mller-kva.example"]


def test_nor_does_the_operator_invite_one():
    for text in filter(str.strip, HOSTILE):
        if text != text.strip():
            continue  # such a space is the shell's, and not kept
        with pytest.raises(PlanError):
            PlayerSpec.parse(f"name=Ada,url={text}")
    assert PlayerSpec.parse("http://LocalHost:80/mcp").url == "http://localhost/mcp"


# --- a call to whatever is accepted


class Nowhere(httpx2.AsyncBaseTransport):
    """Stands below the HTTP client: every name is known, and nobody is there."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("nobody is there", request=request)


async def call(endpoint: str, transports: Sequence[Connector], wire: str) -> None:
    """One call as agents make it."""
    clock = ManualClock()
    async with SessionManager(transports, SystemClock(), SessionSettings(open_timeout=2.0)) as sessions:
        outbound = Outbound(
            sessions,
            MessageQueue(),
            RetryPolicy(clock, HashRng("jitter"), max_retries=0),
            CircuitBreakers(clock),
            ToolRegistry(),
        )
        peers = PeerClient(outbound, CODEC, lambda _: Route(("notify_match_result",)), FakeJournal())
        message = GameOverAck(
            sender="player:P01",
            timestamp="2026-01-01T00:00:00Z",
            conversation_id="conv-1",
            match_id="R1M1",
            player_id="P01",
        )
        with pytest.raises(LeagueError) as caught:
            await peers.call(Peer("P01", endpoint, dialect=known_dialect(wire)), message, GameOverAck, timeout=2)
        assert not isinstance(caught.value, UnforeseenError), repr(caught.value.__cause__)
        with pytest.raises(LeagueError) as pinged:
            await peers.ping(Peer("P01", endpoint, dialect=known_dialect(wire)), timeout=2)
        assert not isinstance(pinged.value, UnforeseenError)
        with contextlib.suppress(InvalidEndpoint):
            assert await sessions.wire(endpoint, timeout=2) in ("", "jsonrpc")


@requirement("project-TRUST-01")
@given(text=st.one_of(st.text(), endpoint_like()), wire=st.sampled_from(["", "jsonrpc"]))
async def test_any_text_is_refused_or_ends_in_an_error_of_the_protocol(text: str, wire: str):
    async with FailuresAsReplies(Nowhere()) as http:
        transports = (HttpConnector(http), JsonRpcConnector(client_over(http)))
        await call(text, transports, wire)
        if is_endpoint(text):
            await call(read_endpoint(text).url, transports, wire)


@pytest.mark.parametrize("wire", ["", "jsonrpc"])
async def test_so_does_a_call_over_real_sockets(wire: str):
    async def hang_up(stream: SocketStream) -> None:
        await stream.aclose()

    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        closed = unused.getsockname()[1]
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    opened = listener.extra(anyio.abc.SocketAttribute.local_port)
    async with anyio.create_task_group() as tasks, connectors() as transports:
        tasks.start_soon(listener.serve, hang_up)
        for port in (closed, opened):
            for form in (
                "http://127.0.0.1:{}/mcp",
                "http://localhost:{}/%00?q=%7f",
                "https://127.0.0.1:{}",
                "http://[::]:{}",
            ):
                await call(form.format(port), transports, wire)
        tasks.cancel_scope.cancel()
    await listener.aclose()


@pytest.mark.parametrize("wire", ["", "jsonrpc"])
async def test_a_call_to_one_from_an_old_record_finds_nobody(wire: str):
    async with connectors() as transports:
        for text in HOSTILE:
            await call(text, transports, wire)


# --- whole leagues


async def moves_about(villain: Rogue, held: LeagueHarness, http_client: httpx2.AsyncClient) -> list[dict[str, Any]]:
    """Register every hostile endpoint, as a newcomer or as the seated player that it is."""
    answers: list[dict[str, Any]] = []
    for text, _ in sendable():
        meta: dict[str, Any] = {
            "display_name": villain.name,
            "version": "1.0.0",
            "protocol_version": "2.1.0",
            "game_types": ["even_odd"],
            "contact_endpoint": text,
        }
        kind = "LEAGUE_REGISTER_REQUEST"
        answers.append(await villain.tell(held.manager, http_client, "register_player", kind, player_meta=meta))
    return answers


async def test_a_league_goes_on_whatever_a_player_registers_before_it_and_in_its_midst(tmp_path: Path):
    villain = Rogue(FAULTY)
    with anyio.fail_after(120):
        async with league_harness(tmp_path) as held, patient_client() as http_client:
            await villain.listen()
            before = await moves_about(villain, held, http_client)
            held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
            others = [healthy(name) for name in HEALTHY]
            for player in others:
                await player.listen()
            for player in (*others, villain):
                assert (await player.register(held.manager, http_client))["status"] == "ACCEPTED"
            await held.until(lambda league: bool(league.rounds_started))
            amidst = await moves_about(villain, held, http_client)
            await held.over()
            for player in (*others, villain):
                player.vanish()
            league = held.league
    assert {(answer.get("status"), answer.get("error_code")) for answer in (*before, *amidst)} == {("REJECTED", "E019")}
    assert league.state is LeagueState.COMPLETED, held.failures()
    assert len(league.results) == 6
    assert not any(result.faults for result in league.results.values())
    assert league.players["P04"].endpoint == villain.endpoint


OLD = ["http://①:8101/mcp", "http://256.1.1.1/mcp", "http://[::1]x:80/mcp", "http://127.0.0.1:8101/\x00"]


@requirement("project-TRUST-02")
@pytest.mark.parametrize("endpoint", OLD, ids=ascii)
@pytest.mark.parametrize("dialect", ["", "jsonrpc"])
async def test_a_league_with_such_a_record_from_before_goes_on_and_that_player_is_unreachable(
    tmp_path: Path, endpoint: str, dialect: str
):
    names = {name: f"P{number:02d}" for number, name in enumerate((*HEALTHY, FAULTY), 1)}
    rules = LeagueRules(LEAGUE, "even_odd", expected_players=4, expected_referees=1, roster=names, seed="7")
    others = [healthy(name) for name in HEALTHY]
    url = f"sqlite:///{tmp_path / 'events.db'}"
    store = await open_store(url, tmp_path, LEAGUE)
    ledger = Ledger(store, SystemClock(), LEAGUE)
    await ledger.open()
    await ledger.execute(CreateLeague(rules))
    for player in others:
        await player.listen()
        player.agent_id = names[player.name]
        await ledger.execute(RegisterPlayer(seated(player.name, player.endpoint, "jsonrpc")))
    await ledger.execute(RegisterPlayer(seated(FAULTY, endpoint, dialect)))
    await store.close()
    write_secret(Workspace(tmp_path).operator_token_file(LEAGUE), OPERATOR)
    with anyio.fail_after(120):
        async with league_harness(tmp_path, settings={"store_url": url}) as held:
            held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
            await held.over()
            league = held.league
    for player in others:
        player.vanish()
    assert league.state is LeagueState.COMPLETED, held.failures()
    assert {(fault.cause, fault.error_code) for fault in faults_of(league, "P04")} == {
        (Cause.CONNECTION_REFUSED, "E019")
    }
    assert [bool(result.faults) for result in league.results.values()].count(True) == 3
    assert {row.player_id: row.losses for row in league.standings()}["P04"] == 3


def seated(name: str, endpoint: str, dialect: str) -> Agent:
    """A player as an earlier version took it."""
    return Agent("", Role.PLAYER, name, endpoint, digest(f"token of {name}"), game_types=("even_odd",), dialect=dialect)
