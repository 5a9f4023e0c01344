"""Time, chance and identifiers."""

import hashlib
import time
import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.clock import (
    HashRng,
    ManualClock,
    ManualIds,
    SystemClock,
    SystemIds,
    SystemRng,
    to_record_time,
    to_wire_time,
)
from tests.requirements.marker import requirement

RNGS = [lambda: HashRng("seed"), SystemRng]


class TestSystemClock:
    def test_now_is_in_utc(self):
        before = datetime.now(UTC)
        assert before <= SystemClock().now() <= datetime.now(UTC)
        assert SystemClock().now().utcoffset() == timedelta(0)

    def test_monotonic_is_the_machines(self):
        before = time.monotonic()
        assert before <= SystemClock().monotonic() <= time.monotonic()

    @pytest.mark.anyio
    @pytest.mark.parametrize("seconds", [-1.0, 0.0])
    async def test_sleeping_no_time_still_lets_others_run(self, seconds):
        ran = []

        async def other():
            ran.append(True)

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(other)
                while not ran:
                    await SystemClock().sleep(seconds)


class TestManualClock:
    def test_it_stands_still_until_told_to_move(self):
        clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
        assert (clock.now(), clock.monotonic()) == (datetime(2030, 1, 1, tzinfo=UTC), 0.0)
        clock.advance(90)
        assert (clock.now(), clock.monotonic()) == (datetime(2030, 1, 1, 0, 1, 30, tzinfo=UTC), 90)

    @pytest.mark.anyio
    async def test_sleeping_moves_it_at_once_and_is_written_down(self):
        clock = ManualClock()
        start = clock.now()
        with anyio.fail_after(30):
            await clock.sleep(3600)
            await clock.sleep(-1)
        assert clock.slept == [3600, -1]
        assert clock.now() == start + timedelta(hours=1)


class TestHashRng:
    def test_its_stream_is_the_documented_one(self):
        blocks = b"".join(hashlib.sha256(b"seed" + i.to_bytes(8, "big")).digest() for i in range(3))
        expected = [byte & 0b1111 for byte in blocks if byte & 0b1111 < 10]
        rng = HashRng("seed")
        assert [rng.randint(1, 10) for _ in expected] == [1 + value for value in expected]

    def test_a_wide_range_takes_as_many_bytes_as_it_needs(self):
        block = hashlib.sha256(b"seed" + bytes(8)).digest()
        assert HashRng("seed").randint(0, 2**20 - 1) == int.from_bytes(block[:3], "big") & (2**20 - 1)
        assert HashRng("seed").random() == (int.from_bytes(block[:7], "big") >> 3) / 2**53

    def test_text_and_its_bytes_are_the_same_seed(self):
        assert HashRng("sööd").random() == HashRng("sööd".encode()).random()

    def test_seeds_differ(self):
        assert len({HashRng(f"seed {number}").random() for number in range(100)}) == 100

    @given(st.text(), st.integers(), st.integers(0, 10**30))
    def test_randint_stays_between_its_ends(self, seed, low, span):
        assert low <= HashRng(seed).randint(low, low + span) <= low + span

    def test_a_range_of_one_takes_nothing_from_the_stream(self):
        rng = HashRng("seed")
        assert rng.randint(5, 5) == 5
        assert rng.random() == HashRng("seed").random()

    def test_an_empty_range_is_refused(self):
        with pytest.raises(ValueError, match="got 2 and 1"):
            HashRng("seed").randint(2, 1)

    def test_one_to_ten_is_uniform(self):
        # Chi-squared with 9 degrees of freedom is above 27.9 once in a thousand; the seed makes it the same for ever.
        rng, draws = HashRng("uniform"), 20_000
        counts = Counter(rng.randint(1, 10) for _ in range(draws))
        assert set(counts) == set(range(1, 11))
        assert sum((count - draws / 10) ** 2 / (draws / 10) for count in counts.values()) < 27.9

    def test_every_order_comes_up_alike(self):
        rng, draws = HashRng("orders"), 12_000
        counts = Counter(tuple(rng.shuffled("abc")) for _ in range(draws))
        assert len(counts) == 6
        assert sum((count - draws / 6) ** 2 / (draws / 6) for count in counts.values()) < 20.5


@pytest.mark.parametrize("make", RNGS, ids=["hash", "system"])
class TestAnyRng:
    def test_random_is_from_zero_to_below_one(self, make):
        rng = make()
        assert all(0 <= rng.random() < 1 for _ in range(200))

    def test_randint_reaches_both_ends_and_no_further(self, make):
        rng = make()
        assert {rng.randint(1, 3) for _ in range(200)} == {1, 2, 3}

    def test_choice_is_one_of_the_items(self, make):
        rng = make()
        assert {rng.choice("abc") for _ in range(200)} == {"a", "b", "c"}

    def test_nothing_cannot_be_chosen_from(self, make):
        with pytest.raises(IndexError):
            make().choice([])

    def test_shuffling_keeps_the_items_and_the_original(self, make):
        items = list(range(50))
        shuffled = make().shuffled(items)
        assert items == list(range(50)) != shuffled
        assert sorted(shuffled) == items


class TestIds:
    @requirement("000-LM-REF-04", "000-CL-CONV-01", "001-ENV-04", "001-SEC-02", "003-PROTO-04")
    def test_system_ids_are_fresh_uuids_and_long_url_safe_tokens(self):
        ids = SystemIds()
        assert uuid.UUID(ids.conversation()).version == 4
        tokens = {ids.token() for _ in range(100)}
        assert len(tokens) == 100
        assert all(len(token) >= 43 and token.replace("-", "").replace("_", "").isalnum() for token in tokens)

    def test_manual_ids_count_up_each_for_itself(self):
        ids = ManualIds()
        assert [ids.conversation(), ids.token(), ids.conversation(), ids.token()] == [
            "conv-1",
            "tok-1",
            "conv-2",
            "tok-2",
        ]


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2025, 1, 15, 10, 0, tzinfo=UTC), "2025-01-15T10:00:00.000Z"),
        (datetime(2025, 1, 15, 10, 0, 0, 999_999, tzinfo=UTC), "2025-01-15T10:00:00.999Z"),
        (datetime(2025, 1, 15, 1, 0, 0, 5_000, tzinfo=timezone(timedelta(hours=2))), "2025-01-14T23:00:00.005Z"),
    ],
)
def test_records_have_utc_with_milliseconds(moment, text):
    assert to_record_time(moment) == text


@requirement(
    "001-ENV-03",
    "003-LOG-04",
    "003-PROTO-07",
    "003-COMPL-05",
    "003-SDK-05",
    "003-TECH-03",
    "002-ENV-05",
    "project-WIRE-02",
)
@given(st.datetimes(datetime(1000, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC)))
def test_the_wire_has_utc_in_whole_seconds_and_a_deadline_is_rounded_up(moment):
    read = [
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        for text in (to_wire_time(moment), to_wire_time(moment, round_up=True))
    ]
    assert read[0] <= moment <= read[1]
    assert read[1] - read[0] == timedelta(seconds=1 if moment.microsecond else 0)
