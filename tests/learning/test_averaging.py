import numpy as np
import pytest

from headway.learning import averaging
from headway.learning.averaging import add_scaled, average, averaged_table
from headway.scorers.sparse import sparse_add, sparse_vector


@pytest.mark.parametrize("seed", range(5))
def test_lazy_average_is_the_mean_of_all_snapshots(seed: int) -> None:
    generator = np.random.default_rng(seed)
    table = averaged_table(8, 4)
    snapshots = []
    for step in range(64):  # dyadic numbers and a power of two of steps: every sum is exact
        for _ in range(generator.integers(3)):  # none, one or two updates in a step
            vector = sparse_vector(6)
            for key in generator.integers(32, size=6):
                sparse_add(vector, int(key), float(generator.integers(-4, 5)))
            add_scaled(table, vector, 2.0 ** -int(generator.integers(4)), step)
        snapshots.append(table.values.copy())
    np.testing.assert_array_equal(average(table, 64), np.mean(snapshots, axis=0, dtype=np.float64))


def test_the_table_goes_on_unchanged() -> None:
    table = averaged_table(4, 2)
    vector = sparse_vector(1)
    sparse_add(vector, 3, 1.0)
    add_scaled(table, vector, 1.0, 1)
    before = table.values.copy()
    mean = average(table, 2)
    assert mean.dtype == np.float32
    assert mean[1, 1] == 0.5
    np.testing.assert_array_equal(table.values, before)


def test_slices_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(9)
    table = averaged_table(10, 3)
    table.values[:] = generator.normal(size=(10, 3))
    table.changes[:] = generator.normal(size=(10, 3))
    whole = average(table, 7)
    monkeypatch.setattr(averaging, "_SLICE", 3)
    np.testing.assert_array_equal(average(table, 7), whole)


def test_no_steps_at_all() -> None:
    assert not average(averaged_table(4, 2), 0).any()
