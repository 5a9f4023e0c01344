"""A whole league that somebody else's manager leads, with players and referees of the checker's."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from league_sdk.domain.model import Role
from league_sdk.game import Json
from league_sdk.protocol.catalog import calls_for
from league_sdk.testing.compliance.answers import Object, as_object
from league_sdk.testing.compliance.entrants import UNKNOWN, WIN, Entrant
from league_sdk.testing.compliance.exam import Exam
from league_sdk.testing.compliance.manager import REGISTRATION, ManagerExam
from league_sdk.testing.compliance.peers import Bell, Heard, Servers, open_servers
from league_sdk.testing.compliance.rules import EVERY_MESSAGE
from league_sdk.testing.compliance.script import Script

MOST_PLAYERS = 64
ENOUGH_PLAYERS = 4
OPEN = "WAITING_FOR_REGISTRATIONS"
RESULTS, STANDINGS, COMPLETED = "Results", "LEAGUE_STANDINGS_UPDATE", "LEAGUE_COMPLETED"


@dataclass(slots=True)
class Season:
    """A league of the checker's agents.

    Attributes:
        script: Knows the game.
        exams: The manager, in each dialect that it speaks; agents use them by turns.
        quiet: For what the manager says of its own accord.
        operator_token: Starts the league, where it does not start by itself.
        patience: Seconds to wait for what the manager does by itself.
        players: Those that have a seat.
        referees: Likewise.
        bell: Rings when one of them hears something.
        points: What the reported results come to, by player.
    """

    script: Script
    exams: Sequence[ManagerExam]
    quiet: Exam
    operator_token: str | None
    patience: float
    players: list[Entrant] = field(default_factory=list[Entrant])
    referees: list[Entrant] = field(default_factory=list[Entrant])
    bell: Bell = field(default_factory=Bell)
    points: dict[str, int] = field(default_factory=dict[str, int])
    _servers: Servers = field(init=False)
    _turn: int = 0

    async def run(self) -> None:
        """From the first stranger to the champion."""
        async with open_servers() as servers:
            await self._run(servers)

    async def _run(self, servers: Servers) -> None:
        self._servers = servers
        player, referee = await self._new(Role.PLAYER), await self._new(Role.REFEREE)
        for exam in self.exams:
            await exam.strangers(player, referee)
        if not await self._enter(referee) or not await self._enter(player):
            self.quiet.skip(
                "the league", REGISTRATION, "it gives no seats; a check needs a manager with a fresh league"
            )
            return
        for exam in self.exams:
            await exam.members(player, referee)
        await self._fill()
        if not await self._until(lambda: bool(self._assignments())):
            expected = "once everybody is registered, or the operator starts it, START_MATCH for each match of round 1"
            self.quiet.note("START_MATCH: the league begins", "START_MATCH", "no match was given out", expected)
            return
        for exam in self.exams:
            await exam.scheduled(player, self.players)
        await self._late()
        await self._play()
        await self._look_back()

    # Registration

    async def _new(self, role: Role) -> Entrant:
        members = self.players if role is Role.PLAYER else self.referees
        name = f"Check {role.capitalize()} {len(members) + 1}"
        entrant = Entrant(role, name, self.script, self.bell)
        await self._servers.start(entrant.agent)
        return entrant

    def _next(self) -> ManagerExam:
        """The dialects by turns."""
        self._turn += 1
        return self.exams[self._turn % len(self.exams)]

    async def _enter(self, entrant: Entrant, label: str = "") -> bool:
        if await self._next().register(entrant, label) is None:
            return False
        self._seated(entrant)
        return True

    def _seated(self, entrant: Entrant) -> None:
        """Count somebody in, whose id nobody else may have."""
        members = self.players if entrant.role is Role.PLAYER else self.referees
        taken = entrant.agent_id in {member.agent_id for member in members}
        problem = f"{entrant.agent_id} was given twice" if taken else ""
        members.append(entrant)
        if taken or len(members) == 2:
            self.quiet.note("an id is one agent's", REGISTRATION, problem, "an id of its own for every agent")

    async def _open(self) -> bool:
        """Whether registration is, or may be, open; a manager that cannot say is asked for seats until it refuses."""
        return await self._next().status(self.players[0]) in (OPEN, UNKNOWN)

    async def _fill(self) -> None:
        """Register players, and then referees, until the league begins; or start it as its operator."""
        while await self._open() and len(self.players) < MOST_PLAYERS:
            if self.operator_token is not None and len(self.players) >= ENOUGH_PLAYERS:
                exam, token = self._next(), self.operator_token
                await exam.exam.ask(exam.calls["start_league"], {"auth_token": token})
                return
            entrant = await self._new(Role.PLAYER)
            if not await self._admitted(entrant):
                break
        while await self._open() and len(self.referees) < MOST_PLAYERS:
            entrant = await self._new(Role.REFEREE)
            if not await self._admitted(entrant):
                break

    async def _admitted(self, entrant: Entrant) -> bool:
        """Register somebody, if there is room."""
        exam = self._next()
        tool = "register_player" if entrant.role is Role.PLAYER else "register_referee"
        request = entrant.registration()
        answer = await exam.exam.call(exam.calls[tool], request)
        reply = as_object(answer.reply)
        if reply.get("status") == "REJECTED" and reply.get("error_code") in ("E015", "E020"):
            return False
        judged = exam.exam.judge_reply(exam.calls[tool], request, answer, f"{entrant.name} registers")
        if judged is None or reply.get("status") != "ACCEPTED":
            return False
        entrant.seated(reply)
        self._seated(entrant)
        return True

    async def _late(self) -> None:
        """Somebody who comes when the league is under way."""
        late = await self._new(Role.PLAYER)
        for exam in self.exams:
            await exam.rejected(late, late.registration(), "when registration is closed", "E020")

    # Matches

    def _assignments(self) -> dict[str, tuple[Entrant, Heard]]:
        """Every match that was given out, with its referee."""
        return {
            str(heard.message.get("match_id")): (referee, heard)
            for referee in self.referees
            for heard in referee.agent.of("start_match")
        }

    async def _until(self, condition: Callable[[], bool]) -> bool:
        return await self.bell.wait_for(condition, self.patience)

    async def _play(self) -> None:
        """Report every match as it is given out; the first one is used for all that can be wrong about a report."""
        total = len(self.players) * (len(self.players) - 1) // 2
        done: set[str] = set()
        while len(done) < total and await self._until(lambda: bool(set(self._assignments()) - done)):
            for match_id, (referee, heard) in sorted(self._assignments().items()):
                if match_id in done:
                    continue
                if not done:
                    await self._wrong_reports(referee, heard.message)
                await self._report(referee, heard.message, first=not done)
                done.add(match_id)
        problem = "" if len(done) == total else f"{len(done)} of {total} matches were given out"
        self.quiet.note("START_MATCH: every match is given out", "START_MATCH", problem, "each match to one referee")

    async def _report(self, referee: Entrant, assignment: Mapping[str, Json], *, first: bool) -> None:
        exam, match_id = self._next(), str(assignment["match_id"])
        report = referee.report(assignment)
        call = exam.calls["report_match_result"]
        await exam.exam.ask(call, report, "" if first else f"the report of {match_id} is acknowledged")
        referee.reported.add(match_id)
        winner = str(report["result"]["winner"])
        self.points[winner] = self.points.get(winner, 0) + WIN
        if not first:
            return
        for again in self.exams:
            await again.exam.ask(call, report, "a MATCH_RESULT_REPORT a second time is acknowledged again")
            other = referee.report(assignment, otherwise=True)
            label = "a MATCH_RESULT_REPORT with another result is refused"
            await again.exam.refused(label, call, other, ("E010",), RESULTS)

    async def _wrong_reports(self, referee: Entrant, assignment: Mapping[str, Json]) -> None:
        """Reports that must not count."""
        for exam in self.exams:
            call, good = exam.calls["report_match_result"], referee.report(assignment)
            player = self.players[0]
            forged = good | {"auth_token": player.token, "sender": player.sender}
            await exam.exam.refused(
                "a MATCH_RESULT_REPORT by a player is refused", call, forged, ("E013",), EVERY_MESSAGE
            )
            unknown = good | {"match_id": "R99M99"}
            label = "a MATCH_RESULT_REPORT of an unknown match is refused"
            await exam.exam.refused(label, call, unknown, ("E007",), RESULTS)
            broken = {name: value for name, value in good.items() if name != "result"}
            label = "a MATCH_RESULT_REPORT without result is refused"
            await exam.exam.refused(label, call, broken, ("E003",), "MATCH_RESULT_REPORT")
            stranger: Object = {**good["result"], "winner": "P9999"}
            label = "a MATCH_RESULT_REPORT with a stranger as winner is refused"
            await exam.exam.refused(label, call, good | {"result": stranger}, ("E002",), "MATCH_RESULT_REPORT")
            for other in (one for one in self.referees if one is not referee):
                taken = good | {"auth_token": other.token, "sender": other.sender}
                label = "a MATCH_RESULT_REPORT by another referee is refused"
                await exam.exam.refused(label, call, taken, ("E007", "E013"), RESULTS)
                break

    # What the manager said

    async def _look_back(self) -> None:
        """Wait for the end, and judge all that the manager sent of its own accord."""
        everyone = [*self.players, *self.referees]
        await self._until(lambda: all(entrant.agent.of("notify_league_completed") for entrant in everyone))
        for role, members in ((Role.PLAYER, self.players), (Role.REFEREE, self.referees)):
            for call in calls_for(role, [self.script.game.move_spec]):
                if call.tool not in members[0].agent.answers or (
                    role is Role.REFEREE and call.tool.startswith("notify")
                ):
                    continue
                messages = [heard.message for member in members for heard in member.agent.of(call.tool)]
                if messages or call.tool != "match_status":
                    self.quiet.judge_heard(call, messages)
        self._look_at_tokens(everyone)
        self._look_at_reach(everyone)
        self._look_at_standings()

    def _look_at_tokens(self, everyone: Sequence[Entrant]) -> None:
        wrong = [
            f"{entrant.agent_id}: {heard.call.tool}"
            for entrant in everyone
            for heard in entrant.agent.heard
            if entrant.peer_token is not None and heard.token != entrant.peer_token
        ]
        problem = f"it did not show the peer_token to {', '.join(wrong[:5])}" if wrong else ""
        expected = "the peer_token from registration, in every message to the agent"
        self.quiet.note("the manager shows its peer_token", EVERY_MESSAGE, problem, expected)

    def _look_at_reach(self, everyone: Sequence[Entrant]) -> None:
        """Whether everybody was told of every round, and of the end."""
        rounds = {heard.message.get("round_id") for _, heard in self._assignments().values()}
        for tool, section, who in (
            ("notify_round", "ROUND_ANNOUNCEMENT", everyone),
            ("update_standings", STANDINGS, self.players),
            ("notify_round_completed", "ROUND_COMPLETED", everyone),
        ):
            missed = [
                f"{entrant.agent_id} of {sorted(map(str, left))}"
                for entrant in who
                if (left := rounds - {heard.message.get("round_id") for heard in entrant.agent.of(tool)})
            ]
            problem = f"it did not tell {', '.join(missed[:5])}" if missed else ""
            self.quiet.note(f"{section}: reaches everybody", section, problem, "in every round, to everybody it is for")
        deaf = [entrant.agent_id for entrant in everyone if not entrant.agent.of("notify_league_completed")]
        problem = f"it did not tell {', '.join(deaf[:5])}" if deaf else ""
        self.quiet.note(f"{COMPLETED}: reaches everybody", COMPLETED, problem, "once, to everybody")

    def _look_at_standings(self) -> None:
        """Whether the points are those of the results that were reported."""
        ends = self.players[0].agent.of("notify_league_completed")
        if not ends:
            self.quiet.skip(f"{COMPLETED}: the standings fit the results", COMPLETED, "the end was not told")
            return
        message = ends[-1].message
        rows = [as_object(row) for row in message.get("final_standings") or ()]
        told = {str(row.get("player_id")): row.get("points") for row in rows}
        wanted = {player.agent_id: self.points.get(player.agent_id, 0) for player in self.players}
        problem = "" if told == wanted else f"it tells {told}"
        name = f"{COMPLETED}: the standings fit the results"
        self.quiet.note(name, COMPLETED, problem, f"3 points for each win: {wanted}", received=dict(message))
        order: list[Json] = [row.get("points") for row in rows]
        ranked = all(isinstance(points, int) for points in order) and order == sorted(order, reverse=True)
        problem = "" if ranked else f"the points are {order}"
        self.quiet.note(f"{COMPLETED}: rank 1 comes first", COMPLETED, problem, "more points, a better rank")
        champion = as_object(message.get("champion")).get("player_id")
        best = max(wanted.values())
        problem = "" if wanted.get(str(champion)) == best else f"the champion is {champion}"
        self.quiet.note(f"{COMPLETED}: the champion has most points", COMPLETED, problem, f"{best} points")
