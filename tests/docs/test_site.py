"""The documentation site: every page has its place, and what is built leads nowhere else and nowhere wrong."""

import html
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from docs.site import build, nav
from tests.docs.markdown import ROOT
from tests.requirements.marker import requirement
from tests.servers.ui.web.browsing import SIZES, browser, findings, needs_browser

pytestmark = pytest.mark.xdist_group("documentation_site")  # it is built once

DOCS = ROOT / "docs"
NAMED = list(nav.pages(nav.navigation()))


@requirement("project-QUAL-09")
def test_every_page_has_its_place_in_the_navigation_and_only_one():
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} | {nav.MADE, *nav.ROOT_PAGES.values()}
    assert sorted(pages - set(NAMED)) == [], "put it into docs/site/nav.py"
    assert sorted(set(NAMED) - pages) == []
    assert [page for page in NAMED if NAMED.count(page) > 1] == []


def test_the_four_ways_in_are_the_tabs():
    assert [next(iter(entry)) for entry in nav.navigation()][1:5] == ["Tutorial", "How to", "Reference", "Explanation"]


@pytest.mark.parametrize(
    ("written", "laid_out"),
    [
        ("see [a](../README.md#ports)", "see [a](project/front_page.md#ports)"),
        ("see [a](check.md), [b](#c)", "see [a](check.md), [b](#c)"),
        ("see [a test](../tests/ports.py)", "see a test"),
        ("![a picture](site/mkdocs.yml)", "![a picture](site/mkdocs.yml)"),
        ("![a picture](../tests/ports.py)", "a picture"),
        ("`[a](../tests/ports.py)`", "`[a](../tests/ports.py)`"),
        ("[a](https://example.org)", "[a](https://example.org)"),
        ("1. one\n\n   more\n2. two\n", "1. one\n\n    more\n\n2. two"),
        ("- one\n  - two\n\ntext\n  deeper", "- one\n    - two\n\ntext\n  deeper"),
        ("1. one\n\n   ```sh\n   x\n\n     y\n   ```", "1. one\n\n    ```sh\n    x\n\n      y\n    ```"),
    ],
)
def test_a_page_is_laid_out_for_the_site(written: str, laid_out: str):
    text = build.for_site(written, lambda target: build.retarget(target, DOCS / "hosts.md"))
    assert text.rstrip("\n") == laid_out


TAG = re.compile(r"<([a-z]\w*)(\s[^<>]*)?>")
CODE = re.compile(r"<(pre|code|script)\b.*?</\1>", re.DOTALL)
ATTRIBUTE = re.compile(r"([\w-]+)=\"([^\"]*)\"")


class Page:
    """A page's links and anchors."""

    def __init__(self, path: Path) -> None:
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: set[str] = set()
        self.guarded = False
        for tag, attributes in TAG.findall(path.read_text(encoding="utf-8")):
            self._take(tag, {name: html.unescape(value) for name, value in ATTRIBUTE.findall(attributes)})

    def _take(self, tag: str, found: Mapping[str, str]) -> None:
        self.ids.add(found.get("id", ""))
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag == "link" and found.get("rel") != "canonical":
            self.loaded.append(found["href"])
        self.loaded += [found[name] for name in ("src", "srcset", "data", "poster") if name in found and tag != "a"]
        self.guarded = self.guarded or found.get("http-equiv") == "Content-Security-Policy"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("zensical")
    return build.build(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


@pytest.mark.slow
def test_every_page_is_built(site: Path, pages: dict[Path, Page]):
    built = {path.relative_to(site).as_posix() for path in pages}
    assert {re.sub(r"(^|/)README\.md$", r"\1index.md", page).removesuffix(".md") + ".html" for page in NAMED} <= built


@requirement("project-QUAL-09")
@pytest.mark.slow
def test_every_link_leads_to_a_page_and_a_heading_of_the_site(pages: dict[Path, Page]):
    def wrong(path: Path, link: str) -> bool:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            return False
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file():
            return True
        return bool(parts.fragment) and target in pages and unquote(parts.fragment) not in pages[target].ids

    assert sum(len(page.links) for page in pages.values()) > 1000
    # The page for what is not found stands for every address, so its links begin at the root.
    found = [
        (path.name, link)
        for path, page in pages.items()
        if path.name != "404.html"
        for link in page.links
        if wrong(path, link)
    ]
    assert found == []


@pytest.mark.slow
def test_no_mark_up_is_left_over_in_the_text(site: Path):
    """GitHub and Python-Markdown differ, most of all in lists."""
    left: list[tuple[str, str]] = []
    for path in sorted(site.rglob("*.html")):
        article = path.read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]
        found = re.findall(r">([^<]*(?:\*\*|\]\(|```|\n[-*] |\n\d\. )[^<]*)<", CODE.sub("", article))
        left += [(path.name, text) for text in found]
    assert left == []


@requirement("project-QUAL-09")
@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere_and_the_browser_sees_to_it(site: Path, pages: dict[Path, Page]):
    assert [link for page in pages.values() for link in page.loaded if re.match(r"\w+:|//", link)] == []
    assert [path for path, page in pages.items() if not page.guarded] == []
    assert list(_outside(site)) == []


def _outside(site: Path) -> Iterator[str]:
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        yield from re.findall(r"@import[^;]+|url\(\s*['\"]?(?!data:)(?:\w+:|//)[^)]*\)", text)


def test_a_page_is_finished_without_scripts_from_elsewhere_and_with_framed_pictures():
    made = '<script src="https://example.org/x" type="text/javascript"></script><pre class="mermaid">\na\n</pre>'
    assert re.sub(r' (role|aria-label|tabindex)="\w+"', "", build.finished(made)) == (
        '<div class="diagram"><pre class="mermaid">\na\n</pre></div>'
    )


@pytest.mark.slow
@requirement("project-QUAL-09")
@pytest.mark.slow
def test_the_search_finds_guides_and_not_what_was_decided_changed_or_required(site: Path):
    index = json.loads((site / "search.json").read_text(encoding="utf-8"))["items"]
    found = {item["location"].partition("#")[0] for item in index}
    assert {"how_to/run_a_class.html", "reference/commands.html", "write_an_agent.html"} <= found
    assert [
        page for page in found if page.startswith("adr/") or page in ("requirements.html", "project/changelog.html")
    ] == []
    assert (site / "adr" / "index.html").is_file()


@needs_browser
@pytest.mark.anyio
async def test_a_page_is_for_everybody_and_a_wide_table_is_scrolled_by_keyboard(site: Path):
    async with browser() as found:
        width, height = SIZES["phone"]
        page = await found.new_page(viewport={"width": width, "height": height}, color_scheme="dark")
        await page.goto((site / "check.html").as_uri())
        assert await findings(page) == []
        assert await page.locator(".md-typeset__scrollwrap[tabindex='0']").count() > 0


@requirement("project-QUAL-09")
@pytest.mark.slow
def test_pictures_are_drawn_by_a_script_of_ours(site: Path, pages: dict[Path, Page]):
    for name in ("states.html", "reference/message_flow.html", "reference/layers.html", "ARCHITECTURE.html"):
        assert any(link.endswith("assets/mermaid.tiny.js") for link in pages[site / name].loaded), name
    assert (site / "assets" / "mermaid.tiny.js").is_file()
    assert "MIT License" in (site / "assets" / "LICENSES.txt").read_text(encoding="utf-8")
