"""The contract of every computation of marginals, checked against all trees. A new one joins by one line."""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, log

import brute_force
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.errors import ConstraintError, UsageError
from headway.marginals import Marginals, inside_outside, matrix_tree
from headway.marginals.elimination import elimination_kernel
from headway.marginals.marginals import infer
from headway.parts import Candidates, Scores


def elimination(candidates: Candidates, scores: Scores, *, single_root: bool = True) -> Marginals:
    return infer(elimination_kernel, candidates, scores, single_root=single_root)


@dataclass(frozen=True)
class Case:
    compute: Callable[..., Marginals]
    projective: bool = False


CASES = [
    Case(matrix_tree),
    Case(elimination),
    Case(inside_outside, projective=True),
]

TABLES_A_DRAW = 16
kinds = st.sampled_from(brute_force.KINDS)
seeds = st.integers(0, 2**32 - 1)
every_computation = pytest.mark.parametrize("case", CASES, ids=lambda case: case.compute.__name__)
both_roots = pytest.mark.parametrize("single_root", [True, False])


def check_probabilities(candidates: Candidates, marginals: Marginals, single_root: bool, tolerance: float) -> None:
    assert np.isfinite(marginals.log_partition)
    assert marginals.arc.min() >= 0.0
    assert marginals.arc.max() <= 1.0 + tolerance
    sums = np.bincount(candidates.modifiers, marginals.arc, minlength=candidates.length + 1)
    np.testing.assert_allclose(sums[1:], 1.0, atol=tolerance)
    root = marginals.arc[candidates.heads == 0].sum()
    assert root == pytest.approx(1.0, abs=tolerance) if single_root else root >= 1.0 - tolerance


@every_computation
@given(
    n=st.integers(1, brute_force.LARGEST),
    kind=kinds,
    seed=seeds,
    single_root=st.booleans(),
    pruned=st.booleans(),
)
@settings(max_examples=150)
def test_agrees_with_brute_force(case: Case, n: int, kind: str, seed: int, single_root: bool, pruned: bool) -> None:
    generator = np.random.default_rng(seed)
    for _ in range(TABLES_A_DRAW):
        table = brute_force.random_table(generator, n, kind)
        candidates = Candidates.from_mask(table > -np.inf) if pruned else Candidates.all(n)
        scores = Scores(arc=candidates.gather(table))
        log_partition, expected = brute_force.log_partition_and_marginals(
            table, projective=case.projective, single_root=single_root
        )
        if log_partition == -np.inf:
            with pytest.raises(ConstraintError, match="contain no"):
                case.compute(candidates, scores, single_root=single_root)
            continue
        marginals = case.compute(candidates, scores, single_root=single_root)
        assert marginals.log_partition == pytest.approx(log_partition, rel=1e-10, abs=1e-10)
        np.testing.assert_allclose(marginals.arc, candidates.gather(expected), rtol=1e-8, atol=1e-9)


@every_computation
@both_roots
@pytest.mark.parametrize("n", [1, 2, 3, 10, 40, 150])
def test_counts_all_trees(case: Case, single_root: bool, n: int) -> None:
    """With all scores zero the partition is the number of trees: Cayley's, or that of projective ones."""
    counts = {
        (False, False): (n + 1) ** (n - 1),
        (False, True): n ** (n - 1),
        (True, False): comb(3 * n, n) // (2 * n + 1),
        (True, True): comb(3 * n - 2, n - 1) // n,
    }
    candidates = Candidates.all(n)
    marginals = case.compute(candidates, Scores(np.zeros(len(candidates))), single_root=single_root)
    count = counts[case.projective, single_root]
    assert marginals.log_partition == pytest.approx(log(count), rel=1e-12, abs=1e-12)
    check_probabilities(candidates, marginals, single_root, 1e-10)


@every_computation
@both_roots
@pytest.mark.parametrize("kind", ["normal", "large", "mixed", "cycles"])
def test_are_probabilities_at_any_length(case: Case, single_root: bool, kind: str) -> None:
    generator = np.random.default_rng(2)
    for n in (12, 33, 80):
        candidates = Candidates.all(n)
        scores = Scores(candidates.gather(brute_force.random_table(generator, n, kind)))
        marginals = case.compute(candidates, scores, single_root=single_root)
        check_probabilities(candidates, marginals, single_root, 1e-9)


@every_computation
@both_roots
def test_stands_long_sentences_with_large_scores(case: Case, single_root: bool) -> None:
    generator = np.random.default_rng(8)
    mask = generator.random((501, 501)) < 0.9
    mask[np.arange(500), np.arange(1, 501)] = True  # a chain, so that there is a tree
    candidates = Candidates.from_mask(mask)
    scores = Scores(generator.uniform(-1000, 1000, size=len(candidates)))
    marginals = case.compute(candidates, scores, single_root=single_root)
    check_probabilities(candidates, marginals, single_root, 1e-8)


@every_computation
@both_roots
def test_is_the_gradient_of_the_log_partition(case: Case, single_root: bool) -> None:
    generator = np.random.default_rng(4)
    candidates = Candidates.from_mask(generator.random((9, 9)) < 0.8)
    arc = generator.normal(size=len(candidates))
    marginals = case.compute(candidates, Scores(arc), single_root=single_root)
    step = 1e-5
    for index in range(len(candidates)):
        change = np.zeros_like(arc)
        change[index] = step
        above = case.compute(candidates, Scores(arc + change), single_root=single_root).log_partition
        below = case.compute(candidates, Scores(arc - change), single_root=single_root).log_partition
        assert marginals.arc[index] == pytest.approx((above - below) / (2 * step), abs=1e-8)


@every_computation
@both_roots
def test_adding_to_all_arcs_of_a_word_changes_no_probability(case: Case, single_root: bool) -> None:
    generator = np.random.default_rng(9)
    candidates = Candidates.all(12)
    arc = generator.normal(size=len(candidates))
    shift = generator.uniform(-1e4, 1e4, size=13)
    before = case.compute(candidates, Scores(arc), single_root=single_root)
    after = case.compute(candidates, Scores(arc + shift[candidates.modifiers]), single_root=single_root)
    np.testing.assert_allclose(after.arc, before.arc, atol=1e-9)
    assert after.log_partition == pytest.approx(before.log_partition + shift[1:].sum(), rel=1e-10)


@every_computation
@both_roots
def test_an_empty_sentence_has_one_tree(case: Case, single_root: bool) -> None:
    marginals = case.compute(Candidates.all(0), Scores(np.zeros(0)), single_root=single_root)
    assert marginals.log_partition == 0.0
    assert marginals.arc.shape == (0,)


@every_computation
def test_the_same_input_gives_the_same_bits(case: Case) -> None:
    generator = np.random.default_rng(10)
    candidates = Candidates.all(30)
    scores = Scores(generator.normal(size=len(candidates)) * 20)
    one, other = case.compute(candidates, scores), case.compute(candidates, scores)
    assert one.log_partition == other.log_partition
    np.testing.assert_array_equal(one.arc, other.arc)


@every_computation
def test_refuses_scores_that_are_no_scores(case: Case) -> None:
    candidates = Candidates.all(2)
    with pytest.raises(UsageError, match="NaN or"):
        case.compute(candidates, Scores(np.array([0.0, np.nan, 0.0, 0.0])))
