"""Compute probabilities of arcs and whole trees from a search, a temperature and a calibrator.

If the decoder has marginals, a tree of score s has probability exp(s / T) / Z(T), and an arc the sum over the trees
that have it. Otherwise the tree is compared with the trees in which one word has another head. A calibrator
(`headway.search.calibrator`) then corrects the probabilities of the best tree and its arcs; all others share the
rest, in proportion. So no tree is more probable than its least probable arc, and the probabilities of different trees
sum to 1 at most. In a tree that was searched in pieces (`headway.search.long_sentences`), only arcs inside pieces
have probabilities.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Union

import numpy as np
import numpy.typing as npt

from headway.parts import Parse
from headway.parts.candidate_batch import IntArray
from headway.search.calibrator import Calibrator

if TYPE_CHECKING:
    from headway.search.long_sentences import PieceChances

Floats = npt.NDArray[np.float64]

_NOTHING = 1e-9
"""If all other heads of a word together are less probable than this, they are ignored."""

_LEAST = 1e-6
"""The rounding error up to which the probabilities of a list of trees may sum to more than 1."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """The probabilities of one tree.

    Parameters
    ----------
    chances : (n,) float64
        The probability of each word's head; NaN if unknown.
    seconds, others : (n,) int64, (n,) float64
        The most probable other head and its probability; 0.0 if there is no other.
    """

    chances: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.int64]
    others: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Chances:
    """The probabilities of arcs at one temperature.

    Parameters
    ----------
    arcs : (n + 1, n + 1) float64
        [head, modifier]
    log_partition : float, optional
        The logarithm of Z, if the decoder has marginals.
    """

    arcs: npt.NDArray[np.float64]
    log_partition: float | None = None

    @property
    def length(self) -> int:
        """The number of words, n."""
        return len(self.arcs) - 1

    def judge(self, heads: IntArray) -> Judgement:
        """Return the probabilities of a tree's arcs and of the second-best heads.

        Parameters
        ----------
        heads : (n + 1,) int32
        """
        words = np.arange(1, len(heads))
        rest = self.arcs.copy()
        rest[heads[1:], words] = rest[words, words] = -1.0
        seconds = rest[:, 1:].argmax(axis=0)
        return Judgement(self.arcs[heads[1:], words], seconds, np.maximum(0.0, rest[seconds, words]))


Curve = Callable[[float], Union[Chances, "PieceChances"]]
"""Probabilities as a function of the temperature."""


@dataclass(frozen=True, eq=False)
class Confidence:
    """The calibrated probabilities of a sentence's trees and arcs.

    Parameters
    ----------
    chances
        The probabilities of arcs at the search's temperature.
    best : Parse
        The best tree; of a list of trees, the first.
    tags : (n + 1,) int32
        Classes of tags, as in `Encoded`.
    """

    chances: "Chances | PieceChances"
    best: Parse
    tags: IntArray
    calibrator: Calibrator
    temperature: float

    @cached_property
    def _scales(self) -> tuple[Floats, Floats]:
        """(n,), (n,) The probability of each arc of the best tree, and the factor for each word's other arcs."""
        raw = self.chances.judge(self.best.heads)
        chances, rest = np.clip(raw.chances, 0.0, 1.0), 1.0 - raw.chances  # marginals have rounding errors
        rivals = rest > _NOTHING  # a word without another head needs no correction
        chances[rivals] = self.calibrator.arc_probabilities(raw.chances, raw.others, self.best.heads, self.tags)[rivals]
        return chances, np.where(rivals, (1.0 - chances) / np.maximum(rest, _NOTHING), 1.0)

    def judge(self, heads: IntArray) -> Judgement:
        """Return the probabilities of a tree's arcs and of the second-best heads.

        Parameters
        ----------
        heads : (n + 1,) int32
        """
        raw, (chances, scale), best = self.chances.judge(heads), self._scales, self.best.heads[1:]
        others = np.minimum(1.0 - chances, raw.others * scale)
        return Judgement(
            np.where(heads[1:] == best, chances, np.minimum(1.0 - chances, raw.chances * scale)),
            raw.seconds,
            np.where(raw.seconds == best, chances, others),
        )

    def tree(self, parse: Parse) -> float | None:
        """Return the probability that a tree is right; None if unknown.

        It is unknown if the tree was searched in pieces or scores are NaN; for trees other than the best one, also if
        the decoder has no marginals.
        """
        arcs, chances = self.judge(parse.heads).chances, self.chances
        if not isinstance(chances, Chances) or np.isnan(arcs).any():
            return None
        first = self.calibrator.tree_probability(self._scales[0])
        if (parse.heads == self.best.heads).all():
            return first
        if chances.log_partition is None:
            return None
        raw = [
            np.exp(min(0.0, tree_parse.score / self.temperature - chances.log_partition))
            for tree_parse in (self.best, parse)
        ]
        rest = (1.0 - first) * raw[1] / max(1.0 - raw[0], _LEAST)
        return min(float(arcs.min(initial=1.0)), float(rest))

    @property
    def arcs(self) -> Floats:
        """(n + 1, n + 1) [head, modifier] The probability of each arc."""
        table, words = self.chances.arcs.copy(), np.arange(1, len(self.best.heads))
        chances, scale = self._scales
        known = ~np.isnan(chances)  # arcs between pieces are unknown
        table[:, 1:] = np.where(known, np.minimum(1.0 - chances, table[:, 1:] * scale), table[:, 1:])
        table[self.best.heads[1:][known], words[known]] = chances[known]
        return table
