"""Training options that users can set."""

from dataclasses import dataclass

from headway.errors import UsageError
from headway.support.arguments import check_whole


@dataclass(frozen=True)
class TrainingOptions:
    """Options of training.

    Parameters
    ----------
    epochs : int
        The maximum number of passes over the sentences.
    patience : int
        Early stopping: the number of epochs without improvement on the dev set.
    seed : int
        The seed of the order of sentences and of all other random choices.
    threads : int
        The number of threads; the model does not depend on it.
    """

    epochs: int = 15
    patience: int = 5
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("epochs", "patience", "seed", "threads"):
            check_whole(name, getattr(self, name))
        for name in ("epochs", "patience", "threads"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)}")
