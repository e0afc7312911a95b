"""A Markov chain over trees: annealed to find a good tree, or at constant temperature to draw samples.

Zhang, Lei, Barzilay, Jaakkola and Globerson (2014), "Steps to excellence: simple inference with refined scoring of
dependency trees". The chain only needs to know how the score changes if a word gets another head, so it works with any
scoring function. Cost: a sweep scores the candidate heads of all n words, like a pass of hill climbing.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from headway.decoders.chain import ROUNDING
from headway.decoders.chains import GIBBS, Moves, Schedule, run_chains
from headway.decoders.decoder import Cost, TableDecoder, check_count
from headway.decoders.samples import Draws, Samples
from headway.decoders.starts import arc_starts, best_of_arcs
from headway.errors import UsageError
from headway.parts import Candidates, Kind, Parse, Scores
from headway.parts.constraints import no_tree
from headway.parts.table_scores import possible_scores
from headway.parts.tree_scorer import TreeScorer
from headway.support.interrupts import interruptibly, stop_flag

PROPOSALS = ("gibbs", "walk")
"""Redraw the head of one word at a time (Gibbs sampling), or the heads of several words together by a random walk."""
_SHORT = 5_000
"""The most steps of chains that end in a fraction of a second; see `interruptibly`."""


@dataclass(frozen=True)
class Sampling(TableDecoder):
    """Find a high-scoring tree by annealing, or draw samples at a constant temperature.

    Parameters
    ----------
    proposal : str
        One of `PROPOSALS`.
    temperature : float
        The temperature of the first sweep; scores are divided by it.
    cooling : float
        The factor by which the temperature is multiplied after every sweep.
    sweeps : int
        The number of sweeps; a sweep draws as many heads as the sentence has words.
    chains : int
        The number of chains: the first starts at the best first-order tree, all others at random trees.
    words : int
        The number of words whose heads a random walk redraws together.
    seed : int
        The same seed gives the same tree.
    burn_in : int
        The number of sweeps of a chain before its first sample.
    thinning : int
        The number of sweeps between two samples of a chain.
    """

    projective: bool = False
    proposal: str = "walk"
    temperature: float = 0.5
    cooling: float = 0.6
    sweeps: int = 5
    chains: int = 12
    words: int = 4
    seed: int = 0
    burn_in: int = 50
    thinning: int = 8
    name = "sampling"
    reads = frozenset(Kind)
    whole_trees = True

    def __post_init__(self) -> None:
        if self.proposal not in PROPOSALS:
            raise UsageError(f"no proposal {self.proposal!r}; choose from {', '.join(PROPOSALS)}")
        if not (self.temperature > 0.0 and 0.0 < self.cooling <= 1.0):
            raise UsageError("the temperature must be above 0, and the cooling rate above 0 and at most 1")
        if min(self.sweeps, self.burn_in) < 0 or min(self.chains, self.words, self.thinning) < 1:
            raise UsageError("sweeps and burn_in must be at least 0; chains, words and thinning at least 1")

    def _search(self, candidates: Candidates, scores: Scores, *, single_root: bool, cost: Cost | None) -> Parse:
        return self.decode_trees(possible_scores(candidates, scores, cost), single_root=single_root)

    def decode_trees(self, scorer: TreeScorer, *, single_root: bool = True) -> Parse:
        """Find a tree under a tree scorer; see `SearchesTrees`."""
        return self._run(scorer, self._schedule(len(scorer.layout.most)), 0, single_root=single_root)[1]

    def anneal(self, scorer: TreeScorer, chain: int, *, single_root: bool = True) -> Parse:
        """Find a tree with one chain, independently of all other chains."""
        schedule = self._schedule(len(scorer.layout.most))._replace(first=chain, chains=1)
        return self._run(scorer, schedule, 0, single_root=single_root)[1]

    def sample(
        self,
        candidates: Candidates,
        scores: Scores,
        *,
        count: int,
        seed: int = 0,
        single_root: bool = True,
        ignore: Collection[Kind] = (),
    ) -> Samples:
        """Draw trees; see `SamplesTrees`."""
        check_count(count)
        readable, _ = self.readable(scores, ignore)
        scorer = possible_scores(candidates, readable)
        share = -(-count // self.chains)
        drawn = [
            self.sample_chain(scorer, chain, count=share, temperature=1.0, seed=seed, single_root=single_root)
            for chain in range(self.chains)
        ]
        return Samples.of_chains(drawn, count)

    def sample_chain(
        self,
        scorer: TreeScorer,
        chain: int,
        *,
        count: int,
        temperature: float,
        seed: int,
        single_root: bool = True,
        cooling: float = 1.0,
        climb: bool = False,
    ) -> Draws:
        """Draw trees with one chain, independently of all other chains.

        Parameters
        ----------
        cooling : float
            The factor by which the temperature is multiplied after every sample.
        climb : bool
            Whether to replace the last sample by the best tree that the chain met, improved by giving words better
            heads while possible.

        Returns
        -------
        Draws
            `count` samples, in order.
        """
        schedule = self._schedule(len(scorer.layout.most))
        constant = schedule._replace(
            temperature=temperature,
            cooling=cooling,
            steps=self.thinning * schedule.steps,
            rounds=-(-self.burn_in // self.thinning),
            seed=seed,
            first=chain,
            chains=1,
            climb=climb,
        )
        draws, _ = self._run(scorer, constant, count, single_root=single_root)
        return draws

    def _schedule(self, size: int) -> Schedule:
        together = 1 if PROPOSALS.index(self.proposal) == GIBBS else min(self.words, max(size - 1, 1))
        steps = -(-(size - 1) // together)
        return Schedule(
            self.temperature, self.cooling, steps, self.sweeps, self.seed, 0, self.chains, stop_flag(), True
        )

    def _run(self, scorer: TreeScorer, schedule: Schedule, count: int, *, single_root: bool) -> tuple[Draws, Parse]:
        size = len(scorer.layout.most)
        heads, draws = np.empty(size, dtype=np.int32), Draws(np.empty((count, size), dtype=np.int32), np.empty(count))
        moves = Moves(PROPOSALS.index(self.proposal), self.words, self.projective, single_root)
        if not best_of_arcs(scorer.layout, scorer.arc, self.projective, single_root, heads):
            raise no_tree(size - 1, single_root=single_root, projective=self.projective)
        starts = arc_starts(scorer.layout, scorer.arc, False, single_root)
        steps = schedule.chains * schedule.steps * (schedule.rounds + count)
        score, bound, chain = interruptibly(
            lambda: run_chains(scorer, starts, moves, schedule, heads, draws), schedule.stop, short=steps <= _SHORT
        )
        finite_bound = bound if bound < np.inf else None
        return draws, Parse(heads, score, bound=finite_bound, exact=score >= bound, statistics={"chain": chain})


def best_parse(parses: Sequence[Parse]) -> Parse:
    """Return the best tree; of trees whose scores differ by rounding only, the first."""
    best = parses[0]
    for parse in parses[1:]:
        if parse.score > best.score + ROUNDING:
            best = parse
    return best
