"""Time limits of the league manager."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """How long the manager waits for whom, in seconds.

    Attributes:
        response: For any answer.
        grace: For acknowledgements of an announcement, before the round begins without those that are missing.
        heartbeat: Between two looks at a referee that has a match under way.
        match: For a match in which nothing happens, and for one whose report is refused.
        referee_failures: Looks in a row that a referee may miss before its matches go to another.
    """

    response: float = 10.0
    grace: float = 1.0
    heartbeat: float = 5.0
    match: float = 3600.0
    referee_failures: int = 3
