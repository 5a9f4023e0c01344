"""Contract checkers of games, strategies, stores and transports, and of plug-ins."""

from league_sdk.testing.contract import ContractBroken
from league_sdk.testing.formats import check_format
from league_sdk.testing.games import check_game
from league_sdk.testing.stores import check_store
from league_sdk.testing.strategies import check_strategy
from league_sdk.testing.transports import EchoHost, check_transport

__all__ = [
    "ContractBroken",
    "EchoHost",
    "check_format",
    "check_game",
    "check_store",
    "check_strategy",
    "check_transport",
]
