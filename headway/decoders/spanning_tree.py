"""The best non-projective tree: Chu-Liu-Edmonds in Tarjan's form for dense graphs, O(n²).

Tarjan (1977), "Finding optimum branchings"; McDonald et al. (2005), "Non-projective dependency parsing using
spanning tree algorithms", section 2.

A path grows from a word along best incoming arcs. Where it meets a finished vertex (such as the root), all of
it is finished; where it meets itself, the cycle is contracted: an arc entering the cycle at v then costs the
arc that it replaces there, ``weight(u, v) - best(v)``. Each supernode keeps, for every source vertex u, the
best adjusted arc from u and the vertex where it enters, so a merge and the choice of a best arc take O(n).

A single root is part of the search. Weights are pairs in Z x R, compared lexicographically, with
the integer -1 for arcs from the root and 0 for all others: the number of root arcs is minimised first, then the score
is maximised. The integers need no storage. A vertex joins a cycle by an arc from another word, whose integer is 0,
so subtracting it leaves all integers unchanged, and the rule is: take an arc from the root only if there is
no other.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from headway.decoders.decoder import Cost
from headway.decoders.first_order import FirstOrderDecoder, Kernel
from headway.decoders.samples import Samples
from headway.kernel import kernel
from headway.marginals import Marginals, matrix_tree
from headway.parts import Candidates, Kind, Parse, Scores

_NEW, _ON_PATH, _FINISHED = 0, 1, 2


@dataclass(frozen=True)
class SpanningTree(FirstOrderDecoder):
    """The highest-scoring tree under scores of arcs, crossing arcs allowed; always exact."""

    name = "spanning-tree"
    projective = False

    @property
    def _kernel(self) -> Kernel:
        return spanning_tree_kernel

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
        """Find the k best trees; see `ListsTrees`."""
        from headway.decoders.k_best_spanning import best_spanning_trees

        scores, ignored = self.readable(scores, ignore)
        found = best_spanning_trees(candidates, scores, k=k, single_root=single_root, cost=cost)
        return [replace(parse, ignored=ignored) for parse in found]

    def marginals(
        self, candidates: Candidates, scores: Scores, *, single_root: bool = True, ignore: Collection[Kind] = ()
    ) -> Marginals:
        """Compute arc marginals over all trees; see `HasMarginals`."""
        return matrix_tree(candidates, self.readable(scores, ignore)[0], single_root=single_root)

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
        """Draw independent trees; see `SamplesTrees`."""
        from headway.decoders.exact_samples import sample_arcs  # imported here: it is slow to import

        return sample_arcs(
            candidates, self.readable(scores, ignore)[0], count=count, seed=seed, single_root=single_root
        )


@kernel
def spanning_tree_kernel(dense: NDArray[np.float64], single_root: bool, heads: NDArray[np.int32]) -> bool:
    """Write the best tree into `heads`.

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
    vertices = dense.shape[0]
    weight, entered = _incoming(dense)
    component = np.arange(vertices)  # the supernode of each vertex, named by one of its vertices
    state = np.zeros(vertices, np.int8)
    state[0] = _FINISHED
    best = np.zeros(vertices)  # the weight of each supernode's chosen arc
    path = np.empty(vertices, np.int64)
    # The contraction forest: vertices are its leaves, contracted cycles its inner nodes.
    node = np.arange(vertices)  # the forest node of each supernode
    created = vertices
    parent = np.full(2 * vertices, -1, np.int64)
    source = np.full(2 * vertices, -1, np.int64)
    target = np.full(2 * vertices, -1, np.int64)

    for start in range(1, vertices):
        if state[component[start]] == _FINISHED:
            continue
        top = 0
        path[0] = component[start]
        state[path[0]] = _ON_PATH
        while True:
            current = path[top]
            head = _best_source(weight[current], single_root)
            if head < 0:
                return False
            best[current] = weight[current, head]
            source[node[current]] = head
            target[node[current]] = entered[current, head]
            previous = component[head]
            if state[previous] == _FINISHED:
                break
            if state[previous] == _NEW:
                top += 1
                path[top] = previous
                state[previous] = _ON_PATH
                continue
            bottom = top
            while path[bottom] != previous:
                bottom -= 1
            for position in range(bottom, top + 1):
                parent[node[path[position]]] = created
            _contract(path[bottom : top + 1], weight, entered, best, component)
            node[previous] = created
            created += 1
            top = bottom
        for position in range(top + 1):
            state[path[position]] = _FINISHED

    _expand(created, parent, source, target, heads)
    roots = 0
    for head in heads:
        roots += head == 0
    return not single_root or roots <= 1


@kernel
def _incoming(dense: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return arcs by the vertex that they enter: weight[v, u] belongs to u -> v, which enters at entered[v, u] = v."""
    vertices = dense.shape[0]
    weight = np.empty((vertices, vertices))
    entered = np.empty((vertices, vertices), np.int32)
    for modifier in range(vertices):
        for head in range(vertices):
            weight[modifier, head] = dense[head, modifier]
            entered[modifier, head] = modifier
        weight[modifier, modifier] = -np.inf
    return weight, entered


@kernel
def _best_source(weight: NDArray[np.float64], single_root: bool) -> int:
    """Return the source vertex of the best incoming arc, -1 if there is none."""
    highest = -np.inf
    best = -1
    for vertex in range(1 if single_root else 0, weight.shape[0]):
        if weight[vertex] > highest:
            highest = weight[vertex]
            best = vertex
    if best < 0 and weight[0] > -np.inf:
        best = 0
    return best


@kernel
def _contract(
    cycle: NDArray[np.int64],
    weight: NDArray[np.float64],
    entered: NDArray[np.int32],
    best: NDArray[np.float64],
    component: NDArray[np.int64],
) -> None:
    """Merge the supernodes of `cycle` into its first one."""
    vertices = weight.shape[0]
    merged = cycle[0]
    inside = np.zeros(vertices, np.bool_)
    for member in cycle:
        inside[member] = True
        for vertex in range(vertices):
            adjusted = weight[member, vertex] - best[member]
            if member == merged or adjusted > weight[merged, vertex]:
                weight[merged, vertex] = adjusted
                entered[merged, vertex] = entered[member, vertex]
    for vertex in range(1, vertices):
        if inside[component[vertex]]:
            component[vertex] = merged
            weight[merged, vertex] = -np.inf


@kernel
def _expand(
    created: int,
    parent: NDArray[np.int64],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    heads: NDArray[np.int32],
) -> None:
    """Undo the contractions from the last to the first: an arc into a cycle displaces one of its arcs."""
    displaced = np.zeros(created, np.bool_)
    heads[0] = -1
    for node in range(created - 1, 0, -1):
        if displaced[node] or target[node] < 0:
            continue
        heads[target[node]] = source[node]
        inner = target[node]
        while inner != node:
            displaced[inner] = True
            inner = parent[inner]
