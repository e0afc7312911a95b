"""Tune greedy inference on a dev set: first α and β, then beam and swaps.

As in Section 8 of Tchernowitz, Yedidsion and Reichart (2016).
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, replace
from itertools import product

import numpy as np

from headway.corpus import Sentence
from headway.decoders.greedy import Greedy
from headway.parser import Parser
from headway.support.threads import Threads

SHARPNESS = (0.5, 1.0, 2.0, 4.0)
BALANCE = (0.2, 0.3, 0.4, 0.5)
BEAMS = (1, 3)
SWAPS = (0, 5)


def tune_greedy(
    parser: Parser,
    dev: Sequence[Sentence],
    *,
    beams: Sequence[int] = BEAMS,
    swaps: Sequence[int] = SWAPS,
    report: Callable[[str], None] | None = None,
) -> Parser:
    """Return the parser with greedy inference as its decoder and the options with the highest UAS on the dev set."""
    gold = [np.array(sentence.heads) for sentence in dev]
    words = max(1, sum(map(len, gold)))
    encoded = parser.model.encoder.encode(dev)
    search = parser.model.search("greedy")
    with Threads() as pool:
        candidates = search.candidates(encoded, threads=pool)

        def right(decoder: Greedy) -> int:
            found = replace(search, decoder=decoder).trees(encoded, candidates, threads=pool)
            hits = sum(int((parse.heads[1:] == heads).sum()) for parse, heads in zip(found, gold, strict=True))
            if report is not None:
                options = ", ".join(f"{name} {value:g}" for name, value in asdict(decoder).items() if name != "basic")
                report(f"{options}: UAS {100 * hits / words:.2f}")
            return hits

        plain = [Greedy(alpha, beta, beam=1, swaps=0) for alpha, beta in product(SHARPNESS, BALANCE)]
        best = max(plain, key=right)
        best = max((replace(best, beam=beam, swaps=most) for beam, most in product(beams, swaps)), key=right)
    options = {field.name: float(getattr(best, field.name)) for field in fields(best)}
    settings = replace(parser.model.settings, decoder="greedy", decoder_options=options)
    return Parser(replace(parser.model, settings=settings))
