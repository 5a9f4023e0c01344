# type: ignore  (its framework is in an environment of its own)
"""On fastapi-mcp: routes of FastAPI, served as tools."""

import os

import uvicorn
from even_odd import TOOLS
from fastapi import FastAPI
from fastapi_mcp import FastApiMCP

app = FastAPI()
for tool in TOOLS:
    app.post(f"/{tool.__name__}", operation_id=tool.__name__)(tool)
FastApiMCP(app, name="Mia").mount_http()
uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
