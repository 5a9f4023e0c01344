"""Every number of docs/verifiable_draws.md is computed again."""

import contextlib
import hashlib
import io
import json
import re
from pathlib import Path

from game_rules.even_odd import HIGHEST, LOWEST
from league_sdk.audit import chance
from league_sdk.clock import HashRng
from league_sdk.fairness import Draw

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "verifiable_draws.md").read_text(encoding="utf-8")
BLOCKS = [block.splitlines() for block in re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)]
LEAGUE, MATCH = "league_2025_even_odd", "R1M1"


def cell(part):
    found = re.search(rf"\| {part} \| `(.+)` \|", PAGE)
    assert found, part
    return found[1]


SECRET, FIRST, SECOND = cell("secret"), cell("nonce of P01"), cell("nonce of P02")
_, COMMITMENT, SEED, STREAM = BLOCKS


def test_what_is_hashed_in_the_example_has_the_digests_of_the_example():
    for written, digest in (COMMITMENT, SEED):
        assert hashlib.sha256(written.encode()).hexdigest() == digest


def test_the_code_that_plays_comes_to_the_example():
    draw = Draw(SECRET, LEAGUE, MATCH, 1)
    assert draw.commitment == COMMITMENT[1]
    assert draw.seed([FIRST, SECOND]) == SEED[1]
    assert HashRng(f"{SEED[1]}:1").randint(LOWEST, HIGHEST) == 8


def test_the_code_that_audits_comes_to_the_example():
    assert chance.commitment_of(SECRET, LEAGUE, MATCH, 1) == COMMITMENT[1]
    assert chance.seed_of(SECRET, LEAGUE, MATCH, 1, [FIRST, SECOND]) == SEED[1]
    assert chance.Chance(f"{SEED[1]}:1").randint(LOWEST, HIGHEST) == 8


def test_the_stream_of_the_example_begins_as_it_says():
    block = hashlib.sha256(f"{SEED[1]}:1".encode() + bytes(8)).digest()
    assert block.hex() == STREAM[0]
    assert [byte & 15 for byte in block[:2]] == [15, 7]


def test_the_program_of_the_page_prints_the_example():
    (program,) = re.findall(r"```python\n(.*?)\n```", PAGE, re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program, {})
    assert printed.getvalue().split() == [COMMITMENT[1], SEED[1], "8"]


def test_the_example_messages_show_the_same_draw():
    def message(path):
        return json.loads((DOCS / "message_examples" / path).read_text(encoding="utf-8"))

    over = message("gameflow/game_over.json")["game_result"]
    assert over["draw"] == Draw(SECRET, LEAGUE, MATCH, 1).reveal(["P01", "P02"], {"P01": FIRST, "P02": SECOND})
    assert over["drawn_number"] == 8
    assert message("gameflow/game_invitation.json")["draw_commitment"] == COMMITMENT[1]
    assert message("gameflow/game_join_ack.json")["draw_nonce"] == FIRST
    assert message("results/match_result_report.json")["result"]["details"]["draw"] == over["draw"]
    technical = message("results/match_result_report_technical_loss.json")["result"]["details"]["draw"]
    assert Draw(technical["secret"], LEAGUE, "R1M2", 1).commitment == technical["commitment"]
