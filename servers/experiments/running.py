"""Plays the batches of an experiment in processes or a Ray cluster."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any, cast

from servers.experiments.batches import Batch, play_batch
from servers.experiments.results import ResultsFolder
from servers.experiments.spec import LEAGUE, ExperimentSpec
from servers.launcher.ray_cluster import is_ray, ray_cluster
from servers.launcher.run_options import PlanError

AHEAD = 3
"""Tasks per worker that are handed out ahead."""
TASK_SEC = 0.2
"""Time that a task of some batches shall take: to hand one out costs 1 ms, a quarter of a batch of a quick game."""
LARGEST_TASK = 50
"""Batches of a task."""

Progress = Callable[[int], None]
"""Takes the number of matches played so far."""

Played = tuple[list[str], float]
"""The rows of each batch of a task, and the seconds that all took."""

PlayAll = Callable[[Iterable[Batch]], Iterator[tuple[Batch, str]]]
"""Plays batches and gives their rows in the order of the batches."""


def play_experiment(folder: ResultsFolder, workers: int, progress: Progress, place: str = "processes") -> int:
    """Play the missing matches; returns their number.

    The progress counts matches that a stop rule has made needless as well.
    """
    _check_place(folder.spec, workers, place)
    player = _ray_player(folder, place) if is_ray(place) else _player(folder, workers)
    with folder.appending() as table:
        before, needless = table.matches, 0

        def wanted() -> Iterator[Batch]:
            nonlocal needless
            for batch in table.left:
                if table.rule.wants(batch):
                    yield batch
                else:
                    needless += batch.matches

        progress(before)
        with player as play_all:
            for batch, rows in play_all(wanted()):
                if table.rule.wants(batch):  # a batch played ahead may have become needless
                    table.append(batch, rows)
                else:
                    needless += batch.matches
                progress(table.matches + needless)
        if needless:
            progress(table.matches + needless)
    return table.matches - before


@contextmanager
def _player(folder: ResultsFolder, workers: int) -> Generator[PlayAll]:
    """Play in this process, or in several of this machine."""
    # A strategy may be a coroutine, for which there is no loop to run on within another one, such as a notebook's.
    if workers == 1 and not _within_a_loop():
        yield lambda left: ((batch, _play(folder, batch)) for batch in left)
        return
    # Forked by a small server: this process may have threads. The event ends workers in the middle of a batch.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    stop = context.Event()
    pool = ProcessPoolExecutor(workers, context, _settle_worker, (stop.wait,))

    try:
        yield lambda left: _in_order(left, lambda task: pool.submit(play_task, folder, task), _result, workers)
    except BaseException:
        stop.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _ray_player(folder: ResultsFolder, place: str) -> Generator[PlayAll]:
    """Play in a Ray cluster; tasks of a lost node run again on others."""
    with ray_cluster(place, "experiment") as ray:
        play = ray.remote(num_cpus=1, max_retries=-1)(play_task)
        shipped = ray.put(folder)

        def result(played: Any) -> Played:
            try:
                return ray.get(played)
            except ray.exceptions.RayTaskError as error:
                raise error.cause from error

        workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        yield lambda left: _in_order(left, lambda task: play.remote(shipped, task), result, workers)


def _in_order(
    left: Iterable[Batch], submit: Callable[[Sequence[Batch]], Any], result: Callable[[Any], Played], workers: int
) -> Iterator[tuple[Batch, str]]:
    """Hand out tasks ahead, and take their rows in order."""
    waiting: deque[tuple[Sequence[Batch], Any]] = deque()
    remaining, size = iter(left), 1
    task = list(islice(remaining, size))
    while task or waiting:
        if task:
            waiting.append((task, submit(task)))
        if len(waiting) >= AHEAD * workers or not task:
            done, played = waiting.popleft()
            rows, seconds = result(played)
            size = max(1, min(LARGEST_TASK, int(len(done) * TASK_SEC / max(seconds, 1e-6))))
            yield from zip(done, rows, strict=True)
        task = list(islice(remaining, size))


def _result(played: Future[Played]) -> Played:
    return played.result()


def play_task(folder: ResultsFolder, task: Sequence[Batch]) -> tuple[list[str], float]:
    """Play some batches; the rows of each, and the seconds of all."""
    begin = monotonic()
    return [_play(folder, batch) for batch in task], monotonic() - begin


def _play(folder: ResultsFolder, batch: Batch) -> str:
    if folder.spec.engine != LEAGUE:
        return play_batch(folder.spec, batch)
    from servers.experiments.league_engine import play_league  # loads agents, servers and their libraries

    return play_league(folder.spec, batch, folder.path)


def _check_place(spec: ExperimentSpec, workers: int, place: str) -> None:
    """Refuse what leagues cannot be played with."""
    if spec.engine == LEAGUE and is_ray(place):
        raise PlanError(f"engine = {LEAGUE!r} plays on this machine; leave out --on")
    if workers > 1 and any(entrant.url for entrant in spec.entrants):
        raise PlanError("an agent at a URL plays one league at a time; leave out --workers")


def _within_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _settle_worker(stopped: Callable[[], object]) -> None:
    """Leave Ctrl-C to the parent, and end with it or at its word."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = cast(BaseProcess, multiprocessing.parent_process())
    for wait in (stopped, parent.join):
        threading.Thread(target=_end_after, args=(wait,), daemon=True).start()


def _end_after(wait: Callable[[], object]) -> None:
    wait()
    os._exit(1)
