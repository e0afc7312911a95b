"""Clause atoms: properties of the clause around a word, derived from tags.

======= ============================================================================================
since   the set of tags, restricted to `TOLD`, from the last verb before the word (or the beginning) to the word
until   the same from the word to the next verb (or the end)
verbs   the numbers of verbs before and after the word, up to three each
opener  the lemma of the last conjunction or relative word since the last verb
======= ============================================================================================

They give first-order features some of the information of higher-order parts: whether a verb is in a clause
that another word opens, or which of several verbs it is. They take two passes over a sentence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.encoding.atoms import TAG_CLASSES
from headway.encoding.strings import attributes
from headway.encoding.vocabulary import FIRST_FREE
from headway.kernel import kernel

CLAUSE_ATOMS = ("since", "until", "verbs", "opener")
"""The names of the atoms, in the order of their columns."""

TOLD = ("AUX", "CCONJ", "PART", "PRON", "PUNCT", "SCONJ", "CONJ")
"""The coarse tags used in sets; with all tags there would be so many sets that models overfit small treebanks."""

_VERB = "VERB"
_JOINING = ("CCONJ", "SCONJ", "CONJ")
_MOST = 3
_RELATIVE = ("Rel", "Int")
_SINCE, _UNTIL, _VERBS, _OPENER = range(len(CLAUSE_ATOMS))


@dataclass(frozen=True)
class Clauses:
    """The tags that mark clauses in a treebank; rare tags, which share one class, are ignored.

    Parameters
    ----------
    verbs : (TAG_CLASSES + 1,) bool
        Whether each tag class (see `Encoded.tags`) is a verb.
    joining : list of int
        The classes of conjunctions.
    bits : (TAG_CLASSES + 1,) int32
        The bit of each class in a set; 0 for classes that are not used in sets.
    """

    verbs: npt.NDArray[np.bool_]
    joining: list[int]
    bits: npt.NDArray[np.int32]

    @classmethod
    def find(cls, classes: Mapping[str, int], tag_map: Mapping[str, str]) -> "Clauses | None":
        """Find a treebank's clause tags, given each coarse tag's class and universal tag; None without verbs."""
        universal = {number: tag_map.get(tag, tag) for tag, number in classes.items() if number < TAG_CLASSES}
        if _VERB not in universal.values():
            return None
        verbs, bits = np.zeros(TAG_CLASSES + 1, dtype=np.bool_), np.zeros(TAG_CLASSES + 1, dtype=np.int32)
        for number, tag in universal.items():
            verbs[number] = tag == _VERB
            bits[number] = 1 << TOLD.index(tag) if tag in TOLD else 0
        return cls(verbs, [number for number, tag in universal.items() if tag in _JOINING], bits)

    def write(
        self,
        tags: npt.NDArray[np.int32],
        lemmas: npt.NDArray[np.int32],
        feats: Sequence[str],
        starts: npt.NDArray[np.int64],
        words: npt.NDArray[np.bool_],
        found: npt.NDArray[np.int32],
    ) -> None:
        """Write the atoms of every word into ``found`` (rows, 4), except for the roots' rows.

        Parameters
        ----------
        tags, starts
            As in `Encoded`.
        lemmas : (rows,) int32
            The atom of each word's lemma.
        feats : sequence of str
            The FEATS of each word, without roots.
        words : (rows,) bool
            Whether each row is a word.
        """
        opening = (tags[:, None] == self.joining).any(axis=1)
        opening[words] |= _are_relative(feats)
        _clause_kernel(tags, lemmas, opening, starts, self.verbs, self.bits, found)


def _are_relative(feats: Sequence[str]) -> npt.NDArray[np.bool_]:
    """(words,) Return whether each word is relative or interrogative."""
    is_relative = {text: _is_relative(text) for text in set(feats)}
    return np.array([is_relative[text] for text in feats], dtype=np.bool_)


def _is_relative(feats: str) -> bool:
    kinds = attributes(feats).get("PronType", "").split(",")
    return any(kind in kinds for kind in _RELATIVE)


@kernel
def _clause_kernel(
    tags: npt.NDArray[np.int32],
    lemmas: npt.NDArray[np.int32],
    opening: npt.NDArray[np.bool_],
    starts: npt.NDArray[np.int64],
    are_verbs: npt.NDArray[np.bool_],
    bits: npt.NDArray[np.int32],
    found: npt.NDArray[np.int32],
) -> None:
    for sentence in range(len(starts) - 1):
        begin, end = starts[sentence], starts[sentence + 1]
        since, verbs, opener = 0, 0, FIRST_FREE
        for word in range(begin + 1, end):
            found[word, _SINCE], found[word, _OPENER] = FIRST_FREE + since, opener
            found[word, _VERBS] = FIRST_FREE + min(verbs, _MOST)
            if are_verbs[tags[word]]:
                since, verbs, opener = 0, verbs + 1, FIRST_FREE
                continue
            since |= bits[tags[word]]
            if opening[word]:
                opener = FIRST_FREE + 1 + lemmas[word]
        until, verbs = 0, 0
        for word in range(end - 1, begin, -1):
            found[word, _UNTIL] = FIRST_FREE + until
            found[word, _VERBS] += (_MOST + 1) * min(verbs, _MOST)
            if are_verbs[tags[word]]:
                until, verbs = 0, verbs + 1
            else:
                until |= bits[tags[word]]
