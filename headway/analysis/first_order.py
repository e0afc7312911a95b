"""The first-order score of every arc of a treebank, a table for each sentence."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from headway.corpus import Sentence
from headway.parser import Parser
from headway.parts import Kind
from headway.parts.candidate_batch import ALL_ARCS
from headway.support.chunks import full_chunks
from headway.support.threads import Threads

_CHUNK = 256


def arc_tables(parser: Parser, sentences: Iterable[Sentence], *, pruned: bool = False) -> Iterator[NDArray[np.float64]]:
    """Score the arcs of each sentence.

    Parameters
    ----------
    pruned : bool
        Whether arcs that the model's pruner removes score -inf; has no effect on a model without a pruner.

    Yields
    ------
    (n + 1, n + 1) float64
        The scores [head, modifier] of a sentence.
    """
    model = parser.model
    with Threads() as pool:
        for chunk in full_chunks(sentences, _CHUNK):
            encoded = model.encoder.encode(chunk)
            arcs = model.pruner.prune(encoded, threads=pool) if pruned and model.pruner else ALL_ARCS
            for index, length in enumerate(encoded.lengths().tolist()):
                candidates = arcs.candidates(index, length)
                yield candidates.dense(model.scorer.scores(encoded, index, candidates, {Kind.ARC}).arc, -np.inf)
