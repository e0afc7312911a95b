"""Train joint scores: the conditional likelihood of one word's reading, given the tagger's readings of the others.

For each reading of a word, the parser finds a tree of the sentence. The readings whose tags and trees together have the
fewest errors are the good ones:

    maximise  Σ_words  log Σ_{r good} exp score(r, y_r) - log Σ_r exp score(r, y_r)

These are the conditional probabilities that a Gibbs move of the word would use if it chose among the parser's trees.
The readings and trees come from taggers and parsers that were trained without the sentence, so that they have errors as
in use. Updates by AdaGrad (Duchi, Hazan and Singer 2011), which adapts the rate of each weight. The cost is O(features)
per word and epoch.
"""

import numpy as np
import numpy.typing as npt

from headway.encoding import Encoder
from headway.joint.examples import SLOTS, Examples
from headway.joint.features import make_joint_plan
from headway.joint.scorer import JointWeights
from headway.kernel import kernel
from headway.scorers.rows import pack

_MOST_ROWS = 300_000
_RATE, _DENSE_RATE = 0.005, 0.05
_FIRST_DENSE = 0.1, 1.0
"""The initial weights of the tree and of the readings."""
_FIRST_SQUARE = 0.1
"""The initial sums of squares, which limit the first updates: an entry may have a hundred new features at once."""
_SMALL = 1e-4
"""Gradients smaller than this are ignored."""

FloatArray = npt.NDArray[np.float64]


def learn(
    examples: Examples, encoder: Encoder, *, epochs: int = 10, rate: float = _RATE, seed: int = 1
) -> JointWeights:
    """Train the weights of joint scores.

    Parameters
    ----------
    encoder : Encoder
        As for `headway.joint.examples.collect`.
    """
    table, squares = np.zeros(SLOTS), np.full(SLOTS, _FIRST_SQUARE)
    dense, dense_squares = np.array(_FIRST_DENSE), np.ones(2)
    generator = np.random.default_rng(seed)
    for _ in range(epochs):
        order = generator.permutation(len(examples.words) - 1)
        visit(order, examples, rate, table, squares, dense, dense_squares)
    tree, reading = np.maximum(dense, 0.0).tolist()
    rows = pack(table.astype(np.float32).reshape(-1, 1), most=_MOST_ROWS)
    return JointWeights(tree, reading, make_joint_plan(encoder), rows)


@kernel
def visit(
    order: npt.NDArray[np.int64],
    examples: Examples,
    rate: float,
    table: FloatArray,
    squares: FloatArray,
    dense: FloatArray,
    dense_squares: FloatArray,
) -> None:
    """Visit the words of `order` once.

    Parameters
    ----------
    table, dense : (slots,), (2,)
        The weights, which are updated in place.
    squares, dense_squares
        The sums of squared gradients.
    """
    for word in order:
        begin, end = examples.words[word], examples.words[word + 1]
        pushes = gradients(examples, begin, end, table, dense)
        for entry in range(begin, end):
            push = pushes[entry - begin]
            if abs(push) < _SMALL:
                continue
            for number in range(len(dense)):
                _step(dense, dense_squares, number, push * examples.dense[entry, number], _DENSE_RATE)
            for place in range(examples.features[entry], examples.features[entry + 1]):
                _step(table, squares, examples.slots[place], push * examples.values[place], rate)


@kernel
def gradients(examples: Examples, begin: int, end: int, table: FloatArray, dense: FloatArray) -> FloatArray:
    """(entries,) Return the derivatives of a word's log likelihood by the scores of its readings."""
    scores = np.zeros(end - begin)
    for entry in range(begin, end):
        total = 0.0
        for number in range(len(dense)):
            total += dense[number] * examples.dense[entry, number]
        for place in range(examples.features[entry], examples.features[entry + 1]):
            total += table[examples.slots[place]] * examples.values[place]
        scores[entry - begin] = total
    highest, highest_good = scores.max(), -np.inf
    for entry in range(begin, end):
        if examples.good[entry]:
            highest_good = max(highest_good, scores[entry - begin])
    chances, wanted = np.exp(scores - highest), np.zeros(end - begin)
    for entry in range(begin, end):
        if examples.good[entry]:
            wanted[entry - begin] = np.exp(scores[entry - begin] - highest_good)
    found: FloatArray = wanted / wanted.sum() - chances / chances.sum()
    return found


@kernel
def _step(weights: FloatArray, squares: FloatArray, place: int, gradient: float, rate: float) -> None:
    if gradient != 0.0:
        squares[place] += gradient * gradient
        weights[place] += rate * gradient / np.sqrt(squares[place])
