"""MCP Apps: pages that hosts show in a frame, and hand a view's result to.

A page is put together from its files here and allows nothing but itself: no network, no forms, no frames, and no
script or style but the very ones it has, named by their digests. What agents said becomes text nodes, never markup.
"""

from functools import cache
from importlib.resources import files

from servers.ui.csp import own_policy

STANDINGS = "ui://league/standings"
REPLAY = "ui://league/replay"


@cache
def page(name: str) -> str:
    """The page `standings` or `replay`."""
    folder = files("servers.ui.mcp_apps")
    script = (folder / "host.js").read_text("utf-8") + (folder / f"{name}.js").read_text("utf-8")
    style = (folder / "style.css").read_text("utf-8")
    policy = own_policy(script, style)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{name.capitalize()}</title>\n<style>{style}</style>\n</head>\n"
        f'<body>\n<main id="league">Waiting for the host…</main>\n<script>{script}</script>\n</body>\n</html>\n'
    )
