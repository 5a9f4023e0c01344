"""The operator's HTTP routes without MCP, under `/admin`."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias, cast

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from league_sdk.errors import InvalidField, InvalidState, LeagueError, MatchNotFound, RateLimited
from league_sdk.json_value import Json
from league_sdk.names import display_name
from league_sdk.ports import CallContext, CallRefused, StoreFailed, ToolHost
from league_sdk.settings import ConfigError
from servers.agent.class_roster import RosterError
from servers.league_manager.class_status import ClassStatus
from servers.league_manager.ledger import Superseded
from servers.league_manager.operator_controls import TEN_MINUTES, OperatorControls
from servers.read_model import seconds_left
from servers.read_model.running import RunningMatches

_STATUS = {
    "E005": 404,
    "E006": 404,
    "E007": 404,
    "E008": 409,
    "E011": 401,
    "E012": 401,
    "E013": 403,
    "E016": 409,
    "E023": 429,
    "E030": 409,
    "E031": 409,
    "E099": 500,
}
_DIGEST = re.compile(r"[0-9a-f]{64}")
ANSWER_SEC = 5.0
"""Time for a referee to tell of a match under way."""
HOW_TO_SHOW = "send the header Authorization: Bearer <token>; the token is in data/secrets/<league>/operator.token"
LONGEST_REASON = 200
"""Characters of the operator's reason for what is done with a player."""


def admin_routes(
    agent: ToolHost,
    controls: OperatorControls | None = None,
    students: ClassStatus | None = None,
    running: RunningMatches | None = None,
) -> list[Route]:
    """Every route, with the bearer token as the operator's token.

    Without `controls`, the operator of a running league, there are those that look alone; `students` is of a league
    for a class.
    """
    matches = running or RunningMatches()

    async def start_league(request: Request) -> JSONResponse:
        return await _call(agent, request, "start_league", started="started")

    async def standings(request: Request) -> JSONResponse:
        return await _call(agent, request, "get_standings")

    async def match(request: Request) -> JSONResponse:
        known = await _call(agent, request, "get_standings")  # who may not see them there may not see this either
        return known if known.status_code != 200 else await _open_calls(matches, request.path_params["match_id"])

    return [
        Route("/admin/start_league", start_league, methods=["POST"]),
        Route("/admin/matches/{match_id}", match, methods=["GET"]),
        Route("/admin/standings", standings, methods=["GET"]),
        Route("/admin/class", _class(agent, students), methods=["GET"]),
        *([] if controls is None else _control_routes(agent, controls)),
    ]


def _class(agent: ToolHost, students: ClassStatus | None) -> Callable[[Request], Awaitable[JSONResponse]]:
    async def answer(request: Request) -> JSONResponse:
        known = await _call(agent, request, "get_standings")  # real names are for the operator alone
        if known.status_code != 200:
            return known
        if students is None:
            return JSONResponse({"summary": "", "students": None, "refused": []})
        try:
            return JSONResponse(students.as_json())
        except (RosterError, ConfigError, OSError) as error:
            return JSONResponse({"error": f"the class cannot be read: {error}"}, 409)

    return answer


Act: TypeAlias = Callable[[Request], Awaitable[Mapping[str, str] | None]]
"""Carries out a command; returns fields that the answer has beside its status."""


def _control_routes(agent: ToolHost, controls: OperatorControls) -> list[Route]:
    def route(path: str, act: Act) -> Route:
        async def answer(request: Request) -> JSONResponse:
            known = await _call(agent, request, "get_standings")  # who may not see them there may not act either
            return known if known.status_code != 200 else await _act(act(request))

        return Route(path, answer, methods=["POST"])

    return [route(path, act) for path, act in (*_of_league(controls), *_of_agents(controls))]


def _of_league(controls: OperatorControls) -> list[tuple[str, Act]]:
    """Commands to the league as a whole, or to a match."""

    async def cancel(request: Request) -> None:
        await controls.cancel(_reason(await request.body()))

    async def deadline(request: Request) -> dict[str, str]:
        body = await request.body()
        told = {"deadline": TEN_MINUTES} if body.strip() in (b"", b"{}") else _told(body, "deadline")
        return {"deadline": await controls.move_deadline(told["deadline"])}

    async def replay(request: Request) -> None:
        controls.play_again(request.path_params["match_id"])

    return [
        ("/admin/pause_league", lambda _: controls.pause()),
        ("/admin/resume_league", lambda _: controls.resume()),
        ("/admin/close_league", lambda _: controls.close()),
        ("/admin/stop_league", lambda _: controls.stop()),
        ("/admin/cancel_league", cancel),
        ("/admin/deadline", deadline),
        ("/admin/matches/{match_id}/replay", replay),
    ]


def _of_agents(controls: OperatorControls) -> list[tuple[str, Act]]:
    """Commands about a player, or an invited referee."""

    async def invite(request: Request) -> None:
        told = _told(await request.body(), "display_name", "digest")
        if not _DIGEST.fullmatch(told["digest"]):
            expected = "the SHA-256 of an invitation, in hexadecimal"
            raise InvalidField(f"expected {expected}", field="digest", expected=expected)
        await controls.invite(_name(told["display_name"]), told["digest"])

    async def revoke(request: Request) -> None:
        await controls.revoke(_name(_told(await request.body(), "display_name")["display_name"]))

    async def remove(request: Request) -> dict[str, str]:
        player_id = controls.find(request.path_params["player"])
        await controls.remove(player_id, _reason(await request.body()))
        return {"player_id": player_id}

    async def sit_out(request: Request) -> dict[str, str]:
        player_id = controls.find(request.path_params["player"])
        new = await controls.sit_out(player_id, _reason(await request.body()))
        return {"player_id": player_id} | ({} if new else {"already": f"{player_id} sits out already"})

    async def rejoin(request: Request) -> dict[str, str]:
        player_id = controls.find(request.path_params["player"])
        await controls.rejoin(player_id, _reason(await request.body()))
        return {"player_id": player_id}

    return [
        ("/admin/players/{player}/remove", remove),
        ("/admin/players/{player}/sit-out", sit_out),
        ("/admin/players/{player}/rejoin", rejoin),
        ("/admin/invitations", invite),
        ("/admin/invitations/revoke", revoke),
    ]


def _reason(body: bytes) -> str:
    """The `reason` in the JSON of a request, which may have none."""
    try:
        told = json.loads(body or b"{}")
    except ValueError:
        told = None
    given = cast(Mapping[str, Any], told) if isinstance(told, Mapping) else {"": None}
    reason = given.get("reason", "") if given.keys() <= {"reason"} else None
    if not isinstance(reason, str) or len(reason) > LONGEST_REASON:
        expected = f'a JSON object such as {{"reason": "…"}}, of nothing else, with at most {LONGEST_REASON} characters'
        raise InvalidField(f"expected {expected}", field="reason", expected=expected)
    return reason.strip()


def _told(body: bytes, *names: str) -> Mapping[str, str]:
    """The texts of these names in the JSON of a request, and nothing else."""
    try:
        told = json.loads(body)
    except ValueError:
        told = None
    given: Mapping[str, Any] = cast(Mapping[str, Any], told) if isinstance(told, Mapping) else {}
    if given.keys() != set(names) or not all(isinstance(text, str) for text in given.values()):
        expected = f"a JSON object of the texts {', '.join(names)}"
        raise InvalidField(f"expected {expected}", field=names[0], expected=expected)
    return given


def _name(text: str) -> str:
    try:
        return display_name(text)
    except ValueError as error:
        raise InvalidField(f"expected {error}", field="display_name", expected=str(error)) from error


async def _open_calls(running: RunningMatches, match_id: str) -> JSONResponse:
    """Turn and open calls of a match under way, as its referee tells them now."""
    told = await running.fresh(match_id, ANSWER_SEC)
    if told is None:
        return _refused(MatchNotFound("the match is not under way, or its referee does not answer", match_id=match_id))
    calls = [
        {
            "players": list(call.players),
            "asked": "move" if call.move else "join",
            "attempt": call.attempt,
            "attempts": call.attempts,
            "left_sec": seconds_left(call.until, running.now()),
            "part": call.part,
        }
        for call in told.open_calls
    ]
    return JSONResponse({"match_id": match_id, "turn": told.turn, "calls": calls})


async def _act(action: Awaitable[Mapping[str, str] | None]) -> JSONResponse:
    try:
        told = await action
    except Superseded as superseded:
        return _refused(InvalidState(str(superseded)))
    except StoreFailed:
        return _refused(RateLimited("the league cannot store anything now; try again later"))
    except LeagueError as error:
        return _refused(error)
    return JSONResponse({"status": "done", **(told or {})})


def _refused(error: LeagueError) -> JSONResponse:
    return _refusal(error.message, {"error_code": error.code})


def _refusal(message: str, data: Mapping[str, Json]) -> JSONResponse:
    """A refusal; one for want of the token says how to show it."""
    status = _STATUS.get(str(data.get("error_code", "")), 400)
    advice = {"help": HOW_TO_SHOW} if status == 401 else {}
    return JSONResponse({"error": message, **advice, **data}, status)


async def _call(agent: ToolHost, request: Request, tool: str, started: str | None = None) -> JSONResponse:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" and token.strip() else None
    address = request.client.host if request.client else ""
    try:
        reply: dict[str, Any] = await agent.call(tool, {}, CallContext(bearer_token=bearer, address=address))
    except CallRefused as refused:
        return _refusal(refused.message, refused.data or {})
    if started is not None:
        players = {"status": started, "total_players": reply["players"]}
        reply = {**reply, **players}
    return JSONResponse(reply)
