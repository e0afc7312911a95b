"""A markovised grammar: the rules of binarised trees and their relative frequencies.

Klein and Manning (2003), "Accurate unlexicalized parsing": the labels of phrase parts contain one modifier (h = 1), and
labels can contain their parent (v = 2). Collins (1999), section 7.2.1: base noun phrases and clauses without a subject
have separate labels.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.constituency.binarisation import binarised
from headway.constituency.head_rules import HeadRules, head_children
from headway.constituency.tree import MARKER, NOTE, Tree


def noted(tree: Tree, tags: Collection[str], *, parents: bool = False) -> Tree:
    """Add notes to the labels of a tree: for base noun phrases, clauses without a subject and, if requested, parents.

    Parameters
    ----------
    tags : collection of str
        The tags of the treebank; phrases whose label is a tag get a note, too.
    """
    labels = list(tree.labels)
    for node, below in enumerate(tree.children):
        label = tree.labels[node]
        if not below:
            continue
        if label in tags:
            labels[node] += f"{NOTE}phrase"
        if label == "NP" and all(tree.words[child] is not None for child in below):
            labels[node] += f"{NOTE}base"
        elif label == "S" and not any(tree.labels[child] == "NP" for child in below):
            labels[node] += f"{NOTE}bare"
        if parents and tree.parents[node] > 0:
            labels[node] += NOTE + tree.labels[tree.parents[node]]
    return Tree(tuple(labels), tree.parents, tree.words)


def plain_label(label: str) -> str:
    """Return a label without notes."""
    return label.partition(NOTE)[0] or label


class RuleTable(NamedTuple):
    """The rules as arrays of symbol indices.

    Parameters
    ----------
    binary : (binary rules, 3) int32
        Parent, left child, right child; sorted by left child, then by score plus the parent's `prior`, highest first.
    unary : (unary rules, 2) int32
        Parent, child; sorted by child.
    binary_starts, unary_starts : (symbols + 1,) int64
        The start of the rules of each left child, or child.
    scores : (binary + unary rules,) float64
        Log probabilities, of binary rules first.
    order : (symbols,) int32
        All symbols, sorted so that unary rules lead from earlier to later symbols.
    prior : (symbols,) float64
        The log frequency of each symbol.
    top : (symbols,) float64
        The log probability of each symbol at the top of a tree.
    """

    binary: npt.NDArray[np.int32]
    unary: npt.NDArray[np.int32]
    binary_starts: npt.NDArray[np.int64]
    unary_starts: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    order: npt.NDArray[np.int32]
    prior: npt.NDArray[np.float64]
    top: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Grammar:
    """Rules and their counts.

    Parameters
    ----------
    symbols : tuple of str
        The symbols: first tags, then parts of phrases (made by binarisation), then phrases.
    tags : int
        The number of tags.
    rules : sequence of (tuple of int)
        Parent, child or children, and count of each rule.
    tops : dict of str to int
        How often each symbol is at the top of a tree.
    """

    symbols: tuple[str, ...]
    tags: int
    rules: Sequence[tuple[int, ...]]
    tops: dict[str, int]

    @classmethod
    def fit(cls, trees: Sequence[Tree], head_rules: HeadRules, *, parents: bool = False) -> "Grammar":
        """Count the rules of stripped trees."""
        counts: Counter[tuple[str, ...]] = Counter()
        tags = {tag for tree in trees for tag in tree.tags}
        tops: Counter[str] = Counter()
        for tree in trees:
            binary = binarised(noted(tree, tags, parents=parents), head_children(tree, head_rules))
            tops[binary.labels[0]] += 1
            for node, below in enumerate(binary.children):
                if below:
                    counts[binary.labels[node], *(binary.labels[child] for child in below)] += 1
        names = {label for rule in counts for label in rule} | set(tops)
        parts = sorted(name for name in names if MARKER in name)
        phrases = sorted(names - set(parts) - tags)
        symbols = (*sorted(tags), *parts, *phrases)
        number = {name: place for place, name in enumerate(symbols)}
        rules = [(*(number[label] for label in rule), count) for rule, count in sorted(counts.items())]
        return cls(symbols, len(tags), rules, dict(tops))

    @cached_property
    def number(self) -> dict[str, int]:
        """The index of each symbol."""
        return {name: place for place, name in enumerate(self.symbols)}

    @cached_property
    def table(self) -> RuleTable:
        """The rules as arrays. Cycles of unary rules are broken by leaving out the rarest rule."""
        size = len(self.symbols)
        totals = np.zeros(size)
        for parent, *_, count in self.rules:
            totals[parent] += count
        order, unary = self._unary()
        prior = np.full(size, 1.0)
        for rule in self.rules:
            prior[rule[0]] += rule[-1] if len(rule) == 4 else 0
            for child in rule[1:-1]:
                prior[child] += rule[-1] if child < self.tags else 0
        for _, parent, count in unary:
            prior[parent] += count
        shifts = np.log(prior / totals.clip(1))  # a rule's log count plus its parent's shift is its score plus `prior`
        binary = sorted(
            ((rule[1], rule[2], rule[0], rule[3]) for rule in self.rules if len(rule) == 4),
            key=lambda rule: (rule[0], -np.log(rule[3]) - shifts[rule[2]], rule),
        )
        scores = [np.log(count / totals[parent]) for _, _, parent, count in binary]
        scores += [np.log(count / totals[parent]) for _, parent, count in unary]
        top = np.full(size, -np.inf)
        for name, count in self.tops.items():
            top[self.number[name]] = np.log(count / sum(self.tops.values()))
        lefts, children = [rule[0] for rule in binary], [rule[0] for rule in unary]
        return RuleTable(
            np.array([(rule[2], rule[0], rule[1]) for rule in binary], dtype=np.int32).reshape(-1, 3),
            np.array([(rule[1], rule[0]) for rule in unary], dtype=np.int32).reshape(-1, 2),
            np.searchsorted(lefts, np.arange(size + 1)).astype(np.int64),
            np.searchsorted(children, np.arange(size + 1)).astype(np.int64),
            np.array(scores, dtype=np.float64),
            order,
            np.log(prior / prior.sum()),
            top,
        )

    def _unary(self) -> tuple[npt.NDArray[np.int32], list[tuple[int, int, int]]]:
        """Sort the symbols topologically by unary rules; return them, and the kept rules: child, parent, count.

        Rules between phrases are added in the order of their counts unless they would make a cycle.
        """
        after: list[set[int]] = [set() for _ in self.symbols]  # the parents of each symbol by the rules kept so far

        def reaches(start: int, goal: int) -> bool:
            seen, stack = {start}, [start]
            while stack:
                node = stack.pop()
                if node == goal:
                    return True
                fresh = after[node] - seen
                seen |= fresh
                stack.extend(fresh)
            return False

        kept = []
        for parent, child, count in sorted((rule for rule in self.rules if len(rule) == 3), key=lambda rule: -rule[2]):
            if not reaches(parent, child):
                after[child].add(parent)
                kept.append((child, parent, count))
        degree = Counter(parent for _, parent, _ in kept)
        ready = [symbol for symbol in range(len(self.symbols) - 1, -1, -1) if not degree[symbol]]
        order = []
        while ready:
            symbol = ready.pop()
            order.append(symbol)
            for parent in sorted(after[symbol], reverse=True):
                degree[parent] -= 1
                if not degree[parent]:
                    ready.append(parent)
        return np.array(order, dtype=np.int32), sorted(kept)
