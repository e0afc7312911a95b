"""Every climb that a model's hill climber makes over the sentences of a treebank."""

from collections.abc import Iterable, Iterator

import numpy as np

from headway.chunks import full_chunks
from headway.corpus import Sentence
from headway.decoders.hill_climbing import Trace
from headway.encoding import Encoded
from headway.errors import UsageError
from headway.parser import Parser
from headway.pipeline import TableOfArcs, Threads, table_starts
from headway.search import SearchRule, trace_climbs

_CHUNK = 256


def climb_traces(parser: Parser, sentences: Iterable[Sentence], *, rule: SearchRule, climbs: int) -> Iterator[Trace]:
    """Climb each sentence `climbs` times, whatever comes out.

    Parameters
    ----------
    rule : SearchRule
        Where climbs start, and among which heads; when it would stop does not count.

    Yields
    ------
    Trace
        The start, the end and the score of each climb; -inf where the model's arcs hold no tree.

    Raises
    ------
    UsageError
        If the model scores arcs alone: it parses by exact search.
    """
    check_climbs(parser)
    if climbs < 1:
        raise UsageError(f"there is nothing to see in {climbs} climbs")
    model, projective = parser.model.trees, parser.model.settings.projective
    for chunk in full_chunks(sentences, _CHUNK):
        encoded = parser.model.encoder.encode(chunk)
        arcs = _arcs(parser, encoded, rule.ratio)
        for index in range(len(encoded)):
            yield trace_climbs(encoded, index, model, arcs, rule=rule, projective=projective, climbs=climbs)


def check_climbs(parser: Parser) -> None:
    """Raise UsageError where the model does not parse by hill climbing."""
    if parser.model.parts is None:
        raise UsageError("this model scores arcs alone and searches exactly: it does not climb")


def _arcs(parser: Parser, encoded: Encoded, ratio: float) -> TableOfArcs:
    starts = table_starts(encoded.lengths())
    with Threads() as pool:
        found = parser.model.prune(encoded, threads=pool, ratio=ratio)
    return found or TableOfArcs(starts, np.ones(starts[-1], dtype=np.bool_))
