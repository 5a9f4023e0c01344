"""The order in which the commands of a match are carried out."""

from league_sdk.domain.matches import match_io


def by_order(commands: tuple[match_io.Command, ...]) -> list[tuple[match_io.Command, ...]]:
    """Groups commands to keep order: per player, and the report after announcements."""
    lines: dict[str, list[match_io.Command]] = {}
    for command in commands:
        line = (
            command.player if isinstance(command, match_io.Invite | match_io.AskForMove | match_io.NotifyError) else ""
        )
        lines.setdefault(line, []).append(command)
    return [tuple(line) for line in lines.values()]
