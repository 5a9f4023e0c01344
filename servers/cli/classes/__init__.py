"""`league class …`: a class from its roster to its grades."""

import typer

from servers.cli.classes import cards, checks, feedback, grades, rehearse, roster, status

class_ = typer.Typer(
    help="Run a league for a class: a join secret for each student, grades and feedback.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
class_.command()(roster.create)
class_.command()(cards.cards)
class_.command()(roster.rotate)
class_.command()(roster.revoke)
class_.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(rehearse.rehearse)
class_.command()(status.status)
class_.command()(grades.grades)
class_.command()(feedback.feedback)
class_.command()(checks.check)
class_.command()(checks.verdict)
