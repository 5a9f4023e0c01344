"""Calls of a running manager's routes for its operator."""

import json
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from ssl import SSLCertVerificationError
from typing import Any, cast
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from servers.cli.follow import manager_root, trust
from servers.read_model.text import printable

ANSWER_SEC = 30.0
MOST_BYTES = 4_000_000
UNREADABLE = "the league manager's answer cannot be read"


class NotAnswered(Exception):
    """A manager refused, or could not be asked; the message is a sentence."""


def call_manager(
    url: str,
    path: str,
    token: str,
    tls_ca: Path | None,
    told: Mapping[str, str] | None = None,
    limit: float = ANSWER_SEC,
) -> dict[str, Any]:
    """The answer of a manager's route for its operator; `told` makes it a command."""
    request = Request(  # noqa: S310 (the scheme was looked at)
        f"{manager_root(url)}/admin/{path}",
        data=None if told is None else json.dumps(told).encode(),
        headers={"authorization": f"Bearer {token}"},
    )
    try:
        with urlopen(request, timeout=limit, context=trust(tls_ca)) as answer:  # noqa: S310
            found = _object(answer.read(MOST_BYTES))
    except HTTPError as error:
        with error:
            raise NotAnswered(_refusal(error)) from error
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", "") or error
        if isinstance(reason, SSLCertVerificationError):
            text = f"the certificate of {url} is not trusted ({reason.verify_message}): name its CA with --tls-ca"
            raise NotAnswered(text) from error
        raise NotAnswered(f"no league manager answers at {url}: {printable(str(reason), 200)}") from error
    if found is None:
        raise NotAnswered(f"what answers at {url} is no league manager")
    return found


def _object(text: bytes) -> dict[str, Any] | None:
    """A JSON object; None where it is none."""
    try:
        told = json.loads(text)
    except ValueError:
        return None
    return cast(dict[str, Any], told) if isinstance(told, dict) else None


def _refusal(error: HTTPError) -> str:
    """The manager's sentence, or that there is none."""
    try:
        told = _object(error.read(MOST_BYTES)) or {}
    except (OSError, HTTPException):
        told = {}
    if "error" not in told:
        return f"{error.url} is no league manager's: HTTP status {error.code}"
    return f"{printable(str(told['error']), 300)} ({printable(str(told.get('error_code', error.code)), 20)})"
