"""Record a league in the terminal as an animated picture; part of `make screenshots`.

It plays a league with a fixed seed, feeds its records to the live view of `league run`, and writes some of the frames
as one SVG file. Viewers that don't animate show the last one, with the champion.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from league_sdk.domain.events import LeagueCompleted, LeagueCreated, MatchRecorded, Record, RoundStarted
from league_sdk.domain.league import League, evolve
from league_sdk.settings import Workspace
from servers.agent.event_store import read_records
from servers.cli.views import LiveView
from servers.read_model.text import name_of

PICTURE = Path(__file__).with_name("terminal.svg")
PLAYERS = {
    "Ada": "frequency",
    "Alan": "mirror",
    "Barbara": "pattern",
    "Edsger": "random",
    "Grace": "alternating",
    "Linus": "always-even",
}
TITLE = "A league of six players in the terminal"
COLUMNS, LINES = 104, 19
SECONDS, LAST_SECONDS = 0.9, 6.0
"""Seconds that a frame is shown, and the last one."""
MATCHES_A_FRAME = 2
PROMPT = "$ league run --seed 7 --player name=Ada,strategy=frequency --player name=Alan,strategy=mirror …"
STYLE = "#picture text{font:20px 'Fira Code','DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre}"
FORMAT = "<g class='frame' id='{unique_id}'><style>{styles}</style>{matrix}</g>"
BUTTONS = {26: "#ff5f57", 49: "#febc2e", 72: "#28c840"}
CELL_WIDTH, CELL_HEIGHT = 12.2, 24.4  # of a character in rich's picture


def play(folder: Path) -> list[Record]:
    """Play the league in a folder, and read its records."""
    players = [f"--player=name={name},strategy={strategy}" for name, strategy in PLAYERS.items()]
    options = ["--seed=7", "--in-process", "--port-base=0", "--quiet", "--league=league_even_odd"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LEAGUE_")}
    command = [sys.executable, "-m", "servers", "run", f"--data={folder}", *options, *players]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    workspace = Workspace(folder)
    league_id = workspace.latest_league()
    assert league_id is not None
    return read_records(workspace, league_id, None)


def frames(records: list[Record]) -> list[str]:
    """The frames of the live view, each a group of an SVG file."""
    console = Console(width=COLUMNS, height=LINES - 1, force_terminal=True, record=True, file=StringIO())
    view, matches = LiveView(console), 0
    league: League | None = None
    drawn: list[str] = []
    for record in records:
        league = evolve(league, record.event)
        view.league(league, record)
        matches += isinstance(record.event, MatchRecorded)
        due = isinstance(record.event, MatchRecorded) and matches % MATCHES_A_FRAME == 0
        if due or isinstance(record.event, LeagueCreated | LeagueCompleted) or _first_round(record):
            drawn.append(_frame(console, view, len(drawn), league))
    return drawn


def _first_round(record: Record) -> bool:
    return isinstance(record.event, RoundStarted) and record.event.round_id == 1


def _frame(console: Console, view: LiveView, number: int, league: League) -> str:
    console.print(Text(PROMPT, style="bold green"))
    console.print(view.render())
    if league.champions:
        names = ", ".join(name_of(league, champion) for champion in league.champions)
        console.print(Text(f"Champion: {names}", style="bold yellow"))
    return _drawn(console, number)


def framed(number: int, size: tuple[int, int], prompt: str, screen: Sequence[str], caption: str) -> str:
    """A frame of a recorded terminal of so many columns and lines, its caption below."""
    console = Console(width=size[0], height=size[1], force_terminal=True, record=True, file=StringIO())
    console.print(Text(prompt, style="bold green"))
    for line in (*screen, *[""] * (size[1] - len(screen))):
        console.print(Text.from_ansi(line), overflow="crop", no_wrap=True)
    console.print(Text(caption, style="bold yellow"))
    return _drawn(console, number).replace("&#160;", "\N{NO-BREAK SPACE}")  # a third of the bytes


def _drawn(console: Console, number: int) -> str:
    drawn = console.export_svg(code_format=FORMAT, unique_id=f"f{number}")
    return re.sub(r' clip-path="[^"]*"', "", drawn)


def animated(drawn: list[str], title: str = TITLE, size: tuple[int, int] = (COLUMNS, LINES)) -> str:
    """One SVG file that shows the frames in turn."""
    width, height = size[0] * CELL_WIDTH + 40, size[1] * CELL_HEIGHT + 60
    total = SECONDS * (len(drawn) - 1) + LAST_SECONDS
    styles = [STYLE, ".frame{visibility:hidden}", f"#f{len(drawn) - 1}{{visibility:visible}}"]
    for number in range(len(drawn)):
        begin, end = 100 * number * SECONDS / total, 100 * (number + 1) * SECONDS / total
        last = number == len(drawn) - 1
        shown = f"{begin:.2f}%{{visibility:visible}}" + ("" if last else f"{end:.2f}%{{visibility:hidden}}")
        hidden = "0%{visibility:hidden}" if number else ""
        styles.append(f"@keyframes k{number}{{{hidden}{shown}100%{{visibility:{'visible' if last else 'hidden'}}}}}")
        motion = f"animation:k{number} {total:.1f}s step-end infinite"
        styles.append(f"@media (prefers-reduced-motion:no-preference){{#f{number}{{{motion}}}}}")
    buttons = "".join(f"<circle cx='{x}' cy='24' r='7' fill='{colour}'/>" for x, colour in BUTTONS.items())
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}' id='picture' role='img'>"
        f"<title>{title}</title><style>{''.join(styles)}</style>"
        f"<rect width='100%' height='100%' rx='9' fill='#1e2127'/>{buttons}"
        f"<g transform='translate(20,46)'>{''.join(drawn)}</g></svg>\n"
    )


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        text = animated(frames(play(Path(folder))))
    PICTURE.write_text(text, encoding="utf-8")
    print(f"{PICTURE.name}: {len(text) // 1000} kB")


if __name__ == "__main__":
    main()
