from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
import slow_features
import small_corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_structures import Structure, Tree

from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.errors import UsageError
from headway.features.global_features import NO_GLOBALS, global_capacity, global_hashes, global_slots, make_global_plan
from headway.features.global_templates import FAMILIES, STRUCTURE_ROLES, TREE_ATOMS
from headway.features.templates import Template, read_templates
from headway.parts.kinds import read_key
from headway.parts.links import make_links, set_tree
from headway.parts.structure_lists import list_globals, most_structures
from headway.parts.structures import STRUCTURES
from headway.parts.styles import Styles

FORMS = ("dogs", "and", "of", "(", ")", "[", "]", '"', "Oslo")
UPOS = ("NOUN", "VERB", "ADP", "CCONJ", "PUNCT", "DET")
MASK = (1 << 16) - 1
_64 = (1 << 64) - 1


def random_sentence(generator: np.random.Generator, length: int) -> Sentence:
    def draw(choices: Sequence[str]) -> list[str]:
        return [choices[index] for index in generator.integers(len(choices), size=length)]

    return Sentence.from_words(draw(FORMS), lemmas=draw(FORMS), upos=draw(UPOS), feats=draw(small_corpus.FEATS))


ENCODER = Encoder.fit([random_sentence(np.random.default_rng(seed), 30) for seed in range(8)])
CONSTANT = ENCODER.constant_atoms()


def make_plan(families: Sequence[str], styles: Styles):
    return make_global_plan(
        families, atoms=ENCODER.names, constant=CONSTANT, tag_classes=ENCODER.tag_classes(),
        forms=ENCODER.vocabularies["form"].ids, styles=styles, tag_map={},
    )  # fmt: skip


def fold(state: int, value: int) -> int:
    state = ((state ^ value) * 0x9E3779B97F4A7C15) & _64
    return state ^ (state >> 29)


def salt(kind: str, atom: str, value: int) -> int:
    column = 4 * STRUCTURES.index(kind) + TREE_ATOMS[kind].index(atom)
    return ((fold(fold(0xD1B54A32D192ED03, column), value) * 0x9E3779B97F4A7C15) & _64) >> 32


def templates_of(kind: str, families: Sequence[str]) -> list[Template]:
    text = "\n".join(
        text for family, (family_kind, text) in FAMILIES.items() if family_kind == kind and family in families
    )
    roles, atoms = (*STRUCTURE_ROLES[kind], "tree"), (*ENCODER.names, *TREE_ATOMS.get(kind, ()))
    return read_templates(text, roles=roles, atoms=atoms, constant=CONSTANT)


def slow_slot(structure: Structure, template: Template, atoms: np.ndarray) -> int:
    line = tuple((term.role, term.offset, term.atom) for term in template.terms)
    total = sum(
        slow_features.word_hash(line, role, word, atoms, ENCODER.names)
        for role, word in zip(STRUCTURE_ROLES[structure.kind], structure.words, strict=True)
    )
    total += sum(salt(structure.kind, atom, structure.values[atom]) for role, _, atom in line if role == "tree")
    return total & MASK


@given(
    seed=st.integers(0, 10_000), length=st.integers(1, 20), coordination=st.integers(0, 5),
    preposition=st.integers(0, 1), families=st.sets(st.sampled_from(sorted(FAMILIES))),
)  # fmt: skip
@settings(max_examples=60)
def test_slots_and_shapes_of_all_structures_of_a_tree(
    seed: int, length: int, coordination: int, preposition: int, families: set[str]
) -> None:
    generator = np.random.default_rng(seed)
    sentence = random_sentence(generator, length)
    heads = [-1, *small_corpus.random_heads(generator, length)]
    encoded = ENCODER.encode([sentence])
    hashes = global_hashes(encoded.atoms, encoded.tags, make_plan(sorted(families), Styles(coordination, preposition)))
    links = make_links(length + 1)
    set_tree(links, np.array(heads, dtype=np.int32))
    keys = np.empty(most_structures(length + 1), dtype=np.int64)
    found: Counter[tuple[int, int]] = Counter()
    slots = np.empty(global_capacity(hashes), dtype=np.uint32)
    for key in keys[: list_globals(links, hashes.traits, keys)]:
        count = global_slots(hashes, key, np.uint32(MASK), slots)
        found.update((int(slot), read_key(key)[1]) for slot in slots[:count])
    expected: Counter[tuple[int, int]] = Counter()
    tree = Tree(heads, ["", *sentence.upos], encoded.tags.tolist(), ["", *sentence.forms])
    for structure in tree.structures(coordination, preposition):
        for template in templates_of(structure.kind, sorted(families)):
            expected[slow_slot(structure, template, encoded.atoms), structure.shape] += 1
    assert found == expected


def test_no_globals_has_no_structures() -> None:
    encoded = ENCODER.encode([random_sentence(np.random.default_rng(1), 5)])
    hashes = global_hashes(encoded.atoms, encoded.tags, NO_GLOBALS)
    links = make_links(6)
    set_tree(links, np.array([-1, 0, 1, 1, 2, 2], dtype=np.int32))
    assert list_globals(links, hashes.traits, np.empty(most_structures(6), dtype=np.int64)) == 0


def test_a_family_that_does_not_exist() -> None:
    with pytest.raises(UsageError, match="valency"):
        make_plan(["valencies"], Styles())


def test_every_kind_of_structure_has_a_family() -> None:
    assert {kind for kind, _ in FAMILIES.values()} == set(STRUCTURES) == set(STRUCTURE_ROLES)
