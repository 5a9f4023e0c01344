"""The report: it needs nothing but itself, agrees with every other view, and lets no agent's text become markup."""

import base64
import gzip
import hashlib
import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import pytest

from league_sdk import plugins
from league_sdk.audit import Finding, Report
from league_sdk.audit.findings import DOUBTFUL
from league_sdk.domain.commands import RemovePlayer
from league_sdk.domain.league import League
from league_sdk.domain.model import Cause
from servers import read_model
from servers.cli.summary import standing_json
from servers.read_model import Clocks, Limits
from servers.ui import report
from tests.requirements.marker import requirement
from tests.servers.league_history import LeagueHistory, begun, finished, waiting
from tests.servers.ui.report.leagues import eventful
from tests.servers.ui.web.site import Seen, Site

HOSTILE = '</script><img src="x" onerror="alert(1)">\u202e&amp;'
NAMES = {2: HOSTILE, 3: "אבג Ada"}


@dataclass
class Reader(HTMLParser):
    """Reads what is in a page."""

    text: str
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list[Any])
    rows: list[list[str]] = field(default_factory=list[Any])
    section: str = ""
    scripts: list[str] = field(default_factory=list[Any])
    styles: list[str] = field(default_factory=list[Any])
    inside: str = ""
    in_cell: bool = False

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = tag
        if tag == "section":
            self.section = dict(attrs).get("aria-labelledby") or ""
        if tag == "tr":
            self.rows.append([self.section])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""
        self.in_cell = self.in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.inside == "script":
            self.scripts.append(data)
        elif self.inside == "style":
            self.styles.append(data)
        elif self.in_cell:
            self.rows[-1][-1] += data

    def table(self, section: str) -> list[list[str]]:
        """The rows of a section's table, without its heading."""
        return [row[1:] for row in self.rows if row[0] == section][1:]


def written(league: League, **changes: Any) -> str:
    """The report of a league."""
    told: dict[str, Any] = {
        "clocks": Clocks(created="2025-01-15T10:00:00.000Z"),
        "audit": Report(league.league_id, records=7, head="abc"),
        "game": None,
        "limits": Limits(5, 30),
        "written": "2025-01-15T11:00:00.000Z",
        "version": "1.2.3",
        "tournament_format": plugins.stages_format(league.rules.stages),
    }
    return "".join(report.render(report.Subject(league, **{**told, **changes})))


@pytest.fixture(scope="module")
def history() -> LeagueHistory:
    """Ties (two of rank 4), byes, technical losses, a void match, and names full of markup."""
    return eventful(plugins.game("tic_tac_toe"), 7, NAMES, seed="42", league_id="small")


@pytest.fixture(scope="module")
def page(history: LeagueHistory) -> str:
    return written(history.league, game=plugins.game("tic_tac_toe"))


def embedded(page: str) -> Any:
    """The data that the script shows."""
    return unpacked(re.findall(r'<script type="([^"]+)" id="data">([^<]*)</script>', page)[0])


def unpacked(found: tuple[str, str]) -> Any:
    kind, text = found
    return json.loads(text if kind == "application/json" else gzip.decompress(base64.b64decode(text)))


def seen(page: str, address: str) -> Seen:
    """A match or player of a report."""
    return Seen.of(embedded(page)["pages"][address])


def test_the_league_of_these_tests_has_all_that_makes_counting_hard(history):
    ranks = [row.rank for row in history.league.standings()]
    assert len(set(ranks)) < len(ranks)
    assert history.league.voided
    assert any(row.technical_losses for row in history.league.standings())
    assert all(scheduled.byes for scheduled in history.league.rounds)


def test_its_standings_are_those_of_every_other_view(history, page):
    rows = [standing_json(row) for row in history.league.standings()]
    names = ("rank", "played", "wins", "draws", "losses", "technical_losses", "points")
    told = [[str(row[name]) for name in names] for row in rows]
    assert [[re.split("[▲▼]", row[0])[0], *row[2:8]] for row in Reader(page).table("r-standings")] == told
    assert embedded(page)["players"] == [row["player_id"] for row in rows]
    for row in rows:
        shown = seen(page, f"players/{row['player_id']}")
        told = f"{row['wins']} won, {row['draws']} drawn, {row['losses']} lost"
        assert f"Rank {row['rank']} of 7 · {row['points']} point" in shown.text
        assert told in shown.text
    last = read_model.by_round(history.league)[-1].rows
    assert [standing_json(row) for row in last] == rows


def results(cells: list[str]) -> tuple[int, int, int]:
    """Wins, draws and losses in a row of the cross-table."""
    points = [cell.strip()[:1] for cell in cells[2:-1]]
    return points.count("3"), points.count("1"), points.count("0")


def test_its_cross_table_has_the_points_of_each_match_and_their_sum(history, page):
    table = read_model.cross_table(history.league)
    rows = Reader(page).table("r-stage-0")
    assert [row[-1] for row in rows] == [str(row.points) for row in table.rows]
    for row, cells in zip(table.rows, rows, strict=True):
        assert results(cells) == (row.wins, row.draws, row.losses)
    assert "".join("".join(row[2:-1]) for row in rows).count("void") == 2 * len(history.league.voided)


@requirement("project-LATER-08")
@pytest.mark.anyio
async def test_the_live_page_has_the_same_numbers(history, page):
    site, reader = Site(history), Reader(page)
    for path, section in (("/standings", "r-standings"), ("/results", "r-stage-0")):
        shown = [[cell.split(" ")[0] for cell in row] for row in (await site.page(path)).rows[1:]]
        ours = [[" ".join(cell.split()).split(" ")[0] for cell in row] for row in reader.table(section)]
        assert [[re.sub(r"\D+$", "", row[0]), *row[2:]] for row in shown] == [
            [re.sub(r"\D+$", "", row[0]), *row[2:]] for row in ours
        ]


@pytest.mark.anyio
async def test_its_matches_and_players_are_those_of_the_live_page(history, page):
    site = Site(history, game=plugins.game("tic_tac_toe"))
    rows = list(read_model.match_rows(history.league))
    assert [match["id"] for match in embedded(page)["matches"]] == [row.match_id for row in rows]
    assert {match["kind"] for match in embedded(page)["matches"]} == {"win", "draw", "technical loss", "void"}
    for path in ("players/P02", "matches/R1M1", "matches/R2M1"):
        live = (await site.page(f"/{path}")).text
        assert seen(page, path).text in live


def test_every_match_that_was_played_to_its_end_can_be_played_back(history, page):
    for match in embedded(page)["matches"]:
        if match["kind"] in ("win", "draw"):
            shown = seen(page, f"matches/{match['id']}")
            assert "Replayed from its record, the match ends as reported." in shown.text
            assert [attrs.get("class") for _, attrs in shown.tags].count("frame") > 5
            assert "Random draw verified" in shown.text


def test_a_technical_loss_says_why_and_nothing_that_the_player_at_fault_sent(history, page):
    (match, *_) = [match for match in embedded(page)["matches"] if match["kind"] == "technical loss"]
    shown = seen(page, f"matches/{match['id']}").text
    assert "did not answer the call for a move in time, 4 times." in shown
    assert "no valid answer: E001" in shown
    assert "secret move" not in json.dumps(embedded(page))


def test_it_holds_no_endpoint_and_no_token(history, page):
    for text in (page, json.dumps(embedded(page))):
        assert "secret-host" not in text
        assert "digest of Player" not in text


PICTURE = re.compile(r'<img class="picture" src="data:image/svg\+xml;base64,[A-Za-z0-9+/=]+" alt="Position \d+">')
"""A board that the game drew: an image within the page."""


@requirement("project-LATER-08")
def test_it_names_no_outside_address_and_runs_only_its_own_script(page):
    found = set(re.findall(r"https?://[^\s\"'<\\]+", page + json.dumps(embedded(page))))
    assert found == {"http://www.w3.org/2000/svg"}
    reader = Reader(page)
    (policy,) = [told["content"] for _, told in reader.tags if told.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert "default-src 'none'" in policy
    for kind, text in (("script", reader.scripts[1]), ("style", reader.styles[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert [told.get("type") for tag, told in reader.tags if tag == "script"] == ["application/gzip", None]
    assert not [tag for tag, _ in reader.tags if tag in ("link", "img", "iframe", "object", "embed", "form", "base")]
    shown = [each for html in embedded(page)["pages"].values() for each in Seen.of(PICTURE.sub("", html)).tags]
    assert not {tag for tag, _ in shown} & {"script", "style", "img", "iframe", "object", "embed", "form", "base"}
    for _, told in (*reader.tags, *shown):
        assert not [name for name in told if name.startswith("on") or name in ("style", "src", "srcdoc")]
        assert (told.get("href") or "#").startswith("#")


@requirement("project-LATER-08")
def test_names_stay_text(page):
    shown = HOSTILE.replace("\u202e", "\ufffd")
    assert f"{shown} P02" in [row[1] for row in Reader(page).table("r-standings")]
    assert shown in seen(page, "players/P02").text
    data = embedded(page)
    for html in (page, *data["pages"].values(), *(match["card"] for match in data["matches"])):
        assert "<img" not in PICTURE.sub("", html)
        assert "\u202e" not in html


def test_the_seed_is_told_when_the_league_is_over_and_not_before(history, page):
    def told(text: str) -> str:
        return re.findall("<dt>Seed</dt><dd><bdi>([^<]*)</bdi>", text)[0]

    assert told(page) == "42"
    going = eventful(plugins.game("even_odd"), 4, rounds=1, seed="42").league
    assert told(written(going)) == "set; shown when the league is over"
    assert told(written(eventful(plugins.game("even_odd"), 4).league)).startswith("none")


def test_what_the_audit_found_is_named(history):
    found = [Finding("draw", f"<b>{number}</b> does not hold", 7, "R1M1") for number in range(60)]
    text = written(history.league, audit=Report("small", findings=found, unverified=["no <i>draw</i>"], notes=["note"]))
    assert "✗ audit: 60 findings" in text
    assert "record 7, match R1M1: &lt;b&gt;0&lt;/b&gt; does not hold" in text
    assert "and 10 more" in text
    assert "no &lt;i&gt;draw&lt;/i&gt;" in text


def test_a_doubt_stands_beside_the_verdict_and_does_not_change_it(history):
    found = [Finding("blame", "it has no transcript", 7, "R1M1", DOUBTFUL)]
    text = written(history.league, audit=Report("small", findings=found))
    assert "✓ audit: no changes found, 1 doubtful" in text
    assert "doubtful: record 7, match R1M1: it has no transcript" in text


def test_a_league_in_registration_has_a_report(history):
    text = written(waiting(2).league)
    assert "Registration: 2 players" in text
    assert "No charts before the first round." in text
    assert "No schedule yet." in text


def test_a_game_that_is_not_installed_leaves_the_conversations(history):
    shown = seen(written(history.league), "matches/R1M1")
    assert "The game is not installed here." in shown.text
    assert shown.text.count("Call for a move") > 4


def test_a_cross_table_of_many_players_has_cells_without_links():
    league = finished(report.MANY + 1).league
    reader = Reader(written(league))
    rows = reader.table("r-stage-0")
    for row, cells in zip(league.standings(), rows, strict=True):
        assert (*results(cells), cells[-1]) == (row.wins, row.draws, row.losses, str(row.points))
    assert not [told for tag, told in reader.tags if tag == "a" and (told.get("class") or "").startswith("cell")]


def test_much_data_is_packed_and_little_is_not(history, monkeypatch):
    packed = written(history.league)
    assert '<script type="application/gzip" id="data">' in packed
    monkeypatch.setattr(report, "MOST_PLAIN", 10_000_000)
    plain = written(history.league)
    assert '<script type="application/json" id="data">' in plain
    assert embedded(plain) == embedded(packed)


def test_every_cause_has_words():
    assert set(read_model.CAUSES) == set(Cause)


def test_a_removed_player_is_marked_and_not_among_the_first():
    history = begun(4)
    history.season.play_round(1)
    history.do(RemovePlayer("P01", HOSTILE))
    page = written(history.league)
    reader = Reader(page)
    assert [row[1] for row in reader.table("r-standings") if "P01" in row[1]] == ["Player 1 P01 removed"]
    firsts = [told["id"] for tag, told in reader.tags if tag == "tr" and told.get("class") == "first"]
    assert firsts == ["row-P03"]
    removed = [
        player for player in embedded(page)["players"] if "P01 was removed" in seen(page, f"players/{player}").text
    ]
    assert removed == ["P01"]
    assert HOSTILE not in page + json.dumps(embedded(page))


def test_players_that_never_came_are_counted():
    league = eventful(plugins.game("tic_tac_toe"), 4, expected_players=6).league
    assert "never came" in Seen.of(written(league)).text
    assert (
        "never came" not in Seen.of(written(eventful(plugins.game("tic_tac_toe"), 4, expected_players=4).league)).text
    )
