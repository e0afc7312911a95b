"""Checkpoints: a folder with one file for each thing that is being learned.

A training that goes on from a checkpoint ends in the same model as one that was never stopped: the order of an epoch
depends on the seed and the epoch alone, and everything else is in the file.
"""

from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.errors import UsageError
from headway.learning.epochs import Learner, Training
from headway.model_file import read_model_file, write_model_file


class FolderCheckpoint:
    """Keeps trainings in a folder.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    recipe : object
        Whatever determines the outcome (data, preset, seed), with a telling ``repr``: a checkpoint of another recipe is
        refused.
    """

    def __init__(self, folder: Path, recipe: object) -> None:
        self.folder = folder
        self.fingerprint = blake2b(repr(recipe).encode(), digest_size=16).hexdigest()
        folder.mkdir(parents=True, exist_ok=True)

    def _path(self, learner: Learner) -> Path:
        return self.folder / f"{learner.name}.checkpoint"

    def restore(self, learner: Learner) -> Training:
        """See `Checkpoint`."""
        if not self._path(learner).exists():
            return Training()
        tensors, state = read_model_file(self._path(learner))
        if state.get("recipe") != self.fingerprint:
            raise UsageError(
                f"{self._path(learner)} belongs to a training with other data or settings: "
                "name another folder, or remove it"
            )
        best = []
        for number, table in enumerate(learner.tables):
            table.values[:] = tensors[f"values{number}"]
            table.changes[:] = tensors[f"changes{number}"]
            best.append(np.array(tensors[f"best{number}"]))
        return Training(state["epoch"], state["scores"], tuple(best))

    def write(self, learner: Learner, state: Training) -> None:
        """See `Checkpoint`."""
        assert state.best is not None
        tensors: dict[str, npt.NDArray[Any]] = {}
        for number, (table, best) in enumerate(zip(learner.tables, state.best, strict=True)):
            tensors |= {f"values{number}": table.values, f"changes{number}": table.changes, f"best{number}": best}
        facts = {"recipe": self.fingerprint, "epoch": state.epoch, "scores": state.scores}
        write_model_file(self._path(learner), tensors, facts)
