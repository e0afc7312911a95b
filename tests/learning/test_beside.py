"""Learning on top of scores that stay as they are: margins are those of the sum."""

from dataclasses import replace

import numpy as np
import pytest
import small_corpus

from headway.decoders import find_decoder
from headway.errors import UsageError
from headway.learning import TrainingOptions
from headway.learning.learners import TreeLearner
from headway.learning.recipe import Recipe
from headway.learning.trees import TreeRule, TreeTables, current_scorer, learn_trees
from headway.parts import Candidates, tree_score
from headway.presets import HighOrder
from headway.progress import Progress
from headway.scorers.given import GivenArcs
from headway.scorers.sum import Sum
from headway.support.threads import Threads

PRESET = replace(
    small_corpus.with_tables(small_corpus.SMALL, arcs=1 << 10, labels=1 << 12),
    parts=HighOrder({"sibling": "h.upos m.upos s.upos\nm.form s.form"}, slots=1 << 10),
)
RULE = TreeRule(find_decoder("exact", projective=False), largest_step=1e9)


class Lesson:
    """A sentence, weights that are all zero, and scores of arcs that stay as they are."""

    def __init__(self, bonus: float) -> None:
        sentences = [one for one in small_corpus.sample(60) if len(one) == 6][:1]
        self.recipe = Recipe(sentences, None, PRESET, TrainingOptions(), Progress(), Threads(), (), {})
        self.gold, self.tables = self.recipe.gold, self.recipe.tables()
        table = np.random.default_rng(1).normal(scale=2.0, size=(7, 7)).astype(np.float32)
        table[self.gold.heads[1:], np.arange(1, 7)] += bonus
        self.beside = GivenArcs([table], weight=0.5)

    def learn(self, rule: TreeRule = RULE) -> int:
        order = np.zeros(1, dtype=np.int64)
        return learn_trees(
            self.gold, order, tables=self.tables, rule=rule, seed=1, step=0, threads=Threads(), beside=self.beside
        )

    def violated(self) -> np.ndarray:
        """The tree that scores most, costs included."""
        candidates = Candidates.all(6)
        scores = Sum(current_scorer(self.tables), self.beside).scores(self.gold.encoded, 0, candidates)
        cost = (candidates.heads != self.gold.heads[candidates.modifiers]).astype(np.float64)
        return RULE.decoder.decode(candidates, scores, cost=cost).heads

    def score(self, heads: np.ndarray) -> float:
        candidates = Candidates.all(6)
        scores = Sum(current_scorer(self.tables), self.beside).scores(self.gold.encoded, 0, candidates)
        return tree_score(candidates, scores, heads)


def weights(tables: TreeTables) -> float:
    return float(np.abs(tables.arcs.values).sum() + np.abs(tables.parts.values).sum())


def test_an_uncapped_step_makes_the_margin_of_the_sum() -> None:
    lesson = Lesson(0.0)
    found, gold = lesson.violated(), lesson.gold.heads
    cost = int((found != gold).sum())
    assert lesson.score(found) > lesson.score(gold)
    assert lesson.learn() == cost > 0
    assert lesson.score(gold) - lesson.score(found) == pytest.approx(cost, abs=1e-4)


def test_nothing_is_learned_where_the_other_scores_suffice() -> None:
    lesson = Lesson(30.0)
    assert lesson.learn() == 0
    assert weights(lesson.tables) == 0.0


def test_the_margin_is_that_of_the_scores() -> None:
    lesson = Lesson(0.0)
    found, gold = lesson.violated(), lesson.gold.heads
    assert lesson.beside.margin(0, gold, found) == pytest.approx(lesson.score(gold) - lesson.score(found))


def test_other_ways_of_learning_are_refused() -> None:
    lesson = Lesson(0.0)
    for rule in (replace(RULE, inference="relaxed"), replace(RULE, method="loglinear")):
        with pytest.raises(UsageError, match="on top"):
            TreeLearner(
                lesson.gold, None, tables=lesson.tables, rule=rule, seed=1, dev_decoder=RULE.decoder,
                threads=Threads(), beside=lesson.beside,
            )  # fmt: skip
