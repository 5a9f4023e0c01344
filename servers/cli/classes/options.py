"""Arguments that several of the commands of a class take."""

from typing import Annotated, TypeAlias

import typer

StudentArgument: TypeAlias = Annotated[str, typer.Argument(metavar="STUDENT", help="The student's id, e-mail or name.")]
