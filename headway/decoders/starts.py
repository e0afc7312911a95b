"""Starting trees of climbs: random trees, or the best first-order tree."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.decoders.kernels import best_tree_kernel
from headway.decoders.wilson import random_tree
from headway.kernel import kernel
from headway.kernel.random_numbers import Generator, uniform
from headway.marginals import matrix_tree_kernel
from headway.parts.arc_index import ArcIndex

_TINY = 1e-300


class Starts(NamedTuple):
    """The distribution of random starts.

    Parameters
    ----------
    weights : (arcs,) float64
        The weight of each candidate arc.
    roots : (n + 1,) float64
        The weight of each word as the single child of the root; empty to allow several.
    """

    weights: npt.NDArray[np.float64]
    roots: npt.NDArray[np.float64]


@kernel
def arc_starts(index: ArcIndex, arc: npt.NDArray[np.float64], flat: bool, single_root: bool) -> Starts:
    """Return starts by arc scores or, if `flat`, uniform ones; the root's child is drawn by arc weights, too."""
    size = len(index.most)
    weights = np.ones(len(arc), dtype=np.float64)
    roots = np.zeros(size if single_root else 0, dtype=np.float64)
    for modifier in range(1, size):
        first, end = index.offsets[modifier], index.offsets[modifier + 1]
        if first == end:
            continue
        if not flat:
            highest = arc[first:end].max()
            for number in range(first, end):
                weights[number] = np.exp(arc[number] - highest)
        if single_root and index.heads[first] == 0:
            roots[modifier] = weights[first] / weights[first:end].sum()
    return Starts(weights, roots)


def exact_starts(index: ArcIndex, arc: npt.NDArray[np.float64], flat: bool, single_root: bool) -> Starts:
    """Like `arc_starts`, but the root's child is drawn by its marginal: with `flat`, trees are then exactly uniform."""
    weights = np.zeros_like(arc) if flat else arc
    dense = _dense(index, weights)
    marginals = np.zeros_like(dense)
    matrix_tree_kernel(dense, single_root, marginals)
    modifiers = np.repeat(np.arange(len(index.most)), np.diff(index.offsets))
    highest = dense.max(axis=0, initial=-700.0)
    return Starts(np.exp(weights - highest[modifiers]), marginals[0] if single_root else np.empty(0))


@kernel
def best_of_arcs(
    index: ArcIndex,
    arc: npt.NDArray[np.float64],
    projective: bool,
    single_root: bool,
    heads: npt.NDArray[np.int32],
) -> bool:
    """Write the best first-order tree; return False if there is none."""
    return best_tree_kernel(_dense(index, arc), projective, single_root, heads)


@kernel
def random_start(
    index: ArcIndex,
    starts: Starts,
    projective: bool,
    generator: Generator,
    heads: npt.NDArray[np.int32],
) -> bool:
    """Write a random tree: Wilson's algorithm or, if projective, the best tree after adding Gumbel noise."""
    weights, roots = starts.weights, starts.roots
    if not projective and random_tree(index, weights, roots, generator, heads):
        return True
    noisy = np.empty(len(weights), dtype=np.float64)
    for arc in range(len(weights)):
        noise = -np.log(-np.log(uniform(generator) + _TINY) + _TINY)
        noisy[arc] = np.log(weights[arc] + _TINY) + noise
    return best_tree_kernel(_dense(index, noisy), projective, len(roots) > 0, heads)


@kernel
def _dense(index: ArcIndex, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    table = np.full(index.number.shape, -np.inf)
    for modifier in range(1, len(index.most)):
        for arc in range(index.offsets[modifier], index.offsets[modifier + 1]):
            table[index.heads[arc], modifier] = values[arc]
    return table
