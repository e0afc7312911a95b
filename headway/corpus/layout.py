"""The three CoNLL table formats as data: which column holds which field.

======== ============================================================= =======================
layout   columns                                                       defined by
======== ============================================================= =======================
CoNLL-U  ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC           Universal Dependencies
CoNLL-X  ID FORM LEMMA CPOSTAG POSTAG FEATS HEAD DEPREL PHEAD PDEPREL  Buchholz & Marsi 2006
2009     ID FORM LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL    Hajič et al. 2009
         PDEPREL FILLPRED PRED APRED*
======== ============================================================= =======================
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """A table format. Columns are counted from 0 here, and from 1 in error messages.

    Parameters
    ----------
    name : str
        The name in error messages.
    names : tuple of str
        The names of the columns.
    form, lemma, upos, feats, head, deprel : int
        The columns of these fields.
    xpos : int or None
        The column of the language-specific tag; None if the format has only one tag.
    twins : tuple of (int, int)
        Pairs of columns to which a new value is written together. CoNLL 2009 has a parser's result in PHEAD and
        PDEPREL, where its scorer looks for it.
    open_ended : bool
        Whether lines may have more fields than `names` (the same number throughout a sentence).
    has_ranges : bool
        Whether comments, multiword ranges (``4-5``) and empty nodes (``8.1``) are part of the format.
    """

    name: str
    names: tuple[str, ...]
    form: int
    lemma: int
    upos: int
    xpos: int | None
    feats: int
    head: int
    deprel: int
    twins: tuple[tuple[int, int], ...] = ()
    open_ended: bool = False
    has_ranges: bool = False

    @property
    def columns(self) -> int:
        """The minimum number of fields in a line."""
        return len(self.names)

    def places(self, column: int) -> list[int]:
        """Return the columns that a new value of `column` is written to: itself, and its twin if it has one."""
        return [column, *(twin for first, twin in self.twins if first == column)]


CONLLU = Layout(
    name="CoNLL-U",
    names=("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"),
    form=1,
    lemma=2,
    upos=3,
    xpos=4,
    feats=5,
    head=6,
    deprel=7,
    has_ranges=True,
)
"""CoNLL-U, the format of Universal Dependencies."""

CONLLX = Layout(
    name="CoNLL-X",
    names=("ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL"),
    form=1,
    lemma=2,
    upos=3,
    xpos=4,
    feats=5,
    head=6,
    deprel=7,
)
"""CoNLL-X of the 2006 and 2007 shared tasks. PHEAD and PDEPREL (a projective tree) are never changed."""

CONLL2009 = Layout(
    name="CoNLL 2009",
    names=(
        *("ID", "FORM", "LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT"),
        *("HEAD", "PHEAD", "DEPREL", "PDEPREL", "FILLPRED", "PRED"),
    ),
    form=1,
    lemma=2,
    upos=4,
    xpos=None,
    feats=6,
    head=8,
    deprel=10,
    twins=((2, 3), (4, 5), (6, 7), (8, 9), (10, 11)),
    open_ended=True,
)
"""CoNLL 2009: the gold columns are read or, if a sentence has none, the predicted lemmas, tags and features.

A new tree goes to HEAD and PHEAD, DEPREL and PDEPREL."""
