"""Runtime of the public API's player, found by its entry point."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from league_sdk.dialect import V1
from league_sdk.domain.model import OnBadMove, Role
from league_sdk.errors import LeagueError
from league_sdk.game import Game
from league_sdk.names import game_type
from league_sdk.player import PlayerSetup, Say
from league_sdk.plugins import PluginError
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.v1 import V1Codec
from league_sdk.settings import ConfigError, find_workspace
from league_sdk.transports import AddressUnusable
from servers.agent.agent_spec import AgentSpec
from servers.agent.bootstrap import AgentContext, agent_context
from servers.agent.registration import RegistrationRefused
from servers.agent.startup_status import Report
from servers.player.main import run_player
from servers.read_model.text import printable

logger = logging.getLogger(__name__)

EXPECTED = (AddressUnusable, ConfigError, LeagueError, PluginError, RegistrationRefused)
"""Errors that are not faults in the program: told in a sentence, without a traceback."""

_LINES: Mapping[str, Callable[[Report], str]] = {
    "listening": lambda report: f"listening at {report['endpoint']}",
    "registered": lambda report: f"registered as {report['agent_id']} in {report['league_id']}",
    "waiting": lambda report: report["text"],
    "match": lambda report: report["text"],
    "note": lambda report: report["text"],
    "failed": lambda report: report["text"],
}


async def run(setup: PlayerSetup, say: Say) -> int:
    """Serve a player until its league is over. See `league_sdk.player.PlayerRuntime`."""

    def tell(text: str) -> None:
        try:
            say(f"{setup.name}: {printable(text, 300)}")
        except OSError:  # a program that prints by itself may find nobody who reads it
            logger.exception("%s: what happens cannot be told", setup.name)

    code = 1
    try:
        async with agent_context(_spec(setup)) as tools:
            code = await run_player(
                _with_game(tools, setup.game),
                lambda report: tell(_LINES[report["kind"]](report)),
                withdrawal=asyncio.wrap_future(setup.withdrawal),
            )
    except* EXPECTED as group:
        for error in _leaves(group):
            tell(str(error))
    return code


def _spec(setup: PlayerSetup) -> AgentSpec:
    return AgentSpec(
        Role.PLAYER,
        setup.name,
        find_workspace(setup.data, os.environ, Path.cwd()).root,
        config=setup.config,
        overrides={} if setup.join_secret is None else {"security.join_secret": setup.join_secret},
        bind_host=setup.host,
        public_host=setup.public_host,
        port=setup.port,
        outbound=setup.outbound,
        manager_url=setup.manager,
        league_id=setup.league,
        game_types=(game_type(setup.game),) if isinstance(setup.game, str) else (),
        plugins=setup.plugins,
        seed=setup.seed,
        function=setup.strategy,
        patience=setup.patience,
        time_limit=setup.time_limit,
        on_bad_move=None if setup.on_bad_move is None else OnBadMove(setup.on_bad_move),
    )


def _with_game(tools: AgentContext, game: str | Game[Any] | None) -> AgentContext:
    if not isinstance(game, Game):
        return tools
    codec = Codec([game.move_spec])
    return replace(tools, games={game.name: game}, codec=codec, dialects={V1: V1Codec(codec, [game.move_spec])})


def _leaves(group: BaseExceptionGroup[Any]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(cast("BaseExceptionGroup[Any]", error))
        else:
            yield error
