import brute_force
import numpy as np
import pytest
from learning_samples import Lesson

from headway.learning.arcs import ArcRule
from headway.learning.loglinear import expected_difference, loss_step
from headway.scorers.sparse import sparse_add, sparse_vector

UNCAPPED = 1e9


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_perceptron_steps_by_gold_minus_best(seed: int, projective: bool) -> None:
    lesson = Lesson(seed, 5)
    best = lesson.best_tree(cost=0.0, projective=projective)
    wrong = int((best != lesson.sentence.heads).sum())
    assert wrong > 0
    expected = lesson.table.values + lesson.features(lesson.difference(best))
    assert lesson.learn(ArcRule("perceptron", projective), step=3) == wrong
    np.testing.assert_allclose(lesson.table.values, expected, atol=1e-6)
    np.testing.assert_array_equal(lesson.table.changes, 3 * lesson.features(lesson.difference(best)))


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_mira_makes_the_margin_equal_to_the_cost(seed: int, projective: bool) -> None:
    lesson = Lesson(seed, 5)
    worst = lesson.best_tree(cost=1.0, projective=projective)
    cost = int((worst != lesson.sentence.heads).sum())
    assert lesson.tree_score(lesson.sentence.heads) - lesson.tree_score(worst) < cost
    assert lesson.learn(ArcRule("mira", projective, largest_step=UNCAPPED)) == cost
    assert lesson.tree_score(lesson.sentence.heads) - lesson.tree_score(worst) == pytest.approx(cost, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_mira_goes_no_further_than_the_largest_step(seed: int) -> None:
    lesson = Lesson(seed, 5)
    worst = lesson.best_tree(cost=1.0, projective=True)
    expected = lesson.table.values + 0.001 * lesson.features(lesson.difference(worst))
    lesson.learn(ArcRule("mira", largest_step=0.001))
    np.testing.assert_allclose(lesson.table.values, expected, atol=1e-6)
    cost = (worst != lesson.sentence.heads).sum()
    assert lesson.tree_score(lesson.sentence.heads) - lesson.tree_score(worst) < cost


def test_mira_step_after_step_leaves_every_tree_behind_by_its_cost() -> None:
    lesson = Lesson(3, 4)
    trees = brute_force.candidates_of(4, False, True)

    def shortest() -> float:
        gold = lesson.tree_score(lesson.sentence.heads)
        return min(gold - lesson.tree_score(tree) - (tree != lesson.sentence.heads).sum() for tree in trees)

    assert shortest() < -1.0
    for _ in range(100):
        lesson.learn(ArcRule("mira", projective=False, largest_step=UNCAPPED))
    assert shortest() > -0.01


def log_likelihood(table: np.ndarray, heads: list[int]) -> float:
    partition, _ = brute_force.log_partition_and_marginals(table, projective=False, single_root=True)
    return float(table[heads, np.arange(1, len(table))].sum()) - partition


@pytest.mark.parametrize("seed", range(4))
def test_gold_minus_expected_is_the_gradient_by_the_scores(seed: int) -> None:
    lesson = Lesson(seed, 4)
    table, heads = lesson.scores(), lesson.sentence.heads
    coefficients = np.empty_like(table)
    gold = np.array([-1, *heads], dtype=np.int32)
    loss = expected_difference(table.copy(), gold, True, coefficients)
    assert loss == pytest.approx(-log_likelihood(table, heads))
    for modifier in range(1, 5):
        for head in set(range(5)) - {modifier}:
            up, down = table.copy(), table.copy()
            up[head, modifier] += 1e-5
            down[head, modifier] -= 1e-5
            slope = (log_likelihood(up, heads) - log_likelihood(down, heads)) / 2e-5
            assert coefficients[head, modifier] == pytest.approx(slope, abs=1.1e-3)  # small ones are cut
    assert not coefficients[:, 0].any()
    assert not np.diag(coefficients).any()


def test_features_of_gold_minus_expected_are_the_gradient_by_the_weights() -> None:
    lesson = Lesson(6, 3)
    table, heads = lesson.scores(), lesson.sentence.heads
    coefficients = np.empty_like(table)
    expected_difference(table.copy(), np.array([-1, *heads], dtype=np.int32), True, coefficients)
    gradient = lesson.features(coefficients).reshape(-1)
    weights, small = lesson.table.values.reshape(-1), np.float32(2.0**-8)
    some = np.random.default_rng(1).choice(np.flatnonzero(gradient), 60, replace=False)
    for weight in some:
        before = weights[weight]
        likelihoods = []
        for changed in (before + small, before - small):
            weights[weight] = changed
            likelihoods.append(log_likelihood(lesson.scores(), heads))
        weights[weight] = before
        slope = (likelihoods[0] - likelihoods[1]) / float((before + small) - (before - small))
        assert gradient[weight] == pytest.approx(slope, abs=5e-3)


@pytest.mark.parametrize("seed", range(3))
def test_a_loglinear_step_raises_the_likelihood(seed: int) -> None:
    lesson = Lesson(seed, 5)
    before = log_likelihood(lesson.scores(), lesson.sentence.heads)
    lesson.learn(ArcRule("loglinear", largest_step=0.01))
    assert log_likelihood(lesson.scores(), lesson.sentence.heads) > before


def test_the_loglinear_step_is_the_loss_by_the_norm_and_capped() -> None:
    gradient = sparse_vector(2)
    sparse_add(gradient, 0, 3.0)
    sparse_add(gradient, 9, -4.0)
    assert loss_step(gradient, 5.0, 1.0) == pytest.approx(5.0 / 25.0)
    assert loss_step(gradient, 5.0, 0.1) == 0.1
    assert loss_step(gradient, 0.0, 1.0) == 0.0
    assert loss_step(sparse_vector(2), 5.0, 1.0) == 0.0
