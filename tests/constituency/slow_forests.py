"""All trees of a forest, one by one; and small grammars and forests to try them on."""

import itertools
from collections.abc import Iterator

import numpy as np

from headway.constituency.cky import Leaves
from headway.constituency.forest import LEFT, PARENT, RIGHT, Forest
from headway.constituency.grammar import RuleTable


def all_trees(forest: Forest) -> list[list[int]]:
    """The edges of every tree of the whole sentence."""

    def below(item: int) -> Iterator[list[int]]:
        for edge in np.flatnonzero(forest.edges[:, PARENT] == item).tolist():
            children = [child for child in forest.edges[edge, [LEFT, RIGHT]].tolist() if child >= 0]
            for choice in itertools.product(*map(list, map(below, children))):
                yield [edge, *itertools.chain.from_iterable(choice)]

    return list(below(len(forest.items) - 1))


def small_table(generator: np.random.Generator, symbols: int) -> RuleTable:
    """Random rules over a few symbols: binary ones at will, unary ones from lower to higher symbols."""
    drawn = {tuple(generator.integers(0, symbols, 3).tolist()): generator.normal() for _ in range(3 * symbols)}
    binary = sorted(drawn, key=lambda rule: (rule[1], -drawn[rule]))
    pairs = [(high, low) for low in range(symbols) for high in range(low + 1, symbols)]
    unary = sorted((pair for pair in pairs if generator.random() < 0.3), key=lambda rule: rule[1])
    size = np.arange(symbols + 1)
    return RuleTable(
        np.array(binary, dtype=np.int32).reshape(-1, 3),
        np.array(unary, dtype=np.int32).reshape(-1, 2),
        np.searchsorted([rule[1] for rule in binary], size).astype(np.int64),
        np.searchsorted([rule[1] for rule in unary], size).astype(np.int64),
        np.array([*(drawn[rule] for rule in binary), *generator.normal(size=len(unary))]),
        np.arange(symbols, dtype=np.int32),
        np.zeros(symbols),
        np.where(generator.random(symbols) < 0.7, generator.normal(size=symbols), -np.inf),
    )


def slow_scores(leaves: Leaves, table: RuleTable) -> list[float]:
    """The scores of all trees of a sentence under a grammar, by recursion over spans and symbols."""
    binary = len(table.binary)

    def trees(symbol: int, start: int, end: int) -> list[float]:
        found = []
        if end - start == 1:
            found += [
                float(leaves.scores[leaf])
                for leaf in range(leaves.starts[start], leaves.starts[end])
                if leaves.tags[leaf] == symbol
            ]
        for number, (parent, left, right) in enumerate(table.binary.tolist()):
            if parent == symbol:
                for middle in range(start + 1, end):
                    others = trees(right, middle, end)
                    if others:
                        found += [
                            float(table.scores[number]) + one + other
                            for one in trees(left, start, middle)
                            for other in others
                        ]
        for number, (parent, child) in enumerate(table.unary.tolist()):
            if parent == symbol:
                found += [float(table.scores[binary + number]) + one for one in trees(child, start, end)]
        return found

    length = len(leaves.starts) - 1
    return [
        float(score) + one
        for symbol, score in enumerate(table.top)
        if score > -np.inf
        for one in trees(symbol, 0, length)
    ]
