import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.scorers.sparse import SparseVector, sparse_add, sparse_dot, sparse_norm, sparse_vector

ENTRIES = st.lists(st.tuples(st.integers(0, 40) | st.integers(0, (1 << 25) - 1), st.integers(-8, 8)), max_size=60)


def filled(entries: list[tuple[int, int]]) -> SparseVector:
    vector = sparse_vector(len(entries))
    for key, value in entries:
        sparse_add(vector, key, float(value))
    return vector


@settings(max_examples=60)
@given(ENTRIES)
def test_against_a_dictionary(entries: list[tuple[int, int]]) -> None:
    expected: dict[int, float] = {}
    for key, value in entries:
        expected[key] = expected.get(key, 0.0) + value
    vector = filled(entries)
    places = vector.order[: vector.size[0]]
    found = list(zip(vector.keys[places].tolist(), vector.values[places].tolist(), strict=True))
    assert found == list(expected.items())  # oldest first
    assert sparse_norm(vector) == sum(value * value for value in expected.values())


@settings(max_examples=20)
@given(ENTRIES)
def test_product_with_a_table(entries: list[tuple[int, int]]) -> None:
    weights = np.random.default_rng(1).integers(-4, 5, size=50).astype(np.float32)
    small = [(key % 50, value) for key, value in entries]
    assert sparse_dot(filled(small), weights) == sum(value * float(weights[key]) for key, value in small)


def test_full_to_capacity_with_colliding_keys() -> None:
    entries = [(number << 20, 1) for number in range(500)]
    vector = filled(entries)
    assert vector.size[0] == 500
    assert sparse_norm(vector) == 500.0


def test_nothing() -> None:
    vector = sparse_vector(0)
    assert vector.size[0] == 0
    assert sparse_norm(vector) == 0.0
