"""HC-search against its baseline: Tables 1 to 3 of "HC-search for incremental parsing", on a treebank.

    python benchmarks/hc_search.py train.conllu dev.conllu --beam 64 --folds 20 --epochs 10 --seed 1 --seed 2 --seed 3

For each learning objective of the beam (baseline, best, worst) and each way of ranking (fine, coarse): accuracy by the
beam alone, by the ranker alone and by the mixture, whose share is chosen on the dev set, and the losses ε_H and ε_C|H.
"""

import argparse
import time
from dataclasses import replace

import numpy as np

from headway.analysis.hc_search import decompose
from headway.analysis.rows import Row, rows_table
from headway.corpus import read_sentences
from headway.incremental.search import mixture
from headway.learning import TrainingOptions
from headway.learning.beam import OBJECTIVES, UPDATES
from headway.learning.ranking import best_share, rank_lists, train_ranker
from headway.learning.recipe import Recipe, train_model
from headway.learning.reranking import cross_fitted_lists, list_trees
from headway.presets import PRESETS, Incremental, Preset
from headway.progress import Progress
from headway.threads import Threads


def main() -> None:
    """Read the arguments, train, and print the table after each objective."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("train")
    options.add_argument("dev")
    options.add_argument("--beam", type=int, default=64)
    options.add_argument("--folds", type=int, default=20)
    options.add_argument("--epochs", type=int, default=10)
    options.add_argument("--seed", type=int, action="append", help="may be given several times (default: 1)")
    options.add_argument("--sentences", type=int, help="use only the first so many")
    options.add_argument("--objectives", nargs="+", default=OBJECTIVES, choices=OBJECTIVES)
    options.add_argument("--update", default="violation", choices=UPDATES)
    given = options.parse_args()
    train = list(read_sentences(given.train))[: given.sentences]
    dev = list(read_sentences(given.dev))
    gold = [np.array([-1, *sentence.heads], dtype=np.int32) for sentence in dev]
    for seed in given.seed or [1]:
        choices = TrainingOptions(epochs=given.epochs, patience=given.epochs, seed=seed)
        rows: list[Row] = []
        for objective in given.objectives:
            begun = time.process_time()
            rule = Incremental(beam=given.beam, objective=objective, update=given.update)
            base = Preset("base", "", incremental=rule)
            full = replace(PRESETS["hc-search"], incremental=replace(rule, ranking="fine"))
            model = train_model(train, dev, preset=base, options=choices, progress=Progress())
            lists = cross_fitted_lists(
                train, preset=base, options=choices, k=given.beam, progress=Progress(), number=given.folds
            )
            dev_lists = list_trees(model, dev, k=given.beam)

            def add(
                name: str, scores: list, share: float | None = None, *, lists=dev_lists, gold=gold, rows=rows
            ) -> None:
                losses = decompose(gold, lists, scores)
                rows.append(
                    {
                        "parser": name, "UAS": 100.0 - losses.total, "generation loss": losses.generation,
                        "selection loss": losses.selection, "share": share,
                    }
                )  # fmt: skip

            add(objective, [trees.scores for trees in dev_lists])
            with Threads() as threads:
                recipe = Recipe(train, dev, full, choices, Progress(), threads, (), {})
                for ranking in ("fine", "coarse"):
                    ranker = train_ranker(recipe, lists, dev_lists, fine=ranking == "fine")
                    ranks = rank_lists(ranker, recipe.dev, dev_lists)
                    share, _ = best_share(recipe.dev, dev_lists, ranks)
                    add(f"{objective}+{ranking}", ranks)
                    pairs = zip(dev_lists, ranks, strict=True)
                    mixed = [mixture(trees.scores, some, share) for trees, some in pairs]
                    add(f"{objective}+{ranking}, mixture", mixed, share)
            print(f"\nseed {seed}, {time.process_time() - begun:.0f} CPU seconds\n{rows_table(rows)}", flush=True)


if __name__ == "__main__":
    main()
