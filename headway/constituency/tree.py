"""A constituent tree as arrays: one entry for each bracket, parents before children, left to right."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from headway.corpus.word import counted, shorten

EMPTY = "-NONE-"
"""The tag of an empty element: a trace, a dropped subject."""
MARKER, NOTE = "␟", "␞"
"""The mark of labels added by binarisation, and the separator before a note on a grammar's label."""
RESERVED = (MARKER, NOTE)
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, repr=False)
class Tree:
    """A constituent tree.

    Parameters
    ----------
    labels : tuple of str
        The label of every node as in the file, with functions and indices. A pre-terminal's label is a tag.
    parents : tuple of int
        The parent of every node, which is an earlier node; -1 for the top.
    words : tuple of (str or None)
        The word of every pre-terminal; None for other nodes.
    line : int
        The line of the file where the tree starts, for error messages; 0 if it is not from a file.
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    words: tuple[str | None, ...]
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        from headway.constituency.brackets import format_tree  # imported here: it imports this module

        return format_tree(self)

    def __repr__(self) -> str:
        return f"<Tree of {counted(len(self), 'word')}: {shorten(str(self))}>"

    def __len__(self) -> int:
        """Return the number of words, including empty elements."""
        return len(self.leaves)

    @cached_property
    def leaves(self) -> list[int]:
        """The pre-terminals, from left to right."""
        return [node for node, word in enumerate(self.words) if word is not None]

    @property
    def forms(self) -> list[str]:
        """The words, from left to right."""
        return [word for word in self.words if word is not None]

    @property
    def tags(self) -> list[str]:
        """The tags of the words."""
        return [self.labels[leaf] for leaf in self.leaves]

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of every node, from left to right."""
        below: list[list[int]] = [[] for _ in self.labels]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                below[parent].append(node)
        return below

    @cached_property
    def spans(self) -> npt.NDArray[np.int32]:
        """(nodes, 2) The first word of every node and the word after its last one, counted from 0."""
        spans = np.zeros((len(self.labels), 2), dtype=np.int32)
        spans[self.leaves, 0] = np.arange(len(self))
        spans[self.leaves, 1] = np.arange(1, len(self) + 1)
        for node in range(len(self.labels) - 1, -1, -1):
            if below := self.children[node]:
                spans[node] = spans[below[0], 0], spans[below[-1], 1]
        return spans

    def with_labels(self, change: Callable[[str], str]) -> "Tree":
        """Return the tree with changed labels of phrases, but not of tags."""
        labels = (
            label if word is not None else change(label) for label, word in zip(self.labels, self.words, strict=True)
        )
        return replace(self, labels=tuple(labels))

    def with_tags(self, tags: Sequence[str]) -> "Tree":
        """Return the tree with other tags."""
        labels = list(self.labels)
        for leaf, tag in zip(self.leaves, tags, strict=True):
            labels[leaf] = tag
        return replace(self, labels=tuple(labels))

    def with_words(self, forms: Sequence[str]) -> "Tree":
        """Return the tree with other words."""
        words = list(self.words)
        for leaf, form in zip(self.leaves, forms, strict=True):
            words[leaf] = form
        return replace(self, words=tuple(words))

    def kept(self, keep: npt.NDArray[np.bool_]) -> "Tree":
        """Return the tree with only some of the nodes; a removed node is replaced by its children."""
        numbers = np.cumsum(keep) - 1
        above = [-1] * len(keep)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                above[node] = int(numbers[parent]) if keep[parent] else above[parent]
        chosen = np.flatnonzero(keep).tolist()
        return Tree(
            tuple(self.labels[node] for node in chosen),
            tuple(above[node] for node in chosen),
            tuple(self.words[node] for node in chosen),
            self.line,
        )


def bare_label(label: str) -> str:
    """Return a label without functions and indices.

    >>> [bare_label(label) for label in ("NP-SBJ-1", "S=2", "-LRB-", "ADVP")]
    ['NP', 'S', '-LRB-', 'ADVP']
    """
    for place in range(1, len(label) - 1):
        if label[place] in "-=" and label[0] != "-":
            return label[:place]
    return label


def without_empty(tree: Tree) -> Tree:
    """Remove empty elements, and phrases with nothing else, unless nothing would be left."""
    full = np.array([word is not None and label != EMPTY for label, word in zip(tree.labels, tree.words, strict=True)])
    if full.sum() == len(tree):
        return tree
    for node in range(len(full) - 1, 0, -1):  # a node with a full descendant is full
        full[tree.parents[node]] |= full[node]
    return tree.kept(full) if full.any() else tree


def stripped(tree: Tree) -> Tree:
    """Return the tree as it is used for training grammars.

    Removes empty elements, functions and indices (of tags, too), phrases whose only child is a phrase with the same
    label, and inner brackets without a label.
    """
    full = without_empty(tree)
    bare = full.with_labels(bare_label).with_tags([bare_label(tag) for tag in full.tags])
    named = [node == 0 or label != "" for node, label in enumerate(bare.labels)]
    bare = bare.kept(np.array(named))
    keep = np.ones(len(bare.labels), dtype=bool)
    for node, below in enumerate(bare.children):
        if len(below) == 1 and bare.words[below[0]] is None:
            keep[below[0]] = bare.labels[below[0]] != bare.labels[node]
    return bare.kept(keep)


def has_words(tree: Tree) -> bool:
    """Return whether a tree has words other than empty elements."""
    return any(tag != EMPTY for tag in tree.tags)


def escaped_words(tree: Tree) -> Tree:
    """Escape words so that any reader can read the tree: ``-LRB-`` and ``-RRB-`` for brackets, no white space."""
    return tree.with_words([escaped_word(form) for form in tree.forms])


def escaped_word(form: str) -> str:
    """Escape a word; see `escaped_words`."""
    return _SPACE.sub("_", form).replace("(", "-LRB-").replace(")", "-RRB-")
