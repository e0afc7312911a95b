"""Accuracy of SampleRank by each kind of constraint, beside MIRA with hill climbing, epoch by epoch.

    python benchmarks/constraints.py --treebank UD_Turkish-IMST --epochs 7
    python benchmarks/constraints.py --treebank UD_Turkish-IMST --sentences 800 --recipe full-trees --recipe full

Figure 8 of Zhang et al. (2014), "Steps to excellence". All recipes of a treebank learn from the same pruned arcs and
the same start of the tensor, in the same order of sentences; their score is the UAS of averaged weights on the dev set,
by hill climbing. Treebanks are read from HEADWAY_TREEBANKS, by default ../shared/treebanks.
"""

import argparse
import os
import time
from itertools import islice
from pathlib import Path

from recipes import RECIPES

from headway import TrainingOptions, read_sentences
from headway.learning.recipe import Recipe
from headway.progress import Progress
from headway.support.threads import Threads

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).resolve().parent / "../../shared/treebanks"))
DEFAULT = ("full-trees", "full", "full-samples-neighbours", "full-samples-gold")


def main() -> None:
    options = read_arguments()
    print("| treebank | sentences | recipe | UAS after each epoch | best | CPU s an epoch |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for treebank in options.treebank:
        train, dev = (
            list(islice(read_sentences(TREEBANKS / treebank / f"{part}.conllu.xz"), most))
            for part, most in (("train", options.sentences), ("dev", options.dev_sentences))
        )
        chosen = TrainingOptions(epochs=options.epochs, patience=options.epochs, seed=options.seed)
        with Threads() as threads:
            recipe = Recipe(train, dev, RECIPES["full"], chosen, Progress(), threads, (), {})
            _, arcs, dev_arcs = recipe.prune()
            for name in options.recipe or DEFAULT:
                recipe.preset = RECIPES[name]
                began = time.process_time()
                recipe.learn_trees(arcs, dev_arcs)
                seconds = (time.process_time() - began) / options.epochs
                scores = recipe.facts["trees"]["dev"]
                cells = [treebank, str(len(train)), name, ", ".join(f"{score:.2f}" for score in scores)]
                print(f"| {' | '.join(cells)} | {max(scores):.2f} | {seconds:.0f} |", flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", action="append", required=True, help="may be given several times")
    parser.add_argument("--recipe", action="append", choices=list(RECIPES), help="may be given several times")
    parser.add_argument("--sentences", type=int, help="to train on, at most")
    parser.add_argument("--dev-sentences", type=int, help="to score, at most")
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
