"""The chain over readings and trees against its distribution, computed by listing all states."""

import itertools

import numpy as np
import pytest
import slow_chains
from frequencies import p_value
from listed_scores import Listed
from scipy.linalg import block_diag

from headway.joint.gibbs import _ROOT_MOVES, Conditional, JointChain, Readings, anneal, weigh_heads

KINDS_OF_TREES = list(itertools.product([True, False], [True, False]))


class Cases:
    """Random scores of all states of three words, the first of which has two readings and the last three."""

    counts = (2, 1, 3)

    def __init__(self, seed: int, *, single_root: bool, projective: bool) -> None:
        self.listed = {
            readings: Listed(100 * seed + number, 3, single_root=single_root, projective=projective)
            for number, readings in enumerate(itertools.product(*map(range, self.counts)))
        }
        constants = np.random.default_rng(seed).normal(size=len(self.listed))
        self.constants = dict(zip(self.listed, constants.tolist(), strict=True))
        self.chain = JointChain(self.counts, self.conditional, single_root=single_root, projective=projective)

    def conditional(self, readings: Readings) -> Conditional:
        return Conditional(self.listed[readings].scores, self.constants[readings])

    def totals(self) -> np.ndarray:
        return np.concatenate([case.totals + self.constants[readings] for readings, case in self.listed.items()])

    def chances(self, temperature: float) -> np.ndarray:
        totals = self.totals()
        weights = np.exp((totals - totals.max()) / temperature)
        return weights / weights.sum()

    def row(self, readings: Readings, heads: np.ndarray) -> int:
        before = itertools.takewhile(lambda earlier: earlier != readings, self.listed)
        return sum(len(self.listed[earlier].totals) for earlier in before) + int(
            self.listed[readings].rows(heads[None])[0]
        )


def step_matrix(cases: Cases, temperature: float) -> np.ndarray:
    """(states, states) The probability of each state after one move from each, by the definition of the moves."""
    states = [(readings, tree) for readings, case in cases.listed.items() for tree in case.trees]
    chances, words = cases.chances(temperature), range(len(cases.counts))
    by_word = np.zeros((len(states), len(states)))
    for word in words:
        rest = [(readings[:word], readings[word + 1 :], tree[:word], tree[word + 1 :]) for readings, tree in states]
        same = np.array([[one == other for other in rest] for one in rest])
        by_word += np.where(same, chances, 0.0) / (same @ chances)[:, None] / len(words)
    if not cases.chain.single_root:
        return by_word
    by_root = block_diag(*(
        np.mean([slow_chains.redraw_root(case, temperature, word + 1) for word in words], axis=0)
        for case in cases.listed.values()
    ))  # fmt: skip
    return _ROOT_MOVES * by_root + (1.0 - _ROOT_MOVES) * by_word


@pytest.mark.parametrize(("single_root", "projective"), KINDS_OF_TREES)
def test_moves_leave_the_distribution_as_it_is(single_root: bool, projective: bool) -> None:
    for temperature in (0.5, 1.0, 3.0):
        cases = Cases(2, single_root=single_root, projective=projective)
        chances, step = cases.chances(temperature), step_matrix(cases, temperature)
        flow = chances[:, None] * step
        np.testing.assert_allclose(step.sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_allclose(flow, flow.T, atol=1e-12)
        assert (np.linalg.matrix_power(step, 20) > 0.0).all()


@pytest.mark.parametrize(("single_root", "projective"), KINDS_OF_TREES)
def test_steps_are_as_probable_as_by_definition(single_root: bool, projective: bool) -> None:
    """Every pair of consecutive states of a long chain against the row of the first, and all states together."""
    cases, temperature = Cases(3, single_root=single_root, projective=projective), 3.0
    chances = np.linalg.matrix_power(step_matrix(cases, temperature), len(cases.counts))
    states = [cases.row(state.readings, state.heads) for state in cases.chain.run([temperature] * 4_000, seed=1)]
    counts = np.zeros(chances.shape, dtype=np.int64)
    np.add.at(counts, (states[:-1], states[1:]), 1)
    judged = [p_value(counts[row], chances[row]) for row in range(len(counts)) if counts[row].sum() >= 100]
    thinned = np.bincount(states[::10], minlength=len(counts))  # so far apart that they are all but independent
    judged.append(p_value(thinned, cases.chances(temperature)))
    assert len(judged) > 3
    assert min(judged) > 1e-4 / len(judged)


@pytest.mark.parametrize(("single_root", "projective"), KINDS_OF_TREES)
def test_the_scores_of_states_and_of_the_best_one(single_root: bool, projective: bool) -> None:
    cases = Cases(4, single_root=single_root, projective=projective)
    totals = cases.totals()
    for state in cases.chain.run([2.0] * 50, seed=2):
        assert state.score == pytest.approx(totals[cases.row(state.readings, state.heads)], abs=1e-9)
    best = anneal(cases.chain, temperature=20.0, cooling=0.98, sweeps=300, seed=3)
    assert best.score == pytest.approx(totals.max(), abs=1e-9)


def test_the_same_seed_gives_the_same_states() -> None:
    cases = Cases(5, single_root=True, projective=False)
    runs = [
        [(state.readings, state.heads.tolist()) for state in cases.chain.run([1.0] * 20, seed=seed)]
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(("single_root", "projective"), KINDS_OF_TREES)
def test_heads_of_a_word_are_weighed_as_whole_trees(single_root: bool, projective: bool) -> None:
    case = Listed(6, 4, single_root=single_root, projective=projective)
    for tree, word in itertools.product(case.trees[::5], range(1, 5)):
        heads = np.array([-1, *tree], dtype=np.int32)
        options, totals = np.empty(5, dtype=np.int64), np.empty(5)
        count = weigh_heads(case.scores, heads, word, single_root, projective, options, totals)
        same = [number for number, other in enumerate(case.trees) if _differ_only_in(tree, other, word)]
        assert sorted(options[:count].tolist()) == sorted(case.trees[number][word - 1] for number in same)
        wanted = {case.trees[number][word - 1]: case.totals[number] for number in same}
        np.testing.assert_allclose(totals[:count], [wanted[head] for head in options[:count].tolist()], atol=1e-9)


def _differ_only_in(tree: tuple[int, ...], other: tuple[int, ...], word: int) -> bool:
    return tree[: word - 1] == other[: word - 1] and tree[word:] == other[word:]
