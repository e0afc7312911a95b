"""What a person gets for a text: sentences with trees, in every form that they can be looked at."""

from collections.abc import Iterator
from dataclasses import dataclass

from headway.corpus import Sentence, format_sentence
from headway.plots.page import tree_page
from headway.plots.tree_svg import tree_svg


@dataclass(frozen=True)
class Word:
    """A word and where it hangs.

    Parameters
    ----------
    number : int
        From 1, in its sentence; `head` is such a number, or 0 for the root.
    confidence : float or None
        How probable the head is.
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
        return [list(_words(sentence)) for sentence in self.sentences]

    def to_conllu(self) -> str:
        """As a CoNLL-U file."""
        return "".join(map(format_sentence, self.sentences))

    def to_json(self) -> list[list[dict[str, object]]]:
        """As plain lists and dictionaries."""
        return [[vars(word) for word in words] for words in self.words]

    def to_svg(self, sentence: int = 0) -> str:
        """One sentence as a picture."""
        return tree_svg(self.sentences[sentence])

    def to_html(self) -> str:
        """All sentences as a page that needs nothing else."""
        return tree_page(self.sentences)

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return "\n".join(map(tree_svg, self.sentences))


def _words(sentence: Sentence) -> Iterator[Word]:
    chances = sentence.misc("HeadProb")
    columns = zip(
        sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.heads, sentence.labels,
        chances, strict=True,
    )  # fmt: skip
    for number, (form, lemma, upos, xpos, feats, head, relation, chance) in enumerate(columns, start=1):
        confidence = None if chance is None else float(chance)
        yield Word(number, form, lemma, upos, xpos, feats, head, relation, confidence)
