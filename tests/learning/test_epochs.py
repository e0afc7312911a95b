import numpy as np
import pytest

from headway.errors import UsageError
from headway.learning import TrainingOptions, epochs
from headway.learning.averaging import averaged_table
from headway.learning.epochs import run_epochs
from headway.progress import Progress


class Scripted:
    """A learner that adds one to a weight at every sentence and scores as it is told."""

    name = "scripted"

    def __init__(self, scores: list[float] | None, sentences: int = 4) -> None:
        self.scores = iter(scores) if scores is not None else None
        self.sentences = sentences
        self.table = averaged_table(1, 1)
        self.tables = (self.table,)
        self.orders: list[list[int]] = []
        self.steps: list[int] = []

    def learn(self, order: np.ndarray, *, step: int) -> int:
        self.orders.append(order.tolist())
        self.steps.append(step)
        for place in range(len(order)):
            self.table.values[0, 0] += 1.0
            self.table.changes[0, 0] += step + place
        return 0

    def score(self, weights: tuple[np.ndarray, ...]) -> float | None:
        return next(self.scores) if self.scores is not None else None


def mean_after(epoch: int, sentences: int = 4) -> float:
    """The mean of 1, 2, 3 … up to the number of sentences visited."""
    return (1 + epoch * sentences) / 2


def train(scores: list[float] | None, **options: int) -> tuple[Scripted, epochs.Training]:
    learner = Scripted(scores)
    return learner, run_epochs(learner, TrainingOptions(**options), progress=Progress())


@pytest.mark.parametrize(
    ("scores", "patience", "done", "best"),
    [
        ([50, 60, 55, 58, 59, 70], 3, 5, 2),  # stops before the sixth, which would have been best
        ([50, 60, 55, 58, 61, 60, 60, 60, 99], 3, 8, 5),
        ([50, 40], 1, 2, 1),
        ([50, 50, 50, 50], 2, 3, 1),  # no better is not better
        ([10, 20, 30, 40], 1, 4, 4),
        ([0.0, 0.0], 1, 2, 1),
    ],
)
def test_stops_when_the_dev_score_stops_rising(scores: list[float], patience: int, done: int, best: int) -> None:
    learner, state = train(scores, patience=patience, epochs=len(scores))
    assert (state.epoch, state.best_epoch) == (done, best)
    assert state.scores == scores[:done]
    assert len(learner.orders) == done
    assert state.best is not None
    assert state.best[0][0, 0] == mean_after(best)


def test_without_a_dev_set_all_epochs_are_done_and_the_last_weights_kept() -> None:
    _, state = train(None, epochs=4, patience=1)
    assert (state.epoch, state.best_epoch, state.scores) == (4, 4, [])
    assert state.best is not None
    assert state.best[0][0, 0] == mean_after(4)


def test_every_epoch_visits_every_sentence_once_in_an_order_of_its_own() -> None:
    learner, _ = train(None, epochs=5, seed=3)
    assert all(sorted(order) == [0, 1, 2, 3] for order in learner.orders)
    assert len({tuple(order) for order in learner.orders}) > 1
    assert learner.steps == [0, 4, 8, 12, 16]


def test_the_order_depends_on_the_seed_alone() -> None:
    assert train(None, epochs=3, seed=1)[0].orders == train(None, epochs=3, seed=1, threads=2)[0].orders
    assert train(None, epochs=3, seed=1)[0].orders != train(None, epochs=3, seed=2)[0].orders


def test_slices_tell_of_progress_and_count_steps_on(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []

    class Listener(Progress):
        def start(self, stage: str, total: int, *, share: float = 1.0, before: float = 0.0) -> None:
            told.append((stage, total))

        def advance(self, steps: int = 1) -> None:
            told.append(steps)

        def note(self, message: str) -> None:
            told.append(message)

    monkeypatch.setattr(epochs, "_SLICE", 2)
    learner = Scripted([91.5], sentences=5)
    run_epochs(learner, TrainingOptions(epochs=1), progress=Listener())
    assert learner.steps == [0, 2, 4]
    assert told == [("scripted, epoch 1 of at most 1", 5), 2, 2, 1, "scripted: 91.50 on dev after epoch 1"]


@pytest.mark.parametrize("name", ["epochs", "patience", "threads"])
def test_invalid_options(name: str) -> None:
    for value in (0, -3):
        with pytest.raises(UsageError, match=f"{name} must be at least 1, not {value}"):
            TrainingOptions(**{name: value})
    assert getattr(TrainingOptions(**{name: 1}), name) == 1
