"""Pairs a round by FIDE's Dutch system, with the library py4swiss.

FIDE Handbook C.04.3, in the version that was in force until 31 January 2026. The library is imported when it is needed:
most leagues do without it.
"""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING

from league_sdk.tournament import ByePoints, FormatDoesNotFit, PairedRound, PlayedRound, Tournament

if TYPE_CHECKING:
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.results import RoundResult

MOST_PLAYERS = 200
"""A round of 200 takes the library some two seconds, one of 1,000 more than half a minute."""


def require_dutch() -> None:
    """Raise FormatDoesNotFit where the library is not installed."""
    if find_spec("py4swiss") is None:
        raise FormatDoesNotFit(
            'pairing=dutch needs the library py4swiss: pip install "mcp-agent-league[swiss]". '
            "Without it, pairing=matching ranks the players as well, by other pairings"
        )


def dutch_round(tournament: Tournament, rounds: int, virtual: Callable[[int, int], int]) -> PairedRound | None:
    """The next round; None when the Dutch criteria leave no pairing.

    Args:
        tournament: The tournament after its complete rounds.
        rounds: The number of rounds in all: criteria are relaxed for top scorers in the last one.
        virtual: The points that a player with this seed is lent after so many rounds, for the pairing only.
    """
    from py4swiss.engines.common import PairingError
    from py4swiss.engines.dutch import Engine

    try:
        paired = Engine.generate_pairings(_report(tournament, rounds, virtual))
    except PairingError:
        return None
    players = tournament.players
    return PairedRound(
        tuple((players[pair.white - 1], players[pair.black - 1]) for pair in paired if pair.black),
        tuple(players[pair.white - 1] for pair in paired if not pair.black),
        bye_points=ByePoints.WIN,
        paired_by="points",
    )


def _report(tournament: Tournament, rounds: int, virtual: Callable[[int, int], int]) -> "ParsedTrf":
    """The tournament in the library's form, a tournament report file (TRF).

    Scores go in as virtual points, since a league may give any points for a result; results say only who met whom, and
    in which seat.
    """
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.results import ColorToken, ResultToken, ScoringPointSystem
    from py4swiss.trf.sections import PlayerSection, XSection
    from py4swiss.trf.sections.x_section import XSectionConfiguration

    played = tournament.rounds
    scores = [replace(tournament, rounds=played[:complete]).points() for complete in range(len(played) + 1)]
    seeds = {entrant.player_id: entrant.seed for entrant in tournament.entrants}
    worth = dict.fromkeys(((result, color) for result in ResultToken for color in ColorToken), 0)
    worth[ResultToken.FORFEIT_WIN, ColorToken.WHITE] = 10 * tournament.win  # the most that a round can bring
    return ParsedTrf(
        player_sections=[
            PlayerSection(
                code=PlayerCode.PLAYER,
                starting_number=seed,
                points_times_ten=10 * scores[-1][player],
                rank=seed,
                results=[_result(each, player, seeds) for each in played],
            )
            for player, seed in seeds.items()
        ],
        x_section=XSection(
            number_of_rounds=rounds,
            zeroed_ids={entrant.seed for entrant in tournament.entrants if not entrant.active},
            scoring_point_system=ScoringPointSystem(score_dict=worth),
            configuration=XSectionConfiguration(first_round_color=_lot(tournament.seed)),
            accelerations={
                seed: [10 * (score[player] + virtual(seed, complete)) for complete, score in enumerate(scores)]
                for player, seed in seeds.items()
            },
        ),
    )


def _result(played: PlayedRound, player: str, seeds: dict[str, int]) -> "RoundResult":
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult

    for seats in played.paired.pairings:
        if player in seats:
            first = player == seats[0]
            color = ColorToken.WHITE if first else ColorToken.BLACK
            return RoundResult(id=seeds[seats[first]], color=color, result=ResultToken.LOSS)
    bye = player in played.paired.byes and played.paired.bye_points is ByePoints.WIN
    late = ResultToken.HALF_POINT_BYE if player in played.paired.late_byes else ResultToken.ZERO_POINT_BYE
    result = ResultToken.PAIRING_ALLOCATED_BYE if bye else late
    return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=result)


def _lot(seed: str) -> bool:
    """True when the top of the seeding has the first seat in round 1, by lot."""
    return sha256(f"{seed}|first seat".encode()).digest()[0] % 2 == 0
