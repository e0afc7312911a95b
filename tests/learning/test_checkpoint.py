"""Checkpoints: small, exact, and gone when they are no longer needed."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headway.errors import UsageError
from headway.learning.averaging import averaged_table
from headway.learning.checkpoint import FolderCheckpoint, remove_checkpoints
from headway.learning.epochs import Training
from headway.model_file import write_model_file

SLOTS = 1 << 16


class Pupil:
    """Tables of weights, and a name."""

    def __init__(self, name: str = "arcs", slots: int = SLOTS) -> None:
        self.name, self.sentences = name, 3
        self.tables = (averaged_table(slots, 4), averaged_table(1, 2))


def bits(training: Training, pupil: Pupil) -> list[bytes]:
    return [array.tobytes() for table in pupil.tables for array in table] + [
        array.tobytes() for array in training.best or ()
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 63), st.integers(0, 2), st.floats(width=32)), max_size=9))
def test_tables_come_back_bit_by_bit(tmp_path: Path, entries: list[tuple[int, int, float]]) -> None:
    pupil, again = Pupil(slots=64), Pupil(slots=64)
    best = [np.zeros_like(table.values) for table in pupil.tables]
    for row, kind, value in [*entries, (7, 0, -0.0), (8, 2, np.nan)]:
        (pupil.tables[0].values, pupil.tables[0].changes, best[0])[kind][row, row % 4] = value
    again.tables[0].values[:] = 1.5  # a table need not begin with zeros
    training = Training(2, [90.5, 91.25], tuple(best))
    checkpoint = FolderCheckpoint(tmp_path, "recipe")
    checkpoint.write(pupil, training)
    restored = checkpoint.restore(again)
    assert (restored.epoch, restored.scores) == (2, [90.5, 91.25])
    assert bits(restored, again) == bits(training, pupil)


def test_rows_of_zeros_take_no_room(tmp_path: Path) -> None:
    pupil = Pupil()
    pupil.tables[0].values[5] = 1.0
    FolderCheckpoint(tmp_path, "recipe").write(pupil, Training(1, [], tuple(table.values for table in pupil.tables)))
    assert (tmp_path / "arcs.checkpoint").stat().st_size < 2000 < pupil.tables[0].values.nbytes


def test_checkpoints_are_removed_with_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    checkpoint = FolderCheckpoint(folder, "recipe")
    for pupil in (Pupil("arcs"), Pupil("labels")):
        checkpoint.write(pupil, Training(1, [], tuple(table.values for table in pupil.tables)))
    remove_checkpoints(folder)
    assert not folder.exists()
    remove_checkpoints(folder)


def test_files_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / "old.checkpoint").write_bytes(b"something else")
    write_model_file(tmp_path / "older.checkpoint", {}, {"recipe": "another"})
    pupil = Pupil()
    checkpoint = FolderCheckpoint(tmp_path, "recipe")
    checkpoint.write(pupil, Training(1, [], tuple(table.values for table in pupil.tables)))
    remove_checkpoints(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.checkpoint", "older.checkpoint"]


def test_checkpoints_of_an_older_headway_are_refused(tmp_path: Path) -> None:
    write_model_file(tmp_path / "arcs.checkpoint", {"values0": np.zeros(3)}, {"recipe": "of old", "epoch": 1})
    with pytest.raises(UsageError, match="other data or settings"):
        FolderCheckpoint(tmp_path, "recipe").restore(Pupil())
