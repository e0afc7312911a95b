"""The two learners of a labelled first-order parser: arcs, and the labels of given trees."""

import numpy as np
import numpy.typing as npt

from headway.features.arc import ROW, ArcPlan
from headway.features.label import LabelPlan
from headway.learning.arcs import ArcRule, learn_arcs
from headway.learning.averaging import averaged_table
from headway.learning.gold import GoldTrees
from headway.learning.labels import learn_labels
from headway.pipeline import ArcModel, LabelModel, TableOfArcs, Threads, find_heads, find_labels
from headway.scorers.rows import plain_rows

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

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """See `Learner`."""
        return learn_arcs(
            self.gold, order, plan=self.plan, table=self.table, rule=self.rule, step=step,
            threads=self.threads, arcs=self.arcs,
        )  # fmt: skip

    def score(self, weights: Weights) -> float | None:
        """See `Learner`."""
        if self.dev is None:
            return None
        model = ArcModel(self.plan, plain_rows(weights))
        projective = self.rule.projective
        return head_accuracy(self.dev, model, projective=projective, threads=self.threads, arcs=self.dev_arcs)


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

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """See `Learner`."""
        return learn_labels(
            self.gold, order, plan=self.plan, possible=self.possible, table=self.table,
            largest_step=self.largest_step, step=step,
        )  # fmt: skip

    def score(self, weights: Weights) -> float | None:
        """See `Learner`."""
        if self.dev is None:
            return None
        model = LabelModel(self.plan, plain_rows(weights), self.possible)
        labels = find_labels(self.dev.encoded, self.dev.heads, model, threads=self.threads)
        return _agreement(labels, self.dev.labels, self.dev)


def head_accuracy(
    gold: GoldTrees, model: ArcModel, *, projective: bool, threads: Threads, arcs: TableOfArcs | None = None
) -> float:
    """The share of heads that the best trees get right, in percent."""
    heads = find_heads(gold.encoded, model, projective=projective, threads=threads, arcs=arcs)
    return _agreement(heads, gold.heads, gold)


def _agreement(found: npt.NDArray[np.int32], gold: npt.NDArray[np.int32], trees: GoldTrees) -> float:
    words = np.ones(len(gold), dtype=np.bool_)
    words[trees.encoded.starts[:-1]] = False
    return 100.0 * float(np.mean(found[words] == gold[words])) if words.any() else 0.0
