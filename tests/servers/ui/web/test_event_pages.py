"""The pages of an event: formats, the big screen, long lists, and addresses that lead nowhere."""

from typing import Any

import pytest

from game_rules.lowest_unique_number import LowestUniqueNumber
from game_rules.tic_tac_toe import TicTacToe
from league_sdk import plugins
from league_sdk.domain.commands import AssignMatch
from league_sdk.domain.model import StageRules
from servers.read_model import replay
from tests.league_sdk.domain.level_ties import level
from tests.requirements.marker import requirement
from tests.servers.league_history import LeagueHistory, finished, under_way
from tests.servers.ui.report.leagues import tournament
from tests.servers.ui.web.site import Site

pytestmark = pytest.mark.anyio
GAME = plugins.game("tic_tac_toe")


@requirement("001-FUT-09")
async def test_a_bracket_is_a_list_of_rounds_with_byes_and_open_places():
    site = Site(tournament(GAME, 6, (StageRules("knockout"),), rounds=1))
    seen = await site.page("/results")
    for words in ("Quarter-finals", "Semi-finals", "Final", "bye", "open"):
        assert words in seen.text
    assert "bracket" in [told.get("class") for _, told in seen.tags]
    assert "Quarter-finals" in (await site.page("/")).text


@pytest.mark.parametrize(("revealed", "said"), [(True, "lots"), (False, "higher seed")])
async def test_a_bracket_and_the_feed_say_who_advances_by_lots_and_who_as_the_higher_seed(revealed: bool, said: str):
    site = Site(LeagueHistory(level(revealed=revealed)))
    assert said in (await site.page("/results")).text
    assert f"advances over Player {2 if not revealed else ''}" in (await site.page("/feed")).text


async def test_a_bracket_too_long_to_be_drawn_begins_with_lists():
    seen = await Site(tournament(GAME, 40, (StageRules("knockout"),), rounds=1)).page("/results")
    assert [told.get("class") for tag, told in seen.tags if tag == "details"] == ["earlier"]


async def test_rounds_of_a_swiss_are_a_table_with_the_byes():
    history = tournament(GAME, 7, (StageRules("swiss", {"rounds": 3}),))
    rows = (await Site(history).page("/results")).rows[1:]
    assert [row[0] for row in rows] == [str(row.rank) for row in history.league.standings()]
    assert sum(cell.startswith("bye") for row in rows for cell in row) == 3


def at_tables_of_three(rounds: int | None = None) -> LeagueHistory:
    return tournament(LowestUniqueNumber(), 7, (StageRules("tables"),), rounds)


@requirement("project-GAMES-06")
@pytest.mark.parametrize("rounds", [1, None])
async def test_every_page_can_be_read_in_a_league_of_matches_of_three(rounds: int | None):
    history = at_tables_of_three(rounds)
    site = Site(history, LowestUniqueNumber())
    for path in ["/", "/standings", "/rounds", "/rounds/1", "/results", "/charts", "/screen", "/feed", "/players/P01"]:
        await site.page(path)
    match = history.league.results["R1M1"]
    told = ", ".join(
        f"{place}. {history.league.players[player].display_name}"
        for player, place in sorted(match.places.items(), key=lambda each: each[1])
    )
    assert told in (await site.page("/feed")).text
    shown = await site.page("/matches/R1M1")
    assert all(f"/players/{player}" in shown.links() for player in match.players)


@requirement("project-GAMES-06")
async def test_rounds_of_tables_name_all_opponents_and_the_place():
    history = at_tables_of_three()
    site = Site(history, LowestUniqueNumber())
    row = {row[1].split()[-1]: row[2:-1] for row in (await site.page("/results")).rows[1:]}
    for match in history.league.results.values():
        for player in match.players:
            others = [other for other in match.players if other != player]
            cell = f"{' '.join(others)}: {match.places[player]}"
            assert row[player][match.round_id - 1].removesuffix("t") == cell
            assert f"place {match.places[player]} of 3" in (await site.page(f"/players/{player}")).text


async def test_the_old_address_of_the_cross_table_leads_to_the_results():
    answer = await Site(finished(3)).get("/cross-table?row=1")
    assert (answer.status_code, answer.headers["location"]) == (308, "/results?row=1")


@pytest.mark.parametrize("path", ["/nothing", "/a/b/c", "/matches"])
async def test_an_address_that_leads_nowhere_gets_the_page_in_its_frame(path: str):
    answer = await Site(finished(3)).get(path)
    assert answer.status_code == 404
    assert f"There is no page {path}." in answer.text
    assert 'aria-label="Pages"' in answer.text


async def test_many_rounds_have_previous_and_next_in_place_of_a_button_each():
    links = (await Site(finished(20)).page("/rounds/7")).links()
    assert {"/rounds/1", "/rounds/6", "/rounds/8", "/rounds/19"} <= set(links)
    assert "/rounds/12" not in links


async def test_nobody_is_marked_as_leading_among_several_in_the_first_half():
    def marked(seen: Any) -> list[str]:
        return [told["id"] for tag, told in seen.tags if tag == "tr" and told.get("class") == "first"]

    history = under_way(6)
    history.season.record("R1M1", "P01")
    assert marked(await Site(history).page("/")) == ["row-P01"]
    for match_id in ("R1M2", "R1M3"):
        history.do(AssignMatch(match_id, "REF01"))
        history.season.record(match_id, history.league.fixture(match_id).players[0])
    assert marked(await Site(history).page("/")) == []


async def test_the_big_screen_has_standings_matches_under_way_and_results():
    history = tournament(GAME, 8, (StageRules("swiss", {"rounds": 3}),), rounds=1)
    seen = await Site(history).page("/screen")
    slides = [told["id"] for tag, told in seen.tags if tag == "section"]
    assert slides == ["slide-standings", "slide-going", "slide-last"]
    over = await Site(finished(4)).page("/screen")
    assert "slide-champion" in [told.get("id") for _, told in over.tags]


async def test_a_chosen_player_is_named_in_the_charts_wherever_it_stands():
    site = Site(finished(20))
    last = site.history.league.standings()[-1]
    plain = (await site.get("/charts")).text
    chosen = (await site.get(f"/charts?player={last.player_id}")).text
    assert f">{last.display_name}</text>" not in plain.partition("Rank by round")[0]
    assert f">{last.display_name}</text>" in chosen.partition("Rank by round")[0]


class Drawn(TicTacToe):
    """The game, with a picture."""

    def svg(self, state: Any) -> str:
        return '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


async def test_a_game_that_draws_its_positions_is_shown_by_images():
    history = tournament(GAME, 2, (StageRules(),))
    site = Site(history, game=Drawn())
    pictures = [told for tag, told in (await site.page("/matches/R1M1")).tags if tag == "img" and told.get("alt")]
    frames = replay(history.league.league_id, history.league.results["R1M1"], Drawn()).frames
    assert len(pictures) == len(frames) > 5
    assert all((told["src"] or "").startswith("data:image/svg+xml;base64,") for told in pictures)


async def test_a_bracket_ranks_by_points_until_its_first_round_is_complete():
    for rounds, said in ((0, True), (1, False)):
        seen = await Site(tournament(GAME, 4, (StageRules("knockout"),), rounds=rounds)).page("/standings")
        assert ("By points; from the first complete round on" in seen.text) is said


async def test_a_tie_break_has_a_column_where_somebody_has_a_value():
    ties = ("points", "buchholz", "head_to_head")
    history = tournament(GAME, 8, (StageRules("swiss", {"rounds": 3}),), rounds=1, tiebreakers=ties)
    seen = await Site(history).page("/standings")
    assert "BH" in seen.text
    assert "DE" not in seen.text
