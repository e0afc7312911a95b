"""The two ways to the non-projective marginals: which is taken when, and that they meet."""

import brute_force
import numpy as np
import pytest

from headway.marginals import inside_outside_kernel, matrix_tree_kernel
from headway.marginals.elimination import elimination_kernel
from headway.marginals.inverse import invert
from headway.marginals.matrix_tree import laplacian_kernel

both_roots = pytest.mark.parametrize("single_root", [True, False])


@both_roots
@pytest.mark.parametrize("scale", [1.0, 5.0, 20.0, 100.0])
def test_the_inverse_is_right_wherever_it_is_trusted(scale: float, single_root: bool) -> None:
    generator = np.random.default_rng(1)
    trusted = 0
    for _ in range(120):
        n = int(generator.integers(1, 40))
        table = generator.normal(size=(n + 1, n + 1)) * scale
        table[0] -= generator.uniform(0, 30)
        table[1:][generator.random((n, n + 1)) < 0.2] = -np.inf
        fast, safe = np.zeros_like(table), np.zeros_like(table)
        log_partition = laplacian_kernel(table, single_root, fast)
        if np.isnan(log_partition):
            continue
        trusted += 1
        assert log_partition == pytest.approx(elimination_kernel(table, single_root, safe), rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(fast, safe, atol=1e-9)
    assert trusted > (20 if scale == 1.0 else 5)


@both_roots
def test_the_inverse_is_not_trusted_on_cycles_that_nothing_leaves(single_root: bool) -> None:
    table = np.full((4, 4), -50.0)
    table[1, 2] = table[2, 1] = 0.0
    assert np.isnan(laplacian_kernel(table, single_root, np.zeros_like(table)))


def test_the_inverse_is_not_trusted_where_the_arc_that_breaks_a_cycle_underflows() -> None:
    """The cheap way out of the cycle 1 <-> 2 is 0 -> 1; rounding hides it, and the dear one by 3 passes."""
    table = np.full((5, 5), -np.inf)
    table[0, 1], table[2, 1], table[3, 1] = -69.0, 137.0, -290.0
    table[1, 2] = 163.0
    table[2, 3], table[4, 3] = -38.0, 30.0
    table[1, 4], table[3, 4] = 81.0, 153.0
    marginals = np.zeros_like(table)
    log_partition, expected = brute_force.log_partition_and_marginals(table, projective=False, single_root=False)
    assert matrix_tree_kernel(table, False, marginals) == pytest.approx(log_partition)
    np.testing.assert_allclose(marginals, expected, atol=1e-9)


def test_counts_roots_exactly_however_dear_a_single_one_is() -> None:
    """Two roots score 2e6 more than one; with a single root asked for, they still count for nothing."""
    table = np.full((3, 3), -1e6)
    table[0] = 1e6
    marginals = np.zeros_like(table)
    assert elimination_kernel(table, True, marginals) == pytest.approx(np.log(2.0), abs=1e-9)
    np.testing.assert_allclose(marginals[0, 1:], 0.5)


@pytest.mark.parametrize("compute", [matrix_tree_kernel, elimination_kernel, inside_outside_kernel])
@both_roots
def test_kernels_do_not_read_what_is_no_arc(compute, single_root: bool) -> None:  # type: ignore[no-untyped-def]
    generator = np.random.default_rng(7)
    table = brute_force.random_table(generator, 9, "normal")
    clean, soiled = np.empty((10, 10)), np.full((10, 10), np.nan)
    log_partition = compute(table, single_root, clean)
    for rubbish in (np.nan, 1e6):
        np.fill_diagonal(table, rubbish)
        table[:, 0] = rubbish
        assert compute(table, single_root, soiled) == log_partition
        np.testing.assert_array_equal(clean, soiled)
    assert not clean[:, 0].any()
    assert not clean.diagonal().any()


@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_inverts(size: int) -> None:
    generator = np.random.default_rng(size)
    matrix = generator.normal(size=(size, size))
    inverse = matrix.copy()
    log_determinant = invert(inverse)
    np.testing.assert_allclose(matrix @ inverse, np.eye(size), atol=1e-9)
    assert log_determinant == pytest.approx(np.linalg.slogdet(matrix).logabsdet)


def test_a_singular_matrix_has_no_logarithm() -> None:
    assert invert(np.ones((3, 3))) == -np.inf
    assert invert(np.zeros((2, 2))) == -np.inf
