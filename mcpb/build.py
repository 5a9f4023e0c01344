"""Builds the bundle that desktop hosts install: `make mcpb`.

The bundle holds the wheel of this checkout; its host gets the rest from the package index, with uv. The official
packer validates the manifest and packs; it comes from npm, so without Node.js there is no bundle.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "mcpb"
PACKER = "@anthropic-ai/mcpb@2.1.2"

PROJECT = """\
[project]
name = "league-seat"
version = "{version}"
requires-python = ">=3.11"
dependencies = ["mcp-agent-league"]

[tool.uv]
package = false

[tool.uv.sources]
mcp-agent-league = {{ path = "{wheel}" }}
"""


def main() -> int:
    """Build it; 0 also when there is no Node.js to build it with."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="Folder for the bundle.")
    parser.add_argument("--packer", nargs="+", help="The command of the packer; npx gets it when left out.")
    options = parser.parse_args()
    packer = options.packer or _npx()
    if packer is None:
        say("make mcpb: skipped, since Node.js is missing: the official packer needs npx (Node.js 18 or newer)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        bundle = lay_out(Path(folder))
        options.out.mkdir(parents=True, exist_ok=True)
        version = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))["version"]
        target = (options.out / f"league-seat-{version}.mcpb").resolve()
        words = [*packer, "pack", str(bundle), str(target)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
        if done.returncode != 0:
            say(f"make mcpb: the packer refuses it:\n{done.stdout}{done.stderr}")
            return 1
    say(f"make mcpb: built {target}")
    return 0


def lay_out(folder: Path) -> Path:
    """Put together what is packed; where it is."""
    bundle = folder / "bundle"
    shutil.copytree(SOURCE / "src", bundle / "src")
    wheel = build_wheel(bundle)
    version = wheel.name.split("-")[1]
    manifest = json.loads((SOURCE / "manifest.json").read_text(encoding="utf-8")) | {"version": version}
    (bundle / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False), encoding="utf-8")
    (bundle / "pyproject.toml").write_text(PROJECT.format(version=version, wheel=wheel.name), encoding="utf-8")
    return bundle


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout, built with what is installed."""
    code = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", code, str(folder)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return folder / done.stdout.strip().splitlines()[-1]


def say(text: str) -> None:
    """A line for the person."""
    sys.stdout.write(f"{text}\n")


def _npx() -> Sequence[str] | None:
    found = shutil.which("npx")
    return None if found is None else [found, "--yes", f"--package={PACKER}", "mcpb"]


if __name__ == "__main__":
    sys.exit(main())
