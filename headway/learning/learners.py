"""The learners of a labelled parser: for arcs, for whole trees, and for the labels of given trees."""

import numpy as np
import numpy.typing as npt

from headway.decoders import Decoder
from headway.errors import UsageError
from headway.features.arc import ROW, ArcPlan
from headway.features.label import LabelPlan
from headway.learning.arcs import ArcRule, learn_arcs
from headway.learning.averaging import AveragedTable, averaged_table
from headway.learning.expectations import learn_expectations
from headway.learning.gold import GoldTrees
from headway.learning.labels import learn_labels
from headway.learning.relaxed import learn_relaxed
from headway.learning.sample_rank import CONSTRAINTS, learn_samples
from headway.learning.trees import TreeRule, TreeTables, learn_trees
from headway.parts.candidate_batch import ALL_ARCS, CandidateBatch
from headway.parts.scorer import Scorer
from headway.scorers.given import GivenArcs, GivenLabels
from headway.scorers.linear_models import ArcModel, LabelModel, PartModel
from headway.scorers.linear_scorer import LinearScorer
from headway.scorers.rows import plain_rows
from headway.scorers.sum import Sum
from headway.scorers.tensor import plain_tensor
from headway.search import Search
from headway.search.labels import LabelSum, find_labels
from headway.support.threads import Threads

Weights = npt.NDArray[np.float32]


class ArcLearner:
    """Trains arc weights; its dev score is UAS."""

    name = "arcs"

    def __init__(
        self,
        gold: GoldTrees,
        dev: GoldTrees | None,
        *,
        plan: ArcPlan,
        rule: ArcRule,
        dev_decoder: Decoder,
        slots: int,
        threads: Threads,
        arcs: CandidateBatch | None = None,
        dev_arcs: CandidateBatch | None = None,
    ) -> None:
        self.gold, self.dev, self.plan, self.rule, self.dev_decoder = gold, dev, plan, rule, dev_decoder
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
        scorer = LinearScorer(ArcModel(self.plan, plain_rows(weights[0])))
        return accuracy(Search(scorer, self.dev_decoder), self.dev, self.dev_arcs, threads=self.threads)


class TreeLearner:
    """Trains all weights that score trees; its dev score is UAS.

    Parameters
    ----------
    beside, dev_beside : GivenArcs, optional
        Fixed arc scores of the training and dev sentences, which are added to those of the trained weights.
    """

    name = "trees"

    def __init__(
        self,
        gold: GoldTrees,
        dev: GoldTrees | None,
        *,
        tables: TreeTables,
        rule: TreeRule,
        seed: int,
        dev_decoder: Decoder,
        threads: Threads,
        arcs: CandidateBatch | None = None,
        dev_arcs: CandidateBatch | None = None,
        beside: GivenArcs | None = None,
        dev_beside: GivenArcs | None = None,
    ) -> None:
        if beside is not None and (rule.inference != "trees" or rule.method == "loglinear"):
            raise UsageError("training on top of a network needs MIRA or the perceptron, with the inference trees")
        self.beside, self.dev_beside = beside, dev_beside
        self.gold, self.dev, self.weights, self.rule, self.seed = gold, dev, tables, rule, seed
        self.threads, self.arcs, self.dev_arcs, self.dev_decoder = threads, arcs, dev_arcs, dev_decoder
        self.sentences = len(gold)
        self.tables = tables.learned

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """See `Learner`."""
        if self.rule.inference in ("relaxed", "fractional"):
            return learn_relaxed(
                self.gold, order, tables=self.weights, rule=self.rule, step=step, threads=self.threads, arcs=self.arcs
            )
        if self.rule.inference in CONSTRAINTS:
            return learn_samples(
                self.gold, order, tables=self.weights, rule=self.rule, seed=self.seed + step, step=step, arcs=self.arcs
            )
        if self.rule.method == "loglinear":
            return learn_expectations(
                self.gold, order, tables=self.weights, rule=self.rule, step=step, threads=self.threads, arcs=self.arcs
            )
        return learn_trees(
            self.gold, order, tables=self.weights, rule=self.rule, seed=self.seed + step, step=step,
            threads=self.threads, arcs=self.arcs, beside=self.beside,
        )  # fmt: skip

    def score(self, weights: tuple[Weights, ...]) -> float | None:
        """See `Learner`."""
        if self.dev is None:
            return None
        scorer: Scorer = learned_scorer(self.weights, weights, outer=self.rule.outer)
        if self.dev_beside is not None:
            scorer = Sum(scorer, self.dev_beside)
        search = Search(scorer, self.dev_decoder, ignore=scorer.kinds)
        return accuracy(search, self.dev, self.dev_arcs, threads=self.threads)


def learned_scorer(tables: TreeTables, weights: tuple[Weights, ...], *, outer: int = 0) -> LinearScorer:
    """Return a scorer with these weights, in the order of `TreeTables.learned`."""
    arcs, parts, *factors = weights
    return LinearScorer(
        ArcModel(tables.arc_plan, plain_rows(arcs), plain_tensor(tables.tensor.plan, *factors[:2])),
        PartModel(
            tables.part_plan, plain_rows(parts), tables.structures, plain_tensor(tables.triples.plan, *factors[2:])
        ),
        outer,
    )


class LabelLearner:
    """Trains label weights; its dev score is the share of correct labels on gold trees.

    Parameters
    ----------
    beside, dev_beside : GivenLabels, optional
        Fixed label scores for the gold trees of the training and dev sentences, which are added to those of the trained
        weights.
    """

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
        beside: GivenLabels | None = None,
        dev_beside: GivenLabels | None = None,
    ) -> None:
        self.beside, self.dev_beside = beside, dev_beside
        self.gold, self.dev, self.plan, self.possible = gold, dev, plan, possible
        self.largest_step, self.threads = largest_step, threads
        self.sentences = len(gold)
        self.table = averaged_table(slots, possible.shape[1])
        self.tables: tuple[AveragedTable, ...] = (self.table,)

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """See `Learner`."""
        return learn_labels(
            self.gold, order, plan=self.plan, possible=self.possible, table=self.table,
            largest_step=self.largest_step, step=step, beside=None if self.beside is None else self.beside.rows,
        )  # fmt: skip

    def score(self, weights: tuple[Weights, ...]) -> float | None:
        """See `Learner`."""
        if self.dev is None:
            return None
        linear = LabelModel(self.plan, plain_rows(weights[0]), self.possible)
        model = linear if self.dev_beside is None else LabelSum(linear, self.dev_beside, 1.0)
        labels = find_labels(self.dev.encoded, self.dev.heads, model, threads=self.threads)
        return agreement(labels, self.dev.labels, self.dev)


def accuracy(search: Search, gold: GoldTrees, candidates: CandidateBatch | None, *, threads: Threads) -> float:
    """Return the UAS of a search, in per cent."""
    parses = search.trees(gold.encoded, candidates or ALL_ARCS, threads=threads)
    heads = np.concatenate([parse.heads for parse in parses]) if parses else np.empty(0, dtype=np.int32)
    return agreement(heads, gold.heads, gold)


def agreement(found: npt.NDArray[np.int32], gold: npt.NDArray[np.int32], trees: GoldTrees) -> float:
    """Return the share of words, in per cent, for which two arrays (rows,) agree."""
    words = np.ones(len(gold), dtype=np.bool_)
    words[trees.encoded.starts[:-1]] = False
    return 100.0 * float(np.mean(found[words] == gold[words])) if words.any() else 0.0
