"""Headway finds the head of every word: a dependency parser and parsing toolkit."""

from headway.lazy import lazy_names

TYPE_CHECKING = False  # importing next to nothing: the command line wants to be there before the first Ctrl-C
if TYPE_CHECKING:
    from headway.annotator import Annotator
    from headway.constituency.parser import ConstituentParser
    from headway.corpus import Sentence, read_sentences, write_sentences
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
    "load_constituents",
    "read_sentences",
    "write_sentences",
]

__getattr__ = lazy_names(
    "headway",
    {
        "Annotator": "headway.annotator",
        "Parser": "headway.parser",
        "Sentence": "headway.corpus",
        "TrainingOptions": "headway.learning",
        "read_sentences": "headway.corpus",
        "write_sentences": "headway.corpus",
    },
)


def load(name: str = "en") -> "Annotator":
    """A model that reads text: one that comes with Headway, by its short name, or any other by its path.

    >>> doc = load("en")("Dogs bark.")  # doctest: +SKIP
    """
    from headway.collection import no_collection

    with no_collection():
        from headway.annotator import Annotator

        return Annotator.load(name)


def load_constituents(path: str) -> "ConstituentParser":
    """A constituent parser, by its path; ``headway constituents train`` makes one.

    >>> parser = load_constituents("en.const.headway")  # doctest: +SKIP
    >>> print(next(parser.parse([["Dogs", "bark"]])).tree)  # doctest: +SKIP
    """
    from headway.constituency.parser import ConstituentParser

    return ConstituentParser.load(path)
