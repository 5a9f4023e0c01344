"""docs/ARCHITECTURE.md names every part there is, and no other."""

import pkgutil
import re

import pytest

import clients
import league_sdk
import servers
from tests.docs.markdown import ROOT, without_blocks
from tests.requirements.marker import requirement

PAGE = without_blocks((ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8"))
NAMED = {name.rstrip("/") for name in re.findall(r"`([\w/]+)`", PAGE)}


@requirement("003-DOC-02")
@pytest.mark.parametrize("package", [league_sdk, clients, servers], ids=lambda package: package.__name__)
def test_every_module_is_on_the_page(package):
    modules = {info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.startswith("_")}
    assert modules
    assert sorted(modules - NAMED) == []


def test_every_module_on_the_page_exists():
    rows = re.findall(r"^\| ((?:`[a-z_]+/?`(?:, )?)+) \|", PAGE, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([a-z_]+)/?`", row)}
    folders = (ROOT, *(ROOT / package for package in ("league_sdk", "clients", "servers")))
    known = {path.stem for folder in folders for path in folder.iterdir()}
    assert len(named) > 20
    assert sorted(named - known) == []
