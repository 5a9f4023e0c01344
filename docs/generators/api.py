"""Write docs/reference/api.md from the docstrings and signatures of what is public."""

import ast
import importlib
import inspect
import itertools
import re
import sys
from pathlib import Path
from types import ModuleType

from docs.generators.tables import parts, table

TARGET = Path(__file__).resolve().parents[1] / "reference" / "api.md"
WIDTH = 100
MODULES = ("league_sdk", "league_sdk.testing", "league_sdk.testing.compliance")
"""The modules whose `__all__` is what others may build on."""

HEAD = """\
# Python API

Made by `docs/generators/api.py` from the docstrings; change those, not this page.

Whoever writes a player, a strategy or a game imports from `league_sdk`; checks for tests of your own are in
`league_sdk.testing`. Everything else may change from one version to the next.
"""


def public() -> dict[str, list[str]]:
    """Every public name, by its module."""
    return {name: sorted(importlib.import_module(name).__all__, key=str.lower) for name in MODULES}


def render() -> str:
    """The page as Markdown."""
    pages = [HEAD]
    for name, names in public().items():
        module = importlib.import_module(name)
        pages.append(f"## {name}\n\n{parts(module)[0].partition('from ')[0].strip()}\n")
        pages += [_entry(module, public_name) for public_name in names]
    return "\n".join(pages)


def _entry(module: ModuleType, name: str) -> str:
    source, node = _definition(module, name)
    heading = f"### {name}\n"
    if isinstance(node, ast.ClassDef):
        return "\n".join([heading, _class(node, getattr(module, name))])
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return "\n".join([heading, _code(_signature(node)), _docstring(getattr(module, name))])
    return "\n".join(
        [heading, _code(str(ast.get_source_segment(source, node))), _described(ast.parse(source).body, name)]
    )


def _definition(module: ModuleType, name: str) -> tuple[str, ast.stmt]:
    """The source of the module that defines a name, and the definition in it, found by following imports."""
    source = inspect.getsource(module)
    body = ast.parse(source).body
    # Names that are loaded at their first use are imported for type checkers, inside an `if`.
    for node in [*body, *(inner for outer in body if isinstance(outer, ast.If) for inner in outer.body)]:
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names} and node.module:
            importlib.import_module(node.module)
            return _definition(sys.modules[node.module], name)
        if _name_of(node) == name:
            return source, node
    raise LookupError(f"{module.__name__} does not define {name}")


def _name_of(node: ast.stmt) -> str:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name
    target = (
        node.target if isinstance(node, ast.AnnAssign) else node.targets[0] if isinstance(node, ast.Assign) else None
    )
    return target.id if isinstance(target, ast.Name) else ""


def _class(node: ast.ClassDef, kind: type) -> str:
    bases = [base for base in map(ast.unparse, node.bases) if not base.startswith(("Generic", "ABC", "Protocol"))]
    methods = [child for child in node.body if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)]
    init = next((method for method in methods if method.name == "__init__"), None)
    shown = _signature(init, node.name) if init else f"class {node.name}" + (f"({', '.join(bases)})" if bases else "")
    pages = [_code(shown), _docstring(kind)]
    attributes = [
        (f"`{ast.unparse(child)}`", _described(node.body, _name_of(child)).strip())
        for child in node.body
        if isinstance(child, ast.AnnAssign) and _described(node.body, _name_of(child))
    ]
    if attributes:
        pages.append(table(("class attribute", "what it is"), attributes))
    for method in methods:
        if not method.name.startswith("_"):
            pages.append(f"#### {node.name}.{method.name}\n")
            pages += [_code(_signature(method)), _docstring(getattr(kind, method.name))]
    return "\n".join(pages)


def _described(body: list[ast.stmt], name: str) -> str:
    """The text below an assignment."""
    for node, after in itertools.pairwise(body):
        if _name_of(node) == name and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            return f"{inspect.cleandoc(str(after.value.value))}\n"
    return ""


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str = "") -> str:
    """A signature; one argument a line when it is long. Marks of properties and class methods are kept."""
    marks = [
        f"@{ast.unparse(mark)}" for mark in node.decorator_list if ast.unparse(mark) in ("property", "classmethod")
    ]
    begin = name or f"{'async ' if isinstance(node, ast.AsyncFunctionDef) else ''}def {node.name}"
    given = re.sub(r"^(?:self|cls)(?:, )?", "", ast.unparse(node.args))
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and not name else ""
    line = f"{begin}({given}){returns}"
    if len(line) > WIDTH:
        inside = "".join(f"    {argument},\n" for argument in _split(given))
        line = f"{begin}(\n{inside}){returns}"
    return "\n".join([*marks, line])


def _split(arguments: str) -> list[str]:
    """Arguments one by one: at the commas that are in no bracket."""
    found, depth = [""], 0
    for letter in arguments:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [argument.strip() for argument in found]


def _docstring(thing: object) -> str:
    text, sections = parts(thing)
    pages = [f"{text}\n"]
    for section, entries in sections.items():
        pages.append(f"**{section}**\n")
        pages.append("".join(f"- {f'`{name}`: ' if name else ''}{about}\n" for name, about in entries.items()))
    return "\n".join(pages)


def _code(text: str) -> str:
    return f"```python\n{text}\n```\n"
