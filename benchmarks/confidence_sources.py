"""Where should the probability of an arc come from? Rivals, samples and the matrix-tree theorem on the same trees.

    python benchmarks/confidence_sources.py en UD_English-EWT --sentences 80

The arcs of the model's trees, words of dev sentences tagged by the model. Rivals: the tree beside those in which one
word has another head, by all scores. Samples: trees drawn by a Markov chain, by all scores. Matrix-tree: all trees, by
the scores of arcs alone. For each, the log loss and the expected calibration error of the claims about both halves of
the sentences (every second one), with the temperature that has the lowest log loss on the other half, and with an
isotonic regression on top, fitted there too; first, for comparison, those of the confidences that the model gives, with
its calibrator fitted on the rest of the dev set. "Not mixed": sentences whose chains differ more than they should, at
each temperature. Times are CPU seconds of one temperature. Treebanks are read from HEADWAY_TREEBANKS, by default
../shared/treebanks.
"""

import argparse
import os
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from calibration import errors_by_chance, untagged, with_trees
from numpy.typing import NDArray

from headway import Annotator, Sentence, read_sentences
from headway.analysis.reliability import Claims, measure_reliability
from headway.errors import MixingWarning

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).resolve().parent / "../../shared/treebanks"))
SOURCES = {"rivals": None, "matrix-tree": "spanning-tree", "samples": "sampling"}
LEAST = 1e-3

Array = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("treebank")
    parser.add_argument("--sentences", type=int, default=80)
    parser.add_argument("--longest", type=int, default=30, help="leave out sentences of more words")
    parser.add_argument("--temperatures", type=float, nargs="+", default=[1.0, 2.0], help="of samples, which are slow")
    options = parser.parse_args()
    words = Annotator.load(options.model)
    dev = list(read_sentences(TREEBANKS / options.treebank / "dev.conllu.xz"))
    fit = (place for place, sentence in enumerate(dev) if 2 <= len(sentence) <= options.longest)
    chosen = set(islice(fit, options.sentences))
    gold = [sentence for place, sentence in enumerate(dev) if place in chosen]
    rest = [sentence for place, sentence in enumerate(dev) if place not in chosen]
    model, tagged = words.parser.model, list(words.tag(map(untagged, gold)))
    encoded = model.encoder.encode(tagged)
    model.search().trees(encoded)  # warm
    began = time.process_time()
    parses = model.search().trees(encoded)
    parsing, count = time.process_time() - began, sum(map(len, gold))
    right = [np.array(parse.heads[1:]) == np.array(one.heads) for parse, one in zip(parses, gold, strict=True)]
    print(f"{len(gold)} sentences, {count:,} words; trees alone {parsing:.2f} CPU s", flush=True)
    print(f"rivals with the model's calibrator: {calibrator(words, tagged, gold, rest)}", flush=True)
    for name, decoder in SOURCES.items():
        search, claims, seconds = model.search(decoder), dict[float, list[Array]](), 0.0
        unmixed = Counter[float]()
        grid = options.temperatures if name == "samples" else np.geomspace(0.1, 10.0, 41).tolist()
        search.chances(encoded, 0, heads=parses[0].heads)(1.0)  # warm
        for sentence, parse in enumerate(parses):
            began = time.process_time()
            curve = search.chances(encoded, sentence, heads=parse.heads)
            for number, temperature in enumerate(grid):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always", MixingWarning)
                    arcs = curve(temperature).arcs
                unmixed[temperature] += len(caught)
                seconds += time.process_time() - began if number == 0 else 0.0
                chances = arcs[parse.heads[1:], np.arange(1, len(parse.heads))]
                claims.setdefault(temperature, []).append(np.clip(chances, LEAST, 1.0 - LEAST))
        print(f"{name}: {seconds:.2f} CPU s, {1e6 * seconds / count:,.0f} µs a word", flush=True)
        if name == "samples":
            print(f"  not mixed: {', '.join(f'{unmixed[one]} at {one:g}' for one in grid)}", flush=True)
        for text in judged(claims, right):
            print(f"  {text}", flush=True)


def calibrator(words: Annotator, tagged: list[Sentence], gold: list[Sentence], rest: list[Sentence]) -> str:
    """Describe the claims of the model's own confidences, calibrated on the rest of the dev set."""
    parser = words.parser.calibrated(with_trees(list(words.tag(map(untagged, rest))), rest))
    arcs = measure_reliability(gold, list(parser.parse(tagged, confidence=True))).arcs
    return described(Claims(np.clip(arcs.confidence, LEAST, 1.0 - LEAST), arcs.right))


def described(claims: Claims) -> str:
    chance, _ = errors_by_chance(claims)
    return (
        f"log loss {loss(claims.confidence, claims.right):.4f}, error {100 * claims.error():.2f}, "
        f"by chance {100 * chance:.2f}"
    )


def judged(claims: dict[float, list[Array]], right: Sequence[NDArray[np.bool_]]) -> list[str]:
    """Describe the claims about each half, fitted on the other: by temperature, and by isotonic regression."""
    by_temperature, by_isotonic, truth, chosen = list[Array](), list[Array](), list[NDArray[np.bool_]](), list[float]()
    for half in (0, 1):
        told, known = np.concatenate(right[1 - half :: 2]), {}
        for temperature, some in claims.items():
            known[temperature] = np.concatenate(some[1 - half :: 2])
        best = min(known, key=lambda temperature: loss(known[temperature], told))
        asked = np.concatenate(claims[best][half::2])
        by_temperature.append(asked)
        by_isotonic.append(isotonic(known[best], told, asked))
        truth.append(np.concatenate(right[half::2]))
        chosen.append(best)
    texts = []
    for name, some in (("temperature", by_temperature), ("isotonic", by_isotonic)):
        at = " and ".join(f"{temperature:.2f}" for temperature in chosen)
        texts.append(f"{name} (at {at}): {described(Claims(np.concatenate(some), np.concatenate(truth)))}")
    return texts


def loss(chances: Array, right: NDArray[np.bool_]) -> float:
    """Return the mean log loss of claims."""
    return float(-np.log(np.where(right, chances, 1.0 - chances)).mean())


def isotonic(known: Array, right: NDArray[np.bool_], asked: Array) -> Array:
    """Return the increasing step function that is closest to the truth of some claims, at others: pool, if not so."""
    order = np.argsort(known, kind="stable")
    blocks: list[tuple[float, int]] = []  # sum and number of claims of each step
    ends: list[float] = []
    for place in order:
        blocks.append((float(right[place]), 1))
        ends.append(float(known[place]))
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            (total, number), (other, more) = blocks.pop(), blocks.pop()
            blocks.append((total + other, number + more))
            del ends[-2]
    steps = np.clip([total / number for total, number in blocks], LEAST, 1.0 - LEAST)
    return np.asarray(steps[np.minimum(np.searchsorted(ends, asked), len(steps) - 1)])


if __name__ == "__main__":
    main()
