"""Which arcs are non-projective, for heads that may be missing or go round in circles, as a system's may.

An arc is projective if its head dominates every word between the two ends (Kübler, McDonald and Nivre 2009).
`headway.corpus.nonprojective_arcs` says the same of trees, and refuses what is none. Sets of words are
integers here, one bit a word: O(n · depth) to fill them, then O(1) operations of n bits an arc.
"""

from collections.abc import Sequence


def nonprojective_arcs(heads: Sequence[int]) -> list[bool]:
    """For each word, whether the arc to it is non-projective.

    Parameters
    ----------
    heads : (n,) int
        The heads of words 1..n; 0 is the root, -1 a missing head. They need not form a tree.

    Returns
    -------
    (n,) bool
        Arcs from the root, which dominates everything, are projective; missing arcs count as such too.

    Examples
    --------
    >>> nonprojective_arcs([3, 4, 0, 3])
    [False, True, False, False]
    """
    dominated = _dominated(heads)
    return [
        head > 0 and _between(head, modifier) & ~dominated[head] != 0 for modifier, head in enumerate(heads, start=1)
    ]


def _dominated(heads: Sequence[int]) -> list[int]:
    """For each word (index 0 unused), the set of words that it dominates, itself included."""
    dominated = [0] * (len(heads) + 1)
    for word in range(1, len(heads) + 1):
        ancestor = word
        while ancestor > 0 and not dominated[ancestor] >> word & 1:
            dominated[ancestor] |= 1 << word
            ancestor = heads[ancestor - 1]
    return dominated


def _between(first: int, second: int) -> int:
    """The set of words strictly between two words."""
    low, high = min(first, second), max(first, second)
    return (1 << high) - 1 >> low + 1 << low + 1
