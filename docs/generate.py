"""Write every page anew that is made from code or data: `python -m docs.generate` from the root of the checkout.

Each `docs/generate_*.py` writes its own; a new one needs no entry anywhere.
"""

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parent


def generators() -> list[str]:
    """The modules that write pages, in alphabetical order."""
    return sorted(f"docs.{path.stem}" for path in DOCS.glob("generate_*.py"))


if __name__ == "__main__":
    for module in generators():
        print(module)
        runpy.run_path(str(DOCS / f"{module.removeprefix('docs.')}.py"), run_name="__main__")
