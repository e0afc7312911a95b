"""Parsed sentences as text, in the forms that ``headway parse --to`` writes."""

import json
from collections.abc import Callable, Iterable

from headway.corpus import Sentence, format_sentence
from headway.document import sentence_json
from headway.errors import UsageError


def _json_line(sentence: Sentence) -> str:
    return json.dumps(sentence_json(sentence), ensure_ascii=False) + "\n"


def _drawing(sentence: Sentence) -> str:
    from headway.plots.drawing import tree_lines  # here and below: few need pictures, and importing takes time

    return "\n".join([*(line.plain for line in tree_lines(sentence)), "", ""])


def _page(sentences: Iterable[Sentence]) -> str:
    from headway.plots.page import tree_page

    return tree_page(sentences)


def _picture(sentences: Iterable[Sentence]) -> str:
    from headway.plots.tree_svg import trees_svg

    return trees_svg(sentences)


_SINGLE: dict[str, Callable[[Sentence], str]] = {"conllu": format_sentence, "json": _json_line, "tree": _drawing}
"""Forms in which each sentence stands for itself."""

_WHOLE: dict[str, Callable[[Iterable[Sentence]], str]] = {"html": _page, "svg": _picture}
"""Forms that need all sentences at once."""


class Form:
    """The text of sentences that come a few at a time.

    Parameters
    ----------
    to : str
        ``conllu``, ``json`` (a line for each sentence), ``tree``, ``html`` or ``svg``.

    Attributes
    ----------
    whole : bool
        Whether nothing can be written before the last sentence has come.
    """

    def __init__(self, to: str) -> None:
        if to not in _SINGLE and to not in _WHOLE:
            raise UsageError(f"{to}: unknown output format; choose from {', '.join([*_SINGLE, *_WHOLE])}")
        self.to, self.whole = to, to in _WHOLE
        self._kept: list[Sentence] = []

    def add(self, sentences: Iterable[Sentence]) -> str:
        """Return what to write for the next sentences."""
        if self.whole:
            self._kept += sentences
            return ""
        return "".join(map(_SINGLE[self.to], sentences))

    def end(self) -> str:
        """Return what to write at the end of a file, and begin another one."""
        kept, self._kept = self._kept, []
        return _WHOLE[self.to](kept) if self.whole else ""
