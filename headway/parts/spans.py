"""Compute and update the span of each word, from its leftmost to its rightmost descendant, as heads change.

Detaching or attaching a word changes only spans of its ancestors, and only up to the first one whose border the word's
span does not touch. If the tree is not projective, a span can contain words that are not descendants.
"""

import numpy as np
import numpy.typing as npt

from headway.kernel import leaf_kernel
from headway.parts.links import Links


@leaf_kernel
def set_spans(spans: npt.NDArray[np.int64], links: Links) -> None:
    """Write the first and last word of every span, ``spans`` (n + 1, 2), in O(n); the root's is left unchanged."""
    size = len(links.heads)
    for word in range(size):
        spans[word, 0], spans[word, 1] = word, word
    for word in range(1, size):  # the first word to reach an ancestor is its leftmost descendant
        above = links.heads[word]
        while above > 0 and spans[above, 0] > word:
            spans[above, 0] = word
            above = links.heads[above]
    for word in range(size - 1, 0, -1):
        above = links.heads[word]
        while above > 0 and spans[above, 1] < word:
            spans[above, 1] = word
            above = links.heads[above]


@leaf_kernel
def widen_spans(spans: npt.NDArray[np.int64], links: Links, modifier: int) -> None:
    """Update the spans right after `modifier` was linked."""
    left, right = spans[modifier, 0], spans[modifier, 1]
    above = links.heads[modifier]
    while above > 0 and (spans[above, 0] > left or spans[above, 1] < right):
        spans[above, 0] = min(spans[above, 0], left)
        spans[above, 1] = max(spans[above, 1], right)
        above = links.heads[above]


@leaf_kernel
def narrow_spans(spans: npt.NDArray[np.int64], links: Links, modifier: int) -> None:
    """Update the spans right after `modifier` was unlinked."""
    left, right = spans[modifier, 0], spans[modifier, 1]
    above = links.heads[modifier]
    while above > 0 and (spans[above, 0] == left or spans[above, 1] == right):
        first, last = above, above
        for side in range(2):
            child = links.first[above, side]
            while child != len(links.heads):
                first, last = min(first, spans[child, 0]), max(last, spans[child, 1])
                child = links.following[child]
        spans[above, 0], spans[above, 1] = first, last
        above = links.heads[above]
