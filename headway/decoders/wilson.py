"""Random trees by loop-erased random walks (Wilson 1996), with probability proportional to the product of arc weights.

For a single root, its child is drawn first, by its marginal probability, and the rest is a tree below it. Then there is
a walk from each word, from head to head, until it reaches the tree; its loops are erased. Cost: the mean time to reach
the tree, which is O(n) with a small factor for short pruned lists of heads.
"""

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel, leaf_kernel
from headway.kernel.random_numbers import Generator, uniform
from headway.parts.arc_index import ArcIndex

_PATIENCE = 1000  # steps per word


@kernel
def random_tree(
    index: ArcIndex,
    weights: npt.NDArray[np.float64],
    roots: npt.NDArray[np.float64],
    generator: Generator,
    heads: npt.NDArray[np.int32],
) -> bool:
    """Draw a tree into `heads` (n + 1,); False if the walks did not end because there is no such tree.

    Parameters
    ----------
    weights : (arcs,) float64
        The weight of each candidate arc, not negative.
    roots : (n + 1,) float64
        The weight of each word as the single child of the root; empty to allow several.
    """
    size = len(index.most)
    heads[0] = -1
    done = np.zeros(size, dtype=np.bool_)
    if len(roots) > 0:
        root = _draw_root(roots, generator)
        if root == 0:
            return size == 1
        heads[root] = 0
        done[root] = True
    else:
        done[0] = True
    steps = 0
    for word in range(1, size):
        walker = word
        while not done[walker]:
            heads[walker] = _draw_head(index, weights, walker, len(roots) > 0, generator)
            steps += 1
            if heads[walker] < 0 or steps > _PATIENCE * size:
                return False
            walker = heads[walker]
        walker = word
        while not done[walker]:
            done[walker] = True
            walker = heads[walker]
    return True


@kernel
def _draw_root(roots: npt.NDArray[np.float64], generator: Generator) -> int:
    rest = uniform(generator) * roots[1:].sum()
    last = 0
    for word in range(1, len(roots)):
        if roots[word] > 0.0:
            last = word
            rest -= roots[word]
            if rest < 0.0:
                break
    return last


@leaf_kernel
def _draw_head(
    index: ArcIndex, weights: npt.NDArray[np.float64], modifier: int, rooted: bool, generator: Generator
) -> int:
    """Draw a head of a word by the weights of its arcs, except the root if that has its child; -1 if there is none."""
    first, end = index.offsets[modifier], index.offsets[modifier + 1]
    if rooted and first < end and index.heads[first] == 0:
        first += 1
    total = 0.0
    for arc in range(first, end):
        total += weights[arc]
    rest = uniform(generator) * total
    last = -1
    for arc in range(first, end):
        if weights[arc] > 0.0:
            last = int(index.heads[arc])
            rest -= weights[arc]
            if rest < 0.0:
                break
    return last
