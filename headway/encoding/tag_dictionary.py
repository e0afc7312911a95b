"""A dictionary of the tags of forms in the treebank, as two atoms for taggers.

======= ============================================================================================
known   the tags of the word's form in training, most frequent first; and whether the form is rare
verbal  whether a word before it, and whether a word after it, is or can be a verb or an auxiliary
======= ============================================================================================

If `verbal` is 0, the word can be the only verb of its sentence: ``bark`` in ``Dogs bark .``

In training, the word itself is not counted in `known` (`TagCounts.unseen`). Otherwise, the tagger would learn to trust
the dictionary even for words that occur only once.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence
from headway.encoding.vocabulary import FIRST_FREE, UNKNOWN, Vocabulary

DICTIONARY_ATOMS = ("known", "verbal")
"""The names of the atoms, in the order of their columns."""

_MOST_TAGS = 3
_LEAST_SHARE = 0.02
_RARE, _RARELY = "?", 3
"""The prefix that marks rare forms, and the frequency below which a form is rare."""
_VERBS = ("VERB", "AUX")
_NO_VERB, _MAYBE, _VERB = range(3)
_KINDS = 3

IntArray = npt.NDArray[np.int32]


class TagCounts:
    """The number of occurrences of each tag of each lower-cased form."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for form, tag in zip(sentence.forms, sentence.upos, strict=True):
                self._counts[form.lower()][tag] += 1

    def dictionary(self) -> "TagDictionary":
        """Return a dictionary with the tags of all forms."""
        forms = defaultdict[str, list[str]](list)
        for form, counts in self._counts.items():
            forms[_describe(counts)].append(form)
        return TagDictionary(forms)

    def unseen(self, forms: Iterable[str], tags: Iterable[str]) -> list[str]:
        """Return for each word the tags that its form has elsewhere in the treebank; ``""`` if there are none."""
        return [_describe(self._counts[form.lower()], without=tag) for form, tag in zip(forms, tags, strict=True)]


def _describe(counts: Mapping[str, int], *, without: str | None = None) -> str:
    left = {tag: count - (tag == without) for tag, count in counts.items()}
    total = sum(left.values())
    often = [tag for tag, count in left.items() if count > 0 and count >= _LEAST_SHARE * total]
    ranked = sorted(often, key=lambda tag: (-left[tag], tag))[:_MOST_TAGS]
    return (_RARE if 0 < total < _RARELY else "") + "/".join(ranked)


def _verb_kind(tags: str) -> int:
    ranked = tags.removeprefix(_RARE).split("/")
    return _VERB if tags.split("/")[0] in _VERBS else _MAYBE if set(ranked) & set(_VERBS) else _NO_VERB


def _around(
    these: npt.NDArray[np.bool_], starts: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """(rows,) each: Return whether one of these rows comes before, and one after, in the same sentence."""
    until, lengths = np.concatenate([[0], np.cumsum(these)]), np.diff(starts)  # until[row]: those before that row
    before = until[:-1] - np.repeat(until[starts[:-1]], lengths)
    after = np.repeat(until[starts[1:]], lengths) - until[1:]
    return before > 0, after > 0


class TagDictionary:
    """The tags of forms in training.

    Parameters
    ----------
    forms : mapping of str to list of str
        Maps tags to the lower-cased forms that had them: ``NOUN/VERB``, or ``?VERB`` for rare forms.
    """

    def __init__(self, forms: Mapping[str, Sequence[str]]) -> None:
        self.forms = dict(forms)
        self._vocabulary = Vocabulary.count(Counter({tags: len(same) for tags, same in forms.items()}))
        self._ids: dict[str, int] = {}
        self._verbs: dict[str, int] = {}
        for tags, same in forms.items():
            self._ids |= dict.fromkeys(same, self._vocabulary[tags])
            if kind := _verb_kind(tags):
                self._verbs |= dict.fromkeys(same, kind)

    @property
    def has_verbs(self) -> bool:
        """Whether there are verbs, so that `verbal` carries information."""
        return bool(self._verbs)

    def ids(self, known: Iterable[str]) -> list[int]:
        """Return the atoms of strings such as `TagCounts.unseen` returns."""
        return [self._vocabulary[tags] for tags in known]

    def write(
        self, forms: Sequence[str], starts: npt.NDArray[np.int64], words: npt.NDArray[np.bool_], found: IntArray
    ) -> None:
        """Write the atoms of every word into ``found`` (rows, 2), except for the roots' rows.

        Parameters
        ----------
        forms : sequence of str, (words,)
        starts, words
            The starts of sentences, and which rows are words, as in `Encoded` and `Clauses.write`.
        """
        lower = [form.lower() for form in forms]
        found[words, 0] = [self._ids.get(form, UNKNOWN) for form in lower]
        kinds = np.zeros(len(words), dtype=np.int64)
        kinds[words] = [self._verbs.get(form, _NO_VERB) for form in lower]
        verbal = np.zeros(len(words), dtype=np.int64)
        for kind in (_MAYBE, _VERB):  # in this order, so that certain verbs overwrite possible ones
            before, after = _around(kinds == kind, starts)
            verbal[:] = np.where(before, kind, verbal % _KINDS) + _KINDS * np.where(after, kind, verbal // _KINDS)
        found[words, 1] = FIRST_FREE + verbal[words]
