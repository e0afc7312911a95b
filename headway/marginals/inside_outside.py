"""Marginals over projective trees: the inside-outside algorithm on Eisner's chart, in logarithms, O(n³).

Baker (1979), "Trainable grammars for speech recognition"; Eisner (1996); the chart is that of
`headway.decoders.eisner`, with sums for maxima. Every tree has exactly one derivation in it, so the sums
count each tree once::

    incomplete[s, t] = score(s -> t) + split[s, t]
    incomplete[t, s] = score(t -> s) + split[s, t]
    split[s, t]      = log sum over s <= r < t of exp(complete[s, r] + complete[t, r + 1])
    complete[h, e]   = log sum over the outermost child m of exp(incomplete[h, m] + complete[m, e])

The outside pass is the gradient of the log partition, computed from the widest spans to the narrowest: the
probability of a span is divided among the ways in which it was made. Probabilities are not logarithms, and
those of the incomplete spans are the arcs' marginals.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headway.kernel import kernel, unit_kernel
from headway.kernel.arrays import copy_into
from headway.marginals.log_space import log_inner_product, log_sum
from headway.marginals.marginals import Marginals, infer
from headway.parts import Candidates, Scores

_SMALLEST = -745.0  # exp of anything less is zero


class _Chart(NamedTuple):
    """Spans by [head, other end], (n + 1, n + 1): logarithms on the way in, probabilities on the way out."""

    complete: NDArray[np.float64]
    across: NDArray[np.float64]  # the same, [other end, head]: in memory, a row of either is one run
    incomplete: NDArray[np.float64]


def inside_outside(candidates: Candidates, scores: Scores, *, single_root: bool = True) -> Marginals:
    """Compute arc marginals over projective trees.

    Parameters
    ----------
    candidates : Candidates
    scores : Scores
        Only ``scores.arc`` is read.
    single_root : bool
        Whether the root has exactly one child.

    Returns
    -------
    Marginals

    Raises
    ------
    ConstraintError
        If no such tree can be built from the candidates.
    """
    return infer(inside_outside_kernel, candidates, scores, single_root=single_root)


@unit_kernel
def inside_outside_kernel(dense: NDArray[np.float64], single_root: bool, marginals: NDArray[np.float64]) -> float:
    """Write arc marginals over projective trees.

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
    last = dense.shape[0] - 1
    marginals[:] = 0.0
    if last == 0:
        return 0.0
    first = 1 if single_root else 0
    split = np.empty(dense.shape)
    inside = _inside(dense, first, split)
    outside = _Chart(np.zeros(dense.shape), np.zeros(dense.shape), marginals)
    if single_root:
        weight = dense[0] + inside.across[1] + inside.across[last]
        log_partition = log_sum(weight[1:])
        if log_partition > -np.inf:
            for modifier in range(1, len(weight)):
                marginals[0, modifier] = np.exp(weight[modifier] - log_partition)
            copy_into(outside.across[1], marginals[0])
            copy_into(outside.across[last], marginals[0])
    else:
        log_partition = inside.complete[0, last]
        outside.complete[0, last] = 1.0
    if log_partition > -np.inf:
        _outside(first, split, inside, outside)
    return log_partition


@kernel
def _inside(dense: NDArray[np.float64], first: int, split: NDArray[np.float64]) -> _Chart:
    vertices = dense.shape[0]
    chart = _Chart(np.empty(dense.shape), np.empty(dense.shape), np.empty(dense.shape))
    for vertex in range(vertices):
        chart.complete[vertex, vertex] = 0.0
        chart.across[vertex, vertex] = 0.0
    for width in range(1, vertices - first):
        for left in range(first, vertices - width):
            right = left + width
            split[left, right] = log_inner_product(
                chart.complete[left, left:right], chart.complete[right, left + 1 : right + 1]
            )
            chart.incomplete[left, right] = split[left, right] + dense[left, right]
            chart.incomplete[right, left] = split[left, right] + dense[right, left]
            for head, end, start in ((left, right, left + 1), (right, left, left)):
                total = log_inner_product(
                    chart.incomplete[head, start : start + width], chart.across[end, start : start + width]
                )
                chart.complete[head, end] = total
                chart.across[end, head] = total
    return chart


@kernel
def _outside(first: int, split: NDArray[np.float64], inside: _Chart, outside: _Chart) -> None:
    """Divide the probabilities of the widest spans, down to the incomplete spans of neighbouring words."""
    vertices = split.shape[0]
    for width in range(vertices - first - 1, 0, -1):
        for left in range(first, vertices - width):
            right = left + width
            for head, end, start in ((left, right, left + 1), (right, left, left)):
                _share_out(
                    outside.complete[head, end] + outside.across[end, head],
                    inside.complete[head, end],
                    inside.incomplete[head, start : start + width],
                    inside.across[end, start : start + width],
                    outside.incomplete[head, start : start + width],
                    outside.across[end, start : start + width],
                )
            _share_out(
                outside.incomplete[left, right] + outside.incomplete[right, left],
                split[left, right],
                inside.complete[left, left:right],
                inside.complete[right, left + 1 : right + 1],
                outside.complete[left, left:right],
                outside.complete[right, left + 1 : right + 1],
            )


@kernel
def _share_out(
    probability: float,
    total: float,
    one: NDArray[np.float64],
    other: NDArray[np.float64],
    one_outside: NDArray[np.float64],
    other_outside: NDArray[np.float64],
) -> None:
    """Add to each pair of spans its share of `probability`: exp(one + other - total)."""
    if probability == 0.0:
        return
    for index in range(one.shape[0]):
        share = one[index] + other[index] - total
        if share > _SMALLEST:
            share = probability * np.exp(share)
            one_outside[index] += share
            other_outside[index] += share
