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
    """Something that learns tables of weights from sentences."""

    name: str
    sentences: int
    tables: tuple[AveragedTable, ...]

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """Visit some sentences; the number of mistakes met is returned."""
        ...

    def score(self, weights: tuple[Weights, ...]) -> float | None:
        """Score these weights on the dev set, in percent; None where there is no dev set."""
        ...


@dataclass
class Training:
    """Where the loop stands: enough, with the learner's tables, to go on from here.

    Parameters
    ----------
    scores : list of float
        The dev score after each epoch done.
    best : tuple of float32 arrays, or None
        The averaged tables of the best epoch, or of the last one without a dev set.
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
        Where to go on from and what to write after each epoch.
    """
    state = checkpoint.restore(learner) if checkpoint else Training()
    while not state.is_over(options):
        _run_epoch(learner, state, options, progress)
        if checkpoint:
            checkpoint.write(learner, state)
    return state


_SLICE = 256
"""Sentences between two signs of progress; batches never straddle slices, so it is part of the recipe."""


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
    """Keeps the state of a training on disk."""

    def restore(self, learner: Learner) -> Training:
        """The state written last, with the learner's tables filled; a new one where nothing was written."""
        ...

    def write(self, learner: Learner, state: Training) -> None:
        """Replace what is on disk by this state."""
        ...
