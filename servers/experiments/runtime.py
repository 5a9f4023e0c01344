"""Runtime of the public API's experiment, found by its entry point."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from league_sdk.experiment import Experiment, ExperimentResults
from servers.experiments.match_table import TableDamaged
from servers.experiments.parquet import write_parquet
from servers.experiments.results import SPEC_FILE, ResultsFolder
from servers.experiments.running import play_experiment
from servers.experiments.spec import LEAGUE, make_spec
from servers.experiments.standings import ExperimentStandings
from servers.launcher.run_options import PlanError


def run(
    experiment: Experiment, path: Path, workers: int, progress: Callable[[int, int], None] | None
) -> ExperimentResults:
    """Play an experiment in a folder. See `league_sdk.experiment.Experiment.run`."""
    fields = asdict(experiment) | {"plugins": [str(Path(each).absolute()) for each in experiment.plugins]}
    if experiment.engine == LEAGUE:
        del fields["memory"], fields["paired"]  # it settles both
    try:
        spec = make_spec(fields)
        if (path / SPEC_FILE).exists():
            folder = ResultsFolder.open(path)
            if folder.spec != spec:
                raise PlanError(f"{path} holds another experiment; name another folder")
        else:
            folder = ResultsFolder.create(path, spec)
        play_experiment(folder, workers, lambda done: progress(done, spec.total) if progress else None)
    except (PlanError, TableDamaged) as error:
        raise ValueError(str(error)) from error
    write_parquet(folder)
    return ExperimentResults(folder.path, folder.table, tuple(ExperimentStandings(folder).rows()))
