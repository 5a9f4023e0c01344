"""The marker that says which requirements a test shows."""

import pytest


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Mark a test, or a class of tests, as one that shows these requirements.

    It is read from the source, without an import, so the ids are literals. A state machine of hypothesis is marked
    where it gets its name: `TestX = requirement("…")(X.TestCase)`.

    Args:
        ids: Ids of rows in `tests/requirements`.
    """
    return pytest.mark.requirement(*ids)
