"""A grid of experiments: one for each combination of swept values."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from servers.experiments.results import SPEC_FILE, ResultsFolder
from servers.experiments.spec import make_spec
from servers.experiments.standings import ExperimentStandings
from servers.launcher.run_options import PlanError

SWEEP = "sweep"
TABLE = "sweep.csv"
FIELDS = ("matches", "repetitions", "seed", "memory")
MOST = 1000
"""Experiments in a grid."""


def combinations_of(given: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The experiments of a grid with the names of their folders, in order.

    A name in braces in a strategy takes the value; another one is a field or an option of the game.
    """
    swept: Mapping[str, Sequence[Any]] = given[SWEEP]
    for name, values in swept.items():
        if not isinstance(values, list) or not values:
            raise PlanError(f"sweep.{name} is {values!r}, expected a list of values, such as [1, 2, 3]")
    combinations = [dict(zip(swept, values, strict=True)) for values in product(*swept.values())]
    if len(combinations) > MOST:
        raise PlanError(f"the sweep has {len(combinations)} combinations; {MOST} are possible")
    return [(_label(chosen), _fields(given, chosen)) for chosen in combinations]


def _label(chosen: Mapping[str, Any]) -> str:
    told = ",".join(f"{name}={value}" for name, value in chosen.items())
    return "".join(sign if sign.isalnum() or sign in "=,.-_" else "_" for sign in told)


def _fields(given: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in given.items() if name != SWEEP}
    fields["options"] = dict(fields.get("options", {}))
    strategies: list[str] = list(fields.get("strategies", []))
    for name, value in chosen.items():
        place = f"{{{name}}}"
        if any(place in strategy for strategy in strategies):
            strategies = [strategy.replace(place, str(value)) for strategy in strategies]
        elif name in FIELDS:
            fields[name] = value
        else:
            fields["options"][name] = value
    return fields | {"strategies": strategies}


def make_sweep(path: Path, given: Mapping[str, Any]) -> list[ResultsFolder]:
    """A folder for each combination, after all of them have been checked."""
    if (path / SPEC_FILE).exists():
        raise PlanError(f"{path} holds an experiment; name another folder with --output")
    if any(path.glob(f"*/{SPEC_FILE}")):
        raise PlanError(
            f"{path} holds the experiments of a sweep: continue them with 'league experiment resume {path}', or name "
            "another folder with --output"
        )
    specs = [(label, make_spec(fields)) for label, fields in combinations_of(given)]
    return [ResultsFolder.create(path / label, spec) for label, spec in specs]


def opened(path: Path) -> list[ResultsFolder]:
    """The experiment in a folder, or those of a sweep."""
    if (path / SPEC_FILE).exists() or not (found := sorted(path.glob(f"*/{SPEC_FILE}"))):
        return [ResultsFolder.open(path)]
    return [ResultsFolder.open(each.parent) for each in found]


def write_table(path: Path, folders: Iterable[ResultsFolder]) -> Path:
    """Write a row for each strategy of each combination."""
    target, columns = path / TABLE, ("combination", "strategy", "matches", "score", "rating", "margin", "substituted")
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for folder in folders:
            for row in ExperimentStandings(folder).rows():
                writer.writerow((folder.path.name, row["name"], *(row[name] for name in columns[2:])))
    return target
