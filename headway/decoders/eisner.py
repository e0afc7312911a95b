"""The best projective tree: Eisner's first-order chart, O(n³).

Eisner (1996), "Three new probabilistic models for dependency parsing"; McDonald et al. (2005), "Online
large-margin training of dependency parsers", section 2.1.

A span is indexed by its head and its other end, so one square table holds both directions::

    complete[h, e]     h and its descendants between h and e
    incomplete[h, m]   the same for an arc from h to m: of m, only the descendants between h and m belong to the span

    incomplete[s, t] = score(s -> t) + max over s <= r < t of complete[s, r] + complete[t, r + 1]
    incomplete[t, s] = score(t -> s) + the same maximum
    complete[h, e]   = max over the outermost child m of incomplete[h, m] + complete[m, e]

``across[e, h] = complete[h, e]`` is kept too: both operands of every maximum are then contiguous in memory.
There are no back-pointers; the traceback recomputes the n maxima on its path.

The column of arcs into the root is filled like the others, but never used.

With a single root, the chart spans only the words, and the root is attached to the word r that maximises
score(root -> r) + complete[r, 1] + complete[r, n]. If several roots are allowed, the root is vertex 0 of the chart.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headway.decoders.decoder import Cost
from headway.decoders.first_order import FirstOrderDecoder, Kernel
from headway.decoders.samples import Samples
from headway.kernel import kernel
from headway.marginals import Marginals, inside_outside
from headway.parts import Candidates, Kind, Parse, Scores


@dataclass(frozen=True)
class Eisner(FirstOrderDecoder):
    """The highest-scoring projective tree under scores of arcs; always exact among projective trees."""

    name = "eisner"
    projective = True

    @property
    def _kernel(self) -> Kernel:
        return eisner_kernel

    def k_best(
        self,
        candidates: Candidates,
        scores: Scores,
        *,
        k: int,
        single_root: bool = True,
        cost: Cost | None = None,
        ignore: Collection[Kind] = (),
    ) -> Sequence[Parse]:
        """Find the k best projective trees; see `ListsTrees`."""
        from headway.decoders.third_order import ChartDecoder  # imported here: it is slow to import

        chart = ChartDecoder("first-order")
        return chart.k_best(candidates, scores, k=k, single_root=single_root, cost=cost, ignore=ignore)

    def marginals(
        self, candidates: Candidates, scores: Scores, *, single_root: bool = True, ignore: Collection[Kind] = ()
    ) -> Marginals:
        """Compute arc marginals over projective trees; see `HasMarginals`."""
        return inside_outside(candidates, self.readable(scores, ignore)[0], single_root=single_root)

    def sample(
        self,
        candidates: Candidates,
        scores: Scores,
        *,
        count: int,
        seed: int = 0,
        single_root: bool = True,
        ignore: Collection[Kind] = (),
    ) -> Samples:
        """Draw independent projective trees; see `SamplesTrees`."""
        from headway.decoders.third_order import ChartDecoder  # imported here: it is slow to import

        chart = ChartDecoder("first-order")
        return chart.sample(candidates, scores, count=count, seed=seed, single_root=single_root, ignore=ignore)


@kernel
def eisner_kernel(dense: NDArray[np.float64], single_root: bool, heads: NDArray[np.int32]) -> bool:
    """Write the best projective tree into `heads`.

    Parameters
    ----------
    dense : (n + 1, n + 1) float64
        Arc scores [head, modifier], -inf for no arc; the diagonal and column 0 are ignored.
    single_root : bool
    heads : (n + 1,) int32, output

    Returns
    -------
    bool
        False if there is no tree; then `heads` is undefined.
    """
    last = dense.shape[0] - 1
    heads[0] = -1
    if last == 0:
        return True
    complete, across, incomplete = _fill(dense, 1 if single_root else 0)
    if not single_root:
        found = bool(complete[0, last] > -np.inf)
        if found:
            _trace(0, last, complete, across, incomplete, heads)
        return found
    highest = -np.inf
    top = 0
    for word in range(1, last + 1):
        score = dense[0, word] + across[1, word] + across[last, word]
        if score > highest:
            highest = score
            top = word
    if top > 0:
        heads[top] = 0
        _trace(top, 1, complete, across, incomplete, heads)
        _trace(top, last, complete, across, incomplete, heads)
    return top > 0


@kernel
def _fill(
    dense: NDArray[np.float64], first: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Fill the chart over the vertices `first` to n; return complete, across and incomplete."""
    vertices = dense.shape[0]
    complete = np.empty((vertices, vertices))
    across = np.empty((vertices, vertices))
    incomplete = np.empty((vertices, vertices))
    for vertex in range(vertices):
        complete[vertex, vertex] = 0.0
        across[vertex, vertex] = 0.0
    for width in range(1, vertices - first):
        for left in range(first, vertices - width):
            right = left + width
            split = _highest_sum(complete[left, left:right], complete[right, left + 1 : right + 1])
            incomplete[left, right] = split + dense[left, right]
            incomplete[right, left] = split + dense[right, left]
            rightward = _highest_sum(incomplete[left, left + 1 : right + 1], across[right, left + 1 : right + 1])
            leftward = _highest_sum(incomplete[right, left:right], across[left, left:right])
            complete[left, right] = rightward
            across[right, left] = rightward
            complete[right, left] = leftward
            across[left, right] = leftward
    return complete, across, incomplete


@kernel
def _highest_sum(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """max(one + other)."""
    highest = -np.inf
    for index in range(one.shape[0]):
        value = one[index] + other[index]
        highest = value if value > highest else highest  # twice as fast as max(), which handles NaN
    return highest


@kernel
def _where_highest(one: NDArray[np.float64], other: NDArray[np.float64]) -> int:
    """The first index of max(one + other)."""
    best = 0
    for index in range(1, one.shape[0]):
        if one[index] + other[index] > one[best] + other[best]:
            best = index
    return best


@kernel
def _trace(
    head: int,
    end: int,
    complete: NDArray[np.float64],
    across: NDArray[np.float64],
    incomplete: NDArray[np.float64],
    heads: NDArray[np.int32],
) -> None:
    """Write the heads of all words inside the span complete[head, end]."""
    stack = np.empty((2 * heads.shape[0], 2), np.int64)  # grows by two spans for every head found
    stack[0, 0], stack[0, 1] = head, end
    waiting = 1
    while waiting > 0:
        waiting -= 1
        head, end = stack[waiting, 0], stack[waiting, 1]
        if head == end:
            continue
        start, stop = (head + 1, end + 1) if head < end else (end, head)
        modifier = start + _where_highest(incomplete[head, start:stop], across[end, start:stop])
        heads[modifier] = head
        left, right = min(head, modifier), max(head, modifier)
        split = left + _where_highest(complete[left, left:right], complete[right, left + 1 : right + 1])
        stack[waiting, 0], stack[waiting, 1] = modifier, end
        stack[waiting + 1, 0], stack[waiting + 1, 1] = left, split
        stack[waiting + 2, 0], stack[waiting + 2, 1] = right, split + 1
        waiting += 3
