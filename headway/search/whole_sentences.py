"""Arc probabilities for a sentence that is decoded as a whole: samples, marginals, or a comparison with rival heads."""

from typing import TYPE_CHECKING

import numpy as np

from headway.decoders import HasMarginals, RunsChains
from headway.decoders.spanning_tree import SpanningTree
from headway.encoding import Encoded
from headway.errors import ConstraintError, ScoreError
from headway.marginals.softmax import softmax
from headway.parts import Candidates
from headway.parts.candidate_batch import CandidateBatch, IntArray
from headway.search.confidence import Chances, Curve
from headway.search.rivals import rivals
from headway.support.threads import Threads

if TYPE_CHECKING:
    from headway.search.search import Search


def whole_chances(
    search: "Search",
    encoded: Encoded,
    sentence: int,
    *,
    heads: IntArray | None = None,
    candidates: CandidateBatch | None = None,
) -> Curve:
    """Return the arc probabilities as a function of the temperature; see `Search.probabilities`.

    If any score is NaN, all probabilities are.
    """
    size = int(encoded.lengths()[sentence]) + 1
    if candidates is None:
        with Threads() as pool:
            single = encoded.some(np.array([sentence]))
            mask = search.candidates(single, threads=pool, narrow=False).mask(0, size)
    else:
        mask = candidates.mask(sentence, size).copy()
    unknown = Chances(np.full(mask.shape, np.nan))
    decoder = search.decoder
    if isinstance(decoder, RunsChains):
        sampler = search.sampler(encoded, sentence, mask)
        return lambda temperature: Chances(sampler.draw(_FOR_CONFIDENCE, temperature).arcs)
    if isinstance(decoder, HasMarginals):
        arcs = Candidates.from_mask(mask)
        tables = search.tables(encoded, sentence, arcs)

        def marginals(temperature: float) -> Chances:
            scaled = tables.scaled(1.0 / temperature)
            try:
                found = decoder.marginals(arcs, scaled, single_root=search.single_root)
            except ConstraintError:
                found = _ARCS_ALONE.marginals(arcs, scaled, single_root=search.single_root, ignore=search.scorer.kinds)
            except ScoreError:
                return unknown
            return Chances(arcs.dense(found.arc, 0.0), found.log_partition)

        return marginals
    if heads is None:
        heads = search.best(encoded, sentence)[0].heads
    mask[heads[1:], np.arange(1, size)] = True
    try:
        table = rivals(search.scorer, encoded, sentence, mask, heads, single_root=search.single_root)
    except ScoreError:
        return lambda temperature: unknown

    def beside_rivals(temperature: float) -> Chances:
        found = np.zeros_like(table)
        found[:, 1:] = softmax(table[:, 1:] / temperature)
        return Chances(found)

    return beside_rivals


_ARCS_ALONE = SpanningTree()

_FOR_CONFIDENCE = 500
"""The number of samples for arc probabilities, if the decoder runs Markov chains."""
