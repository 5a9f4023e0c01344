"""Draw a profile as a small flame graph: `python -m docs.flame_graph profile.txt docs/images/flame-graph.svg`.

The profile comes from `py-spy record --subprocesses -f raw`. Frames below a percent are left out, and so are those
of event loops and process starters, which hold everything and say nothing.
"""

import re
import sys
from html import escape
from pathlib import Path

WIDTH, ROW, LEAST = 1200, 17, 0.01
COLOURS = (
    (r"league_sdk|clients|servers|game_rules", "#7fb069"),
    (r"/mcp/|mcp_types", "#e6aa68"),
    (r"uvicorn|starlette|h11|httpx2|httpcore2|anyio", "#8fb8de"),
    (r"pydantic|sqlalchemy|aiosqlite", "#c9a0dc"),
)
DULL = re.compile(
    r"asyncio/|multiprocessing|anyio/_backends|anyio/_core/(_eventloop|_tasks)|<module>|contextlib|runners|spawn|"
    r"^process |^ |"  # a process by its command line, of which a semicolon makes frames
    r"servers/(crews|processes|bench)|threading|starlette/(routing|middleware|applications|_exception)"
)
IDLE = ("_worker (concurrent", "_connection_worker_thread", "wait (threading", "select (selectors")


class Frame:
    """A function in its place, with the samples that were taken in it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.samples = 0
        self.inner: dict[str, Frame] = {}


def read(profile: str) -> Frame:
    """All stacks of a profile as one tree, the roles of the processes at its root."""
    root = Frame("all processes")
    for line in profile.splitlines():
        stack, _, count = line.rpartition(" ")
        frames = [re.sub(r":\d+\)$", ")", frame) for frame in stack.split(";")]
        if any(mark in frames[-1] for mark in IDLE):
            continue
        here = root
        root.samples += int(count)
        for name in (frame for frame in frames if not DULL.search(frame)):
            here = here.inner.setdefault(name, Frame(name))
            here.samples += int(count)
    return root


def draw(root: Frame) -> str:
    """The tree as SVG, what holds the rest at the top."""
    boxes: list[str] = []
    depth = 0

    def place(frame: Frame, left: float, level: int) -> None:
        nonlocal depth
        depth = max(depth, level)
        width = frame.samples / root.samples * WIDTH
        name = re.sub(r" \((?:.*/)?([^/]+/[^/]+)\)$", r" (\1)", frame.name)
        colour = next((colour for pattern, colour in COLOURS if re.search(pattern, frame.name)), "#d0d0d0")
        share = frame.samples / root.samples
        label = escape(name[: int(width / 6.2)]) if width > 30 else ""
        boxes.append(
            f'<g><title>{escape(name)}: {share:.1%}</title><rect x="{left:.1f}" y="{level * ROW}" '
            f'width="{max(0.5, width - 0.5):.1f}" height="{ROW - 1}" fill="{colour}"/>'
            f'<text x="{left + 3:.1f}" y="{level * ROW + 12}">{label}</text></g>'
        )
        for inner in sorted(frame.inner.values(), key=lambda one: -one.samples):
            if inner.samples >= LEAST * root.samples:
                place(inner, left, level + 1)
                left += inner.samples / root.samples * WIDTH

    place(root, 0.0, 0)
    height = (depth + 1) * ROW
    style = "text{font:11px monospace;fill:#222}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="Where the processor time of a league goes"><style>{style}</style>'
        f"{''.join(boxes)}</svg>\n"
    )


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(draw(read(Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8")
