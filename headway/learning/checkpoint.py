"""Checkpoints: a folder with one file for each learner.

Training that is resumed from a checkpoint produces the same model as uninterrupted training: the order of sentences
depends only on seed and epoch, and all other state is in the file. The file has exact copies of all rows that are not
zero, so it is small at first.
"""

from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.errors import ModelError, UsageError
from headway.learning.epochs import Learner, Training
from headway.model_file import read_description, read_model_file, write_model_file

_FORMAT = 2
"""Bump this when the file format changes: it invalidates older checkpoints."""

_ENDING = ".checkpoint"


class FolderCheckpoint:
    """Stores the state of learners in a folder.

    Parameters
    ----------
    folder : Path
        The folder; created if it does not exist.
    recipe : object
        Everything that determines the trained model (data, preset, seed). Its ``repr`` is stored; a checkpoint with a
        different one is refused.
    """

    def __init__(self, folder: Path, recipe: object) -> None:
        self.folder = folder
        self.fingerprint = blake2b(repr((_FORMAT, recipe)).encode(), digest_size=16).hexdigest()
        folder.mkdir(parents=True, exist_ok=True)

    def load(self, name: str) -> tuple[Mapping[str, npt.NDArray[Any]], dict[str, Any]] | None:
        """Return the arrays and the state that were stored under a name; None if there are none."""
        path = self._path(name)
        if not path.exists():
            return None
        tensors, state = read_model_file(path)
        if state.get("recipe") != self.fingerprint:
            raise UsageError(
                f"{path} belongs to a training with other data or settings: name another folder, or remove it"
            )
        return tensors, state

    def store(self, name: str, tensors: Mapping[str, npt.NDArray[Any]], state: Mapping[str, Any]) -> None:
        """Replace what is stored under a name."""
        write_model_file(self._path(name), tensors, {"recipe": self.fingerprint, **state})

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{_ENDING}"

    def restore(self, learner: Learner) -> Training:
        """See `Checkpoint`."""
        stored = self.load(learner.name)
        if stored is None:
            return Training()
        tensors, state = stored
        best = []
        for number, table in enumerate(learner.tables):
            rows = tensors[f"rows{number}"]
            best.append(np.empty_like(table.values))
            for name, array in (("values", table.values), ("changes", table.changes), ("best", best[-1])):
                array[:] = 0
                array[rows] = tensors[f"{name}{number}"]
        return Training(state["epoch"], state["scores"], tuple(best))

    def write(self, learner: Learner, state: Training) -> None:
        """See `Checkpoint`."""
        assert state.best is not None
        tensors: dict[str, npt.NDArray[Any]] = {}
        for number, (table, best) in enumerate(zip(learner.tables, state.best, strict=True)):
            arrays: dict[str, npt.NDArray[Any]] = {"values": table.values, "changes": table.changes, "best": best}
            rows = np.flatnonzero(np.logical_or.reduce(list(map(_used_rows, arrays.values()))))
            tensors[f"rows{number}"] = rows
            tensors |= {f"{name}{number}": array[rows] for name, array in arrays.items()}
        self.store(learner.name, tensors, {"epoch": state.epoch, "scores": state.scores})


def _used_rows(array: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """(rows,) Return which rows are not zero bit by bit; -0.0 counts as not zero."""
    return np.asarray(array.view(f"u{array.itemsize}").reshape(len(array), -1).any(axis=1))


def remove_checkpoints(folder: Path) -> None:
    """Remove the checkpoints in a folder, and then the folder if it is empty."""
    recipes: dict[Path, str] = {}
    for path in sorted(folder.glob(f"*{_ENDING}"), key=lambda path: path.stat().st_mtime_ns):
        with suppress(ModelError, KeyError):  # not a checkpoint
            recipes[path] = read_description(path)["recipe"]
    for path, recipe in recipes.items():
        if recipe == list(recipes.values())[-1]:
            path.unlink(missing_ok=True)
    with suppress(OSError):  # if the folder has other files
        folder.rmdir()
