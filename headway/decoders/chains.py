"""Run Markov chains over trees: at a falling temperature to find a good tree, or at a constant one to draw samples.

Zhang et al. (2014), "Steps to excellence", Figure 1. A step is one move, drawn at random: of one word or of the root
(`headway.decoders.gibbs`), or of several words (`headway.decoders.random_walk`).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.decoders.bounds import upper_bound
from headway.decoders.chain import ROUNDING, Chain, draw_place, make_chain, place_chain
from headway.decoders.gibbs import redraw_head, redraw_root
from headway.decoders.random_walk import redraw_words
from headway.decoders.samples import Draws
from headway.decoders.starts import Starts, best_of_arcs, random_start
from headway.kernel import kernel, leaf_kernel, unit_kernel
from headway.kernel.arrays import copy_into
from headway.kernel.random_numbers import Generator, make_generator, reseed, uniform
from headway.parts.tree_scorer import TreeScorer, plant, tree_total

GIBBS, WALK = 0, 1

_ROOT_MOVES = 0.1
"""The share of Gibbs moves that can change the single child of the root."""
_MOST_PASSES = 1000
"""The maximum number of passes of greedy moves, in case scores are so large that rounding looks like progress."""


class Moves(NamedTuple):
    """The moves of a chain, and the trees that it may visit.

    Parameters
    ----------
    proposal : int
        `GIBBS` or `WALK`.
    words : int
        The number of words that a random walk redraws together.
    """

    proposal: int
    words: int
    projective: bool
    single_root: bool


class Schedule(NamedTuple):
    """The length of a chain and its temperatures.

    Parameters
    ----------
    temperature : float
        The temperature of the first round.
    cooling : float
        The factor by which the temperature is multiplied after every round.
    steps : int
        Moves per round.
    rounds : int
        Rounds before the first sample; from then on, there is a sample after every round.
    seed : int
    first, chains : int
        The index of the first chain, and the number of chains: each has its own random numbers.
    stop : (1,) int64
        Stop as soon as this is not zero: see `headway.support.interrupts`.
    climb : bool
        Whether the best tree of each chain is improved at the end by greedy moves.
    """

    temperature: float
    cooling: float
    steps: int
    rounds: int
    seed: int
    first: int
    chains: int
    stop: npt.NDArray[np.int64]
    climb: bool


@leaf_kernel
def step(scores: TreeScorer, chain: Chain, moves: Moves, temperature: float, generator: Generator) -> None:
    """Make one random move; the tree of `chain` can stay the same."""
    if moves.proposal == WALK:
        redraw_words(scores, chain, moves.words, temperature, moves.single_root, moves.projective, generator)
    elif moves.single_root and len(chain.roots) > 1 and uniform(generator) < _ROOT_MOVES:
        word = chain.roots[draw_place(len(chain.roots), generator)]
        redraw_root(scores, chain, word, temperature, moves.projective, generator)
    else:
        word = 1 + draw_place(len(chain.best) - 1, generator)
        redraw_head(scores, chain, word, temperature, moves.single_root, moves.projective, generator)


@unit_kernel
def run_chains(
    scores: TreeScorer,
    starts: Starts,
    moves: Moves,
    schedule: Schedule,
    heads: npt.NDArray[np.int32],
    draws: Draws,
) -> tuple[float, float, int]:
    """Run chains one after the other; write the best tree into `heads` (n + 1,), and samples into `draws`.

    Chain 0 starts at the best first-order tree, all others at random trees. With `Schedule.climb`, the last sample is
    the best tree of the last chain.

    Returns
    -------
    score, bound, chain
        The score of the best tree, an upper bound, and the index of the chain that found the tree; if there is no tree,
        the score is -inf and the index -1.
    """
    generator, chain = make_generator(schedule.seed), make_chain(scores.layout)
    bound = upper_bound(scores, moves.projective, moves.single_root)
    start, best, found = np.empty_like(heads), -np.inf, -1
    for number in range(schedule.first, schedule.first + schedule.chains):
        if found >= 0 and (schedule.stop[0] != 0 or best >= bound - ROUNDING):
            break
        reseed(generator, schedule.seed, number)
        ready = number > 0 and random_start(scores.layout, starts, moves.projective, generator, start)
        if not ready and not best_of_arcs(scores.layout, scores.arc, moves.projective, moves.single_root, start):
            break
        place_chain(scores, chain, start)
        _run_rounds(scores, chain, moves, schedule, draws, generator)
        plant(scores, chain.links, chain.best)
        if schedule.climb:
            _climb(scores, chain, moves, generator)
        score = tree_total(scores, chain.links)
        if schedule.climb and len(draws.heads) > 0:
            copy_into(draws.heads[len(draws.heads) - 1], chain.links.heads)
            draws.scores[len(draws.heads) - 1] = score
        if found < 0 or score > best + ROUNDING:
            best, found = score, number
            copy_into(heads, chain.links.heads)
    return best, max(best, bound), found


@kernel
def _run_rounds(
    scores: TreeScorer, chain: Chain, moves: Moves, schedule: Schedule, draws: Draws, generator: Generator
) -> None:
    """Make the steps of a chain and write samples."""
    temperature = schedule.temperature
    for number in range(schedule.rounds + len(draws.heads)):
        if schedule.stop[0] != 0:
            return
        for _ in range(schedule.steps if len(chain.best) > 1 else 0):
            step(scores, chain, moves, temperature, generator)
        if number >= schedule.rounds:
            copy_into(draws.heads[number - schedule.rounds], chain.links.heads)
            draws.scores[number - schedule.rounds] = chain.scores[0]
        temperature *= schedule.cooling


@kernel
def _climb(scores: TreeScorer, chain: Chain, moves: Moves, generator: Generator) -> None:
    """Move words at temperature 0 until no move improves the score."""
    chain.scores[0] = chain.scores[1]
    for _ in range(_MOST_PASSES):
        before = chain.scores[0]
        for word in range(1, len(chain.best)):
            redraw_head(scores, chain, word, 0.0, moves.single_root, moves.projective, generator)
        for place in range(len(chain.roots) if moves.single_root else 0):
            redraw_root(scores, chain, chain.roots[place], 0.0, moves.projective, generator)
        if chain.scores[0] <= before:
            break
