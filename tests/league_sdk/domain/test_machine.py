"""The machine itself, on a toy."""

from enum import StrEnum

import pytest

from league_sdk.domain.machine import Machine
from league_sdk.errors import InvalidState
from tests.requirements.marker import requirement


class Light(StrEnum):
    OFF = "OFF"
    ON = "ON"
    BROKEN = "BROKEN"


class Press(StrEnum):
    SWITCH = "switch"
    DROP = "drop"


TABLE = {
    (Light.OFF, Press.SWITCH): Light.ON,
    (Light.ON, Press.SWITCH): Light.OFF,
    (Light.ON, Press.DROP): Light.BROKEN,
}
LAMP: Machine[Light, Press] = Machine("lamp", Light.OFF, TABLE)


def test_it_moves_as_the_table_says():
    assert [LAMP.next(state, trigger) for state, trigger in TABLE] == list(TABLE.values())


@requirement("000-MAP-05")
def test_it_refuses_what_the_table_lacks_and_says_what_is_allowed():
    with pytest.raises(InvalidState) as refused:
        LAMP.next(Light.OFF, Press.DROP)
    assert refused.value.context == {"state": "OFF", "trigger": "drop", "allowed": ["switch"]}
    assert str(refused.value) == "lamp: drop is not allowed in OFF; allowed: switch"


def test_a_final_state_allows_nothing():
    assert LAMP.final == (Light.BROKEN,)
    assert LAMP.allowed(Light.BROKEN) == ()
    with pytest.raises(InvalidState, match="allowed: nothing"):
        LAMP.next(Light.BROKEN, Press.SWITCH)


def test_a_table_that_never_reaches_a_state_is_refused():
    with pytest.raises(ValueError, match="lamp: nothing leads from OFF to BROKEN"):
        Machine("lamp", Light.OFF, {(Light.OFF, Press.SWITCH): Light.ON})


def test_the_diagram_is_drawn_from_the_table():
    assert LAMP.mermaid() == (
        "stateDiagram-v2\n"
        "    [*] --> OFF\n"
        "    OFF --> ON: switch\n"
        "    ON --> OFF: switch\n"
        "    ON --> BROKEN: drop\n"
        "    BROKEN --> [*]\n"
    )
