"""First-order parsing with and without the low-rank tensor, and with its learning changed.

    python experiments/tensor.py UD_Turkish-IMST UD_Latin-UDante --rank 0
    python experiments/tensor.py UD_Turkish-IMST UD_Latin-UDante --rate 5
    python experiments/tensor.py UD_Turkish-IMST --start sparse

Prints the dev UAS after each epoch, and the mean of the best ones.
"""

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headway.corpus import read_sentences
from headway.decoders.kernels import best_tree_kernel
from headway.encoding import Encoder
from headway.features.arc import ROW, ArcPlan, arc_hashes
from headway.features.templates import Template, read_templates
from headway.features.words import WORD_TEMPLATES, frequent_slots, make_word_plan
from headway.kernel import kernel
from headway.learning.arcs import ArcRule
from headway.learning.averaging import add_scaled, average, averaged_table
from headway.learning.gold import GoldTrees, gold_trees, nonprojective_share
from headway.learning.mira import cost_augmented_difference
from headway.learning.recipe import MANY_CROSSING
from headway.learning.tensor import (
    add_gradient,
    arc_tensor_parts,
    average_tensor,
    current_tensor,
    learned_tensor,
    moving_mode,
    sentence_gradient,
)
from headway.learning.tensor_start import pretrained_start, random_start
from headway.model import arc_plan
from headway.presets import find_preset
from headway.scorers.linear import EVERY_ARC, arcs_vector, score_arcs
from headway.scorers.rows import NO_DIRECTORY, Rows
from headway.scorers.sparse import sparse_dot, sparse_norm
from headway.scorers.tensor import ARC_SHAPES, NO_TENSOR, Tensor, add_arc_tensor, pack_tensor, project_sentence
from headway.support.threads import Threads

TREEBANKS = Path(os.environ.get("HEADWAY_TREEBANKS", Path(__file__).parent / "../../shared/treebanks"))
TEMPLATES = find_preset("first-order").arcs.templates
BATCH = 8
MOST_ROWS = 1 << 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", nargs="+")
    parser.add_argument("--rank", type=int, default=48, help="0 for no tensor")
    parser.add_argument("--rate", type=float, default=5.0)
    parser.add_argument("--scale", type=float, default=0.01, help="of random starts")
    parser.add_argument("--start", choices=("random", "sparse"), default="sparse")
    parser.add_argument("--alternating", action="store_true", help="factors take turns")
    parser.add_argument("--least", type=int, default=2, help="how often a word feature must be seen")
    parser.add_argument("--templates", type=Path, help="a file with word templates")
    parser.add_argument("--step", type=float, default=0.01, help="the largest step")
    parser.add_argument("--epochs", type=int, default=8)
    options = parser.parse_args()
    best = [measure(name, options) for name in options.treebank]
    print(f"mean of the best: {sum(best) / len(best):.2f}")


@dataclass
class Data:
    """The data of one treebank."""

    encoder: Encoder
    gold: GoldTrees
    dev: GoldTrees
    projective: bool
    plan: ArcPlan

    def templates(self, text: str, *roles: str) -> list[Template]:
        return read_templates(text, roles=roles, atoms=self.encoder.names, constant=self.encoder.constant_atoms())


def read(name: str) -> Data:
    train, dev = (list(read_sentences(TREEBANKS / name / f"{part}.conllu.xz")) for part in ("train", "dev"))
    encoder = Encoder.fit(train)
    projective = nonprojective_share(train) < MANY_CROSSING
    gold, gold_dev = gold_trees(train, encoder, []), gold_trees(dev, encoder, [])
    return Data(encoder, gold, gold_dev, projective, arc_plan(encoder, TEMPLATES))


def measure(name: str, options: argparse.Namespace) -> float:
    data = read(name)
    started = time.process_time()
    start = first_tensor(data, options)
    table, tensor = averaged_table(1 << 21, ROW), learned_tensor(start)
    sentences, scores = len(data.gold), []
    encoded, dev = data.gold.encoded, data.dev.encoded
    for epoch in range(options.epochs):
        order = np.random.default_rng([1, epoch]).permutation(sentences)
        learn(
            encoded.atoms, encoded.tags, encoded.starts, data.gold.heads, order, data.plan, table, tensor,
            data.projective, options.step, options.rate, options.alternating, epoch * sentences,
        )  # fmt: skip
        steps = (epoch + 1) * sentences
        weights, means = average(table, steps), pack_tensor(average_tensor(tensor, steps))
        scores.append(
            accuracy(dev.atoms, dev.tags, dev.starts, data.dev.heads, data.plan, weights, means, data.projective)
        )
    history = " ".join(f"{score:.2f}" for score in scores)
    rows, seconds = start.words.shape[1], time.process_time() - started
    print(f"{name}: {history} in {seconds:.0f} CPU seconds, {rows} word features", flush=True)
    return max(scores)


def first_tensor(data: Data, options: argparse.Namespace) -> Tensor:
    if options.rank == 0:
        return NO_TENSOR
    text = options.templates.read_text() if options.templates else WORD_TEMPLATES
    templates, atoms = data.templates(text, "w"), data.encoder.names
    kept = frequent_slots(data.gold.encoded, templates, atoms=atoms, least=options.least, most=MOST_ROWS)
    plan = make_word_plan(templates, atoms=atoms, kept=kept)
    if options.start == "random":
        return random_start(plan, modes=2, shapes=ARC_SHAPES, rank=options.rank, seed=1, scale=options.scale)
    with Threads() as threads:
        return pretrained_start(
            data.gold, data.plan, data.templates(TEMPLATES, "h", "m"), plan, templates,
            rule=ArcRule("mira", data.projective), slots=1 << 21, rank=options.rank, seed=1, threads=threads,
        )  # fmt: skip


@kernel
def sentence_scores(atoms, tags, plan, weights, tensor, scores):
    score_arcs(arc_hashes(atoms, tags, plan), plan, weights, EVERY_ARC, scores)
    add_arc_tensor(project_sentence(atoms, tensor), tensor.shapes, EVERY_ARC, scores)


@kernel
def learn(atoms, tags, starts, heads, order, plan, table, tensor, projective, largest, rate, alternating, step):
    now = current_tensor(tensor)
    for first in range(0, len(order), BATCH):
        batch = order[first : first + BATCH]
        differences, costs = [], []
        for sentence in batch:
            begin, end = starts[sentence], starts[sentence + 1]
            scores, coefficients = np.empty((end - begin, end - begin)), np.empty((end - begin, end - begin))
            sentence_scores(atoms[begin:end], tags[begin:end], plan, Rows(table.values, NO_DIRECTORY, 1.0), now, scores)
            costs.append(cost_augmented_difference(scores, heads[begin:end], projective, True, coefficients))
            differences.append(coefficients)
        for place in range(len(batch)):
            begin, end = starts[batch[place]], starts[batch[place] + 1]
            if costs[place] > 0:
                update(
                    atoms[begin:end], tags[begin:end], plan, table, tensor, differences[place], costs[place],
                    largest, rate, alternating, step + first + place,
                )  # fmt: skip


@kernel
def update(atoms, tags, plan, table, tensor, coefficients, cost, largest, rate, alternating, step):
    vector = arcs_vector(coefficients, arc_hashes(atoms, tags, plan), plan, np.uint32(table.values.shape[0] - 1))
    loss, norm = cost - sparse_dot(vector, table.values.reshape(-1)), sparse_norm(vector)
    mode = moving_mode(alternating, step, tensor.words.values.shape[0])
    gradient = sentence_gradient(atoms, tensor, arc_tensor_parts(coefficients), mode)
    loss -= gradient.score
    norm += rate * gradient.norm
    if loss > 0.0:
        alpha = min(largest, loss / norm)
        add_scaled(table, vector, alpha, step)
        add_gradient(tensor, gradient, alpha * rate, step)


@kernel
def accuracy(atoms, tags, starts, heads, plan, weights, tensor, projective):
    right = 0
    for sentence in range(len(starts) - 1):
        begin, end = starts[sentence], starts[sentence + 1]
        scores, found = np.empty((end - begin, end - begin)), np.empty(end - begin, dtype=np.int32)
        sentence_scores(atoms[begin:end], tags[begin:end], plan, Rows(weights, NO_DIRECTORY, 1.0), tensor, scores)
        best_tree_kernel(scores, projective, True, found)
        right += np.count_nonzero(found[1:] == heads[begin + 1 : end])
    return 100.0 * right / (len(heads) - len(starts) + 1)


if __name__ == "__main__":
    main()
