"""Renders values as HTML by templates that escape everything."""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from markupsafe import Markup

from league_sdk.domain.ranking.standing import Standing
from servers.read_model.columns import POINTS, TECHNICAL, Column, Visibility, counted, rating_column
from servers.read_model.text import count, printable
from servers.ui import assets, charts

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST_VALUE = 200


@cache
def environment() -> "Environment":
    """The templates. What is not known to a template is an error, not an empty text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # no page is shown in most runs

    made = Environment(
        loader=PackageLoader("servers.ui"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "said": said,
        "sentence": sentence,
        "value": value,
        "seconds": seconds,
        "clock": clock,
        "percent": percent,
        "base64": base64,
        "counted": counted,
    }
    known: dict[str, Any] = made.globals
    known.update(asset=assets.address, count=count)
    known.update(standing_cells=standing_cells, Visibility=Visibility, rating_column=rating_column)
    return made


def render(template: str, values: Mapping[str, Any]) -> bytes:
    return "".join(parts(template, values)).encode()


def parts(template: str, values: Mapping[str, Any]) -> Iterator[str]:
    return environment().get_template(f"{template}.html").generate(values)


def drawn(svg: str) -> Markup:
    """A chart of `servers.ui.charts`, which escapes its inputs."""
    return Markup(svg)  # noqa: S704 - made by us, of escaped texts and of numbers


def said(text: str, limit: int = 200) -> str:
    """An agent's text without control characters; templates isolate its direction."""
    return printable(text, limit)


def sentence(text: str) -> str:
    """A text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def value(data: Any) -> str:
    """JSON in one line for people: outer brackets go, one level may be nested."""
    return printable(_plain(data, 2), LONGEST_VALUE)


def _plain(data: Any, depth: int) -> str:
    if isinstance(data, str):
        return data
    if depth and isinstance(data, Mapping):
        return "; ".join(f"{name}: {_plain(each, depth - 1)}" for name, each in cast("Mapping[str, Any]", data).items())
    if depth and isinstance(data, (list, tuple)):
        return ", ".join(_plain(each, depth - 1) for each in cast("Sequence[Any]", data))
    return json.dumps(data, ensure_ascii=False, default=str)


def standing_cells(columns: Iterable[Column], row: Standing) -> Iterator[tuple[str, str, str]]:
    """A row's cells: style, title and text."""
    decided = row.decided_by.replace("_", " ")
    for column in columns:
        text = column.text(row)
        style = " wide" if column.shown is Visibility.IF_ROOM else ""
        if column is POINTS:
            yield " points", f"decided by {decided}" if decided else "", text
        elif column.shown is not Visibility.ALWAYS and text in ("", "0"):
            yield f"{style} quiet", "", text
        else:
            yield (
                style + (" technical" if column is TECHNICAL else ""),
                "decided" * (column.name == row.decided_by),
                text,
            )


def seconds(number: float | None) -> str:
    return "\N{EN DASH}" if number is None else charts.seconds(number)


def clock(at: str) -> str:
    """The time of day of an instant, in UTC."""
    return at[11:19]


def base64(text: str) -> str:
    """A text in an address of its own."""
    return b64encode(text.encode()).decode()


def percent(share: float) -> str:
    """A share of 1, with the digits that `league query` and the report have."""
    return f"{round(share * 100, 2):g} %"
