"""The state of a Markov chain over trees, shared by all moves.

A chain moves from tree to tree; its stationary distribution gives a tree y a probability proportional to
exp(score(y) / T). The moves are in `headway.decoders.gibbs` and `headway.decoders.random_walk`; each of them leaves
this distribution invariant, so any mixture of them does.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import inner_kernel, kernel, leaf_kernel
from headway.kernel.arrays import copy_into
from headway.kernel.random_numbers import Generator, uniform
from headway.parts.arc_index import ArcIndex
from headway.parts.links import Links, make_links
from headway.parts.tree_scorer import Options, TreeScorer, make_options, plant, tree_total

ROUNDING = 1e-9
"""A tree counts as better than another only if its score is higher by more than this."""


class Walk(NamedTuple):
    """Buffers for redrawing several words together.

    Parameters
    ----------
    order : (n,) int64
        The words in any order; those to be redrawn come first.
    redrawn, done : (n + 1,) bool
        Which words are redrawn, and which of them have their final new head.
    heads, depths : (n + 1,) int64
        The new heads of the redrawn words; the number of redrawn words above each of them.
    sums : (arcs,) float64
        Cumulative weights of a word's arcs from other words; for its arc from the root, the weight itself.
    temperature : (1,) float64
        The temperature for which the sums were computed.
    """

    order: npt.NDArray[np.int64]
    redrawn: npt.NDArray[np.bool_]
    done: npt.NDArray[np.bool_]
    heads: npt.NDArray[np.int64]
    depths: npt.NDArray[np.int64]
    sums: npt.NDArray[np.float64]
    temperature: npt.NDArray[np.float64]


class Chain(NamedTuple):
    """A tree, its score, and the best tree so far.

    Parameters
    ----------
    links : Links
        The tree.
    scores : (2,) float64
        The scores of the tree and of the best tree.
    best : (n + 1,) int32
        The heads of the best tree.
    roots : (roots,) int64
        The words that can be children of the root.
    options, below : Options
        Buffers for the candidate heads of the word that moves, and of the root's child.
    weights : (n + 1,) float64
        Buffer for the weights by which options are drawn.
    walk : Walk
    """

    links: Links
    scores: npt.NDArray[np.float64]
    best: npt.NDArray[np.int32]
    roots: npt.NDArray[np.int64]
    options: Options
    below: Options
    weights: npt.NDArray[np.float64]
    walk: Walk


@kernel
def make_chain(index: ArcIndex) -> Chain:
    """Allocate a chain over the trees of these arcs."""
    size = len(index.most)
    roots = np.empty(size, dtype=np.int64)
    count = 0
    for word in range(1, size):
        if index.number[0, word] >= 0:
            roots[count] = word
            count += 1
    walk = Walk(
        np.arange(1, size),
        np.zeros(size, dtype=np.bool_),
        np.zeros(size, dtype=np.bool_),
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
        np.empty(len(index.heads)),
        np.full(1, np.nan),
    )
    return Chain(
        make_links(size),
        np.full(2, -np.inf),
        np.empty(size, dtype=np.int32),
        roots[:count],
        make_options(size),
        make_options(size),
        np.empty(size),
        walk,
    )


@kernel
def place_chain(scores: TreeScorer, chain: Chain, heads: npt.NDArray[np.int32]) -> None:
    """Set the tree of a chain to ``heads`` (n + 1,) and reset its history."""
    plant(scores, chain.links, heads)
    for place in range(len(chain.walk.order)):
        chain.walk.order[place] = place + 1
    chain.scores[0] = tree_total(scores, chain.links)
    chain.scores[1] = -np.inf
    note_change(chain, 0.0)


@inner_kernel
def note_change(chain: Chain, change: float) -> None:
    """Record the change of the tree's score, and the tree if it is the best so far."""
    chain.scores[0] += change
    if not chain.scores[0] <= chain.scores[1] + ROUNDING:
        chain.scores[1] = chain.scores[0]
        copy_into(chain.best, chain.links.heads)


@leaf_kernel
def draw_option(
    gains: npt.NDArray[np.float64],
    count: int,
    temperature: float,
    weights: npt.NDArray[np.float64],
    generator: Generator,
) -> int:
    """Draw one of the first `count` options with probability proportional to exp(gain / temperature).

    At temperature 0, choose the best option: the first one unless another is clearly better.
    """
    best = 0
    for option in range(1, count):
        if gains[option] > gains[best]:
            best = option
    if temperature <= 0.0:
        return best if gains[best] > gains[0] + ROUNDING else 0
    total = 0.0
    for option in range(count):
        weights[option] = np.exp((gains[option] - gains[best]) / temperature)
        total += weights[option]
    rest, option = uniform(generator) * total, 0
    while option < count - 1 and rest >= weights[option]:
        rest -= weights[option]
        option += 1
    return option


@inner_kernel
def draw_place(count: int, generator: Generator) -> int:
    """Draw a number from 0 to count - 1."""
    return min(int(uniform(generator) * count), count - 1)
