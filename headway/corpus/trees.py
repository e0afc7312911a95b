"""Check whether heads form a tree, and whether its arcs are projective.

Heads are given as in `Sentence.heads`: entry i is the head of word i + 1, 0 is the root, -1 is an unknown head.
(A decoder's `Parse.heads` has one more entry, for the root itself: pass ``heads[1:]``.) An arc
from h to m is projective if every word strictly between them is a descendant of h. All functions take O(n)
time, except `nonprojective_arcs`, which takes O(n²) operations on single bits, 64 at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from headway.errors import TreeError


def tree_problems(heads: Sequence[int], *, single_root: bool = True) -> Iterator[str]:
    """Yield every reason why `heads` does not form a tree.

    Parameters
    ----------
    heads : sequence of int, (n,)
        The head of each word.
    single_root : bool
        Whether several roots are a problem (Universal Dependencies allow only one).
    """
    count = len(heads)
    if missing := [word for word, head in enumerate(heads, start=1) if head == -1]:
        yield f"no head for {_words(missing)}"
    for word, head in enumerate(heads, start=1):
        if not -1 <= head <= count:
            yield f"head {head} of word {word} is out of range 0..{count}"
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    if not roots and count and not missing:
        yield "no word is the root"
    if single_root and len(roots) > 1:
        yield f"several roots: {_words(roots)}"
    for cycle in _cycles(heads):
        yield f"cycle: {' -> '.join(map(str, [*cycle, cycle[0]]))}"


def check_tree(heads: Sequence[int], *, single_root: bool = True) -> None:
    """Raise TreeError, with the first of its `tree_problems`, unless `heads` is a tree over all words."""
    for problem in tree_problems(heads, single_root=single_root):
        raise TreeError(problem)


def is_tree(heads: Sequence[int], *, single_root: bool = True) -> bool:
    """Return whether `heads` is a tree over all words (see `tree_problems`)."""
    return next(tree_problems(heads, single_root=single_root), None) is None


def is_projective(heads: Sequence[int]) -> bool:
    """Return whether all arcs of a tree are projective: each word and its descendants form a span without gaps.

    Raises
    ------
    TreeError
        If `heads` is not a tree (several roots are allowed).
    """
    spans = _spans(heads)
    return not any(spans.has_gap(word) for word in range(1, len(heads) + 1))


def nonprojective_arcs(heads: Sequence[int]) -> list[bool]:
    """Return for each word whether the arc from its head is non-projective.

    Parameters
    ----------
    heads : sequence of int, (n,)
        A tree, or the heads that a system predicted: they may be missing (-1) or contain cycles.

    Returns
    -------
    list of bool, (n,)
        Entry i belongs to the arc into word i + 1. Arcs from the root, which dominates all words, are always
        projective; so are missing arcs.

    Notes
    -----
    Sets of words are integers with one bit per word, and each arc takes a few operations on such sets.

    Examples
    --------
    >>> nonprojective_arcs([3, 0, 2, 2])
    [True, False, False, False]
    """
    heads = [int(head) for head in heads]
    dominated = _dominated(heads)
    return [
        head > 0 and _between(head, modifier) & ~dominated[head] != 0 for modifier, head in enumerate(heads, start=1)
    ]


def _dominated(heads: Sequence[int]) -> list[int]:
    """Return for each word (index 0 is unused) the set of words that it dominates, itself included."""
    dominated = [1 << word for word in range(len(heads) + 1)]
    waiting = [0] * (len(heads) + 1)  # children whose sets are not complete yet
    for head in heads:
        waiting[max(head, 0)] += 1
    ready = [word for word in range(1, len(heads) + 1) if not waiting[word]]
    while ready:
        word = ready.pop()
        head = heads[word - 1]
        if head > 0:
            dominated[head] |= dominated[word]
            waiting[head] -= 1
            if not waiting[head]:
                ready.append(head)
    for cycle in _cycles(heads):
        together = reduce(or_, (dominated[word] for word in cycle))
        for word in cycle:
            dominated[word] = together
    return dominated


def _between(first: int, second: int) -> int:
    """Return the set of words strictly between two words."""
    low, high = min(first, second), max(first, second)
    return (1 << high) - 1 >> low + 1 << low + 1


@dataclass(frozen=True, slots=True)
class _Spans:
    """For each node 0..n: the times when depth-first search enters and leaves it, and the ends of its subtree."""

    enter: list[int]
    leave: list[int]
    leftmost: list[int]
    rightmost: list[int]

    def has_gap(self, node: int) -> bool:
        return self.rightmost[node] - self.leftmost[node] + 1 != self.leave[node] - self.enter[node]


def _spans(heads: Sequence[int]) -> _Spans:
    check_tree(heads, single_root=False)
    children: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for modifier, head in enumerate(heads, start=1):
        children[head].append(modifier)
    order, stack = [], [0]
    while stack:
        order.append(node := stack.pop())
        stack.extend(children[node])
    spans = _Spans(*([0] * len(order) for _ in range(4)))
    for time, node in enumerate(order):
        spans.enter[node] = time
    for node in reversed(order):
        below = children[node]
        spans.leave[node] = max([spans.enter[node] + 1, *(spans.leave[child] for child in below)])
        spans.leftmost[node] = min([node, *(spans.leftmost[child] for child in below)])
        spans.rightmost[node] = max([node, *(spans.rightmost[child] for child in below)])
    return spans


def _cycles(heads: Sequence[int]) -> Iterator[list[int]]:
    """Yield each cycle once, starting at its first word, along the heads."""
    walk = [0] * (len(heads) + 1)  # for each word, the start of the first walk that visited it
    for start in range(1, len(heads) + 1):
        word = start
        while 0 < word <= len(heads) and not walk[word]:
            walk[word] = start
            word = heads[word - 1]
        if 0 < word <= len(heads) and walk[word] == start:
            yield _cycle_through(word, heads)


def _cycle_through(word: int, heads: Sequence[int]) -> list[int]:
    cycle = [word]
    while heads[cycle[-1] - 1] != word:
        cycle.append(heads[cycle[-1] - 1])
    first = cycle.index(min(cycle))
    return [int(member) for member in cycle[first:] + cycle[:first]]


def _words(words: list[int]) -> str:
    shown = ", ".join(map(str, words[:10])) + (f" and {len(words) - 10} more" if len(words) > 10 else "")
    return f"word {shown}" if len(words) == 1 else f"words {shown}"
