"""A player's answers, and its strategy's views."""

import re
import threading
from datetime import timedelta
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from league_sdk import tokens
from league_sdk.domain.lifecycles import AgentState
from league_sdk.fairness import Draw
from league_sdk.game import PastMatch, PlayerView
from league_sdk.ports import CallRefused
from servers.agent import identity as seats
from servers.agent.identity import Credentials
from tests.requirements.marker import requirement
from tests.servers.fakes import GAMES, LEAGUE, OPERATOR, context, envelope
from tests.servers.player.player_harness import (
    CREDENTIALS,
    PEER_TOKEN,
    FakeMemory,
    Player,
    call_for_move,
    game_error,
    game_over,
    invitation,
    player,
)

pytestmark = pytest.mark.anyio

ANSWERED = threading.Event()
"""Set once the player has answered without its strategy."""


async def refused(made: Player, tool: str, message: Any, token: str | None = OPERATOR) -> tuple[int, str]:
    """Number and E-code of a refusal."""
    with pytest.raises(CallRefused) as caught:
        await made.call(tool, message, token)
    assert caught.value.data is not None
    return caught.value.number, caught.value.data["error_code"]


def standings(*rows: tuple[str, str]) -> dict[str, Any]:
    table = [
        {
            "rank": rank,
            "player_id": player_id,
            "display_name": name,
            "played": 0,
            "wins": 0,
            "draws": 0,
            "losses": 0,
            "points": 0,
        }
        for rank, (player_id, name) in enumerate(rows, start=1)
    ]
    return envelope("LEAGUE_STANDINGS_UPDATE", "league_manager", league_id=LEAGUE, round_id=1, standings=table)


def announcement() -> dict[str, Any]:
    return envelope("ROUND_ANNOUNCEMENT", "league_manager", league_id=LEAGUE, round_id=1, matches=[])


def round_over() -> dict[str, Any]:
    fields: dict[str, Any] = {"league_id": LEAGUE, "round_id": 1, "matches_played": 1, "next_round_id": None}
    return envelope("ROUND_COMPLETED", "league_manager", **fields)


def the_end(**fields: Any) -> dict[str, Any]:
    champion = {"player_id": "P01", "display_name": "Ada", "points": 3}
    plain: dict[str, Any] = {"league_id": LEAGUE, "total_rounds": 1, "total_matches": 1, "champion": champion}
    told: dict[str, Any] = {**plain, "final_standings": [], **fields}
    return envelope("LEAGUE_COMPLETED", "league_manager", **told)


class TestInvitations:
    @requirement(
        "000-PL-INV-01",
        "000-PL-INV-02",
        "003-TYPE-11",
        "003-PLAYER-04",
        "003-TEST-A-03",
        "004-PL-01",
        "004-TEST-07",
        "002-INV-02",
    )
    async def test_an_invitation_is_accepted_at_once(self):
        made = player()
        answer = await made.invite()
        assert answer == {
            "protocol": "league.v2",
            "message_type": "GAME_JOIN_ACK",
            "sender": "player:P01",
            "timestamp": "2025-01-15T10:00:00Z",
            "conversation_id": "conv-of-caller",
            "league_id": LEAGUE,
            "round_id": 1,
            "match_id": "R1M1",
            "player_id": "P01",
            "arrival_timestamp": "2025-01-15T10:00:00Z",
            "accept": True,
        }

    @requirement("000-PL-INV-02")
    async def test_the_same_invitation_again_is_accepted_again(self):
        made = player()
        assert await made.invite() == await made.invite()
        assert (await made.ask())["parity_choice"] == "even"
        assert (await made.invite())["accept"] is True

    async def test_a_game_that_it_does_not_play_is_declined_and_forgotten(self):
        made = player()
        assert (await made.invite(game_type="chess"))["accept"] is False
        assert made.journal.named("INVITATION_DECLINED") == [("WARNING", {"match_id": "R1M1", "game": "chess"})]
        assert await refused(made, "choose_parity", call_for_move()) == (4005, "E008")

    async def test_a_match_that_is_played_again_starts_from_nothing(self):
        answers = iter(["even", "odd"])
        made = player(lambda view: next(answers))
        await made.invite()
        assert (await made.ask())["parity_choice"] == "even"
        await made.invite(attempt=2)
        assert (await made.ask())["parity_choice"] == "odd"

    async def test_a_player_without_a_league_plays_as_who_it_is_called(self):
        made = player(credentials=None)
        assert (await made.invite(player_id="Ada"))["player_id"] == "Ada"
        assert (await made.ask())["player_id"] == "Ada"
        await made.tell(winner_player_id="Ada", choices={"Ada": "even", "P02": "odd"}, score={"Ada": 3, "P02": 0})
        past, _, _ = made.memory.remembered[0]
        assert (past.result, past.my_moves, past.points) == ("WIN", ("even",), 3)

    async def test_or_as_nobody(self):
        made = player(credentials=None)
        assert (await made.invite(player_id=None))["player_id"] == "P00"
        assert (await made.call("notify_match_result", game_over("R9M9")))["player_id"] == "P00"


class TestMoves:
    @requirement("000-PL-CALL-01", "003-PLAYER-05", "004-PL-02")
    async def test_the_strategy_chooses(self):
        made = player(lambda view: "odd")
        await made.invite()
        answer = await made.ask()
        assert (answer["message_type"], answer["parity_choice"]) == ("CHOOSE_PARITY_RESPONSE", "odd")
        assert (answer["match_id"], answer["player_id"], answer["sender"]) == ("R1M1", "P01", "player:P01")

    async def test_the_answer_carries_no_token(self):
        made = player()
        await made.invite()
        assert "auth_token" not in await made.ask()

    async def test_a_call_without_an_invitation_is_out_of_turn(self):
        made = player()
        assert await refused(made, "choose_parity", call_for_move()) == (4005, "E008")
        await made.invite("R1M2")
        assert await refused(made, "choose_parity", call_for_move("R1M1")) == (4005, "E008")

    async def test_a_call_after_the_result_is_too(self):
        made = player()
        await made.invite()
        await made.ask()
        await made.tell()
        assert await refused(made, "choose_parity", call_for_move()) == (4005, "E008")

    async def test_the_same_call_again_gets_the_same_answer_without_asking_again(self):
        answers = iter(["odd", "even", "even"])
        made = player(lambda view: next(answers))
        await made.invite()
        assert [(await made.ask())["parity_choice"] for _ in range(3)] == ["odd"] * 3
        assert len(made.views) == 1

    async def test_the_next_turn_is_another_question(self):
        answers = iter(["odd", "even"])
        made = player(lambda view: next(answers))
        await made.invite()
        assert (await made.ask(turn=1))["parity_choice"] == "odd"
        assert (await made.ask(turn=2))["parity_choice"] == "even"
        assert (await made.ask(turn=1))["parity_choice"] == "odd"

    async def test_an_illegal_move_is_chosen_anew(self):
        answers = iter(["odd", "even"])
        made = player(lambda view: next(answers))
        await made.invite()
        assert (await made.ask())["parity_choice"] == "odd"
        answer = await made.call("notify_game_error", game_error(code="E004"))
        assert (answer["message_type"], answer["status"], answer["player_id"]) == (
            "GAME_ERROR_ACK",
            "ACKNOWLEDGED",
            "P01",
        )
        assert (await made.ask())["parity_choice"] == "even"

    async def test_an_answer_that_was_late_is_sent_again_unchanged(self):
        answers = iter(["odd", "even"])
        made = player(lambda view: next(answers))
        await made.invite()
        await made.ask()
        await made.call("notify_game_error", game_error(code="E001"))
        assert (await made.ask())["parity_choice"] == "odd"
        ((level, details),) = made.journal.named("GAME_ERROR")
        assert (level, details) == ("WARNING", {"match_id": "R1M1", "code": "E001", "retry": 1})

    async def test_an_error_in_an_unknown_match_is_acknowledged(self):
        made = player()
        assert (await made.call("notify_game_error", game_error("R9M9")))["status"] == "ACKNOWLEDGED"

    async def test_two_calls_at_once_give_a_legal_move_each(self):
        gate = anyio.Event()

        async def patient(view: PlayerView) -> str:
            await gate.wait()
            return "odd"

        made = player(patient)
        await made.invite()
        answers: list[Any] = []

        async def ask() -> None:
            answers.append((await made.ask())["parity_choice"])

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                tasks.start_soon(ask)
                await anyio.lowlevel.checkpoint()
                gate.set()
        assert answers == ["odd", "odd"]
        await made.tell()

    async def test_a_result_that_overtakes_the_move_does_no_harm(self):
        gate = anyio.Event()

        async def patient(view: PlayerView) -> str:
            await gate.wait()
            return "odd"

        made = player(patient)
        await made.invite()
        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(made.ask)
                await anyio.wait_all_tasks_blocked()
                await made.tell()
                gate.set()
        assert len(made.memory.remembered) == 1


class TestAStrategyThatFails:
    @requirement("000-PL-CALL-01", "003-PLAYER-05")
    @pytest.mark.parametrize(
        ("strategy", "trouble"),
        [
            pytest.param(lambda view: 1 / 0, "raised", id="crashes"),
            pytest.param(lambda view: "EVEN", "illegal", id="illegal"),
            pytest.param(lambda view: None, "illegal", id="nothing"),
            pytest.param(lambda view: "odd" if ANSWERED.wait(30) else None, "late", id="slow"),
        ],
    )
    async def test_the_fallback_plays_and_says_why(self, strategy: Any, trouble: str):
        ANSWERED.clear()
        made = player(strategy, time_limit=0.05)
        await made.invite()
        with anyio.fail_after(30):
            assert (await made.ask())["parity_choice"] == "even"
        ANSWERED.set()
        ((level, details),) = made.journal.named("FALLBACK")
        assert (level, details["match_id"], details["trouble"]) == ("WARNING", "R1M1", trouble)
        assert details["reason"]
        assert made.news[0].startswith("R1M1: the strategy")

    async def test_the_answer_says_so_and_says_it_again_when_it_is_asked_for_again(self):
        def broken(view: PlayerView) -> str:
            raise KeyError("the key of my provider")

        made = player(broken)
        await made.invite()
        with anyio.fail_after(30):
            first, again = await made.ask(), await made.ask()
        assert first["substituted"] == again["substituted"]
        assert first["substituted"]["reason"] == "raised"
        assert re.fullmatch(r"test_service\.py:\d+: KeyError", first["substituted"]["detail"])
        await made.tell()
        assert made.memory.remembered[0][0].substituted == {"raised": 1}

    async def test_a_move_of_its_own_says_nothing(self):
        made = player()
        await made.invite()
        assert "substituted" not in await made.ask()
        await made.tell()
        assert made.memory.remembered[0][0].substituted == {}


class TestWhatAStrategyIsTold:
    @requirement("000-PL-CALL-01")
    async def test_all_that_the_referee_says(self):
        made = player()
        await made.invite()
        told = {
            "moves_so_far": {"P01": ["odd"], "P02": ["even"]},
            "observation": {"round": 2},
            "legal_moves": ["odd"],
            "turn": 2,
        }
        await made.ask(context=told)
        (view,) = made.views
        assert (view.game_type, view.league_id, view.match_id, view.round_id) == ("even_odd", LEAGUE, "R1M1", 1)
        assert (view.player_id, view.opponent_id, view.legal_moves) == ("P01", "P02", ("odd",))
        assert (view.my_moves, view.opponent_moves, view.observation) == (("odd",), ("even",), {"round": 2})
        assert view.counters == {"even": "odd", "odd": "even"}
        assert view.deadline is not None
        assert view.deadline.isoformat() == "2025-01-15T10:00:30+00:00"

    @pytest.mark.parametrize(
        ("sent", "named", "here"),
        [
            ("10:00:00", "10:00:30", "10:00:30"),
            ("09:59:50", "10:00:20", "10:00:20"),  # ten seconds on the way, or a clock that is ten seconds late
            ("10:05:00", "10:05:30", "10:00:30"),  # a clock that is five minutes early
            ("09:55:00", "09:55:30", "10:00:30"),  # one that is five minutes late
        ],
    )
    async def test_the_deadline_on_its_own_clock_however_the_referees_clock_goes(self, sent, named, here):
        made = player()
        await made.invite()
        day = "2025-01-15T{}.000Z"
        await made.ask(timestamp=day.format(sent), deadline=day.format(named))
        assert made.views[0].deadline is not None
        assert made.views[0].deadline.strftime("%H:%M:%S") == here

    @requirement("000-PL-CALL-01", "000-PL-STAND-01", "003-PLAYER-07")
    async def test_the_last_standings(self):
        made = player()
        await made.call("update_standings", standings(("P02", "Bea"), ("P01", "Ada")))
        await made.invite()
        await made.ask()
        assert [row["player_id"] for row in made.views[0].standings] == ["P02", "P01"]

    async def test_a_call_that_names_no_moves_means_those_of_the_opening(self):
        made = player()
        await made.invite()
        await made.ask(context={"legal_moves": None, "turn": None})
        assert made.views[0].legal_moves == ("even", "odd")

    async def test_unless_the_game_is_unknown_here(self):
        made = player()
        await made.invite()
        message = call_for_move(game_type="chess", context={"legal_moves": None})
        assert await refused(made, "choose_parity", message) == (17, "E017")

    async def test_a_game_that_is_unknown_here_can_be_played_if_the_moves_are_named(self):
        made = player()
        await made.invite()
        answer = await made.ask(game_type="chess")
        assert answer["parity_choice"] == "even"
        assert made.views[0].counters == {}

    async def test_what_it_remembers_of_the_same_opponent_in_other_leagues(self):
        bea = PastMatch("R1M1", "winter", "P07", "Bea", "WIN", ("even",), ("odd",))
        cid = PastMatch("R2M1", "winter", "P02", "Cid", "WIN", ("even",), ("odd",))
        made = player(memory=FakeMemory(bea, cid))
        await made.invite(opponent_name="Bea")
        await made.ask()
        assert [past.match_id for past in made.views[0].against_opponent()] == ["R1M1"]
        assert made.views[0].seen_moves() == ("odd",)

    async def test_names_are_also_learnt_from_the_standings(self):
        bea = PastMatch("R1M1", "winter", "P07", "Bea", "WIN", ("even",), ("odd",))
        made = player(memory=FakeMemory(bea))
        await made.call("update_standings", standings(("P01", "Ada"), ("P02", "Bea")))
        await made.invite(opponent_name=None)
        await made.ask()
        assert made.views[0].seen_moves() == ("odd",)

    async def test_with_a_seed_an_earlier_league_changes_nothing(self):
        bea = PastMatch("R1M1", "winter", "P07", "Bea", "WIN", ("even",), ("odd",))
        here = PastMatch("R0M1", LEAGUE, "P02", "Bea", "WIN", ("even",), ("odd",))
        made = player(memory=FakeMemory(bea, here), seed="7")
        await made.invite()
        await made.ask()
        assert [past.match_id for past in made.views[0].history] == ["R0M1"]

    async def test_the_same_seed_gives_the_same_chance_and_another_match_another(self):
        drawn: list[float] = []
        for match_id in ("R1M1", "R1M1", "R1M2"):
            made = player(seed="7")
            await made.invite(match_id)
            await made.ask(match_id)
            drawn.append(made.views[0].rng.random())
        assert drawn[0] == drawn[1] != drawn[2]

    async def test_without_a_seed_chance_is_chance(self):
        drawn: set[float] = set()
        for _ in range(3):
            made = player()
            await made.invite()
            await made.ask()
            drawn.add(made.views[0].rng.random())
        assert len(drawn) == 3


class TestResults:
    @requirement("003-PLAYER-06", "003-TEST-A-03", "004-PL-04")
    @pytest.mark.parametrize(
        ("told", "result", "points"),
        [
            ({}, "WIN", 3),
            ({"winner_player_id": "P02", "score": {"P01": 0, "P02": 3}}, "LOSS", 0),
            ({"winner_player_id": None, "status": "DRAW", "score": {"P01": 1, "P02": 1}}, "DRAW", 1),
            (
                {"winner_player_id": None, "status": "TECHNICAL_LOSS", "score": {"P01": 0, "P02": 0}, "choices": {}},
                "LOSS",
                0,
            ),
            ({"score": None}, "WIN", 0),
        ],
    )
    async def test_what_is_remembered(self, told: Any, result: str, points: int):
        made = player()
        await made.invite()
        await made.ask()
        answer = await made.tell(**told)
        assert (answer["message_type"], answer["status"], answer["player_id"]) == (
            "GAME_OVER_ACK",
            "ACKNOWLEDGED",
            "P01",
        )
        ((past, round_id, at),) = made.memory.remembered
        assert (past.result, past.points, past.match_id, past.league_id) == (result, points, "R1M1", LEAGUE)
        assert (past.opponent_id, past.opponent_name, past.game_type) == ("P02", "Bea", "even_odd")
        assert (round_id, at) == (1, "2025-01-15T10:00:00.000Z")
        assert past.details["drawn_number"] == 8

    @pytest.mark.parametrize(
        ("choices", "mine", "theirs"),
        [
            ({"P01": "even", "P02": "odd"}, ("even",), ("odd",)),
            ({"P01": ["a1", "b2"], "P02": ["c3"]}, ("a1", "b2"), ("c3",)),
            ({"P01": "even"}, ("even",), ()),
            (None, (), ()),
        ],
    )
    async def test_the_moves_are_remembered_in_either_form(self, choices: Any, mine: Any, theirs: Any):
        made = player()
        await made.invite()
        await made.tell(choices=choices)
        past = made.memory.known[0]
        assert (past.my_moves, past.opponent_moves) == (mine, theirs)

    async def test_the_same_result_twice_is_remembered_once(self):
        made = player()
        await made.invite()
        assert await made.tell() == await made.tell()
        assert len(made.memory.remembered) == 1

    async def test_a_result_of_a_match_it_never_heard_of_is_acknowledged(self):
        made = player()
        assert (await made.tell("R9M9"))["status"] == "ACKNOWLEDGED"
        assert not made.memory.remembered

    async def test_a_person_reads_how_it_went(self):
        made = player()
        await made.invite()
        await made.tell()
        assert made.news == ["R1M1 against Bea: win, points: 3"]


class TestTheDraw:
    """A player gives its part of chance, and checks what the referee reveals."""

    DRAW = Draw("the referee's secret", LEAGUE, "R1M1", 1)

    async def test_it_answers_a_commitment_with_a_nonce_of_its_own_and_the_same_one_again(self):
        made = player()
        first = await made.invite(draw_commitment=self.DRAW.commitment)
        again = await made.invite(draw_commitment=self.DRAW.commitment)
        assert first["draw_nonce"] == again["draw_nonce"] == "tok-1"
        other = await made.invite(draw_commitment="another", attempt=2)
        assert other["draw_nonce"] == "tok-2"

    async def test_without_a_commitment_or_when_it_declines_there_is_none(self):
        made = player()
        assert "draw_nonce" not in await made.invite()
        assert "draw_nonce" not in await made.invite(game_type="chess", draw_commitment=self.DRAW.commitment)

    async def test_with_a_seed_the_nonce_can_be_repeated(self):
        nonces = [(await player(seed="7").invite(draw_commitment=self.DRAW.commitment))["draw_nonce"] for _ in range(2)]
        assert nonces[0] == nonces[1] != "tok-1"

    async def test_a_true_reveal_is_silent(self):
        made = player()
        nonce = (await made.invite(draw_commitment=self.DRAW.commitment))["draw_nonce"]
        await made.tell(draw=self.DRAW.reveal(("P01", "P02"), {"P01": nonce, "P02": "theirs"}))
        assert not made.journal.named("DRAW_NOT_VERIFIED")

    @requirement("project-LATER-01")
    @pytest.mark.parametrize("reveal", [None, {}, {"secret": "another", "nonces": {"P01": "tok-1", "P02": ""}}])
    async def test_a_false_one_is_an_error(self, reveal: Any):
        made = player()
        await made.invite(draw_commitment=self.DRAW.commitment)
        await made.tell(draw=reveal)
        ((level, details),) = made.journal.named("DRAW_NOT_VERIFIED")
        assert (level, details["match_id"]) == ("ERROR", "R1M1")
        assert any("cannot be verified" in line for line in made.news)


class TestTheCourseOfTheLeague:
    @requirement("000-PL-ROUND-02", "000-PL-LCOMP-01", "002-RANN-05", "003-PLAYER-03", "003-TEST-A-03")
    async def test_it_becomes_active_with_the_first_round_and_ends_with_the_league(self):
        made = player()
        assert made.service.life.state is AgentState.INIT
        made.service.registered()
        assert made.service.life.state is AgentState.REGISTERED
        for _ in range(2):
            answer = await made.call("notify_round", announcement())
            assert (answer["message_type"], answer["player_id"], answer["round_id"]) == (
                "ROUND_ANNOUNCEMENT_ACK",
                "P01",
                1,
            )
        assert made.service.life.state is AgentState.ACTIVE
        assert (await made.call("notify_round_completed", round_over()))["message_type"] == "ROUND_COMPLETED_ACK"
        assert made.over == []
        for _ in range(2):
            answer = await made.call("notify_league_completed", the_end())
            assert answer["message_type"] == "LEAGUE_COMPLETED_ACK"
        assert made.service.life.state is AgentState.SHUTDOWN
        assert made.over[0] is True
        assert made.news[0] == "the league is over; champion: Ada (P01)"
        told = len(made.news)
        await made.call("notify_league_completed", the_end())
        assert len(made.news) == told, "once"

    @requirement("project-TRUST-13")
    async def test_the_last_record_of_the_league_is_kept(self):
        made = player()
        made.service.registered()
        await made.call("notify_league_completed", the_end(record_head={"sequence": 28, "digest": "ab" * 32}))
        assert made.memory.heads == {LEAGUE: (28, "ab" * 32)}

    async def test_a_memory_that_cannot_keep_it_ends_no_league(self):
        made = player()
        made.service.registered()

        def full(*told: Any) -> None:
            raise OSError("no space left on device")

        made.memory.keep_head = full  # pyright: ignore[reportAttributeAccessIssue]
        answer = await made.call("notify_league_completed", the_end(record_head={"sequence": 28, "digest": "ab" * 32}))
        assert answer["message_type"] == "LEAGUE_COMPLETED_ACK"
        assert [level for level, _ in made.journal.named("HEAD_NOT_SAVED")] == ["ERROR"]

    async def test_a_foreign_league_need_not_tell_more_than_that_it_goes_on_and_is_over(self):
        made = player()
        made.service.registered()
        await made.call("notify_round_completed", envelope("ROUND_COMPLETED", "league_manager", OPERATOR, round_id=1))
        rows = [{"rank": 1, "player_id": "P01", "points": 3}]
        over = envelope("LEAGUE_COMPLETED", "league_manager", OPERATOR, final_standings=rows)
        answer = await made.call("notify_league_completed", over)
        assert (answer["message_type"], made.over) == ("LEAGUE_COMPLETED_ACK", [True])

    async def test_a_match_is_played_with_what_a_foreign_referee_cannot_leave_out(self):
        made = player(games={"even_odd": GAMES["even_odd"]})
        told = ("referee:REF01", OPERATOR)
        invited = envelope("GAME_INVITATION", *told, match_id="R1M1", role_in_match="PLAYER_A")
        assert (await made.call("handle_game_invitation", invited))["accept"] is True
        moved = await made.call("choose_parity", envelope("CHOOSE_PARITY_CALL", *told, match_id="R1M1"))
        assert (moved["parity_choice"], made.views[0].game_type) == ("even", "even_odd")
        assert made.views[0].deadline == made.clock.now() + timedelta(seconds=30)
        answer = await made.call("notify_match_result", envelope("GAME_OVER", *told, match_id="R1M1"))
        assert (answer["status"], made.memory.remembered) == ("ACKNOWLEDGED", [])
        assert "match_id" not in await made.call("notify_game_error", envelope("GAME_ERROR", *told))

    async def test_without_a_game_it_does_not_guess_which_of_its_games_is_meant(self):
        made = player()
        invited = envelope("GAME_INVITATION", "referee:REF01", match_id="R1M1", role_in_match="PLAYER_A")
        assert (await refused(made, "handle_game_invitation", invited))[1] == "E003"

    async def test_several_champions_are_all_named(self):
        made = player()
        made.service.registered()
        heads = [{"player_id": f"P0{n}", "display_name": name, "points": 3} for n, name in ((1, "Ada"), (2, "Bea"))]
        await made.call("notify_league_completed", the_end(champions=heads))
        assert made.news == ["the league is over; champions: Ada (P01), Bea (P02)"]

    async def test_a_league_may_end_without_a_champion(self):
        made = player()
        made.service.registered()
        told = {"champion": None, "no_champion": "no champion: nothing was played"}
        await made.call("notify_league_completed", the_end(**told))
        assert made.news == ["the league is over; no champion: nothing was played"]

    async def test_a_league_cannot_end_for_who_is_in_none(self):
        assert await refused(player(), "notify_league_completed", the_end()) == (8, "E008")

    @requirement("000-PL-STAND-01", "003-PLAYER-07")
    async def test_standings_are_acknowledged(self):
        answer = await player().call("update_standings", standings(("P01", "Ada")))
        assert (answer["message_type"], answer["player_id"]) == ("STANDINGS_UPDATE_ACK", "P01")

    async def test_who_has_no_id_leaves_it_out(self, subtests: pytest.Subtests):
        made = player(credentials=None)
        for tool, message in (
            ("notify_round", announcement()),
            ("update_standings", standings()),
            ("notify_round_completed", round_over()),
        ):
            with subtests.test(tool=tool):
                assert "player_id" not in await made.call(tool, message)


def ticket(match_id: str = "R1M1", attempt: int = 1) -> str:
    return tokens.match_ticket(PEER_TOKEN, match_id, attempt)


class TestWhoMayCall:
    @requirement("002-AUTH-01", "002-RANN-03", "002-STAND-03", "000-PL-ROUND-03")
    @pytest.mark.parametrize(
        ("tool", "message"),
        [
            ("notify_round", announcement()),
            ("update_standings", standings()),
            ("notify_round_completed", round_over()),
            ("notify_league_completed", the_end()),
        ],
    )
    async def test_only_the_manager_tells_of_the_league(
        self, tool: str, message: dict[str, Any], subtests: pytest.Subtests
    ):
        made = player()
        made.service.registered()
        assert await refused(made, tool, message, None) == (11, "E011")
        for token in ("a guess", ticket(), CREDENTIALS.auth_token):
            with subtests.test(token=token):
                assert await refused(made, tool, message, token) == (3001, "E012")
        assert await made.call(tool, message, PEER_TOKEN)

    @requirement("002-INV-03", "002-OVER-03", "000-PL-INV-03")
    async def test_only_the_matchs_referee_plays_it(self, subtests: pytest.Subtests):
        made = player()
        for token in ("a guess", PEER_TOKEN, ticket("R1M2"), ticket(attempt=2)):
            with subtests.test(token=token):
                assert await refused(made, "handle_game_invitation", invitation(), token) == (4001, "E012")
        assert await refused(made, "handle_game_invitation", invitation(), None) == (11, "E011")
        assert (await made.call("handle_game_invitation", invitation(), ticket()))["accept"] is True
        for tool, message in (("choose_parity", call_for_move()), ("notify_match_result", game_over())):
            with subtests.test(tool=tool):
                assert await refused(made, tool, message, ticket("R1M2")) == (4001, "E012")
                assert await made.call(tool, message, ticket())
        assert (await made.call("notify_match_result", game_over(), ticket()))["status"] == "ACKNOWLEDGED"

    @requirement("002-CALL-05")
    async def test_what_it_answers_shows_the_ticket_that_it_was_shown_and_never_its_own_token(
        self, subtests: pytest.Subtests
    ):
        made = player(operator=None)
        shown = {"auth_token": ticket()}
        for tool, message in (
            ("handle_game_invitation", invitation()),
            ("choose_parity", call_for_move()),
        ):
            with subtests.test(tool=tool):
                answer = await made.agent.call(tool, {**message, **shown}, context())
                assert answer["auth_token"] == ticket()
                assert (answer["league_id"], answer["round_id"], answer["match_id"]) == (LEAGUE, 1, "R1M1")
                assert CREDENTIALS.auth_token not in answer.values()

    async def test_the_ticket_may_stand_in_the_message(self):
        made = player()
        assert await made.agent.call("handle_game_invitation", {**invitation(), "auth_token": ticket()}, context())

    @requirement("002-RANN-03", "002-INV-03")
    async def test_before_it_is_registered_it_knows_nobody(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(seats, "READY_SEC", 0.01)
        made = player(settled=False)
        with anyio.fail_after(30):
            assert await refused(made, "notify_round", announcement(), "whatever") == (3002, "E005")
            assert await refused(made, "handle_game_invitation", invitation(), "whatever") == (4002, "E005")

    async def test_a_call_waits_until_the_registration_is_settled(self):
        made = player(settled=False)
        answers: list[Any] = []

        async def call() -> None:
            answers.append(await made.call("handle_game_invitation", invitation(), ticket()))

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call)
                await anyio.wait_all_tasks_blocked()
                assert answers == []
                made.seat.settle(CREDENTIALS)
        assert answers[0]["player_id"] == "P01"

    async def test_a_league_without_peer_tokens_is_believed(self):
        made = player(credentials=Credentials("P01", LEAGUE, "own"))
        assert (await made.call("handle_game_invitation", invitation(), None))["accept"] is True
