"""Draw sample trees of a sentence, and share Markov chains among threads.

If the decoder can draw independent samples, it does. Otherwise, samples come from Markov chains, which use the scores
of all kinds of parts that the search does not ignore.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.decoders import Decoder, RunsChains, SamplesTrees
from headway.decoders.decoder import check_count
from headway.decoders.samples import Draws, Samples
from headway.decoders.sampling import Sampling, best_parse
from headway.errors import ConstraintError
from headway.parts import Candidates, Parse, Scores
from headway.parts.constraints import no_tree
from headway.parts.kinds import LONGEST
from headway.parts.tree_scorer import TreeScorer
from headway.support.threads import Threads

_CHAINS = 4
"""The number of chains if the decoder itself runs none."""


def anneal_chains(
    decoder: RunsChains, scorer: Callable[[], TreeScorer], *, single_root: bool, threads: Threads
) -> Parse:
    """Share a decoder's chains among threads; return the same tree as a single thread would.

    Parameters
    ----------
    scorer : callable
        Returns a tree scorer; each thread has its own.
    """
    parses: dict[int, Parse] = {}

    def work(first: int, stride: int) -> None:
        if first < decoder.chains:
            scores = scorer()
            for chain in range(first, decoder.chains, stride):
                parses[chain] = decoder.anneal(scores, chain, single_root=single_root)

    threads.deal(work)
    return best_parse([parses[chain] for chain in range(decoder.chains)])


@dataclass(frozen=True)
class Sampler:
    """A sampler of the trees of one sentence; the same seed gives the same trees on any number of threads.

    Parameters
    ----------
    allowed : (n + 1, n + 1) bool
        [head, modifier] The arcs to use; if no tree can be built from them, all arcs are used.
    tables, scorer : callable
        Return the scores of candidates, without ignored kinds: as tables, or as a new tree scorer.
    """

    decoder: Decoder
    allowed: npt.NDArray[np.bool_]
    tables: Callable[[Candidates], Scores]
    scorer: Callable[[Candidates], TreeScorer]
    single_root: bool
    seed: int
    threads: Threads

    def draw(self, count: int, temperature: float) -> Samples:
        """Draw `count` trees, each with probability proportional to exp(score / temperature)."""
        check_count(count)
        try:
            return self._draw(Candidates.from_mask(self.allowed), count, temperature)
        except ConstraintError:
            return self._draw(Candidates.all(len(self.allowed) - 1), count, temperature)

    def _draw(self, arcs: Candidates, count: int, temperature: float) -> Samples:
        decoder = self.decoder
        if isinstance(decoder, SamplesTrees) and not isinstance(decoder, RunsChains):
            tables = self.tables(arcs).scaled(1.0 / temperature)
            return decoder.sample(arcs, tables, count=count, seed=self.seed, single_root=self.single_root)
        if arcs.length > LONGEST:
            raise no_tree(arcs.length, single_root=self.single_root)
        if not isinstance(decoder, RunsChains):
            decoder = Sampling(projective=getattr(decoder, "projective", False), chains=_CHAINS)
        return self._run(decoder, arcs, count, temperature)

    def _run(self, decoder: RunsChains, arcs: Candidates, count: int, temperature: float) -> Samples:
        share, drawn = -(-count // decoder.chains), dict[int, Draws]()

        def work(first: int, stride: int) -> None:
            if first < decoder.chains:
                scores = self.scorer(arcs)
                for chain in range(first, decoder.chains, stride):
                    drawn[chain] = decoder.sample_chain(
                        scores,
                        chain,
                        count=share,
                        temperature=temperature,
                        seed=self.seed,
                        single_root=self.single_root,
                    )

        self.threads.deal(work)
        return Samples.of_chains([drawn[chain] for chain in range(decoder.chains)], count)
