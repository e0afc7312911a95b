"""All projective trees of a few words, and the scores of their parts from dense tables: the oracle of the charts."""

import itertools
from functools import cache

import numpy as np
from numpy.typing import NDArray

from headway.parts import Candidates, Scores
from headway.parts.arc_index import grandparent_place, index_arcs, sibling_place
from headway.parts.third_order_index import grand_sibling_place, index_third_order, tri_sibling_place

IntArray = NDArray[np.int64]
Part = tuple[str, int, tuple[int, ...]]
KINDS = ("sibling", "grandparent", "grand_sibling", "tri_sibling")
PARTS = {
    "first-order": (),
    "sibling": ("sibling",),
    "model0": ("grandparent",),
    "model1": ("sibling", "grandparent", "grand_sibling"),
    "tri-sibling": ("sibling", "tri_sibling"),
    "carreras": ("sibling", "grandparent"),
    "model2": KINDS,
}
"""The parts of each factorization; for the last two, those of outer children alone."""


OUTER = {"carreras": 1, "model2": 2}


def read_by(factorization: str, scores: Scores) -> Scores:
    """The scores that a factorization has."""
    tables = {kind: getattr(scores, kind) for kind in PARTS[factorization]}
    return Scores(scores.arc, outer=OUTER.get(factorization, 0), **tables)


def _halves(head: int, first: int, last: int) -> list[dict[int, int]]:
    """All ways to hang the words from `first` to `last` below `head`, which lies next to them."""
    if first > last:
        return [{}]
    found = []
    for child in range(first, last + 1):  # the child nearest to the head
        for end in range(child, last + 1) if head < first else range(first, child + 1):
            if head < first:
                inner, outer, rest = (first, child - 1), (child + 1, end), (end + 1, last)
            else:
                inner, outer, rest = (child + 1, last), (end, child - 1), (first, end - 1)
            for parts in itertools.product(_halves(child, *inner), _halves(child, *outer), _halves(head, *rest)):
                found.append({child: head, **parts[0], **parts[1], **parts[2]})
    return found


@cache
def projective_trees(length: int, *, single_root: bool) -> NDArray[np.int32]:
    """(trees, n + 1) The heads of every projective tree, -1 for the root."""
    trees = [[-1, *(tree[word] for word in range(1, length + 1))] for tree in _halves(0, 1, length)]
    table = np.array(trees, dtype=np.int32).reshape(len(trees), length + 1)
    return table[(table == 0).sum(axis=1) == min(1, length)] if single_root else table


def parts_of(heads: NDArray[np.int32], factorization: str) -> list[Part]:
    """The parts of a tree: kind, side and words; n + 1 for none."""
    none, kinds, found = len(heads), PARTS[factorization], []
    for head, side in itertools.product(range(none), (0, 1)):
        above = int(heads[head])
        children = [m for m in range(1, none) if heads[m] == head and (m > head) == (side == 1)]
        children = children if side else children[::-1]
        row = [none, *children, none]
        outer = {"model2": children[-2:], "carreras": children[-1:]}.get(factorization, children)
        steps = list(itertools.pairwise(row))
        found += [("sibling", side, (head, s, m)) for s, m in steps]
        found += [("tri_sibling", side, (head, *three)) for three in zip(row, row[1:], row[2:], strict=False)]
        if head > 0:
            found += [("grandparent", side, (above, head, m)) for m in outer]
            some = steps[-2:] if factorization == "model2" else steps
            found += [("grand_sibling", side, (above, head, s, m)) for s, m in some]
    return [part for part in found if part[0] in kinds]


@cache
def all_parts(length: int, factorization: str, *, single_root: bool) -> list[list[Part]]:
    """The parts of every projective tree."""
    return [parts_of(heads, factorization) for heads in projective_trees(length, single_root=single_root)]


class Places:
    """Where every possible part over some candidates lies in its table."""

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        index = index_arcs(candidates.mask())
        third = index_third_order(index)
        self.sizes = dict(zip(KINDS, (*index.sizes.tolist(), *third.sizes.tolist()), strict=True))
        none, mask = candidates.length + 1, candidates.mask()
        self.place: dict[Part, int] = {}
        self._parts: dict[tuple[str, bool], dict[str, tuple[IntArray, IntArray]]] = {}
        for head, side in itertools.product(range(none), (0, 1)):
            modifiers = [m for m in range(1, none) if m != head and mask[head, m] and (m > head) == (side == 1)]
            modifiers = modifiers if side else modifiers[::-1]
            heads = [g for g in range(none) if head > 0 and g != head and mask[g, head]]
            for m in modifiers:
                for g in heads:
                    self.place["grandparent", side, (g, head, m)] = grandparent_place(index, g, head, m)
            for inner, outer in itertools.combinations([-1, *range(len(modifiers)), len(modifiers)], 2):
                s, m = none if inner < 0 else modifiers[inner], none if outer == len(modifiers) else modifiers[outer]
                self.place["sibling", side, (head, s, m)] = sibling_place(index, head, side, s, m)
                for g in heads:
                    place = grand_sibling_place(index, third, g, head, side, s, m)
                    self.place["grand_sibling", side, (g, head, s, m)] = place
                if inner < 0:
                    continue
                for before in range(-1, inner):
                    t = none if before < 0 else modifiers[before]
                    place = tri_sibling_place(index, third, head, side, t, s, m)
                    self.place["tri_sibling", side, (head, t, s, m)] = place

    def random_scores(self, generator: np.random.Generator, *, whole: bool = False) -> Scores:
        """Scores for all kinds of parts; whole numbers make ties."""

        def draw(size: int) -> NDArray[np.float64]:
            values = generator.normal(size=size)
            return values.round() if whole else values

        return Scores(draw(len(self.candidates)), **{kind: draw(size) for kind, size in self.sizes.items()})

    def tree_scores(self, scores: Scores, factorization: str, *, single_root: bool) -> NDArray[np.float64]:
        """The score of every projective tree; -inf where an arc is no candidate."""
        length = self.candidates.length
        trees = projective_trees(length, single_root=single_root)
        arcs = self.candidates.dense(scores.arc, -np.inf)
        totals = arcs[trees[:, 1:], np.arange(1, length + 1)].sum(axis=1)
        for kind, (numbers, places) in self.parts_of_trees(factorization, single_root=single_root).items():
            totals += np.bincount(numbers, getattr(scores, kind)[places], minlength=len(trees))
        return totals

    def parts_of_trees(self, factorization: str, *, single_root: bool) -> dict[str, tuple[IntArray, IntArray]]:
        """For each kind, the parts of all trees over the candidates: the numbers of the trees, and the places."""
        known = self._parts.get((factorization, single_root))
        if known is None:
            length, mask = self.candidates.length, self.candidates.mask()
            trees = projective_trees(length, single_root=single_root)
            possible = mask[trees[:, 1:], np.arange(1, length + 1)].all(axis=1)
            lists: dict[str, list[tuple[int, int]]] = {kind: [] for kind in KINDS if kind in PARTS[factorization]}
            for number, parts in enumerate(all_parts(length, factorization, single_root=single_root)):
                if possible[number]:
                    for part in parts:
                        lists[part[0]].append((number, self.place[part]))
            pairs = {kind: np.array(found, dtype=np.int64).reshape(-1, 2) for kind, found in lists.items()}
            known = {kind: (found[:, 0], found[:, 1]) for kind, found in pairs.items()}
            self._parts[factorization, single_root] = known
        return known
