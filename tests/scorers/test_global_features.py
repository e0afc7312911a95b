from collections.abc import Sequence

import numpy as np
import pytest
import small_corpus
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headway.corpus import Sentence
from headway.encoding import Encoder
from headway.features.global_features import GlobalPlan, global_hashes, make_global_plan
from headway.features.global_templates import FAMILIES
from headway.features.high_order import PART_ROW
from headway.parts.links import Links, is_below, link, make_links, set_tree, unlink
from headway.parts.spans import narrow_spans, set_spans, widen_spans
from headway.parts.structure_lists import list_globals, most_structures
from headway.parts.styles import Styles
from headway.parts.tree_scorer import make_options
from headway.scorers.global_features import (
    GlobalScorer,
    globals_vector,
    make_global_scorer,
    tree_globals,
)
from headway.scorers.global_gains import weigh_globals
from headway.scorers.rows import pack, plain_rows
from headway.scorers.sparse import sparse_add, sparse_vector

FORMS = ("dogs", "bark", "and", "or", "of", "in", "(", ")", '"', ",", "Oslo")
UPOS = ("NOUN", "VERB", "ADP", "CCONJ", "PUNCT", "PRON")
SLOTS = 1 << 12
WEIGHTS = np.random.default_rng(7).normal(size=(SLOTS, PART_ROW)).astype(np.float32)
STYLES = [Styles(coordination, preposition) for coordination in range(6) for preposition in range(2)]


def random_sentence(generator: np.random.Generator, length: int) -> Sentence:
    def draw(choices: Sequence[str]) -> list[str]:
        return [choices[index] for index in generator.integers(len(choices), size=length)]

    return Sentence.from_words(
        draw(FORMS), lemmas=draw(FORMS), upos=draw(UPOS), xpos=draw(small_corpus.XPOS), feats=draw(small_corpus.FEATS)
    )


ENCODER = Encoder.fit([random_sentence(np.random.default_rng(seed), 30) for seed in range(8)])


def plan_of(families: Sequence[str], styles: Styles) -> GlobalPlan:
    return make_global_plan(
        families,
        atoms=ENCODER.names,
        constant=ENCODER.constant_atoms(),
        tag_classes=ENCODER.tag_classes(),
        forms=ENCODER.vocabularies["form"].ids,
        styles=styles,
        tag_map={},
    )


def scorer_of(generator: np.random.Generator, length: int, plan: GlobalPlan) -> GlobalScorer:
    encoded = ENCODER.encode([random_sentence(generator, length)])
    return make_global_scorer(encoded.atoms, encoded.tags, plan, plain_rows(WEIGHTS))


def random_links(generator: np.random.Generator, length: int, *, several_roots: bool) -> Links:
    """A tree of any shape, crossing arcs included."""
    heads = [-1, *small_corpus.random_heads(generator, length)]
    if several_roots:
        for word in range(1, length + 1):
            if generator.random() < 0.2:
                heads[word] = 0
    links = make_links(length + 1)
    set_tree(links, np.array(heads, dtype=np.int32))
    return links


def check_moves(scorer: GlobalScorer, links: Links, words: Sequence[int] = ()) -> None:
    """The gains of every head of every word, or of some, against rescoring; and that the tree is left as it was."""
    size = len(links.heads)
    set_spans(scorer.spans, links)
    for modifier in words or range(1, size):
        head = links.heads[modifier]
        before = [array.copy() for array in links]
        unlink(links, modifier)
        narrow_spans(scorer.spans, links, modifier)
        heads = [other for other in range(size) if not is_below(links, other, modifier)]
        options = make_options(size)
        options.heads[: len(heads)] = heads
        options.gains[:] = 0.0
        weigh_globals(scorer, links, modifier, options, len(heads))
        link(links, modifier, head)
        for array, copy in zip(links, before, strict=True):
            np.testing.assert_array_equal(array, copy)
        rescored = []
        for other in heads:
            unlink(links, modifier)
            link(links, modifier, other)
            rescored.append(tree_globals(scorer, links))
        unlink(links, modifier)
        link(links, modifier, head)
        widen_spans(scorer.spans, links, modifier)
        gains = options.gains[: len(heads)]
        np.testing.assert_allclose(gains - gains[0], np.array(rescored) - rescored[0], atol=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(6))
def test_gains_of_one_family(family: str, seed: int) -> None:
    generator = np.random.default_rng(seed)
    scorer = scorer_of(generator, 14, plan_of([family], STYLES[8]))
    check_moves(scorer, random_links(generator, 14, several_roots=False))


@pytest.mark.parametrize("styles", STYLES)
@given(seed=st.integers(0, 10_000), length=st.integers(1, 16), several_roots=st.booleans())
@example(seed=0, length=1, several_roots=False)
@settings(max_examples=15)
def test_gains_of_all_families_are_differences_of_rescoring(
    styles: Styles, seed: int, length: int, several_roots: bool
) -> None:
    generator = np.random.default_rng(seed)
    scorer = scorer_of(generator, length, plan_of(list(FAMILIES), styles))
    check_moves(scorer, random_links(generator, length, several_roots=several_roots))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_changes_the_score_of_some_tree(family: str) -> None:
    generator = np.random.default_rng(3)
    scorer = scorer_of(generator, 20, plan_of([family], Styles()))
    scores = {round(tree_globals(scorer, random_links(generator, 20, several_roots=False)), 9) for _ in range(30)}
    assert len(scores) > 1


def test_no_family_is_worth_nothing() -> None:
    generator = np.random.default_rng(4)
    scorer = scorer_of(generator, 9, plan_of([], Styles()))
    links = random_links(generator, 9, several_roots=False)
    assert tree_globals(scorer, links) == 0.0
    check_moves(scorer, links)


def test_the_vector_of_a_tree_scores_as_the_tree() -> None:
    generator = np.random.default_rng(5)
    plan = plan_of(list(FAMILIES), Styles())
    encoded = ENCODER.encode([random_sentence(generator, 18)])
    scorer = make_global_scorer(encoded.atoms, encoded.tags, plan, plain_rows(WEIGHTS))
    hashes = global_hashes(encoded.atoms, encoded.tags, plan)
    links = random_links(generator, 18, several_roots=False)
    keys = np.empty(most_structures(19), dtype=np.int64)
    difference = sparse_vector(4 * len(keys))
    for key in keys[: list_globals(links, hashes.traits, keys)]:
        sparse_add(difference, key, 1.0)
    sparse_add(difference, 12345, 1.0)  # a part, which is not ours
    vector = globals_vector(difference, hashes, np.uint32(SLOTS - 1))
    places = vector.order[: vector.size[0]]
    score = vector.values[places] @ WEIGHTS.reshape(-1)[vector.keys[places]]
    assert score == pytest.approx(tree_globals(scorer, links), abs=1e-4)


def test_gains_from_a_packed_table() -> None:
    generator = np.random.default_rng(6)
    plan = plan_of(list(FAMILIES), Styles())
    encoded = ENCODER.encode([random_sentence(generator, 12)])
    packed = make_global_scorer(encoded.atoms, encoded.tags, plan, pack(WEIGHTS, most=SLOTS // 2))
    links = random_links(generator, 12, several_roots=False)
    assert tree_globals(packed, links) != 0.0
    check_moves(packed, links)
    check_moves(packed, links)  # now from memory


def test_gains_of_a_long_sentence_with_deep_trees() -> None:
    """More is noted than there is room for at once, and more than is remembered."""
    generator = np.random.default_rng(8)
    size = 120
    scorer = scorer_of(generator, size - 1, plan_of(list(FAMILIES), STYLES[2]))
    links = make_links(size)
    set_tree(links, np.arange(-1, size - 1, dtype=np.int32))  # a chain
    check_moves(scorer, links, words=(1, 30, 60, size - 1))
