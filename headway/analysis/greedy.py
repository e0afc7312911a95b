"""Compare greedy inference with other decoders: accuracy, speed, and shared arcs.

After Table 1 of Tchernowitz, Yedidsion and Reichart (2016): directed and undirected attachment scores, tokens per
second, the share of arcs in common with a reference parser, and gold(x, y), the gold arcs that parser x finds and
parser y does not.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headway.analysis.rows import Row
from headway.corpus import Sentence
from headway.decoders.greedy import Greedy
from headway.encoding import Encoded
from headway.errors import UsageError
from headway.parser import Parser
from headway.search import Search
from headway.support.threads import Threads

Heads = list[npt.NDArray[np.int64]]


@dataclass(frozen=True)
class Outcome:
    """The trees of one parser or search.

    Parameters
    ----------
    heads : list of (n,) int64
    seconds : float
        CPU time of the search, scoring included.
    """

    heads: Heads
    seconds: float


def run_search(search: Search, encoded: Encoded) -> Outcome:
    """Parse all sentences with one thread, after a warm-up on the first one so that compile time does not count."""
    with Threads() as pool:
        search.trees(encoded.some(np.array([0])), threads=pool)
        started = time.process_time()
        parses = search.trees(encoded, threads=pool)
        seconds = time.process_time() - started
    return Outcome([parse.heads[1:].astype(np.int64) for parse in parses], seconds)


def compare(outcomes: Mapping[str, Outcome], sentences: Sequence[Sentence], *, reference: str) -> list[Row]:
    """Return a row for each outcome, compared with the outcome named `reference`; in per cent except for ``tokens/s``.

    ``gold alone`` counts gold arcs that this search finds and the reference does not; ``gold lacking`` counts those
    that only the reference finds.
    """
    gold = np.concatenate([np.array(sentence.heads, dtype=np.int64) for sentence in sentences])
    reference_heads = np.concatenate(outcomes[reference].heads)
    rows: list[Row] = []
    for name, outcome in outcomes.items():
        heads_found = np.concatenate(outcome.heads)
        undirected = sum(
            undirected_hits(heads, np.array(sentence.heads))
            for heads, sentence in zip(outcome.heads, sentences, strict=True)
        )
        rows.append(
            {
                "search": name,
                "UAS": _percent(heads_found == gold),
                "undirected": round(100.0 * undirected / max(1, len(gold)), 2),
                "tokens/s": round(len(gold) / max(outcome.seconds, 1e-9), 1),
                "shared": _percent(heads_found == reference_heads),
                "gold alone": _percent((heads_found == gold) & (reference_heads != gold)),
                "gold lacking": _percent((heads_found != gold) & (reference_heads == gold)),
            }
        )
    return rows


def undirected_hits(heads: npt.NDArray[np.int64], gold: npt.NDArray[np.int64]) -> int:
    """Return the number of arcs of a tree that are in the gold tree in either direction."""
    words = np.arange(1, len(heads) + 1)
    inner = heads > 0
    turned = np.zeros(len(heads), dtype=np.bool_)
    turned[inner] = gold[heads[inner] - 1] == words[inner]
    return int(((heads == gold) | turned).sum())


def _percent(right: npt.NDArray[np.bool_]) -> float:
    return round(100.0 * float(right.mean()), 2) if len(right) else 0.0


VARIANTS = {"BGI-PP": (1, 0), "BGI-PP+i": (1, 5), "BGI-PP+i+b": (3, 5)}
"""Beam width and number of swaps of the paper's variants, by the paper's names for them."""


def compare_variants(parser: Parser, other: Parser, sentences: Sequence[Sentence]) -> list[Row]:
    """Return the paper's table: greedy inference with `parser`, other searches with `other`.

    For greedy inference, the options stored in the model by tuning are used, if there are any.
    """
    if not sentences:
        raise UsageError("there are no sentences to compare searches on")
    search, encoded = parser.model.search("greedy"), parser.model.encoder.encode(sentences)
    beside = other.model.encoder.encode(sentences)
    outcomes = {
        "dual decomposition": run_search(other.model.search("dual-decomposition"), beside),
        "hill climbing": run_search(other.model.search("hill-climbing"), beside),
        "BGI": run_search(replace(search, decoder=Greedy(beam=1, swaps=0, basic=True)), encoded),
    }
    assert isinstance(search.decoder, Greedy)
    for name, (beam, swaps) in VARIANTS.items():
        decoder = replace(search.decoder, beam=beam, swaps=swaps, basic=False)
        outcomes[name] = run_search(replace(search, decoder=decoder), encoded)
    return compare(outcomes, sentences, reference="dual decomposition")
