"""Decoding of trigram tag sequences: the best sequence (Viterbi) and tag probabilities (forward-backward).

A state is the last two tags. The cost is O(n t³) for t tags, and O(n a² t) if only a tags are possible for each word,
so that the emissions of the others are -inf. Both algorithms run over the same states.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel
from headway.kernel.arrays import copy_into, divide

Scores = npt.NDArray[np.float64]

_LEAST = 1e-300


class Transitions(NamedTuple):
    """The weights of a tag after one and after two previous tags.

    Parameters
    ----------
    pairs : (tags + 1, tags + 1) float32
        [previous tag, tag]; the index ``tags`` stands for the edge of the sentence.
    triples : (tags + 1, tags + 1, tags + 1) float32
        [tag before last, last tag, tag].
    """

    pairs: npt.NDArray[np.float32]
    triples: npt.NDArray[np.float32]


def no_transitions(tags: int) -> Transitions:
    """Return transition weights of zero."""
    size = tags + 1
    return Transitions(np.zeros((size, size), dtype=np.float32), np.zeros((size, size, size), dtype=np.float32))


@kernel
def best_tags(emissions: Scores, transitions: Transitions, scale: float, tags: npt.NDArray[np.int32]) -> None:
    """Write the best tags of a sentence.

    Parameters
    ----------
    emissions : (n, tags) float64
        The score of each tag for each word; -inf for impossible tags. Every word needs at least one possible tag.
    scale : float
        The factor of all transition weights.
    tags : (n,) int32, output
    """
    length, size = emissions.shape
    if length == 0:
        return
    edge = size
    values = np.full((size + 1, size + 1), -np.inf)  # [before, last]
    values[edge, edge] = 0.0
    back = np.zeros((length, size + 1, size + 1), dtype=np.int16)
    for place in range(length):
        fresh = np.full((size + 1, size + 1), -np.inf)
        first = edge if place == 0 else 0
        after = edge + 1 if place == 0 else size
        oldest = edge if place < 2 else 0
        oldest_after = edge + 1 if place < 2 else size
        for last in range(first, after):
            if place > 0 and emissions[place - 1, last] == -np.inf:
                continue
            row, links = fresh[last], back[place, last]
            for older in range(oldest, oldest_after):
                if values[older, last] == -np.inf:
                    continue
                for tag in range(size):  # without branches, so that it is vectorised
                    value = values[older, last] + scale * transitions.triples[older, last, tag]
                    links[tag] = older if value > row[tag] else links[tag]
                    row[tag] = value if value > row[tag] else row[tag]
            for tag in range(size):
                row[tag] += emissions[place, tag] + scale * transitions.pairs[last, tag]
        values = fresh
    best, last, tag = -np.inf, 0, 0
    for one in range(size + 1):
        for other in range(size):
            value = values[one, other]
            if value > -np.inf:
                value += scale * (transitions.triples[one, other, edge] + transitions.pairs[other, edge])
                if value > best:
                    best, last, tag = value, one, other
    for place in range(length - 1, -1, -1):
        tags[place] = tag
        older = back[place, last, tag]
        last, tag = older, last


class Steps(NamedTuple):
    """The exponentials of the weights of `Transitions`, stored in two orders so that inner loops run along rows.

    Parameters
    ----------
    ahead : (tags + 1, tags + 1, tags + 1) float64
        [tag before last, last tag, tag].
    behind : (tags + 1, tags + 1, tags + 1) float64
        [last tag, tag, tag before last].
    """

    ahead: Scores
    behind: Scores


@kernel
def step_weights(transitions: Transitions, scale: float) -> Steps:
    """Exponentiate the weights of all transitions for `tag_probabilities`; `scale` as in `best_tags`."""
    size = transitions.pairs.shape[0]
    ahead, behind = np.empty((size, size, size)), np.empty((size, size, size))
    for older in range(size):
        for last in range(size):
            for tag in range(size):
                weight = np.exp(scale * (transitions.triples[older, last, tag] + transitions.pairs[last, tag]))
                ahead[older, last, tag], behind[last, tag, older] = weight, weight
    return Steps(ahead, behind)


@kernel
def tag_probabilities(emissions: Scores, steps: Steps) -> Scores:
    """(n, tags) Return the probability of each tag of each word, over all sequences.

    The passes add plain probabilities, normalised after each word, instead of log probabilities: one exponential per
    transition (`step_weights`) suffices, and none is needed inside the loops.
    """
    length, size = emissions.shape
    edge = size
    chances = np.zeros((length, size))
    if length == 0:
        return chances
    emitted = np.empty((length, size))
    for place in range(length):
        highest = emissions[place].max()
        for tag in range(size):
            emitted[place, tag] = np.exp(emissions[place, tag] - highest)
    forward = np.zeros((length, size + 1, size + 1))
    for place in range(length):
        for last in range(edge if place == 0 else 0, edge + 1 if place == 0 else size):
            row = forward[place, last]
            if place == 0:
                copy_into(row, steps.ahead[edge, edge, :size])
            for older in range(edge if place == 1 else 0, (edge + 1 if place == 1 else size) if place > 0 else 0):
                weight = forward[place - 1, older, last]
                for tag in range(size):
                    row[tag] += weight * steps.ahead[older, last, tag]
            for tag in range(size):
                row[tag] *= emitted[place, tag]
        divide(forward[place].reshape(-1), max(forward[place].sum(), _LEAST))
    backward = steps.ahead[:, :, edge].T.copy()  # [last, before], at the current word
    for place in range(length - 1, -1, -1):
        for last in range(size + 1):
            for tag in range(size):
                chances[place, tag] += forward[place, last, tag] * backward[tag, last]
        divide(chances[place], max(chances[place].sum(), _LEAST))
        fresh = np.zeros((size + 1, size + 1))
        first, after = (edge, edge + 1) if place == 1 else (0, size)
        for last in range(size):
            for tag in range(size):
                weight = emitted[place, tag] * backward[tag, last]
                for older in range(first, after):
                    fresh[last, older] += weight * steps.behind[last, tag, older]
        backward = fresh / max(fresh.max(), _LEAST)
    return chances
