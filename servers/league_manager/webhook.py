"""Messages to the operator's webhook.

A receiver that is slow or gone delays nothing: messages wait in memory, the oldest goes when there are too many.
"""

import asyncio
import hashlib
import hmac
import json
import re
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anyio
import httpx2

from clients.retry import RetryPolicy
from league_sdk.clock import Clock
from league_sdk.domain import events
from league_sdk.domain.events import Record
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.errors import InvalidEndpoint
from league_sdk.net.addresses import AddressRule
from league_sdk.net.pinned import PinnedTransport
from league_sdk.net.tls import client_context
from league_sdk.ports import Journal
from league_sdk.settings import ConfigError, NotifyConfig, Problem, read_secret
from servers.agent.bootstrap import AgentContext
from servers.league_manager.ledger import Ledger
from servers.read_model import feed_entry
from servers.read_model.text import count, printable

START, STALL, VOID, SITTING_OUT, END = "start", "stall", "void", "sitting_out", "end"
KINDS: Final[Mapping[type[Any], str]] = {
    events.LeagueStarted: START,
    events.LeagueResumed: START,
    events.MatchVoided: VOID,
    events.PlayerSatOut: SITTING_OUT,
    events.LeagueStopped: END,
    events.LeagueCancelled: END,
    events.LeagueCompleted: END,
}
"""The word for what is told, by the event that tells it."""

TOO_MANY_REQUESTS = 429
MOST_WAITING = 100
"""Messages that may wait for their receiver."""
TRY_SEC = 10.0
"""Seconds that a receiver has for one try."""
FAREWELL_SEC = 10.0
"""Seconds that the end of a league waits for its last messages."""
LONGEST_TEXT = 1500
"""Characters; Discord takes 2,000."""
SIGNATURE = "X-League-Signature"
"""The header with `sha256=` and the HMAC of the body under the secret, in hexadecimal digits."""
_DISCORD_MARKS = re.compile(r"([\\*_~`|>#\[\]()@:<-])")


@asynccontextmanager
async def told_by_webhook(tools: AgentContext, ledger: Ledger, journal: Journal) -> AsyncGenerator[None]:
    """Tell the operator's webhook, if there is one, of all records to come.

    Raises:
        ConfigError: The webhook has no allowed target, or its secret cannot be read.
    """
    config = tools.system.notify
    if config.webhook is None:
        yield
        return
    rule = AddressRule(config.allowed_targets, local=False)
    webhook = Webhook(
        config,
        notify_secret(config),
        http=PinnedTransport(httpx2.AsyncHTTPTransport(verify=client_context(None), trust_env=False), rule),
        rule=rule,
        retry=tools.outbound.retry,
        clock=tools.clock,
        journal=journal,
    )
    webhook.start()
    ledger.subscribe(webhook.take)
    try:
        yield
    finally:
        await webhook.close()


def notify_secret(config: NotifyConfig) -> str:
    """The secret of a webhook; empty without one.

    Raises:
        ConfigError: It cannot be read, or the webhook's settings do not belong together.
    """
    where = "the settings"
    if not config.allowed_targets:
        expected = "the host of notify.webhook, such as hooks.slack.com"
        raise ConfigError([Problem(where, "notify.allowed_targets", [], expected)])
    secret = None if config.secret_file is None else read_secret(Path(config.secret_file).expanduser())
    if not secret and (config.secret_file is not None or "{secret}" in (config.webhook or "")):
        raise ConfigError([Problem(where, "notify.secret_file", config.secret_file, "a file with the secret")])
    return secret or ""


class _ReceiverFailed(Exception):
    """A try that failed, and may be made again."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One message to the operator's webhook."""

    event: str  # a word of `KINDS`, or `stall`
    league_id: str
    text: str  # a sentence; it may hold what agents said
    at: str  # ISO 8601 in UTC
    sequence: int  # the number of the last record

    def body(self, shape: str) -> dict[str, Any]:
        """The message as `json`, `slack` or `discord`; agents' words are text in each."""
        text = printable(f"{self.league_id}: {self.text}", LONGEST_TEXT)
        match shape:
            case "slack":  # https://docs.slack.dev/messaging/formatting-message-text#escaping
                return {"text": text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"), "mrkdwn": False}
            case "discord":  # https://docs.discord.com/developers/resources/webhook#execute-webhook
                return {"content": _DISCORD_MARKS.sub(r"\\\1", text)[:2000], "allowed_mentions": {"parse": []}}
            case _:
                told = {"event": self.event, "league_id": self.league_id, "text": printable(self.text, LONGEST_TEXT)}
                return {**told, "at": self.at, "sequence": self.sequence}


class Webhook:
    """Tells a URL of the operator's what happens in a league.

    Args:
        config: The settings `notify`; it has a webhook.
        secret: The content of its secret file; empty without one.
        http: Sends the requests, to allowed addresses only.
        rule: The allowed addresses.
        retry: Tries after the first.
        clock: The times of messages, and the silence before a stall.
        journal: The log.
    """

    def __init__(
        self,
        config: NotifyConfig,
        secret: str,
        *,
        http: httpx2.AsyncBaseTransport,
        rule: AddressRule,
        retry: RetryPolicy,
        clock: Clock,
        journal: Journal,
    ) -> None:
        url = config.webhook or ""
        self._config, self._secret = config, "" if "{secret}" in url else secret
        self._url = httpx2.URL(url.replace("{secret}", secret))
        self._http = httpx2.AsyncClient(transport=http, follow_redirects=False, timeout=TRY_SEC)
        self._rule, self._retry, self._clock, self._journal = rule, retry, clock, journal
        self._waiting: deque[Notice] = deque()
        self._changed = asyncio.Event()
        self._league: League | None = None
        self._sequence, self._last_record = 0, clock.monotonic()
        self._ending = False
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to send, and to look for stalls."""
        self._tasks = [asyncio.create_task(self._send_all()), asyncio.create_task(self._watch())]

    def take(self, league: League, records: Sequence[Record]) -> None:
        """Take new records; a listener of the ledger."""
        self._league, self._last_record = league, self._clock.monotonic()
        for record in records:
            self._sequence = record.sequence
            kind, entry = KINDS.get(type(record.event)), feed_entry(league, record)
            if kind is not None and entry is not None:
                self._tell(Notice(kind, league.league_id, entry.text, entry.at, entry.sequence))
        self._wake()

    async def close(self) -> None:
        """Send the last messages, for `FAREWELL_SEC` at most."""
        self._ending = True
        self._wake()
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(FAREWELL_SEC):
                await asyncio.wait(self._tasks[:1])
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for notice in self._waiting:
                self._failed(notice, "the league is over, and the receiver has not answered")
            await self._http.aclose()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _tell(self, notice: Notice) -> None:
        if notice.event not in self._config.events:
            return
        if len(self._waiting) == MOST_WAITING:
            self._failed(self._waiting.popleft(), f"{count(MOST_WAITING, 'message')} wait for the receiver")
        self._waiting.append(notice)

    async def _watch(self) -> None:
        """Tell of a running league in which nothing happens; once for each silence."""
        told = -1.0
        while True:
            left = self._last_record + self._config.stall_after_sec - self._clock.monotonic()
            league, changed = self._league, self._changed
            if league is None or league.state is not LeagueState.RUNNING or told == self._last_record:
                await changed.wait()
            elif left > 0:
                await self._clock.sleep(left)
            else:
                told = self._last_record
                text = f"Nothing has happened for {self._config.stall_after_sec:.0f} s."
                at = self._clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
                self._tell(Notice(STALL, league.league_id, text, at, self._sequence))
                self._wake()

    async def _send_all(self) -> None:
        while True:
            changed = self._changed
            if self._waiting:
                await self._send(self._waiting.popleft())
            elif self._ending:
                return
            else:
                await changed.wait()

    async def _send(self, notice: Notice) -> None:
        content = json.dumps(notice.body(self._config.shape), ensure_ascii=False).encode()
        headers = {"content-type": "application/json"}
        if self._secret:
            digest = hmac.new(self._secret.encode(), content, hashlib.sha256).hexdigest()
            headers[SIGNATURE] = f"sha256={digest}"

        async def attempt() -> None:
            try:
                # The body of an answer is nobody's concern, however long it is.
                async with (
                    asyncio.timeout(TRY_SEC),
                    self._http.stream("POST", self._url, content=content, headers=headers) as answer,
                ):
                    pass
            except (httpx2.HTTPError, TimeoutError) as error:
                raise _ReceiverFailed(type(error).__name__) from error
            if answer.status_code == TOO_MANY_REQUESTS or answer.is_server_error:
                raise _ReceiverFailed(f"HTTP status {answer.status_code}")
            if not answer.is_success:
                self._failed(notice, f"HTTP status {answer.status_code}")

        try:
            await self._rule.addresses(self._url.host, self._url.port or (443 if self._url.scheme == "https" else 80))
            await self._retry.run(attempt, retryable=lambda error: isinstance(error, _ReceiverFailed))
        except InvalidEndpoint:
            self._failed(notice, f"{self._url.host} cannot be found, or is not among notify.allowed_targets")
        except _ReceiverFailed as error:
            self._failed(notice, str(error))

    def _failed(self, notice: Notice, reason: str) -> None:
        # The URL stays out: that of a chat is a secret.
        self._journal.event("NOTIFICATION_FAILED", "WARNING", notice=notice.event, text=notice.text, reason=reason)
