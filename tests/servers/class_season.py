"""A class and its leagues, without a wire."""

from dataclasses import replace

from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.commands import CloseRegistration, RegisterPlayer, RegisterReferee, StartLeague
from servers.agent.class_roster import Student, read_roster
from tests.league_sdk.domain.season import Season, agent, created

ROSTER = "student_id,name,email,player\n1,Ada L,a@example.org,Ada\n2,Bob M,b@example.org,Bob\n3,Cy N,c@example.org,Cy\n"


def a_class() -> tuple[Student, ...]:
    """Ada, Bob and Cy, with cards."""
    return read_roster(ROSTER, ManualClock(), ManualIds())


def registered_class(*students: Student, others: int = 0, league_id: str = "summer") -> Season:
    """A league in which these students, and others, have registered."""
    season = created(league_id=league_id)
    season.do(RegisterReferee(agent("Referee 1"), "secret"))
    for student in students:
        season.do(RegisterPlayer(replace(agent(student.player), card=student.number, student=student.reference)))
    for number in range(others):
        season.do(RegisterPlayer(agent(f"Other {number}")))
    return season


def started(season: Season) -> Season:
    """The same league, started."""
    season.do(CloseRegistration("operator"))
    season.do(StartLeague())
    return season
