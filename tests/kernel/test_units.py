"""Kernels that are compiled in units are the same functions, for Headway, for Python, and for others who use Numba."""

import math
import pickle

import numba
import numpy as np
import pytest
from kernel_samples import run

from headway.kernel import is_compiled
from headway.kernel.arrays import copy_into
from headway.marginals import matrix_tree_kernel
from headway.marginals.log_space import log_add, log_sum
from headway.parts.kinds import part_key


def test_others_may_call_our_kernels() -> None:
    @numba.njit
    def theirs(values: np.ndarray) -> float:
        room = np.zeros(len(values) + 1)
        copy_into(room, values)
        return log_sum(room) + room.sum()

    values = np.array([1.0, 2.0, 3.0])
    expected = math.log(sum(map(math.exp, [1.0, 2.0, 3.0, 0.0]))) + 6.0
    assert theirs(values) == pytest.approx(expected)


def test_others_may_call_our_units() -> None:
    @numba.njit
    def theirs(scores: np.ndarray, marginals: np.ndarray) -> float:
        return matrix_tree_kernel(scores, True, marginals)

    ours, same = np.zeros((3, 3)), np.zeros((3, 3))
    scores = np.arange(9.0).reshape(3, 3)
    assert theirs(scores, same) == matrix_tree_kernel(scores, True, ours)
    np.testing.assert_array_equal(ours, same)


def test_functions_of_numba_that_we_compiled_first_work_for_others(tmp_path) -> None:
    code = """
import numba
import numpy as np
from headway.scorers.sparse import sparse_add, sparse_vector
sparse_add(sparse_vector(4), 7, 1.5)

@numba.njit
def theirs(size):
    return np.full(size, 2.0).sum() + np.zeros((size, size)).sum() + np.empty(size).size

print(theirs(3))
"""
    for _ in range(2):  # compiled, then kept
        done = run(code, HEADWAY_CACHE=str(tmp_path))
        assert done.output == "9.0\n", done.errors


def test_others_do_not_run_into_the_inner_functions_of_our_units(tmp_path) -> None:
    code = """
import numba
import numpy as np
from headway.marginals import matrix_tree_kernel
from headway.marginals.log_space import log_sum
matrix_tree_kernel(np.zeros((3, 3)), True, np.zeros((3, 3)))  # has a log_sum of its own, optimised for its calls

@numba.njit
def theirs(values):
    return log_sum(values)

print(theirs(np.zeros(1)))
"""
    for _ in range(2):  # compiled, then kept
        done = run(code, HEADWAY_CACHE=str(tmp_path), HEADWAY_KERNELS="checked", NUMBA_OPT="1")
        assert done.output == "0.0\n", done.errors


def test_widths_of_integers_and_literals_make_no_other_kernels() -> None:
    @numba.njit
    def theirs(small: np.int32, large: np.int64) -> int:
        return part_key(1, 2, small, large, small, 0) + part_key(3, 1, large, small, 5, small)

    assert theirs(np.int32(4), 6) == part_key(1, 2, 4, 6, 4, 0) + part_key(3, 1, 6, 4, 5, 4)
    if hasattr(part_key, "dispatcher"):
        assert len(part_key.dispatcher._callees) == 1


def test_kernels_are_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(log_add)) is log_add


def test_a_kernel_that_has_run_is_compiled() -> None:
    log_add(1.0, 2.0)
    assert is_compiled(log_add)
    assert is_compiled(len)
