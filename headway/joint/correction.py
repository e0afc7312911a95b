"""Correct tags after parsing: find the readings of words and the tree with the highest joint score, by steepest ascent.

Zhang et al. (2014), "Steps to excellence", section 3.4. The search starts with the tagger's readings. In every round,
it changes the reading of one word at a time, parses the sentence again, and keeps the change with the highest joint
score (`headway.joint.scorer`), until no change raises it. Readings that lower the score too much are not tried again.

Cost: the parser is run once for every alternative reading that is promising with the first tree, and again for those
that still are in each later round. `headway.joint.gibbs` samples from the distribution defined by the same score.
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
"""The maximum number of changes of readings in a sentence."""
_HOPELESS = 1.0
"""The default of `hopeless` in `choose_readings`."""
_LEAST_GAIN = 1e-6
"""The minimum gain of an improvement: more than rounding errors."""


@dataclass(frozen=True)
class Corrector:
    """Corrects tags, features and lemmas after parsing.

    Parameters
    ----------
    pays : bool
        Whether correction improved both tags and heads on the dev set; if so, it is used by default.
    """

    weights: JointWeights
    pays: bool = False

    def tag(self, words: WordModel, model: TrainedModel, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Predict tags, features and lemmas of all words, ignoring existing ones."""
        lattices = read_lattices(words, sentences)
        chosen = choose_readings(model, self.weights, lattices)
        return [lattice.tagged(numbers) for lattice, numbers in zip(lattices, chosen, strict=True)]

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that a model file stores for this corrector."""
        return {
            **row_tensors("joint", self.weights.rows),
            "joint_scales": np.array([self.weights.tree, self.weights.reading]),
            "joint_pays": np.array([self.pays], dtype=np.int8),
        }

    @classmethod
    def from_tensors(cls, encoder: Encoder, tensors: dict[str, npt.NDArray[Any]]) -> "Corrector":
        """Make a corrector from the arrays that `tensors` returned; ValueError if they are not valid."""
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
        A reading is not tried at all if it lowers the score by more than this with the tree of the first readings. It
        is not tried again in later rounds if it lowered the score by more than this with a new tree.
    """
    chosen = [(0,) * len(lattice.readings) for lattice in lattices]
    alternatives = _hopeful(model, weights, lattices, hopeless, threads)
    for _ in range(_ROUNDS):
        alternatives = {sentence: changes for sentence, changes in alternatives.items() if changes}
        if not alternatives:
            break
        states = {
            sentence: [chosen[sentence], *(change(chosen[sentence], word, reading) for word, reading in changes)]
            for sentence, changes in alternatives.items()
        }
        choices = [lattices[sentence].choose(state) for sentence, tried in states.items() for state in tried]
        scores = joint_scores(weights, choices, *best_trees(model, choices, threads=threads))
        first = 0
        for sentence, tried in states.items():
            gains = scores[first : first + len(tried)] - scores[first]
            gains[np.isnan(gains)] = -np.inf
            first += len(tried)
            best = int(np.argmax(gains))
            if gains[best] > _LEAST_GAIN:
                changes = alternatives[sentence]
                word = changes[best - 1][0]
                alternatives[sentence] = [
                    alternative
                    for number, (alternative, gain) in enumerate(zip(changes, gains[1:], strict=True), start=1)
                    if number != best and gain > -hopeless
                ]
                alternatives[sentence].append((word, chosen[sentence][word]))
                chosen[sentence] = tried[best]
            else:
                alternatives[sentence] = []
    return chosen


def _hopeful(
    model: TrainedModel,
    weights: JointWeights,
    lattices: Sequence[Lattice],
    hopeless: float,
    threads: Threads | None,
) -> dict[int, list[tuple[int, int]]]:
    """Return the readings of each sentence that are not hopeless with the first tree, as pairs (word, reading)."""
    alternatives = {sentence: lattice.others() for sentence, lattice in enumerate(lattices) if lattice.others()}
    if hopeless == np.inf or not alternatives:
        return alternatives
    firsts = {sentence: (0,) * len(lattices[sentence].forms) for sentence in alternatives}
    first_choices = [lattices[sentence].choose(first) for sentence, first in firsts.items()]
    _, parses = best_trees(model, first_choices, threads=threads)
    choices, trees = [], []
    for (sentence, first), parse in zip(firsts.items(), parses, strict=True):
        states = [first, *(change(first, word, reading) for word, reading in alternatives[sentence])]
        choices += [lattices[sentence].choose(state) for state in states]
        trees += [parse] * len(states)
    scores = joint_scores(weights, choices, model.encoder.encode(choices), trees)
    hopeful, begin = {}, 0
    for sentence, changes in alternatives.items():
        gains = scores[begin + 1 : begin + 1 + len(changes)] - scores[begin]
        begin += 1 + len(changes)
        hopeful[sentence] = [pair for pair, gain in zip(changes, gains, strict=True) if gain > -hopeless]
    return hopeful
