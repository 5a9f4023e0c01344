"""A player in ten lines: give it a name, give it a strategy, run it.

    player = Player("Ada")

    @player.strategy
    def choose(view):
        return view.rng.choice(view.legal_moves)

    player.run()

The runtime that serves and registers the player is found by name, through the entry point `player` of the group of
runtimes: the public API does not import the servers.
"""

import asyncio
import contextlib
import inspect
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias, TypeVar, cast, get_args

from league_sdk import plugins
from league_sdk.bounds import LONGEST_REASON
from league_sdk.game import Game, PlayerView, StrategyFunction
from league_sdk.names import name_key
from league_sdk.net.join_links import JOIN_VARIABLE
from league_sdk.net.join_links import join_link as read_join_link
from league_sdk.plugins import BrokenPlugin

DEFAULT_MANAGER: Final = "http://localhost:8000/mcp"
"""A league manager's default endpoint."""
MANAGER_VARIABLE: Final = "LEAGUE_MANAGER"
"""The environment variable that names another one."""
INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as shells have it; also after SIGTERM, like the command `league player`."""

Say = Callable[[str], None]
BadMoves: TypeAlias = Literal["substitute", "tell"]
F = TypeVar("F", bound=Callable[[PlayerView], Any])


@dataclass(frozen=True, slots=True)
class PlayerSetup:
    """A runtime's input for a player; see `Player` for the fields."""

    name: str
    strategy: StrategyFunction
    game: str | Game[Any] | None = None  # None for every installed game
    manager: str = DEFAULT_MANAGER  # empty to serve without a league
    league: str = ""  # empty for the manager's own
    host: str = "127.0.0.1"
    public_host: str = "localhost"
    port: int = 0
    data: Path | None = None  # None to find it
    config: Path | None = None
    plugins: tuple[str, ...] = ()
    seed: str | None = None
    outbound: bool = False  # take messages at a seat of the league's, and do not listen
    join_secret: str | None = field(default=None, repr=False)
    patience: float | None = None  # seconds to wait for an absent manager; None waits for ever
    on_bad_move: BadMoves | None = None  # where the referee does not say; None for the setting
    time_limit: float | None = None  # seconds of the strategy for a move; None for the referee's, less a margin
    withdrawal: "Future[str]" = field(default_factory=Future[str], compare=False)  # the reason, once it is to leave


class PlayerRuntime(Protocol):
    """Runs a player: the object behind the entry point."""

    def __call__(self, setup: PlayerSetup, say: Say) -> Awaitable[int]:
        """Serve the player until its league is over; return an exit code.

        Progress and errors go to `say`, in short lines.
        """
        ...


class Player:
    """A player of your own: an MCP server that registers with a league and plays.

    Args:
        name: Its display name; a league takes each name once. Left out, the join link has it.
        game: The game it plays: a name such as `tic_tac_toe`, a `Game` of your own or its class. Left out, it accepts
            every game that is installed.
        manager: The league manager's endpoint. Left out, the environment variable LEAGUE_MANAGER names it, and without
            that it is `http://localhost:8000/mcp`. An empty text makes a player without a league, which answers any
            caller: for trying it out by hand.
        league: The id of the league to ask for. Left out, the manager's own.
        host: The address to listen on; `0.0.0.0` for every interface.
        public_host: The host name under which others reach it, for the endpoint that it registers.
        port: The port to listen on; 0 takes a free one.
        outbound: Do not listen: connect out to the league and take messages at a seat there, for a machine that cannot
            be called. The league has to offer seats (`--seats`). Left out, a player with a join link does.
        join_secret: The secret that admits to a closed league, such as the one on a student's card; case, spaces and
            hyphens of a card's do not count. Left out, the environment variable LEAGUE_JOIN_SECRET has it, and without
            that the setting `security.join_secret`. A program that is given away is no place for it.
        join_link: The link of a student's card, or the path of a file with it: name, manager and join secret in one,
            and the game where the card names one.
        data: The folder for its `data/` and `logs/`. Left out, found as the command `league` finds it.
        config: The folder with the configuration. Left out, found as the command `league` finds it.
        plugins: Folders with further games.
        seed: Makes `view.rng` reproducible.
        patience: Seconds to wait for an absent manager. Left out, it waits until it is stopped.
        time_limit: Seconds that the strategy may take for a move, where that is less than the referee's time;
            `view.deadline` goes by it. Left out, the setting `player.response_timeout_sec` has it, and without that
            the referee's time counts, less a margin for the answer's way.
        on_bad_move: `substitute` plays a random legal move where the strategy raises or chooses an illegal one, and
            says so; `tell` sends the move as it is, or an error, for the referee to judge. What the referee asks for
            wins. Left out, the setting `player.on_bad_move` has it.

    Raises:
        ValueError: The name is empty, the time limit is not positive, `on_bad_move` is another word, an outbound
            player has no manager, or the join link cannot be read or is for another name.
        TypeError: `game` is neither a name nor a game.
    """

    def __init__(
        self,
        name: str = "",
        *,
        game: str | Game[Any] | type[Game[Any]] | None = None,
        manager: str | None = None,
        league: str = "",
        host: str = "127.0.0.1",
        public_host: str = "localhost",
        port: int = 0,
        outbound: bool | None = None,
        join_secret: str | None = None,
        join_link: str | Path | None = None,
        data: Path | str | None = None,
        config: Path | str | None = None,
        plugins: Sequence[Path | str] = (),
        seed: str | int | None = None,
        patience: float | None = None,
        time_limit: float | None = None,
        on_bad_move: BadMoves | None = None,
    ) -> None:
        link = None if join_link is None else read_join_link(join_link)
        if link is not None:
            if name and name_key(name) != name_key(link.name):
                raise ValueError(f"the join link is for {link.name!r}, not for player {name!r}; leave the name out")
            name, manager = link.name, link.manager if manager is None else manager
            game = link.game or None if game is None else game
            join_secret, outbound = join_secret or link.secret, True if outbound is None else outbound
        if not name.strip():
            raise ValueError("a player needs a name that is not empty")
        if on_bad_move not in {None, *get_args(BadMoves)}:
            raise ValueError(f"on_bad_move of player {name!r} is 'substitute' or 'tell', not {on_bad_move!r}")
        if time_limit is not None and not time_limit > 0:
            raise ValueError(f"the time_limit of player {name!r} has to be a positive number of seconds")
        self.name = name
        self._game = _game(game)
        self._manager = os.environ.get(MANAGER_VARIABLE) or DEFAULT_MANAGER if manager is None else manager
        if outbound and not self._manager:
            raise ValueError(f"player {name!r} is outbound, so it needs a league manager to connect to")
        self._league = league
        self._host, self._public_host, self._port = host, public_host, port
        self._outbound = bool(outbound)
        self._join_secret = join_secret or os.environ.get(JOIN_VARIABLE) or None
        self._data = None if data is None else Path(data)
        self._config = None if config is None else Path(config)
        self._plugins = tuple(str(folder) for folder in plugins)
        self._seed = None if seed is None else str(seed)
        self._patience = patience
        self._time_limit = time_limit
        self._on_bad_move: BadMoves | None = on_bad_move
        self._strategy: StrategyFunction | None = None
        self._withdrawal = Future[str]()

    def strategy(self, function: F) -> F:
        """Make `function` the player's strategy, from a `PlayerView` to a legal move.

        A plain function runs in a thread of its own, so it may compute; an async one runs on the event loop, so it may
        wait. When it raises, answers too late or chooses an illegal move, a random legal move is played and the
        terminal says so. The function is returned unchanged, so that it can be tested by itself.

        Raises:
            TypeError: It cannot be called with one argument.
            ValueError: The player has a strategy already.
        """
        if not _takes_a_view(function):
            raise TypeError(
                f"the strategy of player {self.name!r} has to be a function of one argument, the view; got {function!r}"
            )
        if self._strategy is not None:
            raise ValueError(
                f"player {self.name!r} already has the strategy {_named(self._strategy)}, so {_named(function)} cannot "
                "be one as well: a player has one strategy; make another Player for another one"
            )
        self._strategy = function
        return function

    def setup(self) -> PlayerSetup:
        """The player as its runtime's input.

        Raises:
            ValueError: It has no strategy.
        """
        if self._strategy is None:
            raise ValueError(
                f"player {self.name!r} has no strategy: write @player.strategy above a function that takes a view and "
                "returns one of view.legal_moves"
            )
        return PlayerSetup(
            name=self.name,
            strategy=self._strategy,
            game=self._game,
            manager=self._manager,
            league=self._league,
            host=self._host,
            public_host=self._public_host,
            port=self._port,
            outbound=self._outbound,
            join_secret=self._join_secret,
            data=self._data,
            config=self._config,
            plugins=self._plugins,
            seed=self._seed,
            patience=self._patience,
            time_limit=self._time_limit,
            on_bad_move=self._on_bad_move,
            withdrawal=self._withdrawal,
        )

    def withdraw(self, reason: str = "") -> None:
        """Leave the league for good; from any thread, such as the strategy's.

        What was played counts; the matches that are open are lost, the one under way among them. `run` and `play` then
        return as at the end of the league. Before the registration it is sent as soon as the player has its seat. A
        league that is over, or whose last player this is, refuses: the terminal says so, and the player plays on. Only
        the first call counts.

        Args:
            reason: A sentence that everybody can read, of at most 200 characters.

        Raises:
            ValueError: The reason is longer.
        """
        if len(reason) > LONGEST_REASON:
            raise ValueError(f"the reason has {len(reason)} characters; {LONGEST_REASON} are the most")
        if not self._withdrawal.done():
            self._withdrawal.set_result(reason)

    async def play(self, say: Say | None = None) -> int:
        """Play on the running event loop; `run` is for programs that have none.

        Args:
            say: Takes short lines of progress. Left out, they go to standard output.

        Returns:
            An exit code: 0 after the end of the league, else 1, after a line with the reason.

        Raises:
            ValueError: The player has no strategy.
            UnknownPlugin: The package is not installed with its entry points.
            BrokenPlugin: A file beside the program hides one of its packages.
        """
        setup = self.setup()
        plugins.check_packages()
        runtime = cast(PlayerRuntime, plugins.runtime("player"))
        return await runtime(setup, say or _print)

    def run(self) -> None:
        """Register and play until the league is over; without a league, until Ctrl-C.

        SIGTERM ends it as well, unless the program has a handler of its own.

        Raises:
            ValueError: The player has no strategy.
            UnknownPlugin: The package is not installed with its entry points.
            SystemExit: It could not play to the end; the code is 1, or 130 after Ctrl-C or SIGTERM.
        """
        by = "SIGTERM"
        try:
            code = asyncio.run(self._until_terminated())
        except KeyboardInterrupt:
            code, by = None, "Ctrl-C"
        except BrokenPlugin as error:
            _print(f"{self.name}: {error}")
            code = 1
        if code is None:
            _print(f"{self.name}: stopped by {by}")
            code = INTERRUPTED
        if code:
            raise SystemExit(code)

    async def _until_terminated(self) -> int | None:
        """Play; None if SIGTERM has ended that, as Ctrl-C does."""
        task, terminated = asyncio.current_task(), False

        def terminate() -> None:
            nonlocal terminated
            if task is not None and not terminated:
                terminated = task.cancel()

        # Only the main thread gets signals, and the program's own handler must stay.
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
        try:
            return await self.play()
        except asyncio.CancelledError:
            if terminated:
                return None
            raise


def _print(text: str) -> None:
    """Print a line; a closed standard output is no reason to end."""
    if sys.stdout is None:
        return  # it was closed before Python began
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except OSError:
        # Buffered text would fail once more when Python ends, and change the exit code.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        with contextlib.suppress(OSError, ValueError):
            os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _game(given: object) -> str | Game[Any] | None:
    if isinstance(given, type) and issubclass(given, Game):
        return cast("type[Game[Any]]", given)()
    if given is None or isinstance(given, str | Game):
        return cast("str | Game[Any] | None", given)
    raise TypeError(f"game has to be a game's name, a Game or a class of games; got {given!r}")


def _takes_a_view(function: object) -> bool:
    if not callable(function):
        return False
    try:
        inspect.signature(function).bind(object())
    except TypeError:
        return False
    except ValueError:  # built in, without a signature
        return True
    return True


def _named(function: object) -> str:
    return str(getattr(function, "__qualname__", repr(function)))
