"""The operator's webhook, told of a league over real sockets."""

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Generator
from typing import Any

import httpx2
import pytest

from clients.retry import RetryPolicy
from league_sdk.clock import HashRng, ManualClock
from league_sdk.net.addresses import AddressRule
from league_sdk.settings import ConfigError, NotifyConfig
from servers.league_manager import webhook as module
from servers.league_manager.webhook import MOST_WAITING, SIGNATURE, Notice, Webhook, notify_secret
from tests.servers.fakes import FakeJournal
from tests.servers.league_history import finished, under_way
from tests.servers.webhook_receiver import Receiver, listening

pytestmark = pytest.mark.anyio


@pytest.fixture(name="receiver")
def a_receiver() -> Generator[Receiver]:
    with listening() as receiver:
        yield receiver


Made = Callable[..., Webhook]


@pytest.fixture(name="journal")
def a_journal() -> FakeJournal:
    return FakeJournal()


@pytest.fixture(name="webhook")
def made(receiver: Receiver, journal: FakeJournal) -> Made:
    def make(secret: str = "", **changes: Any) -> Webhook:
        settings: dict[str, Any] = {"webhook": receiver.url, "allowed_targets": ("127.0.0.1",), **changes}
        config, clock = NotifyConfig.model_validate(settings), ManualClock()
        return Webhook(
            config,
            secret,
            http=httpx2.AsyncHTTPTransport(),
            rule=AddressRule(config.allowed_targets, local=False),
            retry=RetryPolicy(clock, HashRng("webhook"), max_retries=2),
            clock=clock,
            journal=journal,
        )

    return make


async def told(webhook: Webhook, history: Any) -> None:
    """Let the webhook hear of a whole league, and end with it."""
    webhook.start()
    webhook.take(history.league, history.records())
    await webhook.close()


async def test_start_and_end_are_told_in_order_with_the_sentences_of_the_page(webhook: Made, receiver: Receiver):
    history = finished()
    await told(webhook(), history)
    assert [body["event"] for body in receiver.bodies] == ["start", "end"]
    start, end = receiver.bodies
    assert start["text"] == "The league started."
    assert (end["league_id"], end["sequence"]) == (history.league.league_id, history.records()[-1].sequence)
    assert "champion" in end["text"]


async def test_only_what_is_asked_for_is_told(webhook: Made, receiver: Receiver):
    await told(webhook(events=("end",)), finished())
    assert [body["event"] for body in receiver.bodies] == ["end"]


async def test_a_receiver_that_fails_is_tried_again_with_a_bound(webhook: Made, receiver: Receiver, journal):
    receiver.statuses = [503, 429, 200, 500, 500, 500]
    await told(webhook(), finished())
    assert [body["event"] for body in receiver.bodies] == ["start"] * 3 + ["end"] * 3
    assert [(type_, details["notice"], details["reason"]) for type_, _, details in journal.events] == [
        ("NOTIFICATION_FAILED", "end", "HTTP status 500")
    ]


async def test_a_refusal_is_not_repeated_and_a_redirect_is_not_followed(webhook: Made, receiver: Receiver, journal):
    receiver.statuses = [400, 302]
    await told(webhook(), finished())
    assert len(receiver.requests) == 2
    assert [details["reason"] for _, _, details in journal.events] == ["HTTP status 400", "HTTP status 302"]
    assert receiver.url not in str(journal.events)


async def test_an_answer_that_cannot_be_read_is_an_answer(webhook: Made, receiver: Receiver, journal):
    receiver.body = b"no gzip at all"
    await told(webhook(), finished())
    assert [body["event"] for body in receiver.bodies] == ["start", "end"]
    assert journal.events == []


async def test_a_target_that_is_not_on_the_list_gets_nothing(webhook: Made, receiver: Receiver, journal):
    await told(webhook(allowed_targets=("hooks.example",)), finished())
    assert receiver.requests == []
    assert {details["reason"] for _, _, details in journal.events} == {
        "127.0.0.1 cannot be found, or is not among notify.allowed_targets"
    }


async def test_a_receiver_that_never_answers_holds_up_neither_the_league_nor_its_end(
    webhook: Made, receiver: Receiver, journal, monkeypatch
):
    monkeypatch.setattr(module, "FAREWELL_SEC", 0.2)
    receiver.answers.clear()
    history, slow = finished(), webhook()
    slow.start()
    began = time.monotonic()
    for _ in range(MOST_WAITING):
        slow.take(history.league, history.records())  # a start and an end each
    await slow.close()
    assert time.monotonic() - began < module.TRY_SEC
    assert len(receiver.requests) == 1
    # All but the one that was being sent: some were too many, the others were left at the end.
    assert len(journal.named("NOTIFICATION_FAILED")) == 2 * MOST_WAITING - 1


async def test_a_league_in_which_nothing_happens_is_told_once(webhook: Made, receiver: Receiver):
    history, quiet = under_way(), webhook(stall_after_sec=60)
    quiet.start()
    quiet.take(history.league, history.records()[-1:])
    while not receiver.requests:
        await module.anyio.sleep(0.01)
    await quiet.close()
    assert [(body["event"], body["text"]) for body in receiver.bodies] == [("stall", "Nothing has happened for 60 s.")]


async def test_a_secret_signs_the_message_or_stands_in_the_url(webhook: Made, receiver: Receiver):
    await told(webhook("swordfish", events=("end",)), finished())
    await told(webhook("swordfish", webhook=f"{receiver.url}/{{secret}}", events=("end",)), finished())
    (_, signed, body), (path, plain, _) = receiver.requests
    assert signed[SIGNATURE.lower()] == f"sha256={hmac.new(b'swordfish', body, hashlib.sha256).hexdigest()}"
    assert (path, SIGNATURE.lower() in plain) == ("/hook/swordfish", False)


def test_agents_words_are_text_in_every_shape():
    notice = Notice("end", "cup", "<!channel> **x** @everyone [a](http://b) \x1b[31m & co", "2025-01-15T10:00:00Z", 7)
    assert notice.body("slack")["text"].startswith("cup: &lt;!channel&gt; **x** @everyone")
    assert "&amp; co" in notice.body("slack")["text"]
    discord = notice.body("discord")
    assert discord["content"].startswith(r"cup\: \<!channel\> \*\*x\*\* \@everyone \[a\]\(http\://b\)")
    assert discord["allowed_mentions"] == {"parse": []}
    assert "\x1b" not in json.dumps([notice.body(shape) for shape in ("json", "slack", "discord")], ensure_ascii=False)


def test_a_long_sentence_fits_what_discord_takes():
    assert len(Notice("end", "cup", "*" * 5000, "", 1).body("discord")["content"]) <= 2000


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"allowed_targets": ()}, "notify.allowed_targets"),
        ({"webhook": "https://hooks.example/{secret}"}, "notify.secret_file"),
        ({"secret_file": "/nonexistent/secret"}, "notify.secret_file"),
    ],
)
def test_settings_that_do_not_belong_together_are_refused(changes, field):
    with pytest.raises(ConfigError, match=field):
        notify_secret(
            NotifyConfig(**{"webhook": "https://hooks.example", "allowed_targets": ("hooks.example",)} | changes)
        )
