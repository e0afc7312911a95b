"""Transition systems as tables, and their states in plain Python.

A state has a stack (its top is s0, below it s1), a buffer (its front is n0) and the arcs made so far. A transition
makes at most one arc and then moves words:

=========  ==========================================================
move       effect
=========  ==========================================================
SHIFT      push n0 onto the stack
REMOVE     remove the modifier of the new arc from stack or buffer
REDUCE     pop s0 from the stack
SWAP       move s1 back to the front of the buffer
=========  ==========================================================

The root is never on the stack: parsing ends when the buffer is empty and only one word has no head, and that word is
the child of the root. So every sequence of transitions ends in a tree with a single root.

Nivre (2008), "Algorithms for deterministic incremental dependency parsing" (arc-standard, arc-eager); Kuhlmann,
Gómez-Rodríguez and Satta (2011), "Dynamic programming algorithms for transition-based dependency parsers" (arc-hybrid);
Nivre (2009), "Non-projective dependency parsing in expected linear time" (swap). A sentence of n words takes 2n - 1
transitions, and two more for every swap.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headway.errors import UsageError

NOWHERE, S0, S1, N0 = range(4)
"""Places of words: none, the top of the stack, the word below it, the front of the buffer."""

SHIFT, REMOVE, REDUCE, SWAP = range(4)
"""The moves of transitions."""

ALWAYS, HEADLESS, HEADED, ORDERED = range(4)
"""The conditions of transitions: none, s0 has no head, s0 has a head, s1 is before s0 in the sentence."""


@dataclass(frozen=True)
class Transition:
    """A transition: one row of a table.

    Parameters
    ----------
    head, modifier : int
        The places of head and modifier of the new arc; `NOWHERE` for no arc.
    stack, buffer : int
        The minimum numbers of words on the stack and in the buffer.
    """

    name: str
    move: int
    head: int = NOWHERE
    modifier: int = NOWHERE
    stack: int = 0
    buffer: int = 0
    condition: int = ALWAYS

    @property
    def labelled(self) -> bool:
        """Whether the transition makes an arc."""
        return self.head != NOWHERE


@dataclass(frozen=True)
class System:
    """A transition system.

    Parameters
    ----------
    projective : bool
        Whether the system cannot make crossing arcs.
    keeps_modifiers : bool
        Whether words stay on the stack when they have a head, as in arc-eager. The last word of the sentence can then
        only be pushed if it does not leave a second word without a head.
    """

    name: str
    transitions: tuple[Transition, ...]
    projective: bool = True
    keeps_modifiers: bool = False

    def table(self) -> npt.NDArray[np.int64]:
        """(transitions, 6) Return move, head, modifier, stack, buffer and condition of each transition, for kernels."""
        rows = [[t.move, t.head, t.modifier, t.stack, t.buffer, t.condition] for t in self.transitions]
        return np.array(rows, dtype=np.int64)


_SHIFT = Transition("shift", SHIFT, buffer=1)
_LEFT = Transition("left", REMOVE, head=S0, modifier=S1, stack=2)
_RIGHT = Transition("right", REMOVE, head=S1, modifier=S0, stack=2)

SYSTEMS = {
    system.name: system
    for system in (
        System("arc-standard", (_SHIFT, _LEFT, _RIGHT)),
        System(
            "arc-hybrid",
            (_SHIFT, Transition("left", REMOVE, head=N0, modifier=S0, stack=1, buffer=1), _RIGHT),
        ),
        System(
            "arc-eager",
            (
                _SHIFT,
                Transition("left", REMOVE, head=N0, modifier=S0, stack=1, buffer=1, condition=HEADLESS),
                Transition("right", SHIFT, head=S0, modifier=N0, stack=1, buffer=1),
                Transition("reduce", REDUCE, stack=1, condition=HEADED),
            ),
            keeps_modifiers=True,
        ),
        System(
            "swap",
            (_SHIFT, _LEFT, _RIGHT, Transition("swap", SWAP, stack=2, condition=ORDERED)),
            projective=False,
        ),
    )
}
"""All systems by name."""


def find_system(name: str) -> System:
    """Return the system with this name."""
    if name not in SYSTEMS:
        raise UsageError(f"no transition system {name!r}; choose from {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


@dataclass(frozen=True)
class State:
    """A state in plain Python, equivalent to those of the beam search.

    Parameters
    ----------
    stack, buffer : tuple of int
        Words, counted from 1; the top of the stack is last, the front of the buffer first.
    arcs : tuple of (head, modifier, label)
        The arcs in the order in which they were made.
    """

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: tuple[tuple[int, int, int], ...] = ()

    @classmethod
    def start(cls, words: int) -> "State":
        """Return the initial state of a sentence."""
        return cls((), tuple(range(1, words + 1)))

    def word(self, place: int) -> int:
        """Return the word at a place."""
        return self.buffer[0] if place == N0 else self.stack[-1 if place == S0 else -2]

    def has_head(self, word: int) -> bool:
        """Return whether a word has a head."""
        return any(modifier == word for _, modifier, _ in self.arcs)

    def headless(self) -> int:
        """Return the number of words on the stack without a head."""
        return sum(not self.has_head(word) for word in self.stack)

    def heads(self, words: int) -> list[int]:
        """Return the head of each word; 0 for words without a head."""
        found = [0] * words
        for head, modifier, _ in self.arcs:
            found[modifier - 1] = head
        return found


def is_final(state: State) -> bool:
    """Return whether the tree is complete: the buffer is empty and one word has no head."""
    return not state.buffer and state.headless() <= 1


def is_legal(system: System, state: State, transition: Transition, *, several_roots: bool = False) -> bool:
    """Return whether a transition is legal in a state.

    Parameters
    ----------
    several_roots : bool
        Let systems that keep modifiers end with several headless words: only for these variants, dynamic oracles are
        exact.
    """
    if is_final(state) or len(state.stack) < transition.stack or len(state.buffer) < transition.buffer:
        return False
    if several_roots and not state.buffer:
        return False
    if transition.condition == ORDERED and state.stack[-2] > state.stack[-1]:
        return False
    asks = transition.condition in (HEADLESS, HEADED)
    if asks and state.has_head(state.stack[-1]) != (transition.condition == HEADED):
        return False
    if system.keeps_modifiers and not several_roots and transition.move == SHIFT and len(state.buffer) == 1:
        return state.headless() == (1 if transition.labelled else 0)
    return True


def legal(system: System, state: State) -> list[int]:
    """Return the indices of the legal transitions."""
    return [number for number, some in enumerate(system.transitions) if is_legal(system, state, some)]


def apply(state: State, transition: Transition, label: int = 0) -> State:
    """Return the next state."""
    if transition.labelled:
        arc = (state.word(transition.head), state.word(transition.modifier), label)
        state = replace(state, arcs=(*state.arcs, arc))
    if transition.move == SHIFT:
        return replace(state, stack=(*state.stack, state.buffer[0]), buffer=state.buffer[1:])
    if transition.move == SWAP:
        return replace(state, stack=(*state.stack[:-2], state.stack[-1]), buffer=(state.stack[-2], *state.buffer))
    gone = state.word(transition.modifier if transition.move == REMOVE else S0)
    return replace(state, stack=tuple(word for word in state.stack if word != gone))


def run(system: System, words: int, transitions: Sequence[int]) -> State:
    """Return the state after some unlabelled transitions; UsageError if one of them is illegal."""
    state = State.start(words)
    for number in transitions:
        if not is_legal(system, state, system.transitions[number]):
            raise UsageError(f"the transition {system.transitions[number].name} is not legal here")
        state = apply(state, system.transitions[number])
    return state
