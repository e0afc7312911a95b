"""Calibration beyond temperature: how often arcs and trees like these were right on the dev set.

One temperature makes arcs honest on average; arcs of some classes of words stay far off (final full stops are nearly
always right, and have many rivals). So the probability p of an arc of the tree that was found is replaced by

    q = sigmoid(w · (logit p, 1, p, log p - log p', log n, log(1 + distance), logit h, h)
                + a[c] + b[c] logit p + d[c] logit h)

where p' is the probability of the second-best head, n the number of words, h the probability of the head's own arc (a
final full stop is wrong mostly where the root is), and c the class of the word's tag, or one class more for the last
word of a sentence. The other heads of the word share 1 - q in proportion. The probability that
the whole tree is right is

    sigmoid(v · (logit of the product of all q, logit of the least q, 1)), but at most the least q.

Both are logistic regressions on the dev set (`headway.learning.calibration`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.encoding.atoms import TAG_CLASSES
from headway.parts.candidate_batch import IntArray

Floats = npt.NDArray[np.float64]

SHARED_WEIGHTS = 8
_CLASSES = TAG_CLASSES + 2
_LAST_WORD = _CLASSES - 1
ARC_WEIGHTS, TREE_WEIGHTS = SHARED_WEIGHTS + 3 * _CLASSES, 3
"""How many numbers calibrate arcs, those for all classes of words first, and trees."""

_LEAST = 1e-6


class Calibrator(NamedTuple):
    """The weights of both regressions.

    Parameters
    ----------
    arcs : (ARC_WEIGHTS,) float64
        w, then a, then b, then d.
    trees : (TREE_WEIGHTS,) float64
        v.
    """

    arcs: Floats
    trees: Floats

    def arc_chances(self, chances: Floats, others: Floats, heads: IntArray, tags: IntArray) -> Floats:
        """(n,) Return how probable it is that each arc of a tree is right; see `arc_traits`."""
        return sigmoid(arc_traits(chances, others, heads, tags) @ self.arcs)

    def tree_chance(self, arcs: Floats) -> float:
        """Return how probable it is that a tree is right.

        Parameters
        ----------
        arcs : (n,) float64
            How probable it is that each of its arcs is.
        """
        return min(float(arcs.min(initial=1.0)), float(sigmoid(tree_traits(arcs) @ self.trees)))


def arc_traits(chances: Floats, others: Floats, heads: IntArray, tags: IntArray) -> Floats:
    """(n, ARC_WEIGHTS) Return what the probability of each arc is judged by.

    Parameters
    ----------
    chances, others : (n,) float64
        The probabilities of each word's head in the tree, and of the second-best head.
    heads, tags : (n + 1,) int32
        The tree, and the classes of tags as in `Encoded`.
    """
    words = np.arange(1, len(heads))
    traits, certainty = np.zeros((len(words), ARC_WEIGHTS)), logit(chances)
    classes = np.clip(tags[1:], 0, TAG_CLASSES)
    classes[-1:] = _LAST_WORD
    traits[:, 0], traits[:, 1], traits[:, 2] = certainty, 1.0, chances
    traits[:, 3] = np.log(np.maximum(chances, _LEAST)) - np.log(np.maximum(others, _LEAST))
    traits[:, 4] = np.log(len(words)) if len(words) else 0.0
    traits[:, 5] = np.log1p(np.abs(heads[1:] - words))
    # Of the head's own arc; nothing is to be known of the root, nor of heads whose head is in another piece.
    above = np.concatenate([[np.nan], chances])[heads[1:]]
    known = ~np.isnan(above)
    traits[:, 6], traits[:, 7] = np.where(known, logit(above), 0.0), np.where(known, above, 1.0)
    traits[words - 1, SHARED_WEIGHTS + classes] = 1.0
    traits[words - 1, SHARED_WEIGHTS + _CLASSES + classes] = certainty
    traits[words - 1, SHARED_WEIGHTS + 2 * _CLASSES + classes] = traits[:, 6]
    return traits


def tree_traits(arcs: Floats) -> Floats:
    """(TREE_WEIGHTS,) Return what the probability of a tree is judged by, from those of its arcs."""
    product = np.exp(np.log(np.maximum(arcs, _LEAST)).sum())
    return np.array([logit(product), logit(arcs.min(initial=1.0)), 1.0])


def logit(chances: npt.ArrayLike) -> Floats:
    """Return the log odds of probabilities, which are kept away from 0 and 1."""
    kept = np.clip(chances, _LEAST, 1.0 - _LEAST)
    return np.asarray(np.log(kept) - np.log1p(-kept))


def sigmoid(values: npt.ArrayLike) -> Floats:
    """Return the probabilities that have these log odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -50.0, 50.0))))


def make_calibrator(arcs: Sequence[float], trees: Sequence[float]) -> Calibrator:
    """Return the calibrator with these weights; ValueError if they are not so many, or not finite."""
    found = Calibrator(np.array(arcs, dtype=np.float64), np.array(trees, dtype=np.float64))
    if (found.arcs.shape, found.trees.shape) != ((ARC_WEIGHTS,), (TREE_WEIGHTS,)):
        raise ValueError("calibration")
    if not all(np.isfinite(weights).all() for weights in found):
        raise ValueError("calibration")
    return found


UNCALIBRATED = Calibrator(np.eye(1, ARC_WEIGHTS)[0], np.array([0.6, 0.0, 0.4]))
"""That of a model that had no dev set: arcs as the temperature leaves them."""
