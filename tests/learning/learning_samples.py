"""One sentence with a gold tree, and the kernels around it in plain terms."""

import brute_force
import numpy as np
import small_corpus

from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.features.arc import ROW, arc_hashes, make_arc_plan
from headway.learning.arcs import ArcRule, learn_arcs, scores_kernel
from headway.learning.averaging import AveragedTable, averaged_table
from headway.learning.gold import gold_trees
from headway.scorers.linear import EVERY_ARC, arcs_vector
from headway.support.threads import Threads

SLOTS = 1 << 8
TEXT = """
h.upos
m.form
h.form m.form
h.upos h+1.upos m-1.upos m.upos
h.upos m.upos between.tags
"""


class Lesson:
    """A random sentence of `length` words, a random tree, and random weights."""

    def __init__(self, seed: int, length: int) -> None:
        generator = np.random.default_rng(seed)
        sentence = small_corpus.random_sentence(generator, length)
        heads = small_corpus.random_heads(generator, length)
        self.sentence: Sentence = sentence.with_tree(heads, ["dep"] * length)
        self.encoder = Encoder.fit([small_corpus.random_sentence(generator, 9) for _ in range(5)])
        self.gold = gold_trees([self.sentence], self.encoder, ["dep"])
        self.plan = make_arc_plan(TEXT, atoms=self.encoder.names, constant=(), tag_class=self.encoder.tag_classes())
        self.table: AveragedTable = averaged_table(SLOTS, ROW)
        self.table.values[:] = generator.normal(scale=0.2, size=(SLOTS, ROW))

    def scores(self) -> np.ndarray:
        size = len(self.sentence) + 1
        scores = np.empty((size, size))
        encoded = self.gold.encoded
        scores_kernel(encoded.atoms, encoded.tags, self.plan, self.table.values, EVERY_ARC, scores)
        return scores

    def tree_score(self, heads: np.ndarray | list[int]) -> float:
        """The score of a tree, the heads of the words 1..n."""
        return float(self.scores()[heads, np.arange(1, len(heads) + 1)].sum())

    def features(self, coefficients: np.ndarray) -> np.ndarray:
        """(slots, ROW) The features of arcs, each times its coefficient."""
        hashes = arc_hashes(self.gold.encoded.atoms, self.gold.encoded.tags, self.plan)
        vector = arcs_vector(coefficients, hashes, self.plan, np.uint32(SLOTS - 1))
        dense = np.zeros(SLOTS * ROW)
        places = vector.order[: vector.size[0]]
        dense[vector.keys[places]] = vector.values[places]
        return dense.reshape(SLOTS, ROW)

    def best_tree(self, *, cost: float, projective: bool) -> np.ndarray:
        """The tree with the highest score plus cost for each wrong head, out of all."""
        table = self.scores() + cost
        words = np.arange(1, len(table))
        table[self.sentence.heads, words] -= cost
        table[:, 0] = table[np.diag_indices_from(table)] = -np.inf
        trees = brute_force.candidates_of(len(words), projective, True)
        return trees[np.argmax(brute_force.tree_scores(table, projective=projective, single_root=True))]

    def difference(self, heads: np.ndarray) -> np.ndarray:
        """(n + 1, n + 1) Gold arcs minus the arcs of `heads`."""
        coefficients = np.zeros((len(heads) + 1, len(heads) + 1))
        words = np.arange(1, len(heads) + 1)
        coefficients[self.sentence.heads, words] += 1.0
        coefficients[heads, words] -= 1.0
        return coefficients

    def learn(self, rule: ArcRule, *, step: int = 0) -> int:
        with Threads(1) as threads:
            order = np.zeros(1, dtype=np.int64)
            return learn_arcs(self.gold, order, plan=self.plan, table=self.table, rule=rule, step=step, threads=threads)
