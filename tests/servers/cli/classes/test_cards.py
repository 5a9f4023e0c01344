"""`league class cards`."""

import json

from league_sdk.net.join_links import JoinLink
from servers.agent.class_roster import class_of
from servers.ui.class_pages import cards
from tests.requirements.marker import requirement


@requirement("project-CLI-16")
def test_cards_name_each_students_own_secret_and_escape_what_the_roster_has(workspace, league, capsys):
    league("create", "roster.csv")
    capsys.readouterr()
    assert league("cards", "--json") == 0
    made = json.loads(capsys.readouterr().out)["cards"]
    students = class_of(workspace).students
    assert [card["join_secret"] for card in made] == [student.secret for student in students]
    page = "".join(cards(made, "http://localhost:8000/mcp"))
    assert "<b>Bob</b>" not in page
    assert students[0].secret in page


def test_cards_are_readable_by_their_owner_alone(workspace, league, tmp_path):
    league("create", "roster.csv")
    assert league("cards", "-o", "cards.html") == 0
    assert (tmp_path / "cards.html").stat().st_mode & 0o777 == 0o600
    assert league("cards", "-o", "cards.html") == 2


def test_cards_that_lead_to_this_machine_alone_say_so(workspace, league, capsys):
    league("create", "roster.csv")
    assert "cards.html --manager http://ADDRESS:8000/mcp" in capsys.readouterr().out
    for manager, told in (("http://localhost:8000/mcp", True), ("http://192.168.1.10:8000/mcp", False)):
        assert league("cards", "--json", "--manager", manager) == 0
        shown = capsys.readouterr()
        assert ("from this machine alone; --manager names the address" in shown.err) is told
        assert json.loads(shown.out)["manager"] == manager


def test_cards_for_another_game_name_it_in_command_and_link(workspace, league, capsys):
    league("create", "roster.csv")
    capsys.readouterr()
    assert league("cards", "--json", "--game", "tic_tac_toe") == 0
    for card in json.loads(capsys.readouterr().out)["cards"]:
        assert " --game tic_tac_toe --outbound" in card["command"]
        assert JoinLink.read(card["join_link"]).game == "tic_tac_toe"
    assert league("cards", "--json") == 0
    assert "game" not in capsys.readouterr().out
    assert league("cards", "--game", "tic_tak_toe") == 2
    assert "tic_tac_toe" in capsys.readouterr().err
