"""Whole leagues to audit, played without a wire by the league's own rules, and forgers who know how to seal records."""

import copy
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from game_rules.even_odd import EvenOdd
from game_rules.lowest_unique_number import LowestUniqueNumber
from game_rules.rock_paper_scissors import RockPaperScissors
from game_rules.tic_tac_toe import TicTacToe
from league_sdk.audit import Report, Row, audit, rows_from_jsonl, to_jsonl
from league_sdk.clock import HashRng
from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CommitDraw,
    CompleteLeague,
    CompleteRound,
    CreateLeague,
    ForfeitMatch,
    PairRound,
    RecordResult,
    RegisterPlayer,
    RegisterReferee,
    RemovePlayer,
    ReturnAgent,
    StartLeague,
    StartRound,
    VoidMatch,
)
from league_sdk.domain.events import GENESIS, Event, Record, chain_digest, seal
from league_sdk.domain.league import decide, evolve
from league_sdk.domain.matches.match import new_match, step
from league_sdk.domain.matches.match_io import (
    AskForMove,
    Begin,
    Failure,
    Invite,
    Joined,
    JoinFailed,
    MoveFailed,
    MoveMade,
    NoteStandIn,
)
from league_sdk.domain.model import Agent, Cause, Fixture, LeagueRules, MatchResult, Role, StageRules
from league_sdk.domain.progress import outcome_after, tournament_of
from league_sdk.fairness import Draw, digest
from league_sdk.plugins import stages_format

GAMES: Mapping[str, Callable[..., Any]] = {
    "even_odd": EvenOdd,
    "lowest_unique_number": LowestUniqueNumber,
    "rock_paper_scissors": RockPaperScissors,
    "tic_tac_toe": TicTacToe,
}
LEAGUE = "summer"
CONDUCT = {
    "silent at the door": Failure(Cause.NO_JOIN, "E001", retryable=True, description="no answer within 5 s"),
    "declines": Failure(Cause.DECLINED, "E008", retryable=False, description="the player declined the invitation"),
    "silent": Failure(Cause.NO_MOVE, "E001", retryable=True, description="no answer within 30 s"),
    "is gone": Failure(Cause.CONNECTION_REFUSED, "E009", retryable=True, description="nothing listens"),
    "crashes": Failure(Cause.CRASHED_HANDLER, "E099", retryable=False, description="INTERNAL_ERROR"),
}
AT_THE_DOOR = ("silent at the door", "declines")


def games(name: str, options: Mapping[str, Any]) -> Any:
    """The audit's source of games."""
    return GAMES[name](**options)


class Maker:
    """Plays a league and keeps its events.

    Args:
        rules: The league's rules.
        conduct: How players behave in a match other than well: match id to player id to one of CONDUCT, `cheats`
            (only illegal moves), `fumbles` (an illegal move first) or `plain` (gives no nonce); `silent from 3` does
            so from the third turn on.
        foreign: Matches whose referee reports winner and score alone.
        plain: Matches whose referee reports what the game tells, and no more.
        twice: Matches whose first referee is lost.
        void: Matches that cannot be played.
        unwanted: Players that are removed before there is a schedule.
    """

    def __init__(
        self,
        rules: LeagueRules,
        conduct: Mapping[str, Mapping[str, str]] | None = None,
        foreign: tuple[str, ...] = (),
        plain: tuple[str, ...] = (),
        twice: tuple[str, ...] = (),
        void: tuple[str, ...] = (),
        unwanted: tuple[str, ...] = (),
    ) -> None:
        self.rules = rules
        self.conduct, self.foreign, self.plain = conduct or {}, foreign, plain
        self.twice, self.void, self.unwanted = twice, void, unwanted
        self.silent = set[str]()  # players that answer nothing, for now
        self.league: Any = None
        self.records: list[Record] = []

    def do(self, command: Any) -> None:
        for event in decide(self.league, command):
            self.league = evolve(self.league, event)
            self.keep(event)

    def keep(self, event: Event) -> None:
        previous = self.records[-1].digest if self.records else GENESIS
        self.records.append(seal(self.rules.league_id, len(self.records) + 1, self.now(), event, previous))

    def now(self) -> str:
        number = len(self.records)
        return f"2025-01-15T10:{number // 60 % 60:02d}:{number % 60:02d}.000Z"

    def play(self, players: int, until: int | None = None) -> list[Record]:
        """A whole league, or its first rounds."""
        self.do(CreateLeague(self.rules))
        for number in (1, 2):
            self.do(RegisterReferee(self._agent(Role.REFEREE, f"Whistle {number}"), "secret"))
        for number in range(players):
            self.do(RegisterPlayer(self._agent(Role.PLAYER, f"Player {'ÄBCDEFGHIJ'[number]}")))
        self.do(ReturnAgent("P01", token_digest="0" * 64, endpoint="http://localhost/elsewhere"))
        for player_id in self.unwanted:
            self.do(RemovePlayer(player_id, "not invited"))
        if self.rules.stages != (StageRules(),):
            return self._play_rounds(players)
        self.do(CloseRegistration("operator"))
        self.do(StartLeague())
        for scheduled in self.league.rounds[:until]:
            self._round(scheduled)
        if until is None:
            self.do(CompleteLeague())
        return self.records

    def _play_rounds(self, players: int) -> list[Record]:
        """A league whose format pairs round by round."""
        tournament_format = stages_format(self.rules.stages)
        self.do(CloseRegistration("operator", expected_rounds=tournament_format.expected_rounds(players)))
        self.do(StartLeague())
        while (paired := tournament_format.next_round(tournament_of(self.league))) is not None:
            self.do(PairRound(paired))
            self._round(self.league.rounds[-1])
        self.do(CompleteLeague(*outcome_after(self.league, tournament_format, self.league.rounds_completed)))
        return self.records

    def _round(self, scheduled: Any) -> None:
        self.do(StartRound(scheduled.round_id))
        self.finish(scheduled.round_id)

    def finish(self, round_id: int) -> None:
        """Play what is open of a round that has begun."""
        for fixture in self.league.unfinished(round_id):
            if self.league.sits_out(fixture):
                self.do(ForfeitMatch(fixture.match_id))
        fixtures = self.league.unfinished(round_id)
        for fixture in fixtures:
            self.do(AssignMatch(fixture.match_id, "REF01"))
            if fixture.match_id in self.twice:
                self.do(AssignMatch(fixture.match_id, "REF02", reason="REF01 was lost"))
            if fixture.match_id not in (*self.foreign, *self.plain):
                self.commit(fixture)
        for fixture in fixtures:
            if fixture.match_id in self.void:
                self.do(VoidMatch(fixture.match_id, "no referee could play it"))
            else:
                self.do(RecordResult(self.match(fixture)))
        ranking, advanced = (), ()
        if self.rules.stages != (StageRules(),):
            ranking, advanced = outcome_after(self.league, stages_format(self.rules.stages), round_id)
        self.do(CompleteRound(round_id, ranking, advanced))

    def _agent(self, role: Role, name: str) -> Agent:
        return Agent("", role, name, f"http://localhost/{role}", "0" * 64, game_types=(self.rules.game_type,))

    def commit(self, fixture: Fixture) -> None:
        """The record that the manager makes when a referee of ours takes a match."""
        draw = self.draw(fixture)
        self.do(CommitDraw(fixture.match_id, draw.attempt, draw.commitment))

    def draw(self, fixture: Fixture) -> Draw:
        """The referee's draw of a match that is assigned."""
        attempt, seed = self.league.attempt(fixture.match_id), self.rules.seed or "from the system"
        match_seed = hashlib.sha256(f"{seed}\x1f{fixture.match_id}\x1f{attempt}".encode()).hexdigest()
        return Draw.seeded(match_seed, self.rules.league_id, fixture.match_id, attempt)

    def match(self, fixture: Fixture) -> MatchResult:
        """A match that is assigned, played to its end."""
        assignment = self.league.assignments[fixture.match_id]
        draw = self.draw(fixture)
        match = new_match(
            games(self.rules.game_type, self.rules.game_options),
            match_id=fixture.match_id,
            round_id=fixture.round_id,
            players=fixture.players,
            referee_id=assignment.referee_id,
            attempt=assignment.attempt,
            draw=draw,
            scoring=self.rules.scoring,
            max_retries=1,
        )
        silent = dict.fromkeys(self.silent.intersection(fixture.players), "silent at the door")
        table = _Table(match, {**self.conduct.get(fixture.match_id, {}), **silent}, self.now())
        result = table.play()
        if fixture.match_id in self.foreign:
            return replace(result, details={}, reason="", lifecycle={}, transcript=())
        if fixture.match_id in self.plain:
            details = {name: value for name, value in result.details.items() if name not in ("draw", "scores")}
            return replace(result, details=details, reason="", lifecycle={}, transcript=())
        return result


class _Table:
    """One match and its messages, as a referee keeps them."""

    def __init__(self, match: Any, conduct: Mapping[str, str], at: str) -> None:
        self.match: Any = match
        self.conduct, self.at = conduct, at
        self.transcript: list[dict[str, Any]] = []
        self.tries: dict[str, int] = {}

    def play(self) -> MatchResult:
        self.match, commands = step(self.match, Begin(self.at))
        waiting = list(commands)
        while self.match.result is None:
            self.match, commands = step(self.match, self._answer(waiting.pop(0)))
            waiting += [command for command in commands if isinstance(command, Invite | AskForMove)]
            for made in (command for command in commands if isinstance(command, NoteStandIn)):
                self._note("STAND_IN_MOVE", **{"for": made.player}, turn=made.turn, choice=made.move)
        return replace(self.match.result, transcript=tuple(self.transcript))

    def _answer(self, command: Any) -> Any:
        player, joining = command.player, isinstance(command, Invite)
        conduct, _, since = self.conduct.get(player, "").partition(" from ")
        if since and (joining or command.turn < int(since)):
            conduct = ""
        if joining:
            self._note("GAME_INVITATION", to=player, draw_commitment=self.match.draw.commitment)
        else:
            self._note("MOVE_CALL", to=player)
        if conduct in CONDUCT and joining == (conduct in AT_THE_DOOR):
            failure = CONDUCT[conduct]
            if conduct == "declines":
                self._note("GAME_JOIN_ACK", **{"from": player}, accept=False, draw_nonce="of no use")
            else:
                self._note("FAILED", **{"from": player}, error_code=failure.error_code, error=failure.description)
            return (JoinFailed if joining else MoveFailed)(player, failure, self.at)
        if joining:
            nonce = "" if conduct == "plain" else digest("nonce", player, self.match.match_id)
            told = {"draw_nonce": nonce} if nonce else {}
            self._note("GAME_JOIN_ACK", **{"from": player}, accept=True, **told)
            return Joined(player, self.at, nonce)
        move = self._move(player, command.turn, conduct)
        self._note("MOVE_RESPONSE", **{"from": player}, choice=move)
        return MoveMade(player, move, self.at, command.turn)

    def _move(self, player: str, turn: int, conduct: str) -> Any:
        tries = self.tries[f"{player}{turn}"] = self.tries.get(f"{player}{turn}", 0) + 1
        if conduct == "cheats" or (conduct == "fumbles" and tries == 1):
            return "illegal"
        legal = self.match.game.legal_moves(self.match.game_state, player)
        return HashRng(f"{player} {self.match.match_id} {turn}").choice(legal)

    def _note(self, message_type: str, **entry: Any) -> None:
        self.transcript.append(
            {"sequence": len(self.transcript) + 1, "message_type": message_type, "timestamp": self.at, **entry}
        )


def league(
    players: int = 4, game: str = "even_odd", *, seed: str | None = "7", until: int | None = None, **more: Any
) -> list[Record]:
    """The records of a league."""
    fields = {name: more.pop(name) for name in ("game_options", "tiebreakers", "scoring", "stages") if name in more}
    rules = LeagueRules(LEAGUE, game, seed=seed, **fields)
    return Maker(rules, **more).play(players, until)


def exported(records: list[Record]) -> bytes:
    """As a file of records."""
    return to_jsonl([_row(place, record) for place, record in enumerate(records, start=1)])


def _row(place: int, record: Record) -> Row:
    fields = ("league_id", "sequence", "at", "type", "payload", "previous", "digest")
    return Row(place, **{name: getattr(record, name) for name in fields})


def look_at(records: list[Record], **options: Any) -> Report:
    """Audit records, as they would be exported."""
    return audit(rows_from_jsonl(exported(records)), games, **options)


def payload(records: list[Record], number: int) -> Any:
    """A copy of a record's payload, to be changed."""
    return copy.deepcopy(dict(records[number - 1].payload))


def number_of(records: list[Record], kind: str, match_id: str = "") -> int:
    """The number of the first record of a kind (and of a match)."""
    return next(r.sequence for r in records if r.type == kind and match_id in str(r.payload))


def resealed(records: list[Record]) -> list[Record]:
    """The records with numbers and digests that fit again: what a forger does who knows the formula."""
    sealed: list[Record] = []
    previous = GENESIS
    for number, record in enumerate(records, start=1):
        chain = chain_digest(record.league_id, number, record.at, record.type, record.payload, previous)
        sealed.append(replace(record, sequence=number, previous=previous, digest=chain))
        previous = chain
    return sealed


def forged(records: list[Record], number: int, change: Callable[[Any], None]) -> list[Record]:
    """The records with one payload changed, and every digest made to fit again."""
    new = payload(records, number)
    change(new)
    assert new != dict(records[number - 1].payload), "the forger changed nothing"
    return resealed([replace(r, payload=new) if r.sequence == number else r for r in records])
