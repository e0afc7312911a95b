"""Rerank: choose among the k best trees of another parser, with features of whole trees.

Collins (2000), "Discriminative reranking for natural language parsing"; the baseline of Zhang et al. (2014), "Steps to
excellence", Section 5. A base parser lists its k best trees; the reranker's score of a tree is the score of its
features plus a learned weight times the base parser's score. It is trained by cost-augmented MIRA over the list: the
tree of the list with the fewest wrong heads should score higher than any other, by the difference in wrong heads. The
training lists come from base parsers that were trained without these sentences. Cost: O(k n) per sentence; parts are
scored once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headway.corpus import Sentence, folds
from headway.encoding import Encoded
from headway.incremental.search import BeamSearch
from headway.learning.averaging import AveragedTable
from headway.learning.epochs import run_epochs
from headway.learning.gold import GoldTrees
from headway.learning.learners import learned_scorer
from headway.learning.options import TrainingOptions
from headway.learning.recipe import Recipe, train_model
from headway.learning.trees import MIRA, Step, TreeTables, current_scorer, prefer_tree
from headway.model import TrainedModel
from headway.parts.candidate_batch import IntArray
from headway.presets import LowRank, Preset
from headway.progress import Progress
from headway.scorers.linear_scorer import LinearScorer
from headway.search.tree_lists import TreeList, score_trees
from headway.support.threads import Threads

FloatArray = npt.NDArray[np.float64]
Weights = npt.NDArray[np.float32]

FOLDS = 10


def list_trees(model: TrainedModel, sentences: Sequence[Sentence], *, k: int) -> list[TreeList]:
    """List the k best trees of every sentence, by a model whose decoder can list trees."""
    encoded, search, lists = model.encoder.encode(sentences), model.search(), list[TreeList]()
    if isinstance(search, BeamSearch):
        return search.tree_lists(encoded, search.lists(encoded, k=k))
    for sentence in range(len(encoded)):
        parses = search.best(encoded, sentence, k=k)
        lists.append(TreeList(np.array([parse.heads for parse in parses]), np.array([parse.score for parse in parses])))
    return lists


def cross_fitted_lists(
    sentences: Sequence[Sentence],
    *,
    preset: Preset,
    options: TrainingOptions,
    k: int,
    progress: Progress,
    number: int = FOLDS,
) -> list[TreeList]:
    """List the k best trees of every sentence, by a base parser that was trained without it.

    Parameters
    ----------
    preset : Preset
        The preset of the base parsers, one for each of `number` folds (or each sentence, if there are fewer), which are
        trained without a dev set.
    """
    lists: dict[int, TreeList] = {}
    parts: list[npt.NDArray[np.int64]] = [np.arange(1)]  # a single sentence has no other folds
    if len(sentences) > 1:
        parts = folds(len(sentences), number=min(number, len(sentences)), seed=options.seed)
    for part in parts:
        held_out = set(part.tolist()) if len(sentences) > 1 else set()
        training_part = [sentence for place, sentence in enumerate(sentences) if place not in held_out]
        model = train_model(training_part, None, preset=preset, options=options, progress=progress, bare=True)
        lists |= zip(part.tolist(), list_trees(model, [sentences[place] for place in part], k=k), strict=True)
    return [lists[place] for place in range(len(sentences))]


@dataclass(frozen=True)
class Reranker:
    """Features of whole trees and the weight of the base parser's score."""

    scorer: LinearScorer
    base: float

    def scores(self, encoded: Encoded, sentence: int, trees: TreeList) -> FloatArray:
        """(k,) Return the score of each tree."""
        totals = np.empty(len(trees.heads))
        score_trees(self.scorer.tree_scorer(encoded, sentence, trees.candidates()), trees.heads, totals)
        return totals + self.base * trees.scores

    def choose(self, encoded: Encoded, sentence: int, trees: TreeList) -> IntArray:
        """(n + 1,) Return the tree with the highest score; on ties, the first one."""
        best: IntArray = trees.heads[int(np.argmax(self.scores(encoded, sentence, trees)))]
        return best

    def accuracy(self, gold: GoldTrees, lists: Sequence[TreeList]) -> float:
        """Return the UAS of the chosen trees, in per cent."""
        right = 0
        for sentence, trees in enumerate(lists):
            heads = self.choose(gold.encoded, sentence, trees)
            right += int(np.count_nonzero(heads[1:] == _gold_heads(gold, sentence)[1:]))
        return 100.0 * right / max(1, int(gold.encoded.lengths().sum()))


def train_reranker(
    sentences: Sequence[Sentence],
    lists: Sequence[TreeList],
    dev: Sequence[Sentence] | None = None,
    dev_lists: Sequence[TreeList] = (),
    *,
    preset: Preset,
    options: TrainingOptions,
    progress: Progress,
) -> Reranker:
    """Train the weights of a preset's features on lists of trees.

    Parameters
    ----------
    lists : sequence of TreeList
        See `cross_fitted_lists`.
    dev, dev_lists : optional
        Dev set: used for choosing the best epoch and for early stopping.
    """
    with Threads(options.threads) as threads:
        recipe = Recipe(sentences, dev, preset, options, progress, threads, (), {})
        learner = ListLearner(
            recipe.gold, lists, recipe.dev, dev_lists, tables=recipe.tables(), largest_step=preset.arcs.step,
            rate=(preset.tensor or LowRank()).rate,
        )  # fmt: skip
        training = run_epochs(learner, options, progress=progress)
    assert training.best is not None
    return learner.reranker(training.best)


class ListLearner:
    """Trains the choice from lists; its dev score is UAS."""

    name = "lists"

    def __init__(
        self,
        gold: GoldTrees,
        lists: Sequence[TreeList],
        dev: GoldTrees | None = None,
        dev_lists: Sequence[TreeList] = (),
        *,
        tables: TreeTables,
        largest_step: float,
        rate: float,
    ) -> None:
        self.gold, self.lists, self.dev, self.dev_lists = gold, lists, dev, dev_lists
        self.weights, self.largest_step, self.rate = tables, largest_step, rate
        self.sentences, self._scorer = len(gold), current_scorer(tables)
        self.base = AveragedTable(np.ones((1, 1), dtype=np.float32), np.zeros((1, 1)))
        self.tables: tuple[AveragedTable, ...] = (*tables.learned, self.base)

    def learn(self, order: npt.NDArray[np.int64], *, step: int) -> int:
        """See `Learner`; return the number of wrong heads in the trees with the largest margin violations."""
        encoded, wrong = self.gold.encoded, 0
        for place, sentence in enumerate(order.tolist()):
            trees, rows = self.lists[sentence], slice(encoded.starts[sentence], encoded.starts[sentence + 1])
            errors = trees.wrong_heads(self.gold.heads[rows])
            scores = Reranker(self._scorer, float(self.base.values[0, 0])).scores(encoded, sentence, trees)
            best = int(np.lexsort((-scores, errors))[0])  # fewest errors, then highest score
            rival = int(np.argmax(scores + errors))
            wrong += int(errors[rival])
            if errors[rival] > errors[best]:
                lead = float(trees.scores[best] - trees.scores[rival])
                margin = float(errors[rival] - errors[best]) - float(self.base.values[0, 0]) * lead
                taken = Step(MIRA, self.largest_step, self.rate, False, step + place, lead * lead)
                factor = prefer_tree(
                    encoded.atoms[rows], encoded.tags[rows], trees.heads[best], trees.heads[rival], margin,
                    self.weights, 0, taken,
                )  # fmt: skip
                self.base.values[0, 0] += factor * lead  # the base score is a feature like the others
                self.base.changes[0, 0] += factor * lead * (step + place)
        return wrong

    def score(self, weights: tuple[Weights, ...]) -> float | None:
        """See `Learner`."""
        return None if self.dev is None else self.reranker(weights).accuracy(self.dev, self.dev_lists)

    def reranker(self, weights: tuple[Weights, ...]) -> Reranker:
        """Return the reranker with these weights, in the order of `tables`."""
        *layers, base = weights
        return Reranker(learned_scorer(self.weights, tuple(layers)), float(base[0, 0]))


def _gold_heads(gold: GoldTrees, sentence: int) -> IntArray:
    return gold.heads[gold.encoded.starts[sentence] : gold.encoded.starts[sentence + 1]]
