"""The installed package: the wheel's contents, and its use without a checkout."""

import configparser
import contextlib
import email
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.message import Message
from pathlib import Path, PurePosixPath

import hatchling.build
import pytest

from tests.ports import free_base
from tests.requirements.marker import requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = ("league_sdk", "clients", "servers", "game_rules")
INFO = f"mcp_agent_league-{PROJECT['version']}.dist-info"

pytestmark = pytest.mark.xdist_group("packaging")


def build(target: str, folder: Path, source: Path = ROOT) -> Path:
    """Build with the installed hatchling: no isolation, so no network."""
    make = {"wheel": hatchling.build.build_wheel, "sdist": hatchling.build.build_sdist}[target]
    with contextlib.chdir(source):
        return folder / make(str(folder))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def read(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(name).decode("utf-8")


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    return email.message_from_string(read(wheel, f"{INFO}/METADATA"))


def test_the_wheel_holds_the_four_packages_and_its_own_description_only(names: set[str]):
    assert {PurePosixPath(name).parts[0] for name in names} == {*PACKAGES, INFO}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_of_a_package_is_in_the_wheel(package: str, names: set[str]):
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / package).rglob("*.py")}
    assert modules
    assert modules <= names


def test_the_wheel_says_that_it_is_typed(names: set[str]):
    assert "league_sdk/py.typed" in names


def test_the_wheel_brings_the_whole_default_configuration(names: set[str]):
    shipped = {path.relative_to(ROOT / "config").as_posix() for path in (ROOT / "config").rglob("*.json")}
    assert shipped
    assert {name.removeprefix("league_sdk/default_config/") for name in names if "/default_config/" in name} == shipped


def test_the_wheel_holds_nothing_that_was_made_while_it_ran(names: set[str]):
    endings = {PurePosixPath(name).suffix for name in names if not name.startswith(INFO)}
    assert endings == {".py", ".typed", ".json", ".js", ".css", ".html", ".svg", ".txt"}
    assert not [name for name in names if "__pycache__" in name]


def test_the_entry_points_are_those_of_the_project(wheel: Path):
    parser = configparser.ConfigParser(delimiters=("=",))
    parser.read_string(read(wheel, f"{INFO}/entry_points.txt"))
    found = {section: dict(parser[section]) for section in parser.sections()}
    assert found == {"console_scripts": PROJECT["scripts"], **PROJECT["entry-points"]}
    assert found["console_scripts"] == {"league": "servers.cli:main"}
    runtimes = {"experiment": "servers.experiments.runtime:run", "player": "servers.player.runtime:run"}
    assert found["mcp_agent_league.runtimes"] == runtimes


def test_the_licence_is_in_the_wheel_and_named(wheel: Path, metadata: Message):
    assert metadata["License-Expression"] == "MIT"
    assert read(wheel, f"{INFO}/licenses/LICENSE") == (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_the_description_is_the_readme(metadata: Message):
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert str(metadata.get_payload()).strip() == (ROOT / "README.md").read_text(encoding="utf-8").strip() != ""


def test_every_python_that_is_claimed_has_its_classifier(metadata: Message):
    claimed = [line.rpartition(" ")[2] for line in metadata.get_all("Classifier", []) if ":: Python :: 3." in line]
    assert claimed == ["3.11", "3.12", "3.13", "3.14"]
    assert metadata["Requires-Python"] == ">=3.11"


def test_every_dependency_is_pinned_for_those_who_run_from_a_checkout():
    pins = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    pinned = {line.partition("==")[0].lower() for line in pins.splitlines() if "==" in line}
    needed = {line.split(">")[0].strip().lower() for line in PROJECT["dependencies"]}
    assert needed <= pinned


@pytest.mark.parametrize("name", ["run", "build", "dev", "slow"])
def test_pins_are_exact_and_name_no_server(name: str):
    lines = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        pin = line.partition(";")[0]  # what comes after it says for which machines
        assert line.startswith("#") or (pin.count("==") == 1 and not set(pin) & set(" @:/<>~")), line


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build("sdist", folder)) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"mcp_agent_league-{PROJECT['version']}"


def test_a_wheel_from_the_source_archive_is_the_same(unpacked: Path, names: set[str], tmp_path: Path):
    with zipfile.ZipFile(build("wheel", tmp_path, unpacked)) as archive:
        assert set(archive.namelist()) == names


def test_the_source_archive_can_be_tested(unpacked: Path):
    for name in ("Makefile", "tests/test_packaging.py", "requirements/run.txt", "docs/ARCHITECTURE.md"):
        assert (unpacked / name).is_file()


def test_the_source_archive_holds_nothing_that_was_made_while_it_ran(unpacked: Path):
    inside = {path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()}
    made = {path for path in inside if path.parts[0] in ("data", "logs", "league-data", "dist", ".venv", ".git")}
    assert {str(path) for path in made} <= {"data/README.md", "logs/README.md"}
    # Leagues of older code, what surfaces tell of some to the byte, and the documents' own blocks are there to be read.
    fixtures = ("tests/league_sdk/audit/recorded/", "tests/servers/golden/", "tests/documents/")
    made = {str(path) for path in inside if path.suffix in (".pyc", ".db", ".jsonl")}
    assert not [path for path in made if not path.startswith(fixtures)]


class Elsewhere:
    """A fresh environment that has the wheel, and its dependencies from the one that runs the tests."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        venv = folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True, timeout=120)
        self.bin = venv / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.bin / "python"
        install = ["install", "--quiet", "--no-deps", "--no-index", "--no-cache-dir", str(wheel)]
        subprocess.run([sys.executable, "-m", "pip", "--python", str(self.python), *install], check=True, timeout=120)
        # Added afterwards, so that pip sees an empty environment. The editable checkout in there stays out of sight:
        # a .pth file is only heeded in the environment's own folder.
        site = next(venv.rglob("site-packages"))
        ours = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
        (site / "dependencies.pth").write_text("\n".join(ours) + "\n", encoding="utf-8")

    def run(self, *command: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        quiet = ("LEAGUE_", "PYTHON", "COV", "VIRTUAL_ENV")
        environ = {name: value for name, value in os.environ.items() if not name.startswith(quiet)}
        return subprocess.run(
            command, cwd=self.folder, env=environ, capture_output=True, text=True, check=False, timeout=timeout
        )


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Iterator[Elsewhere]:
    folder = tmp_path_factory.mktemp("elsewhere")
    yield Elsewhere(folder, wheel)
    shutil.rmtree(folder)


@requirement("project-QUAL-05")
@pytest.mark.end_to_end
def test_the_installed_package_is_imported_and_not_the_checkout(elsewhere: Elsewhere):
    code = "import clients, game_rules, league_sdk, servers; print(league_sdk.__file__)"
    done = elsewhere.run(str(elsewhere.python), "-c", code)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(elsewhere.bin.parent)


TWICE = """
import runpy, sys
script = sys.argv[1]
for option in ("--help", "--version"):
    sys.argv = [script, option]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as ended:
        print("===", ended.code or 0)
"""
"""The installed command in one process, which has to load all of it only once."""


@pytest.mark.end_to_end
def test_the_installed_command_shows_its_help_and_its_version(elsewhere: Elsewhere):
    shown = elsewhere.run(str(elsewhere.python), "-c", TWICE, str(elsewhere.bin / "league"))
    assert shown.returncode == 0, shown.stderr
    help_text, _, version = shown.stdout.partition("=== 0\n")
    assert "league run" in help_text
    assert version == f"mcp-agent-league {PROJECT['version']}\n=== 0\n"


@requirement("project-QUAL-05")
@pytest.mark.end_to_end
@pytest.mark.slow
def test_the_installed_command_plays_a_league_outside_the_checkout(elsewhere: Elsewhere):
    done = elsewhere.run(
        str(elsewhere.bin / "league"), "run", "--in-process", "--json", "--port-base", str(free_base())
    )
    assert done.returncode == 0, done.stderr
    league = json.loads(done.stdout)
    assert (league["state"], league["total_matches"], len(league["matches"])) == ("COMPLETED", 6, 6)
    assert league["champion"]["rank"] == 1
    assert Path(league["paths"]["data"]).is_relative_to(elsewhere.folder / "league-data")
    assert {entry.name for entry in elsewhere.folder.iterdir()} == {"league-data"}


@pytest.mark.end_to_end
@pytest.mark.slow
def test_a_type_checker_sees_the_types_of_the_installed_package(elsewhere: Elsewhere):
    shutil.copy(ROOT / "tests" / "typing" / "api.py", elsewhere.bin.parent.parent / "api.py")
    project = {"include": ["api.py"], "reportUnnecessaryTypeIgnoreComment": "error", "pythonVersion": "3.11"}
    settings = elsewhere.bin.parent.parent / "pyrightconfig.json"
    settings.write_text(json.dumps(project), encoding="utf-8")
    done = elsewhere.run(
        sys.executable, "-m", "pyright", "--pythonpath", str(elsewhere.python), "--project", str(settings)
    )
    assert done.returncode == 0, done.stdout
