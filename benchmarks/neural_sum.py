"""A linear model on top of a network, beside both alone and beside their plain sum, on a treebank.

    python benchmarks/neural_sum.py train.conllu dev.conllu --hidden 100 --epochs 15 --folds 3 --checkpoint FOLDER

The network reads no tags; the linear models are those of the preset ``full`` and read the tags of the files, or none
with --without-tags. Networks are kept in the folder for another run. Needs ``headway[neural]``.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from headway import Parser, TrainingOptions
from headway.corpus import Sentence, read_sentences
from headway.evaluation.attachment import evaluate
from headway.learning import neural_sum
from headway.learning.checkpoint import FolderCheckpoint
from headway.learning.neural_recipe import settle
from headway.learning.recipe import Recipe
from headway.model import TrainedModel
from headway.parts.candidate_batch import CandidateBatch
from headway.presets import PRESETS, Neural
from headway.progress import Progress
from headway.pruning import Pruner, Reach
from headway.scorers.linear_scorer import LinearScorer
from headway.threads import Threads

_TAGS = ("upos", "xpos", "feats")


class Notes(Progress):
    """Prints notes as they come."""

    def note(self, message: str) -> None:
        """Print one."""
        print(message, flush=True)


def main() -> None:
    """Read the arguments, train, and print a line for each model."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("train")
    options.add_argument("dev")
    options.add_argument("--hidden", type=int, default=200)
    options.add_argument("--batch", type=int, default=1000)
    options.add_argument("--epochs", type=int, default=30)
    options.add_argument("--linear-epochs", type=int, default=10)
    options.add_argument("--folds", type=int, default=4)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--dev-sentences", type=int, help="use only the first so many")
    options.add_argument("--without-tags", action="store_true")
    options.add_argument("--weights", type=float, nargs="+", default=[neural_sum.WEIGHT])
    options.add_argument("--checkpoint", type=Path, required=True)
    given = options.parse_args()
    train, dev = list(read_sentences(given.train)), list(read_sentences(given.dev))[: given.dev_sentences]
    size = dict.fromkeys(("hidden", "word", "character", "label"), given.hidden)
    rule = Neural(**size, arc=2 * given.hidden, batch=given.batch, folds=given.folds)
    preset = replace(PRESETS["neural-sum"], neural=rule)
    choices = TrainingOptions(given.epochs, given.epochs, given.seed)
    without = _TAGS if given.without_tags else ()
    with Threads() as threads:
        recipe = neural_sum.SumRecipe(train, dev, preset, choices, Notes(), threads, without, {})
        recipe.learn_networks(FolderCheckpoint(given.checkpoint, (replace(rule, folds=0), choices, str(given.train))))
        tell("networks", dev)
        network = recipe.network
        alone = TrainedModel(
            recipe.encoder, recipe.labels, network, network, replace(recipe.settings, scorer=network.name), {}, None
        )  # fmt: skip
        assert recipe.dev is not None
        tell("the network alone", dev, settle(alone, recipe.dev))
        linear = replace(choices, epochs=given.linear_epochs, patience=given.linear_epochs)
        plain = Recipe(train, dev, PRESETS["full"], linear, Notes(), threads, without, {})
        pruned = plain.prune()
        model = learned(plain, *pruned)
        tell("full alone", dev, model)
        recipe.settings = plain.settings
        tell("both, learned apart", dev, recipe.combine(model, pruned[2]))
        base = neural_sum.LABEL_WEIGHT
        for weight in given.weights:
            top = neural_sum.SumRecipe(train, dev, preset, linear, Notes(), threads, without, {})
            top.network, top.__dict__["_start"] = network, plain._start
            scale = weight / base
            top.beside = {name: neural_sum.GivenArcs(some.tables, weight) for name, some in recipe.beside.items()}
            top.label_beside = {
                name: neural_sum.GivenLabels(np.maximum(some.rows * np.float32(scale), np.float32(-1e6)))
                for name, some in recipe.label_beside.items()
            }
            neural_sum.WEIGHT = neural_sum.LABEL_WEIGHT = weight
            tell(f"full on top of the network, {weight}", dev, top.combine(learned(top, *pruned), pruned[2]))


def learned(
    recipe: Recipe, pruner: Pruner | Reach | None, arcs: CandidateBatch | None, dev_arcs: CandidateBatch | None
) -> TrainedModel:
    """Return the linear model of a recipe, without calibration: both have the same pruner and start."""
    arc_model, parts = recipe.learn_trees(arcs, dev_arcs)
    scorer = LinearScorer(arc_model, parts)
    return TrainedModel(
        recipe.encoder, recipe.labels, scorer, recipe._labels(None), recipe.settings, recipe.facts, pruner
    )  # fmt: skip


def tell(name: str, dev: Sequence[Sentence], model: TrainedModel | None = None) -> None:
    """Print the CPU seconds so far and, given a model, its scores on the dev set."""
    scores = ""
    if model is not None:
        found = list(Parser(model).parse(dev))
        result = evaluate(dev, found)
        whole = sum(one.heads == gold.heads for one, gold in zip(found, dev, strict=True))
        named = sum(one.heads == gold.heads and one.labels == gold.labels for one, gold in zip(found, dev, strict=True))
        exact = [f"{100.0 * count / len(dev):.1f} %" for count in (whole, named)]
        scores = f"UAS {result.uas:.2f}, LAS {result.las:.2f}, all heads right {exact[0]}, and labels {exact[1]}"
    print(f"{name}: {scores} ({time.process_time():.0f} s)", flush=True)


if __name__ == "__main__":
    main()
