"""On FastAPI alone."""

import os

import uvicorn
from fastapi import FastAPI
from json_rpc import answer

app = FastAPI()


@app.post("/mcp")
async def mcp(call: dict) -> dict:
    return answer(call)


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
