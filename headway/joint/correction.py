"""Correct tags after parsing: find the readings of words and the tree with the highest joint score, by ascent.

Zhang et al. (2014), "Steps to excellence", section 3.4. The search starts with the tagger's readings. In every round,
it changes the reading of one word at a time and parses the sentence again. Of the changes that raise the joint score
(`headway.joint.scorer`), it keeps the best ones that are a few words apart, or the best one alone if that scores more.
It ends when no change raises the score. Readings that lower the score too much are not tried again.

Cost: the parser is run once for every alternative reading that is promising with the first tree, and again for those
that still are in each later round. `headway.joint.gibbs` samples from the distribution defined by the same score.
"""

from collections.abc import Mapping, Sequence
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
"""The maximum number of rounds."""
_APART = 4
"""Words whose readings change in the same round are at least so many words apart."""
_HOPELESS = 1.0
"""The default of `hopeless` in `choose_readings`."""
_LONG = 40
"""In sentences of more words, `hopeless` falls in proportion: with twice the words it is half as large."""
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
        is not tried again in later rounds if it lowered the score by more than this with a new tree. In long sentences
        it is smaller, because they have many readings to try, and parsing takes longer.
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
        scores = _scored(model, weights, lattices, states, threads)
        gains = {sentence: found[1:] - found[0] for sentence, found in scores.items()}
        better = {sentence: _apart(changes, gains[sentence]) for sentence, changes in alternatives.items()}
        together = {
            sentence: [_changed(chosen[sentence], changes)] for sentence, changes in better.items() if len(changes) > 1
        }
        worse = [
            sentence
            for sentence, [score] in _scored(model, weights, lattices, together, threads).items()
            if not score > scores[sentence].max()
        ]
        for sentence in worse:
            better[sentence] = better[sentence][:1]
        for sentence, changes in better.items():
            old, chosen[sentence] = chosen[sentence], _changed(chosen[sentence], changes)
            left = [
                pair
                for pair, gain in zip(alternatives[sentence], gains[sentence], strict=True)
                if gain > -_limit(hopeless, lattices[sentence]) and pair not in changes
            ]
            alternatives[sentence] = [*left, *((word, old[word]) for word, _ in changes)] if changes else []
    return chosen


def _scored(
    model: TrainedModel,
    weights: JointWeights,
    lattices: Sequence[Lattice],
    states: Mapping[int, Sequence[tuple[int, ...]]],
    threads: Threads | None,
) -> dict[int, npt.NDArray[np.float64]]:
    """Return the joint scores of some states of each sentence, each with the parser's tree."""
    choices = [lattices[sentence].choose(state) for sentence, tried in states.items() for state in tried]
    if not choices:
        return {}
    scores = joint_scores(weights, choices, *best_trees(model, choices, threads=threads))
    ends = np.cumsum([len(tried) for tried in states.values()])[:-1]
    return dict(zip(states, np.split(scores, ends), strict=True))


def _changed(chosen: tuple[int, ...], changes: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Return a choice of readings after several changes."""
    for word, reading in changes:
        chosen = change(chosen, word, reading)
    return chosen


def _apart(changes: Sequence[tuple[int, int]], gains: npt.NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return the changes with the largest gains whose words are `_APART` from each other, the best one first."""
    kept: list[tuple[int, int]] = []
    for number in np.argsort(-gains, kind="stable").tolist():
        if not gains[number] > _LEAST_GAIN:
            break
        if all(abs(changes[number][0] - word) >= _APART for word, _ in kept):
            kept.append(changes[number])
    return kept


def _limit(hopeless: float, lattice: Lattice) -> float:
    """Return by how much a reading may lower the score of this sentence."""
    return hopeless * min(1.0, _LONG / max(1, len(lattice.forms)))


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
        limit = _limit(hopeless, lattices[sentence])
        hopeful[sentence] = [pair for pair, gain in zip(changes, gains, strict=True) if gain > -limit]
    return hopeful
