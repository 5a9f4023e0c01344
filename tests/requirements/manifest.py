"""Every requirement, source by source."""

from tests.requirements import project, r000, r001, r002, r003, r004
from tests.requirements.model import Requirement

REQUIREMENTS: tuple[Requirement, ...] = (
    *r000.REQUIREMENTS,
    *r001.REQUIREMENTS,
    *r002.REQUIREMENTS,
    *r003.REQUIREMENTS,
    *r004.REQUIREMENTS,
    *project.REQUIREMENTS,
)
