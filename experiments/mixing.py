"""Is the mean of several trainings better than each? The same start, other orders of sentences, weights averaged.

    python experiments/mixing.py UD_Turkish-IMST --runs 3

All runs share pruned arcs and the start of the tensor, so that their factors can be averaged as they are. Printed: the
dev UAS of each run at its best epoch, of the mean of the first two, of the first three, …, by hill climbing with the
preset's restarts, and with more of them.
"""

import argparse
import os
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from headway import TrainingOptions, read_sentences
from headway.decoders import find_decoder
from headway.learning.epochs import run_epochs
from headway.learning.learners import TreeLearner, accuracy, learned_scorer
from headway.learning.recipe import Recipe
from headway.learning.trees import TreeRule
from headway.presets import PRESETS, DecoderChoice
from headway.progress import Progress
from headway.search import Search
from headway.support.threads import Threads

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).resolve().parent / "../../shared/treebanks"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank")
    parser.add_argument("--preset", default="full")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--sentences", type=int)
    parser.add_argument("--step", type=float, help="the largest step of an update")
    arguments = parser.parse_args()
    folder = TREEBANKS / arguments.treebank
    train = list(islice(read_sentences(folder / "train.conllu.xz"), arguments.sentences))
    dev = list(read_sentences(folder / "dev.conllu.xz"))
    preset = replace(PRESETS[arguments.preset], inference="trees", decoder=DecoderChoice())
    if arguments.step:
        preset = replace(preset, arcs=replace(preset.arcs, step=arguments.step))
    options = TrainingOptions(epochs=arguments.epochs)
    with Threads() as threads:
        recipe = Recipe(train, dev, preset, options, Progress(), threads, (), {})
        _, arcs, dev_arcs = recipe.prune()
        projective = recipe.settings.projective
        climbing = recipe._train_decoder(projective=projective and preset.parts is None)
        dev_decoder = recipe._train_decoder(projective=projective, dev=True)
        rule = TreeRule(climbing, largest_step=preset.arcs.step, rate=preset.tensor.rate)
        mean: list[np.ndarray] = []

        def uas(weights: tuple[np.ndarray, ...], restarts: int) -> float:
            scorer = learned_scorer(tables, weights)
            decoder = find_decoder("hill-climbing", projective=projective, restarts=restarts)
            return accuracy(Search(scorer, decoder, ignore=scorer.kinds), recipe.dev, dev_arcs, threads=threads)

        for run in range(1, arguments.runs + 1):
            tables, began = recipe.tables(), time.process_time()
            learner = TreeLearner(
                recipe._tree_gold(), recipe.dev, tables=tables, rule=rule, seed=run, threads=threads,
                dev_decoder=dev_decoder, arcs=arcs, dev_arcs=dev_arcs,
            )  # fmt: skip
            training = run_epochs(learner, replace(options, seed=run), progress=Progress())
            assert training.best is not None
            mean = (
                [weights.astype(np.float64) for weights in training.best]
                if run == 1
                else [kept + weights for kept, weights in zip(mean, training.best, strict=True)]
            )
            both = tuple((kept / run).astype(np.float32) for kept in mean)
            cells = [f"{uas(some, restarts):.2f}" for some in (training.best, both) for restarts in (4, 16)]
            seconds = time.process_time() - began
            print(f"{arguments.treebank} run {run}: alone {cells[0]}, {cells[1]} (16 restarts);", end=" ")
            print(
                f"mean of {run}: {cells[2]}, {cells[3]}; best epoch {training.best_epoch}, {seconds:.0f} CPU s",
                flush=True,
            )


if __name__ == "__main__":
    main()
