"""A folder of configuration files, written by each test."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from league_sdk.settings import ConfigLoader

Build = Callable[..., ConfigLoader]

LEAGUE = {"league_id": "cup", "game_type": "chess"}


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Write files below `config/` (by path without `.json`; text as it is, all else as JSON) and load them."""

    def _build(
        files: dict[str, Any] | None = None,
        environ: dict[str, str] | None = None,
        overrides: dict[str, Any] | None = None,
    ) -> ConfigLoader:
        everything = {
            "system": {},
            "agents/agents_config": {},
            "leagues/cup": LEAGUE,
            "games/games_registry": {},
            "defaults/referee": {},
            "defaults/player": {},
            **(files or {}),
        }
        for name, content in everything.items():
            path = tmp_path / "config" / f"{name}.json"
            if content is None:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return ConfigLoader(None, environ or {}, overrides, cwd=tmp_path)

    return _build
