import pytest

from clients.circuit import CircuitBreaker, CircuitBreakers, CircuitOpen, CircuitSettings, CircuitState
from league_sdk.clock import ManualClock
from league_sdk.errors import InvalidMove, PeerUnreachable, ResponseTimeout
from tests.requirements.marker import requirement


def breaker(clock: ManualClock, half_open_max_calls: int = 1) -> CircuitBreaker:
    return CircuitBreaker("P01", clock, CircuitSettings(3, 10.0, half_open_max_calls))


def fail(circuit: CircuitBreaker, error: Exception | None = None) -> None:
    error = error or PeerUnreachable("gone")
    with pytest.raises(type(error)), circuit.guard():
        raise error


def succeed(circuit: CircuitBreaker) -> None:
    with circuit.guard():
        pass


def opened(clock: ManualClock, half_open_max_calls: int = 1) -> CircuitBreaker:
    circuit = breaker(clock, half_open_max_calls)
    for _ in range(3):
        fail(circuit)
    return circuit


@requirement("001-CONF-04", "001-ERR-03", "003-RES-02")
def test_it_opens_after_so_many_failures_in_a_row():
    circuit = breaker(ManualClock())
    fail(circuit)
    fail(circuit, ResponseTimeout())
    assert circuit.state is CircuitState.CLOSED
    fail(circuit)
    assert circuit.state is CircuitState.OPEN
    with pytest.raises(CircuitOpen, match="P01 failed 3 times"), circuit.guard():
        pytest.fail("the call was let through")


def test_an_answer_in_between_starts_the_count_again():
    circuit = breaker(ManualClock())
    fail(circuit)
    fail(circuit)
    succeed(circuit)
    fail(circuit)
    fail(circuit)
    assert circuit.state is CircuitState.CLOSED


def test_a_peer_that_refuses_is_a_peer_that_answers():
    circuit = breaker(ManualClock())
    for _ in range(5):
        fail(circuit, InvalidMove())
    assert circuit.state is CircuitState.CLOSED


def test_an_open_circuit_is_unreachable_and_so_worth_a_retry():
    assert CircuitOpen("x").code == "E009"
    assert CircuitOpen("x").retryable


@requirement("001-CONF-04", "001-ERR-03", "003-RES-02")
def test_it_lets_a_trial_through_after_a_while_and_closes_when_that_succeeds():
    clock = ManualClock()
    circuit = opened(clock)
    clock.advance(9.9)
    assert circuit.state is CircuitState.OPEN
    clock.advance(0.1)
    assert circuit.state is CircuitState.HALF_OPEN
    succeed(circuit)
    assert circuit.state is CircuitState.CLOSED
    fail(circuit)
    assert circuit.state is CircuitState.CLOSED


@requirement("001-CONF-04", "001-ERR-03", "003-RES-02")
def test_a_failed_trial_opens_it_for_another_while():
    clock = ManualClock()
    circuit = opened(clock)
    clock.advance(10)
    fail(circuit)
    assert circuit.state is CircuitState.OPEN
    clock.advance(9.9)
    assert circuit.state is CircuitState.OPEN
    clock.advance(0.1)
    assert circuit.state is CircuitState.HALF_OPEN


@pytest.mark.parametrize("at_a_time", [1, 2])
def test_only_so_many_trials_run_at_a_time(at_a_time):
    clock = ManualClock()
    circuit = opened(clock, half_open_max_calls=at_a_time)
    clock.advance(10)
    trials = [circuit.guard() for _ in range(at_a_time)]
    for trial in trials:
        trial.__enter__()
    with pytest.raises(CircuitOpen), circuit.guard():
        pytest.fail("one trial too many")
    for trial in trials:
        trial.__exit__(None, None, None)
    assert circuit.state is CircuitState.CLOSED


def test_a_cancelled_trial_counts_as_neither_and_frees_its_place():
    clock = ManualClock()
    circuit = opened(clock)
    clock.advance(10)
    with pytest.raises(KeyboardInterrupt), circuit.guard():
        raise KeyboardInterrupt
    assert circuit.state is CircuitState.HALF_OPEN
    succeed(circuit)
    assert circuit.state is CircuitState.CLOSED


def test_what_a_call_from_before_brings_does_not_close_an_open_circuit():
    circuit = breaker(ManualClock())
    late = circuit.guard()
    late.__enter__()
    for _ in range(3):
        fail(circuit)
    late.__exit__(None, None, None)
    assert circuit.state is CircuitState.OPEN


def test_a_late_failure_does_not_lengthen_the_time_that_it_is_open():
    clock = ManualClock()
    circuit = breaker(clock)
    late = circuit.guard()
    late.__enter__()
    for _ in range(3):
        fail(circuit)
    clock.advance(9)
    error = PeerUnreachable()
    assert not late.__exit__(PeerUnreachable, error, None)
    clock.advance(1)
    assert circuit.state is CircuitState.HALF_OPEN


def test_every_endpoint_has_a_breaker_of_its_own():
    breakers = CircuitBreakers(ManualClock(), CircuitSettings(threshold=1))
    fail(breakers.of("one"))
    assert breakers.of("one").state is CircuitState.OPEN
    assert breakers.of("two").state is CircuitState.CLOSED


@pytest.mark.parametrize("wrong", [{"threshold": 0}, {"half_open_max_calls": 0}, {"reset_timeout": -1.0}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match="at least"):
        CircuitSettings(**wrong)


def test_who_insists_gets_through_an_open_circuit_and_closes_it_with_a_success():
    clock = ManualClock()
    circuit = opened(clock)
    with pytest.raises(PeerUnreachable, match="still gone"), circuit.guard(insist=True):
        raise PeerUnreachable("still gone")
    assert circuit.state is CircuitState.OPEN
    with circuit.guard(insist=True):
        pass
    assert circuit.state is CircuitState.CLOSED


def test_one_can_ask_how_many_are_in_which_state():
    clock = ManualClock()
    breakers = CircuitBreakers(clock, CircuitSettings(1, 10.0))
    assert breakers.states() == {}
    for endpoint in ("a", "b", "c"):
        succeed(breakers.of(endpoint))
    fail(breakers.of("a"))
    assert breakers.states() == {CircuitState.CLOSED: 2, CircuitState.OPEN: 1}
    clock.advance(10)
    assert breakers.states() == {CircuitState.CLOSED: 2, CircuitState.HALF_OPEN: 1}
