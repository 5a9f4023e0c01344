"""Compares each stage with the rules of its format."""

from collections import Counter
from collections.abc import Iterator, Sequence

from league_sdk.audit.findings import DOUBTFUL, MALFORMED, Finding
from league_sdk.audit.formats import FORMATS, FormatRules
from league_sdk.audit.recorded_league import ENDLESS, RecordedLeague
from league_sdk.audit.stage_course import ExpectedRound, Groups, StageCourse, StageRound
from league_sdk.names import listed

_END = 1 << 62  # number of a record after all others


def unchecked_formats(recorded: RecordedLeague) -> Iterator[str]:
    """The stages whose format the audit has no rules for."""
    for number, stage in enumerate(recorded.stages):
        name = str(stage.get("format"))
        if name not in FORMATS:
            yield f"the pairings, seats and ranking of the format {name!r}: the audit has no rules for it"
        elif (seeds := _Stages(recorded).seeded_by(number)) is not None:
            yield f"the pairings, seats and ranking of stage {number + 1} ({name}): its seeding follows from {seeds}"


def format_faults(recorded: RecordedLeague) -> Iterator[Finding]:
    """Contradictions between the records and the rules of the league's formats."""
    stages = _Stages(recorded)
    for check in (stages.expected, stages.rounds, stages.rankings, stages.end):
        try:
            for record, kind, fault in check():
                yield Finding(kind, fault, record)
        except MALFORMED as error:
            yield Finding("record", f"its format: {type(error).__name__}: {error}", record=1)
    try:
        yield from _idle_champions(recorded)
    except MALFORMED as error:
        yield Finding("record", f"its last format: {type(error).__name__}: {error}", record=1)


class _Stages:
    def __init__(self, recorded: RecordedLeague) -> None:
        self._recorded = recorded
        self._known: dict[tuple[int, frozenset[str]], Groups] = {}
        self._courses: dict[tuple[int, int], tuple[frozenset[str], StageCourse]] = {}
        self._read: dict[int, StageRound] = {}
        self._of: dict[int, list[int]] = {}
        for each, stage in enumerate(recorded.stage_of, start=1):
            self._of.setdefault(stage, []).append(each)

    def seeded_by(self, number: int) -> str | None:
        """The reason for which the seeding of a stage is not known here; None if it is."""
        for before, stage in enumerate(self._recorded.stages[:number]):
            if stage["format"] not in FORMATS:
                return f"the format {stage['format']!r}"
            if stage["format"] == "tables" and int(stage["options"].get("seats", 3)) > 2:
                return "tables of three or more"
            if before == 0 and self._recorded.missed:
                return "a stage that players entered late"
        return None

    def _followed(self) -> Iterator[tuple[int, FormatRules, list[int]]]:
        """The stages that can be followed, with the numbers of their rounds."""
        for number, stage in enumerate(self._recorded.stages):
            rules = FORMATS.get(str(stage["format"]))
            if rules is not None and self.seeded_by(number) is None:
                yield number, rules, self._numbers(number)

    def _numbers(self, stage: int) -> list[int]:
        return self._of.get(stage, [])

    def expected(self) -> Iterator[tuple[int, str, str]]:
        """The announced number of rounds."""
        recorded, sizes = self._recorded, [len(self._starters())]
        if not recorded.planned_by:
            return
        sizes += [int(stage["advance"]) for stage in recorded.stages[:-1]]
        owed = 0
        for stage, size in zip(recorded.stages, sizes, strict=True):
            rules = FORMATS.get(str(stage["format"]))
            if rules is None:
                return
            owed += rules.rounds(StageCourse(stage["options"], self._starters(), (), {}, {}, ""), size)
        told = recorded.expected_rounds or recorded.announced
        if told != min(owed, ENDLESS):
            yield recorded.planned_by, "schedule", f"it says {told} rounds; by its format they are {owed}"

    def _starters(self) -> list[str]:
        return [player for player in self._ids() if player not in self._recorded.entered]

    def _ids(self) -> list[str]:
        return sorted(self._recorded.names, key=lambda player: (len(player), player))

    def rounds(self) -> Iterator[tuple[int, str, str]]:
        """Every round, against those before it."""
        recorded = self._recorded
        for number, rules, numbers in self._followed():
            series = rules.series
            firsts = [each for each in numbers if not series or recorded.games[each - 1] < 2]
            for each in numbers:
                worth = recorded.bye_points[each - 1]
                told, first = recorded.paired_as[each - 1], recorded.games[each - 1] < 2
                if recorded.format_version > 1 and first and told != rules.paired_by:
                    yield recorded.paired_by[each - 1], "schedule", f"round {each}: it says that {told!r} paired it"
                if worth != self._bye_points(rules, each):
                    yield recorded.paired_by[each - 1], "schedule", f"round {each}: a bye of it is worth {worth!r}"
            for place, each in enumerate(firsts):
                record = recorded.paired_by[each - 1]
                course = self.course(number, firsts, record)
                if rules.next is not None:
                    faults = _differences(rules.next(course, place), course.rounds[place])
                else:
                    faults = rules.faults(course, place)
                yield from ((record, "schedule", f"round {each}: {fault}") for fault in faults)

    def _bye_points(self, rules: FormatRules, number: int) -> str:
        goes_on = rules.series and self._recorded.games[number - 1] > 1
        return "none" if goes_on and "series_points" in self._recorded.rules["tiebreakers"] else rules.bye_points

    def course(self, number: int, numbers: Sequence[int], record: int) -> StageCourse:
        """A stage with its rounds, or those that begin a series, before a record."""
        departures = self._recorded.departures.removed
        gone = frozenset(player for player, (by, _) in departures.items() if by < record)
        key = number, len(numbers)
        if key not in self._courses or self._courses[key][0] != gone or record == _END:
            self._courses[key] = gone, self._course(number, numbers, record, gone)
        return self._courses[key][1]

    def _course(self, number: int, numbers: Sequence[int], record: int, gone: frozenset[str]) -> StageCourse:
        recorded, stage = self._recorded, self._recorded.stages[number]
        rounds = [self._round(each) for each in numbers]
        removed = recorded.departures.removed
        left = {player: sum(each.paired_by < removed[player][0] for each in rounds) for player in gone}
        missed = recorded.missed if number == 0 else {}
        seed = f"{recorded.rules['seed'] or recorded.rules['league_id']}|{number}"
        drawn = recorded.rules["seed"] is None and recorded.format_version > 1
        players, scoring = self._players(number, record), recorded.rules["scoring"]
        sitting = {*recorded.sitting.sitting(record)}
        if record == _END:  # who came back, or entered, while the league was ending
            late = {player for player, number in recorded.missed.items() if number >= len(recorded.rounds)}
            sitting |= recorded.sitting.rejoined | late
        return StageCourse(stage["options"], players, rounds, left, missed, seed, drawn, scoring, sitting)

    def _round(self, number: int) -> StageRound:
        if number not in self._read:
            self._read[number] = self._read_round(number)
        return self._read[number]

    def _read_round(self, number: int) -> StageRound:
        recorded = self._recorded
        scoring = recorded.rules["scoring"]
        (matches, byes), worth = recorded.rounds[number - 1], {"none": 0, **scoring}[recorded.bye_points[number - 1]]
        results = [recorded.decided.get(match.match_id) for match in matches]
        points = dict.fromkeys(byes, worth)
        points |= {p: scoring["draw"] for p in recorded.entered if number <= self._late_points(p)}
        for match in results:
            points |= match.points(scoring) if match is not None else {}
        by, pairings = recorded.paired_by[number - 1], [match.players for match in matches]
        resting = recorded.resting[number - 1]
        return StageRound(number, by, pairings, byes, results, recorded.games[number - 1], points, resting)

    def _late_points(self, player: str) -> int:
        """The number of rounds before its entry that gave a player points."""
        _, worth = self._recorded.entered[player]
        return self._recorded.missed[player] if worth == "draw" else 0

    def _players(self, number: int, record: int) -> list[str]:
        """The players of a stage by seed, from the stage before."""
        if number == 0:
            return self._ids()
        own = self._numbers(number)
        begins = self._recorded.paired_by[own[0] - 1] if own else record
        removed = self._recorded.departures.removed
        ranked = [player for group in self._ranked(number - 1, record) for player in group]
        staying = [p for p in ranked if p not in removed or removed[p][0] > min(begins, record)]
        return staying[: int(self._recorded.stages[number - 1]["advance"])]

    def _ranked(self, number: int, record: int) -> Groups:
        """The ranking of a whole stage."""
        removed = frozenset(p for p, (by, _) in self._recorded.departures.removed.items() if by < record)
        if (number, removed) not in self._known:
            self._known[number, removed] = self._of_stage(number, len(self._numbers(number)), record)
        return self._known[number, removed]

    def _of_stage(self, number: int, complete: int, record: int) -> Groups:
        own = self._stage_ranking(number, complete, record)
        return own or self._by_points(self._players(number, record), self._numbers(number)[:complete], record)

    def _stage_ranking(self, number: int, complete: int, record: int) -> Groups | None:
        """A format's own ranking after some rounds; None where points rank."""
        rules, numbers = FORMATS[str(self._recorded.stages[number]["format"])], self._numbers(number)
        if rules.ranking is None and rules.pools is None:
            return None
        course = self.course(number, numbers, record)
        if rules.ranking is not None:
            return rules.ranking(course, complete)
        pools = rules.pools(course) if rules.pools is not None else []
        tables = [
            [player for group in self._by_points(pool, numbers[:complete], record) for player in group]
            for pool in pools
        ]
        longest = max(map(len, tables))
        return [[table[place] for table in tables if place < len(table)] for place in range(longest)]

    def _by_points(self, players: Sequence[str], numbers: Sequence[int], record: int) -> Groups:
        rows = self._recorded.among(players, numbers, record)
        return [
            [row["player_id"] for row in rows if row["rank"] == rank] for rank in sorted({row["rank"] for row in rows})
        ]

    def _ranking(self, number: int, complete: int, record: int) -> Groups:
        """The league's ranking: that of the stage, then those that did not get so far."""
        if number == 0:
            return self._stage_ranking(0, complete, record) or []
        ranking = self._of_stage(number, complete, record)
        for before in range(number - 1, -1, -1):
            placed = {player for group in ranking for player in group}
            rest = [[p for p in group if p not in placed] for group in self._ranked(before, record)]
            ranking = [*ranking, *(group for group in rest if group)]
        return ranking

    def rankings(self) -> Iterator[tuple[int, str, str]]:
        """The ranking after each round and at the end, and who advanced by lots."""
        recorded, told = self._recorded, dict(self._recorded.rankings)
        paired, told_of = bool(recorded.expected_rounds), Counter[tuple[str, str, str]]()
        for number, rules, numbers in self._followed():
            checks = [
                (recorded.completed[each][0], complete)
                for complete, each in enumerate(numbers, start=1)
                if each in recorded.completed
            ]
            last = bool(numbers) and numbers[-1] == len(recorded.rounds)
            if recorded.over and last and recorded.rankings:
                checks.append((recorded.rankings[-1][0], len(numbers)))
            for record, complete in checks:
                if record in told:
                    ends = recorded.over and record == recorded.rankings[-1][0]
                    expected = self._ranking(number, complete, record) if paired or ends else []
                    yield from self._compared(record, told[record], expected)
                if recorded.format_version > 1 and (rules.bracket or recorded.advanced.get(record)):
                    new = Counter(rules.advanced(self.course(number, numbers, record), complete)) - told_of
                    claimed = Counter(recorded.advanced.get(record, ()))
                    told_of += claimed
                    if new != claimed:
                        yield record, "standings", f"{_advances(claimed)}; by its matches, {_advances(new)}"

    def _compared(self, record: int, told: Groups, expected: Groups) -> Iterator[tuple[int, str, str]]:
        if not told and self._recorded.format_version < 2:
            return  # rankings were not kept after each round
        known = {player for group in told for player in group}
        late = self._recorded.entered.keys() - known  # it was made while they came
        owed = [sorted(each) for group in expected if (each := [p for p in group if p not in late])]
        if [sorted(group) for group in told] != owed:
            shown, due = (_shown([" = ".join(group) for group in each]) for each in (told, owed))
            yield record, "standings", f"its ranking is {shown}; by its format, {due}"

    def end(self) -> Iterator[tuple[int, str, str]]:
        """Stages that ended too early or too late."""
        recorded = self._recorded
        if recorded.closed or not (recorded.rounds and recorded.expected_rounds):
            return
        reached = recorded.stage_of[-1]
        for number, rules, numbers in self._followed():
            if number >= reached and not recorded.over:
                continue
            firsts = [each for each in numbers if not rules.series or recorded.games[each - 1] < 2]
            following = self._numbers(number + 1)
            record = recorded.paired_by[following[0] - 1] if following else _END
            course = self.course(number, firsts, record)
            fault = ""
            if rules.next is not None and (owed := rules.next(course, len(firsts))) is not None:
                met = listed([" - ".join(seats) for seats in owed.pairings])
                fault = f"it ends, and {met} have to meet"
            elif rules.next is None and numbers:
                fault = rules.end(course)
            if fault:
                yield recorded.paired_by[-1], "schedule", f"stage {number + 1}: {fault}"


def _idle_champions(recorded: RecordedLeague) -> Iterator[Finding]:
    """Find champions of a bracket without a decided match."""
    last = FORMATS.get(str(recorded.stages[-1]["format"])) if recorded.stages else None
    if not recorded.over or recorded.format_version < 2 or last is None or not last.bracket:
        return
    played = {player for match in recorded.decided.values() for player in match.players}
    if idle := [player for player in recorded.champions if player not in played]:
        told = f"{listed(idle)} is champion, and no match of it was decided"
        yield Finding("standings", told, recorded.rankings[-1][0] if recorded.rankings else None, severity=DOUBTFUL)


def _differences(expected: ExpectedRound | None, paired: StageRound) -> Iterator[str]:
    if expected is None:
        yield "the stage was over before it"
        return
    owed = {frozenset(seats): seats for seats in expected.pairings}
    told = {frozenset(seats): seats for seats in paired.pairings}
    if wrong := [" - ".join(told[pair]) for pair in told if pair not in owed]:
        yield f"{listed(wrong)} meet; by its format they do not"
    if missing := [" - ".join(owed[pair]) for pair in owed if pair not in told]:
        yield f"{listed(missing)} do not meet; by its format they have to"
    if swapped := [" - ".join(told[pair]) for pair in told if pair in owed and told[pair] != owed[pair]]:
        yield f"{listed(swapped)} have each other's seats"
    if {*paired.byes} != {*expected.byes}:
        yield f"{listed(sorted(paired.byes)) or 'nobody'} sits out; it has to be {listed([*expected.byes]) or 'nobody'}"


def _advances(ties: Counter[tuple[str, str, str]]) -> str:
    words = {"lots": "by lots", "seed": "as the higher seed"}
    told = [f"{winner} advances over {loser} {words.get(by, by)}" for winner, loser, by in ties]
    return listed(told) if told else "nobody advances by lots or as the higher seed"


def _shown(groups: Sequence[str]) -> str:
    return listed(groups) if groups else "points decide"
