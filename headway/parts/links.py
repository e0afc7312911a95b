"""A tree as linked lists of children, for searches that change one head at a time.

Each head has a list of children on each side, nearest first; attaching and detaching a word takes time linear in the
lengths of two such lists. The word n + 1 means "none": before the first child and after the last.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import inner_kernel, kernel, leaf_kernel


class Links(NamedTuple):
    """A tree, or a forest while a word is detached.

    Parameters
    ----------
    heads : (n + 1,) int64
        The head of each word; -1 for the root.
    first : (n + 1, 2) int64
        The nearest child on the left and on the right, n + 1 for none.
    following : (n + 2,) int64
        The next child of the same head on the same side, n + 1 for none.
    """

    heads: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    following: npt.NDArray[np.int64]


@kernel
def make_links(size: int) -> Links:
    """Allocate a tree over `size` - 1 words."""
    return Links(
        np.empty(size, dtype=np.int64), np.empty((size, 2), dtype=np.int64), np.empty(size + 1, dtype=np.int64)
    )


@leaf_kernel
def set_tree(links: Links, heads: npt.NDArray[np.int32]) -> None:
    """Set `links` to the tree `heads` (n + 1,)."""
    size = len(heads)
    links.first[:] = size
    links.following[:] = size
    links.heads[0] = -1
    for modifier in range(1, size):  # append to lists of right children, prepend to lists of left children
        link(links, modifier, heads[modifier])


@leaf_kernel
def link(links: Links, modifier: int, head: int) -> None:
    """Attach `modifier`, with all words below it, to `head`."""
    inner, outer = place(links, modifier, head)
    links.heads[modifier] = head
    links.following[modifier] = outer
    if inner == len(links.heads):
        links.first[head, side_of(head, modifier)] = modifier
    else:
        links.following[inner] = modifier


@leaf_kernel
def unlink(links: Links, modifier: int) -> None:
    """Remove `modifier`, with all words below it, from its head's list of children; its entry in `heads` stays."""
    head = links.heads[modifier]
    side = side_of(head, modifier)
    inner = len(links.heads)
    child = links.first[head, side]
    while child != modifier:
        inner = child
        child = links.following[child]
    if inner == len(links.heads):
        links.first[head, side] = links.following[modifier]
    else:
        links.following[inner] = links.following[modifier]


@inner_kernel
def place(links: Links, modifier: int, head: int) -> tuple[int, int]:
    """Return the children of `head` that are, or would be, next to `modifier`: the inner and the outer one."""
    none = len(links.heads)
    inner = none
    outer = int(links.first[head, side_of(head, modifier)])
    while outer != none and abs(outer - head) < abs(modifier - head):
        inner = outer
        outer = int(links.following[outer])
    return inner, outer


@inner_kernel
def side_of(head: int, modifier: int) -> int:
    """Return 0 for a modifier to the left of its head, 1 for one to the right."""
    return 1 if modifier > head else 0


@leaf_kernel
def is_below(links: Links, word: int, above: int) -> bool:
    """Return whether `word` is `above` or lies below it."""
    while word > 0 and word != above:
        word = links.heads[word]
    return bool(word == above)


@kernel
def bottom_up(links: Links, order: npt.NDArray[np.int64]) -> None:
    """Write the words into `order` (n,), those furthest from the root first."""
    size = len(links.heads)
    depths = np.zeros(size, dtype=np.int64)
    counts = np.zeros(size + 1, dtype=np.int64)
    for word in range(1, size):
        above = word
        while above > 0:
            above = links.heads[above]
            depths[word] += 1
        counts[size - depths[word]] += 1
    for depth in range(1, size + 1):
        counts[depth] += counts[depth - 1]
    for word in range(size - 1, 0, -1):
        bucket = size - depths[word]
        counts[bucket] -= 1
        order[counts[bucket]] = word
