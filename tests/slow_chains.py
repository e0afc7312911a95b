"""The moves of chains as matrices: the chance to go from each tree to each, straight from the definitions."""

import itertools

import brute_force
import numpy as np
from listed_scores import Listed
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def gibbs(case: Listed, temperature: float, root_moves: float) -> Matrix:
    """One step of Gibbs: a word, or with probability `root_moves` another child of the root."""
    words = [redraw(case, temperature, {word}) for word in range(1, case.n + 1)]
    chances = np.mean(words, axis=0)
    roots = [word for word in range(1, case.n + 1) if case.table[0, word] > -np.inf]
    if not case.single_root or len(roots) < 2:
        return chances
    return (1.0 - root_moves) * chances + root_moves * np.mean(
        [redraw_root(case, temperature, w) for w in roots], axis=0
    )


def redraw(case: Listed, temperature: float, words: set[int]) -> Matrix:
    """Draw the heads of some words given all others."""
    matrix = np.zeros((len(case.trees), len(case.trees)))
    for row, tree in enumerate(case.trees):
        _share(case, temperature, matrix, row, _alike(case, tree, words))
    return matrix


def redraw_root(case: Listed, temperature: float, word: int) -> Matrix:
    """Draw the heads of a word and of the root's child given all others."""
    matrix = np.zeros((len(case.trees), len(case.trees)))
    for row, tree in enumerate(case.trees):
        root = tree.index(0) + 1
        others = [row] if root == word else _alike(case, tree, {word, root})
        _share(case, temperature, matrix, row, others)
    return matrix


def walk(case: Listed, temperature: float, words: int) -> Matrix:
    """One step of the random walk: so many words, any set of them alike."""
    sets = list(itertools.combinations(range(1, case.n + 1), min(words, case.n)))
    return np.mean([walk_some(case, temperature, set(some)) for some in sets], axis=0)


def walk_some(case: Listed, temperature: float, words: set[int]) -> Matrix:
    """Propose by arcs alone, among all trees with the heads of the other words, and accept or not."""
    matrix = np.zeros((len(case.trees), len(case.trees)))
    arcs = {tree: _arc_weight(case, tree, temperature) for tree in _every_tree(case)}
    for row, tree in enumerate(case.trees):
        proposals = [
            other
            for other in arcs
            if all(a == b or word in words for word, (a, b) in enumerate(zip(tree, other, strict=True), start=1))
            and not (case.single_root and tree.index(0) + 1 not in words and other.count(0) != 1)
        ]
        total = sum(arcs[other] for other in proposals)
        for other in proposals:
            column = case.numbers.get(other, -1)
            if column >= 0 and column != row:  # others have probability 0
                ratio = np.exp((case.totals[column] - case.totals[row]) / temperature) * arcs[tree] / arcs[other]
                matrix[row, column] += arcs[other] / total * min(1.0, ratio)
        matrix[row, row] = 1.0 - matrix[row].sum()
    return matrix


def _every_tree(case: Listed) -> list[tuple[int, ...]]:
    """All trees of candidates, with any number of children of the root, crossing or not."""
    trees = brute_force.trees(case.n).heads
    kept = np.isfinite(case.table[trees, np.arange(1, case.n + 1)]).all(axis=1)
    return [tuple(tree) for tree in trees[kept].tolist()]


def _arc_weight(case: Listed, tree: tuple[int, ...], temperature: float) -> float:
    return float(np.exp(sum(case.table[head, word] for word, head in enumerate(tree, start=1)) / temperature))


def _alike(case: Listed, tree: tuple[int, ...], words: set[int]) -> list[int]:
    """The trees that differ from one in the heads of some words at most."""
    return [
        number
        for number, other in enumerate(case.trees)
        if all(a == b or word in words for word, (a, b) in enumerate(zip(tree, other, strict=True), start=1))
    ]


def _share(case: Listed, temperature: float, matrix: Matrix, row: int, columns: list[int]) -> None:
    weights = np.exp((case.totals[columns] - case.totals[columns].max()) / temperature)
    matrix[row, columns] += weights / weights.sum()
