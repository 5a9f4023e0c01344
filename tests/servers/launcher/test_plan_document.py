"""The plan of a run in the records, and in the file that is made from them."""

import json
from dataclasses import replace

import pytest

from league_sdk.domain.events import LeagueCreated, RunPlanned
from league_sdk.domain.league import fold
from league_sdk.settings import Workspace, find_config, write_secret
from servers.launcher.plan import LaunchPlan, load_plan
from servers.launcher.plan_document import document_of, plan_file, project_plan
from servers.launcher.run_options import PlanError
from tests.servers.launcher.test_plan import STORE, TOKEN, plan


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "data")


def recorded(made: LaunchPlan):
    """The league of a plan, as its manager records it."""
    return fold([LeagueCreated(made.rules), RunPlanned(made.agents[0].plan)])


def test_a_plan_comes_from_the_records_to_a_bare_folder(workspace, tmp_path):
    made = plan(workspace, count=5, most_referees=3, referees=1, seats=True, guests=1)
    bare = Workspace(tmp_path / "bare")
    project_plan(bare, recorded(made))
    write_secret(bare.operator_token_file(made.league_id), TOKEN)
    known = load_plan(bare, made.league_id)
    here = bare.root.absolute()
    assert known.players == tuple(replace(spec, workspace=here) for spec in made.players)
    assert known.spare == tuple(replace(spec, workspace=here) for spec in made.spare)
    assert made.seats is not None
    assert known.seats == replace(made.seats, workspace=here)


def test_a_thousand_players_share_what_is_the_same_in_the_records(workspace):
    made = plan(workspace, count=100, config=None).agents[0].plan
    assert {"config", "overrides", "manager_url"} - made["shared"].keys() == {"manager_url"}
    assert len(json.dumps(made)) < 30_000
    assert [agent["role"] for agent in document_of(made)["players"]] == ["player"] * 100


def test_no_secret_is_in_the_records(workspace):
    text = json.dumps(plan(workspace, store_url=STORE).agents[0].plan)
    assert TOKEN not in text
    assert "elsewhere" not in text


def test_a_file_that_tells_another_plan_than_the_records_is_made_anew(workspace):
    made = plan(workspace)
    made.save()
    file = plan_file(workspace, made.league_id)
    before = file.stat().st_ino
    project_plan(workspace, recorded(made))
    assert file.stat().st_ino == before, "the same plan is left as it is"
    write_secret(file, file.read_text().replace("frequency", "mirror"))
    project_plan(workspace, recorded(made))
    assert "mirror" not in file.read_text()


def test_a_league_without_a_plan_in_its_records_keeps_its_file(workspace):
    made = plan(workspace)
    made.save()
    text = plan_file(workspace, made.league_id).read_text()
    project_plan(workspace, fold([LeagueCreated(made.rules)]))
    assert plan_file(workspace, made.league_id).read_text() == text


def test_a_configuration_that_is_not_on_this_machine_has_to_be_named(workspace, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "config").symlink_to(find_config(None, {}, tmp_path).path)
    made = plan(workspace, config=tmp_path / "config")
    (tmp_path / "config").unlink()
    with pytest.raises(PlanError, match=r"not on this machine: name its folder with --config"):
        project_plan(Workspace(elsewhere), recorded(made))
    assert not elsewhere.exists()
    project_plan(Workspace(elsewhere), recorded(made), find_config(None, {}, tmp_path).path)
    write_secret(Workspace(elsewhere).operator_token_file(made.league_id), TOKEN)
    found = load_plan(Workspace(elsewhere), made.league_id).manager.config
    assert found is not None
    assert found.is_dir()


def test_paths_inside_the_folder_of_the_run_move_with_it(workspace, tmp_path):
    (workspace.root / "config").mkdir(parents=True)
    for file in find_config(None, {}, tmp_path).path.rglob("*.json"):
        target = workspace.root / "config" / file.relative_to(find_config(None, {}, tmp_path).path)
        target.parent.mkdir(exist_ok=True)
        target.write_text(file.read_text())
    made = plan(workspace, config=workspace.root / "config")
    moved = Workspace(workspace.root.rename(tmp_path / "moved"))
    project_plan(moved, recorded(made))
    write_secret(moved.operator_token_file(made.league_id), TOKEN)
    assert load_plan(moved, made.league_id).manager.config == moved.root / "config"
