"""Call meters are told every outcome."""

import pytest

from clients.circuit import CircuitOpen
from clients.message_queue import Overloaded
from clients.meter import OUTCOMES, NoMeter, outcome_of
from league_sdk.errors import InvalidField, PeerUnreachable, ResponseTimeout
from league_sdk.ports import Acknowledged, MalformedReply, OutOfFiles


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ResponseTimeout("no answer"), "E001"),
        (PeerUnreachable("nobody there"), "E009"),
        (InvalidField("wrong"), "E002"),
        (CircuitOpen("left alone"), "circuit_open"),
        (Overloaded("too many"), "overloaded"),
        (OutOfFiles("no more files"), "overloaded"),
        (MalformedReply("no message"), "malformed"),
        (Acknowledged("it arrived"), "acknowledged"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_an_error_is_counted_by_what_it_means_for_whoever_looks_after_the_league(error: Exception, outcome: str):
    assert outcome_of(error) == outcome
    assert outcome in OUTCOMES or outcome.startswith("E0")


def test_nobody_has_to_count():
    meter = NoMeter()
    meter.tried("choose_move", "P01", "ok", 0.1)
    meter.tries_again("choose_move", "E001")
