"""Agents written with nothing but Starlette, httpx2 and JSON: what somebody writes who has read the requirements only.

None of them uses anything of ours. Each has one route, `POST /mcp`, and answers with plain JSON-RPC.
"""

import asyncio
import contextlib
import itertools
import socket
import uuid
from collections.abc import AsyncGenerator, Coroutine, Mapping
from datetime import UTC, datetime
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

Message = dict[str, Any]
GAME = "even_odd"


class Refused(Exception):
    """A JSON-RPC error, made or met."""

    def __init__(self, error: Message) -> None:
        super().__init__(str(error))
        self.error = error


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Bare:
    """An agent that serves itself: methods are called `on_<tool>`."""

    role = "player"
    protocol = "league.v2"

    def __init__(self, name: str) -> None:
        self.name = name
        self.agent_id = ""
        self.token = ""
        self.league_id = ""
        self.heard: list[tuple[str, Message]] = []
        self.over = asyncio.Event()
        self.troubles: list[Exception] = []
        self._ids = (f"{name}-{number}" for number in itertools.count(1))
        self._sock = socket.create_server(("127.0.0.1", 0))
        self._tasks: set[asyncio.Task[Any]] = set()
        self.http = httpx2.AsyncClient(trust_env=False)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._sock.getsockname()[1]}/mcp"

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncGenerator[None]:
        app = Starlette(routes=[Route("/mcp", self.answer, methods=["POST"])])
        config = uvicorn.Config(app, lifespan="off", log_config=None, access_log=False, ws="none")
        server = uvicorn.Server(config)
        server.capture_signals = contextlib.nullcontext  # pyright: ignore[reportAttributeAccessIssue]
        task = asyncio.create_task(server.serve(sockets=[self._sock]))
        try:
            async with self.http:
                yield
        finally:
            server.should_exit = True
            await task

    async def answer(self, request: Request) -> JSONResponse:
        body = await request.json()
        head = {"jsonrpc": "2.0", "id": body.get("id")}
        method = getattr(self, f"on_{body['method']}", None)
        if method is None:
            return JSONResponse({**head, "error": {"code": -32601, "message": f"no method {body['method']}"}})
        self.heard.append((body["method"], body["params"]))
        try:
            return JSONResponse({**head, "result": await method(body["params"])})
        except Refused as refused:
            return JSONResponse({**head, "error": refused.error})

    async def call(self, url: str, method: str, message: Message, number: str | int | None = None) -> Message:
        """One JSON-RPC call; ids are texts here, which they may be."""
        request = {"jsonrpc": "2.0", "method": method, "params": message, "id": number or next(self._ids)}
        reply = (await self.http.post(url, json=request, timeout=10)).json()
        assert reply["id"] == request["id"]
        if "error" in reply:
            raise Refused(reply["error"])
        return reply["result"]

    def later(self, job: Coroutine[Any, Any, None]) -> None:
        """Do something beside answering; what goes wrong with it is kept."""

        async def guarded() -> None:
            try:
                await job
            except Exception as error:
                self.troubles.append(error)

        task = asyncio.create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def message(self, kind: str, to: Mapping[str, Any] | None = None, **fields: Any) -> Message:
        """A message of `league.v2`."""
        about = {name: to[name] for name in ("league_id", "round_id", "match_id") if to and name in to}
        return {
            "protocol": "league.v2",
            "message_type": kind,
            "sender": f"{self.role}:{self.agent_id or self.name}",
            "timestamp": now(),
            "conversation_id": to["conversation_id"] if to else str(uuid.uuid4()),
            **about,
            **fields,
        }

    async def register(self, manager: str, secret: str | None = None, **more: Any) -> Message:
        """Ask for a seat, with the secret of its role."""
        self.manager = manager
        meta = {
            "display_name": self.name,
            "version": "1.0.0",
            "protocol_version": "2.1.0",
            "game_types": [GAME],
            "contact_endpoint": self.endpoint,
            **({"max_concurrent_matches": 4} if self.role == "referee" else {}),
            **more,
        }
        kind = "LEAGUE" if self.role == "player" else "REFEREE"
        shown = {} if secret is None else {"join_secret" if self.role == "player" else "referee_secret": secret}
        request = self.message(f"{kind}_REGISTER_REQUEST", None, **{f"{self.role}_meta": meta}, **shown)
        answer = await self.call(manager, f"register_{self.role}", request)
        assert answer["status"] == "ACCEPTED", answer
        self.agent_id, self.token = answer[f"{self.role}_id"], answer["auth_token"]
        self.league_id = answer["league_id"]
        return answer

    async def _noted(self, message: Message) -> Any:
        return {"status": "ok"}

    on_notify_round = on_notify_round_completed = _noted
    on_update_standings = on_notify_match_result = on_notify_game_error = _noted

    async def on_notify_league_completed(self, message: Message) -> Any:
        self.over.set()
        return {"status": "ok"}


class BarePlayer(Bare):
    """Answers directly, under the names of its tools that 001 gives."""

    async def on_receive_game_invitation(self, message: Message) -> Any:
        return self.message("GAME_JOIN_ACK", message, player_id=self.agent_id, accept=True, arrival_timestamp=now())

    async def on_receive_parity_call(self, message: Message) -> Any:
        return self.message("CHOOSE_PARITY_RESPONSE", message, player_id=self.agent_id, parity_choice="even")

    async def on_receive_round_announcement(self, message: Message) -> Any:
        return await self._noted(message)

    on_notify_round = None  # only the other name is there
    on_receive_game_over = on_notify_error = on_receive_standings_update = Bare._noted
    on_receive_round_completed = Bare._noted
    on_receive_league_completed = Bare.on_notify_league_completed


class V1Player(Bare):
    """Speaks `league.v1` as 003 shows it, and understands nothing else."""

    protocol = "league.v1"

    def message(self, kind: str, to: Mapping[str, Any] | None = None, **fields: Any) -> Message:
        base = {
            "protocol": "league.v1",
            "message_type": kind,
            "league_id": self.league_id or "550e8400-e29b-41d4-a716-446655440000",
            "round_id": 0,
            "match_id": "REGISTRATION",
            "conversation_id": str(uuid.uuid4()),
            "sender": f"player_{self.agent_id}" if self.agent_id else "player_candidate",
            "timestamp": now(),
        }
        about = ("league_id", "round_id", "match_id", "conversation_id")
        return {**base, **({name: to[name] for name in about} if to else {}), **fields}

    async def answer(self, request: Request) -> JSONResponse:
        params = (await request.json())["params"]
        if params.get("protocol") is not None:
            check_v1(params)
        return await super().answer(request)

    async def on_handle_game_invitation(self, message: Message) -> Any:
        assert message["game_info"].keys() == {"game_type", "opponent_id", "timeout_seconds"}
        return self.message("GAME_JOIN_ACK", message)

    async def on_choose_parity(self, message: Message) -> Any:
        assert message["game_state"]["game_type"] == GAME
        choice = {"value": "odd", "reasoning": "Strategic choice based on probability"}
        return self.message("PARITY_CHOICE", message, choice=choice)

    async def on_notify_match_result(self, message: Message) -> Any:
        assert {"winner_id", "loser_id", "points_awarded", "drawn_number"} <= message["result"].keys()
        return {"acknowledged": True}


def check_v1(message: Message) -> None:
    """Check 003's demands on every message."""
    assert message["protocol"] == "league.v1"
    for name in ("league_id", "conversation_id"):
        assert str(uuid.UUID(message[name])) == message[name]
    assert isinstance(message["round_id"], int)
    assert isinstance(message["match_id"], str)
    assert message["sender"] == "league_manager" or message["sender"].startswith("referee_")
    assert message["timestamp"].endswith("Z")


class PushingPlayer(Bare):
    """Acknowledges what it is asked, and then calls the referee with its answer, as 001 has it.

    It finds the referee of its match in the announcement of the round, and shows the token that it was registered with.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.referees: dict[str, str] = {}
        self.answers: list[Message] = []

    async def on_notify_round(self, message: Message) -> Any:
        self.referees |= {match["match_id"]: match["referee_endpoint"] for match in message["matches"]}
        return {"status": "success"}

    async def on_handle_game_invitation(self, message: Message) -> Any:
        self.later(self.push("receive_game_join_ack", "GAME_JOIN_ACK", message, accept=True, arrival_timestamp=now()))
        return {"status": "success", "message": "Invitation accepted"}

    async def on_choose_parity(self, message: Message) -> Any:
        # Before the acknowledgement, and once more after it: an answer that got lost, for all that it knows.
        answer = self.answer_with("CHOOSE_PARITY_RESPONSE", message, parity_choice="odd")
        await self.hand_in("receive_parity_response", message, answer)
        self.later(self.hand_in("receive_parity_response", message, answer))
        return {"status": "success"}

    def answer_with(self, kind: str, to: Message, **fields: Any) -> Message:
        return self.message(kind, to, player_id=self.agent_id, auth_token=self.token, **fields)

    async def push(self, method: str, kind: str, to: Message, **fields: Any) -> None:
        await self.hand_in(method, to, self.answer_with(kind, to, **fields))

    async def hand_in(self, method: str, to: Message, answer: Message) -> None:
        self.answers.append(await self.call(self.referees[to["match_id"]], method, answer))


class BareReferee(Bare):
    """Leads a match of Even/Odd over bare JSON-RPC, whatever its players are used to."""

    role = "referee"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.acks: list[Message] = []

    async def on_start_match(self, message: Message) -> Any:
        self.later(self.lead(message))
        session = f"{message['match_id']}#{message['attempt']}"
        about = {"match_id": message["match_id"], "game_session_id": session, "state": "WAITING_FOR_PLAYERS"}
        return self.message("START_MATCH_RESPONSE", message, status="ACCEPTED", **about)

    async def on_match_status(self, message: Message) -> Any:
        about = {"match_id": message["match_id"], "game_session_id": f"{message['match_id']}#1"}
        return self.message("MATCH_STEP_RESPONSE", message, state="COLLECTING_CHOICES", **about)

    async def lead(self, match: Message) -> None:
        seats = {seat: match[f"player_{seat}_id"] for seat in "AB"}
        urls = {player: match[f"player_{seat}_endpoint"] for seat, player in seats.items()}
        tickets = {player: match[f"player_{seat}_ticket"] for seat, player in seats.items()}
        talk = {**match, "conversation_id": str(uuid.uuid4())}
        choices: dict[str, str] = {}
        for seat, player in seats.items():
            other = next(one for one in urls if one != player)
            fields = {"role_in_match": f"PLAYER_{seat}", "opponent_id": other, "game_type": GAME, "player_id": player}
            invitation = self.message("GAME_INVITATION", talk, auth_token=tickets[player], **fields)
            joined = await self.call(urls[player], "receive_game_invitation", invitation)
            assert joined["accept"] is True
        for player, other in zip(urls, reversed(urls), strict=True):
            record = {"wins": 0, "losses": 0, "draws": 0}
            context = {"opponent_id": other, "round_id": match["round_id"], "your_standings": record}
            fields = {"player_id": player, "game_type": GAME, "context": context, "deadline": "2030-01-01T00:00:00Z"}
            asked = self.message("CHOOSE_PARITY_CALL", talk, auth_token=tickets[player], **fields)
            choices[player] = (await self.call(urls[player], "receive_parity_call", asked, 7))["parity_choice"]
        right = [player for player, choice in choices.items() if choice == "even"]
        winner = right[0] if len(right) == 1 else None
        score = {player: 1 if winner is None else 3 * (player == winner) for player in urls}
        details = {"drawn_number": 8, "choices": choices}
        for player, url in urls.items():
            result = {"status": "WIN" if winner else "DRAW", "winner_player_id": winner, "reason": "8", **details}
            over = self.message("GAME_OVER", talk, auth_token=tickets[player], game_type=GAME, game_result=result)
            await self.call(url, "receive_game_over", over)
        body = {"winner": winner, "score": score, "details": details}
        report = self.message("MATCH_RESULT_REPORT", match, auth_token=self.token, game_type=GAME, result=body)
        self.acks.append(await self.call(self.manager, "report_match_result", report))


class BareManager(Bare):
    """Leads a league of two players, one referee and one match over bare JSON-RPC."""

    role = "league_manager"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.seats: dict[str, Message] = {}
        self.reports: list[Message] = []

    async def on_register_referee(self, message: Message) -> Any:
        return self.seat("REF01", message["referee_meta"], message, "REFEREE_REGISTER_RESPONSE", "referee_id")

    async def on_register_player(self, message: Message) -> Any:
        number = sum(agent_id.startswith("P") for agent_id in self.seats) + 1
        return self.seat(f"P{number:02d}", message["player_meta"], message, "LEAGUE_REGISTER_RESPONSE", "player_id")

    def seat(self, agent_id: str, meta: Message, to: Message, kind: str, field: str) -> Message:
        self.seats[agent_id] = meta
        if len(self.seats) == 3:
            self.later(self.lead())
        given = {"status": "ACCEPTED", field: agent_id, "auth_token": f"tok-{agent_id}", "league_id": "bare"}
        return self.message(kind, to, **given)

    async def on_report_match_result(self, message: Message) -> Any:
        self.reports.append(message)
        self.later(self.end())
        return self.message("MATCH_RESULT_ACK", message, status="ACCEPTED")

    async def lead(self) -> None:
        url, place = self.seats["REF01"]["contact_endpoint"], {"league_id": "bare", "round_id": 1}
        players = {f"player_{seat}": agent for seat, agent in zip("AB", ("P01", "P02"), strict=True)}
        fields = {f"{seat}_id": agent for seat, agent in players.items()}
        fields |= {f"{seat}_endpoint": self.seats[agent]["contact_endpoint"] for seat, agent in players.items()}
        start = self.message("START_MATCH", None, match_id="R1M1", game_type=GAME, **place, **fields)
        await self.call(url, "start_match", start)

    async def end(self) -> None:
        row = {"rank": 1, "player_id": "P01", "display_name": "Ada", "points": 3, "wins": 1, "draws": 0, "losses": 0}
        champion = {name: row[name] for name in ("player_id", "display_name", "points")}
        told: Message = {"league_id": "bare", "total_rounds": 1, "total_matches": 1, "champion": champion}
        over = self.message("LEAGUE_COMPLETED", None, **told, final_standings=[row])
        for agent_id, meta in self.seats.items():
            tool = "notify_league_completed" if agent_id.startswith("R") else "receive_league_completed"
            await self.call(meta["contact_endpoint"], tool, over)
        self.over.set()
