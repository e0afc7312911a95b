"""The structures of global features: their kinds, their keys, and how to recognise them in a tree.

=============  ===========  ==============================================================================
kind           words        meaning
=============  ===========  ==============================================================================
CHILDREN       h            a word and the tags of its children, except punctuation; up to four on each side
SPAN           h m l r      a word m, its head, and the words before and after m's span
PREPOSITION    g n p        an adposition, its noun, and the word that governs both
COORDINATION   g l r c      a coordinator, its two conjuncts, and the head of the coordination
PUNCTUATION    h i j        two marks that make a pair, with the same head
RIGHT_BRANCH                the length of the path from the root along rightmost children
CROSSING       h m          an arc, and the number of words inside it whose heads are outside
=============  ===========  ==============================================================================

Keys are like those of `kinds`, with kinds from 8 on, so the two never collide. Reference: Zhang et al. 2014, Section 3.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.encoding.tag_map import PUNCTUATION as PUNCTUATION_CLASS
from headway.kernel import leaf_kernel
from headway.parts.kinds import chain_shape, part_key
from headway.parts.links import Links, side_of

CHILDREN, SPAN, PREPOSITION, COORDINATION, PUNCTUATION, RIGHT_BRANCH, CROSSING = (8, 9, 10, 11, 12, 13, 14)
FIRST_STRUCTURE = CHILDREN
STRUCTURES = ("children", "span", "preposition", "coordination", "punctuation", "right_branch", "crossing")

TAG, CLASS, PARTNER, LISTED = 0, 1, 2, 3
TAG_BITS, TAGS_A_SIDE = 5, 4


class Traits(NamedTuple):
    """The properties of a sentence that structures depend on, in addition to the tree.

    Parameters
    ----------
    words : (n + 2, 4) int64
        For each word, its tag (a number below 32, 0 for the root and for none), its class, and the other mark of its
        pair (0 for none); the last column is a list of the coordinators that ends with 0.
    wanted : (structures,) bool
    coordination, preposition : int
        The styles of the treebank; see `styles`.
    """

    words: npt.NDArray[np.int64]
    wanted: npt.NDArray[np.bool_]
    coordination: int
    preposition: int


@leaf_kernel
def children_key(links: Links, words: npt.NDArray[np.int64], head: int, added: int) -> int:
    """Return the key of a word with its children, plus `added` (n + 1 for none) as another child."""
    none = len(links.heads)
    total, tags = 0, np.int64(0)
    for side in range(2):
        waiting = added if added != none and side_of(head, added) == side else none
        child = int(links.first[head, side])
        string, count = np.int64(0), 0
        while child != none or waiting != none:
            word = child
            if child == none or (waiting != none and abs(waiting - head) < abs(child - head)):
                word, waiting = waiting, none
            else:
                child = int(links.following[child])
            if words[word, CLASS] != PUNCTUATION_CLASS:
                if count < TAGS_A_SIDE:
                    string |= words[word, TAG] << (TAG_BITS * count)
                count += 1
        tags = tags << (TAG_BITS * TAGS_A_SIDE) | string
        total += count
    return int(part_key(CHILDREN, 1 + min(total, 6), head, 0, 0, 0) | tags)


@leaf_kernel
def span_key(head: int, modifier: int, left: int, right: int) -> int:
    """Return the key of a word whose span is `left` to `right`; its shape is the length, in seven classes."""
    length = right - left + 1
    shape = length
    if length > 3:
        shape = 4 if length < 6 else 5 if length < 10 else 6 if length < 17 else 7
    return part_key(SPAN, shape, head, modifier, left - 1, right + 1)


@leaf_kernel
def preposition_key(style: int, governor: int, noun: int, preposition: int) -> int:
    """Return the key of a prepositional phrase."""
    upper, lower = (noun, preposition) if style == 0 else (preposition, noun)
    return part_key(PREPOSITION, chain_shape(governor, upper, lower), governor, noun, preposition, 0)


@leaf_kernel
def argument(links: Links, words: npt.NDArray[np.int64], preposition: int) -> int:
    """Return the nearest child on the right, or else on the left, that is not punctuation; n + 1 for none."""
    child = nearest_child(links, words, preposition, 1)
    return child if child != len(links.heads) else nearest_child(links, words, preposition, 0)


@leaf_kernel
def nearest_child(links: Links, words: npt.NDArray[np.int64], head: int, side: int) -> int:
    """Return the nearest child on one side that is not punctuation; n + 1 for none."""
    child = int(links.first[head, side])
    while child != len(links.heads) and words[child, CLASS] == PUNCTUATION_CLASS:
        child = int(links.following[child])
    return child


@leaf_kernel
def coordination_key(head: int, left: int, right: int, coordinator: int) -> int:
    """Return the key of a coordination; its shape is the direction of its head and the distance of its conjuncts."""
    distance = 0 if right - left <= 3 else 1 if right - left <= 8 else 2
    return part_key(COORDINATION, 1 + distance + 3 * int(head < left), head, left, right, coordinator)


@leaf_kernel
def pair_key(head: int, first: int, second: int) -> int:
    """Return the key of two marks with the same head, which lies before, between or after them."""
    shape = 1 if head < first else 2 if head < second else 3
    return part_key(PUNCTUATION, shape, head, first, second, 0)


@leaf_kernel
def branch_key(nodes: int, size: int) -> int:
    """Return the key of a path of `nodes` words from the root; its shape is their share of all words, in sevenths."""
    return part_key(RIGHT_BRANCH, 1 + min(6, 7 * nodes // size), 0, nodes, 0, 0)


@leaf_kernel
def rightmost_child(links: Links, words: npt.NDArray[np.int64], head: int) -> int:
    """Return the rightmost child that is not punctuation; n + 1 for none."""
    none = len(links.heads)
    found, child = none, int(links.first[head, 1])
    while child != none:
        if words[child, CLASS] != PUNCTUATION_CLASS:
            found = child
        child = int(links.following[child])
    return found if found != none else nearest_child(links, words, head, 0)


@leaf_kernel
def right_path(links: Links, words: npt.NDArray[np.int64], word: int) -> int:
    """Return the number of words below `word` along rightmost children."""
    nodes = 0
    word = rightmost_child(links, words, word)
    while word != len(links.heads):
        nodes += 1
        word = rightmost_child(links, words, word)
    return nodes


@leaf_kernel
def crossing_key(head: int, modifier: int, count: int) -> int:
    """Return the key of an arc that `count` words inside it cross."""
    return part_key(CROSSING, min(count, 7), head, modifier, 0, 0)


@leaf_kernel
def count_crossing(heads: npt.NDArray[np.int64], head: int, modifier: int, left_out: int) -> int:
    """Count the words strictly inside an arc whose heads are outside it, without `left_out`."""
    left, right = min(head, modifier), max(head, modifier)
    count = 0
    for word in range(left + 1, right):
        if word != left_out and (heads[word] < left or heads[word] > right):
            count += 1
    return count
