"""Hard constraints on labels and structure: rules that every tree must satisfy, whatever its score.

A constraint on structure forbids a set of arcs, so it works with every decoder. A constraint on labels is applied when
the finished tree is labelled: the labels of a head's children are chosen together, as the best combination that
satisfies the constraint. Every tree can be labelled in this way unless labels are given, so proofs about trees remain
valid.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence
from headway.encoding.tag_map import universal_tag
from headway.errors import ConstraintError, UsageError


@dataclass(frozen=True)
class Constraint:
    """A rule that every tree must satisfy.

    Parameters
    ----------
    one_of : tuple of str
        A head has at most one child with one of these labels; ``nsubj`` includes ``nsubj:pass``.
    leaves : tuple of str
        Words with one of these universal tags have no children.
    """

    one_of: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()

    def childless(self, sentence: Sentence, tag_map: Mapping[str, str]) -> list[int]:
        """Return the words that must not have children, counted from 1; tags are mapped as in the model."""
        tags = enumerate(sentence.upos, start=1)
        return [word for word, tag in tags if universal_tag(tag, tag_map) in self.leaves]

    def applies(self, known: Sequence[str]) -> bool:
        """Return whether the rule can have an effect on trees with these labels."""
        return bool(self.leaves) or bool(self.labels(known).any())

    def labels(self, known: Sequence[str]) -> npt.NDArray[np.bool_]:
        """(labels,) Return whether a head may have each of the known labels only once."""
        return np.array([label.partition(":")[0] in self.one_of or label in self.one_of for label in known])


CONSTRAINTS: Mapping[str, Constraint] = {
    "one-subject": Constraint(one_of=("nsubj", "csubj")),
    "one-object": Constraint(one_of=("obj",)),
    "one-indirect-object": Constraint(one_of=("iobj",)),
    "leaf-punctuation": Constraint(leaves=("PUNCT",)),
}
"""The named constraints; labels and tags are those of Universal Dependencies."""


def find_constraints(names: Collection[str]) -> list[Constraint]:
    """Return the constraints with these names."""
    for name in names:
        if name not in CONSTRAINTS:
            raise UsageError(f"no constraint {name!r}; choose from {', '.join(CONSTRAINTS)}")
    return [CONSTRAINTS[name] for name in names]


def constrained_labels(
    scores: npt.NDArray[np.float64], heads: npt.NDArray[np.int32], groups: Sequence[npt.NDArray[np.bool_]]
) -> npt.NDArray[np.int32]:
    """Return the highest-scoring labels of a tree in which no head has two children with labels of one group.

    For each head, this is an assignment problem: every child takes its best label outside all groups, or the best label
    of a group that no other child takes.

    Parameters
    ----------
    scores : (n + 1, labels) float64
        The scores; -inf for labels that an arc must not have.
    heads : (n + 1,) int32
    groups : sequence of (labels,) bool
        Disjoint sets of labels.

    Returns
    -------
    (n + 1,) int32
        The labels; -1 for the root.

    Raises
    ------
    ConstraintError
        If there are no such labels.
    """
    labels: npt.NDArray[np.int32] = scores.argmax(axis=1).astype(np.int32)
    labels[0] = -1
    if not groups:
        return labels
    free = ~np.any(groups, axis=0)
    order = np.argsort(heads, kind="stable")[1:]  # the root, whose head is -1, comes first
    for children in np.split(order, np.flatnonzero(np.diff(heads[order])) + 1):
        if any(np.count_nonzero(group[labels[children]]) > 1 for group in groups):
            try:
                labels[children] = _assign(scores[children], groups, free)
            except ValueError as error:
                head = heads[children[0]]
                parent = f"word {head}" if head else "the root"
                raise ConstraintError(f"no labels of the children of {parent} satisfy them") from error
    return labels


def _assign(
    scores: npt.NDArray[np.float64], groups: Sequence[npt.NDArray[np.bool_]], free: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """Return the best labels of a head's children: each group at most once, other labels any number of times.

    ValueError if there are none.
    """
    from scipy.optimize import linear_sum_assignment  # imported here: it is slow to import, and few callers need it

    choices = [np.where(group, scores, -np.inf) for group in groups] + [np.where(free, scores, -np.inf)] * len(scores)
    values = np.array([choice.max(axis=1) for choice in choices]).T
    _, taken = linear_sum_assignment(values, maximize=True)
    return np.array([choices[choice][child].argmax() for child, choice in enumerate(taken)])
