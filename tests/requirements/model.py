"""A requirement, and all of them together.

A requirement says in our own words what one of the documents demands. The tests that show it bear its id as a marker; a
row may name the decision that settles it. Where documents contradict each other, `reading` says which reading holds.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

SOURCES: Mapping[str, str] = {
    "000": "Interface specifications",
    "001": "Architecture design",
    "002": "Message contracts",
    "003": "Task requirements",
    "004": "Product design review",
    "project": "The project's own aims",
}
"""Sources of requirements: key to title."""

PLANNED = "docs/adr/0021-planned-for-later.md"
"""The decision of everything that this release does not claim."""

Kind: TypeAlias = Literal["behaviour", "documentation"]
"""Subject of a requirement: the programs, or a page, an example or a diagram itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One thing that a document demands.

    Attributes:
        id: `<source>-<area>-<number>`, never given to another requirement.
        source: A key of SOURCES.
        section: Where in that document.
        text: What it demands, in one sentence of our own.
        decision: Path of the page that settles a contradiction or a requirement that does not apply.
        reading: Which reading holds.
        kind: What it is about. A page or a table shows nothing of a behaviour.
        missed: For a target that was measured and is not reached, the figure, as docs/performance.md has it.
    """

    id: str
    source: str
    section: str
    text: str
    decision: str | None = None
    reading: str = ""
    kind: Kind = "behaviour"
    missed: str = ""

    @property
    def planned(self) -> bool:
        """True if this release leaves it for later, by the decision that lists what it does not claim."""
        return self.decision == PLANNED


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document, to write its requirements under.

    Attributes:
        source: A key of SOURCES.
        area: The middle of the ids.
        title: The section's heading.
    """

    source: str
    area: str
    title: str

    def __call__(
        self,
        number: int,
        text: str,
        *misplaced: str,
        decision: str | None = None,
        reading: str = "",
        kind: Kind = "behaviour",
        missed: str = "",
    ) -> Requirement:
        """A requirement of this section; `decision` is the page's name in `docs/adr` without `.md`.

        Raises:
            ValueError: The row names tests. Those bear the row's id instead.
        """
        row_id = f"{self.source}-{self.area}-{number:02d}"
        if misplaced:
            tests = ", ".join(misplaced)
            raise ValueError(
                f'{row_id} names tests: take them out of the row, and put @requirement("{row_id}") on {tests}'
            )
        return Requirement(
            id=row_id,
            source=self.source,
            section=self.title,
            text=text,
            decision=None if decision is None else f"docs/adr/{decision}.md",
            reading=reading,
            kind=kind,
            missed=missed,
        )


def by_source(requirements: tuple[Requirement, ...]) -> Iterator[tuple[str, tuple[Requirement, ...]]]:
    """The requirements of each source, in the order of SOURCES."""
    for source in SOURCES:
        yield source, tuple(item for item in requirements if item.source == source)
