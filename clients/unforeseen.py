"""Keeps unforeseen exceptions and foreign cancellations out of calling tasks."""

import asyncio
import logging
from collections.abc import Generator
from contextlib import contextmanager
from typing import cast

import anyio

from league_sdk.bounds import shorten
from league_sdk.errors import LeagueError, PeerUnreachable
from league_sdk.ports import CallRefused, Journal, MalformedReply, NotThisDialect, UnforeseenError

logger = logging.getLogger(__name__)

_FORESEEN = (LeagueError, MalformedReply, CallRefused, NotThisDialect)


@contextmanager
def unforeseen_as_error(peer: str, what: str = "", journal: Journal | None = None) -> Generator[None]:
    """Let out the exceptions that a call may raise, and the task's own cancellation.

    With a journal, an unforeseen one is logged in full: the caller gets no details.

    Raises:
        UnforeseenError: In place of any other exception.
        PeerUnreachable: In place of a CancelledError that is not this task's own. An MCP client raises one when its
            server dies (python-sdk issue 3560).
    """
    requests = _cancel_requests()
    try:
        yield
    except BaseException as error:
        told = _foreseen(peer, error, requests)
        if journal is not None and isinstance(told, UnforeseenError):
            _log(told, error if told is not error else error.__cause__ or error, peer, what, journal)
        if told is error:
            raise
        raise told from error


def _foreseen(peer: str, error: BaseException, requests: int) -> BaseException:
    """The exception to let out in place of `error`; `error` itself if it may go out."""
    if isinstance(error, _FORESEEN):
        return error
    if isinstance(error, asyncio.CancelledError):
        if _cancel_requests() > requests or anyio.current_effective_deadline() == float("-inf"):
            return error
        return PeerUnreachable(f"{peer}: the connection was cut off", dropped=True)
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return unforeseen_error(peer, group) if group.subgroup((KeyboardInterrupt, SystemExit)) is None else group
    return unforeseen_error(peer, error) if isinstance(error, Exception) else error


def _log(told: UnforeseenError, cause: BaseException, peer: str, what: str, journal: Journal) -> None:
    logger.error("%s to %s failed in an unforeseen way", what, peer, exc_info=cause)
    about = {"error_code": told.code, "message_type": what, "peer": peer, "error": shorten(repr(cause))}
    journal.event("CALL_BROKE", "ERROR", **about)


def unforeseen_error(peer: str, error: BaseException) -> UnforeseenError:
    """The port's error for an exception, whose text stays in our log."""
    return UnforeseenError(f"{type(error).__name__} on the calling side, in a call to {peer}")


def _cancel_requests() -> int:
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()
