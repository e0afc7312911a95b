"""Labels scored jointly with the arcs, against labels chosen over the finished tree.

    python experiments/joint_labels.py UD_Turkish-IMST

Joint: every candidate arc has a score for each label (the label templates that look at head and modifier alone), the
search runs over arc score plus best label score, and one MIRA step updates both tables. Second stage: what
`headway train` does. Both see the arcs that the same cross-fitted pruner leaves, because scoring labels on all arcs is
out of reach of the speed that we want. What came out is in docs/results/first-order.md.
"""

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from headway.corpus import read_sentences
from headway.decoders.kernels import best_tree_kernel
from headway.encoding import Encoder
from headway.features.arc import ROW, arc_hashes
from headway.features.hashing import role_hashes
from headway.features.label import LABEL_TEMPLATES, label_slots
from headway.kernel import kernel
from headway.learning.averaging import AveragedTable, add_scaled, average, averaged_table
from headway.learning.gold import gold_trees, nonprojective_share
from headway.learning.pruner import PrunerTraining, cross_fitted_arcs, train_pruner
from headway.learning.recipe import MANY_CROSSING
from headway.model import arc_plan, label_plan
from headway.presets import Pruning, find_preset
from headway.progress import Progress
from headway.pruning import PruningRule, prune
from headway.scorers.labels import score_labels
from headway.scorers.linear import arcs_vector, score_arcs
from headway.scorers.rows import NO_DIRECTORY, Rows, slot_mask
from headway.scorers.sparse import sparse_add, sparse_dot, sparse_norm, sparse_vector
from headway.support.threads import Threads

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).parent / "../../shared/treebanks"))


@kernel
def pair_roles(head, modifier, size):
    roles = np.full(7, size, dtype=np.int32)
    roles[0], roles[1] = modifier, head
    return roles


@kernel
def joint_search(atoms, tags, allowed, plans, arc_weights, label_weights, gold, names, cost, projective):
    """Heads and labels that are best together; with `cost`, 0.5 for a wrong head and 0.5 for a wrong label more."""
    arc_templates, label_templates = plans
    size = len(atoms)
    scores = np.empty((size, size))
    rows, label_rows = Rows(arc_weights, NO_DIRECTORY, 1.0), Rows(label_weights, NO_DIRECTORY, 1.0)
    score_arcs(arc_hashes(atoms, tags, arc_templates), arc_templates, rows, allowed, scores)
    words = role_hashes(atoms, label_templates.words)
    slots = np.empty(2 * words.shape[2], dtype=np.uint32)
    totals = np.empty(label_weights.shape[1], dtype=np.float32)
    best = np.zeros((size, size), dtype=np.int32)
    for modifier in range(1, size):
        for head in range(size):
            if not allowed[head, modifier]:
                continue
            count = label_slots(pair_roles(head, modifier, size), words, label_templates, slot_mask(label_rows), slots)
            score_labels(label_rows, slots, count, totals)
            if cost > 0.0:
                wrong_head = head != gold[modifier]
                scores[head, modifier] += 0.5 * cost * wrong_head
                totals += 0.5 * cost
                if not wrong_head and names[modifier] >= 0:
                    totals[names[modifier]] -= 0.5 * cost
            best[head, modifier] = np.argmax(totals)
            scores[head, modifier] += totals[best[head, modifier]]
    heads = np.empty(size, dtype=np.int32)
    best_tree_kernel(scores, projective, True, heads)
    labels = np.full(size, -1, dtype=np.int32)
    for modifier in range(1, size):
        labels[modifier] = best[heads[modifier], modifier]
    return heads, labels


@kernel
def joint_update(atoms, tags, plans, arcs, names_table, gold, names, heads, labels, step):
    """One MIRA step for both tables."""
    arc_templates, label_templates = plans
    size = len(atoms)
    coefficients = np.zeros((size, size))
    words = role_hashes(atoms, label_templates.words)
    slots = np.empty(2 * words.shape[2], dtype=np.uint32)
    width = names_table.values.shape[1]
    mask = np.uint32(len(names_table.values) - 1)
    label_vector = sparse_vector(2 * size * len(slots))
    loss = 0.0
    for modifier in range(1, size):
        if gold[modifier] == heads[modifier] and names[modifier] == labels[modifier]:
            continue
        loss += 0.5 + 0.5 * (gold[modifier] != heads[modifier])
        coefficients[gold[modifier], modifier] += 1.0
        coefficients[heads[modifier], modifier] -= 1.0
        for sign, head, label in ((1.0, gold[modifier], names[modifier]), (-1.0, heads[modifier], labels[modifier])):
            for index in range(label_slots(pair_roles(head, modifier, size), words, label_templates, mask, slots)):
                sparse_add(label_vector, int(slots[index]) * width + label, sign)
    if loss == 0.0:
        return
    hashes = arc_hashes(atoms, tags, arc_templates)
    vector = arcs_vector(coefficients, hashes, arc_templates, np.uint32(len(arcs.values) - 1))
    loss -= sparse_dot(vector, arcs.values.reshape(-1)) + sparse_dot(label_vector, names_table.values.reshape(-1))
    norm = sparse_norm(vector) + sparse_norm(label_vector)
    if loss > 0.0 and norm > 0.0:
        add_scaled(arcs, vector, min(0.01, loss / norm), step)
        add_scaled(names_table, label_vector, min(0.01, loss / norm), step)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank")
    parser.add_argument("--epochs", type=int, default=10)
    options = parser.parse_args()
    train, dev = (list(read_sentences(TREEBANKS / options.treebank / f"{part}.conllu.xz")) for part in ("train", "dev"))
    encoder = Encoder.fit(train)
    labels = sorted({label for sentence in train for label in sentence.labels})
    projective = nonprojective_share(train) < MANY_CROSSING
    gold, gold_dev = gold_trees(train, encoder, labels), gold_trees(dev, encoder, labels)
    preset = replace(find_preset("first-order"), name="first-order-pruned", pruning=Pruning())
    pair_lines = [line for line in LABEL_TEMPLATES.splitlines() if not any(f"{role}." in line for role in "glrfe")]
    plans = arc_plan(encoder, preset.arcs.templates), label_plan(encoder, "\n".join(pair_lines))
    pruner_plan, rule = arc_plan(encoder, preset.pruning.templates), PruningRule(projective=projective)
    with Threads() as threads:
        fit = {"plan": pruner_plan, "training": PrunerTraining(), "threads": threads, "progress": Progress()}
        allowed, report = cross_fitted_arcs(gold, rule=rule, **fit)
        dev_allowed = prune(gold_dev.encoded, train_pruner(gold, **fit), rule, threads=threads)
    print(f"{options.treebank}: {len(labels)} labels, pruner on train: {report}")
    arcs, names = averaged_table(preset.arcs.slots, ROW), averaged_table(preset.labels.slots, len(labels))
    for epoch in range(options.epochs):
        order = np.random.default_rng([1, epoch]).permutation(len(gold))
        for place, sentence in enumerate(order):
            rows = slice(gold.encoded.starts[sentence], gold.encoded.starts[sentence + 1])
            atoms, tags = gold.encoded.atoms[rows], gold.encoded.tags[rows]
            found = joint_search(
                atoms, tags, allowed.of(sentence), plans, arcs.values, names.values,
                gold.heads[rows], gold.labels[rows], 1.0, projective,
            )  # fmt: skip
            joint_update(
                atoms, tags, plans, arcs, names, gold.heads[rows], gold.labels[rows], *found, epoch * len(gold) + place
            )
        score(gold_dev, dev_allowed, plans, arcs, names, (epoch + 1) * len(gold), epoch, projective)


def score(
    gold, allowed, plans, arcs: AveragedTable, names: AveragedTable, steps: int, epoch: int, projective: bool
) -> None:
    arc_weights, label_weights = average(arcs, steps), average(names, steps)
    right = right_both = words = 0
    started = time.process_time()
    for sentence in range(len(gold)):
        rows = slice(gold.encoded.starts[sentence], gold.encoded.starts[sentence + 1])
        heads, labels = joint_search(
            gold.encoded.atoms[rows], gold.encoded.tags[rows], allowed.of(sentence), plans, arc_weights, label_weights,
            gold.heads[rows], gold.labels[rows], 0.0, projective,
        )  # fmt: skip
        same = heads[1:] == gold.heads[rows][1:]
        right += same.sum()
        right_both += (same & (labels[1:] == gold.labels[rows][1:])).sum()
        words += len(same)
    speed = words / (time.process_time() - started)
    print(f"epoch {epoch + 1}: UAS {100 * right / words:.2f} LAS {100 * right_both / words:.2f}, {speed:,.0f} words/s")


if __name__ == "__main__":
    main()
