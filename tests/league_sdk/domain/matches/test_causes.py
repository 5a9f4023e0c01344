"""The table of causes: complete, and the one that people read."""

from pathlib import Path

import pytest

from league_sdk.domain.matches.causes import ABSENCES, GONE, GONE_CONNECT_SEC, GONE_TRIES, NOTICE_SEC, RULES, AskedAgain
from league_sdk.domain.model import Cause
from league_sdk.settings.system import RetryPolicyConfig, TimeoutsConfig
from servers.seats.service import PULSE_SEC

FAULTS = (Path(__file__).parents[4] / "docs" / "faults.md").read_text(encoding="utf-8")
RETRY, TIMEOUTS = RetryPolicyConfig(), TimeoutsConfig()


def test_every_cause_has_a_rule():
    assert set(RULES) == set(Cause)
    assert GONE < ABSENCES


@pytest.mark.parametrize("cause", RULES)
def test_the_page_of_faults_has_the_row(cause: Cause):
    (row,) = (line.split(" | ") for line in FAULTS.splitlines() if line.startswith(f"| `{cause}` |"))
    assert row[2] == RULES[cause].again.value


def price(again: AskedAgain, limit: float, retries: int, pulse: float, before: bool) -> float:
    """Seconds that a failed call delays its match at most, by the constants that the match goes by."""
    pauses = [min(RETRY.backoff_max_sec, RETRY.backoff_base_sec * 2.0**number) for number in range(retries)]
    if again is AskedAgain.ALL:
        return (retries + 1) * (limit + NOTICE_SEC) + sum(pauses)
    return GONE_CONNECT_SEC if before else pulse + pauses[0] + NOTICE_SEC * GONE_TRIES


@pytest.mark.parametrize(
    ("what", "tries", "limit", "pulse", "before"),
    [
        ("is silent when it is asked for its move", AskedAgain.ALL, TIMEOUTS.move_timeout_sec, 0.0, False),
        ("is silent when it is invited", AskedAgain.ALL, TIMEOUTS.game_join_timeout_sec, 0.0, False),
        ("is gone", AskedAgain.GONE, 5.0, 0.0, False),
        ("is gone, at a hosted seat", AskedAgain.GONE, 5.0, PULSE_SEC, False),
        ("was gone at its last match, too", AskedAgain.GONE, 5.0, PULSE_SEC, True),
    ],
)
def test_the_page_of_faults_has_the_price(what: str, tries: AskedAgain, limit: float, pulse: float, before: bool):
    usual = price(tries, limit, RETRY.max_retries, pulse, before)
    quick = price(tries, 5.0, 1, pulse, before)
    assert f"| {what} | {usual:g} s | {quick:g} s |" in FAULTS
