"""The parts of a report that are there before any script runs: what is read first, printed, and shown in a mail."""

from collections.abc import Iterator, Sequence

from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import ResultStatus, Standing
from league_sdk.domain.standings import Verdict
from league_sdk.game import Game
from league_sdk.protocol.envelope import utc
from servers.read_model import (
    Cell,
    Kind,
    PlayerRecord,
    by_round,
    cross_table,
    series,
    speed,
)
from servers.read_model.text import count, printable
from servers.ui.charts import Range, points_chart, ranks_chart, speeds_chart
from servers.ui.report.audit_section import audit_section, pairs
from servers.ui.report.markup import Content, Markup, tag
from servers.ui.report.subject import Subject

FORM = 6
"""How many of its last matches a player's row tells."""
MOST_SPEEDS = 24
"""How many players the chart of reply times shows: the slowest of them."""
MANY = 24
"""Players from which on the cross-table is drawn small."""
LETTERS = {Verdict.WIN: "W", Verdict.DRAW: "D", Verdict.LOSS: "L"}
WORDS = {Verdict.WIN: "won", Verdict.DRAW: "drew", Verdict.LOSS: "lost"}
CLASSES = {Verdict.WIN: "w", Verdict.DRAW: "d", Verdict.LOSS: "l"}

_PARTS = (
    ("standings", "Standings"),
    ("charts", "Charts"),
    ("cross", "Who beat whom"),
    ("matches", "Matches"),
    ("audit", "Audit"),
    ("settings", "Configuration"),
)


def page(subject: Subject, records: Sequence[PlayerRecord]) -> Iterator[Markup]:
    """The body, without its script.

    Args:
        subject: What the report is about.
        records: What each player did, in the order of the standings.
    """
    yield tag("a", "Skip to the standings", class_="skip", href="#standings")
    yield _header(subject)
    links = [tag("a", title, href=f"#{name}") for name, title in _PARTS]
    yield tag("nav", links, aria_label="Parts of this report")
    yield tag(
        "main",
        _section("standings", _standings(records)),
        _section("charts", _charts(subject, records)),
        _section("cross", _cross(subject)),
        _section("matches", _matches()),
        _section("audit", audit_section(subject)),
        _section("settings", _settings(subject)),
    )
    yield tag(
        "footer",
        f"Written {_time(subject.written)} by mcp-agent-league {subject.version}, from "
        f"{count(subject.audit.records, 'record')} of the league's log. This file needs no network and sends nothing.",
    )
    yield tag("dialog", id="dialog", aria_labelledby="dialog-title")


def _section(name: str, *content: Content) -> Markup:
    title = dict(_PARTS)[name]
    return tag("section", tag("h2", title, id=f"{name}-title"), *content, id=name, aria_labelledby=f"{name}-title")


def _header(subject: Subject) -> Markup:
    view, league = subject.overview, subject.league
    state = {
        LeagueState.COMPLETED: "complete",
        LeagueState.RUNNING: "under way",
        LeagueState.STOPPED: "stopped",
    }.get(view.state, "open for registration")
    technical = sum(result.status is ResultStatus.TECHNICAL_LOSS for result in league.results.values())
    numbers = [
        ("players", view.players),
        ("rounds complete", _of(view.rounds_completed, view.total_rounds)),
        ("matches decided", _of(view.decided, view.total_matches)),
        ("technical losses", technical),
        ("void", view.voided),
    ]
    audit = subject.audit
    kind = "good" if audit.ok else "bad"
    verdict = "✓ audit: nothing was changed" if audit.ok else f"✗ audit: {count(len(audit.findings), 'finding')}"
    return tag(
        "header",
        tag("p", "League report", class_="kicker"),
        tag("h1", printable(view.title, 120)),
        tag(
            "p",
            tag("span", _game_name(subject.game, view.game_type), class_="chip"),
            tag("span", state, class_="chip"),
            tag("a", verdict, class_=f"chip {kind}", href="#audit"),
            class_="chips",
        ),
        _champions(view.champions),
        tag("dl", [tag("div", tag("dt", name), tag("dd", str(value))) for name, value in numbers], class_="numbers"),
        tag("p", _when(subject), class_="soft"),
    )


def _of(number: int, all_: int) -> str:
    return str(number) if number == all_ else f"{number} of {all_}"


def _champions(champions: Sequence[Standing]) -> Markup | None:
    if not champions:
        return None
    names = [tag("strong", printable(row.display_name)) for row in champions]
    told: list[Content] = [part for name in names for part in (", ", name)][1:]
    title = "Champion" if len(names) == 1 else "Champions, equal in everything"
    cup = tag("span", "🏆", aria_hidden="true")
    points = f" with {count(champions[0].points, 'point')}"
    return tag(
        "p",
        cup,
        " ",
        tag("span", title, class_="soft"),
        " ",
        told,
        tag("span", points, class_="soft"),
        class_="champion",
    )


def _game_name(game: Game[object] | None, game_type: str) -> str:
    return (game.display_name if game is not None else "") or game_type


def _when(subject: Subject) -> str:
    clocks = subject.clocks
    if not clocks.started:
        return f"Created {_time(clocks.created)}."
    end = clocks.ended or clocks.last
    seconds = (utc(end) - utc(clocks.started)).total_seconds()
    last = "ended" if clocks.ended else "last heard of"
    return f"Began {_time(clocks.started)}, {last} {_time(end)} ({_duration(seconds)})."


def _time(text: str) -> str:
    return f"{text[:10]} {text[11:19]} UTC" if len(text) >= 19 else text


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours} h {rest // 60} min" if hours else f"{rest // 60} min {rest % 60} s"


def _scroll(label: str, content: Content) -> Markup:
    """What may be wider than the screen: it can be moved with the keyboard, too."""
    return tag("div", content, class_="scroll", role="region", aria_label=label, tabindex=0)


def _standings(records: Sequence[PlayerRecord]) -> Markup:
    substituted = any(record.standing.substituted_moves for record in records)
    columns = [
        ("#", "Rank", "num"),
        ("Player", "Player", None),
        ("P", "Played", "num"),
        ("W", "Won", "num"),
        ("D", "Drawn", "num"),
        ("L", "Lost", "num"),
        ("T", "Of the losses, technical ones", "num hide-small"),
        *([("S", "Moves that the player says were substituted", "num")] if substituted else []),
        ("Points", "League points", "num"),
        ("Form", "The last matches, the latest one at the right", "hide-small"),
    ]
    heads = [tag("th", short, scope="col", title=long, class_=kind) for short, long, kind in columns]
    rows = [_row(record, substituted=substituted) for record in records]
    legend = "P played, W won, D drawn, L lost, T technical losses (part of the lost ones)"
    legend += ", S moves that the player says were substituted (they cost nothing)" if substituted else ""
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_="standings")
    return tag(
        "div",
        _scroll("Table of standings", table),
        tag("p", f"{legend}.", class_="soft small"),
    )


def _row(record: PlayerRecord, *, substituted: bool) -> Markup:
    row = record.standing
    numbers = (row.played, row.wins, row.draws, row.losses)
    return tag(
        "tr",
        tag("td", row.rank, class_="num rank"),
        tag("th", _player(row), scope="row"),
        [tag("td", number, class_="num") for number in numbers],
        tag("td", row.technical_losses, class_="num hide-small"),
        tag("td", row.substituted_moves, class_="num") if substituted else None,
        tag("td", row.points, class_="num points"),
        tag("td", [_letter(verdict) for verdict in record.form[-FORM:]], class_="form hide-small"),
        data_player=row.player_id,
        class_="first" if row.rank == 1 and row.played and not row.removed else None,
    )


def _letter(verdict: Verdict) -> Markup:
    return tag("abbr", LETTERS[verdict], class_=f"letter {CLASSES[verdict]}", title=WORDS[verdict])


def _player(row: Standing) -> Content:
    name = tag("bdi", printable(row.display_name))
    link = tag("a", name, " ", tag("span", row.player_id, class_="id"), href=f"#/{row.player_id}", class_="player")
    return [link, " ", tag("span", "removed", class_="soft small")] if row.removed else link


def _charts(subject: Subject, records: Sequence[PlayerRecord]) -> Content:
    lines = series(by_round(subject.league))
    if not lines:
        return tag("p", "There are no charts before the first round.", class_="soft")
    names = {row.standing.player_id: row.standing.display_name for row in records}
    ranges = [
        Range(record.standing.player_id, found)
        for record in records
        if (found := speed(record.exchanges, (Kind.MOVE,))) is not None
    ]
    slowest = sorted(ranges, key=lambda each: -each.speed.p95)[:MOST_SPEEDS]
    shown = [each for each in ranges if each in slowest]
    left_out = len(ranges) - len(shown)
    note = f"The {len(shown)} slowest of {len(ranges)} players." if left_out else ""
    return [
        _figure("Points by round", points_chart(lines, names), names_last=True),
        _figure("Rank by round", ranks_chart(lines, names), names_last=True),
        _figure(
            "Reply time against the deadline",
            speeds_chart(shown, subject.limits.move, names),
            f"For a move: dark half of the answers, lighter 95 %, lightest the slowest one; on a logarithmic scale. "
            f"{note}",
        ),
    ]


def _figure(title: str, chart: str, note: str = "", *, names_last: bool = False) -> Markup | None:
    if not chart:
        return None
    caption = tag("figcaption", tag("strong", title), " ", tag("span", note, class_="soft small"))
    return tag("figure", caption, _scroll(f"Chart: {title}", Markup(chart)), class_="from-end" if names_last else None)


def _cross(subject: Subject) -> Content:
    table = cross_table(subject.league)
    if not table.cells:
        return tag("p", "There is no schedule yet.", class_="soft")
    ids = [row.player_id for row in table.rows]
    many = len(ids) > MANY
    heads = [tag("th", tag("a", player, href=f"#/{player}"), scope="col") for player in ids]
    rows = [
        tag(
            "tr",
            tag("th", _player(row), scope="row"),
            [_meeting(row.player_id, other, table.between(row.player_id, other), many=many) for other in ids],
            tag("td", row.points, class_="num points"),
        )
        for row in table.rows
    ]
    points = tag("th", "Points", scope="col", class_="num")
    corner = tag("td", class_="corner")
    kind = "cross many" if many else "cross"
    drawn = tag("table", tag("thead", tag("tr", corner, heads, points)), tag("tbody", rows), class_=kind)
    legend = (
        "A row tells how its player did against each other one: W won, D drew, L lost; † technical; ∅ void; "
        "· still open."
    )
    return [_scroll("Cross-table", drawn), tag("p", legend, class_="soft small")]


def _meeting(player: str, other: str, cells: Sequence[Cell], *, many: bool) -> Markup:
    """A cell of the cross-table; where there are many, without a link in it: the script opens what is clicked."""
    if player == other:
        return tag("td", class_="self")
    kinds = {CLASSES[cell.verdict] for cell in cells if cell.verdict}
    if many:
        return tag("td", [_sign(cell) for cell in cells], class_=kinds.pop() if len(kinds) == 1 else None)
    told = [
        tag("a", _sign(cell), href=f"#/{cell.match_id}", title=f"{cell.match_id}: {player} {_word(cell)} {other}")
        for cell in cells
    ]
    return tag("td", told, class_=kinds.pop() if len(kinds) == 1 else None)


def _sign(cell: Cell) -> str:
    if cell.verdict is None:
        return "∅" if cell.void else "·"
    return LETTERS[cell.verdict] + ("†" if cell.technical else "")


def _word(cell: Cell) -> str:
    if cell.verdict is None:
        return "and (void)" if cell.void else "is to meet"
    how = {Verdict.WIN: "beat", Verdict.DRAW: "drew with", Verdict.LOSS: "lost to"}[cell.verdict]
    return f"{how} (technically)" if cell.technical else how


def _matches() -> Content:
    return [
        tag("div", id="filters", class_="filters", hidden=True),
        tag("p", id="shown", class_="soft small", role="status"),
        tag("div", id="list"),
        tag(
            "noscript",
            tag(
                "p",
                "Every match can be looked at and played back here: open this file in a browser that runs its script.",
            ),
        ),
    ]


def _settings(subject: Subject) -> Content:
    rules, limits, game = subject.league.rules, subject.limits, subject.game
    scoring = rules.scoring
    options = printable(", ".join(f"{name} = {value}" for name, value in rules.game_options.items()), 500)
    referees = ", ".join(
        f"{printable(referee.display_name)} ({referee.agent_id})" for referee in subject.league.referees.values()
    )
    rows: list[tuple[str, Content]] = [
        ("League", tag("code", rules.league_id)),
        ("Game", f"{_game_name(game, rules.game_type)}. {game.description}" if game else rules.game_type),
        ("Options of the game", options or "its defaults"),
        ("Seed", _seed(subject)),
        (
            "Points",
            f"win {scoring.win}, draw {scoring.draw}, loss {scoring.loss}, technical loss {scoring.technical_loss}",
        ),
        ("Ranking", ", then ".join(name.replace("_", " ") for name in rules.tiebreakers)),
        ("Schedule", f"round-robin, {count(subject.overview.total_rounds, 'round')}"),
        ("Attempts at a match", f"at most {rules.max_attempts}"),
        ("Time to accept an invitation", _limit(limits.join)),
        ("Time for a move", _limit(limits.move)),
        ("Referees", referees or "none"),
        *subject.settings.items(),
        ("Program", f"mcp-agent-league {subject.version}"),
    ]
    return pairs(rows)


def _seed(subject: Subject) -> Content:
    """All chance follows from it, so it is told when there is none to come."""
    seed = subject.league.rules.seed
    if seed is None:
        return "none: each match drew a secret of its own"
    over = subject.overview.state is LeagueState.COMPLETED
    return tag("code", printable(seed, 200)) if over else "there is one; it is told when the league is over"


def _limit(seconds: float | None) -> str:
    return "not known here" if seconds is None else f"{seconds:g} s"
