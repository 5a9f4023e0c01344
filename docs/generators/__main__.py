"""Write every page anew that is made from code or data: `make docs`; with names, those pages: `make requirements`.

A module beside this one that has a `TARGET` renders that page; a new one needs no entry anywhere. One that is `LARGE`
is written when it is named, and for the site.
"""

import sys
from importlib import import_module
from pathlib import Path

wanted = sys.argv[1:]
for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
    module = import_module(f"docs.generators.{path.stem}")
    if hasattr(module, "TARGET") and (path.stem in wanted if wanted else not hasattr(module, "LARGE")):
        print(f"docs/{module.TARGET.relative_to(path.parents[1])}")
        module.TARGET.write_text(module.render(), encoding="utf-8")
