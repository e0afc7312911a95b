"""Greedy inference by its definition: sets of arcs, all values computed anew for every arc. The decoder's slow twin."""

import itertools
import math
from dataclasses import dataclass

import brute_force
import numpy as np
import part_samples

from headway.decoders.partial_tree import UNLIKELY

Arc = tuple[int, int]


@dataclass(frozen=True)
class Part:
    present: frozenset[Arc]
    absent: frozenset[Arc]
    weight: float


class SlowGreedy:
    """Values and choices over the parts of a case."""

    def __init__(self, case: part_samples.Case, *, sharpness: float, balance: float, basic: bool, single_root: bool):
        self.case, self.balance, self.basic, self.single_root = case, balance, basic, single_root
        n = case.n
        self.arcs = [(h, m) for m in range(1, n + 1) for h in range(n + 1) if case.candidates.index(h, m) >= 0]
        self.chance = {}
        for modifier in range(1, n + 1):
            incoming = [arc for arc in self.arcs if arc[1] == modifier]
            weights = np.exp(sharpness * np.array([case.arc[arc] for arc in incoming]))
            self.chance |= dict(zip(incoming, (weights / weights.sum()).tolist(), strict=True))
        chosen = brute_force.trees(n)
        rows = chosen.heads[chosen.single_root] if single_root else chosen.heads
        trees = [frozenset((int(h), m) for m, h in enumerate(row, 1)) for row in rows]
        self.trees = [tree for tree in trees if tree <= set(self.arcs)]
        self.parts = [Part(frozenset([arc]), frozenset(), float(case.arc[arc])) for arc in self.arcs]
        self.constant = 0.0
        for (kind, words), weight in case.parts.items():
            for present, absent in self.sets(kind, words):
                if not present <= set(self.arcs) or (single_root and sum(head == 0 for head, _ in present) > 1):
                    continue
                if single_root and kind == "sibling" and words == (0, n + 1, n + 1) and absent:
                    continue  # the root has a child
                if single_root and any(head == 0 for head, _ in absent):
                    absent = frozenset()
                if present or absent:
                    self.parts.append(Part(present, absent, weight))
                else:
                    self.constant += weight

    def sets(self, kind: str, words: tuple[int, ...]) -> list[tuple[frozenset[Arc], frozenset[Arc]]]:
        """The arcs that a part has, and those that it must not have; twice for a head without children."""
        none = self.case.n + 1
        if kind == "grandparent":
            g, h, m = words
            return [(frozenset([(g, h), (h, m)]), frozenset())]
        if kind == "great_grandparent":
            a, g, h, m = words
            return [(frozenset([(a, g), (g, h), (h, m)]), frozenset())]
        if kind == "head_bigram":
            j, h, m = words
            return [(frozenset([(j, m - 1), (h, m)]), frozenset())]
        if kind == "arbitrary_sibling":
            h, s, m = words
            return [(frozenset([(h, s), (h, m)]), frozenset())]
        more = set[Arc]()
        if kind == "sibling":
            head, row = words[0], words[1:]
        elif kind == "grand_sibling":
            head, row = words[1], words[2:]
            more.add((words[0], head))
        elif kind == "tri_sibling":
            head, row = words[0], words[1:]
        else:
            head, m, s, x = words
            row = (m, s) if abs(m - head) < abs(s - head) else (s, m)
            more.add((m, x))
        real = [word for word in row if word != none]
        found = []
        for side in (0, 1):
            if real and (real[0] > head) != (side == 1):
                continue
            start = 0 if row[0] == none else abs(row[0] - head)
            end = none if row[-1] == none else abs(row[-1] - head)
            between = {
                (head, m)
                for h, m in self.arcs
                if h == head and (m > head) == (side == 1) and start < abs(m - head) < end and m not in real
            }
            present = frozenset((head, word) for word in real) | more
            between = {arc for arc in between if arc[1] not in {m for _, m in more}}
            found.append((present, frozenset(between)))
        return found

    def lost(self, tree: frozenset[Arc]) -> set[Arc]:
        """The arcs that cannot join a partial tree."""
        heads = {m: h for h, m in tree}
        gone = set()
        for head, modifier in self.arcs:
            word = head
            while word in heads:
                word = heads[word]
            rooted = self.single_root and head == 0 and any(h == 0 for h, _ in tree)
            if (head, modifier) not in tree and (modifier in heads or word == modifier or rooted):
                gone.add((head, modifier))
        return gone

    def probability(self, part: Part, tree: frozenset[Arc], gone: set[Arc]) -> float:
        if part.present & gone or part.absent & tree:
            return 0.0
        if self.basic:
            return 1.0
        absent = [self.chance[arc] for arc in part.absent - gone]
        return math.prod(self.chance[arc] for arc in part.present - tree) * math.prod(
            max(1.0 - chance, 1e-9) if chance >= UNLIKELY else 1.0 for chance in absent
        )

    def value(self, tree: frozenset[Arc], arc: Arc) -> float:
        gone, more = self.lost(tree), tree | {arc}
        after = self.lost(more)
        loss = gain = 0.0
        for part in self.parts:
            before = part.weight * self.probability(part, tree, gone)
            ruled_out = bool(part.present & after) or arc in part.absent
            if ruled_out:
                loss += before
            elif self.basic:
                settled = part.present <= more and part.absent <= after
                gain += part.weight if settled and not (part.present <= tree and part.absent <= gone) else 0.0
            elif arc in part.present:
                gain += before / self.chance[arc]
        return loss - gain if self.basic else self.balance * loss - (1.0 - self.balance) * gain

    def search(self, beam: int) -> list[tuple[float, list[float], frozenset[Arc]]]:
        """The finished trees of a beam: value, values of the arcs as they were chosen, and the tree."""
        front = [(0.0, list[float](), frozenset[Arc]())]
        for _ in range(self.case.n):
            after: dict[frozenset[Arc], tuple[float, list[float], frozenset[Arc]]] = {}
            for total, values, tree in front:
                gone = self.lost(tree)
                steps = [(self.value(tree, arc), arc) for arc in self.arcs if arc not in gone and arc not in tree]
                possible = [(v, arc) for v, arc in sorted(steps) if any(tree | {arc} <= whole for whole in self.trees)]
                for value, arc in itertools.islice(possible, beam):
                    key = tree | {arc}
                    if key not in after or total + value < after[key][0]:
                        after[key] = (total + value, [*values, value], key)
            front = sorted(after.values(), key=lambda item: item[0])[:beam]
        return front

    def swapped(self, heads: tuple[int, ...]) -> list[tuple[int, ...]]:
        """All trees that one arc swap makes of one, heads of the words 1..n."""
        found = []
        known = {tuple(row) for row in self.case_trees()}
        for word, head in itertools.product(range(1, len(heads) + 1), range(len(heads) + 1)):
            above = heads[word - 1]
            if head in (word, above):
                continue
            path, new = [head], list(heads)
            while path[-1] not in (0, word):
                path.append(heads[path[-1] - 1])
            new[word - 1] = head
            if path[-1] == word:
                new[path[-2] - 1] = above
            if tuple(new) in known:
                found.append(tuple(new))
        return found

    def case_trees(self) -> list[tuple[int, ...]]:
        return [tuple({m: h for h, m in tree}[word] for word in range(1, self.case.n + 1)) for tree in self.trees]
