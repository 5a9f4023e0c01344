"""Whole leagues with hostile players, and what may come of them: every match is decided, and nobody else pays."""

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import anyio

from league_sdk import plugins
from league_sdk.audit import audit
from league_sdk.domain.events import AgentReturned, MatchAssigned, RoundStarted
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import ResultStatus, StageRules
from tests.faults.hostile import hostile_player
from tests.faults.hostile_referees import Liar
from tests.faults.league_harness import HEALTHY, LeagueHarness, league_harness, patient_client, play_among
from tests.faults.rogue import Rogue

TABLES: Final = "lowest_unique_number"
"""The game of three; its leagues are played at tables."""
GAMES: Final = ("even_odd", "tic_tac_toe", "rock_paper_scissors", TABLES)
QUICK: Final[Mapping[str, Any]] = {"security.max_message_bytes": 4_194_304, "retry_policy.backoff_base_sec": 0.001}
LIMIT: Final = 120.0
"""Seconds that a league may take on a busy machine."""


PATIENCE: Final = {"timeouts.referee_timeout_sec": 1.5}
"""Bounds on the time of a match at a referee that does not play it."""
REFUSED: Final = {"E002", "E007", "E008", "E010", "E013", "E030", "E031"}
"""Answers to a lying referee."""


async def hostile_league(folder: Path, seed: int, *, liars: int = 0) -> LeagueHarness:
    """Play one league with two good players and two hostile ones, one of which speaks MCP.

    Hostile referees register before the honest one.
    """
    rng = random.Random(seed)
    game = GAMES[seed % len(GAMES)]
    good = [Rogue(name, game=game) for name in list(HEALTHY)[:2]]
    bad = [hostile_player(name, rng, game, mcp=name == "Mim") for name in ("Mal", "Mim")]
    for player in (*good, *bad):
        await player.listen()
    with anyio.fail_after(LIMIT):
        settings = {**QUICK, **PATIENCE} if liars else QUICK
        stages = (StageRules("tables", {"seats": 3}) if game == TABLES else StageRules(),)
        async with (
            patient_client() as http,
            league_harness(folder, game=game, referees=1 + liars, settings=settings, stages=stages) as held,
        ):
            crooks = [Liar(f"Liar {number}", rng, held) for number in range(liars)]
            for crook in crooks:
                crook.manager, crook.http = held.manager, http
                await crook.listen()
                await crook.register(held.manager, http, held.referee_secret)
                held.tasks.start_soon(crook.lie)
            await play_among(held, [*good, *bad], http)
            for crook in crooks:
                crook.vanish()
                held.report_answers += crook.answers
            held.tasks.cancel_scope.cancel()
    return held


def judged(held: LeagueHarness) -> tuple[Counter[str], list[str]]:
    """The results of the matches, and all faults found."""
    league, wrong = held.league, list[str]()
    good = {agent.agent_id for agent in league.players.values() if agent.display_name in HEALTHY}
    told: Counter[str] = Counter(leagues=1, matches=len(league.results))
    if league.state is not LeagueState.COMPLETED or len(league.results) != league.total_matches:
        wrong.append(f"{league.state}, {len(league.results)} of {league.total_matches} matches are decided")
    wrong += [f"{match_id} is void: {cause}" for match_id, cause in league.voided.items()]
    # A registration that is slow to be answered is sent again; that is no restart.
    began = next(place for place, event in enumerate(held.events) if isinstance(event, RoundStarted))
    liars = {agent.agent_id for agent in league.referees.values() if agent.display_name.startswith("Liar")}
    told["lies refused"] = len(held.report_answers)
    wrong += [f"a lie is answered {answer}" for answer in held.report_answers if answer not in REFUSED]
    for event in held.events[began:]:
        if isinstance(event, MatchAssigned) and event.attempt > 1 and event.reason.split()[0] in liars:
            told["tries in vain"] += 1
        elif isinstance(event, MatchAssigned) and event.attempt > 1:
            wrong.append(f"{event.match_id} is played again: {event.reason}")
        if isinstance(event, AgentReturned):
            wrong.append(f"{event.agent.agent_id} was restarted")
    for match_id, result in league.results.items():
        told[str(result.status)] += 1
        told["played on by a stand-in"] += bool(result.stand_ins)
        told["evidence omitted"] += bool(result.details.get("evidence_omitted"))
        blamed = {fault.player_id for fault in result.faults} & good
        if blamed:
            wrong.append(f"{match_id}: {blamed} is blamed: {[fault.description for fault in result.faults]}")
        if result.status is not ResultStatus.TECHNICAL_LOSS and result.faults:
            wrong.append(f"{match_id}: there are faults, and no technical loss")
    wrong += held.failures()
    checked = audit(held.rows, lambda name, options: plugins.game(name, (), options))
    wrong += [f"audit: {found.sentence}" for found in checked.findings]
    return told, wrong
