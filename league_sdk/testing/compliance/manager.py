"""What a league manager is put through: registrations, queries and reports, valid and invalid, and a whole league."""

from collections.abc import Mapping, Sequence

from league_sdk.domain.model import Role
from league_sdk.game import Json
from league_sdk.protocol.catalog import CallSpec, calls_for
from league_sdk.testing.compliance.answers import Object, as_object
from league_sdk.testing.compliance.entrants import REGISTER, UNKNOWN, Entrant
from league_sdk.testing.compliance.exam import Exam
from league_sdk.testing.compliance.player import with_token, without
from league_sdk.testing.compliance.rules import EVERY_MESSAGE

QUERIES, QUERY, REGISTRATION = "Queries", "LEAGUE_QUERY", "Registration"
RESPONSES = {Role.PLAYER: "LEAGUE_REGISTER_RESPONSE", Role.REFEREE: "REFEREE_REGISTER_RESPONSE"}
REQUESTS = {Role.PLAYER: "LEAGUE_REGISTER_REQUEST", Role.REFEREE: "REFEREE_REGISTER_REQUEST"}


class ManagerExam:
    """One league manager in one dialect.

    Args:
        exam: How it is asked.
    """

    def __init__(self, exam: Exam) -> None:
        self.exam = exam
        self.calls = {call.tool: call for call in calls_for(Role.LEAGUE_MANAGER)}

    async def strangers(self, player: Entrant, referee: Entrant) -> None:
        """Everything that nobody who has no seat may do; none of it gives one."""
        await self.exam.list_tools(tuple(self.calls.values()))
        for entrant in (referee, player):
            await self._malformed(entrant)
            await self._rejected(entrant, "of another game", "E017", game_types=["a_game_that_nobody_plays"])
            await self._rejected(entrant, "with an endpoint that cannot be called", "E019", contact_endpoint="nowhere")
            await self._rejected(entrant, "with an old protocol version", "E018", protocol_version="1.0.0")
        query, report = self.calls["league_query"], self.calls["report_match_result"]
        await self._refuse(f"a {QUERY} without auth_token", query, player.query("GET_STANDINGS"), "E011")
        wrong = with_token(player.query("GET_STANDINGS"), "wrong")
        await self._refuse(f"a {QUERY} with a wrong auth_token", query, wrong, "E012")
        invented = referee.report(
            {"match_id": "R1M1", "round_id": 1, "player_A_id": "P01", "player_B_id": "P02", "attempt": 1}
        )
        await self._refuse("a MATCH_RESULT_REPORT without auth_token", report, invented, "E011")
        wrong = with_token(invented, "wrong")
        await self._refuse("a MATCH_RESULT_REPORT with a wrong auth_token", report, wrong, "E012")
        await self._refuse("a START_LEAGUE without auth_token", self.calls["start_league"], {}, "E011")
        await self.exam.unknown_tool({})

    async def _malformed(self, entrant: Entrant) -> None:
        call, name = self.calls[REGISTER[entrant.role]], REQUESTS[entrant.role]
        good, meta = entrant.registration(), f"{entrant.role}_meta"
        cases: tuple[tuple[str, Mapping[str, Json], str, str], ...] = (
            ("without protocol", without(good, "protocol"), "E003", EVERY_MESSAGE),
            ("in another protocol", good | {"protocol": "league.v99"}, "E018", EVERY_MESSAGE),
            ("with another message_type", good | {"message_type": "GAME_OVER"}, "E002", EVERY_MESSAGE),
            ("without sender", without(good, "sender"), "E003", EVERY_MESSAGE),
            ("from a malformed sender", good | {"sender": "somebody"}, "E002", EVERY_MESSAGE),
            ("without timestamp", without(good, "timestamp"), "E003", EVERY_MESSAGE),
            ("without a zone in its timestamp", good | {"timestamp": "2025-01-15T10:00:00"}, "E021", EVERY_MESSAGE),
            (
                "with a timestamp of another zone",
                good | {"timestamp": "2025-01-15T12:00:00+02:00"},
                "E021",
                EVERY_MESSAGE,
            ),
            (f"without {meta}", without(good, meta), "E003", name),
            ("without display_name", entrant.registration(display_name=None), "E003", name),
            ("with an empty display_name", entrant.registration(display_name=""), "E002", name),
            ("with a number as display_name", entrant.registration(display_name=7), "E002", name),
            ("with a text as game_types", entrant.registration(game_types="all"), "E002", name),
            ("without contact_endpoint", entrant.registration(contact_endpoint=None), "E003", name),
        )
        for how, message, code, section in cases:
            await self._refuse(f"a {name} {how}", call, message, code, section)

    async def _refuse(
        self, what: str, call: CallSpec, message: Json, codes: str | tuple[str, ...], section: str = EVERY_MESSAGE
    ) -> None:
        allowed = (codes,) if isinstance(codes, str) else codes
        await self.exam.refused(f"{what} is refused", call, message, allowed, section)

    async def _rejected(self, entrant: Entrant, how: str, code: str, **meta: Json) -> None:
        await self.rejected(entrant, entrant.registration(**meta), how, code)

    async def rejected(self, entrant: Entrant, message: Mapping[str, Json], how: str, code: str) -> None:
        """A well-formed request that may not join: a reply that says so."""
        answer = await self.exam.call(self.calls[REGISTER[entrant.role]], message)
        reply = as_object(answer.reply)
        said = {name: reply.get(name) for name in ("status", "error_code")}
        wanted = {"status": "REJECTED", "error_code": code}
        problem = answer.broken
        if not problem and answer.error is not None:
            problem = f"it is refused with error {answer.error.number} ({answer.error.code}), not answered"
        elif not problem:
            problem = "" if said == wanted else f"it is answered with {said}"
        if not problem and not isinstance(reply.get("reason"), str):
            problem = "there is no reason for a person"
        expected = f"a {RESPONSES[entrant.role]} with {wanted}, and a reason"
        name = f"a {REQUESTS[entrant.role]} {how} is rejected"
        self.exam.note(name, REGISTRATION, problem, expected, answer)

    async def register(self, entrant: Entrant, label: str = "") -> Object | None:
        """Register somebody who may; the reply, when it is accepted."""
        message = entrant.registration()
        reply = await self.exam.ask(self.calls[REGISTER[entrant.role]], message, label)
        if reply is None or reply.get("status") != "ACCEPTED":
            return None
        entrant.seated(reply)
        return reply

    async def members(self, player: Entrant, referee: Entrant) -> None:
        """What those may ask, and may not, who have a seat, before there is a schedule."""
        query = self.calls["league_query"]
        for kind in ("GET_STANDINGS", "GET_STATUS"):
            await self._ask(player, kind)
        await self._refuse(f"a {QUERY} of an unknown type", query, player.query("GET_RICH"), "E022", QUERY)
        other = player.query("GET_STATUS", league_id="another_league")
        await self._refuse(f"a {QUERY} about another league", query, other, "E014", QUERY)
        stranger = player.query("GET_PLAYER_STATS", player_id="P9999")
        await self._refuse(f"a {QUERY} about an unknown player", query, stranger, "E005", QUERY)
        mistyped = player.query("GET_STATUS") | {"query_params": "none"}
        await self._refuse(f"a {QUERY} with a text as query_params", query, mistyped, "E002", QUERY)
        forged = player.query("GET_STATUS") | {"sender": referee.sender}
        await self._refuse(f"a {QUERY} in the name of another", query, forged, "E012")
        start: dict[str, Json] = {"auth_token": player.token, "sender": player.sender}
        await self._refuse("a START_LEAGUE by a player", self.calls["start_league"], start, "E013")
        twin = without(player.registration(), "auth_token")
        meta = f"{player.role}_meta"
        twin[meta] = twin[meta] | {"contact_endpoint": player.agent.endpoint.replace("/mcp", "/other")}
        await self.rejected(player, twin, "with a name that is taken", "E016")
        await self._again(player)

    async def _again(self, player: Entrant) -> None:
        """The same agent with its token takes the same seat."""
        before = player.agent_id
        reply = await self.register(player, "a LEAGUE_REGISTER_REQUEST with an earlier token is accepted")
        if reply is not None:
            problem = "" if player.agent_id == before else f"it is {player.agent_id} now, and was {before}"
            expected = "an agent that shows its earlier token takes the same seat"
            self.exam.note("an earlier token gives the same seat", REGISTRATION, problem, expected, received=reply)

    async def _ask(self, entrant: Entrant, kind: str, part: str = "", **params: Json) -> Object | None:
        """A query, and whether its part of the answer is there."""
        part = part or kind.removeprefix("GET_").lower()
        reply = await self.exam.ask(
            self.calls["league_query"], entrant.query(kind, **params), f"a {QUERY} for {kind} is answered"
        )
        if reply is None:
            return None
        problem = "" if part in reply and reply.get("query_type") == kind else f"there is no {part}"
        expected = f"a LEAGUE_QUERY_RESPONSE to {kind}, with {part}"
        self.exam.note(f"LEAGUE_QUERY_RESPONSE: {kind}", "LEAGUE_QUERY_RESPONSE", problem, expected, received=reply)
        return reply

    async def status(self, entrant: Entrant) -> str:
        """The league's state, unjudged."""
        answer = await self.exam.call(self.calls["league_query"], entrant.query("GET_STATUS"))
        return str(as_object(as_object(answer.reply).get("status")).get("state", UNKNOWN))

    async def scheduled(self, player: Entrant, players: Sequence[Entrant]) -> None:
        """What can be asked once there is a schedule."""
        reply = await self._ask(player, "GET_SCHEDULE")
        matches = [as_object(match) for match in (reply or {}).get("schedule") or ()]
        pairs = sorted(tuple(sorted((str(m.get("player_A_id")), str(m.get("player_B_id"))))) for m in matches)
        ids = sorted(entrant.agent_id for entrant in players)
        wanted = sorted((one, other) for number, one in enumerate(ids) for other in ids[number + 1 :])
        problem = "" if pairs == wanted else f"the pairs are {pairs}"
        expected = "everybody meets everybody once"
        self.exam.note("the schedule is a round robin", QUERIES, problem, expected, received=reply)
        rounds: dict[str, list[str]] = {}
        for match in matches:
            rounds.setdefault(str(match.get("round_id")), []).extend(str(match.get(f"player_{x}_id")) for x in "AB")
        twice = [number for number, who in rounds.items() if len(who) != len(set(who))]
        problem = f"somebody plays twice in round {', '.join(twice)}" if twice else ""
        self.exam.note("nobody plays twice in a round", QUERIES, problem, "one match a round", received=reply)
        await self._ask(player, "GET_NEXT_MATCH")
        await self._ask(player, "GET_PLAYER_STATS")
