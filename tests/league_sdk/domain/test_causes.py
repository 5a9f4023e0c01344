"""The table of causes: complete, and the one that people read."""

from pathlib import Path

import pytest

from league_sdk.domain.causes import ABSENCES, GONE, RULES, AskedAgain, Waits, price
from league_sdk.domain.model import Cause
from league_sdk.settings.system import RetryPolicyConfig, TimeoutsConfig
from servers.seats.service import PULSE_SEC

FAULTS = (Path(__file__).parents[3] / "docs" / "faults.md").read_text(encoding="utf-8")
RETRY, TIMEOUTS = RetryPolicyConfig(), TimeoutsConfig()


def test_every_cause_has_a_rule():
    assert set(RULES) == set(Cause)
    assert GONE < ABSENCES


@pytest.mark.parametrize("cause", RULES)
def test_the_page_of_faults_has_the_row(cause: Cause):
    rule = RULES[cause]
    assert f"| `{cause}` | {rule.happened} | {rule.again.value} | {rule.advice} |" in FAULTS


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
    usual = Waits(limit, RETRY.max_retries, RETRY.backoff_base_sec, RETRY.backoff_max_sec, pulse)
    quick = Waits(5.0, 1, RETRY.backoff_base_sec, RETRY.backoff_max_sec, pulse)
    told = [f"{price(tries, waits, gone_before=before):g} s" for waits in (usual, quick)]
    assert f"| {what} | {told[0]} | {told[1]} |" in FAULTS
