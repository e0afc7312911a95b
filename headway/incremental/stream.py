"""Beam search while a sentence is being written: find the best forest after each word.

A beam is *settled* if all features of its states are about known words, because features look only a few words ahead.
After each word, the settled beam is extended as far as possible. From there, a temporary search finishes with the words
so far. So the forest after each word is the same as that of a search of all words so far, but a word only costs
O(k (T + A)) for each step after the settled beam, usually a few, and O(n) for writing the forest.
"""

import numpy as np
import numpy.typing as npt

from headway.incremental.beam import (
    Beam,
    Machine,
    Workspace,
    advance,
    collect,
    is_over,
    make_beam,
    make_workspace,
    most_steps,
    start_search,
    write_tree,
)
from headway.incremental.features import word_hashes
from headway.incremental.states import (
    BUFFER,
    DEPTH,
    LEFT_OVER,
    STACK,
    SWAPS,
    WORD,
    Arena,
    append_word,
    make_arena,
    no_constraints,
)
from headway.incremental.transitions import TransitionModel
from headway.kernel import kernel, leaf_kernel
from headway.parts import Parse
from headway.scorers.rows import Rows

_ROOM = 64
"""The initial capacity in words."""


class PrefixSearch:
    """Searches one sentence word by word.

    Parameters
    ----------
    model : TransitionModel
    names : sequence of str
        The labels.
    width : int
        The width of the beam.
    """

    def __init__(self, model: TransitionModel, *, names: tuple[str, ...], width: int) -> None:
        prefixes = model.of_prefixes()
        self.machine, self.rows, self.names = prefixes.machine, prefixes.rows, names
        self._beam, self._space = make_beam(width), make_workspace(self.machine, width)
        self._arena = make_arena(_ROOM, 2 * width * most_steps(_ROOM) + 1)
        self._hashes = np.zeros((0, 0, 0), dtype=np.uint32)
        self._atoms = np.zeros((0, 0), dtype=np.int32)
        self._last_cell = 0
        start_search(self._arena, self._beam, 0)

    def add(self, atoms: npt.NDArray[np.int32]) -> Parse:
        """Add a word and return the best forest of the words so far.

        Words without a head so far have the head -1 and the label ``_``.

        Parameters
        ----------
        atoms : (2, atoms) int32
            The atoms of the root and of the word.
        """
        words = int(self._arena.used[3]) + 1
        self._make_room(words, atoms)
        self._atoms[words] = atoms[1]
        self._hash(words)
        heads, labels = np.zeros(words + 1, dtype=np.int32), np.zeros(words + 1, dtype=np.int32)
        self._last_cell, score = add_word(
            self._arena, self._beam, self._hashes, self.machine, self.rows, self._space, self._last_cell, heads, labels
        )
        heads[heads == 0] = -1
        pairs = zip(heads[1:].tolist(), labels[1:].tolist(), strict=True)
        return Parse(heads, score, tuple(self.names[label] if head >= 0 else "_" for head, label in pairs))

    def _make_room(self, words: int, atoms: npt.NDArray[np.int32]) -> None:
        """Double the capacity if the next word needs it."""
        room, arena = max(_ROOM, len(self._atoms) - 1), self._arena
        if len(self._atoms) == 0:
            self._atoms = np.repeat(atoms[:1], _ROOM + 1, axis=0)
            roles, _, templates = word_hashes(atoms, self.machine.plan.words).shape
            self._hashes = np.zeros((roles, _ROOM + 1, templates), dtype=np.uint32)
        elif words > room:
            self._atoms = np.concatenate([self._atoms, np.repeat(self._atoms[:1], room, axis=0)])
            self._hashes = np.concatenate([self._hashes, np.zeros_like(self._hashes[:, 1:])], axis=1)
            larger = make_arena(2 * room, 2 * len(self._beam.states) * most_steps(2 * room) + 1)
            for name in Arena._fields:
                old = getattr(arena, name)
                getattr(larger, name)[: len(old)] = old
            self._arena = larger

    def _hash(self, words: int) -> None:
        """Hash the new word, and earlier words whose features include it."""
        reach = self.machine.plan.reach
        first = max(1, words - 2 * reach)
        around = np.concatenate([self._atoms[:1], self._atoms[first : words + 1]])
        some = word_hashes(around, self.machine.plan.words)
        changed = max(1, words - reach)
        self._hashes[:, 0] = some[:, 0]
        self._hashes[:, changed : words + 1] = some[:, changed - first + 1 : -1]


@leaf_kernel
def _is_settled(arena: Arena, beam: Beam, machine: Machine) -> bool:
    """Return whether features of all states in the beam are only about known words."""
    words = arena.used[3]
    for index in range(beam.size[0]):
        state = arena.states[beam.states[index]]
        last, cell = arena.items[arena.cells[state[BUFFER], 0], WORD], state[STACK]
        if last == 0 or state[SWAPS] >= words:
            return False
        for _ in range(min(3, state[DEPTH])):
            last, cell = max(last, arena.items[arena.cells[cell, 0], WORD]), arena.cells[cell, 1]
        if last + machine.plan.reach > words:
            return False
    return True


@kernel
def add_word(
    arena: Arena,
    beam: Beam,
    hashes: npt.NDArray[np.uint32],
    machine: Machine,
    rows: Rows,
    space: Workspace,
    last_cell: int,
    heads: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
) -> tuple[int, float]:
    """Add a word to the sentence and write the best forest; return the word's cell and the forest's score."""
    free = no_constraints()
    cell = append_word(arena, last_cell)
    for index in range(beam.size[0]):
        state = arena.states[beam.states[index]]
        state[LEFT_OVER] += 1
        if state[BUFFER] == 0:
            state[BUFFER] = cell
    while _is_settled(arena, beam, machine):
        collect(arena, beam, hashes, machine, rows, space, free)
        advance(arena, beam, machine, free)
    size, steps, used, settled = beam.size[0], beam.size[2], arena.used.copy(), beam.states.copy()
    while not is_over(arena, beam, machine):
        collect(arena, beam, hashes, machine, rows, space, free)
        advance(arena, beam, machine, free)
    best = beam.states[0]
    write_tree(arena, best, machine, heads, labels)
    score = arena.scores[best]
    beam.size[0], beam.size[2] = size, steps
    for index in range(size):
        beam.states[index] = settled[index]
    for index in range(len(used)):
        arena.used[index] = used[index]
    return cell, score
