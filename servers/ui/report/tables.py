"""Numbers, audit and configuration of a report, as names and values."""

from typing import Any, TypeAlias

from league_sdk.audit import Report
from league_sdk.domain.league_state import NO_CHAMPION
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import ResultStatus
from league_sdk.protocol.envelope import utc
from servers.read_model import Clocks
from servers.read_model.text import count, printable
from servers.ui.report.subject import Subject

Rows: TypeAlias = list[tuple[str, Any]]


def numbers(subject: Subject) -> Rows:
    view, results = subject.overview, subject.league.results.values()
    return [
        ("players", view.players),
        *([("never came", view.never_came)] if view.never_came else []),
        ("rounds complete", _of(view.rounds_completed, view.total_rounds)),
        ("matches decided", view.decided if view.paired_one_by_one else _of(view.decided, view.total_matches)),
        ("technical losses", sum(result.status is ResultStatus.TECHNICAL_LOSS for result in results)),
        ("void", view.voided),
    ]


def _of(number: int, all_: int) -> str:
    return str(number) if number == all_ else f"{number} of {all_}"


def when(clocks: Clocks) -> str:
    if not clocks.started:
        return f"Created {time(clocks.created)}."
    end = clocks.ended or clocks.last
    seconds = (utc(end) - utc(clocks.started)).total_seconds()
    last = "ended" if clocks.ended else "last event"
    return f"Started {time(clocks.started)}, {last} {time(end)} ({_duration(seconds)})."


def time(text: str) -> str:
    return f"{text[:10]} {text[11:19]} UTC" if len(text) >= 19 else text


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours} h {rest // 60} min" if hours else f"{rest // 60} min {rest % 60} s"


def audit_rows(audit: Report) -> Rows:
    substituted = ", ".join(
        f"{player} {sum(reasons.values())} ({', '.join(reasons)})" for player, reasons in audit.substituted.items()
    )
    return [
        ("Records", f"{audit.records}, each with the digest of the one before it"),
        ("Digest of the last record", audit.head),
        ("Random draws verified", f"{audit.verified_draws} of {audit.decided}"),
        ("Matches replayed to the same end", f"{audit.replayed} of {audit.decided}"),
        ("Void matches", audit.void),
        *([("Substituted moves", substituted)] if substituted else []),
        ("Files compared with the records", audit.files),
        ("Champion by the results", ", ".join(audit.champions) or (NO_CHAMPION if audit.complete else "none yet")),
    ]


def settings(subject: Subject) -> Rows:
    rules, limits, game = subject.league.rules, subject.limits, subject.game
    scoring = rules.scoring
    options = printable(", ".join(f"{name} = {value}" for name, value in rules.game_options.items()), 500)
    referees = (f"{printable(each.display_name)} ({each.agent_id})" for each in subject.league.referees.values())
    formats = ", then ".join(stage.format.replace("_", "-") for stage in rules.stages)
    points = f"win {scoring.win}, draw {scoring.draw}, loss {scoring.loss}, technical loss {scoring.technical_loss}"
    return [
        ("League", rules.league_id),
        ("Game", f"{subject.game_name}. {game.description}" if game else subject.game_name),
        ("Game options", options or "defaults"),
        ("Seed", _seed(subject)),
        ("Points", points),
        ("Tie-breaks", ", then ".join(name.replace("_", " ") for name in rules.tiebreakers)),
        ("Schedule", f"{formats}, {count(subject.overview.total_rounds, 'round')}"),
        ("Attempts at a match", f"at most {rules.max_attempts}"),
        ("Invitation timeout", _limit(limits.join)),
        ("Move timeout", _limit(limits.move)),
        ("Referees", ", ".join(referees) or "none"),
        *subject.settings.items(),
        ("Program", f"mcp-agent-league {subject.version}"),
    ]


def _seed(subject: Subject) -> str:
    """All chance follows from it, so it is told when there is none to come."""
    seed = subject.league.rules.seed
    if seed is None:
        return "none: each match drew its own secret"
    over = subject.overview.state is LeagueState.COMPLETED
    return printable(seed, 200) if over else "set; shown when the league is over"


def _limit(seconds: float | None) -> str:
    return "not known here" if seconds is None else f"{seconds:g} s"
