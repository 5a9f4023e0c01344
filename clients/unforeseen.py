"""Keeps unforeseen exceptions and foreign cancellations out of calling tasks."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

import anyio

from league_sdk.errors import LeagueError, PeerUnreachable
from league_sdk.ports import CallRefused, MalformedReply, NotThisDialect, UnforeseenError

_FORESEEN = (LeagueError, MalformedReply, CallRefused, NotThisDialect)


@contextmanager
def unforeseen_as_error(peer: str) -> Generator[None]:
    """Let out the exceptions that a call may raise, and the task's own cancellation.

    Raises:
        UnforeseenError: In place of any other exception.
        PeerUnreachable: In place of a CancelledError that is not this task's own. An MCP client raises one when its
            server dies (python-sdk issue 3560).
    """
    requests = _cancel_requests()
    try:
        yield
    except _FORESEEN:
        raise
    except asyncio.CancelledError as error:
        if _cancel_requests() > requests or anyio.current_effective_deadline() == float("-inf"):
            raise
        raise PeerUnreachable(f"{peer}: the connection was cut off", dropped=True) from error
    except BaseExceptionGroup as group:
        if group.subgroup((KeyboardInterrupt, SystemExit)) is not None:
            raise
        raise unforeseen_error(peer, group) from group
    except Exception as error:
        raise unforeseen_error(peer, error) from error


def unforeseen_error(peer: str, error: BaseException) -> UnforeseenError:
    """The port's error for an exception, whose text stays in our log."""
    return UnforeseenError(f"{type(error).__name__} on the calling side, in a call to {peer}")


def _cancel_requests() -> int:
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()
