"""Training options that users can set."""

from dataclasses import dataclass

from headway.errors import UsageError


@dataclass(frozen=True)
class TrainingOptions:
    """The options of training.

    Parameters
    ----------
    epochs : int
        The largest number of passes over the sentences.
    patience : int
        Early stopping: the number of epochs without improvement on the dev set.
    seed : int
        Determines the order in which sentences are visited.
    threads : int
        The number of threads; the model is the same for any number.
    """

    epochs: int = 15
    patience: int = 5
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("epochs", "patience", "threads"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)}")
