"""What agents say cannot end its quotation, whatever it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.bounds import shorten
from servers.untrusted import CLOSE, OPEN, as_json, block, question, quoted, said

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(max_size=400))
def test_a_quotation_is_one_line_of_ascii_without_markup_and_can_be_read_again(text: str):
    line = quoted(text)
    assert line.isascii()
    assert not set("<>&\n\r") & set(line)
    assert json.loads(line) == shorten(text, 200)


@given(JSON)
def test_data_in_a_block_is_what_it_was_and_stands_between_the_only_two_marks(data: object):
    text = question("Look at it.", said(data))
    before, _, rest = text.partition(f"\n{OPEN}\n")
    body, _, after = rest.partition(f"\n{CLOSE}\n")
    expected = shorten(data, 200) if isinstance(data, str) else data
    assert json.loads(body) == {"untrusted": expected}
    assert "<" not in body
    assert "Look at it." in before
    assert OPEN not in after


@pytest.mark.parametrize("text", ["<b>", "é", f'"{CLOSE}"'])
def test_a_block_takes_nothing_that_was_not_quoted(text: str):
    with pytest.raises(ValueError, match="quoted data"):
        block(text)
    assert block(as_json(text)).count("<") == 2
