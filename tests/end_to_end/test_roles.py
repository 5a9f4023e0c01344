"""Roles on two machines, and villains that have what a guest has and want what a referee has."""

import stat
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.dialects.bare import BarePlayer, BareReferee, Message
from tests.end_to_end.program_harness import QUICK, ProgramHarness, program_harness

pytestmark = pytest.mark.anyio

JOIN = "what-every-guest-has"


async def refused(villain: BareReferee, manager: str, **shown: Any) -> Message:
    """The answer to a villain that wants to be a referee."""
    meta = {"display_name": villain.name, "version": "1.0.0", "game_types": ["even_odd"]}
    meta |= {"contact_endpoint": villain.endpoint, "max_concurrent_matches": 9}
    request = villain.message("REFEREE_REGISTER_REQUEST", referee_meta=meta, **shown)
    return await villain.call(manager, "register_referee", request)


async def test_a_guest_of_a_league_brings_no_referee_of_its_own(programs: ProgramHarness):
    programs.variables["LEAGUE_SECURITY__JOIN_SECRET"] = JOIN
    league = programs.start("run", "--players", 4, "--guests", 1, "--port-base", programs.base, *QUICK)
    league.says("Watch it at")
    guest, friend = BarePlayer("Eve"), BareReferee("Eve's friend")
    with anyio.fail_after(120):
        async with guest.serving(), friend.serving():
            for shown in (JOIN, None, "guessed-secret"):
                secrets = {"join_secret": shown, "referee_secret": shown}
                answer = await refused(friend, programs.manager, **secrets)
                assert (answer["status"], answer["error_code"]) == ("REJECTED", "E013"), answer
            await guest.register(programs.manager, JOIN)
            answer = await refused(friend, programs.manager, referee_secret=guest.token)
            assert answer["error_code"] == "E013"
            await guest.over.wait()
            assert await anyio.to_thread.run_sync(league.end) == 0, league.err
    assert friend.heard == []
    audited = programs.run("audit")
    assert audited.end() == 0, audited.out


def test_a_referee_on_another_machine_needs_its_invitation(programs: ProgramHarness, tmp_path: Path):
    manager = programs.start(
        *("manager", "--port", programs.base, "--players", 2, "--referees", 1, "--league-id", "cup"), *QUICK
    )
    manager.says("listens at")
    (tmp_path / "elsewhere").mkdir()
    with program_harness(tmp_path / "elsewhere") as elsewhere:
        where = ("--manager", programs.manager, "--port", 0)
        stranger = elsewhere.run("referee", "--name", "Rhea", *where)
        assert stranger.end() == 1
        assert "--invitation-file" in stranger.err
        assert str(programs.data) not in stranger.err
        file = tmp_path / "rhea.json"
        assert programs.run("invite", "--referee", "Rhea", "-o", file).end() == 0
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        other = elsewhere.run("referee", "--name", "Rolf", "--invitation-file", file, "--port", 0)
        assert (other.end(), "the invitation is for 'Rhea'" in other.err) == (2, True)
        assert "Rhea: invited" in programs.run("invite", "--list").out
        rhea = elsewhere.start("referee", "--invitation-file", file, "--port", 0, *QUICK)
        players = [programs.start("player", "--name", name, *where, *QUICK) for name in ("Ada", "Bob")]
        assert [agent.end() for agent in (manager, rhea, *players)] == [0] * 4, rhea.err
    assert "Rhea: registered as REF" in programs.run("invite", "--list").out
    assert programs.run("audit").end() == 0
