"""The operator's two routes without MCP: `POST /admin/start_league` and `GET /admin/standings`."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from league_sdk.ports import CallContext, CallRefused, ToolHost

_STATUS = {"E008": 409, "E011": 401, "E012": 401, "E013": 403, "E023": 429, "E031": 409, "E099": 500}


def admin_routes(agent: ToolHost) -> list[Route]:
    """Both routes; they call the tool of the same meaning, with the bearer token as the operator's token."""

    async def start_league(request: Request) -> JSONResponse:
        return await _call(agent, request, "start_league", started="started")

    async def standings(request: Request) -> JSONResponse:
        return await _call(agent, request, "get_standings")

    return [
        Route("/admin/start_league", start_league, methods=["POST"]),
        Route("/admin/standings", standings, methods=["GET"]),
    ]


async def _call(agent: ToolHost, request: Request, tool: str, started: str | None = None) -> JSONResponse:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" and token.strip() else None
    address = request.client.host if request.client else ""
    try:
        reply: dict[str, Any] = await agent.call(tool, {}, CallContext(bearer_token=bearer, address=address))
    except CallRefused as refused:
        data = dict(refused.data or {})
        return JSONResponse({"error": refused.message, **data}, _STATUS.get(data.get("error_code", ""), 400))
    if started is not None:
        players = {"status": started, "total_players": reply["players"]}
        reply = {**reply, **players}
    return JSONResponse(reply)
