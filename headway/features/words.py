"""The features of single words, for scores that are products of word projections.

Templates have one role, ``w``. A word has one feature per template and a bias feature, each with value 1. A feature has
a row in the tables if it is frequent enough in training; other features are ignored, so that they neither collide with
useful features nor cause overfitting. Row 0 is that of the bias feature.

Reference: Lei et al. 2014 (low-rank tensors), Sections 3 and 5. Cost: one look-up per template and word.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoded
from headway.encoding.atoms import VECTOR
from headway.features.hashing import HashPlan, make_plan, role_hashes
from headway.features.templates import Template
from headway.kernel import kernel

WORD_TEMPLATES = """
w.form
w-1.form
w+1.form
w.lemma
w-1.lemma
w+1.lemma
w.upos
w-1.upos
w+1.upos
w.xpos
w-1.xpos
w+1.xpos
w-1.upos w.upos
w.upos w+1.upos
w-1.upos w.upos w+1.upos
w.lemma w.upos
w.feats
w.upos w.feats
w.morph*
w.suffix2
w.suffix3
w.upos w.suffix3
"""
"""The default list."""

CLAUSE_WORD_TEMPLATES = """
w.opener
w.upos w.opener
w.upos w.since
w.upos w.until
w.upos w.verbs
"""
"""Templates for the clause of a word."""

SLOTS = 1 << 20
"""The number of slots into which features are hashed before frequent ones get rows."""


class WordPlan(NamedTuple):
    """The compiled word templates, and the rows of their features.

    Parameters
    ----------
    hashes : HashPlan
        The templates, with the single role ``w``.
    row_of_slot : (slots,) int32
        The row of each slot; 0 for slots without a row.
    vector_atom : int
        The atom that holds the number of a word's vector.
    vectors, scales : (vectors, D) int8, (D,) float32
        As in `WordVectors`; D is 0 if there are none. Each dimension is a feature, whose row is after those of the
        templates and whose value is the number in the vector.
    """

    hashes: HashPlan
    row_of_slot: npt.NDArray[np.int32]
    vector_atom: int
    vectors: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]


class WordFeatures(NamedTuple):
    """The features of the words of one sentence.

    Parameters
    ----------
    rows : (n + 2, templates + 1) int32
        The rows of each word's features, `counts` of them in each line; line n + 1 is "no such word".
    counts : (n + 2,) int32
    vectors : (n + 2, D) float32
    """

    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]
    vectors: npt.NDArray[np.float32]


_NO_VECTORS = 0, np.zeros((1, 0), dtype=np.int8), np.zeros(0, dtype=np.float32)
NO_WORDS = WordPlan(make_plan([], roles=("w",), atoms=[]), np.zeros(1, dtype=np.int32), *_NO_VECTORS)
"""A plan without templates: words only have the bias feature."""


def make_word_plan(
    templates: Sequence[Template],
    *,
    atoms: Sequence[str],
    kept: npt.NDArray[np.int32],
    vectors: tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]] | None = None,
) -> WordPlan:
    """Compile word templates.

    Parameters
    ----------
    templates : sequence of Template
        From `read_templates`, with the single role ``w``.
    kept : (rows - 1,) int32
        The slots that have a row, in the order of their rows, as returned by `frequent_slots`.
    vectors : (vectors, D) int8 and (D,) float32, optional
        The vectors of words, as in `WordVectors`.
    """
    row_of_slot = np.zeros(SLOTS, dtype=np.int32)
    row_of_slot[kept] = np.arange(1, len(kept) + 1)
    vector_arrays = _NO_VECTORS if vectors is None else (list(atoms).index(VECTOR), *vectors)
    return WordPlan(make_plan(templates, roles=("w",), atoms=atoms), row_of_slot, *vector_arrays)


def kept_slots(plan: WordPlan) -> npt.NDArray[np.int32]:
    """(rows - 1,) Return the slots that have a row, as given to `make_word_plan`."""
    slots = np.flatnonzero(plan.row_of_slot)
    return slots[np.argsort(plan.row_of_slot[slots])].astype(np.int32)


def table_rows(plan: WordPlan) -> int:
    """Return the number of rows of a table for these features."""
    return int(plan.row_of_slot.max()) + 1 + len(plan.scales)


def frequent_slots(
    encoded: Encoded, templates: Sequence[Template], *, atoms: Sequence[str], least: int, most: int
) -> npt.NDArray[np.int32]:
    """(kept,) Return the sorted slots of features that occur `least` times; only the most frequent, if over `most`."""
    counts = np.zeros(SLOTS, dtype=np.int64)
    _count_slots(encoded.atoms, encoded.starts, make_plan(templates, roles=("w",), atoms=atoms), counts)
    if np.count_nonzero(counts >= least) > most:
        least = int(np.partition(counts, -most - 1)[-most - 1]) + 1
    return np.flatnonzero(counts >= least).astype(np.int32)


@kernel
def _count_slots(
    atoms: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    plan: HashPlan,
    counts: npt.NDArray[np.int64],
) -> None:
    for sentence in range(len(starts) - 1):
        hashes = role_hashes(atoms[starts[sentence] : starts[sentence + 1]], plan)[0]
        for word in range(hashes.shape[0] - 1):
            for template in range(hashes.shape[1]):
                counts[hashes[word, template] % np.uint32(len(counts))] += 1


@kernel
def word_rows(atoms: npt.NDArray[np.int32], plan: WordPlan) -> npt.NDArray[np.int32]:
    """(n + 2, templates) Return the row of every feature of every word, 0 for none; ``atoms`` is (n + 1, atoms)."""
    hashes = role_hashes(atoms, plan.hashes)[0]
    rows = np.empty(hashes.shape, dtype=np.int32)
    slots = np.uint32(len(plan.row_of_slot))
    for word in range(rows.shape[0]):
        for template in range(rows.shape[1]):
            rows[word, template] = plan.row_of_slot[hashes[word, template] % slots]
    return rows


@kernel
def word_features(atoms: npt.NDArray[np.int32], plan: WordPlan) -> WordFeatures:
    """Return the features of every word of a sentence: ``atoms`` (n + 1, atoms)."""
    found = word_rows(atoms, plan)
    words, templates = found.shape
    rows = np.zeros((words, templates + 1), dtype=np.int32)
    counts = np.ones(words, dtype=np.int32)
    for word in range(words):
        for template in range(templates):
            if found[word, template] != 0:
                rows[word, counts[word]] = found[word, template]
                counts[word] += 1
    vectors = np.zeros((words, plan.vectors.shape[1]), dtype=np.float32)
    for word in range(atoms.shape[0]):
        vector = plan.vectors[atoms[word, plan.vector_atom]] if vectors.shape[1] > 0 else plan.vectors[0]
        for place in range(vectors.shape[1]):
            vectors[word, place] = vector[place] * plan.scales[place]
    return WordFeatures(rows, counts, vectors)
