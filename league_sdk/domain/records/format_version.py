"""The version of the records' format, and records of a newer release."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from league_sdk.json_value import Json
from league_sdk.release import release

FORMAT_VERSION = 2
"""The version of the records of leagues that are created now; docs/adr/0176 lists the versions."""


class NewerRecords(ValueError):
    """Records that a newer release wrote; the message has both versions."""


class _Typed(Protocol):
    @property
    def sequence(self) -> int: ...

    @property
    def type(self) -> str: ...

    @property
    def payload(self) -> Mapping[str, Json]: ...


def check_readable(records: Iterable[_Typed], known: Iterable[str], version: int = 0) -> None:
    """Refuse records of which one is of a newer release.

    Args:
        records: A league's records, or the next ones of it.
        known: The types of events that this release knows.
        version: The version of the format, where the league's first record is not among them.

    Raises:
        NewerRecords: One has a type that is unknown, or a newer format.
    """
    types = frozenset(known)
    for record in records:
        if record.type == "LeagueCreated":
            version = record.payload.get("format_version", 1)
        check_version(version)
        if record.type not in types:
            raise NewerRecords(newer(f"record {record.sequence} is a {record.type}, unknown here", version))


def check_version(version: Json) -> None:
    """Refuse a newer version of the format."""
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise NewerRecords(newer("they say so themselves", version))


def newer(why: str, version: int = 0) -> str:
    """The sentence about records of a newer release."""
    theirs = f"of format {version}" if version else "of a league whose format is not known here"
    return (
        f"the records were written by a newer release: {why}. They are {theirs}, and this release ({release()}) reads "
        f"formats up to {FORMAT_VERSION}; update it to the release that wrote them"
    )
