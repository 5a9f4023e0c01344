"""The place of each page in the documentation site: one table for the navigation.

A path is that of a page in `docs/`. The documents at the root of the checkout are pages of the site too; `ROOT_PAGES`
says under which names.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent

Nav: TypeAlias = "list[dict[str, str | Nav]]"

ROOT_PAGES = {
    "README.md": "project/front_page.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
}
"""The pages of the site that are made from documents at the root."""
UNSEARCHED = re.compile(r"adr/.*|project/changelog\.md|requirements\.md")
"""Pages that the site's search leaves out: they tell what was, at length, and came before what to do."""
MADE = "requirements.md"
"""The page that `make requirements` writes, and that is not kept in the repository."""


def navigation() -> Nav:
    """All pages by section, in the order in which they are read."""
    return [
        {"Start": "index.md"},
        {
            "Tutorial": [
                {"Your first league": "tutorial/first_league.md"},
                {"Your first agent": "tutorial/first_agent.md"},
                {"Read a match back": "tutorial/first_match.md"},
            ]
        },
        {
            "How to": [
                {
                    "Build": [
                        {"Write an agent": "write_an_agent.md"},
                        {"Write a strategy": "how_to/write_a_strategy.md"},
                        {"Write a game": "how_to/write_a_game.md"},
                        {"Write a game of turns": "how_to/write_a_game_of_turns.md"},
                        {"Bring an OpenSpiel bot": "how_to/openspiel_bot.md"},
                        {"Check an agent": "check.md"},
                        {"Play with a language model": "strategies/llm/AGENT_STRATEGY.md"},
                        {"Play from an MCP host": "hosts.md"},
                    ]
                },
                {
                    "Run": [
                        {"Configure": "how_to/configure.md"},
                        {"Choose a game": "how_to/choose_a_game.md"},
                        {"Choose a tournament format": "how_to/choose_a_format.md"},
                        {"Choose tie-breaks": "how_to/choose_tie_breaks.md"},
                        {"Rate players": "how_to/rate_players.md"},
                        {"Compare strategies": "how_to/run_experiments.md"},
                        {"Run on many machines": "how_to/many_machines.md"},
                        {"Let players in from behind a router": "how_to/behind_a_router.md"},
                        {"Run a league for a class": "how_to/run_a_class.md"},
                        {"Keep strangers out": "how_to/tls_and_join_secret.md"},
                        {"Keep a league in PostgreSQL": "how_to/postgresql.md"},
                        {"Back up, restore, move": "how_to/back_up_and_move.md"},
                        {"Resume after a crash": "crash_and_resume.md"},
                        {"Look after a league": "operations.md"},
                    ]
                },
                {
                    "Look": [
                        {"Watch a league in a browser": "web_page.md"},
                        {"Watch in the terminal, and report": "how_to/watch_and_report.md"},
                        {"Audit a league": "how_to/audit.md"},
                        {"Take a league elsewhere": "export.md"},
                    ]
                },
            ]
        },
        {
            "Reference": [
                {"Commands": "reference/commands.md"},
                {"Configuration": "configuration.md"},
                {"Tools, resources, prompts": "reference/tools.md"},
                {"Messages": "protocol_spec.md"},
                {"Message flow": "reference/message_flow.md"},
                {"States": "states.md"},
                {"Error codes": "reference/errors.md"},
                {"Metrics": "reference/metrics.md"},
                {"Causes of technical losses": "faults.md"},
                {"Events": "reference/events.md"},
                {"Columns": "reference/columns.md"},
                {"Python API": "reference/api.md"},
                {"Strategies": strategies()},
                {"OpenSpiel's games": "reference/openspiel_games.md"},
                {"Conformance to MCP": "conformance.md"},
                {"Glossary": "reference/glossary.md"},
            ]
        },
        {
            "Explanation": [
                {"Architecture": "ARCHITECTURE.md"},
                {"Layers, drawn from the code": "reference/layers.md"},
                {"Performance": "performance.md"},
                {"Verifiable draws": "verifiable_draws.md"},
                {"Who is to blame": "explanation/blame.md"},
                {"The strategies, measured": "explanation/strategies.md"},
                {"Three studies": "explanation/studies.md"},
                {"Mathematical foundations": "MATHEMATICAL_FOUNDATIONS.md"},
                {"Security": "project/security.md"},
                {"Decisions": decisions()},
            ]
        },
        {
            "Project": [
                {"README": "project/front_page.md"},
                {"Contributing": "project/contributing.md"},
                {"Requirements": MADE},
                {"Limitations": "limitations.md"},
                {"Changes": "project/changelog.md"},
            ]
        },
    ]


def decisions() -> Nav:
    """The index of the decisions, then each of them by its number."""
    pages = sorted((DOCS / "adr").glob("0*.md"))
    return [{"All decisions": "adr/README.md"}, *({title(page): f"adr/{page.name}"} for page in pages)]


def strategies() -> Nav:
    """The page of each strategy; the one with a language model stands among the how-to pages."""
    pages = sorted(page for page in (DOCS / "strategies").glob("*/AGENT_STRATEGY.md") if page.parent.name != "llm")
    return [{page.parent.name: page.relative_to(DOCS).as_posix()} for page in pages]


def title(page: Path) -> str:
    """The first heading of a page.

    Raises:
        ValueError: It has none.
    """
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    raise ValueError(f"{page} has no heading")


def pages(nav: Nav) -> Iterator[str]:
    """Every page of a navigation, in its order."""
    for entry in nav:
        for inner in entry.values():
            if isinstance(inner, str):
                yield inner
            else:
                yield from pages(inner)
