import numpy as np
import pytest
import slow_features
import small_corpus

from headway.encoding import Encoder
from headway.features.hashing import role_hashes
from headway.features.label import (
    DIRECTIONS,
    LABEL_TEMPLATES,
    WORD_ROLES,
    label_slots,
    make_label_plan,
    tree_roles,
)

SLOTS = 1 << 10
TEXT = """
m.form
h.upos m-1.upos m.upos
g.upos h.form m+1.upos
l.upos m.upos r.upos
f.form m.upos e.upos h+1.form
"""
LINES = [slow_features.read_line(line) for line in TEXT.split("\n") if line]


def tree(seed: int, length: int) -> np.ndarray:
    return np.array([-1, *small_corpus.random_heads(np.random.default_rng(seed), length)], dtype=np.int32)


@pytest.mark.parametrize(("seed", "length"), [(1, 1), (2, 2), (3, 4), (4, 7), (5, 12), (6, 12)])
def test_who_is_in_which_role(seed: int, length: int) -> None:
    heads = tree(seed, length)
    roles = tree_roles(heads)
    for modifier in range(1, length + 1):
        expected = slow_features.tree_roles(heads.tolist(), modifier)
        assert dict(zip(WORD_ROLES, roles[modifier].tolist(), strict=True)) == expected


def test_several_children_of_the_root_are_siblings() -> None:
    roles = tree_roles(np.array([-1, 0, 0, 2], dtype=np.int32))
    assert roles[1].tolist() == [1, 0, 4, 4, 2, 4, 4]
    assert roles[2].tolist() == [2, 0, 4, 1, 4, 3, 3]


@pytest.mark.parametrize(("seed", "length"), [(1, 1), (2, 3), (3, 8)])
def test_slots_of_every_arc_of_a_tree(seed: int, length: int) -> None:
    generator = np.random.default_rng(seed)
    encoder = Encoder.fit([small_corpus.random_sentence(generator, 12) for _ in range(8)])
    atoms = encoder.encode([small_corpus.random_sentence(generator, length)]).atoms
    plan = make_label_plan(TEXT, atoms=encoder.names, constant=encoder.constant_atoms())
    heads = tree(seed, length)
    hashes, roles = role_hashes(atoms, plan.words), tree_roles(heads)
    slots = np.empty(2 * len(LINES), dtype=np.uint32)
    for modifier in range(1, length + 1):
        assert label_slots(roles[modifier], hashes, plan, np.uint32(SLOTS - 1), slots) == len(slots)
        words = slow_features.tree_roles(heads.tolist(), modifier)
        expected = slow_features.label_slots(LINES, words, atoms, encoder.names, plan.salts, SLOTS)
        assert slots.tolist() == expected


def test_salts_tell_the_directions_apart() -> None:
    atoms = ["form", "lemma", "upos", "xpos", "feats", "suffix2", "suffix3", "morph1"]
    plan = make_label_plan(LABEL_TEMPLATES, atoms=atoms, constant=())
    assert len(set(plan.salts.tolist())) == DIRECTIONS
