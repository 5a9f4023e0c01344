"""On Starlette alone."""

import os

import uvicorn
from json_rpc import answer
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


async def mcp(request: Request) -> JSONResponse:
    return JSONResponse(answer(await request.json()))


app = Starlette(routes=[Route("/mcp", mcp, methods=["POST"])])
uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
