"""List the parts that appear and disappear when a word is attached to a head.

If the head has the consecutive children ... b, i, o, a ..., and the word is inserted between i and o, then the sibling
parts (i, word) and (word, o) appear and (i, o) disappears; chains of arcs through the word only appear. The score of
the parts that appear, minus that of the parts that disappear, is the change in the tree's score, for any scorer.

Cost: the children and grandchildren of the word, and its new neighbours.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.kernel import inner_kernel, kernel
from headway.parts import kinds
from headway.parts.kinds import part_key
from headway.parts.links import Links, place, side_of


class PartList(NamedTuple):
    """Keys of parts, (room,) int64, with signs, (room,) float64: 1 for parts that appear; size (1,) int64."""

    keys: npt.NDArray[np.int64]
    signs: npt.NDArray[np.float64]
    size: npt.NDArray[np.int64]


@kernel
def make_part_list(size: int) -> PartList:
    """Allocate the list of changes by one move in a sentence of `size` - 1 words."""
    room = 12 * size + 32
    return PartList(np.empty(room, dtype=np.int64), np.empty(room, dtype=np.float64), np.zeros(1, dtype=np.int64))


@inner_kernel
def _add(parts: PartList, sign: float, key: int) -> None:
    parts.keys[parts.size[0]] = key
    parts.signs[parts.size[0]] = sign
    parts.size[0] += 1


@inner_kernel
def list_changes(
    links: Links, wanted: npt.NDArray[np.bool_], modifier: int, head: int, inner: int, outer: int, parts: PartList
) -> None:
    """List the parts that appear and disappear when `modifier`, which is detached, is attached to `head`.

    Parameters
    ----------
    wanted : (kinds,) bool
    inner, outer : int
        The children of the head that will be next to the word, as returned by `place`.
    """
    parts.size[0] = 0
    if wanted[kinds.SIBLING]:
        _siblings(links, modifier, head, inner, outer, parts)
    if wanted[kinds.HEAD_BIGRAM]:
        _head_bigrams(links, modifier, head, parts)
    if wanted[kinds.GRANDPARENT] or wanted[kinds.GREAT_GRANDPARENT]:
        _chains(links, wanted, modifier, head, parts)
    if wanted[kinds.GRAND_SIBLING]:
        _grand_siblings(links, modifier, head, inner, outer, parts)
    if wanted[kinds.TRI_SIBLING]:
        _tri_siblings(links, modifier, head, inner, outer, parts)
    if wanted[kinds.SIBLING_GRANDCHILD]:
        _sibling_grandchildren(links, modifier, head, inner, outer, parts)
    if wanted[kinds.ARBITRARY_SIBLING]:
        _arbitrary_siblings(links, modifier, head, parts)


@inner_kernel
def _siblings(links: Links, modifier: int, head: int, inner: int, outer: int, parts: PartList) -> None:
    side, none = side_of(head, modifier), len(links.heads)
    _add(parts, 1.0, _sibling(head, side, inner, modifier, none))
    _add(parts, 1.0, _sibling(head, side, modifier, outer, none))
    _add(parts, -1.0, _sibling(head, side, inner, outer, none))


@inner_kernel
def _sibling(head: int, side: int, sibling: int, modifier: int, none: int) -> int:
    shape = kinds.sibling_shape(sibling, modifier, side, none)
    return part_key(kinds.SIBLING, shape, head, sibling, modifier, 0)


@inner_kernel
def _head_bigrams(links: Links, modifier: int, head: int, parts: PartList) -> None:
    if modifier > 1:
        _add(parts, 1.0, _head_bigram(links.heads[modifier - 1], head, modifier))
    if modifier + 1 < len(links.heads):
        _add(parts, 1.0, _head_bigram(head, links.heads[modifier + 1], modifier + 1))


@inner_kernel
def _head_bigram(before: int, head: int, modifier: int) -> int:
    return part_key(kinds.HEAD_BIGRAM, kinds.bigram_shape(before, head, modifier), before, head, modifier, 0)


@inner_kernel
def _chains(links: Links, wanted: npt.NDArray[np.bool_], modifier: int, head: int, parts: PartList) -> None:
    """List chains of two and of three arcs, with the new arc at the bottom, in the middle or on top."""
    none, grandparent = len(links.heads), links.heads[head]
    short, long = wanted[kinds.GRANDPARENT], wanted[kinds.GREAT_GRANDPARENT]
    if short and head != 0:
        _add(parts, 1.0, _chain(grandparent, head, modifier))
    if long and grandparent > 0:
        _add(parts, 1.0, _long_chain(links.heads[grandparent], grandparent, head, modifier))
    for side in range(2):
        child = links.first[modifier, side]
        while child != none:
            if short:
                _add(parts, 1.0, _chain(head, modifier, child))
            if long:
                if grandparent >= 0:
                    _add(parts, 1.0, _long_chain(grandparent, head, modifier, child))
                _chains_below(links, head, modifier, child, parts)
            child = links.following[child]


@inner_kernel
def _chains_below(links: Links, grandparent: int, head: int, modifier: int, parts: PartList) -> None:
    for side in range(2):
        child = links.first[modifier, side]
        while child != len(links.heads):
            _add(parts, 1.0, _long_chain(grandparent, head, modifier, child))
            child = links.following[child]


@inner_kernel
def _chain(grandparent: int, head: int, modifier: int) -> int:
    shape = kinds.chain_shape(grandparent, head, modifier)
    return part_key(kinds.GRANDPARENT, shape, grandparent, head, modifier, 0)


@inner_kernel
def _long_chain(ancestor: int, grandparent: int, head: int, modifier: int) -> int:
    shape = kinds.long_chain_shape(ancestor, grandparent, head, modifier)
    return part_key(kinds.GREAT_GRANDPARENT, shape, ancestor, grandparent, head, modifier)


@inner_kernel
def _grand_siblings(links: Links, modifier: int, head: int, inner: int, outer: int, parts: PartList) -> None:
    none = len(links.heads)
    if head != 0:
        above, side = links.heads[head], side_of(head, modifier)
        _add(parts, 1.0, _grand_sibling(above, head, side, inner, modifier))
        _add(parts, 1.0, _grand_sibling(above, head, side, modifier, outer))
        _add(parts, -1.0, _grand_sibling(above, head, side, inner, outer))
    for side in range(2):
        sibling = none
        child = links.first[modifier, side]
        while child != none:
            _add(parts, 1.0, _grand_sibling(head, modifier, side, sibling, child))
            sibling = child
            child = links.following[child]
        _add(parts, 1.0, _grand_sibling(head, modifier, side, sibling, none))


@inner_kernel
def _grand_sibling(grandparent: int, head: int, side: int, sibling: int, modifier: int) -> int:
    shape = kinds.grand_sibling_shape(grandparent, head, side)
    return part_key(kinds.GRAND_SIBLING, shape, grandparent, head, sibling, modifier)


@inner_kernel
def _tri_siblings(links: Links, modifier: int, head: int, inner: int, outer: int, parts: PartList) -> None:
    none, shape = len(links.heads), 1 + side_of(head, modifier)
    _add(parts, 1.0, part_key(kinds.TRI_SIBLING, shape, head, inner, modifier, outer))
    if inner != none:
        before, _ = place(links, inner, head)
        _add(parts, 1.0, part_key(kinds.TRI_SIBLING, shape, head, before, inner, modifier))
        _add(parts, -1.0, part_key(kinds.TRI_SIBLING, shape, head, before, inner, outer))
    if outer != none:
        after = links.following[outer]
        _add(parts, 1.0, part_key(kinds.TRI_SIBLING, shape, head, modifier, outer, after))
        _add(parts, -1.0, part_key(kinds.TRI_SIBLING, shape, head, inner, outer, after))


@inner_kernel
def _sibling_grandchildren(links: Links, modifier: int, head: int, inner: int, outer: int, parts: PartList) -> None:
    none = len(links.heads)
    if inner != none:
        _grandchildren(links, head, modifier, inner, 1.0, parts)
        _grandchildren(links, head, inner, modifier, 1.0, parts)
    if outer != none:
        _grandchildren(links, head, modifier, outer, 1.0, parts)
        _grandchildren(links, head, outer, modifier, 1.0, parts)
    if inner != none and outer != none:
        _grandchildren(links, head, inner, outer, -1.0, parts)
        _grandchildren(links, head, outer, inner, -1.0, parts)
    if head != 0:  # parts in which the word itself is the grandchild
        above = links.heads[head]
        before, _ = place(links, head, above)
        if before != none:
            _add(parts, 1.0, _sibling_grandchild(above, head, before, modifier))
        if links.following[head] != none:
            _add(parts, 1.0, _sibling_grandchild(above, head, links.following[head], modifier))


@inner_kernel
def _grandchildren(links: Links, head: int, modifier: int, sibling: int, sign: float, parts: PartList) -> None:
    for side in range(2):
        child = links.first[modifier, side]
        while child != len(links.heads):
            _add(parts, sign, _sibling_grandchild(head, modifier, sibling, child))
            child = links.following[child]


@inner_kernel
def _sibling_grandchild(head: int, modifier: int, sibling: int, child: int) -> int:
    shape = kinds.grandchild_shape(head, modifier, sibling, child)
    return part_key(kinds.SIBLING_GRANDCHILD, shape, head, modifier, sibling, child)


@inner_kernel
def _arbitrary_siblings(links: Links, modifier: int, head: int, parts: PartList) -> None:
    none, side = len(links.heads), side_of(head, modifier)
    sibling = links.first[head, side]
    while sibling != none:
        near, far = sibling, modifier
        if abs(sibling - head) > abs(modifier - head):
            near, far = modifier, sibling
        shape = kinds.sibling_shape(near, far, side, none)
        _add(parts, 1.0, part_key(kinds.ARBITRARY_SIBLING, shape, head, near, far, 0))
        sibling = links.following[sibling]
