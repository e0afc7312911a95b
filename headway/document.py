"""A parsed text: its words and sentences, and its output formats."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import overload

from headway.corpus import Sentence, Word, format_sentence
from headway.corpus.word import counted, shorten, word_places


@dataclass(frozen=True, repr=False)
class Doc:
    """A text and its sentences; iteration, `len` and indexing are over its words.

    Examples
    --------
    ``doc = headway.load("en")("Dogs bark.")``, then ``doc[0].head``, ``doc.sentences`` or ``doc.to_conllu()``.
    """

    text: str
    sentences: tuple[Sentence, ...]

    def __repr__(self) -> str:
        return (
            f"<Doc of {counted(len(self.sentences), 'sentence')}, {counted(len(self), 'word')}: {shorten(self.text)}>"
        )

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return sum(map(len, self.sentences))

    def __iter__(self) -> Iterator[Word]:
        return (word for sentence in self.sentences for word in sentence)

    @overload
    def __getitem__(self, place: int) -> Word: ...
    @overload
    def __getitem__(self, place: slice) -> list[Word]: ...
    def __getitem__(self, place: int | slice) -> Word | list[Word]:
        """Return words by their position in the text, counted from 0."""
        return self.words[place]

    @cached_property
    def words(self) -> list[Word]:
        """The words of all sentences."""
        return list(self)

    def to_conllu(self) -> str:
        """Return the text as a CoNLL-U file."""
        return "".join(map(format_sentence, self.sentences))

    def to_json(self) -> list[dict[str, object]]:
        """Return the sentences as lists and dictionaries for `json.dumps`."""
        return list(map(sentence_json, self.sentences))

    def to_svg(self, sentence: int = 0) -> str:
        """Draw one sentence as an SVG picture."""
        from headway.plots.tree_svg import tree_svg  # imported here and below: most callers draw nothing

        return tree_svg(self.sentences[sentence])

    def to_html(self) -> str:
        """Draw all sentences on a self-contained HTML page."""
        from headway.plots.page import tree_page

        return tree_page(self.sentences)

    def _repr_html_(self) -> str:
        """Return the pictures of all sentences, for notebooks."""
        from headway.plots.tree_svg import tree_svg

        return "\n".join(map(tree_svg, self.sentences))


def sentence_json(sentence: Sentence) -> dict[str, object]:
    """Return a parsed sentence as lists and dictionaries.

    A tree of a k-best list also has its ``rank`` and ``score``. If a proof was requested, ``optimal`` says whether the
    tree is proved to be the best, and ``ignored`` lists the kinds of parts that the proof leaves out. Without a proof,
    ``gap`` bounds how far the best score may be above the score of this tree (None: no bound is known). If a long
    sentence was parsed in pieces, ``parsed_in_pieces`` is their number.
    """
    comments = sentence.metadata
    try:
        ranked = {"rank": int(comments["tree"]), "score": float(comments["score"])}
    except (KeyError, ValueError):
        ranked = {}
    return {
        "id": comments.get("sent_id"),
        "text": comments.get("text"),
        **ranked,
        **_certificate_json(comments),
        "confidence": sentence.confidence,
        "words": list(map(_word_json, sentence, word_places(sentence))),
    }


def _certificate_json(comments: Mapping[str, str]) -> dict[str, object]:
    """Return the result of a proof and the number of pieces, if the comments of a sentence contain them."""
    certificate: dict[str, object] = {}
    if match := _OPTIMAL.fullmatch(comments.get("optimal", "")):
        certificate = {"optimal": True, "ignored": _kinds(match["ignored"])}
    elif match := _GAP.fullmatch(comments.get("gap", "")):
        gap = float(match["gap"])  # JSON has no infinity
        certificate = {"optimal": False, "gap": gap if isfinite(gap) else None, "ignored": _kinds(match["ignored"])}
    if match := _PIECES.fullmatch(comments.get("parsed_in_pieces", "")):
        certificate["parsed_in_pieces"] = int(match[0])
    return certificate


def _kinds(listed: str | None) -> list[str]:
    return listed.split(", ") if listed else []


_IGNORED = r"(, ignoring: (?P<ignored>[a-z_]+(, [a-z_]+)*))?"
_OPTIMAL = re.compile("yes" + _IGNORED)
_GAP = re.compile(r"(?P<gap>-?[0-9]+(\.[0-9]+)?|inf)" + _IGNORED)
_PIECES = re.compile("[0-9]{1,9}")


def _word_json(word: Word, place: tuple[int, int] | None) -> dict[str, object]:
    start, end = place or (None, None)
    return {
        "number": word.index,
        "form": word.text,
        "lemma": word.lemma,
        "upos": word.upos,
        "xpos": word.xpos,
        "feats": word.feats,
        "head": word.head_index,
        "relation": word.label,
        "confidence": word.confidence,
        "second_head": word.second_head_index,
        "second_confidence": word.second_confidence,
        "start": start,
        "end": end,
    }
