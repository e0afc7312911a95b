"""Correct tags after parsing: search the best readings and tree together, by steepest ascent over readings.

Zhang et al. (2014), "Steps to excellence", section 3.4. The search starts with the tagger's readings. It tries every
change of the reading of one word, with the parser's tree for it, and keeps the change with the highest joint score
(`headway.joint.scorer`). This is repeated with the readings that may still gain until there is no improvement. The
score never falls.

Cost: the parser is run once for every alternative reading that is not hopeless given the first tree, and again for a
few of them whenever another word has changed.
`headway.joint.gibbs` samples from the distribution defined by the same score.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.joint.features import make_joint_plan
from headway.joint.reading import read_lattices
from headway.joint.scorer import JointWeights, best_trees, joint_scores
from headway.joint.states import Lattice, change
from headway.model import TrainedModel, rows_of
from headway.scorers.rows import row_tensors
from headway.support.schema import check_array
from headway.support.threads import Threads
from headway.tagging.words import WordModel

_ROUNDS = 8
"""The maximum number of words of a sentence whose readings change."""
_HOPELESS = 1.0
_LEAST_GAIN = 1e-6
"""The minimum gain of an improvement: more than rounding errors."""


@dataclass(frozen=True)
class Corrector:
    """Corrects tags, features and lemmas after parsing.

    Parameters
    ----------
    pays : bool
        Whether it improved both tags and heads on the dev set; if so, it is used by default.
    """

    weights: JointWeights
    pays: bool = False

    def tag(self, words: WordModel, model: TrainedModel, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Predict tags, features and lemmas of all words, ignoring existing ones."""
        lattices = read_lattices(words, sentences)
        chosen = choose_readings(model, self.weights, lattices)
        return [lattice.tagged(numbers) for lattice, numbers in zip(lattices, chosen, strict=True)]

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return the corrector as arrays of a model file."""
        return {
            **row_tensors("joint", self.weights.rows),
            "joint_scales": np.array([self.weights.tree, self.weights.reading]),
            "joint_pays": np.array([self.pays], dtype=np.int8),
        }

    @classmethod
    def from_tensors(cls, encoder: Encoder, tensors: dict[str, npt.NDArray[Any]]) -> "Corrector":
        """Read the arrays of `tensors`; ValueError if they are not valid."""
        tree, reading = check_array(tensors, "joint_scales", np.float64, (2,), (0.0, 1e6)).tolist()
        pays = bool(check_array(tensors, "joint_pays", np.int8, (1,), (0, 1))[0])
        return cls(JointWeights(tree, reading, make_joint_plan(encoder), rows_of("joint", tensors, 1)), pays)


def choose_readings(
    model: TrainedModel,
    weights: JointWeights,
    lattices: Sequence[Lattice],
    *,
    hopeless: float = _HOPELESS,
    threads: Threads | None = None,
) -> list[tuple[int, ...]]:
    """Choose the reading of each word of each sentence, as an index.

    Parameters
    ----------
    hopeless : float
        A reading is not tried if, with the tree of the first readings, the score would fall by more than this. It is
        not tried again after other words have changed if the score fell by more than this even with a new tree.
    """
    chosen = [(0,) * len(lattice.readings) for lattice in lattices]
    left = _hopeful(model, weights, lattices, hopeless, threads)
    for _ in range(_ROUNDS):
        left = {place: others for place, others in left.items() if others}
        if not left:
            break
        states = {
            place: [chosen[place], *(change(chosen[place], *other) for other in others)]
            for place, others in left.items()
        }
        choices = [lattices[place].choose(numbers) for place, some in states.items() for numbers in some]
        scores = joint_scores(weights, choices, *best_trees(model, choices, threads=threads))
        first = 0
        for place, some in states.items():
            gains = scores[first : first + len(some)] - scores[first]
            gains[np.isnan(gains)] = -np.inf
            first += len(some)
            best = int(np.argmax(gains))
            if gains[best] > _LEAST_GAIN:
                word = left[place][best - 1][0]
                left[place] = [
                    other
                    for number, (other, gain) in enumerate(zip(left[place], gains[1:], strict=True), start=1)
                    if number != best and gain > -hopeless
                ]
                left[place].append((word, chosen[place][word]))
                chosen[place] = some[best]
            else:
                left[place] = []
    return chosen


def _hopeful(
    model: TrainedModel,
    weights: JointWeights,
    lattices: Sequence[Lattice],
    hopeless: float,
    threads: Threads | None,
) -> dict[int, list[tuple[int, int]]]:
    """Return the readings of each sentence that are not hopeless, as pairs (word, reading)."""
    others = {place: lattice.others() for place, lattice in enumerate(lattices) if lattice.others()}
    if hopeless == np.inf or not others:
        return others
    firsts = {place: (0,) * len(lattices[place].forms) for place in others}
    _, parses = best_trees(model, [lattices[place].choose(first) for place, first in firsts.items()], threads=threads)
    choices, trees = [], []
    for (place, first), parse in zip(firsts.items(), parses, strict=True):
        states = [first, *(change(first, *other) for other in others[place])]
        choices += [lattices[place].choose(one) for one in states]
        trees += [parse] * len(states)
    scores = joint_scores(weights, choices, model.encoder.encode(choices), trees)
    found, begin = {}, 0
    for place, some in others.items():
        gains = scores[begin + 1 : begin + 1 + len(some)] - scores[begin]
        begin += 1 + len(some)
        found[place] = [other for other, gain in zip(some, gains, strict=True) if gain > -hopeless]
    return found
