"""A whole league of scripted players and referees, under the checked manager."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from league_sdk.domain.model import Role
from league_sdk.json_value import Json
from league_sdk.protocol.catalog import calls_for
from league_sdk.testing.compliance.bad_messages import BadMessage
from league_sdk.testing.compliance.manager_suite import REGISTRATION, ManagerSuite
from league_sdk.testing.compliance.reply_rules import EVERY_MESSAGE
from league_sdk.testing.compliance.responses import Object, as_object
from league_sdk.testing.compliance.script import Script
from league_sdk.testing.compliance.scripted_agents import (
    REGISTER,
    UNKNOWN,
    WIN,
    Bell,
    HeardMessage,
    ScriptedEntrant,
    Start,
    open_servers,
)

MOST_PLAYERS = 64
ENOUGH_PLAYERS = 4
OPEN = "WAITING_FOR_REGISTRATIONS"
RESULTS, STANDINGS, COMPLETED = "Results", "LEAGUE_STANDINGS_UPDATE", "LEAGUE_COMPLETED"


@dataclass
class ScriptedLeague:
    """Plays a league with a manager, calling it in each of its dialects in turn.

    The operator's token starts the league if it does not start by itself; `quiet` judges messages that the manager
    sends of its own accord, within `patience` seconds.
    """

    script: Script
    suites: Sequence[ManagerSuite]
    quiet: ManagerSuite
    operator_token: str | None
    patience: float

    def __post_init__(self) -> None:
        self._members: dict[Role, list[ScriptedEntrant]] = {Role.PLAYER: [], Role.REFEREE: []}
        self._bell = Bell()
        self._points: dict[str, int] = {}
        self._turn = 0
        self._start: Start

    @property
    def _players(self) -> list[ScriptedEntrant]:
        return self._members[Role.PLAYER]

    @property
    def _everybody(self) -> list[ScriptedEntrant]:
        return [*self._players, *self._members[Role.REFEREE]]

    async def run(self) -> None:
        """Everything from the first unregistered call to the champion."""
        async with open_servers() as self._start:
            await self._run()

    async def _run(self) -> None:
        player, referee = await self._new(Role.PLAYER), await self._new(Role.REFEREE)
        for suite in self.suites:
            await suite.strangers(player, referee)
        for entrant in (referee, player):
            if await self._next().register(entrant) is None:
                why = "it gives no seats; a check needs a manager with a fresh league"
                self.quiet.skip("the league", REGISTRATION, why)
                return
            self._seat(entrant)
        for suite in self.suites:
            await suite.members(player, referee)
        await self._fill()
        if not await self._until(lambda: bool(self._assignments())):
            expected = "once everybody is registered, or the operator starts it, START_MATCH for each match of round 1"
            self.quiet.note("START_MATCH: the league begins", "START_MATCH", "no match was given out", expected)
            return
        for suite in self.suites:
            await suite.scheduled(player, self._players)
        late = await self._new(Role.PLAYER)
        for suite in self.suites:
            await suite.rejected(late, late.registration(), "when registration is closed", "E020")
        await self._play()
        await self._look_back()

    def _next(self) -> ManagerSuite:
        self._turn += 1
        return self.suites[self._turn % len(self.suites)]

    async def _until(self, condition: Callable[[], bool]) -> bool:
        return await self._bell.wait_for(condition, self.patience)

    # Registration

    async def _new(self, role: Role) -> ScriptedEntrant:
        name = f"Check {role.capitalize()} {len(self._members[role]) + 1}"
        entrant = ScriptedEntrant(self.script, role, name, self._bell)
        await self._start(entrant)
        return entrant

    def _seat(self, entrant: ScriptedEntrant) -> None:
        """Add a registered agent; its id must be unique."""
        members = self._members[entrant.role]
        taken = entrant.agent_id in {member.agent_id for member in members}
        problem = f"{entrant.agent_id} was given twice" if taken else ""
        members.append(entrant)
        if taken or len(members) == 2:
            self.quiet.note("an id is one agent's", REGISTRATION, problem, "an id of its own for every agent")

    async def _open(self) -> bool:
        """True if registration is open, or may be.

        A manager that cannot say so gets registrations until it refuses.
        """
        return await self._next().status(self._players[0]) in (OPEN, UNKNOWN)

    async def _fill(self) -> None:
        """Register players, and then referees, until the league begins; or start it."""
        for role, members in self._members.items():
            while await self._open() and len(members) < MOST_PLAYERS:
                if self.operator_token is not None and len(self._players) >= ENOUGH_PLAYERS:
                    await self._next().ask("start_league", {"auth_token": self.operator_token})
                    return
                if not await self._admitted(await self._new(role)):
                    break

    async def _admitted(self, entrant: ScriptedEntrant) -> bool:
        """Register an agent, if there is room."""
        suite, tool, request = self._next(), REGISTER[entrant.role], entrant.registration()
        answer = await suite.call(tool, request)
        reply = as_object(answer.reply)
        if reply.get("status") == "REJECTED" and reply.get("error_code") in ("E015", "E020"):
            return False
        judged = suite.judge_reply(tool, request, answer, f"{entrant.display_name} registers")
        if judged is None or reply.get("status") != "ACCEPTED":
            return False
        entrant.take_seat(reply)
        self._seat(entrant)
        return True

    # Matches

    def _assignments(self) -> dict[str, tuple[ScriptedEntrant, HeardMessage]]:
        return {
            str(heard.message.get("match_id")): (referee, heard)
            for referee in self._members[Role.REFEREE]
            for heard in referee.of("start_match")
        }

    async def _play(self) -> None:
        """Report every assigned match; the first one also in all the wrong ways."""
        total = len(self._players) * (len(self._players) - 1) // 2
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

    async def _report(self, referee: ScriptedEntrant, assignment: Mapping[str, Json], *, first: bool) -> None:
        tool, match_id, report = "report_match_result", str(assignment["match_id"]), referee.report(assignment)
        await self._next().ask(tool, report, "" if first else f"the report of {match_id} is acknowledged")
        referee.reported.add(match_id)
        winner = str(report["result"]["winner"])
        self._points[winner] = self._points.get(winner, 0) + WIN
        for suite in self.suites if first else ():
            await suite.ask(tool, report, "a MATCH_RESULT_REPORT a second time is acknowledged again")
            other = referee.report(assignment, otherwise=True)
            await suite.refused(tool, other, "with another result", "E010", RESULTS)

    async def _wrong_reports(self, referee: ScriptedEntrant, assignment: Mapping[str, Json]) -> None:
        for suite in self.suites:
            good, player = referee.report(assignment), self._players[0]
            stranger: Object = {**good["result"], "winner": "P9999"}
            forged = {"auth_token": player.token, "sender": player.sender}
            others = [other for other in self._members[Role.REFEREE] if other is not referee][:1]
            cases = (
                BadMessage("by a player", forged, "E013"),
                BadMessage("of an unknown match", {"match_id": "R99M99"}, "E007", RESULTS),
                BadMessage("without result", {"result": None}, "E003"),
                BadMessage("with a stranger as winner", {"result": stranger}, "E002"),
                *(
                    BadMessage(
                        "by another referee", {"auth_token": one.token, "sender": one.sender}, "E007 E013", RESULTS
                    )
                    for one in others
                ),
            )
            await suite.refuse_all("report_match_result", good, cases)

    # Judging what the manager said

    async def _look_back(self) -> None:
        """Wait for the end, and judge all that the manager sent of its own accord."""
        await self._until(lambda: all(entrant.of("notify_league_completed") for entrant in self._everybody))
        for role, members in self._members.items():
            for call in calls_for(role, [self.script.game.move_spec]):
                told_to_players = role is Role.REFEREE and call.tool.startswith("notify")
                if told_to_players or call.tool not in members[0].answers:
                    continue
                messages = [heard.message for member in members for heard in member.of(call.tool)]
                if messages or call.tool != "match_status":
                    self.quiet.judge_heard(call, messages)
        self._look_at_tokens()
        self._look_at_reach()
        self._look_at_standings()

    def _look_at_tokens(self) -> None:
        wrong = [
            f"{entrant.agent_id}: {heard.call.tool}"
            for entrant in self._everybody
            for heard in entrant.heard
            if entrant.peer_token is not None and heard.token != entrant.peer_token
        ]
        problem = f"it did not show the peer_token to {', '.join(wrong[:5])}" if wrong else ""
        expected = "the peer_token from registration, in every message to the agent"
        self.quiet.note("the manager shows its peer_token", EVERY_MESSAGE, problem, expected)

    def _look_at_reach(self) -> None:
        """Judge if all agents were told of every round, and of the end."""
        rounds = {heard.message.get("round_id") for _, heard in self._assignments().values()}
        for tool, section, who in (
            ("notify_round", "ROUND_ANNOUNCEMENT", self._everybody),
            ("update_standings", STANDINGS, self._players),
            ("notify_round_completed", "ROUND_COMPLETED", self._everybody),
        ):
            missed = [
                f"{entrant.agent_id} of {sorted(map(str, left))}"
                for entrant in who
                if (
                    left := self._rounds_of(entrant, rounds)
                    - {heard.message.get("round_id") for heard in entrant.of(tool)}
                )
            ]
            self._note_reach(section, missed, "in every round, to everybody it is for")
        deaf = [entrant.agent_id for entrant in self._everybody if not entrant.of("notify_league_completed")]
        self._note_reach(COMPLETED, deaf, "once, to everybody")

    def _rounds_of(self, entrant: ScriptedEntrant, rounds: set[Json]) -> set[Json]:
        """The rounds to tell an agent of: the last referee may have joined in the first."""
        referees = self._members[Role.REFEREE]
        joined_late = len(referees) > 1 and entrant is referees[-1]
        return rounds - {1} if joined_late else rounds

    def _note_reach(self, section: str, missed: list[str], expected: str) -> None:
        problem = f"it did not tell {', '.join(missed[:5])}" if missed else ""
        self.quiet.note(f"{section}: reaches everybody", section, problem, expected)

    def _look_at_standings(self) -> None:
        """Judge if the points follow from the reported results."""
        name, ends = f"{COMPLETED}: the standings fit the results", self._players[0].of("notify_league_completed")
        if not ends:
            self.quiet.skip(name, COMPLETED, "the end was not told")
            return
        message = ends[-1].message
        rows = [as_object(row) for row in message.get("final_standings") or ()]
        told = {str(row.get("player_id")): row.get("points") for row in rows}
        wanted = {player.agent_id: self._points.get(player.agent_id, 0) for player in self._players}
        problem = "" if told == wanted else f"it tells {told}"
        self.quiet.note(name, COMPLETED, problem, f"3 points for each win: {wanted}", received=dict(message))
        order: list[Json] = [row.get("points") for row in rows]
        ranked = all(isinstance(points, int) for points in order) and order == sorted(order, reverse=True)
        problem = "" if ranked else f"the points are {order}"
        self.quiet.note(f"{COMPLETED}: rank 1 comes first", COMPLETED, problem, "more points, a better rank")
        champion, best = as_object(message.get("champion")).get("player_id"), max(wanted.values())
        problem = "" if wanted.get(str(champion)) == best else f"the champion is {champion}"
        self.quiet.note(f"{COMPLETED}: the champion has most points", COMPLETED, problem, f"{best} points")
