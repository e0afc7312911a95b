"""The features of joint scores, against sums over whole trees."""

import numpy as np
import small_corpus

from headway.encoding import Encoder
from headway.joint.features import arc_weights, joint_slots, joint_totals, make_joint_plan, slot_difference
from headway.scorers.rows import pack, plain_rows

SENTENCES = small_corpus.sample(12)
ENCODER = Encoder.fit(SENTENCES)
PLAN = make_joint_plan(ENCODER)
ENCODED = ENCODER.encode(SENTENCES)
SLOTS = 1 << 12
WEIGHTS = np.random.default_rng(0).normal(size=(SLOTS, 1)).astype(np.float32)


def atoms_of(sentence: int) -> np.ndarray:
    return ENCODED.atoms[ENCODED.starts[sentence] : ENCODED.starts[sentence + 1]]


def heads_of(sentence: int) -> np.ndarray:
    return np.array([-1, *SENTENCES[sentence].heads], dtype=np.int32)


def test_the_total_of_a_tree_is_the_sum_of_the_weights_of_its_features() -> None:
    heads = np.concatenate([heads_of(sentence) for sentence in range(len(SENTENCES))])
    totals = joint_totals(ENCODED.atoms, ENCODED.starts, heads, PLAN, plain_rows(WEIGHTS))
    packed = joint_totals(ENCODED.atoms, ENCODED.starts, heads, PLAN, pack(WEIGHTS, most=SLOTS))
    for sentence, total in enumerate(totals):
        slots = joint_slots(atoms_of(sentence), heads_of(sentence), PLAN, np.uint32(SLOTS - 1))
        np.testing.assert_allclose(total, WEIGHTS[slots, 0].sum(), rtol=1e-5, atol=1e-4)
        assert abs(packed[sentence] - total) < 0.02 * slots.size  # bytes are coarse


def test_the_total_of_a_tree_is_the_sum_over_its_arcs() -> None:
    rows = plain_rows(WEIGHTS)
    for sentence in range(4):
        constant, table = arc_weights(atoms_of(sentence), PLAN, rows)
        for seed in range(3):
            generator = np.random.default_rng(seed)
            heads = np.array([-1, *small_corpus.random_heads(generator, len(SENTENCES[sentence]))], dtype=np.int32)
            starts = np.array([0, len(heads)])
            [total] = joint_totals(atoms_of(sentence), starts, heads, PLAN, rows)
            arcs = sum(table[head, modifier] for modifier, head in enumerate(heads) if modifier > 0)
            np.testing.assert_allclose(constant + arcs, total, rtol=1e-5, atol=1e-4)


def test_a_difference_has_what_two_trees_do_not_share() -> None:
    heads, other = heads_of(0), heads_of(0)
    other[1] = len(other) - 1 if other[1] != len(other) - 1 else 0
    mask = np.uint32(SLOTS - 1)
    slots, base = (joint_slots(atoms_of(0), one, PLAN, mask) for one in (heads, other))
    counts = np.bincount(slots.reshape(-1), minlength=SLOTS) - np.bincount(base.reshape(-1), minlength=SLOTS)
    found = np.zeros(SLOTS)
    difference = slot_difference(slots, base)
    places = difference.order[: difference.size[0]]
    found[difference.keys[places]] = difference.values[places]
    assert (found == counts).all()
    assert counts.any()
    assert slot_difference(slots, slots).size[0] == 0


def test_an_arc_to_the_left_is_another_feature() -> None:
    twice = ENCODER.encode([SENTENCES[0], SENTENCES[0]])
    atoms = twice.atoms[: twice.starts[1]].copy()
    atoms[2] = atoms[1]  # the same word twice: only the direction tells the arcs apart
    heads = np.array([-1, 2, 0, *[1] * (len(atoms) - 3)], dtype=np.int32)
    turned = np.array([-1, 0, 1, *[1] * (len(atoms) - 3)], dtype=np.int32)
    left = joint_slots(atoms, heads, PLAN, np.uint32(SLOTS - 1))[0]
    right = joint_slots(atoms, turned, PLAN, np.uint32(SLOTS - 1))[1]
    assert (left[-3:] != right[-3:]).all()
