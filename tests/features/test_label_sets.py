import numpy as np
import pytest
import slow_features
import slow_label_sets
import small_corpus

from headway.encoding import Encoder
from headway.errors import UsageError
from headway.features.label import (
    LABEL_TEMPLATES,
    MOST_MEMBERS,
    PLAIN_LABEL_TEMPLATES,
    label_hashes,
    make_label_plan,
    slot_buffer,
    tree_roles,
    tree_slots,
)

SLOTS = 1 << 12
TEXT = "m.form\nh.upos m-1.upos\nc.upos m.upos\nh.form m.upos s.form\ns-1.upos g.upos\nc.form e.upos\n"
LINES = [slow_features.read_line(line) for line in TEXT.splitlines()]
PLAIN, SETS = LINES[:2], LINES[2:]


def found_and_expected(heads: list[int], seed: int) -> list[tuple[list[int], list[int]]]:
    generator = np.random.default_rng(seed)
    encoder = Encoder.fit([small_corpus.random_sentence(generator, 12) for _ in range(8)])
    atoms = encoder.encode([small_corpus.random_sentence(generator, len(heads) - 1)]).atoms
    plan = make_label_plan(TEXT, atoms=encoder.names, constant=())
    hashes, roles = label_hashes(atoms, plan), tree_roles(np.array(heads, dtype=np.int32))
    slots, pairs = slot_buffer(plan), []
    for modifier in range(1, len(heads)):
        count = tree_slots(modifier, roles, hashes, plan, np.uint32(SLOTS - 1), slots)
        words = slow_features.tree_roles(heads, modifier)
        expected = slow_features.label_slots(PLAIN, words, atoms, encoder.names, plan.salts, SLOTS)
        for template in SETS:
            expected += slow_label_sets.set_slots(template, heads, modifier, atoms, encoder.names, plan.salts, SLOTS)
        pairs.append((sorted(slots[:count].tolist()), sorted(expected)))
    return pairs


@pytest.mark.parametrize(("seed", "length"), [(1, 1), (2, 2), (3, 5), (4, 9), (5, 14), (6, 14)])
def test_slots_of_random_trees(seed: int, length: int) -> None:
    heads = [-1, *small_corpus.random_heads(np.random.default_rng(seed), length)]
    for found, expected in found_and_expected(heads, seed):
        assert found == expected


@pytest.mark.parametrize("heads", [[-1, 0, 0, 0], [-1, 3, 4, 0, 3], [-1] + [12] * 11 + [0] + [12] * 11])
def test_slots_of_special_trees(heads: list[int]) -> None:
    """Several roots, crossing arcs, and more siblings and children than are looked at."""
    assert len(heads) <= 5 or len(heads) > 2 * MOST_MEMBERS
    for found, expected in found_and_expected(heads, 7):
        assert found == expected


def test_two_set_roles_cannot_stand_together() -> None:
    with pytest.raises(UsageError, match="c and s cannot occur together"):
        make_label_plan("c.upos s.upos", atoms=["upos"], constant=())


def test_the_plain_list_is_part_of_the_full_one() -> None:
    atoms = ["form", "lemma", "upos", "xpos", "feats", "suffix2", "suffix3", "morph1"]
    plain, full = (make_label_plan(text, atoms=atoms, constant=()) for text in (PLAIN_LABEL_TEMPLATES, LABEL_TEMPLATES))
    np.testing.assert_array_equal(plain.words, full.words)
    assert len(plain.set_role) == 0 < len(full.set_role)
