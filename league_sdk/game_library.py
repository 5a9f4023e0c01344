"""The ports for other packages' games and strategies, such as `openspiel:chess`."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from league_sdk.game import Game, Strategy


class GameRefused(ValueError):
    """Refusal of a library's game; opens with the promise that it breaks."""


@dataclass(frozen=True, slots=True)
class LibraryGame:
    """A row of a library's list: a game with its default parameters.

    Attributes:
        name: Its name within the library, such as `chess`.
        title: Its name for people.
        min_players: The fewest players of a match.
        max_players: The most.
        hidden: As `Game.hidden`.
        simultaneous: True when several players may be to move at once.
        refusal: The promise of `Game` that it cannot keep, and why; empty when a league can play it.
    """

    name: str
    title: str
    min_players: int = 2
    max_players: int = 2
    hidden: bool = False
    simultaneous: bool = False
    refusal: str = ""


class GameLibrary(ABC):
    """Games of another package, as `library:game` or `library:game(parameter=1)`.

    Found as games are: by entry point, or in a folder of plug-ins. It imports its package when it is asked, and raises
    ImportError when that is not installed. An instance is made without arguments.
    """

    name: ClassVar[str]
    """The part of a game's name before the colon, such as `openspiel`: lower case and digits."""
    description: ClassVar[str] = ""
    """One sentence: what it has."""
    install: ClassVar[str] = ""
    """The command that installs its package."""

    @abstractmethod
    def games(self) -> Sequence[LibraryGame]:
        """Every game of the library with its default parameters.

        Raises:
            ImportError: The library's package is not installed.
        """

    @abstractmethod
    def game(self, text: str) -> Game[Any]:
        """One of its games, called `league_sdk.names.game_type(f"{library}:{text}")`.

        Args:
            text: The part of the name after the colon, in the library's own notation.

        Raises:
            GameRefused: There is no such game, it refuses its parameters, or it cannot keep a promise of `Game`.
            ImportError: The library's package is not installed.
        """


class StrategyLibrary(ABC):
    """Strategies of another package, as `library:strategy`.

    Found as strategies are: by entry point, or in a folder of plug-ins. It imports its package when it is asked, and
    raises ImportError when that is not installed. An instance is made without arguments.
    """

    name: ClassVar[str]
    """The part of a strategy's name before the colon, such as `axelrod`: lower case, digits and hyphens."""
    install: ClassVar[str] = ""
    """The command that installs its package."""

    @abstractmethod
    def names(self) -> Sequence[str]:
        """Every strategy of the library.

        Raises:
            ImportError: The library's package is not installed.
        """

    @abstractmethod
    def strategy(self, name: str) -> Strategy:
        """One of its strategies.

        Args:
            name: One of `names`.

        Raises:
            ValueError: It cannot keep a promise of a strategy; the message names it.
            ImportError: The library's package is not installed.
        """
