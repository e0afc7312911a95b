"""Pseudo-projective parsing of crossing arcs: lift them, encode this in the labels, and restore them after parsing.

Nivre and Nilsson (2005), "Pseudo-projective dependency parsing", with their encoding *Head*: a word whose arc was
lifted is labelled ``its label|label of its real head``. To undo it, search the words below the parsed head level by
level, from left to right, for the first word with the second label. Restoring one word can bring the real head of
another one below its parsed head, so this is repeated until nothing changes. A word whose real head is not found keeps
its parsed head.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from headway.corpus.lifting import projectivize
from headway.errors import TreeError

MARK = "|"
"""The separator between the two labels of a lifted word."""


def encode_crossing(heads: Sequence[int], labels: Sequence[str]) -> tuple[list[int], list[str]]:
    """Lift the arcs that cross others, and encode this in the labels.

    Parameters
    ----------
    heads : sequence of int, (n,)
        A tree: entry i is the head of word i + 1, 0 is the root.
    labels : sequence of str, (n,)

    Returns
    -------
    heads, labels
        A projective tree.

    Raises
    ------
    TreeError
        If `heads` is not a tree, or a label contains the mark already.

    Examples
    --------
    >>> encode_crossing([3, 0, 2, 2], ["det", "root", "obj", "punct"])
    ([2, 0, 2, 2], ['det|obj', 'root', 'obj', 'punct'])
    """
    marked = next((label for label in labels if MARK in label), None)
    if marked is not None:
        raise TreeError(f"the label {marked!r} has a {MARK}, which marks lifted arcs")
    lifted = projectivize(heads)
    encoded = [
        label if new == old else f"{label}{MARK}{labels[old - 1]}"
        for old, new, label in zip(heads, lifted, labels, strict=True)
    ]
    return lifted, encoded


def decode_crossing(
    heads: Sequence[int], labels: Sequence[str], *, kept: Collection[int] = ()
) -> tuple[list[int], list[str]]:
    """Restore lifted arcs, except those of the words in `kept`, and remove the marks from the labels.

    Examples
    --------
    >>> decode_crossing([2, 0, 2, 2], ["det|obj", "root", "obj", "punct"])
    ([3, 0, 2, 2], ['det', 'root', 'obj', 'punct'])
    """
    found = [int(head) for head in heads]
    unmarked = [label.partition(MARK)[0] for label in labels]
    lifted = {word: label.partition(MARK)[2] for word, label in enumerate(labels, start=1) if MARK in label}
    waiting = [word for word in lifted if word not in kept]
    children: dict[int, set[int]] = defaultdict(set)
    for word, head in enumerate(found, start=1):
        children[head].add(word)
    while True:
        left = []
        for word in waiting:
            old = found[word - 1]
            head = _lowered(old, children, unmarked, word, lifted[word])
            if head == old:
                left.append(word)
            children[old].discard(word)
            children[head].add(word)
            found[word - 1] = head
        if len(left) == len(waiting):
            return found, unmarked
        waiting = left


def _lowered(head: int, children: Mapping[int, Collection[int]], labels: Sequence[str], word: int, label: str) -> int:
    """Return the first word below the head of `word`, but not below `word`, that has the label; else its head."""
    level = [head]
    while level:
        level = sorted(child for node in level for child in children.get(node, ()) if child != word)
        for child in level:
            if labels[child - 1] == label:
                return child
    return head
