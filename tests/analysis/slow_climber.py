"""Hill climbing over first-order scores as in the paper's Figure 1, word by word in Python; several roots allowed."""

import numpy as np
from numpy.typing import NDArray
from small_corpus import random_heads

from headway.parts import Candidates, Parse, Scores, arc_table


def is_below(heads: NDArray[np.integer], word: int, other: int) -> bool:
    """Whether `word` is `other` or hangs below it."""
    while word not in (other, 0):
        word = heads[word]
    return word == other


def best_head(table: NDArray[np.float64], heads: NDArray[np.integer], word: int) -> int:
    """The head that makes the tree best, the other words staying; of equals, the first."""
    possible = [head for head in range(len(heads)) if not is_below(heads, head, word)]
    return max(possible, key=lambda head: (table[head, word], -head))


def bottom_up(heads: NDArray[np.integer]) -> list[int]:
    """The words, each before its head."""

    def depth(word: int) -> int:
        return 0 if word == 0 else 1 + depth(int(heads[word]))

    return sorted(range(1, len(heads)), key=depth, reverse=True)


def climb(table: NDArray[np.float64], heads: NDArray[np.integer]) -> NDArray[np.int32]:
    """Move words until none moves."""
    heads = np.array(heads, dtype=np.int32)
    moved = True
    while moved:
        moved = False
        for word in bottom_up(heads):
            head = best_head(table, heads, word)
            moved |= head != heads[word]
            heads[word] = head
    return heads


def slow_hill_climbing(
    candidates: Candidates,
    scores: Scores,
    *,
    single_root: bool = False,
    cost: NDArray[np.float64] | None = None,
    start: str = "uniform",
    restarts: int = 300,
    seed: int = 0,
) -> Parse:
    """A decoder; it climbs `restarts` times, whatever comes out."""
    assert not single_root
    assert start == "uniform"
    generator, table = np.random.default_rng(seed), arc_table(candidates, scores, cost)
    words, best = np.arange(1, candidates.length + 1), Parse(np.zeros(0, dtype=np.int32), -np.inf)
    for number in range(1, restarts + 1):
        heads = climb(table, np.array([-1, *random_heads(generator, candidates.length)]))
        score = float(table[heads[1:], words].sum())
        if score > best.score + 1e-9:
            best = Parse(heads, score, statistics={"restarts": restarts, "found": number})
    return best
