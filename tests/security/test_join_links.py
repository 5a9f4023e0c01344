"""Links to join with, from somebody who wants to harm the student that opens them."""

import sys

import pytest

from league_sdk.net.join_links import JoinLink, JoinLinkError
from servers.cli import main

SECRET = "K7QD-02MX-9RTB-HJ4E"
HOSTILE = {
    "half an IPv6 address": "http://[evil/play#name=Ada",
    "a host that turns into another one": "http://\u2100evil/play#name=Ada",
    "an escape sequence for the terminal": "http://localhost:1/play#name=%1b[2J",
    "two lines": "http://localhost:1/play#name=Ada%0Aroot",
    "writing from right to left": "http://localhost:1/play#name=Ada%E2%80%AE",
    "a name without end": f"http://localhost:1/play#name={'a' * 3000}",
    "a script": "javascript:alert(1)//play#name=Ada",
    "a port that is none": "http://localhost:x/play#name=Ada",
}


@pytest.mark.parametrize("link", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_join_link_is_refused_in_a_sentence_that_keeps_its_secret(link: str, tmp_path, monkeypatch, capsys):
    """Red before: a traceback, for half an address and for names that no player can have."""
    file = tmp_path / "ada.link"
    file.write_text(f"{link}&secret={SECRET}", "utf-8")
    file.chmod(0o600)
    words = ["league", "player", "--join-link-file", str(file), "--data", str(tmp_path / "data")]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert told.startswith("league: ")
    assert told.count("\n") == 1
    assert not {"\x1b", "\u202e"} & set(told)
    assert SECRET not in told


def test_nor_is_a_card_made_for_a_league_at_half_an_address():
    with pytest.raises(JoinLinkError, match="endpoint of a league manager"):
        _ = JoinLink("Ada", "http://[evil/mcp", SECRET).url
