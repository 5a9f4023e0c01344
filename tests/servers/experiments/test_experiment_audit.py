"""The audit of experiments: gaps and doubles, digests, and matches that are played again."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from servers.experiments.batch_digests import DIGESTS_FILE
from servers.experiments.batches import Batch, batches, columns_of
from servers.experiments.experiment_audit import ExperimentAudit, audit_experiment
from servers.experiments.match_table import TableDamaged, ids_of
from servers.experiments.results import ResultsFolder
from servers.experiments.running import play_experiment
from servers.experiments.spec import LEAGUE, ExperimentSpec

SPEC = ExperimentSpec("even_odd", ("random", "frequency", "random"), matches=10, repetitions=2, batch=4)


def ignore(done: int) -> None:
    """Progress that nobody looks at."""


def played(path: Path, spec: ExperimentSpec = SPEC) -> ResultsFolder:
    folder = ResultsFolder.create(path, spec)
    play_experiment(folder, 1, ignore)
    return folder


def without_ids(folder: ResultsFolder) -> bytes:
    """The table as it was written before rows had ids."""
    return b"".join(line.partition(b",")[2] for line in folder.table.read_bytes().splitlines(keepends=True))


def forged(folder: ResultsFolder, change: Callable[[list[str]], object]) -> None:
    lines = folder.table.read_text().splitlines(keepends=True)
    change(lines)
    folder.table.write_text("".join(lines))


def swapped(lines: list[str]) -> None:
    lines[5], lines[6] = lines[6], lines[5]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines.pop(7), "R1P1-3M3 is missing"),
        (lambda lines: [lines.pop(7), lines.pop(20)], "R1P1-3M3, R1P2-3M5 are missing"),
        (lambda lines: lines.insert(8, lines[7]), "R1P1-3M3 stands twice"),
        (lambda lines: lines.append(lines[-1]), "R2P2-3M10 stands twice"),
        (swapped, "its rows do not stand in the order in which they are played"),
        (lambda lines: lines.insert(3, "nonsense\n"), "line 4 is no row of it"),
        (lambda lines: lines.append(lines[-1].replace("M10", "M11").replace(",10,", ",11,")), "R2P2-3M11 is not of it"),
        (lambda lines: lines.__setitem__(0, "a,b\n"), "its first line is not that of an experiment's table"),
        (
            lambda lines: lines.__setitem__(2, re.sub(r",[01],[01],1,", ",9,9,1,", lines[2])),
            "the rows R1P1-2M1 to R1P1-2M4 are not those that were played",
        ),
    ],
    ids=["gap", "gaps", "double", "double at the end", "order", "no row", "stranger", "header", "changed"],
)
def test_gaps_doubles_and_changes_end_a_resume_with_their_numbers_and_lose_nothing(tmp_path, change, said):
    folder = played(tmp_path)
    forged(folder, change)
    before = folder.table.read_bytes()
    with pytest.raises(TableDamaged, match=re.escape(said)):
        play_experiment(ResultsFolder.open(tmp_path), 1, ignore)
    assert folder.table.read_bytes() == before
    report = audit_experiment(folder, 0)
    assert not report.ok
    assert any(said in finding for finding in report.findings)


def test_what_stands_after_a_damage_is_said_to_be_neither_counted_nor_played(tmp_path):
    folder = played(tmp_path)
    forged(folder, lambda lines: lines.pop(7))
    report = audit_experiment(folder, None)
    assert (report.matches, report.replayed) == (4, 4)
    last = ids_of(next(iter(batches(SPEC))))[-1]
    assert f"all rows after {last}: nothing is counted or played from there on" in report.notes


@pytest.mark.parametrize("digests", [True, False], ids=["with digests", "without"])
def test_a_table_of_before_is_resumed_as_it_began_and_its_audit_says_what_was_not_written(tmp_path, digests: bool):
    folder = played(tmp_path)
    whole = without_ids(folder)
    (tmp_path / DIGESTS_FILE).unlink()
    folder.table.write_bytes(whole[: len(whole) // 2])
    report = audit_experiment(folder, 4)
    assert report.ok
    assert report.notes[:2] == ["ids of rows: not written then", "digests of batches: not written then"]
    if digests:
        play_experiment(folder, 1, ignore)
        assert folder.table.read_bytes() == whole
        assert audit_experiment(folder, None).ok
        forged(folder, lambda lines: lines.pop(7))
        with pytest.raises(TableDamaged, match="R1P1-3M3 is missing"):
            play_experiment(folder, 1, ignore)


def test_an_honest_experiment_holds_and_says_how_much_was_played_again(tmp_path):
    folder = played(tmp_path)
    some = audit_experiment(folder, 5)
    assert (some.ok, some.matches, some.batches, some.digests, some.replayed) == (True, 60, 18, 18, 6)
    assert some.unchecked == {"not in the sample; --all plays them too": 54}
    every = audit_experiment(folder, None, head=folder.head())
    assert (every.ok, every.replayed, every.unchecked, every.notes) == (True, 60, {}, [])


def test_what_players_remember_is_played_again_from_the_first_match(tmp_path):
    spec = ExperimentSpec("rock_paper_scissors", ("random", "frequency"), matches=6, repetitions=2, memory=True)
    report = audit_experiment(played(tmp_path, spec), 1)
    assert (report.ok, report.replayed) == (True, 6)


def test_a_changed_row_whose_digests_were_made_anew_is_found_by_playing_it_and_by_a_head(tmp_path):
    folder = played(tmp_path)
    head = folder.head()
    forged(folder, lambda lines: lines.__setitem__(2, re.sub(r",[01],[01],1,", ",9,9,1,", lines[2])))
    (tmp_path / DIGESTS_FILE).unlink()
    play_experiment(folder, 1, ignore)  # writes the digests of the rows that are there
    by_play = audit_experiment(folder, None)
    assert by_play.findings[0].startswith("R1P1-2M2: its first_score is '9', and '")
    by_head = audit_experiment(folder, 0, head=head)
    assert by_head.findings == [f"no batch has the head {head}: rows before it were changed, or cut off"]


def test_rows_cut_off_at_the_end_are_found_by_their_digests_and_played_again_to_the_same(tmp_path):
    folder = played(tmp_path)
    whole, head = folder.table.read_bytes(), folder.head()
    forged(folder, lambda lines: lines.__delitem__(slice(45, None)))
    assert any("rows are missing after" in finding for finding in audit_experiment(folder, 0).findings)
    play_experiment(folder, 1, ignore)
    assert (folder.table.read_bytes(), folder.head()) == (whole, head)


def test_the_head_of_an_interrupted_run_is_one_of_the_finished_one(tmp_path):
    class Interrupted(Exception):
        """Ends a run in the middle."""

    def interrupt(done: int) -> None:
        if done >= 20:
            raise Interrupted

    folder = ResultsFolder.create(tmp_path, SPEC)
    with pytest.raises(Interrupted):
        play_experiment(folder, 1, interrupt)
    head = folder.head()
    play_experiment(folder, 1, ignore)
    assert head != folder.head()
    assert audit_experiment(folder, 0, head=head).ok


def leagues(path: Path, *strategies: str) -> ExperimentAudit:
    """The audit of matches in leagues, with a table that they may have left."""
    spec = ExperimentSpec("tic_tac_toe", strategies, matches=2, engine=LEAGUE, memory=True, paired=False)
    folder = ResultsFolder.create(path, spec)
    lines = [",".join(columns_of(spec)), *(line for batch in batches(spec) for line in _rows(spec, batch))]
    folder.table.write_text("\n".join(lines) + "\n")
    return audit_experiment(folder, None)


def _rows(spec: ExperimentSpec, batch: Batch) -> list[str]:
    one, other = (spec.players[place] for place in batch.pairing)
    seats = [(one, other), (other, one)]
    return [
        f"{name},{batch.repetition},{match},{first},{second},,0,0,5,0,0,,,,,,,,"
        for match, (name, (first, second)) in enumerate(zip(ids_of(batch), seats, strict=True), start=1)
    ]


def test_what_cannot_be_played_again_is_counted_by_cause(tmp_path):
    report = leagues(tmp_path, "random", "mcts-0.5s", "name=Ada,url=http://localhost:8101/mcp", "llm")
    assert (report.ok, report.replayed) == (True, 0)
    assert report.unchecked == {
        "played by a search that stops by the clock": 2,
        "played by an agent over the wire": 6,
        "played by a language model": 4,
    }
    plain = leagues(tmp_path / "plain", "random", "always-b2")
    assert plain.unchecked == {"played in leagues, whose own records 'league audit' checks": 2}
