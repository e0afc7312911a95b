"""The learners of a labelled parser: arcs alone, whole trees, and the labels of given trees."""

import numpy as np
import numpy.typing as npt

from headway.chart_search import chart_heads
from headway.charts.factorizations import Factorization
from headway.features.arc import ROW, ArcPlan
from headway.features.label import LabelPlan
from headway.learning.arcs import ArcRule, learn_arcs
from headway.learning.averaging import AveragedTable, averaged_table
from headway.learning.expectations import learn_expectations
from headway.learning.gold import GoldTrees
from headway.learning.labels import learn_labels
from headway.learning.relaxed import learn_relaxed
from headway.learning.trees import TreeRule, TreeTables, learn_trees
from headway.pipeline import EVERY_TABLE, ArcModel, LabelModel, TableOfArcs, Threads, find_heads, find_labels
from headway.scorers.rows import plain_rows
from headway.scorers.tensor import plain_tensor
from headway.search import SearchRule, TreeModel, climb_heads

Weights = npt.NDArray[np.float32]


class ArcLearner:
    """Learns arc weights; its score is the share of right heads."""

    name = "arcs"

    def __init__(
        self,
        gold: GoldTrees,
        dev: GoldTrees | None,
        *,
        plan: ArcPlan,
        rule: ArcRule,
        slots: int,
        threads: Threads,
        arcs: TableOfArcs | None = None,
        dev_arcs: TableOfArcs | None = None,
    ) -> None:
        self.gold, self.dev, self.plan, self.rule = gold, dev, plan, rule
        self.threads, self.arcs, self.dev_arcs = threads, arcs, dev_arcs
        self.sentences = len(gold)
        self.table = averaged_table(slots, ROW)
        self.tables: tuple[AveragedTable, ...] = (self.table,)

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """See `Learner`."""
        return learn_arcs(
            self.gold, order, plan=self.plan, table=self.table, rule=self.rule, step=step,
            threads=self.threads, arcs=self.arcs,
        )  # fmt: skip

    def score(self, weights: tuple[Weights, ...]) -> float | None:
        """See `Learner`."""
        if self.dev is None:
            return None
        model = ArcModel(self.plan, plain_rows(weights[0]))
        projective = self.rule.projective
        return head_accuracy(self.dev, model, projective=projective, threads=self.threads, arcs=self.dev_arcs)


class TreeLearner:
    """Learns everything that scores trees; its score is the share of right heads."""

    name = "trees"

    def __init__(
        self,
        gold: GoldTrees,
        dev: GoldTrees | None,
        *,
        tables: TreeTables,
        rule: TreeRule,
        seed: int,
        dev_projective: bool,
        threads: Threads,
        arcs: TableOfArcs | None = None,
        dev_arcs: TableOfArcs | None = None,
    ) -> None:
        self.gold, self.dev, self.weights, self.rule, self.seed = gold, dev, tables, rule, seed
        self.threads, self.arcs, self.dev_arcs, self.dev_projective = threads, arcs, dev_arcs, dev_projective
        self.sentences = len(gold)
        self.tables: tuple[AveragedTable, ...] = (
            tables.arcs, tables.parts, tables.tensor.words, tables.tensor.shapes,
            tables.triples.words, tables.triples.shapes,
        )  # fmt: skip

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """See `Learner`."""
        if self.rule.inference in ("relaxed", "fractional"):
            return learn_relaxed(
                self.gold, order, tables=self.weights, rule=self.rule, step=step, threads=self.threads, arcs=self.arcs
            )
        if self.rule.method == "loglinear":
            return learn_expectations(
                self.gold, order, tables=self.weights, rule=self.rule, step=step, threads=self.threads, arcs=self.arcs
            )
        return learn_trees(
            self.gold, order, tables=self.weights, rule=self.rule, seed=self.seed + step, step=step,
            threads=self.threads, arcs=self.arcs,
        )  # fmt: skip

    def score(self, weights: tuple[Weights, ...]) -> float | None:
        """See `Learner`."""
        if self.dev is None:
            return None
        own, (arcs, parts, *factors) = self.weights, weights
        model = TreeModel(
            own.arc_plan, plain_rows(arcs), plain_tensor(own.tensor.plan, *factors[:2]), own.part_plan,
            plain_rows(parts), own.structures, plain_tensor(own.triples.plan, *factors[2:]),
        )  # fmt: skip
        return tree_accuracy(
            self.dev, model, self.dev_arcs, rule=self.rule.factorization or self.rule.search,
            projective=self.dev_projective, threads=self.threads,
        )  # fmt: skip


class LabelLearner:
    """Learns label weights; its score is the share of right labels on gold trees."""

    name = "labels"

    def __init__(
        self,
        gold: GoldTrees,
        dev: GoldTrees | None,
        *,
        plan: LabelPlan,
        possible: npt.NDArray[np.bool_],
        slots: int,
        largest_step: float,
        threads: Threads,
    ) -> None:
        self.gold, self.dev, self.plan, self.possible = gold, dev, plan, possible
        self.largest_step, self.threads = largest_step, threads
        self.sentences = len(gold)
        self.table = averaged_table(slots, possible.shape[1])
        self.tables: tuple[AveragedTable, ...] = (self.table,)

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """See `Learner`."""
        return learn_labels(
            self.gold, order, plan=self.plan, possible=self.possible, table=self.table,
            largest_step=self.largest_step, step=step,
        )  # fmt: skip

    def score(self, weights: tuple[Weights, ...]) -> float | None:
        """See `Learner`."""
        if self.dev is None:
            return None
        model = LabelModel(self.plan, plain_rows(weights[0]), self.possible)
        labels = find_labels(self.dev.encoded, self.dev.heads, model, threads=self.threads)
        return _agreement(labels, self.dev.labels, self.dev)


def head_accuracy(
    gold: GoldTrees, model: ArcModel, *, projective: bool, threads: Threads, arcs: TableOfArcs | None = None
) -> float:
    """The share of heads that the best trees get right, in percent."""
    heads = find_heads(gold.encoded, model, projective=projective, threads=threads, arcs=arcs)
    return _agreement(heads, gold.heads, gold)


def tree_accuracy(
    gold: GoldTrees,
    model: TreeModel,
    arcs: TableOfArcs | None,
    *,
    rule: SearchRule | Factorization,
    projective: bool,
    threads: Threads,
) -> float:
    """The share of heads that the trees found get right, in percent; by a chart if `rule` is a factorization."""
    arcs = arcs or EVERY_TABLE
    if isinstance(rule, Factorization):
        heads = chart_heads(gold.encoded, model, arcs, factorization=rule, threads=threads)
    else:
        heads = climb_heads(gold.encoded, model, arcs, rule=rule, projective=projective, threads=threads)
    return _agreement(heads, gold.heads, gold)


def _agreement(found: npt.NDArray[np.int32], gold: npt.NDArray[np.int32], trees: GoldTrees) -> float:
    words = np.ones(len(gold), dtype=np.bool_)
    words[trees.encoded.starts[:-1]] = False
    return 100.0 * float(np.mean(found[words] == gold[words])) if words.any() else 0.0
