"""Detect the treebank's style of coordinations and prepositional phrases by counting in its trees.

Six styles of coordination, "a ← b" for "b is the head of a", l and r the conjuncts, c the coordinator, g the head:

    0   l ← c → r, c ← g            the coordinator is the head
    1   l → c, l → r, l ← g         Universal Dependencies 1: the left conjunct is the head of both
    2   l → c → r, l ← g            a chain to the right
    3   l ← r → c, r ← g            the right conjunct is the head of both, and g lies to the right
    4   c ← r ← l ← g               Universal Dependencies 2: the coordinator is a child of the right conjunct
    5   l ← c ← r ← g               a chain to the left

Two styles of prepositions: 0, the noun is the head of the preposition (Universal Dependencies); 1, the reverse.
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from headway.encoding.tag_map import ADPOSITION, COORDINATOR, NOUN, PUNCTUATION, classes_of_tags
from headway.kernel import kernel, leaf_kernel
from headway.parts.links import Links, make_links, set_tree
from headway.parts.structures import CLASS, TAG, argument, coordination_key, nearest_child

UNIVERSAL_COORDINATION = 4


class Styles(NamedTuple):
    """The styles of a treebank, as numbers."""

    coordination: int = UNIVERSAL_COORDINATION
    preposition: int = 0


_COORDINATIONS, _PREPOSITIONS = 6, 2
"""The number of styles."""


class InStyle:
    """A rule for `headway.support.schema`: a list of style numbers."""

    def check(self, values: Collection[Any], name: str) -> None:
        """Raise ValueError if a value is not a pair of styles."""
        for value in values:
            if len(value) != 2 or not (0 <= value[0] < _COORDINATIONS and 0 <= value[1] < _PREPOSITIONS):
                raise ValueError(f"{name} must be a style of coordination and one of prepositions")


def find_styles(
    heads: npt.NDArray[np.int32],
    tags: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    *,
    tag_classes: Mapping[str, int],
    tag_map: Mapping[str, str],
) -> Styles:
    """Return the most frequent styles in a treebank, or those of Universal Dependencies if there is nothing to count.

    Parameters
    ----------
    heads, tags : (rows,) int32
        As in `GoldTrees.heads` and `Encoded.tags`.
    starts : (sentences + 1,) int64
    tag_classes, tag_map : mapping
        See `classes_of_tags`.
    """
    coordinations, prepositions = _count_styles(heads, tags, starts, classes_of_tags(tag_classes, tag_map))
    coordination = UNIVERSAL_COORDINATION
    if coordinations.max() > coordinations[coordination]:
        coordination = int(coordinations.argmax())
    return Styles(coordination, int(prepositions.argmax()))


@kernel
def _count_styles(
    heads: npt.NDArray[np.int32],
    tags: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    classes: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Count, for each style, the coordinations with conjuncts of one tag, and the prepositions with a noun."""
    coordinations, prepositions = (np.zeros(_COORDINATIONS, dtype=np.int64), np.zeros(_PREPOSITIONS, dtype=np.int64))
    for sentence in range(len(starts) - 1):
        begin, end = starts[sentence], starts[sentence + 1]
        words = np.zeros((end - begin + 1, 2), dtype=np.int64)
        for word in range(1, end - begin):
            words[word, TAG], words[word, CLASS] = (tags[begin + word], classes[tags[begin + word]])
        links = make_links(end - begin)
        set_tree(links, heads[begin:end])
        for word in range(1, end - begin):
            if words[word, CLASS] == COORDINATOR:
                for style in range(len(coordinations)):
                    _, left, right = conjuncts(links, words, word, style)
                    if right > 0 and words[left, TAG] == words[right, TAG]:
                        coordinations[style] += 1
            elif words[word, CLASS] == ADPOSITION:
                noun = argument(links, words, word)
                if words[noun, CLASS] == NOUN:
                    prepositions[1] += 1
                elif words[links.heads[word], CLASS] == NOUN:
                    prepositions[0] += 1
    return coordinations, prepositions


@leaf_kernel
def conjuncts(links: Links, words: npt.NDArray[np.int64], coordinator: int, style: int) -> tuple[int, int, int]:
    """Return the head of a coordination and its left and right conjuncts; zeros if there is none of that style.

    Style 4 uses heads only, not lists of children.
    """
    head, left, right = int(links.heads[coordinator]), 0, 0
    if style == 0:
        left, right = (nearest_child(links, words, coordinator, 0), nearest_child(links, words, coordinator, 1))
    elif style <= 2 and head < coordinator:
        left = head
        if style == 2:
            right = nearest_child(links, words, coordinator, 1)
        elif head > 0:
            right = _child_beyond(links, words, head, coordinator)
    elif style == 4 and head > coordinator:
        right, left = head, int(links.heads[head])
    elif style >= 3 and head > coordinator:
        right = head
        if style == 5:
            left = nearest_child(links, words, coordinator, 0)
        elif links.heads[head] > head:
            left = _child_beyond(links, words, head, coordinator)
    if not 0 < left < coordinator < right < len(links.heads):
        return 0, 0, 0
    if style != 0:
        upper = right if style == 3 or style == 5 else left
        head = int(links.heads[upper])
    return head, left, right


@leaf_kernel
def _child_beyond(links: Links, words: npt.NDArray[np.int64], head: int, coordinator: int) -> int:
    """Return the nearest child of `head` beyond `coordinator` that is not punctuation; n + 1 for none."""
    distance = abs(coordinator - head)
    child = int(links.first[head, 1 if coordinator > head else 0])
    while child != len(links.heads) and (abs(child - head) <= distance or words[child, CLASS] == PUNCTUATION):
        child = int(links.following[child])
    return child


@leaf_kernel
def find_coordination(links: Links, words: npt.NDArray[np.int64], coordinator: int, style: int) -> int:
    """Return the key of a coordinator's coordination, or -1 if there is none."""
    head, left, right = conjuncts(links, words, coordinator, style)
    return coordination_key(head, left, right, coordinator) if right > 0 else -1
