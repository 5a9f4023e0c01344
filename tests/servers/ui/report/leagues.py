"""Leagues whose matches were really played, by chance, with draws and transcripts as a referee reports them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from league_sdk import plugins
from league_sdk.clock import HashRng, to_wire_time
from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteLeague,
    CompleteRound,
    PairRound,
    RegisterPlayer,
    RegisterReferee,
    StartLeague,
    StartRound,
    VoidMatch,
)
from league_sdk.domain.model import Cause, Fault, Fixture, MatchResult, ResultStatus, StageRules
from league_sdk.domain.progress import outcome_after, seeding, tournament_of
from league_sdk.domain.ranking.places import places_by, places_of
from league_sdk.fairness import Draw
from league_sdk.game import Game, turns
from tests.league_sdk.domain.season import Season, agent, created, outcome
from tests.servers.league_history import LeagueHistory

BEGIN = datetime(2025, 1, 15, 10, tzinfo=UTC)


class Talk:
    """The transcript of a match: who was told what, and when."""

    def __init__(self, chance: HashRng, start: datetime) -> None:
        self.entries: list[Mapping[str, Any]] = []
        self.now = start
        self._chance = chance

    def ask(self, kind: str, player: str, **told: Any) -> None:
        """The referee asks or tells."""
        self._add(kind, {"to": player, **told})

    def answer(self, kind: str, player: str, slow: float = 0.05, **told: Any) -> None:
        """A player answers, after some time."""
        self.now += timedelta(seconds=slow * (0.05 + self._chance.random() ** 4 * 20))
        self._add(kind, {"from": player, **told})

    def _add(self, kind: str, told: Mapping[str, Any]) -> None:
        stamp = {"sequence": len(self.entries) + 1, "message_type": kind, "timestamp": to_wire_time(self.now)}
        self.entries.append({**stamp, **told})


def played(game: Game[Any], fixture: Fixture, league_id: str = "summer", late: str = "") -> MatchResult:
    """A match, played by chance to its end, or until a player is too late."""
    chance = HashRng(f"{league_id}:{fixture.match_id}")
    talk = Talk(chance, BEGIN + timedelta(minutes=fixture.round_id, seconds=chance.random() * 9))
    begun = to_wire_time(talk.now)
    draw = Draw(_number("secret", fixture.match_id), league_id, fixture.match_id, 1)
    nonces = {player: _number(player, fixture.match_id) for player in fixture.players}
    for player in fixture.players:
        talk.ask("GAME_INVITATION", player, draw_commitment=draw.commitment)
    for player in fixture.players:
        talk.answer("GAME_JOIN_ACK", player, accept=True, draw_nonce=nonces[player])
    seed = draw.seed([nonces[player] for player in fixture.players])
    moves: dict[str, Any] = {}
    match, spec = turns(game, fixture.players, seed), game.move_spec
    for movers in match:
        moves = {}
        for player in movers:
            talk.ask(spec.call_type, player)
            if player == late:
                talk.answer(spec.call_type, player, 2.0, error_code="E001", error="no answer")
                continue
            moves[player] = chance.choice(game.legal_moves(match.state, player))
            talk.answer(spec.response_type, player, 0.02 * int(player[1:]), choice=moves[player])
        if len(moves) < len(movers):
            break
        match.moves = moves
    end = match.outcome
    details = {"draw": draw.reveal(fixture.players, nonces)}
    told: dict[str, Any] = {
        "lifecycle": {"CREATED": begun, "FINISHED": to_wire_time(talk.now)},
        "transcript": tuple(talk.entries),
    }
    if end is None:
        others = [player for player in fixture.players if player != late]
        details |= {"places": places_by({player: player in others for player in fixture.players})} if others[1:] else {}
        fault = Fault(late, Cause.NO_MOVE, "move", "E001", 4, "silent", {"limit_sec": 30, "received": "secret move"})
        choices = {player: move for player, move in moves.items() if player != late}
        return outcome(
            fixture,
            None if others[1:] else others[0],
            status=ResultStatus.TECHNICAL_LOSS,
            reason=f"{late} did not answer in time.",
            faults=(fault,),
            details={"choices": choices, **details},
            **told,
        )
    details = {"scores": dict(end.scores), **end.details, **details}
    if len(fixture.players) > 2:
        details["places"] = places_of(end, fixture.players)
    return outcome(fixture, end.winner, reason=end.reason, details=details, **told)


def _number(*told: str) -> str:
    """A number that looks random, and is the same in every run."""
    return hashlib.sha256(" ".join(told).encode()).hexdigest()


def eventful(
    game: Game[Any], players: int = 5, names: Mapping[int, str] | None = None, rounds: int | None = None, **changes: Any
) -> LeagueHistory:
    """A league with ties, technical losses, a void match and, of an odd number, byes.

    Args:
        game: What is played.
        players: How many.
        names: Names of some of them, by their number.
        rounds: How many rounds are over; None completes the league.
        **changes: Of the league's rules.
    """
    season = created(**{"game_type": game.name, "display_name": "Summer <Cup> & more", **changes})
    for number in (1, 2):
        season.do(RegisterReferee(agent(f"Referee {number}", game_types=(game.name,)), "secret"))
    for number in range(1, players + 1):
        name = (names or {}).get(number, f"Player {number}")
        season.do(RegisterPlayer(agent(name, endpoint=f"http://secret-host:{number}/mcp", game_types=(game.name,))))
    season.do(CloseRegistration("operator"))
    season.do(StartLeague())
    for scheduled in season.league.rounds[:rounds]:
        _round(season, game, scheduled.round_id, scheduled.fixtures)
    if rounds is None:
        season.do(CompleteLeague())
    return LeagueHistory(season)


def tournament(
    game: Game[Any], players: int, stages: Sequence[StageRules], rounds: int | None = None, **changes: Any
) -> LeagueHistory:
    """A league of any formats, paired as a manager pairs it, that was played by chance.

    Args:
        game: What is played.
        players: How many.
        stages: The formats.
        rounds: How many rounds are over; of the next one half is decided, and a match is under way. None: all.
        **changes: Of the league's rules.
    """
    told = {"game_type": game.name, "display_name": "Spring Championship", "stages": tuple(stages), **changes}
    season, played_by = created(**told), plugins.stages_format(stages)
    season.do(RegisterReferee(agent("Referee 1", game_types=(game.name,)), "secret"))
    for number in range(1, players + 1):
        endpoint = f"http://secret-host:{number}/mcp"
        season.do(RegisterPlayer(agent(PEOPLE[number - 1], endpoint=endpoint, game_types=(game.name,))))
    ids = seeding(season.league)
    season.do(CloseRegistration("operator", played_by.schedule(ids), played_by.expected_rounds(players)))
    season.do(StartLeague())
    while True:
        number = season.league.rounds_completed + 1
        if number > len(season.league.rounds):
            paired = played_by.next_round(tournament_of(season.league))
            if paired is None:
                break
            season.do(PairRound(paired))
        if rounds is not None and number > rounds:
            _begin(season, game, number)
            return LeagueHistory(season)
        _round(season, game, number, season.league.round(number).fixtures, eventful=False)
    season.do(CompleteLeague(played_by.ranking(tournament_of(season.league)) or ()))
    return LeagueHistory(season)


def _begin(season: Season, game: Game[Any], number: int) -> None:
    """The first half of a round, and the beginning of a match."""
    season.do(StartRound(number))
    fixtures = season.league.round(number).fixtures
    for place, fixture in enumerate(fixtures[: len(fixtures) // 2 + 1]):
        season.do(AssignMatch(fixture.match_id, "REF01"))
        if place < len(fixtures) // 2:
            result = replace(played(game, fixture, season.league.league_id), referee_id="REF01")
            season.record(fixture.match_id, result.winner, **_told(result))


PEOPLE = (
    *("Ada", "Grace", "Gödel", "Hopper", "مريم", "Noether", "Ramanujan", "Lovelace II", "Kovalevskaya", "Shannon"),
    *("Euler's Cat", "Turing's Ghost", "A rather long name of an agent that continues", "Curie", "Fibonacci"),
    *(f"Agent {number}" for number in range(16, 101)),
)


def _round(
    season: Season, game: Game[Any], round_id: int, fixtures: Sequence[Fixture], *, eventful: bool = True
) -> None:
    season.do(StartRound(round_id))
    for place, fixture in enumerate(fixtures):
        referee = f"REF{place % 2 + 1:02d}" if eventful else "REF01"
        season.do(AssignMatch(fixture.match_id, referee))
        if eventful and round_id == 2 and place == 0:
            season.do(VoidMatch(fixture.match_id, "nobody at http://secret-host can referee it"))
            continue
        late = fixture.players[0] if place == 1 and round_id % 3 == 0 else ""
        result = replace(played(game, fixture, season.league.league_id, late), referee_id=referee)
        season.record(fixture.match_id, result.winner, **_told(result))
    ranking, advanced = (), ()
    if season.league.expected_rounds:
        ranking, advanced = outcome_after(season.league, plugins.stages_format(season.league.rules.stages), round_id)
    season.do(CompleteRound(round_id, ranking, advanced))


def _told(result: MatchResult) -> dict[str, Any]:
    names = ("status", "reason", "details", "faults", "lifecycle", "transcript", "referee_id")
    return {name: getattr(result, name) for name in names}
