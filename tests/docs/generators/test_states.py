"""The page about states is what the tables say."""

from docs.generators.states import TARGET, render
from league_sdk.domain.lifecycles import AGENT, LEAGUE, MATCH, PLAYER_MATCH
from tests.requirements.marker import requirement

PAGE = TARGET.read_text(encoding="utf-8")


@requirement("003-TREE-07", "003-DOC-04", "project-QUAL-06")
def test_the_page_is_what_the_script_writes():
    assert render() == PAGE, "run: make docs"


@requirement("003-DOC-01")
def test_the_page_shows_every_machine():
    for machine in (AGENT, LEAGUE, MATCH, PLAYER_MATCH):
        assert machine.mermaid() in PAGE
