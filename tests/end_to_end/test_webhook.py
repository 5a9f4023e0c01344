"""A league that tells a webhook of the operator's."""

from tests.end_to_end.program_harness import ProgramHarness
from tests.servers.webhook_receiver import listening


def test_a_whole_league_tells_its_webhook(programs: ProgramHarness):
    with listening() as receiver:
        programs.variables |= {
            "LEAGUE_NOTIFY__WEBHOOK": receiver.url,
            "LEAGUE_NOTIFY__ALLOWED_TARGETS": '["127.0.0.1"]',
        }
        league = programs.run("run", "--players", 2, "--port-base", programs.base)
        assert league.end() == 0, league.err
    assert [body["event"] for body in receiver.bodies] == ["start", "end"]
    assert receiver.url not in league.err + league.out
    written = [path.read_bytes() for path in programs.data.rglob("*") if path.is_file()]
    assert not any(receiver.url.encode() in content for content in written)
