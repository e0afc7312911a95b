"""Oracles: the transitions that build a tree (static), and the cost of each transition in any state (dynamic).

The static oracle takes the first transition of the table that makes a gold arc and does not remove a word that still
lacks children. For swap, it is the lazy oracle: words are swapped if they are not in the tree's projective order, but
only when the projective component on top of the stack is complete (Nivre, Kuhlmann and Hall 2009,
"An improved oracle for dependency parsing with online reordering").

The dynamic oracle computes how many gold arcs a transition makes impossible (Goldberg and Nivre 2013, "Training
deterministic parsers with non-deterministic oracles"). The static oracle takes O(n) for a projective tree of n words
and O(1) per swap, the dynamic oracle O(n) per transition.
"""

from collections.abc import Sequence

from headway.errors import TreeError
from headway.incremental.systems import (
    REDUCE,
    REMOVE,
    S0,
    S1,
    SHIFT,
    SWAP,
    State,
    System,
    Transition,
    is_legal,
)

DYNAMIC = ("arc-hybrid", "arc-eager")
"""The systems that have a dynamic oracle."""


def static_oracle(system: System, heads: Sequence[int]) -> list[int]:
    """Return the transitions that build a tree, as indices.

    Parameters
    ----------
    heads : sequence of int
        The head of each word; 0 for exactly one word, the root's child.

    Raises
    ------
    TreeError
        If the system cannot build this tree.
    """
    if sum(head == 0 for head in heads) != 1:
        raise TreeError("transition systems build trees with one child of the root")
    walk = _Walk(system, heads)
    while not walk.is_over:
        walk.take(walk.choose())
    return walk.taken


class _Walk:
    """A state on the way to a tree, with counts that make each step cheap."""

    def __init__(self, system: System, heads: Sequence[int]) -> None:
        self.system, self.head_of = system, [-1, *heads]
        self.size = len(heads)
        self.stack: list[int] = []
        self.buffer = list(range(self.size, 0, -1))  # the front is last
        self.missing = [0] * (self.size + 1)  # the number of children that each word still lacks
        for head in heads:
            self.missing[head] += 1
        self.attached = [False] * (self.size + 1)
        self.arcs = 0
        self.taken: list[int] = []
        self.order: list[int] = []
        self.component: list[int] = []
        if not system.projective:
            self.order = projective_order(heads)
            self.component = _components(heads)

    @property
    def is_over(self) -> bool:
        return not self.buffer and self.arcs == self.size - 1

    def word(self, place: int) -> int:
        """Return the word at a place, 0 for none."""
        depth = 1 if place == S0 else 2
        if place <= S1:
            return self.stack[-depth] if len(self.stack) >= depth else 0
        return self.buffer[-1] if self.buffer else 0

    def choose(self) -> int:
        for number, transition in enumerate(self.system.transitions):
            if self.fits(transition):
                return number
        if not self.buffer:
            raise TreeError(f"{self.system.name} cannot build this tree, which has crossing arcs")
        return 0

    def fits(self, transition: Transition) -> bool:
        if len(self.stack) < transition.stack or len(self.buffer) < transition.buffer:
            return False
        if transition.labelled:
            head, modifier = self.word(transition.head), self.word(transition.modifier)
            complete = transition.move != REMOVE or self.missing[modifier] == 0
            return self.head_of[modifier] == head and complete and not self.attached[modifier]
        if transition.move == REDUCE:
            return self.attached[self.stack[-1]] and self.missing[self.stack[-1]] == 0
        if transition.move == SWAP:
            top, below = self.stack[-1], self.stack[-2]
            wrong = below < top and self.order[below] > self.order[top]
            return wrong and not (self.buffer and self.component[self.buffer[-1]] == self.component[top])
        return False

    def take(self, number: int) -> None:
        transition = self.system.transitions[number]
        self.taken.append(number)
        if transition.labelled:
            head, modifier = self.word(transition.head), self.word(transition.modifier)
            self.missing[head] -= 1
            self.attached[modifier] = True
            self.arcs += 1
            if transition.move == REMOVE:
                del self.stack[-1 if self.stack[-1] == modifier else -2]
        if transition.move == SHIFT:
            self.stack.append(self.buffer.pop())
        elif transition.move == REDUCE:
            self.stack.pop()
        elif transition.move == SWAP:
            self.buffer.append(self.stack.pop(-2))


def projective_order(heads: Sequence[int]) -> list[int]:
    """Return the position of each word in the inorder traversal of the tree; the root counts, too, from 0."""
    children: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, start=1):
        children[head].append(word)
    place, rank = [0] * (len(heads) + 1), 0
    waiting = [(0, False)]
    while waiting:
        word, is_read = waiting.pop()
        if is_read:
            place[word] = rank
            rank += 1
            continue
        right = [(child, False) for child in reversed(children[word]) if child > word]
        left = [(child, False) for child in reversed(children[word]) if child < word]
        waiting += [*right, (word, True), *left]
    return place


def _components(heads: Sequence[int]) -> list[int]:
    """Return for each word the root of its maximal projective component, which is built without swaps."""
    size = len(heads)
    head_of, missing = [-1, *heads], [0] * (size + 1)
    for head in heads:
        missing[head] += 1
    stack: list[int] = []
    above = list(range(size + 1))
    for word in range(1, size + 1):
        stack.append(word)
        while len(stack) > 1:
            top, below = stack[-1], stack[-2]
            if head_of[below] == top and missing[below] == 0:
                stack.pop(-2)
                above[below] = top
                missing[top] -= 1
            elif head_of[top] == below and missing[top] == 0:
                stack.pop()
                above[top] = below
                missing[below] -= 1
            else:
                break
    roots = []
    for word in range(size + 1):
        root = word
        while above[root] != root:
            root = above[root]
        roots.append(root)
    return roots


def dynamic_costs(system: System, state: State, heads: Sequence[int]) -> list[int]:
    """Return the number of gold arcs that each transition makes impossible; -1 for illegal transitions.

    For arc-hybrid and arc-eager. For arc-eager, the costs are those of the variant in which several words may end
    without a head (`is_legal` with ``several_roots``); such a word is correct if it is the root's child.
    """
    if system.name not in DYNAMIC:
        raise TreeError(f"there is no dynamic oracle for {system.name}")
    several = system.keeps_modifiers
    costs = []
    for transition in system.transitions:
        if not is_legal(system, state, transition, several_roots=several):
            costs.append(-1)
        else:
            costs.append(_eager_cost(state, transition, heads) if several else _hybrid_cost(state, transition, heads))
    return costs


def _hybrid_cost(state: State, transition: Transition, heads: Sequence[int]) -> int:
    head_of, stack, buffer = [-1, *heads], state.stack, state.buffer
    if transition.move == SHIFT:
        word, below = buffer[0], stack[:-1]
        lost = sum(head_of[some] == word for some in stack)
        return lost + (head_of[word] in below or (head_of[word] == 0 and bool(stack)))
    word = stack[-1]
    lost = sum(head_of[some] == word for some in buffer)
    right = head_of[word]
    if transition.head == S1:  # the right arc from s1
        return lost + (right in buffer)
    second = stack[-2:-1]
    return lost + (right in buffer[1:] or right in second or (right == 0 and len(stack) == 1))


def _eager_cost(state: State, transition: Transition, heads: Sequence[int]) -> int:
    head_of, stack, buffer = [-1, *heads], state.stack, state.buffer
    waiting = [word for word in stack if not state.has_head(word)]
    if transition.move == SHIFT:
        word = buffer[0]
        lost = sum(head_of[some] == word for some in waiting)
        if not transition.labelled:
            return lost + (head_of[word] in stack)
        return lost + (head_of[word] in (*stack[:-1], *buffer) or head_of[word] == 0)
    word = stack[-1]
    lost = sum(head_of[some] == word for some in buffer)
    if transition.move == REDUCE:
        return lost
    return lost + (head_of[word] in buffer[1:] or head_of[word] == 0)
