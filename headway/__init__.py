"""Headway finds the head of every word: a dependency parser and parsing toolkit."""

from typing import TYPE_CHECKING, Any

from headway.collection import no_collection
from headway.corpus import Sentence, read_sentences, write_sentences

if TYPE_CHECKING:
    from headway.annotator import Annotator
    from headway.learning import TrainingOptions
    from headway.parser import Parser

__version__ = "0.1.0"

__all__ = [
    "Annotator",
    "Parser",
    "Sentence",
    "TrainingOptions",
    "__version__",
    "load",
    "read_sentences",
    "write_sentences",
]


def load(name: str = "en") -> "Annotator":
    """A model that reads text: one that comes with Headway, by its short name, or any other by its path.

    >>> doc = load("en")("Dogs bark.")  # doctest: +SKIP
    """
    with no_collection():
        from headway.annotator import Annotator

        return Annotator.load(name)


def __getattr__(name: str) -> Any:
    """Import what needs compiled kernels only when it is asked for."""
    if name == "Annotator":
        from headway.annotator import Annotator

        return Annotator
    if name == "Parser":
        from headway.parser import Parser

        return Parser
    if name == "TrainingOptions":
        from headway.learning import TrainingOptions

        return TrainingOptions
    raise AttributeError(f"module 'headway' has no attribute {name!r}")
