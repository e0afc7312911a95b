"""Format parsed sentences in the output formats of ``headway parse --to``."""

import json
from collections.abc import Callable, Iterable

from headway.corpus import Sentence, format_sentence
from headway.document import sentence_json
from headway.errors import UsageError


def _json_line(sentence: Sentence) -> str:
    return json.dumps(sentence_json(sentence), ensure_ascii=False) + "\n"


def _drawing(sentence: Sentence) -> str:
    from headway.plots.drawing import tree_lines  # imported here and below: only pictures need it, and it takes time

    return "\n".join([*(line.plain for line in tree_lines(sentence)), "", ""])


def _page(sentences: Iterable[Sentence]) -> str:
    from headway.plots.page import tree_page

    return tree_page(sentences)


def _picture(sentences: Iterable[Sentence]) -> str:
    from headway.plots.tree_svg import trees_svg

    return trees_svg(sentences)


_SINGLE: dict[str, Callable[[Sentence], str]] = {"conllu": format_sentence, "json": _json_line, "tree": _drawing}
"""Formats that are written sentence by sentence."""

_WHOLE: dict[str, Callable[[Iterable[Sentence]], str]] = {"html": _page, "svg": _picture}
"""Formats that need all sentences at once."""


class Form:
    """Formats sentences that arrive a few at a time.

    Parameters
    ----------
    to : str
        ``conllu``, ``json`` (a line for each sentence), ``tree``, ``html`` or ``svg``.

    Attributes
    ----------
    whole : bool
        Whether the format needs all sentences before anything can be written.
    """

    def __init__(self, to: str) -> None:
        if to not in _SINGLE and to not in _WHOLE:
            raise UsageError(f"{to}: unknown output format; choose from {', '.join([*_SINGLE, *_WHOLE])}")
        self.to, self.whole = to, to in _WHOLE
        self._kept: list[Sentence] = []

    def add(self, sentences: Iterable[Sentence]) -> str:
        """Return the text to write for the next sentences."""
        if self.whole:
            self._kept += sentences
            return ""
        return "".join(map(_SINGLE[self.to], sentences))

    def end(self) -> str:
        """Return the text to write at the end of a file, and start a new file."""
        kept, self._kept = self._kept, []
        return _WHOLE[self.to](kept) if self.whole else ""
