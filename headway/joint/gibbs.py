"""Gibbs sampling over readings and trees: draw a word's reading and head given those of all other words.

Zhang, Lei, Barzilay, Jaakkola and Globerson (2014), "Steps to excellence: simple inference with refined scoring of
dependency trees", section 3.4. A state is a choice of readings r and a tree y; the stationary probability of a state is
proportional to exp(score(r, y) / T). There are two moves, each of which leaves this distribution invariant:

a word      its reading and head are drawn from all such pairs, with everything else fixed
the root    the child of the root is redrawn, with fixed readings: `headway.decoders.gibbs.redraw_root`

Both draw from a set of states that is the same for every state in it, so detailed balance holds. Cost of moving a word:
its heads are scored once for each of its readings, by a tree scorer that is made when this choice of readings first
occurs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.decoders.chain import draw_place, make_chain, place_chain
from headway.decoders.climbing import list_options
from headway.decoders.gibbs import drop_crossing, redraw_root
from headway.decoders.starts import best_of_arcs
from headway.errors import ConstraintError
from headway.joint.states import change
from headway.kernel import kernel
from headway.kernel.random_numbers import Generator, make_generator
from headway.parts.links import make_links
from headway.parts.tree_scorer import TreeScorer, make_options, plant, tree_total, weigh

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]
Readings = tuple[int, ...]
"""The index of each word's reading."""

_ROOT_MOVES = 0.1
"""The share of moves that redraw the single child of the root."""
_MOST_SCORERS = 512
"""The size of the cache of tree scorers, by choice of readings."""


class Conditional(NamedTuple):
    """The tree scorer for one choice of readings: score(r, y) = constant + trees(y)."""

    trees: TreeScorer
    constant: float


class State(NamedTuple):
    """Readings and a tree, ``heads`` (n + 1,), with their joint score."""

    readings: Readings
    heads: IntArray
    score: float


@dataclass(frozen=True)
class JointChain:
    """A Markov chain over readings and trees.

    Parameters
    ----------
    counts : sequence of int, (n,)
        The number of readings of each word.
    conditional : callable
        Maps a choice of readings to its tree scorer; all tree scorers must have the same candidate arcs.
    """

    counts: Sequence[int]
    conditional: Callable[[Readings], Conditional]
    single_root: bool = True
    projective: bool = False

    def run(self, temperatures: Sequence[float], *, seed: int = 0, start: Readings | None = None) -> Iterator[State]:
        """Yield the state after each sweep of n moves, at the temperature of that sweep.

        Parameters
        ----------
        temperatures : (sweeps,)
            The temperatures: constant to draw samples, falling to find a good state.
        start : Readings, optional
            The initial readings, by default the first ones; the initial tree is the best first-order tree.
        """
        random, generator, known = np.random.default_rng(seed), make_generator(seed), dict[Readings, Conditional]()

        def given(readings: Readings) -> Conditional:
            if readings not in known:
                if len(known) >= _MOST_SCORERS:
                    known.clear()
                known[readings] = self.conditional(readings)
            return known[readings]

        readings = start or (0,) * len(self.counts)
        trees, constant = given(readings)
        heads = np.empty(len(self.counts) + 1, dtype=np.int32)
        if not best_of_arcs(trees.layout, trees.arc, self.projective, self.single_root, heads):
            raise ConstraintError("no tree can be built from the candidate arcs")
        for temperature in temperatures:
            for _ in self.counts:
                if self.single_root and random.random() < _ROOT_MOVES:
                    _move_root(given(readings).trees, heads, temperature, self.projective, generator)
                else:
                    readings = self._move_word(given, readings, heads, temperature, random)
            trees, constant = given(readings)
            yield State(readings, heads.copy(), constant + _total(trees, heads))

    def _move_word(
        self,
        given: Callable[[Readings], Conditional],
        readings: Readings,
        heads: IntArray,
        temperature: float,
        random: np.random.Generator,
    ) -> Readings:
        """Draw the reading and the head of a word; write the head and return the readings."""
        word = int(random.integers(len(self.counts)))
        options, totals = np.empty(len(heads), dtype=np.int64), np.empty((self.counts[word], len(heads)))
        choices = [change(readings, word, number) for number in range(self.counts[word])]
        count = 0
        for number, choice in enumerate(choices):
            trees, constant = given(choice)
            count = weigh_heads(
                trees, heads, word + 1, self.single_root, self.projective, options, totals[number]
            )  # all readings have the same heads
            totals[number, :count] += constant
        scores = totals[:, :count].reshape(-1)
        chances = np.exp((scores - scores.max()) / temperature)
        drawn = int(np.searchsorted(np.cumsum(chances), random.random() * chances.sum(), side="right"))
        number, option = divmod(min(drawn, len(scores) - 1), count)
        heads[word + 1] = options[option]
        return choices[number]


def anneal(chain: JointChain, *, temperature: float, cooling: float, sweeps: int, seed: int = 0) -> State:
    """Return the best state that a chain visits during annealing: Figure 1 of the paper, over readings and trees."""
    temperatures = [temperature * cooling**sweep for sweep in range(sweeps)]
    return max(chain.run(temperatures, seed=seed), key=lambda state: state.score)


@kernel
def weigh_heads(
    scores: TreeScorer,
    heads: IntArray,
    word: int,
    single_root: bool,
    projective: bool,
    options: npt.NDArray[np.int64],
    totals: FloatArray,
) -> int:
    """Write the possible heads of a word, with all other heads fixed, and the scores of the trees; return their number.

    Parameters
    ----------
    heads : (n + 1,) int32
        The tree.
    options, totals : (n + 1,), output
        Only the returned number of entries is written.
    """
    links, room = make_links(len(heads)), make_options(len(heads))
    plant(scores, links, heads)
    total = tree_total(scores, links)
    count = list_options(scores, links, room, word, single_root)
    if projective:
        count = drop_crossing(links, room, word, count)
    weigh(scores, links, word, room, count)
    for option in range(count):
        options[option] = room.heads[option]
        totals[option] = total + room.gains[option] - room.gains[0]
    return count


@kernel
def _total(scores: TreeScorer, heads: IntArray) -> float:
    links = make_links(len(heads))
    plant(scores, links, heads)
    return float(tree_total(scores, links))


@kernel
def _move_root(scores: TreeScorer, heads: IntArray, temperature: float, projective: bool, generator: Generator) -> None:
    """Redraw the child of the root and write the tree."""
    chain = make_chain(scores.layout)
    place_chain(scores, chain, heads)
    word = chain.roots[draw_place(len(chain.roots), generator)]
    redraw_root(scores, chain, word, temperature, projective, generator)
    for modifier in range(1, len(heads)):
        heads[modifier] = chain.links.heads[modifier]
