"""Binarise trees from the head outward, and undo it; added nodes are marked.

A phrase gets its modifiers one at a time: first those to the right of its head child, from the inside out, then those
to the left. After each modifier there is a *part* of the phrase, whose label contains the phrase, the head child, the
side and the last modifier::

    (NP DT JJ NN PP)   →   (NP (NP␟NN␟<DT DT (NP␟NN␟<JJ JJ (NP␟NN␟>PP NN PP))))

Both grammars define probabilities of these derivations; see `headway.constituency.grammar`.
"""

from collections.abc import Sequence

import numpy as np

from headway.constituency.tree import MARKER, Tree


def part_label(phrase: str, head: str, side: str, last: str) -> str:
    """Return the label of a part of a phrase; the side is ``>`` or ``<``."""
    return f"{phrase}{MARKER}{head}{MARKER}{side}{last}"


def read_part(label: str) -> tuple[str, str, str, str]:
    """Decode a label made by `part_label`."""
    phrase, head, last = label.split(MARKER)
    return phrase, head, last[0], last[1:]


def binarised(tree: Tree, heads: Sequence[int]) -> Tree:
    """Return the tree with at most two children per node.

    Parameters
    ----------
    heads : (nodes,) sequence of int
        The head child of every node; see `head_rules.head_children`.
    """
    labels: list[str] = []
    parents: list[int] = []
    words: list[str | None] = []
    # A stack of what is still to be added: a node, the range of its children that are left (first, after the last), and
    # the new node above it. The range -1 means that the node itself is to be added.
    tasks = [(0, -1, -1, -1)]
    while tasks:
        node, first, after, above = tasks.pop()
        below = tree.children[node]
        head = below.index(heads[node]) if below else 0
        parents.append(above)
        number = len(labels)
        if first < 0:
            labels.append(tree.labels[node])
            words.append(tree.words[node])
            first, after = 0, len(below)
            if not below:
                continue
            tasks.append((node, first, after, number) if len(below) > 1 else (below[0], -1, -1, number))
            continue
        words.append(None)
        is_left = first < head
        last = first if is_left else after - 1
        label = part_label(
            tree.labels[node], tree.labels[heads[node]], "<" if is_left else ">", tree.labels[below[last]]
        )
        labels.append(label)
        rest = (first + 1, after) if is_left else (first, after - 1)
        inner = (heads[node], -1, -1, number) if rest[1] - rest[0] == 1 else (node, *rest, number)
        outer = (below[last], -1, -1, number)
        tasks.extend((inner, outer) if is_left else (outer, inner))
    return Tree(tuple(labels), tuple(parents), tuple(words))


def unbinarised(tree: Tree) -> Tree:
    """Remove the nodes that `binarised` added."""
    return tree.kept(np.array([MARKER not in label for label in tree.labels]))
