"""Calibrate the probabilities of arcs and trees by regressions on the dev set, in addition to the temperature.

A single temperature calibrates arcs only on average; for some word classes, the probabilities are still far off (final
full stops are nearly always right, although they have many rival heads). So the probability p of an arc of the best
tree is replaced by

    q = sigmoid(w · (logit p, 1, p, log p - log p', log n, log(1 + distance), logit h, h)
                + a[c] + b[c] logit p + d[c] logit h)

where p' is the probability of the second-best head, n the number of words, h the probability of the head's own arc (a
final full stop is usually wrong if the root is), and c the class of the word's tag, with an additional class for the
last word of a sentence. The other heads of the word share 1 - q in proportion. The probability that the whole tree is
right is

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
"""The numbers of weights for arcs (those shared by all classes come first) and for trees."""

_LEAST = 1e-6
"""Probabilities are clipped to this and to 1 minus this, so that their log odds are finite."""


class Calibrator(NamedTuple):
    """The weights of both regressions.

    Parameters
    ----------
    arcs : (ARC_WEIGHTS,) float64
        The weights w, a, b and d, in this order.
    trees : (TREE_WEIGHTS,) float64
        The weights v.
    """

    arcs: Floats
    trees: Floats

    def arc_probabilities(self, chances: Floats, others: Floats, heads: IntArray, tags: IntArray) -> Floats:
        """(n,) Return the probability that each arc of a tree is right; see `arc_inputs`."""
        return sigmoid(arc_inputs(chances, others, heads, tags) @ self.arcs)

    def tree_probability(self, arcs: Floats) -> float:
        """Return the probability that a tree is right.

        Parameters
        ----------
        arcs : (n,) float64
            The probability that each of its arcs is right.
        """
        return min(float(arcs.min(initial=1.0)), float(sigmoid(tree_inputs(arcs) @ self.trees)))


def arc_inputs(chances: Floats, others: Floats, heads: IntArray, tags: IntArray) -> Floats:
    """(n, ARC_WEIGHTS) Return the inputs of the regression for each arc.

    Parameters
    ----------
    chances, others : (n,) float64
        The probabilities of each word's head in the tree, and of the second-best head.
    heads, tags : (n + 1,) int32
        The tree, and the classes of tags as in `Encoded`.
    """
    words = np.arange(1, len(heads))
    inputs, log_odds = np.zeros((len(words), ARC_WEIGHTS)), logit(chances)
    classes = np.clip(tags[1:], 0, TAG_CLASSES)
    classes[-1:] = _LAST_WORD
    inputs[:, 0], inputs[:, 1], inputs[:, 2] = log_odds, 1.0, chances
    inputs[:, 3] = np.log(np.maximum(chances, _LEAST)) - np.log(np.maximum(others, _LEAST))
    inputs[:, 4] = np.log(len(words)) if len(words) else 0.0
    inputs[:, 5] = np.log1p(np.abs(heads[1:] - words))
    # The arc into the head: it has no probability if the head is the root or in another piece.
    above = np.concatenate([[np.nan], chances])[heads[1:]]
    has_probability = ~np.isnan(above)
    inputs[:, 6], inputs[:, 7] = np.where(has_probability, logit(above), 0.0), np.where(has_probability, above, 1.0)
    inputs[words - 1, SHARED_WEIGHTS + classes] = 1.0
    inputs[words - 1, SHARED_WEIGHTS + _CLASSES + classes] = log_odds
    inputs[words - 1, SHARED_WEIGHTS + 2 * _CLASSES + classes] = inputs[:, 6]
    return inputs


def tree_inputs(arcs: Floats) -> Floats:
    """(TREE_WEIGHTS,) Return the inputs of the regression for a tree, from the probabilities of its arcs."""
    product = np.exp(np.log(np.maximum(arcs, _LEAST)).sum())
    return np.array([logit(product), logit(arcs.min(initial=1.0)), 1.0])


def logit(chances: npt.ArrayLike) -> Floats:
    """Return the log odds of probabilities; 0 and 1 are clipped to finite values."""
    kept = np.clip(chances, _LEAST, 1.0 - _LEAST)
    return np.asarray(np.log(kept) - np.log1p(-kept))


def sigmoid(values: npt.ArrayLike) -> Floats:
    """Return the probabilities with these log odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -50.0, 50.0))))


def make_calibrator(arcs: Sequence[float], trees: Sequence[float]) -> Calibrator:
    """Return a calibrator with these weights; ValueError if their number is wrong or one is not finite."""
    calibrator = Calibrator(np.array(arcs, dtype=np.float64), np.array(trees, dtype=np.float64))
    if (calibrator.arcs.shape, calibrator.trees.shape) != ((ARC_WEIGHTS,), (TREE_WEIGHTS,)):
        raise ValueError("calibration weights")
    if not all(np.isfinite(weights).all() for weights in calibrator):
        raise ValueError("calibration weights")
    return calibrator


UNCALIBRATED = Calibrator(np.eye(1, ARC_WEIGHTS)[0], np.array([0.6, 0.0, 0.4]))
"""The calibrator of a model without a dev set: it keeps the probabilities at the model's temperature."""
