"""The pages, asked for without a browser: what stands there, what does not, and under which rules."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from league_sdk.clock import ManualClock
from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteRound,
    ForfeitMatch,
    RegisterPlayer,
    RemovePlayer,
    SitOut,
    StartLeague,
    StartRound,
    StopLeague,
    VoidMatch,
)
from league_sdk.domain.model import MatchResult
from league_sdk.domain.participants.sitting_out import SittingOutReason
from league_sdk.plugins import game
from league_sdk.ports import StoreFailed
from servers.agent.rate_limit import Rate, Throttle
from servers.read_model.running import MatchProgress
from servers.read_model.waits import Wait
from servers.ui import assets
from servers.ui.web.routes import POLICY
from tests.league_sdk.domain.season import agent
from tests.requirements.marker import requirement
from tests.servers.league_history import LeagueHistory, begun, finished, technical_loss, under_way, waiting
from tests.servers.read_model.leagues import reveal, talk
from tests.servers.ui.web.site import Seen, Site

pytestmark = pytest.mark.anyio
PAGES = ["/", "/standings", "/rounds", "/results", "/charts", "/screen", "/feed", "/operator"]
MARKUP = '"><script>alert(1)</script><img src=x onerror=alert(2)>\u202e'


def told(**changes: object) -> LeagueHistory:
    """A match of P01 and P02 that is over, with all that was said."""
    history = under_way(2)
    result = {"transcript": talk(), "details": {"draw": reveal(), "number": 8}, "reason": "Eight.", **changes}
    history.season.record("R1M1", "P01", **result)
    return history


def hostile() -> LeagueHistory:
    """A league whose agents put markup wherever they can."""
    history = waiting(0)
    for number in (1, 2):
        history.do(RegisterPlayer(agent(f"{MARKUP}{number}")))
    history = LeagueHistory(history.season)
    for command in (CloseRegistration("operator"), StartLeague(), StartRound(1), AssignMatch("R1M1", "REF01")):
        history.do(command)
    entries = tuple(
        {**entry, "message_type": MARKUP, "choice": {MARKUP: MARKUP}, "draw_nonce": MARKUP} for entry in talk()
    )
    history.season.record(
        "R1M1",
        "P01",
        reason=MARKUP,
        transcript=entries,
        details={MARKUP: MARKUP, "draw": {"secret": MARKUP, "nonces": {"P01": MARKUP}}},
    )
    return history


def one_removed() -> LeagueHistory:
    """A league in its first round that has lost its first player."""
    history = begun(4)
    history.season.play_round(1)
    for command in (StartRound(2), AssignMatch("R2M1", "REF01"), RemovePlayer("P01", MARKUP)):
        history.do(command)
    return history


STAGES = {
    "registration": lambda: waiting(3),
    "before the first round": lambda: begun(4),
    "under way": lambda: under_way(4),
    "complete": lambda: finished(5),
    "hostile": hostile,
    "one removed": one_removed,
}


@pytest.mark.parametrize("stage", STAGES)
async def test_every_page_can_be_read_at_every_stage(stage: str):
    site = Site(STAGES[stage]())
    for path in [*PAGES, "/players/P01"]:
        seen = await site.page(path)
        assert [tag for tag, _ in seen.tags].count("h1") == 1
    if stage not in ("registration", "before the first round"):
        await site.page("/rounds/1")
        await site.page("/matches/R1M1")


@pytest.mark.parametrize("path", [*PAGES, "/players/P01", "/matches/R1M1", "/matches/nothing", "/static/page.css"])
async def test_nothing_but_what_we_bring_may_run(path: str):
    answer = await Site(finished(2)).get(path)
    assert answer.headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


async def test_no_page_has_script_or_style_of_its_own():
    site = Site(hostile(), game("even_odd"))
    for path in [*PAGES, "/players/P01", "/matches/R1M1"]:
        seen = await site.page(path)
        for tag, attrs in seen.tags:
            assert tag not in ("style", "iframe", "object", "embed"), path
            assert not [name for name in attrs if name.startswith("on") or name == "style"], path
            if tag == "script":
                assert (attrs["src"] or "").startswith("/static/")
            if tag in ("img", "link"):
                assert (attrs.get("src") or attrs.get("href") or "").startswith("/static/")


@requirement("project-LATER-05")
async def test_what_agents_write_stays_text_and_cannot_turn_text_round():
    site = Site(hostile())
    for path in [*PAGES, "/players/P01", "/rounds/1", "/matches/R1M1"]:
        html = (await site.get(path)).text
        assert "<script>alert" not in html, path
        assert "<img src=x" not in html, path
        assert "\u202e" not in html, path
    seen = await site.page("/matches/R1M1")
    assert "<script>alert(1)</script>" in seen.text


async def test_names_are_isolated_from_the_text_around_them():
    html = (await Site(hostile()).get("/standings")).text
    for found in re.finditer(re.escape("&lt;script&gt;"), html):
        assert html.rfind("<bdi>", 0, found.start()) > html.rfind("</bdi>", 0, found.start()), html[: found.start()][
            -80:
        ]


@requirement("project-LATER-05")
@pytest.mark.parametrize("stage", ["registration", "under way", "complete"])
async def test_the_standings_are_those_of_the_league(stage: str):
    history = STAGES[stage]()
    seen = await Site(history).page("/standings")
    points = seen.rows[0].index("Points")
    rows = [[row[1], row[points], *row[2:5]] for row in seen.rows[1:]]
    assert rows == [
        [f"{row.display_name} {row.player_id}", str(row.points), str(row.played), str(row.wins), str(row.draws)]
        for row in history.league.standings()
    ]


async def test_the_standings_have_ratings_with_their_errors_and_name_those_that_cannot_be_told_apart():
    html = (await Site(finished(4)).get("/standings")).text
    assert len(re.findall(r"<td[^>]*>\d+ ± \d+</td>", html)) == 4
    assert "no two players are distinguishable: there are too few matches" in html
    before = (await Site(under_way(2)).get("/")).text
    assert "Rating" not in before


async def test_a_match_under_way_tells_who_plays_and_no_move():
    seen = await Site(under_way(2)).page("/matches/R1M1")
    assert "Under way" in seen.text
    assert "Moves are secret until the match is over" in seen.text
    assert "Messages" not in seen.text


async def test_a_match_that_is_over_is_told_with_its_draw():
    seen = await Site(told()).page("/matches/R1M1")
    assert "after 500 ms of 30 s" in seen.text
    assert "Random draw verified" in seen.text
    assert "Eight." in seen.text
    assert "number8" in seen.text
    assert "The game is not installed here." in seen.text


async def test_a_match_is_replayed_step_by_step():
    site = Site(told(transcript=talk(choices=("even", "odd"))), game("even_odd"))
    seen = await site.page("/matches/R1M1")
    first, _, last = seen.text.partition("Player 1: even")
    assert "Before the first move." in first
    assert "number: not drawn yet" in first
    assert "number: 1 (odd)" in last
    assert {"first", "back", "play", "on", "last"} <= {attrs.get("data-step") for _, attrs in seen.tags}


async def test_what_a_player_at_fault_sent_is_not_told_but_its_cause_is():
    history = under_way(2)
    result = technical_loss(history, "R1M1", "P02")
    faults = tuple(
        replace(fault, evidence={"received": "rude words"}, description="rude words") for fault in result.faults
    )
    history.season.record(
        "R1M1", "P01", status=result.status, faults=faults, transcript=talk(choices=(1, "rude words"))
    )
    site = Site(history)
    for path in ("/matches/R1M1", "/players/P02", "/feed", "/"):
        assert "rude" not in (await site.get(path)).text
    assert "did not answer the call for a move in time" in (await site.page("/players/P02")).text
    assert "did not answer the call for a move in time, 4 times" in (await site.page("/matches/R1M1")).text
    assert "move not public" in (await site.page("/matches/R1M1")).text


BOARD = "  a b c\n1 . X .\nX P01, O <b>P02</b>"


async def running_match(progress: MatchProgress, *, hidden: bool = False) -> Seen:
    """The page of a match under way, as its referee last told of it."""
    rules = type("Board", (type(game("tic_tac_toe")),), {"hidden": hidden})()
    site = Site(under_way(2), rules)
    with site.live.running.follow("R1M1") as followed:
        followed.tell(progress)
        return await site.page("/matches/R1M1")


async def test_a_running_match_says_turn_and_whose_clock_runs_and_shows_an_open_position():
    told = MatchProgress(2, ("P02",), {"P02": "2025-01-15T10:00:40Z"}, BOARD, "<svg/>")
    seen = await running_match(told)
    assert "Under way, turn 2, since" in seen.text
    assert "to move, time is up at 10:00:40 UTC" in seen.text
    assert "2025-01-15T10:00:40Z" in {attrs.get("data-until") for _, attrs in seen.tags}
    assert "1 . X . X P01, O <b>P02</b>" in seen.text  # as text, not as markup
    assert [attrs["alt"] for _, attrs in seen.tags if attrs.get("class") == "picture"] == ["Position before turn 2"]
    assert "secret" not in seen.text


async def test_no_position_of_a_game_that_may_hide_something_is_shown_whatever_a_referee_sends():
    told = MatchProgress(1, ("P01",), position="even odd", picture="<svg/>")
    seen = await running_match(told, hidden=True)
    assert "even odd" not in seen.text
    assert not [attrs for _, attrs in seen.tags if attrs.get("class") == "picture"]
    assert "Moves are secret until the match is over" in seen.text
    assert "to move" in seen.text


async def test_an_invited_player_is_not_called_the_one_to_move():
    seen = await running_match(MatchProgress(None, ("P01",), {"P01": "2025-01-15T10:00:05Z"}))
    assert "invited, time is up at 10:00:05 UTC" in seen.text
    assert "to move" not in seen.text


async def test_the_page_of_a_running_match_changes_with_its_progress():
    site = Site(under_way(2), game("tic_tac_toe"))
    with site.live.running.follow("R1M1") as followed:
        followed.tell(MatchProgress(1, ("P01",)))
        first = await site.get("/matches/R1M1")
        assert (await site.get("/matches/R1M1", if_none_match=first.headers["etag"])).status_code == 304
        followed.tell(MatchProgress(2, ("P02",)))
        again = await site.get("/matches/R1M1", if_none_match=first.headers["etag"])
        assert again.status_code == 200
        assert "turn 2" in again.text
    assert "data-refresh" in (await site.get("/matches/R1M1")).text
    assert "data-refresh" not in (await Site(finished(3)).get("/matches/R1M1")).text


@pytest.mark.parametrize("path", ["/", "/screen", "/matches/R1M1"])
async def test_overview_big_screen_and_the_page_of_a_match_say_what_is_waited_for(path: str):
    site = Site(under_way(2), game("tic_tac_toe"))
    before = await site.get(path)
    with site.live.running.follow("R1M1") as followed:
        wait = Wait("R1M1", ("P02",), True, 2, 4, "2025-01-15T10:00:18.000Z")
        followed.tell(MatchProgress(1, ("P02",), waits=(wait,), open_calls=(replace(wait, players=("P01",)),)))
        answer = await site.get(path, if_none_match=before.headers["etag"])
        assert answer.status_code == 200
        seen = Seen.of(answer.text)
        assert "R1M1 waits for Player 2: move, attempt 2 of 4 , until 10:00:18 UTC" in seen.text.replace("4,", "4 ,")
        assert "waits for Player 1" not in seen.text, "that is for the operator"
        assert "2025-01-15T10:00:18.000Z" in {attrs.get("data-until") for _, attrs in seen.tags if "data-left" in attrs}
    assert "waits for" not in (await site.page(path)).text


async def test_no_page_tells_endpoints_or_digests():
    site = Site(finished(3))
    for path in [*PAGES, "/players/P01", "/matches/R1M1"]:
        html = (await site.get(path)).text
        assert "http://localhost" not in html
        assert "digest of" not in html


@pytest.mark.parametrize(
    "path",
    ["/players/P99", "/players/%3Cscript%3E", "/matches/R9M9", "/matches/none", "/rounds/99", "/standings?page=7"],
)
async def test_what_is_not_there_says_so(path: str):
    answer = await Site(finished(2)).get(path)
    assert answer.status_code == 404
    assert "Not found" in answer.text
    assert "<script>" not in answer.text


async def test_numbers_that_are_none_count_for_nothing():
    site = Site(finished(2))
    for text in ("-1", "1e9", "\N{SUPERSCRIPT TWO}", "9" * 30, "x"):
        assert (await site.get(f"/standings?page={text}")).status_code == 200


async def test_every_link_within_the_page_leads_somewhere():
    site, asked = Site(finished(5)), set[str]()
    pending = {"/"}
    while pending:
        path = pending.pop()
        asked.add(path)
        seen = await site.page(path)
        for link in seen.links():
            target = (
                link if link.startswith("/") else f"{path.partition('?')[0]}{link}" if link.startswith("?") else path
            )
            if target not in asked:
                pending.add(target)
    assert len(asked) > 20


async def test_a_page_that_has_not_changed_is_not_sent_again():
    site = Site(under_way(4))
    first = await site.get("/standings")
    again = await site.get("/standings", if_none_match=first.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")
    site.history.season.record("R1M1", "P01")
    site.catch_up()
    later = await site.get("/standings", if_none_match=first.headers["etag"])
    assert later.status_code == 200
    assert later.text != first.text


async def test_a_page_can_be_had_without_its_frame():
    site = Site(finished(2))
    whole, part = await site.get("/standings"), await site.get("/standings", x_part="main")
    assert part.text.lstrip().startswith('<div id="page"')
    assert "<html" not in part.text
    assert part.text.strip() in whole.text
    assert whole.headers["vary"] == "x-part"
    assert whole.headers["etag"] != part.headers["etag"]


async def test_files_may_be_kept_for_ever_and_have_another_address_when_they_change():
    site = Site(waiting(1))
    html = (await site.get("/")).text
    for name in ("page.css", "page.js", "idiomorph-0.8.0.min.js", "icon.svg"):
        assert assets.address(name) in html
        answer = await site.get(assets.address(name))
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert (await site.get(f"/static/{name}")).headers["cache-control"] == "no-cache"
    assert (await site.get("/static/nothing.js")).status_code == 404
    assert (await site.get("/static/..%2fpages.py")).status_code == 404
    assert (await site.get("/favicon.ico")).status_code == 307


async def test_whoever_asks_too_often_is_told_when_to_come_back():
    clock = ManualClock()
    site = Site(waiting(1), throttle=Throttle(clock, Rate(1, 1), Rate(0.5, 3)))
    answers = [(await site.get("/")).status_code for _ in range(5)]
    assert answers == [200, 200, 200, 429, 429]
    assert (await site.get("/")).headers["retry-after"] == "2"


async def test_before_there_is_a_league_there_is_nothing_to_see():
    site = Site(waiting(1))
    site.live._league = None
    answer = await site.get("/")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


async def test_a_removed_player_is_marked_in_words_and_not_first():
    site = Site(one_removed())
    for path in ("/", "/standings", "/results"):
        seen = await site.page(path)
        assert [row[1] for row in seen.rows if "P01" in row[1]] == ["Player 1 P01 removed"], path
        assert "first" not in [attrs.get("class") for _, attrs in seen.tags if attrs.get("id") == "row-P01"], path
    assert "players4 left1" in (await site.page("/")).text


async def test_a_removed_players_matches_are_marked_and_it_is_said_whose_results_count():
    site = Site(one_removed())
    said = "P01 was removed: its results against P02 count, 2 matches of it are void."
    for path in ("/", "/standings"):
        assert said in (await site.page(path)).text
    assert "Player 1 P01 removed" in (await site.page("/matches/R3M1")).text
    seen = await site.page("/players/P03")
    assert [row[2] for row in seen.rows if "Player 1" in row[2]] == ["Player 1 P01 removed"]


@requirement("project-TRUST-07")
async def test_replays_are_counted_for_both_players_and_an_unlikely_share_is_pointed_out():
    history = begun(12)
    sore = "P12"
    for number in range(1, 12):
        history.do(StartRound(number))
        for fixture in history.league.round(number).fixtures:
            for _ in range(2 if sore in fixture.players else 1):
                history.do(AssignMatch(fixture.match_id, "REF01", ""))
            history.season.record(fixture.match_id, fixture.players[0])
        history.do(CompleteRound(number))
    site = Site(history)
    pointed_out = "P12: 11 of 11 matches were played again or are void (replays: 11, void: 0), which chance alone"
    for path in ("/", f"/players/{sore}"):
        assert pointed_out in (await site.page(path)).text
    other = await site.page("/players/P01")
    assert "which chance alone" not in other.text
    assert "played again1" in other.text


async def test_the_page_of_a_removed_player_and_of_its_void_matches_say_why():
    site = Site(one_removed())
    for path in ("/players/P01", "/matches/R2M1", "/matches/R3M1"):
        seen = await site.page(path)
        assert 'P01 was removed by the operator: "><script>alert(1)</script>' in seen.text, path
    assert "The match is void and does not count." in (await site.page("/matches/R3M1")).text
    assert "2 matches are void." in (await site.page("/feed")).text


async def test_the_page_and_the_feed_name_the_part_for_which_a_match_is_void():
    history, cause = under_way(), "the referee failed 3 times"
    match_id = history.league.unfinished(history.league.current_round or 1)[0].match_id
    history.do(VoidMatch(match_id, f"{cause}: REF01 did not take it: http://10.1.2.3:8001/mcp: refused"))
    site = Site(history)
    match, feed = (await site.page(f"/matches/{match_id}")).text, (await site.page("/feed")).text
    assert f"The match is void and does not count: {cause}." in match
    assert f"{match_id} is void: {cause}." in feed
    assert "10.1.2.3" not in match + feed, "an address is for the operator"


@pytest.mark.parametrize("player_id", ["P01", "P02"])
async def test_a_player_can_be_removed_on_its_page_as_long_as_it_is_in(player_id: str):
    seen = await Site(one_removed()).page(f"/players/{player_id}")
    buttons = [attrs for tag, attrs in seen.tags if tag == "button"]
    if player_id == "P01":
        assert buttons == []
        return
    sit_out, button = buttons
    assert sit_out["data-action"] == "/admin/players/P02/sit-out"
    assert button["data-action"] == "/admin/players/P02/remove"
    assert "Remove Player 2 (P02) from the league?" in (button["data-confirm"] or "")
    assert "2 matches will be void" in (button["data-confirm"] or "")
    assert [attrs for _, attrs in seen.tags if attrs.get("id") == "desk" and "hidden" in attrs]


@pytest.mark.parametrize("history", [finished(2), under_way(2)], ids=["over", "the last one"])
async def test_nobody_can_be_removed_who_has_to_stay(history: LeagueHistory):
    history = LeagueHistory(history.season)
    if history.league.current_round:
        history.do(RemovePlayer("P01"))
    seen = await Site(history).page("/players/P02")
    assert not [attrs for tag, attrs in seen.tags if tag == "button" and "remove" in (attrs.get("data-action") or "")]


async def test_a_player_that_sits_out_is_marked_in_words_with_its_reason_and_its_end():
    history = under_way(4)
    history.do(SitOut("P04", SittingOutReason.OPERATOR, MARKUP))
    history.do(SitOut("P03", SittingOutReason.CRASHED))
    site = Site(history)
    for path in ("/", "/standings", "/results"):
        seen = await site.page(path)
        assert "Player 4 P04 sits out: operator" in [row[1] for row in seen.rows if len(row) > 1], path
    assert "sitting out2" in (await site.page("/")).text
    page = await site.page("/players/P04")
    assert 'Player 4 sits out: by the operator: "><script>alert(1)</script>' in page.text
    assert "Its matches are not played meanwhile." in page.text
    assert "It plays again when the operator lets it." in page.text
    assert "/admin/players/P04/rejoin" in [attrs.get("data-action") for _, attrs in page.tags]
    assert "It plays again in a new version, or when the operator lets it." in (await site.page("/players/P03")).text
    assert "Player 4 sits out, by the operator" in (await site.page("/feed")).text


async def test_a_match_that_is_not_played_says_why_and_the_table_counts_it():
    history = begun(4)
    history.do(SitOut("P04", SittingOutReason.OPERATOR))
    history.do(StartRound(1))
    match = next(each for each in history.league.under_way() if "P04" in each.players)
    history.do(ForfeitMatch(match.match_id))
    site = Site(history)
    assert "Nobody played it: P04 sits out: operator." in (await site.page(f"/matches/{match.match_id}")).text
    assert "1 match of P04 was not played, since it sat out" in (await site.page("/standings")).text
    assert f"{match.match_id} is not played: Player 4 sits out, and" in (await site.page("/feed")).text
    assert "forfeits, since a player sat out" in "".join(str(attrs) for _, attrs in (await site.page("/")).tags)


async def test_a_stopped_league_says_so():
    history = under_way(4)
    history.do(VoidMatch("R1M1", "http://secret.example is down"))
    history.do(StopLeague("enough for today"))
    site = Site(history)
    seen = await site.page("/")
    assert "The league is stopped: enough for today" in seen.text
    assert "secret.example" not in (await site.get("/matches/R1M1")).text


async def test_news_come_in_pages():
    site = Site(finished(12))
    first = await site.page("/feed")
    (older,) = [link for link in first.links() if link.startswith("/feed?before=")]
    second = await site.page(older)
    assert "The league is complete;" in first.text
    assert "is open for registration" not in first.text
    assert "is open for registration" in second.text


async def test_rank_changes_are_told():
    history = begun(4)
    history.season.play_round(1)
    history.do(StartRound(2))
    for fixture in history.league.round(2).fixtures:
        history.do(AssignMatch(fixture.match_id, "REF01"))
        history.season.record(fixture.match_id, fixture.players[1])
    history.do(CompleteRound(2))
    seen = await Site(history).page("/standings")
    assert "up since" not in seen.text
    assert {attrs.get("title") for _, attrs in seen.tags if "moved" in (attrs.get("class") or "")}


async def test_the_overview_of_a_complete_league_shows_the_head_to_be_kept():
    history = finished(2)
    told = (await Site(history).page("/")).text
    last = history.records()[-1]
    assert f"Digest of the last of {last.sequence} records, for league audit --head: {last.digest}" in told
    assert "Digest of the last" not in (await Site(under_way()).page("/")).text


async def test_a_page_whose_store_does_not_answer_is_to_be_asked_for_again():
    site = Site(finished(2))

    async def gone(match_ids: Sequence[str]) -> Sequence[MatchResult]:
        raise StoreFailed(f"gone, with {len(match_ids)} matches")

    site.live._whole = gone
    for path in ("/matches/R1M1", "/players/P01", "/charts"):
        answer = await site.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1"), path
    assert (await site.get("/standings")).status_code == 200


async def test_registration_past_its_deadline_is_said_to_wait_for_enough_players():
    deadline = "2025-01-15T12:00:00Z"
    site = Site(waiting(2, expected_players=4, registration_deadline=deadline))
    seen = await site.page("/")
    clocks = [attrs for _, attrs in seen.tags if attrs.get("data-until") == deadline]
    assert [attrs["data-verb"] for attrs in clocks] == ["closes", "It closes"]
    assert clocks[0]["data-passed"] == "past its deadline"
    assert str(clocks[1]["data-passed"]).endswith("and the league begins once enough are in.")
    assert "It closes at 2025-01-15 12:00 UTC" in seen.text
