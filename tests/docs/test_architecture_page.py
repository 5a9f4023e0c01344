"""docs/ARCHITECTURE.md names every folder there is, and no part that is not there."""

import pkgutil
import re

import pytest

import league_sdk
import servers
from tests.docs.markdown import ROOT, without_blocks
from tests.requirements.marker import requirement

PAGE = without_blocks((ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8"))
NAMED = {name.rstrip("/") for name in re.findall(r"`([\w/]+)`", PAGE)}


@requirement("003-DOC-02")
@pytest.mark.parametrize("package", [league_sdk, servers], ids=lambda package: package.__name__)
def test_every_folder_is_on_the_page(package):
    folders = {info.name for info in pkgutil.iter_modules(package.__path__) if info.ispkg}
    assert folders
    assert sorted(folders - NAMED) == []


def test_every_module_on_the_page_exists():
    rows = re.findall(r"^\| ((?:`[a-z_]+/?`(?:, )?)+) \|", PAGE, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([a-z_]+)/?`", row)}
    folders = (ROOT, *(ROOT / package for package in ("league_sdk", "clients", "servers")))
    known = {path.stem for folder in folders for path in folder.iterdir()}
    assert len(named) > 15
    assert sorted(named - known) == []
