import json
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from league_sdk.clock import ManualClock
from league_sdk.domain.commands import (
    CompleteLeague,
    CompleteRound,
    RecordResult,
    RemovePlayer,
    ResumeLeague,
    StopLeague,
)
from league_sdk.domain.decisions.result_summary import summarised
from league_sdk.domain.events import Record
from league_sdk.domain.evolution import evolve
from league_sdk.domain.league_state import League
from league_sdk.domain.model import LeagueRules, Role
from league_sdk.logs import JsonLogger
from league_sdk.settings import Workspace
from servers.agent import startup_status
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import Report, ReportTo
from servers.launcher import supervisor
from servers.launcher.plan import LaunchPlan
from servers.launcher.supervisor import RunEnding, RunOutcome, Supervisor
from servers.launcher.worker_processes import in_this_process
from tests.requirements.marker import requirement
from tests.servers.league_history import LeagueHistory, begun, finished, under_way, waiting

pytestmark = pytest.mark.anyio
Part = Callable[[AgentSpec, ReportTo], Awaitable[int]]
"""Behaviour of a fake agent once it is started."""


@dataclass
class Notes:
    """A view that keeps what it is told."""

    happened: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])

    def league(self, league: League, record: Record) -> None:
        self.happened.append(record.type)

    def waits(self, lines: object) -> None: ...

    def note(self, text: str) -> None:
        self.notes.append(text)


@dataclass
class Stage:
    """Runs fake agents, and knows who is there.

    Attributes:
        parts: What an agent does, by name; the others wait for their end.
        starts: Who was started, in order.
        there: Who has not ended.
        ended: Set for an agent once it has ended.
    """

    parts: dict[str, Part | list[Part]]
    starts: list[AgentSpec] = field(default_factory=list[AgentSpec])
    there: list[str] = field(default_factory=list[str])

    async def launch(self, spec: AgentSpec, report: ReportTo) -> int:
        self.starts.append(spec)
        self.there.append(spec.name)
        part = self.parts.get(spec.name, wait_for_the_end)
        try:
            return await (part.pop(0) if isinstance(part, list) else part)(spec, report)
        finally:
            self.there.remove(spec.name)


async def wait_for_the_end(spec: AgentSpec, report: ReportTo) -> int:
    report(startup_status.listening(f"http://localhost/{spec.name}"))
    await anyio.sleep_forever()
    return 0


def tells(told: list[Report], code: int | None = None) -> Part:
    """An agent that startup_status, and then ends with `code`, or waits when there is none."""

    async def part(_: AgentSpec, report: ReportTo) -> int:
        for item in told:
            report(item)
            await anyio.lowlevel.checkpoint()
        if code is None:
            await anyio.sleep_forever()
        return code or 0

    return part


def ends(code: int) -> Part:
    return tells([], code)


def after(event: anyio.Event, part: Part) -> Part:
    async def later(spec: AgentSpec, report: ReportTo) -> int:
        await event.wait()
        return await part(spec, report)

    return later


def leads(history: LeagueHistory, done: anyio.Event | None = None, code: int | None = None) -> Part:
    """A manager that reports a history."""

    async def part(spec: AgentSpec, report: ReportTo) -> int:
        await tells(history.reports(), 0)(spec, report)
        if done is not None:
            done.set()
        return await tells([], code)(spec, report)

    return part


def plan(names: tuple[str, ...] = ("Referee 1", "Player 1", "Player 2")) -> LaunchPlan:
    workspace = Workspace(Path("/nowhere"))

    def spec(role: Role, name: str) -> AgentSpec:
        return AgentSpec(role, name, workspace.root)

    return LaunchPlan(
        "summer",
        workspace,
        LeagueRules("summer", "fingers"),
        spec(Role.LEAGUE_MANAGER, "Manager"),
        tuple(spec(Role.REFEREE, name) for name in names if name.startswith("Referee")),
        tuple(spec(Role.PLAYER, name) for name in names if name.startswith("Player")),
    )


def as_kept(records: Sequence[Record]) -> League | None:
    """The league as a launcher keeps it: a launcher that kept every result whole would grow by 21 KB a match."""
    league: League | None = None
    for record in records:
        league = evolve(league, summarised(record.event, league))
    return league


async def run(
    stage: Stage, made: LaunchPlan | None = None, view: Any = None, restarts: int = 0, **more: Any
) -> RunOutcome:
    with anyio.fail_after(30):
        clock = ManualClock()
        keeper = Supervisor(made or plan(), stage.launch, view or Notes(), restarts=restarts, clock=clock, **more)
        outcome = await keeper.run()
    assert stage.there == []
    return outcome


async def test_a_league_that_ends_well_is_complete_and_everybody_has_ended():
    history, over, view = finished(2), anyio.Event(), Notes()
    stage = Stage(
        {
            "Manager": leads(history, over, 0),
            **{name: after(over, ends(0)) for name in ("Referee 1", "Player 1", "Player 2")},
        }
    )
    outcome = await run(stage, view=view)
    assert outcome == RunOutcome(RunEnding.COMPLETED, as_kept(history.records()), [])
    assert view.happened == [record.type for record in history.records()]
    assert view.notes == []
    assert [spec.name for spec in stage.starts] == ["Manager", "Referee 1", "Player 1", "Player 2"]


async def test_agents_that_stay_after_the_end_are_ended(monkeypatch):
    monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
    outcome = await run(Stage({"Manager": leads(finished(2))}))
    assert outcome.ending is RunEnding.COMPLETED


async def test_many_agents_have_longer_to_hear_of_the_end():
    assert supervisor.farewell_sec(7) == supervisor.FAREWELL_SEC
    assert supervisor.farewell_sec(1003) * 300 > 3 * 1003, "the calls of the end at 300 a second"


async def test_agents_of_different_roles_may_have_one_name(monkeypatch):
    monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
    made = plan(("Referee 1", "Player 1", "Player 2"))
    twin = AgentSpec(Role.PLAYER, "Referee 1", Path("/nowhere"), port=1)
    both = LaunchPlan(made.league_id, made.workspace, made.rules, made.manager, made.referees, (*made.players, twin))
    history = finished(2)
    begins, over = anyio.Event(), anyio.Event()

    async def manager(spec: AgentSpec, report: ReportTo) -> int:
        await tells(history.reports()[:7], 0)(spec, report)
        begins.set()
        await over.wait()
        return await tells(history.reports(7), 0)(spec, report)

    async def namesake(spec: AgentSpec, report: ReportTo) -> int:
        await begins.wait()
        if spec.role is Role.PLAYER:
            over.set()
            return 1
        await anyio.sleep_forever()
        return 0

    outcome = await run(Stage({"Manager": manager, "Referee 1": namesake}), both)
    assert (outcome.ending, outcome.reasons) == (RunEnding.COMPLETED, [])


class TestBeforeTheStart:
    @requirement("project-CLI-01")
    @pytest.mark.parametrize("name", ["Manager", "Referee 1", "Player 2"])
    async def test_an_agent_that_cannot_start_ends_the_run_with_its_reason(self, name):
        stage = Stage({name: tells([startup_status.failed("port 8101 on 127.0.0.1 is in use")], 1)})
        outcome = await run(stage)
        assert outcome == RunOutcome(RunEnding.FAILED, None, [f"{name}: port 8101 on 127.0.0.1 is in use"])

    @pytest.mark.parametrize(("code", "how"), [(0, "ended"), (3, "ended with exit code 3"), (-9, "signal 9")])
    async def test_an_agent_that_ends_without_a_word_is_named(self, code, how):
        outcome = await run(Stage({"Player 1": ends(code)}))
        assert outcome.ending is RunEnding.FAILED
        assert len(outcome.reasons) == 1
        assert outcome.reasons[0].startswith("Player 1")
        assert how in outcome.reasons[0]
        assert "before the league was over" in outcome.reasons[0]

    async def test_an_agent_that_dies_in_registration_ends_the_run(self):
        registering = anyio.Event()
        stage = Stage({"Manager": leads(waiting(2), registering), "Player 1": after(registering, ends(-9))})
        outcome = await run(stage)
        assert outcome.ending is RunEnding.FAILED
        assert outcome.league is not None
        assert len(outcome.league.players) == 2


class TestInTheMiddle:
    @requirement("004-ERR-08")
    async def test_the_league_goes_on_without_a_player(self, monkeypatch):
        monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
        history, running, lost, view = finished(2), anyio.Event(), anyio.Event(), Notes()

        async def manager(spec: AgentSpec, report: ReportTo) -> int:
            await tells(history.reports()[:7], 0)(spec, report)
            running.set()
            await lost.wait()
            return await tells(history.reports(7), 0)(spec, report)

        async def player(spec: AgentSpec, report: ReportTo) -> int:
            await running.wait()
            lost.set()
            return -9

        outcome = await run(Stage({"Manager": manager, "Player 1": player}), view=view)
        assert (outcome.ending, outcome.reasons) == (RunEnding.COMPLETED, [])
        assert view.notes == ["Player 1 was ended by signal 9; the league continues without it"]

    async def test_without_any_referee_it_cannot_go_on(self):
        begins = anyio.Event()
        made = plan(("Referee 1", "Referee 2", "Player 1", "Player 2"))
        stage = Stage(
            {
                "Manager": leads(begun(2), begins),
                "Referee 1": after(begins, ends(-9)),
                "Referee 2": after(begins, ends(1)),
            }
        )
        view = Notes()
        outcome = await run(stage, made, view)
        assert (outcome.ending, outcome.reasons) == (RunEnding.FAILED, ["no referee is left"])
        assert len(view.notes) == 2

    async def test_without_its_manager_it_cannot_go_on(self):
        history = under_way(2)
        outcome = await run(Stage({"Manager": leads(history, code=-11)}))
        assert outcome.ending is RunEnding.FAILED
        assert outcome.reasons == ["Manager was ended by signal 11 before the league was over"]
        assert outcome.league == history.league

    async def test_a_manager_that_says_why_is_quoted(self):
        told = [*under_way(2).reports(), startup_status.failed("the disk is full")]
        outcome = await run(Stage({"Manager": tells(told, 1)}))
        assert (outcome.ending, outcome.reasons) == (RunEnding.FAILED, ["Manager: the disk is full"])

    async def test_a_league_that_its_operator_stops_is_stopped_and_not_failed(self):
        history = under_way(2)
        history.do(StopLeague("enough for today"))
        outcome = await run(Stage({"Manager": leads(history, code=1)}))
        assert (outcome.ending, outcome.reasons) == (RunEnding.STOPPED, [])
        assert outcome.league is not None
        assert outcome.league.stop_reason == "enough for today"

    async def test_a_manager_whose_league_was_stopped_is_not_started_again(self):
        history = under_way(2)
        history.do(StopLeague("enough for today"))
        stage = Stage({"Manager": leads(history, code=1)})
        await run(stage, restarts=3)
        assert [spec.name for spec in stage.starts].count("Manager") == 1

    async def test_a_league_that_its_operator_pauses_goes_on_while_its_manager_is_there(self, monkeypatch):
        monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
        history = under_way(2)
        history.do(StopLeague("paused by the operator"))
        known, left = len(history.records()), anyio.Event()

        async def manager(spec: AgentSpec, report: ReportTo) -> int:
            await tells(history.reports(), 0)(spec, report)
            left.set()
            await anyio.wait_all_tasks_blocked()
            history.do(ResumeLeague())
            history.season.record("R1M1", "P01")
            for command in (CompleteRound(1), CompleteLeague()):
                history.do(command)
            return await tells(history.reports(known), 0)(spec, report)

        outcome = await run(Stage({"Manager": manager, "Player 1": after(left, ends(1))}))
        assert (outcome.ending, outcome.reasons) == (RunEnding.COMPLETED, [])

    async def test_what_an_agent_wants_to_be_seen_is_shown_with_its_name(self):
        view = Notes()
        told = [
            startup_status.note("a strategy failed"),
            startup_status.waiting("for the manager"),
            startup_status.match_news("won"),
        ]
        await run(Stage({"Player 1": tells(told), "Manager": ends(1)}), view=view)
        assert view.notes == ["Player 1: a strategy failed"]


class TestRefereesThatComeAndGo:
    async def test_they_join_when_a_round_needs_them_and_leave_when_later_ones_do_not(self, monkeypatch):
        monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
        history, view = begun(4), Notes()
        known = len(history.records()) + 1  # with the start of round 1
        history.season.play_round(1)
        history.do(RemovePlayer("P04"))  # so that one match of each later round is open
        for round_id in (2, 3):
            history.season.play_round(round_id)
        history.do(CompleteLeague())
        made = plan(("Referee 1", "Player 1", "Player 2"))
        spare = tuple(replace(made.referees[0], name=f"Referee {number}", port=number) for number in (2, 3))
        made = replace(made, spare=spare, rules=replace(made.rules, expected_referees=1))
        joined, left = anyio.Event(), anyio.Event()

        async def manager(spec: AgentSpec, report: ReportTo) -> int:
            await tells(history.reports()[:known], 0)(spec, report)
            await joined.wait()
            await tells(history.reports()[known:-1], 0)(spec, report)
            await left.wait()
            return await tells(history.reports()[-1:], 0)(spec, report)

        async def newcomer(spec: AgentSpec, report: ReportTo) -> int:
            joined.set()
            assert spec.leave is not None
            await spec.leave.wait()
            left.set()
            return 0

        outcome = await run(Stage({"Manager": manager, "Referee 3": newcomer}), made, view, restarts=1)
        assert (outcome.ending, outcome.reasons) == (RunEnding.COMPLETED, [])
        assert view.notes == ["Referee 3 joins: 2 matches are open", "Referee 3 leaves: 1 match is open"]

    async def test_one_that_comes_when_the_league_is_just_over_is_no_failure(self, monkeypatch):
        monkeypatch.setattr(supervisor, "FAREWELL_SEC", 30.0)
        history, view, over = finished(4), Notes(), anyio.Event()
        made = plan(("Referee 1", "Player 1", "Player 2"))
        made = replace(made, spare=(replace(made.referees[0], name="Referee 3", port=3),))
        refused = tells([startup_status.failed("registration is closed")], 1)
        parts: dict[str, Any] = {name: after(over, ends(0)) for name in ("Referee 1", "Player 1", "Player 2")}
        stage = Stage({**parts, "Manager": leads(history, over, 0), "Referee 3": after(over, refused)})
        outcome = await run(stage, made, view)
        assert (outcome.ending, outcome.reasons) == (RunEnding.COMPLETED, [])


class TestStartingAgain:
    async def test_an_agent_that_crashed_is_started_again(self, monkeypatch):
        monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
        history, back, view = finished(2), anyio.Event(), Notes()

        async def returns(spec: AgentSpec, report: ReportTo) -> int:
            back.set()
            return await wait_for_the_end(spec, report)

        stage = Stage({"Player 1": [ends(-9), ends(1), returns], "Manager": after(back, leads(history))})
        outcome = await run(stage, view=view, restarts=3)
        assert (outcome.ending, outcome.reasons) == (RunEnding.COMPLETED, [])
        assert [spec.name for spec in stage.starts].count("Player 1") == 3
        assert view.notes == [
            "Player 1 was ended by signal 9; it is started again (1 of 3)",
            "Player 1 ended with exit code 1; it is started again (2 of 3)",
        ]

    @requirement("project-TRUST-17")
    async def test_the_run_and_what_befalls_its_agents_is_in_the_systems_log(self, tmp_path, monkeypatch):
        monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
        history, back = finished(2), anyio.Event()

        async def returns(spec: AgentSpec, report: ReportTo) -> int:
            back.set()
            return await wait_for_the_end(spec, report)

        stage = Stage({"Player 1": [ends(-9), returns], "Manager": after(back, leads(history))})
        with closing(JsonLogger("orchestrator", logs=tmp_path)) as log:
            await run(stage, restarts=3, log=log)
        lines = (tmp_path / "system" / "orchestrator.log.jsonl").read_text().splitlines()
        started, restarted, ended = (json.loads(line) for line in lines)
        assert (started["event_type"], started["league_id"]) == ("RUN_STARTED", "summer")
        assert (restarted["level"], restarted["event_type"]) == ("WARNING", "AGENT_RESTARTED")
        assert (restarted["name"], restarted["exit_code"]) == ("Player 1", -9)
        assert (ended["event_type"], ended["ending"]) == ("RUN_ENDED", "completed")

    async def test_it_is_not_started_for_ever(self):
        stage = Stage({"Player 1": ends(-9)})
        outcome = await run(stage, restarts=2)
        assert outcome.ending is RunEnding.FAILED
        assert [spec.name for spec in stage.starts].count("Player 1") == 3

    async def test_an_agent_that_said_why_is_not_started_again(self):
        stage = Stage({"Player 1": tells([startup_status.failed("the port is in use")], 1)})
        outcome = await run(stage, restarts=3)
        assert outcome.reasons == ["Player 1: the port is in use"]
        assert [spec.name for spec in stage.starts].count("Player 1") == 1

    async def test_a_manager_that_is_started_again_reads_everything_anew(self, monkeypatch):
        monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
        history = finished(2)
        records = history.records()

        async def first(spec: AgentSpec, report: ReportTo) -> int:
            await tells(history.reports()[:8], 0)(spec, report)
            return -9

        async def second(spec: AgentSpec, report: ReportTo) -> int:
            assert spec.resume
            startup_status.all_recorded(
                report, records[:9], replayed=True
            )  # one was stored that nobody had been told of
            startup_status.all_recorded(report, records[9:])
            return 0

        view = Notes()
        outcome = await run(Stage({"Manager": [first, second]}), view=view, restarts=1)
        assert (outcome.ending, outcome.league) == (RunEnding.COMPLETED, as_kept(records))
        assert view.happened == [record.type for number, record in enumerate(records) if number != 8]

    async def test_the_league_goes_on_without_a_player_that_is_lost_while_its_manager_is_away(self, monkeypatch):
        monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
        history, lost, killed = finished(2), anyio.Event(), anyio.Event()
        records = history.records()

        async def first(spec: AgentSpec, report: ReportTo) -> int:
            startup_status.all_recorded(report, records[:8])
            killed.set()
            return -9

        async def second(spec: AgentSpec, report: ReportTo) -> int:
            await lost.wait()
            startup_status.all_recorded(report, records[:8], replayed=True)
            startup_status.all_recorded(report, records[8:])
            return 0

        async def player(spec: AgentSpec, report: ReportTo) -> int:
            report(startup_status.failed("the league manager has not answered for 20 s"))
            lost.set()
            return 1

        view = Notes()
        stage = Stage({"Manager": [first, second], "Player 1": after(killed, player)})
        outcome = await run(stage, view=view, restarts=1)
        assert (outcome.ending, outcome.league) == (RunEnding.COMPLETED, as_kept(records))
        assert any("Player 1" in note and "the league continues without it" in note for note in view.notes)

    async def test_a_manager_that_is_killed_before_a_stopped_league_goes_on_is_started_again(self, monkeypatch):
        monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
        history = under_way(2)
        history.do(StopLeague("interrupted"))
        known = list(history.records())
        history.do(ResumeLeague("again"))
        history.season.record("R1M1", "P01")
        for command in (CompleteRound(1), CompleteLeague()):
            history.do(command)

        async def first(spec: AgentSpec, report: ReportTo) -> int:
            startup_status.all_recorded(report, known, replayed=True)
            return -9

        async def second(spec: AgentSpec, report: ReportTo) -> int:
            startup_status.all_recorded(report, known, replayed=True)
            startup_status.all_recorded(report, history.records()[len(known) :])
            return 0

        outcome = await run(Stage({"Manager": [first, second]}), restarts=1)
        assert (outcome.ending, outcome.reasons) == (RunEnding.COMPLETED, [])

    async def test_a_manager_that_was_killed_at_the_last_moment_is_still_noticed_to_be_done(self, monkeypatch):
        monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
        history = finished(2)

        async def second(spec: AgentSpec, report: ReportTo) -> int:
            startup_status.all_recorded(report, history.records(), replayed=True)
            report(startup_status.listening("http://localhost/mcp"))
            await anyio.sleep_forever()
            return 0

        outcome = await run(Stage({"Manager": [ends(-9), second]}), restarts=1)
        assert (outcome.ending, outcome.league) == (RunEnding.COMPLETED, as_kept(history.records()))


class TestInterruption:
    @requirement("project-CLI-01")
    @pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
    async def test_a_signal_ends_every_agent_and_keeps_what_is_recorded(self, which):
        history, begins, view = under_way(2), anyio.Event(), Notes()

        async def interrupt(spec: AgentSpec, report: ReportTo) -> int:
            await begins.wait()
            os.kill(os.getpid(), which)
            os.kill(os.getpid(), which)
            return await wait_for_the_end(spec, report)

        outcome = await run(Stage({"Manager": leads(history, begins), "Player 1": interrupt}), view=view)
        reasons = {signal.SIGINT: [], signal.SIGTERM: ["ended by SIGTERM"]}[which]
        assert (outcome.ending, outcome.league, outcome.reasons) == (RunEnding.INTERRUPTED, history.league, reasons)
        assert view.notes == ["stopping: every agent is told to end"]

    async def test_before_anything_happened_it_is_interrupted_too(self):
        async def interrupt(spec: AgentSpec, report: ReportTo) -> int:
            os.kill(os.getpid(), signal.SIGINT)
            await anyio.sleep_forever()
            return 0

        outcome = await run(Stage({"Manager": interrupt}))
        assert (outcome.ending, outcome.league) == (RunEnding.INTERRUPTED, None)


async def test_a_league_that_goes_on_does_not_tell_again_what_is_known(monkeypatch):
    monkeypatch.setattr(supervisor, "FAREWELL_SEC", 0.01)
    history, view = under_way(2), Notes()
    history.do(StopLeague("interrupted"))
    known = list(history.records())
    history.do(ResumeLeague("again"))
    history.do(RecordResult(history.season.result("R1M1", "P01")))

    async def manager(spec: AgentSpec, report: ReportTo) -> int:
        startup_status.all_recorded(report, known, replayed=True)
        startup_status.all_recorded(report, history.records()[len(known) :])
        return 1

    outcome = await run(Stage({"Manager": manager}), view=view)
    assert view.happened == ["LeagueResumed", "MatchRecorded"]
    assert outcome.league == as_kept(history.records())


@requirement("project-CLI-04")
async def test_a_fault_in_an_agent_on_the_same_loop_ends_that_agent_alone(monkeypatch, caplog):
    async def broken(spec: AgentSpec, report: ReportTo) -> int:
        raise RuntimeError("a bug")

    monkeypatch.setattr("servers.launcher.agents.run_agent", broken)
    assert await in_this_process(plan().manager, lambda _: None) == 1
    assert "Manager: a fault in the program" in caplog.text


@pytest.fixture(autouse=True)
def _default_handlers() -> Iterator[None]:
    """Whatever a test does to signals, the next one finds them as they were."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("history", [waiting, under_way], ids=["before the schedule", "under way"])
@pytest.mark.parametrize("way", ["it is refused", "it crashes"])
async def test_nobody_misses_a_player_that_was_removed(history: Callable[[int], LeagueHistory], way: str):
    told, notes, course = anyio.Event(), Notes(), history(3)
    course.do(RemovePlayer("P01"))
    refusal = [startup_status.failed("P01 was removed by the operator (E012)")] if way == "it is refused" else []

    async def goes_on(spec: AgentSpec, report: ReportTo) -> int:
        await leads(course, told, 0)(spec, report)
        while not notes.notes:
            await anyio.lowlevel.checkpoint()
        known = len(course.records())
        course.do(StopLeague("enough"))
        return await tells(course.reports(known), 0)(spec, report)

    stage = Stage({"Manager": goes_on, "Player 1": after(told, tells(refusal, 1))})
    outcome = await run(stage, view=notes, restarts=3)
    assert notes.notes == ["Player 1 ended with exit code 1; it has left the league"]
    assert [spec.name for spec in stage.starts].count("Player 1") == 1
    assert (outcome.ending, outcome.reasons) == (RunEnding.STOPPED, [])
