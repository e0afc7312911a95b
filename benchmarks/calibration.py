"""Calibration of confidences: calibrate on one half of a dev set, measure on the other, and the other way round.

    python benchmarks/calibration.py MODEL.headway UD_Turkish-IMST
    python benchmarks/calibration.py en UD_English-EWT --predicted-tags
    python benchmarks/calibration.py korean.headway UD_Korean-GSD basque.headway UD_Basque-BDT

The expected calibration error (`headway.analysis.reliability`), in points, of arcs, of arcs of the last words of
sentences, and of whole trees; before, with one temperature alone, and with the calibrator. With few sentences the error
of trees cannot come out as 0. "By chance" is its mean if every probability were exactly right, and what 5 % of such
draws exceed. Several models with their treebanks are also measured together: the more claims, the less chance.
Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from headway import Annotator, Parser, Sentence, read_sentences
from headway.analysis.reliability import Claims, measure_reliability
from headway.models import find_model
from headway.search.calibrator import UNCALIBRATED

Measured = dict[str, Claims]
DRAWS = 200
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).resolve().parent / "../../shared/treebanks"))


def main() -> None:
    options = read_arguments()
    together: dict[str, list[Measured]] = {}
    for model, treebank in zip(options.models_and_treebanks[::2], options.models_and_treebanks[1::2], strict=True):
        dev = list(read_sentences(TREEBANKS / treebank / "dev.conllu.xz"))[: options.most]
        print(f"{model}, {treebank}, {len(dev):,} sentences", flush=True)
        for name, measured in measure(model, dev, predicted_tags=options.predicted_tags).items():
            print(describe(name, measured), flush=True)
            together.setdefault(name, []).append(measured)
    if len(options.models_and_treebanks) > 2:
        print("all of them together")
        for name, some in together.items():
            print(describe(name, {kind: pool([one[kind] for one in some]) for kind in some[0]}))


def measure(model: str, dev: list[Sentence], *, predicted_tags: bool) -> dict[str, Measured]:
    """Return the claims about each half of the dev set, calibrated on the other: by temperature, and by calibrator."""
    halves = [dev[0::2], dev[1::2]]
    if predicted_tags:
        words = Annotator.load(model)
        parser, tag = words.parser, lambda sentences: list(words.tag(map(untagged, sentences)))
    else:
        parser, tag = Parser.load(find_model(model)), list
    tagged = [with_trees(tag(half), half) for half in halves]
    calibrated = [parser.calibrated(half) for half in tagged]
    ways = {"temperature": [temperature_alone(one) for one in calibrated], "calibrator": calibrated}
    gold = [*tagged[0], *tagged[1]]
    return {
        name: claims(gold, [*second.parse(tagged[0], confidence=True), *first.parse(tagged[1], confidence=True)])
        for name, (first, second) in ways.items()
    }


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models_and_treebanks", nargs="+", metavar="MODEL TREEBANK", help="one pair, or several")
    parser.add_argument("--most", type=int, help="sentences to use")
    parser.add_argument("--predicted-tags", action="store_true", help="the model tags the words, too")
    options = parser.parse_args()
    if len(options.models_and_treebanks) % 2:
        parser.error("each model needs its treebank")
    return options


def untagged(sentence: Sentence) -> Sentence:
    nothing = ["_"] * len(sentence.forms)
    return sentence.with_tags(upos=nothing, xpos=nothing, feats=nothing, lemmas=nothing)


def with_trees(tagged: Sequence[Sentence], gold: Sequence[Sentence]) -> list[Sentence]:
    return [sentence.with_tree(other.heads, other.labels) for sentence, other in zip(tagged, gold, strict=True)]


def temperature_alone(parser: Parser) -> Parser:
    arcs, trees = UNCALIBRATED
    settings = replace(parser.model.settings, arc_calibration=arcs.tolist(), tree_calibration=trees.tolist())
    return Parser(replace(parser.model, settings=settings))


def claims(gold: Sequence[Sentence], parsed: Sequence[Sentence]) -> Measured:
    """Return the claims about arcs, about the arcs of last words and about trees."""
    found = measure_reliability(gold, parsed)
    last = Claims(
        np.array([float(sentence.misc("HeadProb")[-1] or 0.0) for sentence in parsed]),
        np.array([tree.heads[-1] == right.heads[-1] for tree, right in zip(parsed, gold, strict=True)]),
    )
    return {"arcs": found.arcs, "last words": last, "trees": found.trees}


def pool(some: Sequence[Claims]) -> Claims:
    return Claims(np.concatenate([one.confidence for one in some]), np.concatenate([one.right for one in some]))


def describe(name: str, measured: Measured) -> str:
    texts = []
    for kind, some in measured.items():
        chance, most = errors_by_chance(some)
        texts.append(
            f"{kind} {100 * some.error():.2f} (mean {100 * some.confidence.mean():.1f} %, right "
            f"{100 * some.right.mean():.1f} %, by chance {100 * chance:.2f}, at most {100 * most:.2f})"
        )
    return f"  {name}: " + "; ".join(texts)


def errors_by_chance(some: Claims) -> tuple[float, float]:
    """Return the mean error of claims that are right exactly as often as they say, and what 5 % of them exceed."""
    generator, size = np.random.default_rng(1), len(some.right)
    errors = [Claims(some.confidence, generator.random(size) < some.confidence).error() for _ in range(DRAWS)]
    return float(np.mean(errors)), float(np.quantile(errors, 0.95))


if __name__ == "__main__":
    main()
