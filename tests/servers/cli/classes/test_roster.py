"""`league class create`, `rotate`, `revoke`."""

from servers.agent.class_roster import class_of
from servers.agent.manager_lock import manager_lock
from tests.servers.cli.classes.class_league import ROSTER
from tests.servers.league_history import under_way


def test_a_roster_that_is_read_again_keeps_the_cards_that_are_out(workspace, league, tmp_path, capsys):
    assert league("create", "roster.csv") == 0
    before = class_of(workspace).students
    (tmp_path / "roster.csv").write_text(f"{ROSTER}4713,Cy,cy@example.org,\n", encoding="utf-8")
    assert league("create", "roster.csv") == 0
    after = class_of(workspace).students
    assert after[:2] == before
    assert "3 students, 1 new" in capsys.readouterr().out


def test_a_student_with_another_name_in_the_league_gets_a_new_card_and_that_is_said(
    workspace, league, tmp_path, capsys
):
    league("create", "roster.csv")
    before = class_of(workspace).students
    (tmp_path / "roster.csv").write_text(ROSTER.replace("Player 1", "Countess"), encoding="utf-8")
    capsys.readouterr()
    assert league("create", "roster.csv") == 0
    after = class_of(workspace).students
    assert (after[0].secret != before[0].secret, after[1]) == (True, before[1])
    assert f"{before[0].player} plays as Countess now, with a new join secret" in capsys.readouterr().out


def test_a_roster_with_faults_writes_nothing(workspace, league, tmp_path, capsys):
    (tmp_path / "roster.csv").write_text(f"{ROSTER}4712,Cy,cy@example.org,\n", encoding="utf-8")
    assert league("create", "roster.csv") == 2
    assert "line 4: student_id '4712' is on line 3 already" in capsys.readouterr().err
    assert not class_of(workspace).path.exists()


def test_rotating_and_revoking_change_one_student(workspace, league):
    league("create", "roster.csv")
    ada, bob = class_of(workspace).students
    assert league("rotate", "ada@example.org") == 0
    assert league("revoke", "4712") == 0
    new_ada, new_bob = class_of(workspace).students
    assert new_ada.secret not in ("", ada.secret)
    assert (new_bob.secret, bob.secret != "") == ("", True)
    assert league("rotate", "Eve") == 2


def test_revoking_the_card_of_a_player_that_is_in_says_how_to_remove_it(workspace, league, tmp_path, capsys):
    known = under_way()
    name = known.league.players["P02"].display_name
    (tmp_path / "roster.csv").write_text(f"student_id,name,email\n1,{name},a@example.org\n", encoding="utf-8")
    league_id = known.write(workspace)
    league("create", "roster.csv")
    with manager_lock(workspace, league_id) as at:
        at("http://localhost:8000/mcp")
        assert league("revoke", "1") == 0
        told = capsys.readouterr().out
        assert f"still in {league_id}, as P02" in told
        assert f"\n  league control remove P02 --league {league_id}" in told
    assert league("revoke", "1") == 0
    assert "still in" not in capsys.readouterr().out
