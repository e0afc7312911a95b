"""The second stage with and without templates about every sibling and every child.

    headway train .../train.conllu.xz --dev .../dev.conllu.xz -o turkish.headway
    python experiments/labels.py UD_Turkish-IMST turkish.headway

The model's own trees are labelled by labellers trained here, which differ in their templates only. For each list, the
mean over seeds of: the share of right labels on gold dev trees, LAS on the model's dev trees, and microseconds a word.
The epoch is the best one on gold dev trees, as in training. Times are of packed rows, the best of 15 rounds.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np

from headway import Parser, read_sentences
from headway.features.label import LABEL_TEMPLATES, PLAIN_LABEL_TEMPLATES
from headway.learning.epochs import run_epochs
from headway.learning.gold import GoldTrees, gold_trees
from headway.learning.labels import possible_labels
from headway.learning.learners import LabelLearner
from headway.learning.options import TrainingOptions
from headway.model import label_plan
from headway.presets import Preset, find_preset
from headway.progress import Progress
from headway.scorers.linear_models import LabelModel
from headway.scorers.rows import pack
from headway.search.labels import find_labels
from headway.support.threads import Threads

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", "../shared/treebanks"))
LISTS = {"plain": PLAIN_LABEL_TEMPLATES, "with sets": LABEL_TEMPLATES}


def train(gold: GoldTrees, dev: GoldTrees, parser: Parser, templates: str, preset: Preset, seed: int) -> LabelModel:
    """A labeller, packed as in a saved model."""
    plan = label_plan(parser.model.encoder, templates)
    possible = possible_labels(gold, len(parser.model.labels))
    with Threads() as threads:
        learner = LabelLearner(
            gold, dev, plan=plan, possible=possible, slots=preset.labels.slots, largest_step=preset.labels.step,
            threads=threads,
        )  # fmt: skip
        training = run_epochs(learner, TrainingOptions(epochs=10, seed=seed), progress=Progress())
    assert training.best is not None
    return LabelModel(plan, pack(training.best, most=preset.labels.rows), possible)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("treebank")
    arguments.add_argument("model", help="a first-order model of this treebank")
    arguments.add_argument("--seeds", type=int, default=3)
    options = arguments.parse_args()
    parser, preset, threads = Parser.load(options.model), find_preset("first-order"), Threads()
    parts = [list(read_sentences(TREEBANKS / options.treebank / f"{part}.conllu.xz")) for part in ("train", "dev")]
    gold, dev = (gold_trees(part, parser.model.encoder, parser.model.labels) for part in parts)
    heads = np.concatenate([parse.heads for parse in parser.model.search().trees(dev.encoded, threads=threads)])
    words = dev.heads >= 0
    right = (heads == dev.heads)[words]
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name in LISTS}
    for seed in range(1, options.seeds + 1):
        models = {name: train(gold, dev, parser, text, preset, seed) for name, text in LISTS.items()}
        for name, model in models.items():
            on_gold, on_found = (find_labels(dev.encoded, some, model, threads=threads) for some in (dev.heads, heads))
            same = [(found == dev.labels)[words] for found in (on_gold, on_found)]
            figures[name].append((100 * same[0].mean(), 100 * (same[1] & right).mean()))
    spent: dict[str, list[float]] = {name: [] for name in LISTS}
    for _ in range(15):
        for name, model in models.items():
            started = time.process_time()
            find_labels(dev.encoded, heads, model, threads=threads)
            spent[name].append(time.process_time() - started)
    print(f"{options.treebank}: UAS {100 * right.mean():.2f}, {words.sum():,} words, {options.seeds} seeds")
    for name, some in figures.items():
        accuracy, las = np.mean(some, axis=0)
        each = " ".join(f"{one:.2f}" for _, one in some)
        cost = 1e6 * min(spent[name]) / words.sum()
        print(f"{name:10} gold trees {accuracy:.2f}, LAS {las:.2f} ({each}), {cost:.2f} µs")


if __name__ == "__main__":
    main()
