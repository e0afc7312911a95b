import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.scorers.rows import find_rows, is_packed, pack, plain_rows, slot_mask, thin


def table(seed: int, slots: int, width: int = 4, share: float = 0.3) -> np.ndarray:
    """Weights that are whole multiples of 1/16, in some rows only; the largest of all is 127/16."""
    generator = np.random.default_rng(seed)
    weights = generator.integers(-100, 101, size=(slots, width)).astype(np.float32) / 16
    weights[generator.random(slots) >= share] = 0.0
    weights[generator.integers(slots), 0] = 127 / 16
    return weights


def look_up(weights: np.ndarray, most: int, slots: list[int]) -> list[int]:
    array = np.array(slots, dtype=np.uint32)
    count = find_rows(pack(weights, most=most), array, len(array))
    return array[:count].tolist()


@settings(max_examples=60)
@given(
    st.integers(0, 1 << 30),
    st.sampled_from([1, 5, 63, 64, 65, 128, 200, 1024]),
    st.sampled_from([0.0, 0.02, 0.5, 1.0]),
    st.data(),
)
def test_directory_against_a_dictionary(seed: int, slots: int, share: float, data: st.DataObject) -> None:
    weights = np.zeros((slots, 4), dtype=np.float32)
    weights[np.random.default_rng(seed).random(slots) < share] = 1.0
    row_of = {int(slot): row for row, slot in enumerate(np.flatnonzero(weights[:, 0]))}
    asked = data.draw(st.lists(st.integers(0, slots - 1), max_size=40))
    assert look_up(weights, slots, asked) == [row_of[slot] for slot in asked if slot in row_of]
    assert look_up(weights, slots, list(range(slots))) == list(range(len(row_of)))


def test_only_the_first_slots_are_looked_up() -> None:
    slots = np.array([3, 70, 3], dtype=np.uint32)
    weights = np.zeros((128, 4), dtype=np.float32)
    weights[[3, 70]] = 1.0
    assert find_rows(pack(weights, most=128), slots, 2) == 2
    assert slots.tolist() == [0, 1, 3]


@pytest.mark.parametrize("seed", range(4))
def test_weights_that_bytes_can_hold_come_back_exactly(seed: int) -> None:
    weights = table(seed, 256)
    packed = pack(weights, most=256)
    assert packed.values.dtype == np.int8
    assert packed.scale == 1 / 16
    kept = np.flatnonzero(np.abs(weights).max(axis=1) > 0)
    np.testing.assert_array_equal(packed.values * packed.scale, weights[kept])
    assert slot_mask(packed) == slot_mask(plain_rows(weights)) == 255


def test_other_weights_come_back_to_the_nearest_step() -> None:
    weights = np.random.default_rng(5).normal(size=(64, 4)).astype(np.float32)
    packed = pack(weights, most=64)
    assert np.abs(packed.values * packed.scale - weights).max() <= packed.scale / 2 * (1 + 1e-5)
    assert np.abs(packed.values).max() == 127


def test_the_rows_with_the_largest_weights_are_kept() -> None:
    weights = np.random.default_rng(6).normal(size=(512, 4)).astype(np.float32)
    largest = np.abs(weights).max(axis=1)
    best = np.sort(np.argsort(-largest)[:100])
    packed = pack(weights, most=100)
    np.testing.assert_array_equal(packed.values, np.rint(weights[best] / packed.scale))
    assert look_up(weights, 100, best.tolist()) == list(range(100))


def test_weights_that_round_to_zero_are_removed() -> None:
    weights = np.zeros((64, 4), dtype=np.float32)
    weights[1, 2], weights[2, 0], weights[3, 1] = -127.0, 0.49, 0.51
    assert look_up(weights, 64, [0, 1, 2, 3]) == [0, 1]


def test_a_table_of_zeros_keeps_nothing() -> None:
    packed = pack(np.zeros((128, 4), dtype=np.float32), most=128)
    assert packed.values.shape == (0, 4)
    assert slot_mask(packed) == 127
    assert look_up(np.zeros((128, 4), dtype=np.float32), 128, [0, 127]) == []


def test_packed_tables_are_read_only() -> None:
    packed = pack(table(7, 128), most=128)
    with pytest.raises(ValueError, match="read-only"):
        packed.values[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        packed.directory[0] = 0


def test_the_slots_of_a_plain_table_are_its_rows() -> None:
    slots = np.array([5, 1, 5], dtype=np.uint32)
    assert find_rows(plain_rows(table(8, 8)), slots, 3) == 3
    assert slots.tolist() == [5, 1, 5]


def test_a_thinned_table_keeps_its_largest_rows() -> None:
    weights = np.zeros((128, 2), dtype=np.float32)
    weights[[3, 70, 90, 127], 1] = [0.5, -1.0, 0.25, 0.5]
    rows = pack(weights, most=10)
    thinned = thin(rows, most=2)
    assert is_packed(thinned, 2)
    slots = np.array([3, 70, 90, 127], dtype=np.uint32)
    count = find_rows(thinned, slots, 4)
    assert count == 2  # the largest, and the first of the two next ones
    np.testing.assert_array_equal(thinned.values[slots[:count], 1], rows.values[[0, 1], 1])
    assert thin(rows, most=4) is rows
