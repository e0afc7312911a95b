"""Headway: a dependency parser and a toolkit for parsing."""

from headway.support.lazy import lazy_names

TYPE_CHECKING = False  # not imported from typing: the command must handle Ctrl-C before slow imports
if TYPE_CHECKING:
    from headway.annotator import Annotator
    from headway.constituency.parser import ConstituentParser
    from headway.corpus import Sentence, Word, parse_sentences, read_sentences, write_sentences
    from headway.document import Doc
    from headway.errors import ConstraintError, CorpusError, HeadwayError, ModelError, TreeError, UsageError
    from headway.learning import TrainingOptions
    from headway.parser import Parser

__version__ = "0.2.0"

_HOMES = {
    "Annotator": "headway.annotator",
    "ConstraintError": "headway.errors",
    "CorpusError": "headway.errors",
    "Doc": "headway.document",
    "HeadwayError": "headway.errors",
    "ModelError": "headway.errors",
    "Parser": "headway.parser",
    "Sentence": "headway.corpus",
    "TrainingOptions": "headway.learning",
    "TreeError": "headway.errors",
    "UsageError": "headway.errors",
    "Word": "headway.corpus",
    "parse_sentences": "headway.corpus",
    "read_sentences": "headway.corpus",
    "write_sentences": "headway.corpus",
}

__all__ = [
    "Annotator",
    "ConstraintError",
    "CorpusError",
    "Doc",
    "HeadwayError",
    "ModelError",
    "Parser",
    "Sentence",
    "TrainingOptions",
    "TreeError",
    "UsageError",
    "Word",
    "__version__",
    "load",
    "load_constituents",
    "parse_sentences",
    "read_sentences",
    "write_sentences",
]

__getattr__ = lazy_names("headway", _HOMES)


def __dir__() -> list[str]:
    return __all__


def load(name: str = "en") -> "Annotator":
    """Load a model that reads plain text, by the name of a built-in model or by its path.

    Examples
    --------
    >>> doc = load("en")("Dogs bark.")  # doctest: +SKIP
    """
    from headway.support.collection import no_collection

    with no_collection():
        from headway.annotator import Annotator

        return Annotator.load(name)


def load_constituents(path: str) -> "ConstituentParser":
    """Load a constituent parser, as made by ``headway constituents train``, by its path.

    Examples
    --------
    >>> parser = load_constituents("en.const.headway")  # doctest: +SKIP
    >>> print(next(parser.parse([["Dogs", "bark"]])).tree)  # doctest: +SKIP
    """
    from headway.constituency.parser import ConstituentParser

    return ConstituentParser.load(path)
