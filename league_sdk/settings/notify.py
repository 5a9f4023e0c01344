"""Settings of the operator's webhook."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from league_sdk.settings.allowed import Allow
from league_sdk.settings.base import Hidden, Seconds, Section


def _web_url(value: str) -> str:
    url = urlsplit(value)
    if url.scheme not in ("http", "https") or not url.hostname or url.username or url.fragment:
        raise ValueError("a URL with http or https and a host, such as https://hooks.example/league")
    return value


WebUrl = Annotated[str, AfterValidator(_web_url)]


class NotifyConfig(Section):
    """Messages to a webhook of the operator's."""

    webhook: Annotated[WebUrl | None, Hidden()] = Field(
        default=None,
        repr=False,
        description="URL that a league's manager posts a message to at the league's start, a stall, a void match, a "
        "player that sits out, and the end; `{secret}` in it stands for the secret. null: none.",
    )
    shape: Literal["json", "slack", "discord"] = Field(
        default="json",
        description="Shape of the messages: an object with `event`, `league_id`, `text`, `at` and `sequence`, or as "
        "the webhooks of Slack and Discord take them.",
    )
    secret_file: str | None = Field(
        default=None,
        min_length=1,
        description="File with the secret, which others cannot read; where the URL has no `{secret}`, it signs each "
        "message: `X-League-Signature: sha256=` and the HMAC of the body.",
    )
    allowed_targets: tuple[Allow, ...] = Field(
        default=(),
        description="Hosts, addresses and networks that the webhook may be at, such as `hooks.slack.com`; without "
        "any there is no webhook.",
    )
    events: tuple[Literal["start", "stall", "void", "sitting_out", "end"], ...] = Field(
        default=("start", "stall", "void", "sitting_out", "end"), description="What is told."
    )
    stall_after_sec: Seconds = Field(
        default=300.0, description="Seconds without anything in a running league that are a stall."
    )
