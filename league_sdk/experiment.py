"""An experiment in a few lines: which strategy is better, and how sure that is.

    results = Experiment("tic_tac_toe", ["random", "always-b2"]).run("first")
    for row in results.standings:
        print(row["name"], row["rating"], row["margin"])

The engine that plays it is found by name, through the entry point `experiment` of the group of runtimes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from league_sdk import plugins
from league_sdk.json_value import Json


@dataclass(frozen=True)
class ExperimentResults:
    """The results of an experiment that was played to its end.

    Attributes:
        folder: The experiment's folder.
        table: Its table as CSV, with a row for each match.
        standings: One JSON object a strategy, the best first: `name`, `matches`, `won`, `drawn`, `lost`, `score` (a
            share of the matches), `substituted` (moves), and from the extra `analysis` `rating` and `margin` in Elo
            points, `rank_interval` and `not_distinguishable_from`, which are None without it.
    """

    folder: Path
    table: Path
    standings: tuple[Mapping[str, Any], ...]

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`, with a row for each match.

        Raises:
            ModuleNotFoundError: pandas is not installed; the message has the command that installs it.
        """
        try:
            pandas: Any = import_module("pandas")
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("data frames need pandas: pip install 'mcp-agent-league[analysis]'") from error
        texts = dict.fromkeys(("id", "first", "second", "winner", "first_fault", "second_fault"), "str")
        return pandas.read_csv(self.table, keep_default_na=False, dtype=texts)


@dataclass(frozen=True)
class Experiment:
    """Many matches of strategies against each other.

    Attributes:
        game: The game's name.
        strategies: Two or more names of strategies; one may stand more than once.
        matches: Matches of each two strategies in a repetition, an even number: both matches of a pair have the same
            chance, with the seats swapped.
        repetitions: Times that the whole experiment is played, each with other random draws.
        seed: Seed of all chance: same seed, same results.
        memory: True if players remember the earlier matches of their pairing and repetition.
        options: The game's options.
        plugins: Folders with games and strategies of your own.
        sprt: Two leads in Elo points, the lower one first: a sequential test (see `league_sdk.ratings.sprt`) ends the
            matches of two strategies as soon as it has decided between them, with 5 % of errors either way.
        until_ordered: A confidence from 0.5 and below 1, such as 0.95: the matches of each two strategies end once a
            test has told which of them is better; in at least this share of experiments all answers together are right
            (see `league_sdk.ratings.betting`).
        engine: `direct` plays without agents and messages; `league` plays each pairing of a repetition as a whole
            league over MCP, whose players remember its matches, and takes URLs of agents among the strategies.
        paired: False gives each match chance of its own, as in a league.
    """

    game: str
    strategies: Sequence[str]
    matches: int = 200
    repetitions: int = 1
    seed: int | str = 1
    memory: bool = False
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    plugins: Sequence[str | Path] = ()
    sprt: Sequence[float] = ()
    until_ordered: float = 0.0
    engine: str = "direct"
    paired: bool = True

    def run(
        self, folder: str | Path, *, workers: int = 1, progress: Callable[[int, int], None] | None = None
    ) -> ExperimentResults:
        """Play the matches missing in a folder, and return the results.

        Args:
            folder: A new folder, or one with this very experiment, which is gone on with.
            workers: Worker processes; the results do not depend on them. A script that asks for more than one has to
                guard its main part by `if __name__ == "__main__":`, as `multiprocessing` demands.
            progress: Called with the number of matches played so far and of all.

        Raises:
            ValueError: The experiment cannot be played, or the folder holds another one; the message says why.
            PluginError, UnsupportedGameType: There is no such game, option or strategy.
        """
        return plugins.runtime("experiment")(self, Path(folder), workers, progress)
