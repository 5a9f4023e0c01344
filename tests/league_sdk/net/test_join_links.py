"""Join secrets that people type, and links that carry them."""

import contextlib
import math

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from league_sdk.clock import ManualIds, SystemIds
from league_sdk.names import LONGEST_NAME, display_name
from league_sdk.net.join_links import ALPHABET, SYMBOLS, JoinLink, JoinLinkError, canonical_secret, new_join_secret

SECRET = "K7QD-02MX-9RTB-HJ4E"


def test_a_secret_has_80_bits_and_letters_that_look_like_nothing_else():
    made = {new_join_secret(SystemIds()) for _ in range(200)}
    assert len(made) == 200
    assert all(len(secret) == 19 and canonical_secret(secret) == secret for secret in made)
    assert set("".join(made)) == {*ALPHABET, "-"}
    assert SYMBOLS * math.log2(len(ALPHABET)) >= 80
    assert not set("ILOU") & set(ALPHABET)
    assert new_join_secret(ManualIds()) == new_join_secret(ManualIds())


@st.composite
def player_names(draw: st.DrawFn) -> str:
    """A name as a player may have it."""
    text = draw(st.text(min_size=1, max_size=LONGEST_NAME))
    with contextlib.suppress(ValueError):
        if display_name(text) == text:
            return text
    return reject()


@pytest.mark.parametrize(
    "typed",
    [
        "k7qd-02mx-9rtb-hj4e",
        " K7QD 02MX 9RTB HJ4E\n",
        "K7QD02MX9RTBHJ4E",
        "K7QD\u2013O2MX\u20139RTB\u2013HJ4E",  # a phone's dashes, and the letter O for a zero
        "k7-qd 02-mx9rtb\u00a0hj4e",
    ],
)
def test_case_spaces_and_hyphens_are_nothing(typed):
    assert canonical_secret(typed) == SECRET


@pytest.mark.parametrize(
    "text", ["aB3-_xyz" * 5 + "abc", "correct-horse-battery-staple", "K7QD-02MX-9RTB", "open sesame"]
)
def test_another_secret_keeps_its_letters(text):
    assert canonical_secret(f" {text}\n") == text
    assert canonical_secret(text.swapcase()) != text


@given(name=player_names())
def test_a_link_is_read_as_it_was_made_whatever_the_name(name):
    link = JoinLink(name, "https://league.example:8443/chess/mcp", SECRET)
    assert link.url.startswith("https://league.example:8443/chess/play#name=")
    assert JoinLink.read(f"Dear student,\n{link.url}\nGood luck") == link
    assert SECRET not in repr(link)
    assert SECRET in link.url.partition("#")[2]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http://localhost:8000/mcp",
        "http:///play#name=A&secret=B",
        "http://a/play",
        "http://a/play#name=Ada",
        "ftp://a",
    ],
)
def test_what_is_no_link_is_refused_without_being_repeated(text):
    with pytest.raises(JoinLinkError, match="join link") as refused:
        JoinLink.read(f"{text}{SECRET}" if "#" in text and "secret" in text else text)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("manager", ["localhost:8000", "http://localhost:8000/", "file:///mcp"])
def test_a_card_needs_the_endpoint_of_a_manager(manager):
    with pytest.raises(JoinLinkError, match="endpoint of a league manager"):
        _ = JoinLink("Ada", manager, SECRET).url
