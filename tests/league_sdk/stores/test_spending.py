"""The ledger of a league: every request once, the cap across players, processes and restarts."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from league_sdk.clock import ManualClock
from league_sdk.spending import Spent
from league_sdk.stores import CapReached, SpendingRepository
from tests.requirements.marker import requirement

ROOT = Path(__file__).parents[3]
MODEL = "openai:some"
PAID = Spent(1, 100, 5, 0.002)


def ledger(folder: Path, league: str = "L1") -> SpendingRepository:
    return SpendingRepository(league, folder, ManualClock())


def lines(folder: Path, league: str = "L1") -> list[dict[str, object]]:
    text = (folder / "spending" / f"{league}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_a_request_is_entered_before_and_after_it_is_made(tmp_path: Path):
    book = ledger(tmp_path)
    request = book.reserve("Ada", "R1M1", MODEL, 0.01, 1.0)
    assert book.total() == Spent(1, cost=0.01, estimated=1)
    book.settle(request, "answered", PAID)
    assert book.total() == PAID
    before, after = lines(tmp_path)
    assert before == {
        "request": request,
        "at": "2025-01-15T10:00:00.000Z",
        "player": "Ada",
        "match_id": "R1M1",
        "model": MODEL,
        "at_most_usd": 0.01,
    }
    assert after == {"request": request, "at": before["at"], "outcome": "answered", **PAID.to_json()}


def test_it_can_be_looked_up_by_player_and_match(tmp_path: Path):
    book = ledger(tmp_path)
    for player, match in (("Ada", "R1M1"), ("Ada", "R1M1"), ("Bob", "R1M1"), ("Ada", "R2M1")):
        book.settle(book.reserve(player, match, MODEL, 0.01, None), "answered", PAID)
    assert book.of_player("Ada") == PAID + PAID + PAID
    assert book.of_match("R1M1") == PAID + PAID + PAID
    assert book.of_match("R1M1", "Ada") == PAID + PAID
    assert book.of_match("R9M9") == Spent()
    assert book.players() == ("Ada", "Bob")


def test_what_might_go_beyond_the_cap_is_refused_and_not_entered(tmp_path: Path):
    book = ledger(tmp_path)
    book.reserve("Ada", "R1M1", MODEL, 0.6, 1.0)
    with pytest.raises(CapReached, match=r"the cap of \$1\.00 .*\$0\.6000 are spent, .* may cost \$0\.5000"):
        book.reserve("Bob", "R1M1", MODEL, 0.5, 1.0)
    assert len(lines(tmp_path)) == 1
    book.reserve("Bob", "R1M1", MODEL, 0.4, 1.0)


def test_the_cap_holds_after_a_restart_and_what_was_never_settled_counts_in_full(tmp_path: Path):
    first = ledger(tmp_path)
    first.settle(first.reserve("Ada", "R1M1", MODEL, 0.5, 1.0), "answered", Spent(1, 1, 1, 0.2))
    first.reserve("Ada", "R1M1", MODEL, 0.5, 1.0)
    again = ledger(tmp_path)
    assert again.total().cost == pytest.approx(0.7)
    with pytest.raises(CapReached):
        again.reserve("Ada", "R2M1", MODEL, 0.31, 1.0)


def test_leagues_are_counted_apart(tmp_path: Path):
    ledger(tmp_path, "L1").reserve("Ada", "R1M1", MODEL, 1.0, 1.0)
    ledger(tmp_path, "L2").reserve("Ada", "R1M1", MODEL, 1.0, 1.0)
    ledger(tmp_path, "").reserve("Ada", "R1M1", MODEL, 1.0, 1.0)
    assert sorted(path.name for path in (tmp_path / "spending").iterdir()) == [
        "L1.jsonl",
        "L2.jsonl",
        "no-league.jsonl",
    ]


def test_a_league_whose_id_is_no_file_name_stays_in_the_folder(tmp_path: Path):
    ledger(tmp_path, "../../etc/passwd").reserve("Ada", "R1M1", MODEL, 1.0, 1.0)
    (path,) = (tmp_path / "spending").iterdir()
    assert path.name.startswith("etc-passwd-")


def test_a_price_that_is_not_known_counts_as_such(tmp_path: Path):
    book = ledger(tmp_path)
    request = book.reserve("Ada", "R1M1", MODEL, None, None)
    assert book.total() == Spent(1, unpriced=1)
    book.settle(request, "answered", Spent(1, 10, 1, unpriced=1))
    assert ledger(tmp_path).total() == Spent(1, 10, 1, unpriced=1)


def test_what_a_killed_player_left_of_a_line_spoils_no_other(tmp_path: Path):
    book = ledger(tmp_path)
    book.settle(book.reserve("Ada", "R1M1", MODEL, 0.01, None), "answered", PAID)
    with book.path.open("a") as file:
        file.write('{"request": "x", "at_mo')
    book.settle(book.reserve("Ada", "R1M1", MODEL, 0.01, None), "answered", PAID)
    assert book.total() == ledger(tmp_path).total() == PAID + PAID


def test_lines_that_are_something_else_are_passed_over(tmp_path: Path):
    book = ledger(tmp_path)
    book.reserve("Ada", "R1M1", MODEL, 0.01, None)
    with book.path.open("a") as file:
        file.write('[1]\n{"request": "stranger", "outcome": "answered"}\n\n')
    assert ledger(tmp_path).total() == Spent(1, cost=0.01, estimated=1)


def test_only_the_owner_reads_it(tmp_path: Path):
    book = ledger(tmp_path)
    book.reserve("Ada", "R1M1", MODEL, 0.01, None)
    assert book.path.stat().st_mode & 0o777 == 0o600


def test_nothing_is_written_by_looking(tmp_path: Path):
    assert ledger(tmp_path).total() == Spent()
    assert list(tmp_path.iterdir()) == []


SPENDER = """
import sys
from pathlib import Path
from league_sdk.spending import Spent
from league_sdk.stores.spending import CapReached, SpendingRepository

def spend(folder, player):
    book = SpendingRepository("L1", Path(folder))
    for _ in range(30):
        try:
            request = book.reserve(player, "R1M1", "some:model", 0.02, 0.5)
        except CapReached:
            continue
        book.settle(request, "answered", Spent(1, 1, 1, 0.01))

if len(sys.argv) == 3:
    spend(*sys.argv[1:])
"""


def test_the_cap_holds_for_threads_that_share_it(tmp_path: Path):
    code: dict[str, Any] = {}
    exec(SPENDER, code)
    threads = [threading.Thread(target=code["spend"], args=(tmp_path, f"P{n}")) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert 0.48 < ledger(tmp_path).total().cost <= 0.5


@requirement("project-LATER-06")
def test_the_cap_holds_for_processes_that_share_it(tmp_path: Path):
    players = [subprocess.Popen([sys.executable, "-c", SPENDER, str(tmp_path), f"P{n}"], cwd=ROOT) for n in range(2)]
    assert [player.wait(60) for player in players] == [0, 0]
    total = ledger(tmp_path).total()
    assert 0.48 < total.cost <= 0.5
    assert total.estimated == 0
