"""Record every climb of a model's hill climber on the sentences of a treebank."""

from collections.abc import Iterable, Iterator

from headway.corpus import Sentence
from headway.decoders.hill_climbing import Trace
from headway.errors import UsageError
from headway.parser import Parser
from headway.search import SearchRule
from headway.search.climbing import trace_climbs
from headway.support.chunks import full_chunks
from headway.support.threads import Threads

_CHUNK = 256


def climb_traces(parser: Parser, sentences: Iterable[Sentence], *, rule: SearchRule, climbs: int) -> Iterator[Trace]:
    """Climb exactly `climbs` times for each sentence.

    Parameters
    ----------
    rule : SearchRule
        The starting trees and the candidate heads of the climbs; its stopping rule is ignored.

    Yields
    ------
    Trace
        The start, the end and the score of each climb; -inf where no tree can be built from the candidate arcs.

    Raises
    ------
    UsageError
        If the model is a first-order model, which has an exact decoder.
    """
    check_climbs(parser)
    if climbs < 1:
        raise UsageError(f"the number of climbs must be at least 1, not {climbs}")
    model, decoder = parser.model.linear.trees, rule.decoder(projective=parser.model.settings.projective)
    for chunk in full_chunks(sentences, _CHUNK):
        encoded = parser.model.encoder.encode(chunk)
        with Threads() as pool:
            candidates = parser.model.search(rule=rule).candidates(encoded, threads=pool)
        for index, length in enumerate(encoded.lengths().tolist()):
            mask = candidates.mask(index, length + 1)
            yield trace_climbs(encoded, index, model, mask, decoder=decoder, climbs=climbs)


def check_climbs(parser: Parser) -> None:
    """Raise UsageError if the model's decoder is not hill climbing."""
    if parser.model.settings.decoder != "hill-climbing":
        raise UsageError(
            f"this model searches by {parser.model.settings.decoder}: this analysis needs a hill-climbing model"
        )
