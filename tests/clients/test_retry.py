import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.retry import RetryPolicy
from league_sdk.clock import HashRng, ManualClock
from league_sdk.errors import ResponseTimeout
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


class HighestRng(HashRng):
    """Always draws just about the longest wait."""

    def random(self) -> float:
        return 0.999999


class Flaky:
    """Fails a number of times, then answers."""

    def __init__(self, failures: int, error: Exception | None = None) -> None:
        self.failures = failures
        self.error = error or ResponseTimeout()
        self.tries = 0

    async def __call__(self) -> str:
        self.tries += 1
        if self.tries <= self.failures:
            raise self.error
        return "answer"


def is_timeout(error: Exception) -> bool:
    return isinstance(error, ResponseTimeout)


async def test_what_works_at_once_is_tried_once():
    clock, operation = ManualClock(), Flaky(0)
    assert await RetryPolicy(clock, HashRng("r")).run(operation, retryable=is_timeout) == "answer"
    assert operation.tries == 1
    assert clock.slept == []


async def test_what_works_at_the_last_try_is_an_answer():
    operation = Flaky(3)
    policy = RetryPolicy(ManualClock(), HashRng("r"), max_retries=3)
    assert await policy.run(operation, retryable=is_timeout) == "answer"
    assert operation.tries == 4


async def test_the_last_error_comes_out_when_no_try_is_left():
    operation = Flaky(9)
    with pytest.raises(ResponseTimeout):
        await RetryPolicy(ManualClock(), HashRng("r"), max_retries=3).run(operation, retryable=is_timeout)
    assert operation.tries == 4


@requirement("003-CLIENT-05")
async def test_what_is_not_retryable_fails_at_once():
    clock, operation = ManualClock(), Flaky(1, ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        await RetryPolicy(clock, HashRng("r")).run(operation, retryable=is_timeout)
    assert operation.tries == 1
    assert clock.slept == []


async def test_no_retries_means_one_try():
    operation = Flaky(1)
    with pytest.raises(ResponseTimeout):
        await RetryPolicy(ManualClock(), HashRng("r"), max_retries=0).run(operation, retryable=is_timeout)
    assert operation.tries == 1


@requirement(
    "000-REF-FAIL-02",
    "000-CL-FAIL-01",
    "001-COMP-10",
    "001-TIME-03",
    "001-ERR-02",
    "003-CLIENT-07",
    "003-RES-01",
    "004-OBJ-10",
)
async def test_waits_double_up_to_the_cap_and_are_announced():
    clock = ManualClock()
    told: list[tuple[int, float]] = []
    policy = RetryPolicy(clock, HighestRng("h"), max_retries=5, base=2.0, max_delay=10.0)
    await policy.run(Flaky(5), retryable=is_timeout, on_retry=lambda _, failed, wait: told.append((failed, wait)))
    assert [round(slept, 2) for slept in clock.slept] == [2, 4, 8, 10, 10]
    assert told == list(enumerate(clock.slept, start=1))


@given(st.integers(1, 5000), st.floats(0, 1e6), st.floats(0, 1e6), st.text())
def test_a_wait_is_never_negative_nor_longer_than_the_cap(retry, base, cap, seed):
    policy = RetryPolicy(ManualClock(), HashRng(seed), base=base, max_delay=cap)
    assert 0 <= policy.delay(retry) <= min(cap, base * 2.0 ** min(retry - 1, 64))


@requirement("003-CLIENT-07")
def test_the_same_seed_waits_the_same():
    first, second = (RetryPolicy(ManualClock(), HashRng("seed")) for _ in range(2))
    assert [first.delay(n) for n in range(1, 9)] == [second.delay(n) for n in range(1, 9)]


@pytest.mark.parametrize("wrong", [{"max_retries": -1}, {"base": -1.0}, {"max_delay": -0.1}])
def test_a_policy_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="negative"):
        RetryPolicy(ManualClock(), HashRng("r"), **wrong)
