"""Cases for a league manager: registrations and queries, valid and invalid."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from league_sdk.domain.model import Role
from league_sdk.json_value import Json
from league_sdk.testing.compliance.bad_messages import ENVELOPES, TOKENS, BadMessage, changed
from league_sdk.testing.compliance.reply_rules import EVERY_MESSAGE
from league_sdk.testing.compliance.responses import Object, as_object
from league_sdk.testing.compliance.scripted_agents import REGISTER, UNKNOWN, ScriptedEntrant
from league_sdk.testing.compliance.suite import Suite

QUERIES, REGISTRATION = "Queries", "Registration"
RESPONSES = {Role.PLAYER: "LEAGUE_REGISTER_RESPONSE", Role.REFEREE: "REFEREE_REGISTER_RESPONSE"}
REQUESTS = {Role.PLAYER: "LEAGUE_REGISTER_REQUEST", Role.REFEREE: "REFEREE_REGISTER_REQUEST"}
META_FIELDS = (
    BadMessage("without display_name", {"display_name": None}, "E003"),
    BadMessage("with an empty display_name", {"display_name": ""}, "E002"),
    BadMessage("with a number as display_name", {"display_name": 7}, "E002"),
    BadMessage("with a text as game_types", {"game_types": "all"}, "E002"),
    BadMessage("without contact_endpoint", {"contact_endpoint": None}, "E003"),
)
REJECTED: tuple[tuple[str, str, Mapping[str, Json]], ...] = (
    ("of another game", "E017", {"game_types": ["a_game_that_nobody_plays"]}),
    ("with an endpoint that cannot be called", "E019", {"contact_endpoint": "nowhere"}),
    ("with an old protocol version", "E018", {"protocol_version": "1.0.0"}),
)
INVENTED = {"match_id": "R1M1", "round_id": 1, "player_A_id": "P01", "player_B_id": "P02", "attempt": 1}


class ManagerSuite(Suite):
    """One league manager in one dialect."""

    async def strangers(self, player: ScriptedEntrant, referee: ScriptedEntrant) -> None:
        """Calls of unregistered agents, all to be refused or rejected."""
        await self.list_tools()
        for entrant in (referee, player):
            await self._malformed(entrant)
            for how, code, meta in REJECTED:
                await self.rejected(entrant, entrant.registration(**meta), how, code)
        await self.refuse_all("league_query", player.query("GET_STANDINGS"), TOKENS)
        await self.refuse_all("report_match_result", referee.report(INVENTED), TOKENS)
        await self.refused("start_league", {}, "without auth_token", "E011", EVERY_MESSAGE)
        await self.unknown_tool({})

    async def _malformed(self, entrant: ScriptedEntrant) -> None:
        good, meta = entrant.registration(), f"{entrant.role}_meta"
        cases = (
            *(case for case in ENVELOPES if not case.derivable),
            BadMessage(f"without {meta}", {meta: None}, "E003"),
            *(BadMessage(case.how, {meta: changed(good[meta], case.changes)}, case.codes) for case in META_FIELDS),
        )
        await self.refuse_all(REGISTER[entrant.role], good, cases)

    async def rejected(self, entrant: ScriptedEntrant, message: Mapping[str, Json], how: str, code: str) -> None:
        """Send a well-formed registration that has to be rejected, and judge the reply."""
        answer = await self.call(REGISTER[entrant.role], message)
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
        self.note(f"a {REQUESTS[entrant.role]} {how} is rejected", REGISTRATION, problem, expected, answer)

    async def register(self, entrant: ScriptedEntrant, label: str = "") -> Object | None:
        """Register an agent that may join; return the reply, if accepted."""
        reply = await self.ask(REGISTER[entrant.role], entrant.registration(), label)
        if reply is None or reply.get("status") != "ACCEPTED":
            return None
        entrant.take_seat(reply)
        return reply

    async def members(self, player: ScriptedEntrant, referee: ScriptedEntrant) -> None:
        """Calls of registered agents before there is a schedule, valid and invalid."""
        for kind in ("GET_STANDINGS", "GET_STATUS"):
            await self._query(player, kind)
        query = "league_query"
        await self.refused(query, player.query("GET_RICH"), "of an unknown type", "E022")
        other = player.query("GET_STATUS", league_id="another_league")
        await self.refused(query, other, "about another league", "E014")
        stranger = player.query("GET_PLAYER_STATS", player_id="P9999")
        await self.refused(query, stranger, "about an unknown player", "E005")
        cases = (
            BadMessage("with a text as query_params", {"query_params": "none"}, "E002"),
            BadMessage("in the name of another", {"sender": referee.sender}, "E012"),
        )
        await self.refuse_all(query, player.query("GET_STATUS"), cases)
        start: dict[str, Json] = {"auth_token": player.token, "sender": player.sender}
        await self.refused("start_league", start, "by a player", "E013", EVERY_MESSAGE)
        elsewhere = player.registration(contact_endpoint=player.endpoint.replace("/mcp", "/other"))
        await self.rejected(player, changed(elsewhere, {"auth_token": None}), "with a name that is taken", "E016")
        await self._again(player)

    async def _again(self, player: ScriptedEntrant) -> None:
        """The same agent registers again with its token, and keeps its id."""
        before = player.agent_id
        reply = await self.register(player, "a LEAGUE_REGISTER_REQUEST with an earlier token is accepted")
        if reply is not None:
            problem = "" if player.agent_id == before else f"it is {player.agent_id} now, and was {before}"
            expected = "an agent that shows its earlier token takes the same seat"
            self.note("an earlier token gives the same seat", REGISTRATION, problem, expected, received=reply)

    async def _query(self, entrant: ScriptedEntrant, kind: str) -> Object | None:
        """Send a query, and look for the part of the reply that answers it."""
        part = kind.removeprefix("GET_").lower()
        reply = await self.ask("league_query", entrant.query(kind), f"a LEAGUE_QUERY for {kind} is answered")
        if reply is None:
            return None
        problem = "" if part in reply and reply.get("query_type") == kind else f"there is no {part}"
        expected = f"a LEAGUE_QUERY_RESPONSE to {kind}, with {part}"
        self.note(f"LEAGUE_QUERY_RESPONSE: {kind}", "LEAGUE_QUERY_RESPONSE", problem, expected, received=reply)
        return reply

    async def status(self, entrant: ScriptedEntrant) -> str:
        """The league's state, unjudged."""
        answer = await self.call("league_query", entrant.query("GET_STATUS"))
        return str(as_object(as_object(answer.reply).get("status")).get("state", UNKNOWN))

    async def scheduled(self, player: ScriptedEntrant, players: Sequence[ScriptedEntrant]) -> None:
        """The queries that make sense once there is a schedule."""
        reply = await self._query(player, "GET_SCHEDULE")
        rounds: dict[str, list[str]] = {}
        pairs: list[tuple[str, ...]] = []
        for match in (as_object(match) for match in (reply or {}).get("schedule") or ()):
            pair = [str(match.get(f"player_{seat}_id")) for seat in "AB"]
            pairs.append(tuple(sorted(pair)))
            rounds.setdefault(str(match.get("round_id")), []).extend(pair)
        wanted = list(combinations(sorted(entrant.agent_id for entrant in players), 2))
        problem = "" if sorted(pairs) == wanted else f"the pairs are {sorted(pairs)}"
        expected = "everybody meets everybody once"
        self.note("the schedule is a round robin", QUERIES, problem, expected, received=reply)
        twice = [number for number, who in rounds.items() if len(who) != len(set(who))]
        problem = f"somebody plays twice in round {', '.join(twice)}" if twice else ""
        self.note("nobody plays twice in a round", QUERIES, problem, "one match a round", received=reply)
        await self._query(player, "GET_NEXT_MATCH")
        await self._query(player, "GET_PLAYER_STATS")
