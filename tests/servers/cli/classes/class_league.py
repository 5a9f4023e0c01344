"""A roster that tests of classes share."""

from typing import Protocol

ROSTER = "student_id,name,email,player\n=1+1,Ada,ada@example.org,Player 1\n4712,<b>Bob</b>,bob@example.org,Bob\n"


class League(Protocol):
    """Runs `league class …`, and returns its exit code."""

    def __call__(self, *words: str) -> int: ...
