"""Marginals over non-projective trees without subtraction: exact up to rounding for any scores, O(n³).

The state reduction of Grassmann, Taksar & Heyman (1985), "Regenerative analysis and steady state
distributions for Markov chains", applied to trees by the Markov chain tree theorem.

Let a walk step from a word i to one of its candidate heads j with weight a[i, j], or to the root, where it
ends, with weight r[i]. To eliminate word k, replace every step into k by steps to the words that k leads to::

    d[k] = r[k] + sum of a[k, j]           a[i, j] += a[i, k] a[k, j] / d[k]
                                           r[i]    += a[i, k] r[k]    / d[k]        over the words that remain

This takes only sums, products and quotients of positive numbers, which keep their precision, stored as logarithms. The
product of all d is the partition function, and::

    P(h -> m) is proportional to weight(h, m) * e(h),
    e(h) = the probability that the walk from h reaches the root before m

which follows from the eliminated words, from the last to the first: e(k) = (r[k] + sum of a[k, j] e(j)) / d[k].
This requires that all words but m are eliminated, for every m: for a range of words, eliminate its first half and
recurse into the second, and vice versa, T(n) = 2 T(n/2) + O(n³).

For a single root, exactly: give each root arc a factor epsilon, and let epsilon go to zero. Since nothing
is subtracted, numbers can be replaced by their leading terms c * epsilon^order. All a have order 0;
r, d and e have order 0 or 1, and in a sum the lower order wins. The orders of all d add up to the
smallest number of root arcs in a tree.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headway.kernel import kernel
from headway.marginals.log_space import log_add, log_inner_product, log_sum


class _Trail(NamedTuple):
    """The eliminations so far, in order."""

    word: NDArray[np.int64]  # (n,) the word that was eliminated, k
    first: NDArray[np.int64]  # (n,) the first of the words that remained, and
    end: NDArray[np.int64]  # (n,) the one after the last
    scale: NDArray[np.float64]  # (n,) log d[k], of order
    order: NDArray[np.int64]  # (n,)
    step: NDArray[np.float64]  # (n, n) log a[k, j] / d[k]
    leave: NDArray[np.float64]  # (n, 2) log r[k] / d[k] by order, as below


class _Walk(NamedTuple):
    """Log weights of the walk over the remaining words, which are consecutive."""

    word: NDArray[np.float64]  # (words, words) a[i, j]; the diagonal is never read
    root: NDArray[np.float64]  # (words, 2) r[i] by order: where order 0 is finite, order 1 is void


@kernel
def elimination_kernel(dense: NDArray[np.float64], single_root: bool, marginals: NDArray[np.float64]) -> float:
    """Arc marginals and log partition over non-projective trees.

    Parameters
    ----------
    dense : (n + 1, n + 1) float64
        Arc scores [head, modifier], -inf for no arc; the diagonal and column 0 are ignored.
    single_root : bool
    marginals : (n + 1, n + 1) float64, output
        Arc probabilities [head, modifier].

    Returns
    -------
    float
        The log partition; -inf if there is no tree, and then `marginals` is undefined.
    """
    words = dense.shape[0] - 1
    marginals[:] = 0.0
    if words == 0:
        return 0.0
    walk = _Walk(np.empty((words, words)), np.full((words, 2), -np.inf))
    shift = _load(dense, single_root, walk)
    if shift == -np.inf:
        return -np.inf
    trail = _Trail(
        np.empty(words, np.int64),
        np.empty(words, np.int64),
        np.empty(words, np.int64),
        np.empty(words),
        np.empty(words, np.int64),
        np.empty((words, words)),
        np.empty((words, 2)),
    )
    return shift + _serve(walk, trail, marginals)


@kernel
def _load(dense: NDArray[np.float64], single_root: bool, walk: _Walk) -> float:
    """Fill `walk`, with each word's best head at weight 1; return the sum of the log weights that this removes."""
    words = dense.shape[0] - 1
    total = 0.0
    for word in range(words):
        for head in range(words):
            walk.word[word, head] = dense[head + 1, word + 1]
        walk.word[word, word] = -np.inf
        shift = max(dense[0, word + 1], walk.word[word].max())
        if shift == -np.inf:
            return -np.inf
        for head in range(words):
            walk.word[word, head] -= shift
        walk.root[word, 1 if single_root else 0] = dense[0, word + 1] - shift
        total += shift
    return total


@kernel
def _serve(arcs: _Walk, trail: _Trail, marginals: NDArray[np.float64]) -> float:
    """Write the marginals of all words; return the log partition.

    A stack entry (walk, low, first, end) is a walk over the words from `low` on, of which all except first..end are
    still to be eliminated. When it is popped, the trail is as it was when the walk was made.
    """
    words = arcs.word.shape[0]
    waiting = [(arcs, 0, 0, words)]
    log_partition = -np.inf
    while len(waiting) > 0:
        walk, low, first, end = waiting.pop()
        rest = _Walk(walk.word.copy(), walk.root.copy())
        size = walk.word.shape[0]
        time = words - size
        for step in range(first):
            if not _eliminate(step, step + 1, size, rest, low, time + step, trail):
                return -np.inf
        for step in range(size - end):
            if not _eliminate(size - 1 - step, 0, size - 1 - step, rest, low, time + step, trail):
                return -np.inf
        rest = _Walk(rest.word[first:end, first:end].copy(), rest.root[first:end].copy())
        if end - first > 1:
            half = (end - first) // 2
            waiting.append((rest, low + first, 0, half))
            waiting.append((rest, low + first, half, end - first))
            continue
        log_partition = _finish(rest, low + first, trail, arcs, marginals)
        if log_partition == -np.inf:
            return -np.inf
    return log_partition


@kernel
def _eliminate(word: int, first: int, end: int, walk: _Walk, low: int, time: int, trail: _Trail) -> bool:
    """Eliminate one word while first..end remain, and record it on the trail; False if no step leads out of it."""
    scale = log_add(log_sum(walk.word[word, first:end]), walk.root[word, 0])
    order = 0
    if scale == -np.inf:
        scale = walk.root[word, 1]
        order = 1
    if scale == -np.inf:
        return False
    step = trail.step[time, low + first : low + end]
    for place in range(len(step)):
        step[place] = walk.word[word, first + place] - scale
    leave = trail.leave[time]
    leave[0] = walk.root[word, order] - scale
    leave[1] = walk.root[word, 1] - scale
    trail.word[time], trail.first[time], trail.end[time] = low + word, low + first, low + end
    trail.scale[time], trail.order[time] = scale, order
    for other in range(first, end):
        into = walk.word[other, word]
        if into == -np.inf:
            continue
        row = walk.word[other, first:end]
        for index in range(end - first):
            row[index] = log_add(row[index], into + step[index])
        walk.root[other, 0] = log_add(walk.root[other, 0], into + leave[0])
        walk.root[other, 1] = log_add(walk.root[other, 1], into + leave[1])
    return True


@kernel
def _finish(walk: _Walk, modifier: int, trail: _Trail, arcs: _Walk, marginals: NDArray[np.float64]) -> float:
    """Write the marginals of the single remaining word; return the log partition."""
    words = arcs.word.shape[0]
    order = 0 if walk.root[0, 0] > -np.inf else 1
    if order + trail.order[:-1].sum() > 1:
        return -np.inf
    reach = np.full((2, words), -np.inf)  # log e, in the row of its order
    for past in range(words - 2, -1, -1):
        first, end, word = trail.first[past], trail.end[past], trail.word[past]
        step = trail.step[past, first:end]
        reach[0, word] = log_add(trail.leave[past, 0], log_inner_product(step, reach[0, first:end]))
        if reach[0, word] == -np.inf:
            reach[1, word] = log_add(trail.leave[past, 1], log_inner_product(step, reach[1, first:end]))
    weight = arcs.word[modifier] + reach[order]
    total = log_add(log_sum(weight), arcs.root[modifier, order])
    marginals[0, modifier + 1] = np.exp(arcs.root[modifier, order] - total)
    for head in range(words):
        marginals[head + 1, modifier + 1] = np.exp(weight[head] - total)
    return float(walk.root[0, order] + trail.scale[:-1].sum())
