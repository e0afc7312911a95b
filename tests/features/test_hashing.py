import numpy as np
import pytest
import slow_features
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.encoding import END, MIDDLE, START
from headway.features.hashing import HashPlan, make_plan, role_hashes
from headway.features.templates import read_templates

NAMES = ("form", "upos", "xpos")
ROLES = ("h", "h", "h", "m", "m", "m")
HIDDEN = (0, 1, -1, 0, 1, -1)
TEXT = """
h.form
m.form m.upos
h-1.upos h.upos h+1.upos m.form
h.xpos m-2.upos m-1.upos m+1.upos m+2.form
h+2.form m-1.xpos
"""


def plan_of(text: str) -> HashPlan:
    templates = read_templates(text, roles=("h", "m"), atoms=NAMES)
    return make_plan(templates, roles=ROLES, atoms=NAMES, hidden=HIDDEN)


def random_atoms(seed: int, words: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(3, 9, size=(words + 1, len(NAMES)), dtype=np.int32)


def lines(text: str) -> list[slow_features.Template]:
    return [slow_features.read_line(line) for line in text.split("\n") if line]


def test_the_reference_speaks_of_the_same_neighbours() -> None:
    assert (START, END, MIDDLE) == (slow_features.START, slow_features.END, slow_features.MIDDLE)


@settings(max_examples=25)
@given(st.integers(0, 1 << 30), st.integers(1, 6))
def test_against_integers_of_any_size(seed: int, words: int) -> None:
    atoms = random_atoms(seed, words)
    hashes = role_hashes(atoms, plan_of(TEXT))
    assert hashes.shape == (6, words + 2, 5)
    for place, (role, hidden) in enumerate(zip(ROLES, HIDDEN, strict=True)):
        for number, template in enumerate(lines(TEXT)):
            for word in range(words + 2):
                expected = slow_features.word_hash(template, role, word, atoms, NAMES, hidden)
                assert hashes[place, word, number] == expected, (role, hidden, template, word)


def test_the_short_cut_changes_nothing() -> None:
    plan = plan_of(TEXT)
    computed = plan.copy()
    roles, templates = plan[:2]
    same = computed[2 + roles :][: 4 * roles * templates].reshape(-1, 4)[:, 3]
    assert (same >= 0).any()
    same[:] = -1
    for seed in range(5):
        atoms = random_atoms(seed, 5)
        np.testing.assert_array_equal(role_hashes(atoms, plan), role_hashes(atoms, computed))


def test_a_hidden_neighbour_does_not_matter_and_a_shown_one_does() -> None:
    plan = plan_of("h.form h+1.form")
    atoms = random_atoms(1, 4)
    other = atoms.copy()
    other[3] += 1
    before, after = role_hashes(atoms, plan), role_hashes(other, plan)
    assert before[0, 2, 0] != after[0, 2, 0]
    assert before[1, 2, 0] == after[1, 2, 0]
    assert before[2, 2, 0] != after[2, 2, 0]
    assert before[0, 2, 0] != before[1, 2, 0]


def test_beyond_both_ends_of_the_sentence() -> None:
    plan = plan_of("m-1.form\nm+1.form")
    atoms = random_atoms(2, 3)
    hashes = role_hashes(atoms, plan)[3]

    def of(value: int, template: str) -> int:
        return slow_features.hash_values(slow_features.read_line(template), "m", [value])

    assert hashes[0, 0] == of(START, "m-1.form")  # before the root
    assert hashes[1, 0] == of(int(atoms[0, 0]), "m-1.form")  # the root itself
    assert hashes[3, 1] == of(END, "m+1.form")  # after the last word
    assert (hashes[4, 0], hashes[4, 1]) == (of(END, "m-1.form"), of(END, "m+1.form"))  # no such word


def test_a_template_hashes_the_same_whatever_stands_beside_it() -> None:
    atoms = random_atoms(4, 5)
    alone = role_hashes(atoms, plan_of("h.form m.upos"))
    among = role_hashes(atoms, plan_of("m.xpos\nm.upos h.form\nh.upos"))
    np.testing.assert_array_equal(alone[:, :, 0], among[:, :, 1])


def test_no_templates() -> None:
    assert role_hashes(random_atoms(5, 3), plan_of("")).shape == (6, 5, 0)


@pytest.mark.parametrize("bits", [10, 16])
def test_slots_are_spread_evenly(bits: int) -> None:
    atoms = np.arange(5, 5 + 3 * 4001, dtype=np.int32).reshape(4001, 3)
    slots = role_hashes(atoms, plan_of("h.form"))[0, 1:-1, 0] & np.uint32((1 << bits) - 1)
    expected = (1 << bits) * (1 - (1 - 2.0**-bits) ** len(slots))  # of balls thrown at random
    assert len(np.unique(slots)) == pytest.approx(expected, rel=0.05)
