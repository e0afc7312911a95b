"""What a person gets for a text: sentences with trees, in every form that they can be looked at."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from headway.corpus import Sentence, format_sentence

_PLACE = re.compile(r"(?:^|\|)TokenRange=(\d+):(\d+)(?:\||$)")


@dataclass(frozen=True)
class Word:
    """A word and where it hangs.

    Parameters
    ----------
    number : int
        From 1, in its sentence; `head` is such a number, or 0 for the root.
    confidence : float or None
        How probable the head is.
    second_head : int or None
        The next best head, if there is one, and
    second_confidence : float or None
        how probable that is.
    start, end : int or None
        Its first character in the text, and the one after its last; those of the whole token, where that is several
        words.
    """

    number: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    relation: str
    confidence: float | None = None
    second_head: int | None = None
    second_confidence: float | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Doc:
    """A text and its sentences.

    Examples
    --------
    ``doc = headway.load("en")("Dogs bark.")``, then ``doc.words`` or ``print(doc.to_conllu())``.
    """

    text: str
    sentences: tuple[Sentence, ...]

    @property
    def words(self) -> list[list[Word]]:
        """The words of every sentence."""
        return [list(sentence_words(sentence)) for sentence in self.sentences]

    def to_conllu(self) -> str:
        """As a CoNLL-U file."""
        return "".join(map(format_sentence, self.sentences))

    @property
    def confidences(self) -> list[float | None]:
        """How probable it is, for every sentence, that all of its heads are right."""
        return list(map(tree_confidence, self.sentences))

    def to_json(self) -> list[dict[str, object]]:
        """As plain lists and dictionaries."""
        return list(map(sentence_json, self.sentences))

    def to_svg(self, sentence: int = 0) -> str:
        """One sentence as a picture."""
        from headway.plots.tree_svg import tree_svg  # here and below: few need pictures, and importing takes time

        return tree_svg(self.sentences[sentence])

    def to_html(self) -> str:
        """All sentences as a page that needs nothing else."""
        from headway.plots.page import tree_page

        return tree_page(self.sentences)

    def _repr_html_(self) -> str:
        """What notebooks show."""
        from headway.plots.tree_svg import tree_svg

        return "\n".join(map(tree_svg, self.sentences))


def sentence_words(sentence: Sentence) -> Iterator[Word]:
    """The words of a parsed sentence."""
    chances, seconds, others = (sentence.misc(name) for name in ("HeadProb", "SecondHead", "SecondProb"))
    columns = zip(
        sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.heads, sentence.labels,
        strict=True,
    )  # fmt: skip
    places = _places(sentence)
    for index, (form, lemma, upos, xpos, feats, head, relation) in enumerate(columns):
        chance, second, other = chances[index], seconds[index], others[index]
        yield Word(
            index + 1, form, lemma, upos, xpos, feats, head, relation,
            None if chance is None else float(chance),
            None if second is None else int(second),
            None if other is None else float(other),
            *places[index],
        )  # fmt: skip


def _places(sentence: Sentence) -> list[tuple[int, int] | tuple[()]]:
    """(n,) Where the token of each word begins and ends, if the sentence says so."""
    found: list[tuple[int, int] | tuple[()]] = []
    token, until = "", 0
    for row in sentence.rows:
        first, dash, last = row[0].partition("-")
        if "." in first:
            continue
        if dash or int(first) > until:
            token, until = row[-1], int(last) if dash else 0
        if not dash:
            place = _PLACE.search(token)
            found.append((int(place[1]), int(place[2])) if place else ())
    return found


def tree_confidence(sentence: Sentence) -> float | None:
    """How probable it is that all heads are right, if the sentence says so."""
    said = sentence.metadata.get("tree_prob")
    return float(said) if said else None


def sentence_json(sentence: Sentence) -> dict[str, object]:
    """A parsed sentence as plain lists and dictionaries; with its rank and score, where it is one of several."""
    told = sentence.metadata
    try:
        ranked = {"rank": int(told["tree"]), "score": float(told["score"])}
    except (KeyError, ValueError):
        ranked = {}
    return {
        "id": told.get("sent_id"),
        "text": told.get("text"),
        **ranked,
        "confidence": tree_confidence(sentence),
        "words": [vars(word) for word in sentence_words(sentence)],
    }
