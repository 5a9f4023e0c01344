"""Hosted seats over sockets: players without a port of their own play a league."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import httpx2
import pytest
from mcp import Client

from league_sdk import Player
from league_sdk.domain.evolution import fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import ResultStatus
from league_sdk.settings import Workspace
from servers.agent import event_store, hosted_seat
from servers.launcher.plan import LaunchPlan, make_plan
from servers.launcher.run_options import PlayerSpec, RunOptions
from servers.launcher.supervisor import RunOutcome, Supervisor
from servers.launcher.worker_processes import in_this_process
from tests.requirements.marker import requirement
from tests.servers.fakes import player_request

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("hosted seats")]
NONCE = "a nonce of the player's own"
OPERATOR = "an operator's token of more than thirty-two characters"
QUICK = {
    "timeouts.game_join_timeout_sec": 5,
    "timeouts.move_timeout_sec": 5,
    "timeouts.generic_response_timeout_sec": 5,
    "retry_policy.max_retries": 1,
    "retry_policy.backoff_base_sec": 0.02,
    "retry_policy.backoff_max_sec": 0.02,
    "registration_timeout_sec": 0,
}


def operator_removes(plan: LaunchPlan, player_id: str) -> None:
    """Press the operator's button."""
    headers = {"authorization": f"Bearer {OPERATOR}"}
    answer = httpx2.post(f"{plan.page}admin/players/{player_id}/remove", headers=headers, trust_env=False)
    assert answer.status_code == 200, answer.text


class Quiet:
    """A view that shows nothing."""

    def league(self, league: object, record: object) -> None: ...

    def waits(self, lines: object) -> None: ...

    def note(self, text: str) -> None: ...


def planned(folder: Path) -> LaunchPlan:
    options = RunOptions(
        Workspace(folder / "league"),
        overrides=QUICK,
        players=(PlayerSpec("Ada", "random"),),
        guests=3,
        seats=True,
        referees=1,
        port_base=0,
    )
    return make_plan(options, OPERATOR)


def manager_of(plan: LaunchPlan) -> str:
    return f"{plan.page}mcp"


async def registered(plan: LaunchPlan, name: str) -> dict[str, Any]:
    """Register a player that cannot be called, as any MCP client does; wait for the manager if need be."""
    while True:
        try:
            async with Client(manager_of(plan)) as client:
                message = player_request(name, contact_endpoint="seat:")
                return (await client.call_tool("register_player", message)).structured_content or {}
        except Exception:  # the SDK's own group of errors, as long as nobody listens
            await anyio.sleep(0.05)


async def play_by_hand(plan: LaunchPlan, name: str, seen: list[str]) -> None:
    """A player of nothing but the SDK's client and two tools."""
    answer = await registered(plan, name)
    async with Client(answer["seat_endpoint"]) as client:
        after = 0
        while "notify_league_completed" not in seen:
            asked = {"seat_token": answer["seat_token"], "after": after}
            waited = (await client.call_tool("wait_for_message", asked)).structured_content or {}
            for message in waited["messages"]:
                after = message["number"]
                seen.append(message["tool"])
                brought = {"number": after, "reply": reply_to(message, answer), "seat_token": answer["seat_token"]}
                await client.call_tool("answer", brought)


def reply_to(message: dict[str, Any], registration: dict[str, Any]) -> dict[str, Any]:
    sent = message["arguments"]
    reply: dict[str, Any] = {
        "protocol": "league.v2",
        "sender": f"player:{registration['player_id']}",
        "timestamp": sent["timestamp"],
        "conversation_id": sent["conversation_id"],
        "player_id": registration["player_id"],
        "status": "ACKNOWLEDGED",
        "message_type": "ACK",
        **{name: sent[name] for name in ("match_id", "round_id", "league_id", "attempt", "turn") if name in sent},
    }
    match message["tool"]:
        case "handle_game_invitation":
            joining = {"message_type": "GAME_JOIN_ACK", "accept": True, "draw_nonce": NONCE}
            reply |= {**joining, "arrival_timestamp": sent["timestamp"]}
        case "choose_parity":
            reply |= {"message_type": "CHOOSE_PARITY_RESPONSE", "parity_choice": "even"}
        case _:
            pass
    return reply


@requirement("project-AGENT-06")
async def test_players_that_nobody_can_call_play_and_one_that_does_not_listen_loses(tmp_path):
    plan = await anyio.to_thread.run_sync(planned, tmp_path)
    outcome, seen = list[RunOutcome](), list[str]()
    out = Player("Out", manager=manager_of(plan), data=tmp_path / "out", outbound=True)

    @out.strategy
    def choose(view):
        return view.legal_moves[0]

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:

            async def league() -> None:
                outcome.append(await Supervisor(plan, in_this_process, Quiet()).run())

            tasks.start_soon(league)
            tasks.start_soon(out.play, lambda _: None)
            tasks.start_soon(play_by_hand, plan, "Raw", seen)
            tasks.start_soon(registered, plan, "Deaf")
    records = await anyio.to_thread.run_sync(event_store.read_records, plan.workspace, plan.league_id, None)
    played = fold(record.event for record in records)
    assert played.state is LeagueState.COMPLETED
    ids = {player.display_name: player.agent_id for player in played.players.values()}
    hosted = {player.display_name for player in played.players.values() if player.hosted}
    assert hosted == {"Out", "Raw", "Deaf"}
    for match_id, result in played.results.items():
        fixture = played.fixture(match_id)
        technical = result.status is ResultStatus.TECHNICAL_LOSS
        assert technical == (ids["Deaf"] in fixture.players), match_id
        if not technical and ids["Raw"] in fixture.players:
            assert result.details["draw"]["nonces"][ids["Raw"]] == NONCE
    assert set(seen) >= {"notify_round", "handle_game_invitation", "choose_parity", "notify_match_result"}


class SeatedPlayer:
    """A player at a hosted seat, and what it is told."""

    def __init__(self, plan: LaunchPlan, folder: Path) -> None:
        self.told, self.seated = list[str](), anyio.Event()
        self._player = Player("Gone", manager=manager_of(plan), data=folder / "gone", outbound=True)
        self._player.strategy(lambda view: view.legal_moves[0])

    async def play(self) -> None:
        """Play until it is told that it is over."""
        await self._player.play(self._say)

    def _say(self, text: str) -> None:
        self.told.append(text)
        if "registered as" in text:
            self.seated.set()


async def test_a_player_without_a_port_that_is_removed_is_told_and_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(hosted_seat, "WAIT_SEC", 0.2)
    plan = await anyio.to_thread.run_sync(planned, tmp_path)
    gone = SeatedPlayer(plan, tmp_path)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:

            async def removed() -> None:
                await gone.seated.wait()
                player_id = next(text for text in gone.told if "registered as" in text).split()[3]
                await anyio.to_thread.run_sync(operator_removes, plan, player_id)

            tasks.start_soon(Supervisor(plan, in_this_process, Quiet()).run)
            tasks.start_soon(removed)
            await gone.play()
            tasks.cancel_scope.cancel()
    assert "Gone: it is no longer in league" in gone.told[-1]
    assert "the operator removed it" in gone.told[-1]


def renamed(plan: LaunchPlan, league_id: str) -> LaunchPlan:
    """Another league at the same ports."""
    rules = replace(plan.rules, league_id=league_id)
    assert plan.seats is not None
    return replace(
        plan,
        league_id=league_id,
        rules=rules,
        manager=replace(plan.manager, league_id=league_id, rules=rules),
        seats=replace(plan.seats, league_id=league_id),
        referees=tuple(replace(referee, league_id=league_id) for referee in plan.referees),
        players=tuple(replace(player, league_id=league_id) for player in plan.players),
    )


async def test_a_player_without_a_port_whose_league_gave_way_to_another_is_told_and_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(hosted_seat, "WAIT_SEC", 0.2)
    plan = await anyio.to_thread.run_sync(planned, tmp_path)
    other = renamed(plan, "another")
    gone = SeatedPlayer(plan, tmp_path)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:

            async def replaced() -> None:
                async with anyio.create_task_group() as first:
                    first.start_soon(Supervisor(plan, in_this_process, Quiet()).run)
                    await gone.seated.wait()
                    first.cancel_scope.cancel()
                await Supervisor(other, in_this_process, Quiet()).run()

            tasks.start_soon(replaced)
            await gone.play()
            tasks.cancel_scope.cancel()
    assert "there is another league now, which it joins when it is started again" in gone.told[-1]
