"""Options of training that users can set."""

from dataclasses import dataclass

from headway.errors import UsageError


@dataclass(frozen=True)
class TrainingOptions:
    """The options of training.

    Parameters
    ----------
    epochs : int
        At most so many passes over the sentences.
    patience : int
        Stop when the dev set has not improved for so many epochs.
    seed : int
        Of the order in which sentences are visited.
    threads : int
        The model is the same for any number.
    """

    epochs: int = 15
    patience: int = 5
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("epochs", "patience", "threads"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)}")
