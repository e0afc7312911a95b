"""HC-search against its baseline: Tables 1 to 3 of "HC-search for incremental parsing", on a treebank.

    python benchmarks/hc_search.py train.conllu dev.conllu --beam 64 --folds 20 --epochs 10 --seed 1 --seed 2 --seed 3

For each learning objective of the beam (baseline, best, worst) and each way of ranking (fine, coarse): accuracy by the
beam alone, by the ranker alone and by the mixture, whose share is chosen on the dev set, and the losses ε_H and ε_C|H.
A row is printed as soon as it is known. With `--keep`, lists of trees are stored in a folder and read from there by
later runs with the same options, to try another ranker.
"""

import argparse
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from headway.analysis.hc_search import beam_search, decompose
from headway.corpus import Sentence, read_sentences
from headway.incremental.search import BeamLists, distinct, mixture
from headway.learning import TrainingOptions
from headway.learning.beam import OBJECTIVES, UPDATES
from headway.learning.gold import GoldTrees
from headway.learning.ranking import best_share, rank_lists, train_ranker
from headway.learning.recipe import Recipe, train_model
from headway.learning.reranking import cross_fitted_lists
from headway.presets import PRESETS, Incremental, Preset
from headway.progress import Progress
from headway.search.tree_lists import TreeList
from headway.support.threads import Threads

RANKINGS = ("fine", "coarse")


class Notes(Progress):
    """Prints what trainers note, such as the dev score of each epoch."""

    def note(self, text: str) -> None:
        print(f"  {text}", flush=True)


def main() -> None:
    """Read the arguments; print the rows of each seed and objective."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("train")
    options.add_argument("dev")
    options.add_argument("--beam", type=int, default=64)
    options.add_argument("--folds", type=int, default=20)
    options.add_argument("--epochs", type=int, default=10)
    options.add_argument("--ranker-epochs", type=int, help="default: as many")
    options.add_argument("--seed", type=int, action="append", help="may be given several times (default: 1)")
    options.add_argument("--sentences", type=int, help="use only the first so many")
    options.add_argument("--objectives", nargs="+", default=OBJECTIVES[:3], choices=OBJECTIVES)
    options.add_argument("--rankings", nargs="*", default=RANKINGS, choices=RANKINGS)
    options.add_argument("--update", default="violation", choices=UPDATES)
    options.add_argument("--keep", type=Path, help="a folder for lists of trees")
    given = options.parse_args()
    train = list(read_sentences(given.train))[: given.sentences]
    dev = list(read_sentences(given.dev))
    print("| seed | parser | UAS | LAS | ε_H | ε_C\\|H | share of the beam | CPU seconds |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for seed in given.seed or [1]:
        for objective in given.objectives:
            compare(given, train, dev, seed, objective)


def compare(
    given: argparse.Namespace, train: Sequence[Sentence], dev: Sequence[Sentence], seed: int, objective: str
) -> None:
    """Train the H-step of an objective and its rankers, and print a row for each choice of trees."""
    begun = time.process_time()
    choices = TrainingOptions(epochs=given.epochs, patience=given.epochs, seed=seed)
    epochs = given.ranker_epochs or given.epochs
    rule = Incremental(beam=given.beam, objective=objective, update=given.update)
    preset = replace(PRESETS["hc-search"], incremental=rule)
    base = Preset("base", "", incremental=rule)
    name = f"{Path(given.train).stem}-{len(train)}-{objective}-{rule.update}-{rule.beam}-{given.epochs}-{seed}"

    def search() -> tuple[BeamLists, list[TreeList]]:
        model = train_model(train, dev, preset=base, options=choices, progress=Notes(), bare=True)
        finder, encoded = beam_search(model), model.encoder.encode(dev)
        beams = finder.lists(encoded, k=given.beam)
        return beams, finder.tree_lists(encoded, beams)

    def cross_fit() -> list[TreeList]:
        return cross_fitted_lists(
            train, preset=base, options=choices, k=given.beam, progress=Notes(), number=given.folds
        )

    found, dev_lists = kept(given.keep, f"{name}-dev", search)
    with Threads() as threads:
        ranking = replace(choices, epochs=epochs, patience=epochs)
        recipe = Recipe(train, dev, preset, ranking, Notes(), threads, (), {})
        assert recipe.dev is not None

        def row(name: str, scores: Sequence[np.ndarray], share: str = "") -> None:
            losses = decompose(np.split(recipe.dev.heads, recipe.dev.encoded.starts[1:-1]), dev_lists, scores)
            las = labelled_accuracy(recipe.dev, found, scores)
            figures = (100.0 - losses.total, las, losses.generation, losses.selection)
            cells = " | ".join(f"{figure:.2f}" for figure in figures)
            print(f"| {seed} | {name} | {cells} | {share} | {time.process_time() - begun:.0f} |", flush=True)

        row(objective, [trees.scores for trees in dev_lists])
        lists = kept(given.keep, f"{name}-{given.folds}-train", cross_fit) if given.rankings else []
        for ranking in given.rankings:
            ranker = train_ranker(recipe, lists, dev_lists, fine=ranking == "fine")
            ranks = rank_lists(ranker, recipe.dev, dev_lists)
            row(f"{objective}+{ranking}", ranks)
            share, _ = best_share(recipe.dev, dev_lists, ranks)
            mixed = [mixture(trees.scores, some, share) for trees, some in zip(dev_lists, ranks, strict=True)]
            row(f"{objective}+{ranking}, mixture", mixed, f"{share:.3f}")


def kept(folder: Path | None, name: str, make: Callable[[], Any]) -> Any:
    """Return what a function makes, from the folder if it was made before."""
    path = None if folder is None else folder / f"{name}.pickle"
    if path is not None and path.exists():
        return pickle.loads(path.read_bytes())
    made = make()
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(made))
    return made


def labelled_accuracy(gold: GoldTrees, found: BeamLists, scores: Sequence[np.ndarray]) -> float:
    """Return the LAS, in per cent, of the tree with the highest score in each list."""
    right, starts = 0, gold.encoded.starts.tolist()
    for sentence, some in enumerate(scores):
        rank = distinct(gold.encoded, found, sentence)[int(np.argmax(some))]
        rows = slice(starts[sentence] + 1, starts[sentence + 1])
        same = (found.heads[rank, rows] == gold.heads[rows]) & (found.labels[rank, rows] == gold.labels[rows])
        right += int(np.count_nonzero(same))
    return 100.0 * right / max(1, int(gold.encoded.lengths().sum()))


if __name__ == "__main__":
    main()
