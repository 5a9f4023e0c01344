import json
import os
import socket
import sys
from contextlib import closing

import pytest

from servers.cli import doctor
from tests.ports import free_base
from tests.requirements.marker import requirement


@pytest.fixture
def base() -> int:
    return free_base()


def findings(shown) -> dict[str, dict]:
    return {finding["what"]: finding for finding in shown.json["findings"]}


@requirement("project-CLI-08")
def test_where_all_is_well_it_says_so(league, base):
    shown = league("doctor", "--port-base", base)
    assert shown.code == 0
    assert "!!" not in shown.out
    for what in ("Python", "mcp", "package servers", "configuration", "games", "strategies", "data folder"):
        assert f"ok  {what}" in shown.out
    assert "free for league manager" in shown.out


def test_as_json_it_is_one_object(league, base):
    shown = league("doctor", "--port-base", base, "--json")
    assert (shown.code, shown.err, shown.json["fine"]) == (0, "", True)
    assert all(finding["fine"] for finding in shown.json["findings"])


def test_looking_leaves_nothing_behind(league, base, tmp_path):
    league("doctor", "--port-base", base)
    league("doctor", "--port-base", base, "--data", tmp_path / "new" / "folder")
    assert list(tmp_path.iterdir()) == []


@requirement("project-CLI-08")
def test_a_port_in_use_is_named(league, base):
    with closing(socket.create_server(("127.0.0.1", base + 102))):
        shown = league("doctor", "--port-base", base)
    assert shown.code == 1
    line, advice = [line for line in shown.out.splitlines() if "!!" in line or "→" in line]
    assert (f"port {base + 102}" in line, "in use" in line) == (True, True)
    assert "--port-base" in advice


def test_a_port_base_that_is_too_high_is_found(league):
    shown = league("doctor", "--port-base", 65_500, "--json")
    assert shown.code == 1
    assert "they end at 65535" in findings(shown)["ports"]["detail"]


def test_an_address_that_is_not_ours_is_not_called_a_port_in_use(league, base, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "system.json").write_text(json.dumps({"network": {"bind_host": "203.0.113.1"}}))
    shown = league("doctor", "--port-base", base, "--config", tmp_path / "config", "--json")
    assert "cannot be used on 203.0.113.1" in findings(shown)[f"port {base}"]["detail"]


@requirement("project-CLI-08")
@pytest.mark.parametrize(
    ("text", "told"),
    [('{"timeouts": {"move_timeout_sec": "soon"}}', 'move_timeout_sec is "soon"'), ("{", "system.json")],
)
def test_a_broken_configuration_file_is_found_with_file_and_field(league, base, tmp_path, text, told):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "system.json").write_text(text)
    shown = league("doctor", "--port-base", base, "--json")
    finding = findings(shown)["configuration"]
    assert (shown.code, finding["fine"]) == (1, False)
    assert "system.json" in finding["detail"]
    assert told in finding["detail"]
    assert not any("port" in name for name in findings(shown))


@requirement("project-CLI-08")
def test_a_folder_that_cannot_be_written_to_is_found(league, base, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    shown = league("doctor", "--port-base", base, "--data", tmp_path / "file", "--json")
    finding = findings(shown)["data folder"]
    assert (shown.code, finding["fine"]) == (1, False)
    assert "--data" in finding["advice"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_found(league, base, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    shown = league("doctor", "--port-base", base, "--data", tmp_path / "locked", "--json")
    assert not findings(shown)["data folder"]["fine"]


@requirement("project-CLI-08")
@pytest.mark.parametrize(
    ("file", "text"),
    [("top_level.txt", "clients\n"), ("RECORD", "clients/__init__.py,sha256=x,0\nserversx.py,sha256=x,0\n")],
    ids=["by name", "by its files"],
)
def test_another_distribution_with_a_package_of_the_same_name_is_found(league, base, tmp_path, monkeypatch, file, text):
    metadata = tmp_path / "site" / "someones_clients-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: someones-clients\nVersion: 1.0\n")
    (metadata / file).write_text(text)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "site")])
    shown = league("doctor", "--port-base", base, "--json")
    finding = findings(shown)["package clients"]
    assert (shown.code, finding["fine"]) == (1, False)
    assert finding["detail"] == "also installed by someones-clients"
    assert finding["advice"].startswith("uninstall someones-clients")
    assert findings(shown)["package servers"]["fine"]


def test_a_package_that_comes_from_elsewhere_is_found(league, base, tmp_path, monkeypatch):
    other = tmp_path / "clients" / "__init__.py"
    other.parent.mkdir()
    other.write_text("")
    monkeypatch.setattr(sys.modules["clients"], "__file__", str(other))
    finding = findings(league("doctor", "--port-base", base, "--json"))["package clients"]
    assert (finding["fine"], finding["detail"]) == (False, f"comes from {other.parent}")
    assert "PYTHONPATH" in finding["advice"]


def test_a_broken_plug_in_is_found_and_named(league, base, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "chess.py").write_text("import no_such_module\n")
    shown = league("doctor", "--port-base", base, "--plugins", folder, "--json")
    finding = findings(shown)["games"]
    assert (shown.code, finding["fine"], finding["advice"]) == (1, False, "fix or remove that plug-in")
    assert "chess" in finding["detail"]
    assert "no_such_module" in finding["detail"]


def test_a_plug_in_that_works_is_listed(league, base, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "stubborn.py").write_text(
        "from league_sdk import strategy\n\n\n"
        '@strategy("stubborn")\ndef stubborn(view):\n    """Always the first."""\n    return view.legal_moves[0]\n'
    )
    assert (
        "stubborn"
        in findings(league("doctor", "--port-base", base, "--plugins", folder, "--json"))["strategies"]["detail"]
    )


@requirement("project-CLI-08")
def test_a_library_that_is_missing_or_too_old_is_found_with_the_command_that_mends_it(league, base, monkeypatch):
    monkeypatch.setattr(doctor, "NEEDED", {"mcp": (99, 0), "no-such-library": (1, 2)})
    found = findings(league("doctor", "--port-base", base, "--json"))
    assert found["mcp"]["advice"] == "pip install --upgrade 'mcp>=99.0'"
    assert found["no-such-library"]["detail"] == "not installed"
    assert found["no-such-library"]["advice"] == "pip install 'no-such-library>=1.2'"
