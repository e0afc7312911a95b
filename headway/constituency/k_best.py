"""Find the k best trees of a forest, and the k best trees under all models together, with proofs.

In a forest, every item keeps its k best derivations, best first (Huang and Chiang 2005, "Better k-best parsing",
algorithm 1); with two children, only pairs of ranks (i, j) with (i + 1)(j + 1) ≤ k can be among them.
O(edges · k² log k).

With several models, the forest is weighted by the multipliers of the lowest bound. The total score of a tree that is
not among its k best trees is at most the k-th value plus the partners' best values. So the ranks of all trees with
higher total scores are proved.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from headway.constituency.agreement import Agreement, agree
from headway.constituency.forest import LEFT, PARENT, RIGHT, Floats, Forest, Ints
from headway.constituency.partners import Partner, split_sides
from headway.kernel import kernel

Edges = npt.NDArray[np.int32]
_MOST = 256
"""The maximum number of trees of a forest that are considered for proving ranks."""


@kernel
def _k_best_values(forest: Forest, scores: Floats, most: int) -> tuple[Floats, Ints, Ints]:
    """(items, most) Return the best values of each item, best first, their edges (-1 for none) and children's ranks."""
    values = np.full((len(forest.items), most), -np.inf)
    back = np.full((len(forest.items), most), -1, dtype=np.int32)
    ranks = np.zeros((len(forest.items), 2 * most), dtype=np.int32)
    for edge in range(len(forest.edges)):
        parent, left, right = forest.edges[edge, PARENT], forest.edges[edge, LEFT], forest.edges[edge, RIGHT]
        for one in range(most if left >= 0 else 1):
            for other in range(most // (one + 1) if right >= 0 else 1):
                value = scores[edge]
                if left >= 0:
                    value += values[left, one]
                if right >= 0:
                    value += values[right, other]
                if value <= values[parent, most - 1]:
                    break
                place = most - 1
                while place > 0 and value > values[parent, place - 1]:
                    values[parent, place] = values[parent, place - 1]
                    back[parent, place] = back[parent, place - 1]
                    ranks[parent, 2 * place] = ranks[parent, 2 * place - 2]
                    ranks[parent, 2 * place + 1] = ranks[parent, 2 * place - 1]
                    place -= 1
                values[parent, place], back[parent, place] = value, edge
                ranks[parent, 2 * place], ranks[parent, 2 * place + 1] = one, other
    return values, back, ranks


def k_best_trees(forest: Forest, scores: Floats, most: int) -> list[tuple[float, Edges]]:
    """Return scores and edges (parents first) of the `most` best trees of a forest; fewer if there are not so many."""
    values, back, ranks = _k_best_values(forest, scores, most)
    root, found = len(forest.items) - 1, []
    for rank in range(most):
        if values[root, rank] == -np.inf:
            break
        edges, stack = [], [(root, rank)]
        while stack:
            item, place = stack.pop()
            edge = back[item, place]
            edges.append(edge)
            for side, which in ((RIGHT, 1), (LEFT, 0)):
                if forest.edges[edge, side] >= 0:
                    stack.append((forest.edges[edge, side], ranks[item, 2 * place + which]))
        found.append((float(values[root, rank]), np.array(edges, dtype=np.int32)))
    return found


def agree_on_best(
    forest: Forest, partners: Sequence[Partner], most: int, *, iterations: int, step: str = "mixed"
) -> list[Agreement]:
    """Find the best trees under all models together, best first; some may be missing.

    A tree's bound is an upper bound for all trees that are not listed before it; the tree is certified if it reaches
    it.
    """
    first = agree(forest, partners, iterations=iterations, step=step)
    trees, partner = split_sides(forest, partners)
    multipliers = np.zeros(trees.size) if first.multipliers is None else first.multipliers
    others = partner.best(-multipliers)[0]
    seen: dict[bytes, tuple[float, Edges]] = {}

    def look_at(edges: Edges) -> None:
        key = np.sort(edges).tobytes()
        if key not in seen:
            seen[key] = float(forest.scores[edges].sum()) + partner.value(trees.vector(edges)), edges

    for _, edges in first.history:
        look_at(edges)
    size, limit = 2 * most, np.inf
    while True:
        listed = k_best_trees(forest, trees.weighted(multipliers), size)
        for _, edges in listed:
            look_at(edges)
        limit = others + listed[-1][0] if len(listed) == size else -np.inf
        ranked = sorted(seen.values(), key=lambda tree: -tree[0])[:most]
        if ranked[-1][0] >= limit or size >= _MOST:
            break
        size *= 2
    found, is_known = list[Agreement](), True  # whether all ranks so far are proved
    for place, (score, edges) in enumerate(ranked):
        bound = min(limit, first.bound if place == 0 else ranked[place - 1][0]) if is_known else first.bound
        found.append(Agreement(edges, score, max(score, bound), first.iterations, first.searches))
        is_known = is_known and found[-1].certified
    return found
