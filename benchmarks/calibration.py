"""Calibration of confidences: calibrate on one half of a dev set, measure on the other, and the other way round.

    python benchmarks/calibration.py MODEL.headway UD_Turkish-IMST
    python benchmarks/calibration.py en UD_English-EWT --predicted-tags

The expected calibration error (`headway.analysis.reliability`), in points, of arcs, of arcs of the last words of
sentences, and of whole trees; before, with one temperature alone, and with the calibrator. With few sentences the error
of trees cannot come out as 0: the last column is its mean if every probability were exactly right.
Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from headway import Annotator, Parser, Sentence, read_sentences
from headway.analysis.reliability import Claims, Reliability, measure_reliability
from headway.models import find_model
from headway.search.calibrator import UNCALIBRATED

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).resolve().parent / "../../shared/treebanks"))


def main() -> None:
    options = read_arguments()
    dev = list(read_sentences(TREEBANKS / options.treebank / "dev.conllu.xz"))[: options.most]
    halves = [dev[0::2], dev[1::2]]
    if options.predicted_tags:
        words = Annotator.load(options.model)
        parser, tag = words.parser, lambda sentences: list(words.tag(map(untagged, sentences)))
    else:
        parser, tag = Parser.load(find_model(options.model)), list
    tagged = [with_trees(tag(half), half) for half in halves]
    calibrated = [parser.calibrated(half) for half in tagged]
    ways = {"temperature": [temperature_alone(one) for one in calibrated], "calibrator": calibrated}
    print(f"{options.model}, {options.treebank}, {len(dev):,} sentences")
    for name, (first, second) in ways.items():
        parsed = [*second.parse(tagged[0], confidence=True), *first.parse(tagged[1], confidence=True)]
        print(describe(name, measure_reliability([*tagged[0], *tagged[1]], parsed), parsed, [*tagged[0], *tagged[1]]))


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("treebank")
    parser.add_argument("--most", type=int, help="sentences to use")
    parser.add_argument("--predicted-tags", action="store_true", help="the model tags the words, too")
    return parser.parse_args()


def untagged(sentence: Sentence) -> Sentence:
    nothing = ["_"] * len(sentence.forms)
    return sentence.with_tags(upos=nothing, xpos=nothing, feats=nothing, lemmas=nothing)


def with_trees(tagged: Sequence[Sentence], gold: Sequence[Sentence]) -> list[Sentence]:
    return [own.with_tree(other.heads, other.labels) for own, other in zip(tagged, gold, strict=True)]


def temperature_alone(parser: Parser) -> Parser:
    arcs, trees = UNCALIBRATED
    settings = replace(parser.model.settings, arc_calibration=arcs.tolist(), tree_calibration=trees.tolist())
    return Parser(replace(parser.model, settings=settings))


def describe(name: str, found: Reliability, parsed: Sequence[Sentence], gold: Sequence[Sentence]) -> str:
    last = Claims(
        np.array([float(sentence.misc("HeadProb")[-1] or 0.0) for sentence in parsed]),
        np.array([own.heads[-1] == other.heads[-1] for own, other in zip(parsed, gold, strict=True)]),
    )
    columns: list[tuple[str, Claims]] = [("arcs", found.arcs), ("last words", last), ("trees", found.trees)]
    texts = [
        f"{what} {100 * claims.error():.2f} (mean {100 * claims.confidence.mean():.1f} %, right "
        f"{100 * claims.right.mean():.1f} %, by chance {100 * error_by_chance(claims):.2f})"
        for what, claims in columns
    ]
    return f"  {name}: " + "; ".join(texts)


def error_by_chance(claims: Claims) -> float:
    """The mean error of claims that are right exactly as often as they say."""
    draws = np.random.default_rng(1).random((20, len(claims.right)))
    return float(np.mean([Claims(claims.confidence, draw < claims.confidence).error() for draw in draws]))


if __name__ == "__main__":
    main()
