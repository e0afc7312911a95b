"""Tag sequences under trigram scores: the best one, and how probable each tag is.

A state is the last two tags. O(n t³) for t tags; sums by the forward and backward passes over the same states.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel

Scores = npt.NDArray[np.float64]


class Transitions(NamedTuple):
    """What a tag after one and after two others brings.

    Parameters
    ----------
    pairs : (tags + 1, tags + 1) float32
        [before, tag]; number ``tags`` is the edge of the sentence.
    triples : (tags + 1, tags + 1, tags + 1) float32
        [before that, before, tag].
    """

    pairs: npt.NDArray[np.float32]
    triples: npt.NDArray[np.float32]


def no_transitions(tags: int) -> Transitions:
    """Zeros."""
    size = tags + 1
    return Transitions(np.zeros((size, size), dtype=np.float32), np.zeros((size, size, size), dtype=np.float32))


@kernel
def best_tags(emissions: Scores, transitions: Transitions, scale: float, tags: npt.NDArray[np.int32]) -> None:
    """Write the best tags of a sentence.

    Parameters
    ----------
    emissions : (n, tags) float64
        What each tag brings for each word.
    scale : float
        What a transition weight of 1 is worth.
    tags : (n,) int32, output
    """
    length, size = emissions.shape
    if length == 0:
        return
    edge = size
    values = np.full((size + 1, size + 1), -np.inf)  # [before, last]
    values[edge, edge] = 0.0
    back = np.empty((length, size + 1, size + 1), dtype=np.int16)
    for place in range(length):
        fresh = np.full((size + 1, size + 1), -np.inf)
        first = edge if place == 0 else 0
        after = edge + 1 if place == 0 else size
        oldest = edge if place < 2 else 0
        oldest_after = edge + 1 if place < 2 else size
        for last in range(first, after):
            for tag in range(size):
                best, chosen = -np.inf, oldest
                for older in range(oldest, oldest_after):
                    value = values[older, last] + scale * transitions.triples[older, last, tag]
                    if value > best:
                        best, chosen = value, older
                fresh[last, tag] = best + emissions[place, tag] + scale * transitions.pairs[last, tag]
                back[place, last, tag] = chosen
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


@kernel
def tag_probabilities(emissions: Scores, transitions: Transitions, scale: float) -> Scores:
    """(n, tags) How probable each tag of each word is, over all sequences."""
    length, size = emissions.shape
    edge = size
    chances = np.zeros((length, size))
    if length == 0:
        return chances
    forward = np.full((length, size + 1, size + 1), -np.inf)
    for place in range(length):
        for last in range(size + 1):
            if (last == edge) != (place == 0):
                continue
            for tag in range(size):
                own = emissions[place, tag] + scale * transitions.pairs[last, tag]
                if place == 0:
                    forward[0, last, tag] = own + scale * transitions.triples[edge, edge, tag]
                    continue
                total = -np.inf
                for older in range(size + 1):
                    if (older == edge) == (place == 1):
                        value = forward[place - 1, older, last] + scale * transitions.triples[older, last, tag]
                        total = np.logaddexp(total, value)
                forward[place, last, tag] = total + own
    backward = np.full((size + 1, size + 1), -np.inf)  # [before, last], of the place at hand
    for last in range(size + 1):
        for tag in range(size):
            backward[last, tag] = scale * (transitions.triples[last, tag, edge] + transitions.pairs[tag, edge])
    total = -np.inf
    for last in range(size + 1):
        for tag in range(size):
            total = np.logaddexp(total, forward[length - 1, last, tag] + backward[last, tag])
    for place in range(length - 1, -1, -1):
        for last in range(size + 1):
            for tag in range(size):
                if forward[place, last, tag] > -np.inf:
                    chances[place, tag] += np.exp(forward[place, last, tag] + backward[last, tag] - total)
        if place == 0:
            break
        fresh = np.full((size + 1, size + 1), -np.inf)
        for older in range(size + 1):
            if (older == edge) != (place == 1):
                continue
            for last in range(size):
                for tag in range(size):
                    value = backward[last, tag] + emissions[place, tag]
                    value += scale * (transitions.pairs[last, tag] + transitions.triples[older, last, tag])
                    fresh[older, last] = np.logaddexp(fresh[older, last], value)
        backward = fresh
    return chances
