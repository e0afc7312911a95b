"""Ensembles of different parsers beside the best of them: full, an exact chart, greedy inference, incremental.

    python benchmarks/ensembles.py --models models --sentences 1500
    python benchmarks/ensembles.py --models models --sentences 500 --sample 1   # minimally supervised

Every parser learns from the same sentences, without a dev set. Weights of ensembles are learned on one half of the dev
set and measured on the other, then the other way round, so the figures are about the whole dev set. "Best single" is
chosen in the same way. Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from recipes import RECIPES

from headway import Parser, TrainingOptions
from headway.corpus import Sentence, read_sentences
from headway.ensemble import Ensemble, tree_votes
from headway.scorers.biased import Gamma
from headway.search.biased import biased_search
from headway.threads import Threads

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))
MEMBERS = ("full", "model1", "second-order-greedy", "incremental")
Heads = list[np.ndarray]


def main() -> None:
    options = read_arguments()
    options.models.mkdir(parents=True, exist_ok=True)
    for name in options.treebank or sorted(folder.name for folder in TREEBANKS.glob("UD_*")):
        print(json.dumps({"treebank": name, "sample": options.sample, **measure(name, options)}), flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, required=True, help="the folder of the models")
    parser.add_argument("--treebank", action="append", help="only this one; may be given several times")
    parser.add_argument("--sentences", type=int, default=0, help="train on so many; 0 for all")
    parser.add_argument("--sample", type=int, default=0, help="draw them by this seed; 0 for the first ones")
    parser.add_argument("--dev", type=int, default=0, help="use the first so many of the dev set; 0 for all")
    parser.add_argument("--epochs", type=int, default=5)
    return parser.parse_args()


def measure(name: str, options: argparse.Namespace) -> dict[str, float]:
    """The UAS of every parser and ensemble on one treebank."""
    train = list(read_sentences(str(TREEBANKS / name / "train.conllu.xz")))
    dev = list(read_sentences(str(TREEBANKS / name / "dev.conllu.xz")))
    dev = dev[: options.dev or len(dev)]
    if options.sample:
        train = [train[place] for place in np.random.default_rng(options.sample).permutation(len(train))]
    train = train[: options.sentences or len(train)]

    def trained(recipe: str) -> Parser:
        path = options.models / f"{name}-{recipe}-{len(train)}-{options.sample}.headway"
        if not path.exists():
            rule = TrainingOptions(epochs=options.epochs, seed=1 + options.sample)
            Parser.train(train, preset=RECIPES[recipe], options=rule).save(path)
        return Parser.load(path)

    parsers = {recipe: trained(recipe) for recipe in MEMBERS}
    halves = dev[0::2], dev[1::2]
    rows: dict[str, float] = {}
    words = sum(map(len, dev))
    with Threads() as pool:
        right = {
            recipe: [hits([vote.heads for vote in tree_votes(parser, half, threads=pool)], half) for half in halves]
            for recipe, parser in parsers.items()
        }
    for recipe, counts in right.items():
        rows[recipe] = percent(sum(counts), words)
    best = sum(max(right.values(), key=lambda counts: counts[half])[1 - half] for half in (0, 1))
    rows["best single"] = percent(best, words)
    three = [parsers[recipe] for recipe in MEMBERS[:3]]
    for label, members in (("three", three), ("four", list(parsers.values()))):
        first, others = members[0].model, members[1:]
        made: dict[str, Callable[[], Ensemble]] = {
            "biased": lambda first=first, others=others: Ensemble(first, others, [Gamma(0.0)] * len(others)),
            "reparsed": lambda first=first, others=others: Ensemble(
                first, others, [Gamma()] * (len(others) + 1), reparse=True
            ),
        }
        for how, make in made.items():
            started = time.process_time()
            count = sum(
                hits(search_like(make().tuned(halves[half]), halves[1 - half]), halves[1 - half]) for half in (0, 1)
            )
            rows[f"{label}, {how}"] = percent(count, words)
            rows[f"{label}, {how}, CPU seconds"] = round(time.process_time() - started, 1)
    return rows


def search_like(ensemble: Ensemble, sentences: Sequence[Sentence]) -> Heads:
    """The trees that an ensemble finds."""
    encoded = ensemble.model.encoder.encode(sentences)
    with Threads() as pool:
        votes = ensemble.advisor.votes(sentences, threads=pool)
        search = biased_search(ensemble.model.search(), encoded, votes, ensemble.gammas, alone=ensemble.reparse)
        return [parse.heads for parse in search.trees(encoded, threads=pool)]


def hits(found: Heads, sentences: Sequence[Sentence]) -> int:
    """Return the number of words that have the right head."""
    return sum(int((heads[1:] == sentence.heads).sum()) for heads, sentence in zip(found, sentences, strict=True))


def percent(count: int, words: int) -> float:
    return round(100.0 * count / words, 2)


if __name__ == "__main__":
    main()
