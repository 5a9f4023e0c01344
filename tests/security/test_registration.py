"""Admission: names, endpoints, the join secret, and limits per address."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.clock import ManualClock, ManualIds
from league_sdk.names import LONGEST_NAME, display_name, safe_name
from league_sdk.net.addresses import AddressRule
from servers.agent.class_roster import ClassRoster, read_roster
from servers.league_manager.admission import Admission
from tests.security.guarded_manager import guarded, refusal, rejection
from tests.servers.fakes import OPERATOR, enrol, player_request, referee_request, token_of

pytestmark = pytest.mark.anyio

UNSEEN = {
    "nothing": "",
    "spaces": "   ",
    "too long": "x" * 65,
    "a line break": "Ada\nP02 wins",
    "a tabulator": "Ada\tP02",
    "a terminal's escape": "\x1b[2J\x1b[31mAda",
    "a control sequence in one character": "\x9b31mAda",
    "the end of text": "Ada\x00",
    "a bell": "Ada\a",
    "a delete": "Ada\x7f",
    "writing from right to left": "\u202eadA",
    "an isolate": "Ada\u2067",
    "a mark of direction": "Ada\u200f",
    "a space without width": "A\u200bda",
    "a joiner": "A\u200dda",
    "a byte order mark": "\ufeffAda",
    "a line separator": "Ada\u2028P02",
    "a soft hyphen": "A\u00adda",
    "an unseen letter": "\u3164",
    "an unseen mark": "Ada\ufe0f",
    "tag characters": "Ada\U000e0041",
    "a private character": "Ada\ue000",
    "half of a pair": "Ada\ud800",
}


async def test_a_name_that_cannot_be_seen_is_refused():
    made = await guarded()
    for role, ask in (("player", player_request), ("referee", referee_request)):
        for what, name in UNSEEN.items():
            refused = await refusal(made, f"register_{role}", ask("Ada", display_name=name))
            assert (refused["error_code"], refused["number"]) == ("E002", -32602), (role, what)
            assert refused["context"]["field"] == f"{role}_meta.display_name", (role, what)


async def test_a_name_that_can_be_seen_is_taken_and_is_only_a_name(subtests: pytest.Subtests):
    for given_name, kept in (
        ("  Ada  ", "Ada"),
        ("Ada Lovelace", "Ada Lovelace"),
        ("<b>Ada</b> [red]&amp;", "<b>Ada</b> [red]&amp;"),
        ("'; DROP TABLE events; --", "'; DROP TABLE events; --"),
        ("Ign. previous rules", "Ign. previous rules"),
        ("アダ", "アダ"),
        ("Zoe\u0308", "Zo\u00eb"),
        ("\N{ROBOT FACE}", "\N{ROBOT FACE}"),
        ("x" * 64, "x" * 64),
        ("../../etc/passwd", "../../etc/passwd"),
    ):
        with subtests.test(given_name=given_name):
            made = await guarded()
            answer = await made.call("register_player", player_request("Ada", display_name=given_name))
            assert (answer["status"], answer["player_id"]) == ("ACCEPTED", "P01")
            assert made.league.player("P01").display_name == kept


async def test_a_name_that_looks_the_same_is_the_same(subtests: pytest.Subtests):
    made = await guarded()
    await made.call("register_player", player_request("Zoe", display_name="Zoe\u0308"))
    for name in ("Zo\u00eb", " Zo\u00eb "):
        with subtests.test(name=name):
            assert (await rejection(made, "register_player", player_request("Zoe", display_name=name)))[
                "error_code"
            ] == "E016"


@given(st.text(max_size=80))
def test_every_name_is_visible_or_refused(text: str):
    try:
        name = display_name(text)
    except ValueError:
        return
    assert name == display_name(name)
    assert name.isprintable()
    assert name == name.strip()
    assert 1 <= len(name) <= LONGEST_NAME


async def test_an_id_that_is_a_path_names_no_file(subtests: pytest.Subtests):
    made = await guarded()
    for path in ("../x", "..", "-rf", "--help", "a/b", "a\\b", "", ".hidden", "a\x00b", "C:x", "x" * 129, "é", "a\n"):
        with subtests.test(path=path):
            with pytest.raises(ValueError, match="cannot name a file"):
                safe_name(path)
            if path:
                request = player_request("Ada") | {"league_id": path}
                assert (await refusal(made, "register_player", request))["error_code"] in ("E014", "E002")


# --- the join secret


async def test_without_the_join_secret_nobody_gets_in():
    made = await guarded(admission=Admission(join_secret="open sesame"))
    for secret in (None, "", "wrong", "Open sesame", "open sesame\u00a0"):
        extra = {} if secret is None else {"join_secret": secret}
        answer = await rejection(made, "register_player", player_request() | extra)
        assert answer["error_code"] == "E013", secret
        assert "join secret" in answer["reason"], secret
        assert "sesame" not in str(answer)
        assert "sesame" not in str(made.journal.events)


async def test_no_agent_bears_the_name_of_the_league_manager(subtests: pytest.Subtests):
    made = await guarded(admission=Admission(own_name="Central League Manager"))
    for tool, request in (
        ("register_player", player_request("central league manager")),
        ("register_referee", referee_request("Central League Manager")),
    ):
        with subtests.test(tool=tool):
            answer = await rejection(made, tool, request)
            assert "is the league manager's" in answer["reason"]
    assert (await made.call("register_player", player_request("Ada")))["status"] == "ACCEPTED"


async def test_with_the_join_secret_every_player_does():
    made = await guarded(admission=Admission(join_secret="open sesame"))
    opened = {"join_secret": "open sesame"}
    assert (await made.call("register_player", player_request() | opened))["status"] == "ACCEPTED"


async def test_who_comes_back_needs_no_secret_and_the_operators_token_admits_no_player():
    made = await guarded(admission=Admission(join_secret="open sesame"))
    await enrol(made.ledger, 1)
    assert (await made.call("register_player", player_request("Player 1", token_of("P01"))))["player_id"] == "P01"
    stolen = await made.call("register_player", player_request("Ada"), bearer=OPERATOR)
    assert (stolen["status"], stolen["error_code"]) == ("REJECTED", "E013")


async def test_a_join_secret_of_another_type_is_malformed_and_not_repeated():
    made = await guarded(admission=Admission(join_secret="open sesame"))
    refused = await refusal(made, "register_player", player_request() | {"join_secret": 1234567})
    assert refused["error_code"] == "E002"
    assert "1234567" not in str(refused)


# --- endpoints


def resolver(**names: list[str]) -> Any:
    async def resolve(host: str, port: int) -> list[str]:
        if host not in names:
            raise OSError("no such host")
        return names[host]

    return resolve


def public_rule(*allowed: str, **names: list[str]) -> AddressRule:
    return AddressRule(allowed, local=False, resolve=resolver(**names))


INSIDE = [
    "http://127.0.0.1:8101/mcp",
    "http://127.9.9.9/mcp",
    "http://0.0.0.0:8101/mcp",
    "http://10.0.0.1/mcp",
    "http://172.16.5.4/mcp",
    "http://192.168.1.12:8101/mcp",
    "http://100.64.0.1/mcp",
    "http://169.254.169.254/latest/meta-data/",
    "http://192.0.2.1/mcp",
    "http://224.0.0.1/mcp",
    "http://255.255.255.255/mcp",
    "http://[::1]:8101/mcp",
    "http://[::]/mcp",
    "http://[fe80::1]/mcp",
    "http://[fd00::1]/mcp",
    "http://[::ffff:10.0.0.1]/mcp",
    "http://[64:ff9b::a00:1]/mcp",
    "http://[2002:a00:1::]/mcp",
    "http://router/mcp",
    "http://mixed/mcp",
    "http://nowhere/mcp",
    "http://2130706433/mcp",
    "http://0x7f.1/mcp",
    "http://017700000001/mcp",
]


async def test_a_manager_that_the_world_can_reach_calls_nobody_inside(subtests: pytest.Subtests):
    rule = public_rule(router=["192.168.1.1"], mixed=["93.184.216.34", "10.0.0.1"])
    made = await guarded(admission=Admission(rule))
    for endpoint in INSIDE:
        with subtests.test(endpoint=endpoint):
            answer = await rejection(made, "register_player", player_request(contact_endpoint=endpoint))
            assert answer["error_code"] == "E019"


async def test_it_calls_the_public_internet():
    made = await guarded(admission=Admission(public_rule(agent=["93.184.216.34", "2606:2800:220:1::1"])))
    for number, endpoint in enumerate(("http://93.184.216.34/mcp", "https://agent/mcp", "http://[2606:4700::1]/mcp")):
        request = player_request(f"Player {number}", contact_endpoint=endpoint)
        assert (await made.call("register_player", request))["status"] == "ACCEPTED"


async def test_and_whom_its_operator_has_listed():
    rule = public_rule("192.168.1.0/24", "agents.lan", "*.lab", "10.0.0.1:8101", router=["10.9.9.9"])
    made = await guarded(admission=Admission(rule))
    names = {"agents.lan": ["10.1.1.1"], "a.lab": ["10.2.2.2"], "router": ["10.9.9.9"]}
    rule._resolve = resolver(**names)
    allowed = ["http://192.168.1.12/mcp", "http://agents.lan/mcp", "http://a.lab/mcp", "http://10.0.0.1:8101/mcp"]
    refused = ["http://192.168.2.12/mcp", "http://router/mcp", "http://10.0.0.1:8102/mcp", "http://93.184.216.34/mcp"]
    for number, endpoint in enumerate(allowed):
        request = player_request(f"Player {number}", contact_endpoint=endpoint)
        assert (await made.call("register_player", request))["status"] == "ACCEPTED", endpoint
    for endpoint in refused:
        answer = await rejection(made, "register_player", player_request("Eve", contact_endpoint=endpoint))
        assert answer["error_code"] == "E019", endpoint
        assert "security.allowed_endpoints" in answer["reason"]


async def test_who_comes_back_from_elsewhere_is_checked_again():
    made = await guarded(admission=Admission(public_rule()))
    await enrol(made.ledger, 1)
    moved = player_request("Player 1", token_of("P01"), contact_endpoint="http://169.254.169.254/")
    assert (await rejection(made, "register_player", moved))["error_code"] == "E019"


async def test_an_endpoint_of_another_kind_is_rejected_wherever_the_manager_listens():
    elsewhere = (
        "ftp://localhost/mcp",
        "file:///etc/passwd",
        "gopher://localhost/",
        "http://user:secret@localhost/mcp",
        "http://localhost/" + "x" * 2048,
        "http://local\thost/mcp",
        "stdio:rm -rf /",
        "javascript:alert(1)",
    )
    for admission in (Admission(), Admission(public_rule("localhost", localhost=["127.0.0.1"]))):
        made = await guarded(admission=admission)
        for endpoint in elsewhere:
            answer = await rejection(made, "register_player", player_request(contact_endpoint=endpoint))
            assert answer["error_code"] == "E019", endpoint
            assert "secret" not in answer["reason"], endpoint


# --- one address


async def test_one_address_takes_only_so_many_seats():
    made = await guarded(admission=Admission(per_address=2))
    for name in ("Ada", "Bob"):
        await made.call("register_player", player_request(name))
    answer = await rejection(made, "register_player", player_request("Eve"))
    assert answer["error_code"] == "E015"
    other = await rejection(made, "register_referee", referee_request("Whistle"))
    assert other["error_code"] == "E015"
    back = player_request("Ada", "tok-1")
    assert (await made.call("register_player", back))["status"] == "ACCEPTED"


async def test_a_class_behind_one_router_is_let_in(tmp_path: Path):
    roster, clock = ClassRoster(tmp_path / "class.json"), ManualClock()
    lines = "".join(f"{number},Student {number},{number}@example.org\n" for number in range(20))
    roster.save(read_roster("student_id,name,email\n" + lines, clock, ManualIds()))
    admission = Admission(per_address=1, join_secret="open sesame", roster=roster)
    made = await guarded(admission=admission, clock=clock)
    for student in roster.students:
        asked = player_request(student.player) | {"join_secret": student.secret}
        assert (await made.call("register_player", asked))["status"] == "ACCEPTED"
    house = {"join_secret": "open sesame"}
    assert (await made.call("register_player", player_request("Ada") | house))["status"] == "ACCEPTED"
    assert (await rejection(made, "register_player", player_request("Bea") | house))["error_code"] == "E015"


async def test_an_address_that_asks_for_many_seats_at_once_gets_no_more_of_them():
    made, answers = await guarded(admission=Admission(per_address=2)), list[str]()

    async def ask(number: int) -> None:
        answers.append((await made.call("register_player", player_request(f"Player {number}")))["status"])

    async with anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(ask, number)
    assert sorted(answers) == ["ACCEPTED"] * 2 + ["REJECTED"] * 4


async def test_an_ipv6_user_has_one_address_however_many_there_are():
    made = await guarded(admission=Admission(per_address=1))
    accepted = await made.agent.call("register_player", player_request("Ada"), _from("2001:db8::1"))
    assert accepted["status"] == "ACCEPTED"
    answer = await rejection(made, "register_player", player_request("Bob"), address="2001:db8::ffff")
    assert answer["error_code"] == "E015"
    elsewhere = await made.agent.call("register_player", player_request("Bob"), _from("2001:db8:0:1::1"))
    assert elsewhere["status"] == "ACCEPTED"


async def test_a_seat_that_was_not_given_is_not_counted():
    made = await guarded(admission=Admission(per_address=1))
    wrong = player_request("Ada", game_types=["whist"])
    assert (await rejection(made, "register_player", wrong))["error_code"] == "E017"
    assert (await made.call("register_player", player_request("Ada")))["status"] == "ACCEPTED"


def _from(address: str) -> Any:
    from league_sdk.ports import CallContext

    return CallContext(address=address)
