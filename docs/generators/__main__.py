"""Write every page anew that is made from code or data: `make docs`.

A module beside this one that has a `TARGET` renders that page; a new one needs no entry anywhere.
"""

from importlib import import_module
from pathlib import Path

for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
    module = import_module(f"docs.generators.{path.stem}")
    if hasattr(module, "TARGET"):
        print(f"docs/{module.TARGET.relative_to(path.parents[1])}")
        module.TARGET.write_text(module.render(), encoding="utf-8")
