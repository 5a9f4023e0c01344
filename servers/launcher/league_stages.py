"""The tournament formats of a league that is about to be planned."""

from dataclasses import replace

from league_sdk import plugins
from league_sdk.domain.model import StageRules
from league_sdk.settings import LeagueConfig
from league_sdk.tournament import FormatDoesNotFit
from servers.launcher.run_options import PlanError, RunOptions


def league_stages(options: RunOptions, config: LeagueConfig, players: int) -> tuple[StageRules, ...]:
    """The stages of a league: those of the command line, else of the configuration.

    Raises:
        PlanError: So many players cannot play them.
        PluginError: There is no such format, or it does not take these options.
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
    try:
        plugins.stages_format(stages, options.plugins).check(players)
    except FormatDoesNotFit as misfit:
        raise PlanError(str(misfit)) from misfit
    return stages
