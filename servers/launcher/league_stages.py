"""The tournament formats and tie-breaks of a league that is about to be planned."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from league_sdk import plugins
from league_sdk.domain.model import (
    SERIES_POINTS,
    DepartedResults,
    OnBadMove,
    PointsBy,
    StageRules,
)
from league_sdk.domain.progress import NEEDS_SCHEDULE, OVERLAP_NEEDS_SCHEDULE, settled_schedule
from league_sdk.domain.ranking.tie_breaks import criteria
from league_sdk.errors import UnsupportedGameType
from league_sdk.settings import LeagueConfig
from league_sdk.tournament import FormatDoesNotFit
from servers.launcher.run_options import PlanError, RunOptions

ROUNDS = ("total_rounds", "schedule.total_rounds")
"""Settings of the number of rounds."""


def league_stages(
    options: RunOptions, config: LeagueConfig, players: int, chosen: Callable[[str], bool] = lambda _: False
) -> tuple[StageRules, ...]:
    """The stages of a league: those of the command line, else of the configuration.

    `chosen` tells if a setting of the league's file comes from the command line or the environment.
    """
    stages = config.stages
    if options.format:
        stages = (StageRules(options.format, options.format_options),)
        first = plugins.tournament_format(options.format, options.plugins, options.format_options)
        if first.final_stage:
            advance = first.advancing(players)
            stages = (replace(stages[0], advance=advance), StageRules(first.final_stage))
    elif options.format_options:
        stages = (replace(stages[0], options={**stages[0].options, **options.format_options}), *stages[1:])
    if config.matches_per_round not in (None, players // 2) and (not options.count or chosen("matches_per_round")):
        raise PlanError(f"matches_per_round is {config.matches_per_round}; {players} players have {players // 2}")
    if not options.format or any(map(chosen, ROUNDS)):
        stages = with_total_rounds(stages, config, players, options.plugins, chosen)
    made = plugins.stages_format(stages, options.plugins)
    if players > config.participants.max_players:
        return stages  # refused with the league's limit, which no other format would lift
    try:
        made.check(players)
        with suppress(UnsupportedGameType):  # refused where the game's settings are read
            plugins.check_seats(made, plugins.game(config.game_type, options.plugins, config.rules), options.plugins)
    except FormatDoesNotFit as misfit:
        raise PlanError(str(misfit)) from misfit
    needs = [NEEDS_SCHEDULE] if config.scoring.departed_results is not DepartedResults.KEEP else []
    needs += [OVERLAP_NEEDS_SCHEDULE] if config.schedule.rounds == "overlapping" else []
    if needs and settled_schedule(made, [str(number) for number in range(players)]) is None:
        settling = [name for name, each in plugins.format_classes(options.plugins).items() if each.settled]
        raise PlanError(f"{needs[0]}. Such formats are {', '.join(settling)}")
    return stages


def on_bad_move(
    config: LeagueConfig, stages: Sequence[StageRules], folders: Sequence[str] = (), *, roster: bool = False
) -> OnBadMove | None:
    """The request to players whose strategy fails: `tell` in classes and ladders."""
    formats = (plugins.tournament_format(stage.format, folders, stage.options) for stage in stages)
    asked = roster or any(chosen.tells_bad_moves for chosen in formats)
    return config.on_bad_move or (OnBadMove.TELL if asked else None)


def league_tie_breaks(
    named: Sequence[str], config: LeagueConfig, stages: Sequence[StageRules], folders: Sequence[str] = ()
) -> tuple[str, ...]:
    """The ranking criteria of a league: those named, else a format's recommendation.

    Those `named` on the command line come after points, unless they say where points come.
    """
    chosen = _tie_breaks(named, config, stages, folders)
    if config.scoring.points_by is PointsBy.SERIES:
        if all(stage.options.get("best_of", 1) == 1 for stage in stages):
            raise PlanError(
                "scoring.points_by series needs pairings of several matches: --best-of 3, or the option best_of of "
                "round_robin, swiss or knockout"
            )
        chosen = (SERIES_POINTS, *(name for name in chosen if name != SERIES_POINTS))
    if "goal_difference" in chosen and not plugins.game(config.game_type, folders, config.rules).scored:
        raise PlanError(
            f"goal_difference compares the scores of matches, and {config.game_type} has none but who won. "
            "A game that has scores says so with scored = True"
        )
    return chosen


def _tie_breaks(
    named: Sequence[str], config: LeagueConfig, stages: Sequence[StageRules], folders: Sequence[str]
) -> tuple[str, ...]:
    if named:
        try:
            criteria(named)
        except ValueError as error:
            raise PlanError(f"--tie-breaks: {error}") from error
        return tuple(named) if "points" in named else ("points", *named)
    if "tiebreakers" not in config.scoring.model_fields_set:
        for stage in stages:
            recommended = plugins.tournament_format(stage.format, folders, stage.options).tie_breaks
            if recommended:
                return recommended
    return config.scoring.tiebreakers


def with_total_rounds(
    stages: tuple[StageRules, ...],
    config: LeagueConfig,
    players: int | None,
    folders: Sequence[str] = (),
    chosen: Callable[[str], bool] = lambda _: False,
) -> tuple[StageRules, ...]:
    """The stages with the configured number of rounds; `players` may be unknown."""
    above = any(map(chosen, ROUNDS))
    wanted = config.schedule.total_rounds or config.total_rounds
    if wanted is None or (chosen("format") and not above):
        return stages
    first = plugins.tournament_format(stages[0].format, folders, stages[0].options)
    if len(stages) == 1 and hasattr(first, "rounds"):
        given = stages[0].options.get("rounds", wanted)
        if above and given != wanted:
            raise PlanError(
                f"total_rounds is {wanted}, and the option rounds of {first.name} is {given}: set one of them"
            )
        return (replace(stages[0], options={**stages[0].options, "rounds": given}),)
    whole = None if players is None else plugins.stages_format(stages, folders).expected_rounds(players)
    if above and wanted != whole:
        name = " and ".join(stage.format for stage in stages)
        follow = f"the rounds of {name} follow from its players"
        played = f"{players} players play {whole} rounds in {name}" if whole else follow
        raise PlanError(
            f"total_rounds is {wanted}; {played}. Leave it out, or "
            "choose a format that takes a number of rounds, such as swiss"
        )
    return stages
