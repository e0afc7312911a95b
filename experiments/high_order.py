"""Does `full` learn its parts well? The same start, pruned arcs and orders of sentences; other ways of learning.

    python experiments/high_order.py UD_Latin-UDante --seed 1 --seed 2 --way step=0.001 --way "power=0.5 scale=10"

Each ``--way`` is one way of learning, of names and values of `changed_steps.Way`; the preset's default comes first.
Printed: the wrong heads met in each epoch; after the last epoch, and those named by ``--ends``, the UAS of the dev set
and of its halves (every second sentence) by the preset's restarts in parsing, for means of the weights after all steps
and after later ones only (``--since``), and with the weights of parts multiplied (``--share``); CPU seconds.
"""

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
from changed_steps import Knobs, Way, learn_batch

from headway import TrainingOptions, read_sentences
from headway.features.global_features import NO_GLOBALS
from headway.learning.averaging import average
from headway.learning.learners import learned_scorer
from headway.learning.recipe import Recipe
from headway.learning.trees import TreeTables, current_scorer
from headway.parts.candidate_batch import CandidateBatch, TreeBatch
from headway.presets import PRESETS, DecoderChoice, Preset
from headway.progress import Progress
from headway.search import Search, SearchRule
from headway.support.threads import Threads

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).resolve().parent / "../../shared/treebanks"))
BATCH = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank")
    parser.add_argument("--way", action="append", default=[])
    parser.add_argument("--preset", default="full")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--sentences", type=int)
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--ends", type=int, nargs="*", default=[], help="epochs after which averages are compared")
    parser.add_argument("--since", type=int, nargs="*", default=[], help="epochs before averages, all by default")
    parser.add_argument("--share", type=float, nargs="*", default=[], help="of the weights of parts, in parsing")
    parser.add_argument("--no-base", action="store_true", help="do not measure the preset's own way")
    arguments = parser.parse_args()
    folder = TREEBANKS / arguments.treebank
    train = list(islice(read_sentences(folder / "train.conllu.xz"), arguments.sentences))
    dev = list(read_sentences(folder / "dev.conllu.xz"))
    preset, default = replace(PRESETS[arguments.preset], inference="trees", decoder=DecoderChoice()), Way()
    with Threads(1) as threads:
        recipe = Recipe(train, dev, preset, TrainingOptions(), Progress(), threads, (), {})
        began = time.process_time()
        _, arcs, dev_arcs = recipe.prune()
        _ = recipe._start
        print(f"{arguments.treebank}: pruned and started in {time.process_time() - began:.0f} CPU s", flush=True)
        for text in [*([] if arguments.no_base else [""]), *arguments.way]:
            for seed in arguments.seed or [1]:
                measure(recipe, read_way(text, default), text or "default", seed, arguments, arcs, dev_arcs)


def read_way(text: str, default: Way) -> Way:
    names = [field.name for field in fields(Way)]
    kinds: dict[str, Callable[[str], object]] = {name: type(getattr(default, name)) for name in names}
    pairs = (pair.split("=") for pair in text.split())
    return replace(default, **{name: kinds[name](value) for name, value in pairs})  # type: ignore[arg-type]


def part_tables(recipe: Recipe, way: Way) -> TreeTables:
    """The tables to start from, without the kind or the family that is left out."""
    preset, whole = recipe.preset, recipe.settings
    assert preset.parts is not None
    kinds = {kind: text for kind, text in preset.parts.templates.items() if kind != way.without}
    families = tuple(name for name in preset.parts.families if way.without not in (name, "globals"))
    parts = replace(preset.parts, templates=kinds, families=families, slots=1 << way.slots)
    recipe.preset = changed = replace(preset, parts=parts)
    recipe.settings = replace(whole, part_templates=dict(kinds), families=list(families))
    try:
        return recipe.tables()
    finally:
        assert isinstance(changed, Preset)
        recipe.preset, recipe.settings = preset, whole


def measure(
    recipe: Recipe,
    way: Way,
    text: str,
    seed: int,
    arguments: argparse.Namespace,
    arcs: CandidateBatch | None,
    dev_arcs: CandidateBatch | None,
) -> None:
    began, tables = time.process_time(), part_tables(recipe, way)
    shrinking = way.power > 0.0
    knobs = Knobs(
        way.step, way.rate, np.array([way.second, way.third, way.trees]), way.cost, way.power, way.scale,
        np.zeros(tables.arcs.values.size if shrinking else 0, dtype=np.float32),
        np.zeros(tables.parts.values.size if shrinking else 0, dtype=np.float32),
    )  # fmt: skip
    gold, sentences, history, ends = recipe.gold, len(recipe.gold), [], []
    means: dict[int, tuple[npt.NDArray[np.float32], ...]] = {}
    climbing = SearchRule(way.start, restarts=way.restarts).decoder(projective=False)
    for epoch in range(arguments.epochs):
        order = np.random.default_rng([seed, epoch]).permutation(sentences)
        wrong = 0
        for first in range(0, sentences, BATCH):
            step = epoch * sentences + first
            batch, seen = order[first : first + BATCH], dropped(tables, way, epoch, [seed, step])
            search = Search(current_scorer(seen), climbing, ignore=current_scorer(seen).kinds)
            for negative in range(way.negatives):
                found = np.empty(len(gold.encoded.atoms), dtype=np.int32)
                request = TreeBatch.of(gold.encoded, batch, arcs, gold=gold.heads, heads=found)
                search.with_seed(seed + step + 7919 * negative).write_trees(request, threads=recipe.threads)
                wrong += learn_batch(
                    gold.encoded.atoms, gold.encoded.tags, gold.encoded.starts, batch, gold.heads, found, seen, knobs,
                    step,
                )  # fmt: skip
        steps = (epoch + 1) * sentences
        weights = tuple(average(table, steps) for table in tables.learned)
        epochs = epoch + 1
        history.append(str(wrong))
        if epochs in arguments.ends or epochs == arguments.epochs:
            ends += [f"after {epochs}:", score_text(recipe, tables, weights, dev_arcs, way.start)]
            for before, early in means.items():
                late = since(weights, epochs, early, before)
                ends += [f"since {before}", score_text(recipe, tables, late, dev_arcs, way.start)]
        if epochs in arguments.since:
            means[epochs] = weights
    for share in arguments.share:
        arc_weights, part_weights, *factors = weights
        scaled = (arc_weights, share * part_weights, *factors)
        ends += [f"parts {share:g} times", score_text(recipe, tables, scaled, dev_arcs, way.start)]
    seconds = time.process_time() - began
    print(
        f"{arguments.treebank} {text} seed {seed}: {' '.join(history)}; {' '.join(ends)}; {seconds:.0f} CPU s",
        flush=True,
    )


def since(
    weights: tuple[npt.NDArray[np.float32], ...], epochs: int, early: tuple[npt.NDArray[np.float32], ...], before: int
) -> tuple[npt.NDArray[np.float32], ...]:
    """The means over later epochs only, from means over all and over those before."""
    share = before / epochs
    pairs = zip(weights, early, strict=True)
    return tuple((new / np.float32(1 - share) - old * np.float32(share / (1 - share))) for new, old in pairs)


def score_text(
    recipe: Recipe,
    tables: TreeTables,
    weights: tuple[npt.NDArray[np.float32], ...],
    dev_arcs: CandidateBatch | None,
    start: str,
) -> str:
    """By as many restarts as the preset parses with; the whole dev set and its halves."""
    return "{:.2f} ({:.2f}, {:.2f})".format(*uas(recipe, tables, weights, dev_arcs, start, 4))


def dropped(tables: TreeTables, way: Way, epoch: int, seed: list[int]) -> TreeTables:
    """The tables with the kinds of parts that count now."""
    wanted = tables.part_plan.wanted
    if epoch < way.late:
        return tables._replace(part_plan=tables.part_plan._replace(wanted=wanted & False), structures=NO_GLOBALS)
    if way.drop == 0.0:
        return tables
    kept = np.random.default_rng(seed).random(len(wanted) + 1) >= way.drop
    return tables._replace(
        part_plan=tables.part_plan._replace(wanted=wanted & kept[:-1]),
        structures=tables.structures if kept[-1] else NO_GLOBALS,
    )


def uas(
    recipe: Recipe,
    tables: TreeTables,
    weights: tuple[npt.NDArray[np.float32], ...],
    dev_arcs: CandidateBatch | None,
    start: str,
    restarts: int,
) -> tuple[float, float, float]:
    """Of the dev set, of its even and of its odd sentences."""
    assert recipe.dev is not None
    assert dev_arcs is not None
    scorer = learned_scorer(tables, weights)
    decoder = SearchRule(start, restarts=restarts).decoder(projective=recipe.settings.projective)
    parses = Search(scorer, decoder, ignore=scorer.kinds).trees(recipe.dev.encoded, dev_arcs, threads=recipe.threads)
    right, words, starts = np.zeros(2), np.zeros(2), recipe.dev.encoded.starts
    for sentence, parse in enumerate(parses):
        gold = recipe.dev.heads[starts[sentence] + 1 : starts[sentence + 1]]
        right[sentence % 2] += int((parse.heads[-len(gold) :] == gold).sum())
        words[sentence % 2] += len(gold)
    share = 100.0 * right / words
    return 100.0 * float(right.sum() / words.sum()), float(share[0]), float(share[1])


if __name__ == "__main__":
    main()
