"""Spanning trees beyond the reach of brute force: deep contractions, long sentences, a second opinion."""

import brute_force
import numpy as np
import pytest
from numpy.typing import NDArray

from headway.decoders.eisner import Eisner, eisner_kernel
from headway.decoders.spanning_tree import SpanningTree, spanning_tree_kernel
from headway.parts import Candidates, Scores


def contract_recursively(table: NDArray[np.float64]) -> dict[int, int]:
    """Chu-Liu-Edmonds as in the textbook: contract one cycle, solve the smaller graph, expand. O(n³)."""
    vertices = [v for v in range(len(table)) if v == 0 or np.isfinite(table[:, v]).any()]
    best = {v: int(np.argmax(table[:, v])) for v in vertices if v > 0}
    cycle = find_cycle(best)
    if not cycle:
        return best
    inside = np.zeros(len(table), dtype=bool)
    inside[cycle] = True
    entering = table[:, cycle] - np.array([table[best[v], v] for v in cycle])
    smaller = table.copy()
    smaller[:, inside] = -np.inf
    smaller[inside, :] = -np.inf
    merged = cycle[0]
    smaller[~inside, merged] = entering[~inside].max(axis=1)
    smaller[merged, ~inside] = table[np.ix_(cycle, ~inside)].max(axis=0)
    smaller[:, 0] = -np.inf
    heads = contract_recursively(smaller)
    solution = {v: best[v] for v in cycle}
    for modifier, head in heads.items():
        if modifier == merged:
            solution[cycle[int(np.argmax(entering[head]))]] = head
        elif head == merged:
            solution[modifier] = cycle[int(np.argmax(table[cycle, modifier]))]
        else:
            solution[modifier] = head
    return solution


def find_cycle(heads: dict[int, int]) -> list[int]:
    for start in heads:
        seen = [start]
        while seen[-1] != 0 and heads[seen[-1]] not in seen:
            seen.append(heads[seen[-1]])
        if seen[-1] != 0:
            return seen[seen.index(heads[seen[-1]]) :]
    return []


def reference_score(table: NDArray[np.float64], single_root: bool) -> float:
    """The best score, with a single root by trying every word as the only child of the root."""
    n = len(table) - 1
    scores = []
    for root in range(1, n + 1) if single_root else [0]:
        forced = table.copy()
        if single_root:
            forced[0, np.arange(n + 1) != root] = -np.inf
        heads = contract_recursively(forced)
        scores.append(sum(forced[head, modifier] for modifier, head in heads.items()))
    return float(max(scores))


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("kind", ["normal", "ties", "large", "mixed", "cycles"])
def test_agrees_with_the_textbook(kind: str, single_root: bool) -> None:
    generator = np.random.default_rng(11)
    for n in (7, 10, 15, 22):
        for _ in range(5):
            table = brute_force.random_table(generator, n, kind)
            candidates = Candidates.all(n)
            parse = SpanningTree().decode(candidates, Scores(candidates.gather(table)), single_root=single_root)
            assert parse.score == pytest.approx(reference_score(table, single_root), rel=1e-11)


def test_undoes_cycles_within_cycles() -> None:
    """Word m + 1 heads word m, and each cycle 1..m closes at a higher price: all contractions are nested."""
    n = 30
    table = np.full((n + 1, n + 1), -1000.0)
    for word in range(1, n):
        table[word + 1, word] = 100.0
        table[1, word + 1] = 100.0 - word
    table[0, 1:] = -np.arange(1.0, n + 1)
    heads = np.empty(n + 1, dtype=np.int32)
    for single_root in (True, False):
        assert spanning_tree_kernel(table, single_root, heads)
        score = table[heads[1:], np.arange(1, n + 1)].sum()
        assert score == pytest.approx(reference_score(table, single_root))


def test_equals_eisner_where_the_best_tree_is_projective() -> None:
    generator = np.random.default_rng(5)
    agreed = 0
    for _ in range(400):
        n = int(generator.integers(1, 8))
        candidates = Candidates.all(n)
        distance = np.abs(candidates.heads - candidates.modifiers)
        scores = Scores(generator.normal(size=len(candidates)) - distance)
        free, projective = SpanningTree().decode(candidates, scores), Eisner().decode(candidates, scores)
        assert projective.score <= free.score + 1e-9
        if brute_force.is_projective(free.heads[1:]):
            agreed += 1
            np.testing.assert_array_equal(free.heads, projective.heads)
    assert 100 < agreed < 400


@pytest.mark.parametrize("single_root", [True, False])
def test_is_never_worse_than_eisner_on_long_sentences(single_root: bool) -> None:
    generator = np.random.default_rng(6)
    candidates = Candidates.all(200)
    for scale in (1.0, 1000.0):
        scores = Scores(generator.normal(size=len(candidates)) * scale)
        free = SpanningTree().decode(candidates, scores, single_root=single_root)
        projective = Eisner().decode(candidates, scores, single_root=single_root)
        assert free.score >= projective.score
        roots = np.sum(free.heads == 0), np.sum(projective.heads == 0)
        assert not single_root or roots == (1, 1)


@pytest.mark.parametrize("decode", [spanning_tree_kernel, eisner_kernel])
@pytest.mark.parametrize("single_root", [True, False])
def test_kernels_do_not_read_what_is_no_arc(decode, single_root: bool) -> None:  # type: ignore[no-untyped-def]
    generator = np.random.default_rng(7)
    table = brute_force.random_table(generator, 9, "normal")
    clean, soiled = np.empty(10, dtype=np.int32), np.empty(10, dtype=np.int32)
    assert decode(table, single_root, clean)
    for rubbish in (np.nan, 1e6):
        np.fill_diagonal(table, rubbish)
        table[:, 0] = rubbish
        assert decode(table, single_root, soiled)
        np.testing.assert_array_equal(clean, soiled)
