"""The training loop: shuffled epochs, a dev score after each, early stopping, checkpoints."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from headway.learning.averaging import AveragedTable, average
from headway.learning.options import TrainingOptions
from headway.progress import Progress

Weights = npt.NDArray[np.float32]


class Learner(Protocol):
    """Learns weight tables from sentences."""

    name: str
    sentences: int
    tables: tuple[AveragedTable, ...]

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """Train on sentences in the given order; return the number of mistakes made."""
        ...

    def score(self, weights: tuple[Weights, ...]) -> float | None:
        """Score these weights on the dev set, in per cent; None without a dev set."""
        ...


@dataclass
class Training:
    """The state of the training loop; together with the learner's tables, it is enough to continue.

    Parameters
    ----------
    scores : list of float
        The dev score after each finished epoch.
    best : tuple of float32 arrays, or None
        The averaged tables of the best epoch; without a dev set, of the last one.
    """

    epoch: int = 0
    scores: list[float] = field(default_factory=list)
    best: tuple[Weights, ...] | None = None

    @property
    def best_epoch(self) -> int:
        """The epoch whose weights are kept, counted from 1."""
        return int(np.argmax(self.scores)) + 1 if self.scores else self.epoch

    def is_over(self, options: TrainingOptions) -> bool:
        """Whether all epochs are done, or the dev score has stopped rising."""
        stale = bool(self.scores) and self.epoch - self.best_epoch >= options.patience
        return self.epoch >= options.epochs or stale


def run_epochs(
    learner: Learner,
    options: TrainingOptions,
    *,
    progress: Progress,
    checkpoint: "Checkpoint | None" = None,
) -> Training:
    """Train until the epochs are used up or the dev score stops rising.

    Parameters
    ----------
    checkpoint : Checkpoint, optional
        Where to read the state to continue from, and to write it after each epoch.
    """
    state = checkpoint.restore(learner) if checkpoint else Training()
    while not state.is_over(options):
        _run_epoch(learner, state, options, progress)
        if checkpoint:
            checkpoint.write(learner, state)
    return state


_SLICE = 256
"""Sentences between two progress reports. Batches never cross these slices, so changing the number changes models."""


def _run_epoch(learner: Learner, state: Training, options: TrainingOptions, progress: Progress) -> None:
    order = np.random.default_rng([options.seed, state.epoch]).permutation(learner.sentences)
    step = state.epoch * learner.sentences
    stage = f"{learner.name}, epoch {state.epoch + 1} of at most {options.epochs}"
    progress.start(stage, learner.sentences, share=1.0 / options.epochs, before=state.epoch / options.epochs)
    mistakes = 0
    for first in range(0, len(order), _SLICE):
        part = order[first : first + _SLICE]
        mistakes += learner.learn(part, step=step + first)
        progress.advance(len(part))
    progress.finish()
    state.epoch += 1
    weights = tuple(average(table, step + len(order)) for table in learner.tables)
    score = learner.score(weights)
    if score is None:
        state.best = weights
        progress.note(f"{learner.name}: {mistakes:,} mistakes corrected in epoch {state.epoch}")
        return
    if not state.scores or score > max(state.scores):
        state.best = weights
    state.scores.append(score)
    progress.note(f"{learner.name}: {score:.2f} on dev after epoch {state.epoch}")


class Checkpoint(Protocol):
    """Stores the state of a training run on disk."""

    def restore(self, learner: Learner) -> Training:
        """Return the last state written and fill the learner's tables; return a new state if there is none."""
        ...

    def write(self, learner: Learner, state: Training) -> None:
        """Replace the state on disk."""
        ...
