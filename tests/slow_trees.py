"""Trees by their definition, slowly."""

from collections.abc import Sequence


def dominates(ancestor: int, word: int, heads: Sequence[int]) -> bool:
    """Is `ancestor` on the way from `word` up, the word itself included? Stops in circles."""
    for _ in range(len(heads) + 1):
        if word == ancestor:
            return True
        if word <= 0:
            return False
        word = heads[word - 1]
    return False
