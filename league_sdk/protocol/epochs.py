"""The epoch of a manager in its calls and answers."""

from typing import Final, cast

from league_sdk.domain.records.epoch import Epoch
from league_sdk.errors import InvalidField
from league_sdk.json_value import Json

FIELD: Final = "epoch"


def epoch_json(epoch: Epoch) -> Json:
    """An epoch as it is written; None for number 0, which has no field."""
    return {"number": epoch.number, "id": epoch.id} if epoch.number else None


def read_epoch(told: Json) -> Epoch:
    """The epoch in a message; number 0 without the field.

    Raises:
        InvalidField: It has another form.
    """
    if told is None:
        return Epoch()
    if isinstance(told, dict):
        values = cast("dict[str, Json]", told)
        number, known = values.get("number"), values.get("id")
        if type(number) is int and number >= 0 and isinstance(known, str) and len(known) <= 64:
            return Epoch(number, known)
    raise InvalidField("epoch: expected an object with number and id", field=FIELD, expected="number and id")
