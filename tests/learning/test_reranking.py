"""Choosing from lists of trees, and learning to."""

from dataclasses import replace

import brute_force
import numpy as np
import pytest
import small_corpus
from learning_samples import Lesson

from headway.corpus import folds
from headway.encoding import Encoder
from headway.features.global_features import NO_GLOBALS
from headway.features.high_order import NO_PARTS, PART_ROW
from headway.learning import TrainingOptions
from headway.learning.averaging import averaged_table
from headway.learning.gold import gold_trees
from headway.learning.recipe import train_model
from headway.learning.reranking import (
    ListLearner,
    Reranker,
    cross_fitted_lists,
    list_trees,
    train_reranker,
)
from headway.learning.tensor import learned_tensor
from headway.learning.trees import TreeTables
from headway.parts import Candidates, tree_score
from headway.presets import DecoderChoice, HighOrder
from headway.progress import Progress
from headway.scorers.tensor import NO_TENSOR, NO_TRIPLES
from headway.search.tree_lists import TreeList

SMALL = small_corpus.with_tables(small_corpus.SMALL, arcs=1 << 12, labels=1 << 10)
BASE = replace(SMALL, decoder=DecoderChoice("eisner"))
PARTS = replace(SMALL, parts=HighOrder({"sibling": "h.upos m.upos s.upos"}, ("valency",), slots=1 << 12))
PLAIN = replace(SMALL, parts=HighOrder({"sibling": "h.upos m.upos s.upos"}, slots=1 << 12))
OPTIONS = TrainingOptions(epochs=2)
STEP = 0.5


def draw_list(lesson: Lesson, seed: int, k: int) -> TreeList:
    generator = np.random.default_rng(seed)
    trees = [[-1, *small_corpus.random_heads(generator, len(lesson.sentence))] for _ in range(k)]
    return TreeList(np.array(trees, dtype=np.int32), -np.sort(-generator.normal(size=k)))


def make_learner(lesson: Lesson, trees: TreeList) -> ListLearner:
    tables = TreeTables(
        lesson.plan, lesson.table, NO_PARTS, averaged_table(1, PART_ROW), NO_GLOBALS, learned_tensor(NO_TENSOR),
        learned_tensor(NO_TRIPLES),
    )  # fmt: skip
    return ListLearner(lesson.gold, [trees], tables=tables, largest_step=STEP, rate=1.0)


def slow_step(lesson: Lesson, trees: TreeList, weights: np.ndarray, base: float) -> tuple[np.ndarray, float]:
    """The weights after one step, by dense vectors of the features of whole trees."""
    features = [
        np.append(-lesson.features(lesson.difference(heads[1:])).ravel(), score)
        for heads, score in zip(trees.heads, trees.scores, strict=True)
    ]  # of each tree, less those of the gold tree
    vector = np.append(weights.ravel(), base)
    wrong = np.array([sum(heads[1:] != lesson.gold.heads[1:]) for heads in trees.heads])
    scores = np.array([feature @ vector for feature in features])
    target = max(range(len(scores)), key=lambda tree: (-wrong[tree], scores[tree]))
    rival = int(np.argmax(scores + wrong))
    difference = features[target] - features[rival]
    loss = float(wrong[rival] - wrong[target] - difference @ vector)
    if wrong[rival] > wrong[target] and loss > 0.0:
        vector = vector + min(STEP, loss / float(difference @ difference)) * difference
    return vector[:-1].reshape(weights.shape), float(vector[-1])


@pytest.mark.parametrize("seed", range(20))
def test_a_step_is_that_of_the_slow_twin(seed: int) -> None:
    lesson = Lesson(seed, 5)
    trees = draw_list(lesson, seed, 1 + seed % 7)
    learner, before = make_learner(lesson, trees), lesson.table.values.copy()
    weights, base = slow_step(lesson, trees, before.astype(np.float64), 1.0)
    learner.learn(np.zeros(1, dtype=np.int64), step=3)
    np.testing.assert_allclose(lesson.table.values, weights, atol=1e-5)
    np.testing.assert_allclose(lesson.table.changes, 3 * (weights - before), atol=1e-5)
    assert learner.base.values[0, 0] == pytest.approx(base, abs=1e-5)
    assert learner.base.changes[0, 0] == pytest.approx(3 * (base - 1.0), abs=1e-5)


def test_the_best_tree_of_a_list_wins_by_its_margins_in_the_end() -> None:
    lesson = Lesson(1, 6)
    trees = draw_list(lesson, 1, 12)
    learner = make_learner(lesson, trees)
    for step in range(400):
        learner.learn(np.zeros(1, dtype=np.int64), step=step)
    scores = learner.reranker(tuple(table.values for table in learner.tables)).scores(lesson.gold.encoded, 0, trees)
    wrong = trees.wrong_heads(lesson.gold.heads)
    best = int(np.argmax(scores))
    assert wrong[best] == wrong.min()
    assert np.all(scores[best] - scores >= wrong - wrong[best] - 1e-2)


def test_an_oracle_as_the_base_score_is_followed() -> None:
    for seed in range(10):
        lesson = Lesson(seed, 6)
        trees = draw_list(lesson, seed, 8)
        lesson.table.values[:] = 0.0
        learner = make_learner(lesson, TreeList(trees.heads, -trees.wrong_heads(lesson.gold.heads).astype(np.float64)))
        reranker = learner.reranker(tuple(table.values for table in learner.tables))
        chosen = reranker.choose(lesson.gold.encoded, 0, learner.lists[0])
        wrong = trees.wrong_heads(lesson.gold.heads).min()
        assert np.count_nonzero(chosen[1:] != lesson.gold.heads[1:]) == wrong
        assert reranker.accuracy(lesson.gold, learner.lists) == pytest.approx(100.0 * (1.0 - wrong / 6))


def test_scores_are_those_of_the_tables_plus_the_base_score() -> None:
    sentences = small_corpus.sample(12)
    base = train_model(sentences, None, preset=BASE, options=OPTIONS, progress=Progress())
    model = train_model(sentences, None, preset=PLAIN, options=OPTIONS, progress=Progress())
    encoded = model.encoder.encode(sentences)
    for sentence, trees in enumerate(list_trees(base, sentences, k=4)):
        candidates = trees.candidates()
        tables = model.scorer.scores(encoded, sentence, candidates, model.scorer.kinds)
        expected = [tree_score(candidates, tables, heads) for heads in trees.heads] + 0.5 * trees.scores
        np.testing.assert_allclose(Reranker(model.scorer, 0.5).scores(encoded, sentence, trees), expected)


def test_lists_hold_the_best_trees_of_the_base_parser() -> None:
    sentences = [sentence for sentence in small_corpus.sample(26) if len(sentence) <= 6]
    model = train_model(sentences, None, preset=BASE, options=OPTIONS, progress=Progress())
    encoded = model.encoder.encode(sentences)
    for sentence, trees in enumerate(list_trees(model, sentences, k=3)):
        candidates = Candidates.all(len(sentences[sentence]))
        arcs = candidates.dense(model.scorer.scores(encoded, sentence, candidates).arc, -np.inf)
        scores = np.sort(brute_force.tree_scores(arcs, projective=True, single_root=True))[::-1]
        np.testing.assert_allclose(trees.scores, scores[: len(trees.scores)])
        assert len(trees.first(2).heads) == min(2, len(scores))


def test_lists_to_learn_from_come_from_parsers_that_have_not_seen_the_sentence() -> None:
    sentences = small_corpus.sample(9)
    lists = cross_fitted_lists(sentences, preset=BASE, options=OPTIONS, k=3, progress=Progress(), number=3)
    for part in folds(len(sentences), number=3, seed=OPTIONS.seed):
        rest = [sentences[place] for place in range(len(sentences)) if place not in part]
        model = train_model(rest, None, preset=BASE, options=OPTIONS, progress=Progress())
        for place, trees in zip(part, list_trees(model, [sentences[place] for place in part], k=3), strict=True):
            np.testing.assert_array_equal(lists[place].heads, trees.heads)


@pytest.mark.parametrize("count", [1, 2])
def test_fewer_sentences_than_folds_are_enough(count: int) -> None:
    sentences = small_corpus.sample(count)
    lists = cross_fitted_lists(sentences, preset=BASE, options=OPTIONS, k=2, progress=Progress(), number=3)
    assert [trees.heads.shape[1] - 1 for trees in lists] == [len(sentence) for sentence in sentences]


def test_a_reranker_learns_to_choose_better_than_the_base_parser() -> None:
    sentences = small_corpus.sample(30)
    lists = cross_fitted_lists(sentences, preset=BASE, options=OPTIONS, k=8, progress=Progress(), number=2)
    reranker = train_reranker(
        sentences, lists, sentences, lists, preset=PARTS, options=TrainingOptions(epochs=4), progress=Progress()
    )
    gold = gold_trees(sentences, Encoder.fit(sentences), ["dep"])
    base = sum(
        int((trees.heads[0][1:] == sentence.heads).sum()) for trees, sentence in zip(lists, sentences, strict=True)
    )
    assert reranker.accuracy(gold, lists) > 100.0 * base / sum(map(len, sentences))
