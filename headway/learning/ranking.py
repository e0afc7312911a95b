"""The C-step of HC-search: rank the trees of the final beam, with the features of the graph parser.

The trees of a list are grouped by their number of wrong heads. The lowest-scored tree of a group must score higher than
the highest-scored tree with more wrong heads, by the difference in wrong heads; otherwise a passive-aggressive update
is made. ``fine`` does this for every group, ``coarse`` only for the best group. The training lists come from parsers
that were trained without these sentences (`cross_fitted_lists`).

Liu, Zhang, Che and Liu, "HC-search for incremental parsing", Section 3.3 and Algorithm 4; the mixture of the beam's
scores and the ranker's is Section 4.5. Cost: O(k n) for a list of k trees, and for each group that is violated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from headway.features.arc import ROW
from headway.incremental.search import mixture, tree_scores
from headway.learning.epochs import run_epochs
from headway.learning.gold import GoldTrees
from headway.learning.learners import learned_scorer
from headway.learning.recipe import Recipe
from headway.learning.reranking import ListLearner, cross_fitted_lists, list_trees
from headway.learning.trees import MIRA, Step, TreeTables, prefer_tree
from headway.model import TrainedModel
from headway.scorers.linear_models import ArcModel, PartModel
from headway.scorers.linear_scorer import LinearScorer
from headway.scorers.rows import pack
from headway.scorers.tensor import NO_PACKED_TRIPLES
from headway.search.tree_lists import TreeList

Weights = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

SHARES = np.linspace(0.0, 1.0, 41)
"""The shares of the beam's scores that are tried on the dev set."""


def ranking_groups(wrong: npt.NDArray[np.int64], *, fine: bool) -> Iterator[tuple[npt.NDArray[np.int64], ...]]:
    """Yield pairs of groups of trees: all trees with some number of wrong heads, and all trees with more.

    Parameters
    ----------
    wrong : (k,) int64
    fine : bool
        Whether to yield a pair for each number, or only for the smallest number.
    """
    numbers = np.unique(wrong)[:-1]
    for number in numbers if fine else numbers[:1]:
        yield np.flatnonzero(wrong == number), np.flatnonzero(wrong > number)


class RankLearner(ListLearner):
    """Trains a ranker of lists; its dev score is the UAS of the trees ranked first."""

    name = "ranker"

    def __init__(
        self,
        gold: GoldTrees,
        lists: Sequence[TreeList],
        dev: GoldTrees | None = None,
        dev_lists: Sequence[TreeList] = (),
        *,
        tables: TreeTables,
        fine: bool,
        largest_step: float,
    ) -> None:
        super().__init__(gold, lists, dev, dev_lists, tables=tables, largest_step=largest_step, rate=1.0)
        self.fine = fine
        self.tables = tables.learned

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """See `Learner`; return the number of pairs of groups whose margin is violated."""
        encoded, violated = self.gold.encoded, 0
        for place, sentence in enumerate(order.tolist()):
            trees, rows = self.lists[sentence], slice(encoded.starts[sentence], encoded.starts[sentence + 1])
            wrong = trees.wrong_heads(self.gold.heads[rows])
            if len(trees.heads) < 2 or wrong.min() == wrong.max():
                continue
            scores = tree_scores(self._scorer, encoded, sentence, trees)
            for better, worse in ranking_groups(wrong, fine=self.fine):
                low, high = better[np.argmin(scores[better])], worse[np.argmax(scores[worse])]
                margin = float(wrong[high] - wrong[low])
                if scores[low] - scores[high] < margin:
                    taken = Step(MIRA, self.largest_step, self.rate, False, step + place)
                    prefer_tree(
                        encoded.atoms[rows], encoded.tags[rows], trees.heads[low], trees.heads[high], margin,
                        self.weights, 0, taken,
                    )  # fmt: skip
                    violated += 1
                    scores = tree_scores(self._scorer, encoded, sentence, trees)
        return violated

    def score(self, weights: tuple[Weights, ...]) -> float | None:
        """See `Learner`."""
        if self.dev is None:
            return None
        ranks = rank_lists(learned_scorer(self.weights, weights), self.dev, self.dev_lists)
        return chosen_accuracy(self.dev, self.dev_lists, ranks)


def rank_lists(ranker: LinearScorer, gold: GoldTrees, lists: Sequence[TreeList]) -> list[Floats]:
    """Return the ranker's scores of all trees of all lists."""
    return [tree_scores(ranker, gold.encoded, sentence, trees) for sentence, trees in enumerate(lists)]


def chosen_accuracy(gold: GoldTrees, lists: Sequence[TreeList], scores: Sequence[Floats]) -> float:
    """Return the UAS, in per cent, of the tree with the highest score in each list."""
    starts, wrong = gold.encoded.starts, 0
    for sentence, (trees, some) in enumerate(zip(lists, scores, strict=True)):
        wrong += int(trees.wrong_heads(gold.heads[starts[sentence] : starts[sentence + 1]])[int(np.argmax(some))])
    words = int(gold.encoded.lengths().sum())
    return 100.0 * (words - wrong) / max(1, words)


def best_share(gold: GoldTrees, lists: Sequence[TreeList], ranks: Sequence[Floats]) -> tuple[float, float]:
    """Return the share of the beam's scores in the mixture that is best on these lists, and its UAS."""
    found = [
        chosen_accuracy(
            gold, lists, [mixture(trees.scores, some, share) for trees, some in zip(lists, ranks, strict=True)]
        )
        for share in SHARES.tolist()
    ]
    best = int(np.argmax(found))
    return float(SHARES[best]), found[best]


def train_ranker(
    recipe: Recipe, lists: Sequence[TreeList], dev_lists: Sequence[TreeList], *, fine: bool
) -> LinearScorer:
    """Train a ranker with the templates of the recipe's preset."""
    preset = recipe.preset
    assert preset.parts is not None
    learner = RankLearner(
        recipe.gold, lists, recipe.dev, dev_lists, tables=recipe.tables(), fine=fine, largest_step=preset.arcs.step
    )
    training = run_epochs(learner, recipe.options, progress=recipe.progress)
    recipe.facts["ranker"] = {"epochs": training.epoch, "best_epoch": training.best_epoch, "dev": training.scores}
    assert training.best is not None
    arcs, parts, *_ = training.best
    tables = learner.weights
    model = PartModel(
        tables.part_plan, pack(parts, most=preset.parts.rows), tables.structures, triples=NO_PACKED_TRIPLES
    )
    assert arcs.shape[1] == ROW
    return LinearScorer(ArcModel(tables.arc_plan, pack(arcs, most=preset.arcs.rows)), model, 0)


def rank_trees(model: TrainedModel, recipe: Recipe) -> TrainedModel:
    """Add a ranker to an incremental model; the mixture is tuned on the dev set, or half and half without one."""
    rule, ranked, transitions = recipe.preset.incremental, recipe.preset.parts, model.transitions
    assert rule is not None
    assert ranked is not None
    assert transitions is not None
    base = replace(recipe.preset, incremental=replace(rule, ranking=""), parts=None)
    lists = cross_fitted_lists(
        recipe.train_sentences, preset=base, options=recipe.options, k=rule.beam, progress=recipe.progress,
        number=rule.folds,
    )  # fmt: skip
    recipe.settings = replace(model.settings, part_templates=dict(ranked.templates), families=list(ranked.families))
    dev_lists = list_trees(model, recipe.dev_sentences or (), k=rule.beam)
    ranker = train_ranker(recipe, lists, dev_lists, fine=rule.ranking == "fine")
    share = 0.5
    if recipe.dev is not None:
        share, reached = best_share(recipe.dev, dev_lists, rank_lists(ranker, recipe.dev, dev_lists))
        recipe.progress.note(f"mixture: {reached:.2f} on dev, with a share of {share:.3f} for the beam")
    shared = transitions.with_share(min(share, 0.975))
    return replace(model, scorer=ranker, settings=recipe.settings, transitions=shared)
