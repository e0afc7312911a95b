"""A word of a sentence: its annotation, its offsets in the text, its head and its children.

A `Word` is a view of a row of its sentence; it copies nothing, and two views of the same row are equal.
"""

import itertools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headway.corpus.sentence import Sentence

_RANGE = re.compile(r"(?:^|\|)TokenRange=(\d+):(\d+)(?:\||$)")
_LINE = 60
"""The maximum number of characters of a text that `repr` shows."""


class Word:
    """A word of a sentence. Missing values (``_`` in a file) are None.

    Parameters
    ----------
    sentence : Sentence
    index : int
        The position of the word in its sentence, counted from 1 as in CoNLL-U.

    Examples
    --------
    >>> from headway.corpus import Sentence
    >>> sentence = Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"])
    >>> dogs, bark = sentence.words
    >>> dogs.head, dogs.label, bark.head, bark.children
    (<Word 2 bark>, 'nsubj', None, [<Word 1 Dogs>])
    """

    __slots__ = ("index", "sentence")

    def __init__(self, sentence: "Sentence", index: int) -> None:
        self.sentence, self.index = sentence, index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word) and self.sentence is other.sentence and self.index == other.index

    def __hash__(self) -> int:
        return hash((id(self.sentence), self.index))

    def __len__(self) -> int:
        return len(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Word {self.index} {shorten(self.text)}>"

    def _field(self, column: int | None) -> str | None:
        value = "_" if column is None else self.sentence.read_rows()[1][self.index - 1][column]
        return None if value == "_" else value

    @property
    def text(self) -> str:
        """The word itself."""
        return self.sentence.read_rows()[1][self.index - 1][self.sentence.layout.form]

    @property
    def lemma(self) -> str | None:
        """The lemma; ``_`` means "none", except for the word ``_``."""
        return "_" if self.text == "_" else self._field(self.sentence.source(self.sentence.layout.lemma))

    @property
    def upos(self) -> str | None:
        """The universal part-of-speech tag."""
        return self._field(self.sentence.source(self.sentence.layout.upos))

    @property
    def xpos(self) -> str | None:
        """The part-of-speech tag of the treebank."""
        return self._field(self.sentence.layout.xpos)

    @property
    def feats(self) -> str | None:
        """The morphological features: ``Case=Nom|Number=Sing``."""
        return self._field(self.sentence.source(self.sentence.layout.feats))

    @property
    def label(self) -> str | None:
        """The relation to the head: ``nsubj``."""
        return self._field(self.sentence.layout.deprel)

    @property
    def head_index(self) -> int | None:
        """The index of the head; 0 at the root, None if the head is unknown."""
        head = self._field(self.sentence.layout.head)
        return None if head is None else int(head)

    @property
    def head(self) -> "Word | None":
        """The head; None at the root, and if the head is unknown."""
        return self._word(self.head_index)

    @property
    def children(self) -> "list[Word]":
        """The words whose head this is, in order."""
        return [Word(self.sentence, index) for index in self.sentence.remembered(_children)[self.index]]

    @property
    def subtree(self) -> "list[Word]":
        """The word and all words below it, in order."""
        children = self.sentence.remembered(_children)
        below, waiting = {self.index}, [self.index]
        while waiting:
            fresh = [child for child in children[waiting.pop()] if child not in below]
            below.update(fresh)
            waiting += fresh
        return [Word(self.sentence, index) for index in sorted(below)]

    @property
    def start(self) -> int | None:
        """The offset of the word's first character in the text; None if unknown.

        The words of a contraction (``don't``) have separate offsets if together they spell the token; otherwise they
        all have the token's offsets.
        """
        place = self.sentence.remembered(word_places)[self.index - 1]
        return None if place is None else place[0]

    @property
    def end(self) -> int | None:
        """The offset after its last character in the text."""
        place = self.sentence.remembered(word_places)[self.index - 1]
        return None if place is None else place[1]

    @property
    def confidence(self) -> float | None:
        """The probability of the head; None unless the sentence was parsed with ``confidence=True``."""
        return self._probability("HeadProb")

    @property
    def label_confidence(self) -> float | None:
        """The probability of the label, given the head."""
        return self._probability("LabelProb")

    @property
    def second_head_index(self) -> int | None:
        """The index of the second most probable head, 0 for the root."""
        value = self._misc("SecondHead")
        return None if value is None else int(value)

    @property
    def second_head(self) -> "Word | None":
        """The second most probable head; None if that is the root, or unknown."""
        return self._word(self.second_head_index)

    @property
    def second_confidence(self) -> float | None:
        """The probability of the second most probable head."""
        return self._probability("SecondProb")

    def _word(self, index: int | None) -> "Word | None":
        return Word(self.sentence, index) if index and index <= len(self.sentence) else None

    def _misc(self, name: str) -> str | None:
        if "MISC" not in self.sentence.layout.names:
            return None
        row = self.sentence.read_rows()[1][self.index - 1]
        notes = row[self.sentence.layout.names.index("MISC")].split("|")
        return dict(note.partition("=")[::2] for note in notes).get(name)

    def _probability(self, name: str) -> float | None:
        value = self._misc(name)
        return None if value is None else float(value)


def _children(sentence: "Sentence") -> list[list[int]]:
    """Return the indices of each word's children, the root's first."""
    children: list[list[int]] = [[] for _ in range(len(sentence) + 1)]
    for modifier, head in enumerate(sentence.heads, start=1):
        if 0 <= head < len(children):
            children[head].append(modifier)
    return children


def word_places(sentence: "Sentence") -> list[tuple[int, int] | None]:
    """Return start and end offsets of each word, (n,); None if the file has none."""
    places: list[tuple[int, int] | None] = [None] * len(sentence)
    for token, form, first, last in _tokens(sentence):
        found = _RANGE.search(token)
        if found is not None:
            parts = [row[sentence.layout.form] for row in sentence.read_rows()[1][first - 1 : last]]
            places[first - 1 : last] = _parts_of(int(found[1]), int(found[2]), form, parts)
    return places


def _parts_of(start: int, end: int, form: str, parts: list[str]) -> list[tuple[int, int]]:
    """Return the offsets of a token's words: separate ones if the words spell the token, else those of the token."""
    if "".join(parts).lower() != form.lower() or sum(map(len, parts)) != end - start:
        return [(start, end)] * len(parts)
    ends = list(itertools.accumulate(map(len, parts), initial=start))
    return list(itertools.pairwise(ends))


def _tokens(sentence: "Sentence") -> Iterator[tuple[str, str, int, int]]:
    """Yield MISC and form of each token, and the indices of its first and last word."""
    if "MISC" not in sentence.layout.names:
        return
    misc, form, until = sentence.layout.names.index("MISC"), sentence.layout.form, 0
    for row in sentence.read_rows()[0]:
        first, dash, last = row[0].partition("-")
        if "." in first or (not dash and int(first) <= until):
            continue
        until = int(last) if dash else int(first)
        yield row[misc], row[form], int(first), until


def surface_text(sentence: "Sentence") -> str:
    """Return the tokens of a sentence with the spaces between them."""
    tokens = [(form, misc) for misc, form, _, _ in _tokens(sentence)]
    if not tokens:
        return " ".join(sentence.forms)
    return "".join(form if "SpaceAfter=No" in misc.split("|") else f"{form} " for form, misc in tokens).rstrip()


def counted(count: int, name: str) -> str:
    """Return a number with its noun: ``1 word``, ``2,000 words``."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def shorten(text: str) -> str:
    """Truncate a text to one short line."""
    text = text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)
    return text if len(text) <= _LINE else f"{text[: _LINE - 1]}…"
