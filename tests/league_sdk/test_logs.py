"""The logs: 003's lines, no secrets, nothing forged, nothing lost at close, quick for the caller."""

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from league_sdk.clock import ManualClock
from league_sdk.logs import REDACTED, AgentLogger, JsonLogger, LeagueJournal, LeagueLogger, LogFiles, files, redact
from league_sdk.logs.redaction import encode_line
from league_sdk.ports import Journal
from tests.requirements.marker import requirement

AT = "2025-01-15T10:00:00.000Z"


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[LogFiles]:
    with LogFiles(tmp_path, clock=ManualClock()) as opened:
        yield opened


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


@requirement(
    "001-PRIN-06",
    "001-DIR-03",
    "003-TREE-04",
    "003-LOG-01",
    "003-LOG-03",
    "003-LOG-04",
    "003-LOG-05",
    "003-LOG-06",
    "003-LOG-09",
    "003-SDK-11",
)
def test_an_agents_lines_carry_the_fields_that_are_documented(logs: LogFiles, tmp_path: Path):
    logger = AgentLogger("P01", logs)
    logger.sent("LEAGUE_REGISTER_REQUEST", "LM01", {"display_name": "Agent Alpha"})
    logger.received("GAME_INVITATION", "REF01")
    logger.event("CIRCUIT_OPENED", "WARNING", peer="REF01")
    logger.log_sent("GAME_JOIN_ACK", "REF01", {"match_id": "R1M1"})
    logger.log_received("GAME_OVER", "REF01")
    logs.flush()
    found = lines(tmp_path / "agents" / "P01.log.jsonl")
    assert found[:3] == [
        {
            "timestamp": AT,
            "agent_id": "P01",
            "direction": "SENT",
            "message_type": "LEAGUE_REGISTER_REQUEST",
            "level": "INFO",
            "peer": "LM01",
            "details": {"display_name": "Agent Alpha"},
        },
        {
            "timestamp": AT,
            "agent_id": "P01",
            "direction": "RECEIVED",
            "message_type": "GAME_INVITATION",
            "level": "INFO",
            "peer": "REF01",
            "details": {},
        },
        {
            "timestamp": AT,
            "agent_id": "P01",
            "event_type": "CIRCUIT_OPENED",
            "level": "WARNING",
            "details": {"peer": "REF01"},
        },
    ]
    assert [(entry["direction"], entry["message_type"]) for entry in found[3:]] == [
        ("SENT", "GAME_JOIN_ACK"),
        ("RECEIVED", "GAME_OVER"),
    ]


@requirement("000-LM-REF-06", "001-PRIN-06", "001-DIR-03", "003-TREE-04", "003-LOG-01", "003-LOG-03", "003-SDK-11")
def test_a_leagues_lines_carry_the_fields_that_are_documented(logs: LogFiles, tmp_path: Path):
    logger = LeagueLogger("league_2025", logs)
    logger.info("league_manager", "ROUND_COMPLETED", round_id=1, completed_matches=2)
    logger.warning("league_manager", "REGISTRATION_TIMEOUT")
    logger.error("referee:REF01", "REFEREE_ERROR", match_id="R1M1")
    logger.log("league_manager", "LEAGUE_STARTED", details={"total_players": 4})
    logs.flush()
    found = lines(tmp_path / "league" / "league_2025" / "league.log.jsonl")
    assert found[0] == {
        "timestamp": AT,
        "component": "league_manager",
        "event_type": "ROUND_COMPLETED",
        "level": "INFO",
        "details": {"round_id": 1, "completed_matches": 2},
    }
    assert [(entry["level"], entry["event_type"]) for entry in found[1:]] == [
        ("WARNING", "REGISTRATION_TIMEOUT"),
        ("ERROR", "REFEREE_ERROR"),
        ("INFO", "LEAGUE_STARTED"),
    ]


@requirement("001-COMP-09", "003-SDK-11")
def test_a_components_lines_carry_their_details_beside_the_fixed_fields(logs: LogFiles, tmp_path: Path):
    logger = JsonLogger("referee:REF01", "league_2025", logs)
    logger.error("GAME_ERROR", match_id="R1M1", timeout_sec=30, component="forged")
    logger.log_message_sent("GAME_INVITATION", "P01", match_id="R1M1")
    logger.log_message_received("GAME_JOIN_ACK", "P01")
    logs.flush()
    found = lines(tmp_path / "league" / "league_2025" / "referee:REF01.log.jsonl")
    assert found[0] == {
        "timestamp": AT,
        "component": "referee:REF01",
        "event_type": "GAME_ERROR",
        "level": "ERROR",
        "match_id": "R1M1",
        "timeout_sec": 30,
        "detail_component": "forged",
    }
    assert [(entry["event_type"], entry["level"]) for entry in found[1:]] == [
        ("MESSAGE_SENT", "DEBUG"),
        ("MESSAGE_RECEIVED", "DEBUG"),
    ]
    assert found[1]["recipient"] == found[2]["sender"] == "P01"


@requirement("001-COMP-09", "001-DIR-05", "003-TREE-04")
def test_the_systems_log_has_a_folder_of_its_own(logs: LogFiles, tmp_path: Path):
    logger = JsonLogger("orchestrator", logs=logs)
    for level in ("debug", "info", "warning", "error"):
        getattr(logger, level)("TOLD")
    logs.flush()
    assert logger.path == tmp_path / "system" / "orchestrator.log.jsonl"
    assert [entry["level"] for entry in lines(logger.path)] == ["DEBUG", "INFO", "WARNING", "ERROR"]


@requirement("000-LM-RESP-05", "003-LOG-08", "003-LOG-11")
def test_the_managers_journal_tells_the_agent_log_and_the_league_log(logs: LogFiles):
    journal = LeagueJournal(AgentLogger("LM01", logs), LeagueLogger("L", logs))
    as_port: Journal = journal
    as_port.sent("ROUND_ANNOUNCEMENT", "P01", {"round_id": 1})
    as_port.received("MATCH_RESULT_REPORT", "REF01")
    as_port.event("STANDINGS_UPDATED", leader="P01")
    journal.close()
    assert [entry["message_type"] for entry in lines(journal.agent.path)] == [
        "ROUND_ANNOUNCEMENT",
        "MATCH_RESULT_REPORT",
    ]
    (event,) = lines(journal.league.path)
    assert (event["component"], event["event_type"], event["details"]) == (
        "league_manager",
        "STANDINGS_UPDATED",
        {"leader": "P01"},
    )


SECRET = "s3cr3t-Value_0123456789"


@requirement("project-STATE-07")
@pytest.mark.parametrize(
    "details",
    [
        {"auth_token": SECRET},
        {"peer_token": SECRET, "player_A_ticket": SECRET},
        {"X": {"Authorization": f"Bearer {SECRET}"}},
        {"deep": [{"deeper": ({"API-Key": SECRET},)}]},
        {"tokens": [SECRET], "secret": {"any": SECRET}},
        {"message": f"401 for Authorization: Bearer {SECRET}"},
        {"message": f"sent bearer   {SECRET}, refused"},
        {"body": json.dumps({"auth_token": SECRET, "n": 1})},
        {"body": json.dumps(json.dumps({"auth_token": SECRET}))},
        {"url": f"http://host/mcp?token={SECRET}&x=1"},
        {"url": f"postgresql://league:{SECRET}@host/db"},
        {"error": ValueError(f"operator_token={SECRET}")},
        {"header": f"set-cookie: {SECRET}"},
    ],
    ids=str,
)
def test_a_secret_never_gets_into_a_log(details: dict[str, Any], logs: LogFiles, tmp_path: Path):
    AgentLogger("P01", logs).sent("LEAGUE_QUERY", "LM01", details)
    LeagueLogger("L", logs).info("league_manager", "TOLD", **details)
    JsonLogger("orchestrator", logs=logs).info("TOLD", **details)
    logs.flush()
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        text = path.read_text()
        assert SECRET not in text
        assert REDACTED in text
        assert lines(path)


def test_what_is_no_secret_stays(logs: LogFiles):
    harmless = {
        "match_id": "R1M1",
        "tokens_used": 812,
        "token": None,
        "endpoint": "http://localhost:8101/mcp",
        "text": "the bear ate 3 tickets",
        "numbers": [1, 2.5, True, None],
    }
    assert redact(harmless) == harmless


def test_strange_values_become_plain_json():
    assert redact({1: float("inf"), "set": {1}, "bytes": b"x", "tuple": (1,)}) == {
        "1": "inf",
        "set": [1],
        "bytes": "b'x'",
        "tuple": [1],
    }


def test_what_has_no_end_is_cut():
    endless: list[Any] = []
    endless.append(endless)
    assert "[too deep]" in json.dumps(redact(endless))
    assert len(redact("x" * 1_000_000)) < 11_000
    assert redact("y" * 10_001).endswith("[1 more characters]")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@requirement("001-PRIN-06", "003-LOG-02", "003-SDK-04")
@given(json_values)
def test_every_value_makes_exactly_one_line_of_ascii(value: Any):
    line = encode_line({"details": value})
    assert "\n" not in line
    assert line.isascii()
    assert line.isprintable()
    assert set(json.loads(line)) == {"details"}


@given(json_values | st.text(alphabet="token secret:=\"'{}\\ bearer/@.,;\u212a", max_size=60))
@example({"to\u212aen": SECRET})
@example("to\u212aen=" + SECRET)
@example({"an": {"api_key": [SECRET]}})
@example("x" * 20_000)
@example([[[[1]]]] * 20)
def test_a_line_is_what_is_left_of_its_entry(value: Any):
    line = encode_line({"details": value})
    assert json.loads(line) == json.loads(json.dumps(redact({"details": value})))


pieces = st.one_of(
    st.text(alphabet="token secret:=\"'{}\\ bearer/@.,;", max_size=60),
    st.lists(
        st.sampled_from(
            ("bearer", "Bearer ", "token", "token=", '"token": "', "secret: ", "://", "a:b@", " ", '"', "\\", "\t", ":")
        ),
        max_size=6,
    ).map("".join),
)


@given(pieces, st.sampled_from(("Bearer ", "auth_token=", '"token": "', "Authorization: Bearer ", 'Bearer "')))
@example("bearer", "Bearer ")
@example("bearer /", "Bearer ")
@example("bearer a=", "Bearer ")
@example("token:", "auth_token=")
@example("token: token:", '"token": "')
@example("auth_token=token=", "Bearer ")
def test_a_secret_is_found_behind_any_text(before: str, mark: str):
    assert SECRET not in redact(f"{before} {mark}{SECRET}")


@given(pieces, st.sampled_from(("Bearer ", "token=", "token: ", "secret:Bearer ")))
def test_a_secret_is_found_behind_any_text_that_touches_its_mark(before: str, mark: str):
    # A letter before a word makes another word of it: `forbearer` marks nothing.
    touching = before if before[-1:] in ("", " ", "=", ":", '"') else f"{before} "
    assert SECRET not in redact(f"{touching}{mark}{SECRET}")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("bearer Bearer SECRET", "bearer [redacted] [redacted]"),
        ("token: Bearer SECRET, refused", "token: Bearer [redacted], refused"),
        ("auth_token=token=SECRET&x=1", "auth_token=[redacted]&x=1"),
        ("token: token: SECRET", "token: [redacted] [redacted]"),
        ("token=bearer-SECRET", "token=[redacted]"),
        ('Authorization: Bearer "SECRET"', 'Authorization: Bearer "[redacted]"'),
    ],
)
def test_words_that_tell_of_a_secret_may_follow_one_another(text: str, kept: str):
    assert redact(text) == kept


def test_no_name_forges_a_line_or_reaches_the_terminal(logs: LogFiles):
    logger = AgentLogger.unregistered('evil\n{"forged": true}\x1b[2J\u202e', logs)
    logger.event("STARTED", name='"}\n{"forged": true}\x9b')
    logs.flush()
    raw = logger.path.read_bytes()
    assert raw.count(b"\n") == 1
    assert raw[:-1].decode("ascii").isprintable()
    assert logger.path.parent.name == "agents"


@pytest.mark.parametrize("bad", ["../up", "a/b", "..", "", ".hidden"])
def test_an_id_that_is_a_path_is_refused(bad: str, logs: LogFiles):
    with pytest.raises(ValueError, match="cannot name a file"):
        AgentLogger(bad, logs)
    with pytest.raises(ValueError, match="cannot name a file"):
        AgentLogger("P01", logs).rename(bad)
    with pytest.raises(ValueError, match="cannot name a file"):
        LeagueLogger(bad, logs)
    with pytest.raises(ValueError, match="cannot name a file"):
        JsonLogger(bad, logs=logs)
    with pytest.raises(ValueError, match="cannot name a file"):
        JsonLogger("orchestrator", bad, logs)


@requirement("003-LOG-09")
def test_an_agent_is_logged_under_its_name_until_it_has_an_id(logs: LogFiles, tmp_path: Path):
    earlier = AgentLogger("P03", logs)
    earlier.event("EARLIER")
    logger = AgentLogger.unregistered("Agent Alpha", logs)
    logger.sent("LEAGUE_REGISTER_REQUEST", "LM01")
    assert logger.path.name.startswith("unregistered-Agent-Alpha-")
    logger.rename("P03")
    logger.rename("P03")
    logger.received("ROUND_ANNOUNCEMENT", "LM01")
    logs.flush()
    found = lines(tmp_path / "agents" / "P03.log.jsonl")
    assert [entry.get("message_type", entry.get("event_type")) for entry in found] == [
        "EARLIER",
        "LEAGUE_REGISTER_REQUEST",
        "ROUND_ANNOUNCEMENT",
    ]
    assert [entry["agent_id"] for entry in found] == ["P03", "Agent Alpha", "P03"]
    assert [path.name for path in (tmp_path / "agents").iterdir()] == ["P03.log.jsonl"]


def test_renaming_works_before_the_first_line_and_to_a_new_file(logs: LogFiles, tmp_path: Path):
    silent = AgentLogger.unregistered("Silent", logs)
    silent.rename("P01")
    silent.event("NOW")
    moved = AgentLogger.unregistered("Moved", logs)
    moved.event("BEFORE")
    moved.rename("P02")
    moved.event("AFTER")
    logs.flush()
    assert len(lines(tmp_path / "agents" / "P01.log.jsonl")) == 1
    assert len(lines(tmp_path / "agents" / "P02.log.jsonl")) == 2
    assert len(list((tmp_path / "agents").iterdir())) == 2


@requirement("001-CONF-05")
def test_files_rotate_by_size_and_the_oldest_go(tmp_path: Path):
    with LogFiles(tmp_path, max_bytes=2_000, backups=2) as logs:
        logger = AgentLogger("P01", logs)
        for number in range(100):
            logger.event("TICK", number=number)
            logs.flush()
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "agents").iterdir()}
    assert set(sizes) == {"P01.log.jsonl", "P01.log.jsonl.1", "P01.log.jsonl.2"}
    assert max(sizes.values()) <= 2_000
    kept = [
        entry["details"]["number"]
        for name in ("P01.log.jsonl.2", "P01.log.jsonl.1", "P01.log.jsonl")
        for entry in lines(tmp_path / "agents" / name)
    ]
    assert kept == list(range(kept[0], 100))


@requirement("003-LOG-07")
def test_lines_below_the_level_are_not_written(tmp_path: Path):
    with LogFiles(tmp_path, level="WARNING") as logs:
        agent, league, own = AgentLogger("P01", logs), LeagueLogger("L", logs), JsonLogger("orchestrator", logs=logs)
        for level in ("DEBUG", "INFO", "WARNING", "ERROR"):
            agent.log("SENT", "TOLD", "P02", level)
            agent.event("TOLD", level)
            league.log("league_manager", "TOLD", level)
            own.log("TOLD", level)
    assert [entry["level"] for entry in lines(agent.path)] == ["WARNING", "WARNING", "ERROR", "ERROR"]
    assert [entry["level"] for entry in lines(league.path)] == ["WARNING", "ERROR"]
    assert [entry["level"] for entry in lines(own.path)] == ["WARNING", "ERROR"]


@requirement("003-LOG-07")
def test_a_level_that_is_none_is_refused(logs: LogFiles, tmp_path: Path):
    with pytest.raises(ValueError, match="DEBUG, INFO, WARNING, ERROR"):
        AgentLogger("P01", logs).event("TOLD", "LOUD")
    with pytest.raises(ValueError, match="DEBUG, INFO, WARNING, ERROR"):
        LogFiles(tmp_path, level="verbose")


@requirement("003-SDK-06")
def test_several_threads_write_whole_lines_and_closing_loses_none(tmp_path: Path):
    logs = LogFiles(tmp_path)

    def write(thread: int) -> None:
        logger = AgentLogger("P01", logs)
        for number in range(500):
            logger.event("TICK", thread=thread, number=number, filler="x" * 100)

    threads = [threading.Thread(target=write, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    logs.close()
    logs.close()
    found = [entry["details"] for entry in lines(tmp_path / "agents" / "P01.log.jsonl")]
    for thread in range(4):
        assert [entry["number"] for entry in found if entry["thread"] == thread] == list(range(500))
    with pytest.raises(ValueError, match="closed"):
        AgentLogger("P01", logs).event("LATE")


def test_a_caller_may_change_its_details_afterwards(logs: LogFiles):
    logger = AgentLogger("P01", logs)
    details = {"n": 1}
    logger.sent("TOLD", "P02", details)
    details["n"] = 2
    logs.flush()
    assert lines(logger.path)[0]["details"] == {"n": 1}


def test_lines_get_to_the_file_without_flushing(logs: LogFiles, monkeypatch: pytest.MonkeyPatch):
    written = threading.Event()
    drain = logs._drain

    def drain_and_tell() -> None:
        drain()
        written.set()

    monkeypatch.setattr(logs, "_drain", drain_and_tell)
    logger = AgentLogger("P01", logs)
    logger.event("TICK")
    assert written.wait(10)
    assert len(lines(logger.path)) == 1


def test_a_logger_with_a_folder_of_its_own_closes_it(tmp_path: Path):
    logger = JsonLogger("orchestrator", logs=tmp_path, clock=ManualClock())
    logger.info("TOLD")
    logger.flush()
    assert lines(logger.path)[0]["timestamp"] == AT
    logger.close()
    with pytest.raises(ValueError, match="closed"):
        logger.info("LATE")


@requirement("000-PL-STOP-01")
def test_the_end_of_the_interpreter_loses_nothing(tmp_path: Path):
    program = (
        "import sys; from pathlib import Path; from league_sdk.logs import AgentLogger\n"
        "logger = AgentLogger('P01', Path(sys.argv[1]))\n"
        "for number in range(1000): logger.event('TICK', number=number)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, timeout=240)
    assert len(lines(tmp_path / "agents" / "P01.log.jsonl")) == 1000


def test_no_more_files_are_open_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files, "MAX_OPEN", 3)
    with LogFiles(tmp_path) as logs:
        loggers = [AgentLogger(f"P{number:02d}", logs) for number in range(10)]
        for _ in range(3):
            for logger in loggers:
                logger.event("TICK")
            logs.flush()
            assert len(logs._handlers) == 3
    assert all(len(lines(logger.path)) == 3 for logger in loggers)


def test_a_disk_that_refuses_is_told_once_and_stops_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "agents").write_text("in the way")
    with caplog.at_level(logging.ERROR), LogFiles(tmp_path) as logs:
        logger, league = AgentLogger("P01", logs), LeagueLogger("L", logs)
        for _ in range(3):
            logger.event("TICK")
            league.info("league_manager", "TICK")
            logs.flush()
        told = [record for record in caplog.records if "cannot write the log" in record.message]
        assert len(told) == 1
        assert "P01.log.jsonl" in told[0].message
        (tmp_path / "agents").unlink()
        logger.event("TICK")
    assert len(lines(logger.path)) == 1
    assert len(lines(league.path)) == 3


def test_a_disk_that_falls_behind_costs_lines_and_says_how_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(files, "MAX_WAITING", 10)
    with caplog.at_level(logging.ERROR), LogFiles(tmp_path) as logs:
        logger = AgentLogger("P01", logs)
        with logs._files:  # as if the disk stood still
            for _ in range(15):
                logger.event("TICK")
        logs.flush()
        assert len(lines(logger.path)) == 10
        assert "5 log lines were dropped" in caplog.text


def test_a_file_that_cannot_be_closed_hides_no_other_failure(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    close = files.RotatingFileHandler.close

    def full(handler: Any) -> None:
        close(handler)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.RotatingFileHandler, "close", full)
    with caplog.at_level(logging.ERROR):
        logs = LogFiles(tmp_path)
        AgentLogger("P01", logs).event("TICK")
        logs.close()
    assert ["No space left on device" in record.message for record in caplog.records] == [True]


def test_what_somebody_may_want_to_look_into_is_told_as_it_is_written(tmp_path: Path):
    told: list[tuple[str, str]] = []
    with LogFiles(tmp_path, clock=ManualClock(), on_trouble=lambda event, level: told.append((event, level))) as logs:
        logger = AgentLogger("P01", logs)
        logger.event("STARTED")
        logger.event("RETRY", "WARNING")
        logger.log("SENT", "GAME_OVER", "P01", "ERROR")
        LeagueLogger("summer", logs).error("league_manager", "STORE_FAILED")
    assert told == [("RETRY", "WARNING"), ("MESSAGE", "ERROR"), ("STORE_FAILED", "ERROR")]


def test_a_line_says_to_which_trace_it_belongs_and_nothing_where_there_is_none(tmp_path: Path):
    traces = iter([None, "4bf92f3577b34da6a3ce929d0e0e4736"])
    with LogFiles(tmp_path, clock=ManualClock(), trace_id=lambda: next(traces)) as logs:
        logger = AgentLogger("P01", logs)
        logger.event("FIRST")
        logger.event("SECOND")
    first, second = lines(tmp_path / "agents" / "P01.log.jsonl")
    assert "trace_id" not in first
    assert second == {**first, "event_type": "SECOND", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736"}
