"""Queues of hosted seats: delivery, numbering, answers and ownership."""

import anyio
import pytest

from league_sdk import tokens
from league_sdk.clock import ManualClock, SystemClock
from league_sdk.ports import ANSWER_WITHIN, NO_PULSE, CallRefused
from league_sdk.tokens import seat_address, seat_token
from servers.seats.service import MOST_OPEN, PULSE_SEC, RETURN_SEC, HostedSeats

pytestmark = pytest.mark.anyio

KEY = "the league's key"
ADA = seat_token(KEY, "ada")
BOB = seat_token(KEY, "bob")
AT_ADA = seat_address(KEY, "ada")


def seats(patience: float = 30.0) -> HostedSeats:
    return HostedSeats(KEY, ManualClock(), patience)


async def refused(call) -> str:
    with pytest.raises(CallRefused) as caught:
        await call
    return (caught.value.data or {})["error_code"]


async def is_gone(made: HostedSeats, within: float = 30.0) -> bool:
    """Ask a player; True if the seats process says that it is gone."""
    with pytest.raises(CallRefused) as caught:
        await made.ask(AT_ADA, "choose_parity", {ANSWER_WITHIN: within})
    return NO_PULSE in (caught.value.data or {})


async def test_a_message_reaches_the_owner_and_the_answer_its_caller():
    made, got = seats(), []

    async def referee():
        got.append(await made.ask(AT_ADA, "choose_parity", {"match_id": "R1M1"}))

    await made.wait(ADA, "me", 0, 0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(referee)
        (message,) = await made.wait(ADA, "me", 0, 10)
        assert (message["tool"], message["arguments"]) == ("choose_parity", {"match_id": "R1M1"})
        assert made.answer(ADA, message["number"], {"parity_choice": "even"}, None)
    assert got == [{"parity_choice": "even"}]


async def test_a_message_for_the_owner_after_it_ends_the_wait_of_an_owner_and_shuts_it_out():
    made = HostedSeats(KEY, SystemClock(), 30.0, pulse=0.01)
    second = tokens.next_seat(ADA.partition(".")[0])
    waits: list[str] = []

    async def listen():
        assert await made.wait(ADA, "me", 0, 10) == []
        waits.append("ended")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        await anyio.wait_all_tasks_blocked()
        assert await refused(made.ask(tokens.seat_address(KEY, second), "choose_parity", {})) == "E009"
    assert waits == ["ended"]
    assert await refused(made.wait(ADA, "me", 0, 0)) == "E008"
    assert await refused(made.ask(tokens.seat_address(KEY, second), "choose_parity", {})) == "E009", "gone, not silent"
    await made.wait(tokens.seat_token(KEY, second), "the student", 0, 0)


async def test_an_owner_that_is_listening_is_woken_by_a_message():
    made, got = seats(), []

    async def owner():
        got.extend(await made.wait(ADA, "me", 0, 10))
        made.answer(ADA, got[0]["number"], {}, None)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(owner)
        await anyio.wait_all_tasks_blocked()
        await made.ask(AT_ADA, "notify_round", {})
    assert [message["tool"] for message in got] == ["notify_round"]


async def test_a_wait_whose_answer_was_lost_gives_the_same_messages_again_and_what_was_seen_comes_once():
    made = seats()
    await made.wait(ADA, "me", 0, 0)
    async with anyio.create_task_group() as tasks:
        for tool in ("notify_round", "choose_parity"):
            tasks.start_soon(made.ask, AT_ADA, tool, {})
        await anyio.wait_all_tasks_blocked()
        first = await made.wait(ADA, "me", 0, 0)
        assert [message["tool"] for message in first] == ["notify_round", "choose_parity"]
        assert await made.wait(ADA, "me", 0, 0) == first
        assert await made.wait(ADA, "me", first[0]["number"], 0) == first[1:]
        assert await made.wait(ADA, "me", first[1]["number"], 0) == []
        assert all(made.answer(ADA, message["number"], {}, None) for message in first)
        assert not made.answer(ADA, first[0]["number"], {}, None)  # an answer that is brought twice counts once


async def test_a_program_that_starts_again_gets_what_is_not_answered_yet():
    made = seats()
    await made.wait(ADA, "before", 0, 0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.ask, AT_ADA, "choose_parity", {})
        (before,) = await made.wait(ADA, "before", 0, 10)
        (again,) = await made.wait(ADA, "after", 0, 0)
        assert again == before
        made.answer(ADA, again["number"], {}, None)


async def test_the_program_that_listens_last_has_the_seat_and_the_other_is_told():
    made, ended = seats(), []

    async def first():
        ended.append(await made.wait(ADA, "first", 0, 60))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(first)
        await anyio.wait_all_tasks_blocked()
        await made.wait(ADA, "second", 0, 0)
    assert ended == [[]]
    assert await refused(made.wait(ADA, "first", 0, 0)) == "E008"


@pytest.mark.parametrize("token", ["", "ada", "ada.", BOB.replace("bob", "ada"), seat_token("another key", "ada")])
async def test_only_the_owner_gets_its_messages(token):
    made = seats()
    await made.wait(ADA, "me", 0, 0)
    assert await refused(made.wait(token, "thief", 0, 0)) == "E012"
    with pytest.raises(CallRefused):
        made.answer(token, 1, {}, None)


@pytest.mark.parametrize(
    "address", ["", "ada", "ada.", ADA, seat_address(KEY, "bob"), seat_address("another key", "ada")]
)
async def test_a_seat_takes_messages_only_at_the_address_that_its_manager_gave(address):
    made = seats(patience=0.0)
    await made.wait(ADA, "me", 0, 0)
    assert await refused(made.ask(address, "choose_parity", {})) == ("E009" if address.startswith("bob") else "E012")


async def test_another_seats_owner_sees_nothing_of_it_and_cannot_answer_for_it():
    made = seats()
    await made.wait(ADA, "me", 0, 0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.ask, AT_ADA, "choose_parity", {})
        (message,) = await made.wait(ADA, "me", 0, 10)
        assert await made.wait(BOB, "me", 0, 0) == []
        assert not made.answer(BOB, message["number"], {"parity_choice": "odd"}, None)
        made.answer(ADA, message["number"], {}, None)


async def test_a_player_that_never_listens_cannot_be_reached_and_one_that_does_not_answer_is_given_up():
    made = seats(patience=0.0)
    assert await refused(made.ask(AT_ADA, "choose_parity", {})) == "E009"
    await made.wait(ADA, "me", 0, 0)
    assert await refused(made.ask(AT_ADA, "choose_parity", {})) == "E001"
    assert await made.wait(ADA, "me", 0, 0) == []  # nobody waits for that answer any more


async def test_its_caller_says_how_long_it_waits_and_is_told_in_time_that_the_player_is_silent():
    made = seats()
    await made.wait(ADA, "me", 0, 0)
    with anyio.fail_after(5):
        assert await refused(made.ask(AT_ADA, "choose_parity", {ANSWER_WITHIN: 0.01})) == "E001"


async def test_a_call_that_comes_before_its_player_is_back_waits_for_it_after_a_restart():
    made, got = seats(), []

    async def referee():
        got.append(await made.ask(AT_ADA, "choose_parity", {"match_id": "R1M1", ANSWER_WITHIN: 5}))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(referee)
        await anyio.wait_all_tasks_blocked()
        (message,) = await made.wait(ADA, "me", 0, 5)
        assert message["arguments"] == {"match_id": "R1M1"}, "the player sees nothing of that"
        made.answer(ADA, message["number"], {"parity_choice": "even"}, None)
    assert got == [{"parity_choice": "even"}]


async def test_a_seats_process_that_has_long_been_there_does_not_wait_for_a_player_that_never_came():
    clock = ManualClock()
    made = HostedSeats(KEY, clock, 30.0, pulse=0.01)
    clock.advance(RETURN_SEC)
    with anyio.fail_after(5):
        assert await is_gone(made)
        assert await is_gone(made)
    await made.wait(ADA, "me", 0, 0)
    assert await refused(made.ask(AT_ADA, "choose_parity", {ANSWER_WITHIN: 0})) == "E001", "now it is there"


async def test_a_seat_without_a_pulse_is_told_at_once_and_again_and_has_one_as_soon_as_its_owner_calls():
    clock = ManualClock()
    made = HostedSeats(KEY, clock, 30.0)
    await made.wait(ADA, "me", 0, 0)
    clock.advance(PULSE_SEC - 0.1)
    assert await refused(made.ask(AT_ADA, "choose_parity", {ANSWER_WITHIN: 0.01})) == "E001", (
        "it pauses between two waits"
    )
    clock.advance(0.2)
    assert await is_gone(made)
    assert await is_gone(made)
    await made.wait(ADA, "me", 0, 0)
    assert not await is_gone(made, within=0.01)
    clock.advance(PULSE_SEC)
    assert not made.answer(ADA, 1, {}, None)
    assert not await is_gone(made, within=0.01), "a late answer is a sign of life, too"


async def test_a_call_under_way_ends_when_the_pulse_does():
    made = HostedSeats(KEY, SystemClock(), 30.0, pulse=0.05)
    await made.wait(ADA, "me", 0, 0)
    with anyio.fail_after(5):
        assert await is_gone(made)


async def test_a_player_with_one_thread_that_thinks_about_a_message_is_there_until_its_time_is_over():
    clock = ManualClock()
    made = HostedSeats(KEY, clock, 30.0)
    async with anyio.create_task_group() as tasks:
        await made.wait(ADA, "me", 0, 0)
        tasks.start_soon(made.ask, AT_ADA, "choose_parity", {})
        (message,) = await made.wait(ADA, "me", 0, 10)
        clock.advance(3 * PULSE_SEC)
        assert not await is_gone(made, within=0.01)
        made.answer(ADA, message["number"], {}, None)
    clock.advance(PULSE_SEC)
    assert await is_gone(made)


async def test_a_player_that_is_late_has_the_pulse_s_time_after_its_own_to_call():
    clock = ManualClock()
    made = HostedSeats(KEY, clock, 30.0)
    await made.wait(ADA, "me", 0, 0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(refused, made.ask(AT_ADA, "choose_parity", {ANSWER_WITHIN: 0.01}))
        await made.wait(ADA, "me", 0, 10)
        clock.advance(3 * PULSE_SEC)
    assert not await is_gone(made, within=0.01)
    clock.advance(PULSE_SEC)
    assert await is_gone(made)


async def test_a_player_that_waits_while_it_thinks_is_gone_with_its_wait_whatever_it_was_given():
    clock = ManualClock()
    made = HostedSeats(KEY, clock, 30.0)
    await made.wait(ADA, "me", 0, 0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.ask, AT_ADA, "choose_parity", {})
        (message,) = await made.wait(ADA, "me", 0, 10)
        with anyio.move_on_after(0.01):  # its connection breaks
            await made.wait(ADA, "me", message["number"], 20)
        clock.advance(PULSE_SEC)
        assert await is_gone(made)
        made.answer(ADA, message["number"], {}, None)


async def test_a_wait_that_is_open_is_a_pulse_however_long_it_is():
    clock = ManualClock()
    made = HostedSeats(KEY, clock, 30.0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.wait, ADA, "me", 2**60, 20)
        await anyio.wait_all_tasks_blocked()
        clock.advance(3 * PULSE_SEC)
        assert not await is_gone(made, within=0.01)
        tasks.cancel_scope.cancel()


async def test_a_process_that_was_held_up_itself_gives_every_owner_the_time_to_call_again():
    scope = anyio.CancelScope()
    clock = HeldUp(scope)
    made = HostedSeats(KEY, clock, 30.0)
    await made.wait(ADA, "me", 0, 0)
    with scope:
        await made.keep_time()
    assert clock.monotonic() > PULSE_SEC
    assert not await is_gone(made, within=0.01)


class HeldUp(ManualClock):
    """A clock that has gone on much further than a sleeper wanted."""

    def __init__(self, scope: anyio.CancelScope) -> None:
        super().__init__()
        self._scope = scope

    async def sleep(self, seconds: float) -> None:
        await anyio.lowlevel.checkpoint()
        if self.monotonic() == 0:
            self.advance(seconds + 2 * PULSE_SEC)
        else:
            self._scope.cancel()
            await anyio.lowlevel.checkpoint()


async def test_a_refusal_by_the_player_is_its_callers():
    made = seats()
    await made.wait(ADA, "me", 0, 0)
    async with anyio.create_task_group() as tasks:

        async def answer():
            (message,) = await made.wait(ADA, "me", 0, 10)
            made.answer(ADA, message["number"], None, CallRefused(4001, "no such match", {"error_code": "E007"}))

        tasks.start_soon(answer)
        assert await refused(made.ask(AT_ADA, "choose_parity", {})) == "E007"


async def test_who_takes_a_seat_over_gets_its_messages_and_the_owner_before_is_told():
    made, ended = seats(), []
    heir = seat_token(KEY, "ada-2")

    async def before():
        ended.append(await made.wait(ADA, "me", 0, 60))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(before)
        await anyio.wait_all_tasks_blocked()
        await made.wait(heir, "me", 0, 0)
        assert await refused(made.wait(ADA, "me", 0, 0)) == "E008"
        assert await refused(made.wait(ADA, "another run", 0, 0)) == "E008"
        assert await refused(made.ask(AT_ADA, "choose_parity", {})) == "E009"
        tasks.start_soon(made.ask, seat_address(KEY, "ada-2"), "choose_parity", {})
        (message,) = await made.wait(heir, "me", 0, 10)
        with pytest.raises(CallRefused, match="taken over with a newer join secret"):
            made.answer(ADA, message["number"], {}, None)
        assert made.answer(heir, message["number"], {}, None)
    assert ended == [[]]


async def test_only_so_many_messages_wait_at_a_seat():
    made = seats()
    await made.wait(ADA, "me", 0, 0)
    async with anyio.create_task_group() as tasks:
        for _ in range(MOST_OPEN):
            tasks.start_soon(made.ask, AT_ADA, "notify_round", {})
        await anyio.wait_all_tasks_blocked()
        assert await refused(made.ask(AT_ADA, "notify_round", {})) == "E023"
        tasks.cancel_scope.cancel()


async def test_a_host_that_was_started_again_numbers_above_what_the_player_has():
    clock = ManualClock()
    numbers = []
    for _ in range(2):
        made = HostedSeats(KEY, clock, 30)
        await made.wait(ADA, "me", 0, 0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(made.ask, AT_ADA, "notify_round", {})
            (message,) = await made.wait(ADA, "me", numbers[-1] if numbers else 0, 10)
            numbers.append(message["number"])
            made.answer(ADA, message["number"], {}, None)
        clock.advance(1)
    assert numbers[1] > numbers[0]


async def test_a_newer_wait_of_a_seat_ends_the_older_one_with_a_sentence():
    made, refusals, got = seats(), list[CallRefused](), list[int]()

    async def older():
        try:
            await made.wait(ADA, "me", 0, 60)
        except CallRefused as error:
            refusals.append(error)

    async def newer():
        got.extend(message["number"] for message in await made.wait(ADA, "me", 0, 60))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(older)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(newer)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(made.ask, AT_ADA, "choose_parity", {})
            await anyio.wait_all_tasks_blocked()
            assert made.answer(ADA, got[0], {}, None)
    (refusal,) = refusals
    assert "a newer wait_for_message has ended this one" in refusal.message
    assert (refusal.data or {})["error_code"] == "E023"
    assert made.usage.to_json()["ada"]["waits_ended"] == 1
    assert made.usage.recent() == []


async def test_a_wait_that_is_over_is_not_ended_by_the_next_one():
    made = seats()
    for _ in range(3):
        await made.wait(ADA, "me", 0, 0)
    assert made.usage.to_json() == {}
