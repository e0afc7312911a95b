"""The second- and third-order parts: their kinds and shapes, and how to list the parts of a tree.

====================  ===========  ==================================================================
kind                  words        meaning
====================  ===========  ==================================================================
SIBLING               h s m        m follows s among the children of h on one side, going outwards
GRANDPARENT           g h m        a chain of two arcs
HEAD_BIGRAM           j h m        h is the head of m, and j the head of the word before m
GRAND_SIBLING         g h s m      a sibling part and the head above it
TRI_SIBLING           h t s m      three consecutive children
GREAT_GRANDPARENT     a g h m      a chain of three arcs
SIBLING_GRANDCHILD    h m s x      m and s are next to each other under h, and x is a child of m
ARBITRARY_SIBLING     h s m        any two children of h on one side, s the inner one
====================  ===========  ==================================================================

The word n + 1 means "none": it stands before the first child (as s or t) and after the last (as m). The shape of a part
describes the directions of its arcs; it is a number from 0 to 7 that selects a weight from each feature's row. A part
is packed into one integer, its key: four bits for the kind, three for the shape, and four words.

Reference: Zhang et al. 2014 ("Greed is good if randomized"), Section 5 and Figure 3. Listing the parts of a tree: O(n).
"""

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from headway.kernel import inner_kernel, kernel, leaf_kernel
from headway.parts.links import Links


class Kind(StrEnum):
    """A kind of part; `GLOBAL` stands for structures of the whole tree, which do not fit into tables."""

    ARC = "arc"
    SIBLING = "sibling"
    GRANDPARENT = "grandparent"
    HEAD_BIGRAM = "head_bigram"
    GRAND_SIBLING = "grand_sibling"
    TRI_SIBLING = "tri_sibling"
    GREAT_GRANDPARENT = "great_grandparent"
    SIBLING_GRANDCHILD = "sibling_grandchild"
    ARBITRARY_SIBLING = "arbitrary_sibling"
    GLOBAL = "global"


KINDS = tuple(kind for kind in Kind if kind not in (Kind.ARC, Kind.GLOBAL))
"""The second- and third-order kinds, in the order of their numbers."""

SIBLING, GRANDPARENT, HEAD_BIGRAM, GRAND_SIBLING = 0, 1, 2, 3
TRI_SIBLING, GREAT_GRANDPARENT, SIBLING_GRANDCHILD, ARBITRARY_SIBLING = 4, 5, 6, 7
"""The numbers of the kinds, for kernels."""

_WORD_BITS = 14
_WORD = (1 << _WORD_BITS) - 1
LONGEST = _WORD - 2
"""The maximum length of sentences whose parts have keys."""


@inner_kernel
def part_key(kind: int, shape: int, first: int, second: int, third: int, fourth: int) -> int:
    """Return the key of a part; `fourth` is 0 for kinds with three words."""
    key = np.int64(kind) << 3 | shape
    return int((((key << 14 | first) << 14 | second) << 14 | third) << 14 | fourth)


@inner_kernel
def read_key(key: int) -> tuple[int, int, int, int, int, int]:
    """Return kind, shape and the four words of a key."""
    words = 4 * _WORD_BITS
    return (
        key >> (words + 3),
        (key >> words) & 7,
        (key >> 3 * _WORD_BITS) & _WORD,
        (key >> 2 * _WORD_BITS) & _WORD,
        (key >> _WORD_BITS) & _WORD,
        key & _WORD,
    )


@leaf_kernel
def sibling_shape(sibling: int, modifier: int, side: int, none: int) -> int:
    """Return 1 to 6: the side, and whether the two siblings are close to each other."""
    distance = 0
    if sibling != none and modifier != none:
        gap = abs(sibling - modifier)
        distance = 1 if gap <= 3 else 2
    return 1 + 3 * side + distance


@leaf_kernel
def chain_shape(grandparent: int, head: int, modifier: int) -> int:
    """Return 1 to 6: the direction from grandparent to head, and where the modifier lies: beyond, between, behind."""
    rightward = 1 if head > grandparent else 0
    if (modifier > head) == (head > grandparent):
        return 1 + 3 * rightward
    if (modifier > grandparent) == (head > grandparent):
        return 2 + 3 * rightward
    return 3 + 3 * rightward


@leaf_kernel
def grand_sibling_shape(grandparent: int, head: int, side: int) -> int:
    """Return 1 to 4: the direction from grandparent to head, and the side of the siblings."""
    return 1 + 2 * int(head > grandparent) + side


@leaf_kernel
def bigram_shape(before: int, head: int, modifier: int) -> int:
    """Return 0 to 7: whether the neighbours share a head, one is the other's head, or where their heads lie."""
    if before == head:
        return 1 if head < modifier else 2
    if before == modifier:
        return 3
    if head == modifier - 1:
        return 4
    if before < modifier:
        return 5 if head < modifier else 6
    return 7 if head < modifier else 0


@leaf_kernel
def long_chain_shape(ancestor: int, grandparent: int, head: int, modifier: int) -> int:
    """Return 0 to 7: the directions of three arcs."""
    return 4 * int(grandparent > ancestor) + 2 * int(head > grandparent) + int(modifier > head)


@leaf_kernel
def grandchild_shape(head: int, modifier: int, sibling: int, child: int) -> int:
    """Return 0 to 7: the side, whether the modifier is the inner sibling, and whether its child lies outwards."""
    side = 1 if modifier > head else 0
    inner = 1 if abs(modifier - head) < abs(sibling - head) else 0
    outwards = 1 if (child > modifier) == (modifier > head) else 0
    return 4 * side + 2 * inner + outwards


@leaf_kernel
def list_parts(links: Links, wanted: npt.NDArray[np.bool_], keys: npt.NDArray[np.int64]) -> int:
    """Write the keys of all parts of a tree; return their number.

    Parameters
    ----------
    wanted : (kinds,) bool
    keys : (room,) int64
        Must have at least `most_parts` entries.
    """
    size = len(links.heads)
    count = 0
    for head in range(size):
        for side in range(2):
            count = _list_children(links, head, side, wanted, keys, count)
    for modifier in range(1, size):
        head = links.heads[modifier]
        if wanted[HEAD_BIGRAM] and modifier > 1:
            before = links.heads[modifier - 1]
            shape = bigram_shape(before, head, modifier)
            keys[count] = part_key(HEAD_BIGRAM, shape, before, head, modifier, 0)
            count += 1
        if head == 0:
            continue
        grandparent = links.heads[head]
        if wanted[GRANDPARENT]:
            shape = chain_shape(grandparent, head, modifier)
            keys[count] = part_key(GRANDPARENT, shape, grandparent, head, modifier, 0)
            count += 1
        if wanted[GREAT_GRANDPARENT] and grandparent != 0:
            ancestor = links.heads[grandparent]
            shape = long_chain_shape(ancestor, grandparent, head, modifier)
            keys[count] = part_key(GREAT_GRANDPARENT, shape, ancestor, grandparent, head, modifier)
            count += 1
    return count


@leaf_kernel
def _list_children(
    links: Links, head: int, side: int, wanted: npt.NDArray[np.bool_], keys: npt.NDArray[np.int64], count: int
) -> int:
    """List the parts of the children of a head on one side, including those with no sibling before or after."""
    none = len(links.heads)
    grandparent = links.heads[head]
    before, sibling = none, none
    modifier = int(links.first[head, side])
    while True:
        if wanted[SIBLING]:
            shape = sibling_shape(sibling, modifier, side, none)
            keys[count] = part_key(SIBLING, shape, head, sibling, modifier, 0)
            count += 1
        if wanted[GRAND_SIBLING] and grandparent >= 0:
            shape = grand_sibling_shape(grandparent, head, side)
            keys[count] = part_key(GRAND_SIBLING, shape, grandparent, head, sibling, modifier)
            count += 1
        if wanted[TRI_SIBLING] and sibling != none:
            keys[count] = part_key(TRI_SIBLING, 1 + side, head, before, sibling, modifier)
            count += 1
        if modifier == none:
            return count
        if wanted[SIBLING_GRANDCHILD] and sibling != none:
            count = _list_grandchildren(links, head, sibling, modifier, keys, count)
            count = _list_grandchildren(links, head, modifier, sibling, keys, count)
        if wanted[ARBITRARY_SIBLING]:
            inner = int(links.first[head, side])
            while inner != modifier:
                shape = sibling_shape(inner, modifier, side, none)
                keys[count] = part_key(ARBITRARY_SIBLING, shape, head, inner, modifier, 0)
                count += 1
                inner = int(links.following[inner])
        before, sibling = sibling, modifier
        modifier = int(links.following[modifier])


@leaf_kernel
def _list_grandchildren(
    links: Links, head: int, modifier: int, sibling: int, keys: npt.NDArray[np.int64], count: int
) -> int:
    for side in range(2):
        child = int(links.first[modifier, side])
        while child != len(links.heads):
            shape = grandchild_shape(head, modifier, sibling, child)
            keys[count] = part_key(SIBLING_GRANDCHILD, shape, head, modifier, sibling, child)
            count += 1
            child = int(links.following[child])
    return count


@kernel
def most_parts(links: Links, wanted: npt.NDArray[np.bool_]) -> int:
    """Return an upper bound on the number of parts of a tree."""
    size = len(links.heads)
    pairs = 0
    if wanted[ARBITRARY_SIBLING]:
        for modifier in range(1, size):
            sibling = int(links.following[modifier])
            while sibling != size:
                pairs += 1
                sibling = int(links.following[sibling])
    return 16 * (size + 1) + pairs


@leaf_kernel
def keep_outer(links: Links, outer: int, keys: npt.NDArray[np.int64], count: int) -> int:
    """Remove the grandparents and grand-siblings of inner children from a tree's parts; return the number left."""
    if outer == 0:
        return count
    none = len(links.heads)
    kept = 0
    for number in range(count):
        kind, _, _, _, third, fourth = read_key(keys[number])
        keep = True
        if kind == GRANDPARENT:
            after = int(links.following[third])
            keep = after == none or (outer > 1 and int(links.following[after]) == none)
        elif kind == GRAND_SIBLING and fourth != none:
            keep = int(links.following[fourth]) == none
        if keep:
            keys[kept] = keys[number]
            kept += 1
    return kept
