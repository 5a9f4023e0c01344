"""Build the documentation site: `python -m docs.site.build [FOLDER]` from the root of the checkout.

The pages are written for GitHub and for readers of the checkout. This lays them out once more, as the site needs them,
in `FOLDER/pages`, and has Zensical make `FOLDER/site` of that. FOLDER is `build` unless it is named. Differences:

- README, CONTRIBUTING, SECURITY and CHANGELOG are pages of the site;
- so are the requirements, which the repository doesn't have: `make requirements` writes them;
- a link to a file that is no page, such as a test, is its text alone;
- the search of the site leaves out decisions, changes and requirements, so that guides come first;
- what belongs to an item of a list is indented by four, as Python-Markdown has it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from docs.generators import requirements
from docs.site import nav
from docs.site.nav import DOCS, ROOT, ROOT_PAGES, navigation

HERE = Path(__file__).resolve().parent
LEFT_OUT = ("site", "generators", "measurements", "__pycache__", "*.py")
LINK = re.compile(r"(?P<code>`[^`]*`)|(?P<image>!?)\[(?P<label>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
FENCE = re.compile(r"^\s*```")
ITEM = re.compile(r"^(\d+\. |[-*] )")


def build(folder: Path) -> Path:
    """Build the site.

    Args:
        folder: Where: it gets the folders `pages` and `site`.

    Returns:
        The folder with the site.

    Raises:
        SystemExit: Zensical has something to complain of; it has said what.
    """
    lay_out(folder / "pages")
    program = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "--config-file", "mkdocs.yml"]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, env=os.environ | {"NO_COLOR": "1"})
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{done.stderr}")
    site = folder / "site"
    for page in site.rglob("*.html"):
        page.write_text(finished(page.read_text(encoding="utf-8")), encoding="utf-8")
    return site


def finished(page: str) -> str:
    """A page as it is shown: no script from elsewhere, frames round pictures, and every landmark with its own name."""
    page = re.sub(r'<script src="?https:[^>]*></script>', "", page)
    page = page.replace('<nav class="md-path" aria-label="Navigation"', '<nav class="md-path" aria-label="Path"')
    frame = r'<div class="diagram" role="group" aria-label="Diagram" tabindex="0">\g<0></div>'
    return re.sub(r'<pre class="mermaid">.*?</pre>', frame, page, flags=re.DOTALL)


def lay_out(pages: Path) -> None:
    """Write every page, and beside their folder the configuration, as Zensical takes them."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(DOCS, pages, ignore=shutil.ignore_patterns(*LEFT_OUT))
    (pages / requirements.TARGET.name).write_text(requirements.render(), encoding="utf-8")
    for name in ROOT_PAGES:
        (pages / ROOT_PAGES[name]).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, pages / ROOT_PAGES[name])
    shutil.copytree(HERE / "assets", pages / "assets", dirs_exist_ok=True)
    shutil.copytree(HERE / "overrides", pages.parent / "overrides", dirs_exist_ok=True)
    origins = {pages / page: ROOT / name for name, page in ROOT_PAGES.items()}
    for page in pages.rglob("*.md"):
        origin = origins.get(page, DOCS / page.relative_to(pages))
        text = page.read_text(encoding="utf-8")
        text = for_site(text, lambda target, origin=origin: retarget(target, origin))
        unsearched = nav.UNSEARCHED.fullmatch(page.relative_to(pages).as_posix())
        page.write_text(f"{NOT_SEARCHED}{text}" if unsearched else text, encoding="utf-8")
    settings = {"docs_dir": pages.name, "site_dir": "site", "nav": navigation()}
    config = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in settings.items()]  # JSON is YAML
    (pages.parent / "mkdocs.yml").write_text(config + "".join(lines), encoding="utf-8")


def retarget(target: str, origin: Path) -> str | None:
    """The target on the site of a link in the page `origin`; None if it is not part of it."""
    if re.match(r"\w+:", target) or target.startswith("#"):
        return target
    path, mark, anchor = target.partition("#")
    found = (origin.parent / path).resolve()
    name = found.relative_to(ROOT).as_posix()
    if name in ROOT_PAGES:
        there = DOCS / ROOT_PAGES[name]
    elif (found.is_file() or found == requirements.TARGET) and found.is_relative_to(DOCS) and found.suffix != ".py":
        there = found
    else:
        return None
    here = DOCS / ROOT_PAGES[origin.name] if origin.parent == ROOT else origin
    return os.path.relpath(there, here.parent).replace(os.sep, "/") + mark + anchor


def for_site(text: str, target: Callable[[str], str | None]) -> str:
    """A page as Python-Markdown reads it.

    Args:
        text: The page as GitHub reads it.
        target: Gives the place on the site for that of a link, or None.
    """

    def relink(link: re.Match[str]) -> str:
        if link["code"]:
            return link["code"]
        there = target(link["target"])
        return link["label"] if there is None else f"{link['image']}[{link['label']}]({there})"

    lines: list[str] = []
    fenced, indent, loose = False, 0, False
    for line in text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        item = None if fenced else ITEM.match(line)
        if item:
            if loose and lines[-1]:
                lines.append("")
            indent, loose = len(item[1]), False
        elif line[:1].strip() and not fenced:
            indent, loose = 0, False
        loose = loose or bool(indent and not line)
        deeper = " " * (4 - indent) if indent and line.startswith(" " * indent) else ""
        lines.append(deeper + (line if fenced else LINK.sub(relink, line)))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(build(Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()))
