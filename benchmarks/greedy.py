"""Greedy inference beside dual decomposition and hill climbing, alone and in ensembles: tables of the paper.

    python benchmarks/greedy.py --models models --sentences 1000
    python benchmarks/greedy.py --models models --samples 3        # minimally supervised: samples of 500 sentences
    python benchmarks/greedy.py --models models --samples 1 --third

For every treebank, second-order models are trained with greedy inference and with hill climbing, without a dev set,
and kept in the folder; dual decomposition searches by the weights of the latter. The first half of the dev set tunes
what is to be tuned, the second half is what the tables are about. With --third, third-order models with a tensor are
compared with hill climbing on the whole dev set, and nothing is tuned. Treebanks are read from HEADWAY_TREEBANKS, by
default ../shared/treebanks.
"""

import argparse
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
from recipes import RECIPES

from headway import Parser, TrainingOptions
from headway.analysis.greedy import VARIANTS, Outcome, compare, run_search
from headway.corpus import read_sentences
from headway.ensemble import Ensemble
from headway.scorers.biased import Gamma
from headway.search.biased import biased_search
from headway.support.threads import Threads
from headway.tuning import tune_greedy

HERE = Path(__file__).resolve().parent
TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", HERE / "../../shared/treebanks"))
SAMPLE = 500


def main() -> None:
    options = read_arguments()
    options.models.mkdir(parents=True, exist_ok=True)
    names = options.treebank or sorted(folder.name for folder in TREEBANKS.glob("UD_*"))
    for name in names:
        for sample in range(1, options.samples + 1) if options.samples else [0]:
            for row in measure(name, sample, options):
                print(json.dumps({"treebank": name, "sample": sample, **row}), flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, required=True, help="the folder of the models")
    parser.add_argument("--treebank", action="append", help="only this one; may be given several times")
    parser.add_argument("--sentences", type=int, default=0, help="train on the first so many; 0 for all")
    parser.add_argument("--dev", type=int, default=0, help="use the first so many of the dev set; 0 for all")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--samples", type=int, default=0, help="so many random training sets of 500 sentences")
    parser.add_argument("--third", action="store_true", help="only third order, beside hill climbing")
    return parser.parse_args()


def measure(name: str, sample: int, options: argparse.Namespace) -> list[dict]:
    """The rows of one treebank."""
    train = list(read_sentences(str(TREEBANKS / name / "train.conllu.xz")))
    dev = list(read_sentences(str(TREEBANKS / name / "dev.conllu.xz")))
    dev = dev[: options.dev or len(dev)]
    if sample:
        chosen = np.random.default_rng(sample).permutation(len(train))[:SAMPLE]
        train = [train[number] for number in chosen]
    train = train[: options.sentences or len(train)]

    def model(recipe: str) -> Parser:
        path = options.models / f"{name}-{recipe}-{len(train)}-{sample}.headway"
        if not path.exists():
            rule = TrainingOptions(epochs=options.epochs, seed=1 + sample)
            Parser.train(train, preset=RECIPES[recipe], options=rule).save(path)
        return Parser.load(path)

    if options.third:
        return third_order(model("standard-greedy"), model("standard"), dev)
    tuning, test = dev[: len(dev) // 2], dev[len(dev) // 2 :]
    greedy, climbing = model("second-order-greedy"), model("second-order")
    greedy, searched = (tune_greedy(parser, tuning, beams=[3], swaps=[5]) for parser in (greedy, climbing))
    tuned = greedy.model.search()
    found: dict[str, Outcome] = {}

    def run(label: str, parser: Parser, search=None) -> None:
        found[label] = run_search(search or parser.model.search(), parser.model.encoder.encode(test))

    run("dual decomposition", climbing, climbing.model.search("dual-decomposition"))
    run("hill climbing", climbing)
    run("BGI", model("second-order-basic"))
    for label, (beam, swaps) in VARIANTS.items():
        decoder = replace(tuned.decoder, beam=beam, swaps=swaps)
        run(label, greedy, replace(tuned, decoder=decoder))
    run("BGI-PP+i+b, weights of hill climbing", searched)
    for label, first, other in (
        ("ensemble: greedy model, like hill climbing", greedy, climbing),
        ("ensemble: hill-climbing model searched greedily, like the greedy model", searched, greedy),
    ):
        found[label] = in_ensemble(Ensemble(first.model, [other], [Gamma(0.0)]).tuned(tuning), test)
    both = Ensemble(climbing.model, [greedy], [Gamma(), Gamma()], reparse=True).tuned(tuning)
    found["reparsing, weights learned"] = in_ensemble(both, test)
    return list(compare(found, test, reference="dual decomposition"))


def third_order(greedy: Parser, climbing: Parser, dev: list) -> list[dict]:
    """The rows of third order: hill climbing, and greedy inference with absent arcs, each by its weights."""
    found = {
        "hill climbing": run_search(climbing.model.search(), climbing.model.encoder.encode(dev)),
        "greedy": run_search(greedy.model.search(), greedy.model.encoder.encode(dev)),
        "hill climbing, weights of greedy": run_search(
            greedy.model.search("hill-climbing"), greedy.model.encoder.encode(dev)
        ),
    }
    return list(compare(found, dev, reference="hill climbing"))


def in_ensemble(ensemble: Ensemble, test: list) -> Outcome:
    """Return the trees of an ensemble, the time of its members included."""
    encoded = ensemble.model.encoder.encode(test)
    with Threads() as pool:
        votes = ensemble.advisor.votes(test, threads=pool)
    search = ensemble.model.search()
    outcome = run_search(biased_search(search, encoded, votes, ensemble.gammas, alone=ensemble.reparse), encoded)
    more = sum(
        run_search(member.model.search(), member.model.encoder.encode(test)).seconds
        for member in ensemble.advisor.parsers
    )
    return Outcome(outcome.heads, outcome.seconds + more)


if __name__ == "__main__":
    main()
