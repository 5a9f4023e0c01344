"""A ladder's places and rounds, from who beat whom."""

from league_sdk.audit.stage_course import ExpectedRound, Groups, StageCourse

ENDLESS = 999_999_999


def places(course: StageCourse, complete: int) -> list[str]:
    """The players from the first place to the last."""
    known: tuple[int, list[str], set[str]] | None = course.memo.get("places")
    if known is None or known[0] > complete:
        known = 0, [player for player in course.players if not course.missed.get(player)], set()
    done, line, came = known
    entering: dict[int, list[str]] = {}
    for player, number in course.missed.items():
        entering.setdefault(number, []).append(player)
    for number, played in enumerate(course.rounds[done:complete], start=done + 1):
        at = {player: place for place, player in enumerate(line)}
        for players, match in zip(played.pairings, played.results, strict=True):
            if match is not None and not match.not_played:
                came |= {*players} - match.guilty
            if match is not None and match.winner is not None:
                other = players[0] if players[1] == match.winner else players[1]
                first, second = sorted((at[match.winner], at[other]))
                line[first], line[second] = match.winner, other
        there = {*played.byes, *(player for players in played.pairings for player in players)}
        left = {player for player, after in course.left.items() if after < number}
        line.sort(key=lambda player: player not in came | there | left)  # who never came makes room
        line += sorted(entering.get(number, ()), key=course.players.index)
    course.memo["places"] = complete, line, came
    return [*line]


def ladder_ranking(course: StageCourse, complete: int) -> Groups:
    """The places."""
    return [[player] for player in places(course, complete)]


def ladder_rounds(course: StageCourse, players: int) -> int:
    """As many as set; else as many as players at the start."""
    return ENDLESS if course.options.get("endless") else course.option("rounds") or players


def next_of_ladder(course: StageCourse, complete: int) -> ExpectedRound | None:
    """Neighbours; of more than two, the first rests every second round."""
    there = course.there(complete)
    line = [player for player in places(course, complete) if player in there]
    if complete >= ladder_rounds(course, course.starters) or len(line) < 2:
        return None
    rest = line[1:] if complete % 2 and len(line) > 2 else line
    pairs = list(zip(rest[::2], rest[1::2], strict=False))
    if complete % 4 > 1:  # each pair of places swaps its seats every time
        pairs = [(lower, upper) for upper, lower in pairs]
    busy = {player for pair in pairs for player in pair}
    return ExpectedRound(pairs, [player for player in line if player not in busy])
