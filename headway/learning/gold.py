"""Training data: check sentences with gold trees and encode them as arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence, nonprojective_arcs, tree_problems
from headway.encoding import Encoded, Encoder
from headway.errors import CorpusError, TreeError
from headway.search.pieces import LONG
from headway.search.projective_approximation import best_projective


@dataclass(frozen=True)
class GoldTrees:
    """Encoded sentences and their trees.

    Parameters
    ----------
    heads, labels : (rows,) int32
        One entry for each row of `encoded`; -1 for roots, and for labels that the model does not know.
    """

    encoded: Encoded
    heads: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.encoded)

    def several_roots(self, sentences: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """(some,) Return whether the trees of these sentences have several roots."""
        starts = self.encoded.starts
        return np.array([np.count_nonzero(self.heads[starts[one] : starts[one + 1]] == 0) > 1 for one in sentences])


def check_gold(sentences: Sequence[Sentence], purpose: str) -> None:
    """Raise an error for data that cannot be used for training: missing heads, cycles, or no sentences.

    Several roots are accepted, because old treebanks have a few such trees.
    """
    if not sentences:
        raise TreeError(f"there is no sentence to {purpose}")
    for sentence in sentences:
        problem = next(tree_problems(sentence.heads, single_root=False), None)
        if problem:
            raise CorpusError(f"not a valid tree: {problem}", path=sentence.path, line=sentence.line)


def without_long(sentences: Sequence[Sentence], purpose: str, note: Callable[[str], None]) -> list[Sentence]:
    """Drop sentences that are so long that parsers search them in pieces: searching them whole takes too much memory.

    Parameters
    ----------
    note : callable
        Called with a message about each dropped sentence.
    """
    short_enough = []
    for sentence in sentences:
        if len(sentence) <= LONG:
            short_enough.append(sentence)
            continue
        place = f"{sentence.path}:{sentence.line}"
        note(f"{place}: left out: a sentence of {len(sentence):,} words is too long to {purpose} (limit: {LONG})")
    if not short_enough:
        raise TreeError(f"there is no sentence of at most {LONG} words to {purpose}")
    return short_enough


def gold_trees(sentences: Sequence[Sentence], encoder: Encoder, labels: Sequence[str]) -> GoldTrees:
    """Encode sentences and their trees; labels that are not in `labels` become -1."""
    encoded = encoder.encode(sentences)
    number = {label: index for index, label in enumerate(labels)}
    heads = np.full(len(encoded.atoms), -1, dtype=np.int32)
    names = np.full(len(encoded.atoms), -1, dtype=np.int32)
    for sentence, start, end in zip(sentences, encoded.starts[:-1], encoded.starts[1:], strict=True):
        heads[start + 1 : end] = sentence.heads
        names[start + 1 : end] = [number.get(label, -1) for label in sentence.labels]
    return GoldTrees(encoded, heads, names)


def joined_roots(gold: GoldTrees) -> GoldTrees:
    """Attach all roots of a sentence but the first one to the first one; labels are unchanged."""
    heads = gold.heads.copy()
    for start, end in zip(gold.encoded.starts[:-1], gold.encoded.starts[1:], strict=True):
        roots = np.flatnonzero(heads[start:end] == 0)
        heads[start + roots[1:]] = roots[0]
    return replace(gold, heads=heads)


def projective_gold(gold: GoldTrees) -> GoldTrees:
    """Replace each tree by the projective tree that shares most arcs with it; labels are unchanged."""
    heads = gold.heads.copy()
    for start, end in zip(gold.encoded.starts[:-1], gold.encoded.starts[1:], strict=True):
        tree = heads[start + 1 : end].tolist()
        if any(nonprojective_arcs(tree)):
            heads[start + 1 : end] = best_projective(tree)
    return replace(gold, heads=heads)


def nonprojective_share(sentences: Sequence[Sentence]) -> float:
    """Return the share of arcs that are not projective."""
    crossing = sum(sum(nonprojective_arcs(sentence.heads)) for sentence in sentences)
    return crossing / max(1, sum(map(len, sentences)))
