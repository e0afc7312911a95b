import numpy as np
import pytest
import small_corpus

from headway.encoding import Encoder
from headway.encoding.vectors import WordVectors
from headway.features.arc import length_bin
from headway.features.templates import read_templates
from headway.features.words import WORD_TEMPLATES, WordFeatures, frequent_slots, make_word_plan, word_features
from headway.scorers.linear import EVERY_ARC
from headway.scorers.tensor import (
    ARC_SHAPES,
    NO_TENSOR,
    add_arc_tensor,
    no_tensor,
    pack_tensor,
    plain_tensor,
    project,
    project_sentence,
    settle_signs,
    triple_tensor_score,
)

TEXT = "w.form\nw.upos\nw-1.upos w.upos\nw.morph*"


class Case:
    """A random sentence with word features, and random factors."""

    def __init__(self, seed: int, length: int, *, modes: int = 2, rank: int = 11, least: int = 2) -> None:
        generator = np.random.default_rng(seed)
        others = [small_corpus.random_sentence(generator, 10) for _ in range(6)]
        vectors = WordVectors.pack(["dogs", "bark"], generator.normal(size=(2, 3)).astype(np.float32))
        encoder = Encoder.fit(others, vectors=vectors.words)
        templates = read_templates(TEXT, roles=("w",), atoms=encoder.names)
        encoded = encoder.encode(others)
        kept = frequent_slots(encoded, templates, atoms=encoder.names, least=least, most=1000)
        self.size = length + 1
        numbers = vectors.values, vectors.scales
        self.plan = make_word_plan(templates, atoms=encoder.names, kept=kept, vectors=numbers)
        self.atoms = encoder.encode([small_corpus.random_sentence(generator, length)]).atoms
        self.features: WordFeatures = word_features(self.atoms, self.plan)
        self.words = generator.normal(size=(modes, len(kept) + 4, rank)).astype(np.float32)
        self.shapes = generator.normal(size=(ARC_SHAPES, rank)).astype(np.float32)
        self.tensor = plain_tensor(self.plan, self.words, self.shapes)
        self.projections = project(self.features, self.tensor)
        self.generator = generator

    def score(self, words: tuple[int, ...], shape: int) -> float:
        """The sum over all combinations of features, one by one, of the tensor's entries."""
        total = 0.0
        lists = [self.features.rows[word, : self.features.counts[word]] for word in words]
        for rank in range(self.words.shape[2]):
            factor = float(self.shapes[0, rank]) + float(self.shapes[shape, rank])
            for mode, rows in enumerate(lists):
                dense = self.features.vectors[words[mode]] @ self.words[mode, -3:, rank]
                factor *= sum(float(self.words[mode, row, rank]) for row in rows) + float(dense)
            total += factor
        return total


@pytest.mark.parametrize(("seed", "length", "rank"), [(1, 1, 8), (2, 7, 11), (3, 14, 3), (4, 30, 16)])
def test_arc_scores_are_sums_over_features(seed: int, length: int, rank: int) -> None:
    case = Case(seed, length, rank=rank)
    scores = np.zeros((case.size, case.size))
    add_arc_tensor(case.projections, case.shapes, EVERY_ARC, scores)
    for modifier in range(1, case.size):
        for head in set(range(case.size)) - {modifier}:
            expected = case.score((head, modifier), length_bin(head, modifier))
            assert scores[head, modifier] == pytest.approx(expected, rel=1e-4, abs=1e-3)


def test_scores_are_added_to_allowed_arcs_alone() -> None:
    case = Case(5, 9)
    allowed = case.generator.random((10, 10)) < 0.4
    before = case.generator.normal(size=(10, 10))
    scores, every = before.copy(), before.copy()
    add_arc_tensor(case.projections, case.shapes, allowed, scores)
    add_arc_tensor(case.projections, case.shapes, EVERY_ARC, every)
    allowed[:, 0] = False
    np.fill_diagonal(allowed, False)
    np.testing.assert_array_equal(scores, np.where(allowed, every, before))
    assert (scores != before).any()


@pytest.mark.parametrize("seed", [6, 7])
def test_triples_with_absent_words(seed: int) -> None:
    case = Case(seed, 6, modes=3)
    for _ in range(30):
        words = tuple(case.generator.integers(case.size + 1, size=3).tolist())
        shape = int(case.generator.integers(1, ARC_SHAPES))
        found = triple_tensor_score(case.projections, case.shapes, *words, shape)
        assert found == pytest.approx(case.score(words, shape), rel=1e-4, abs=1e-3)


def test_the_absent_tensor_scores_nothing() -> None:
    case = Case(8, 4)
    features = word_features(case.atoms, NO_TENSOR.plan)
    assert (features.counts == 1).all()
    scores = np.ones((5, 5))
    add_arc_tensor(project(features, NO_TENSOR), NO_TENSOR.shapes, EVERY_ARC, scores)
    assert (scores == 1.0).all()
    triples = no_tensor(3)
    assert triple_tensor_score(project_sentence(case.atoms, triples), triples.shapes, 1, 2, 3, 0) == 0.0


@pytest.mark.parametrize("modes", [2, 3])
def test_packed_factors_are_the_nearest_bytes(modes: int) -> None:
    case = Case(10, 8, modes=modes)
    case.words[0, :, 4] = 0.0
    packed = pack_tensor(case.tensor)
    assert packed.words.dtype == np.int8
    error = np.abs(packed.words * packed.scales[:, None] - case.words)
    assert (error <= np.abs(case.words).max(axis=1, keepdims=True) / 254 + 1e-6).all()
    again = pack_tensor(packed)
    np.testing.assert_array_equal(again.words, packed.words)
    case.words[:] = packed.words * packed.scales[:, None]
    found = project_sentence(case.atoms, packed)
    np.testing.assert_allclose(found, project(case.features, case.tensor), rtol=1e-4, atol=1e-5)


def test_the_absent_tensor_can_be_packed() -> None:
    assert settle_signs(pack_tensor(NO_TENSOR)).words.shape == (2, 1, 0)


@pytest.mark.parametrize("modes", [2, 3])
def test_signs_are_settled_whatever_they_were(modes: int) -> None:
    case = Case(10, 8, modes=modes)
    case.tensor.shapes[2] = 1e-16
    packed = pack_tensor(case.tensor)
    signs = np.random.default_rng(3).choice([-1, 1], size=packed.scales.shape).astype(np.int8)
    other = packed._replace(words=packed.words * signs[:, None], shapes=packed.shapes * signs.prod(axis=0))
    settled, again = settle_signs(packed), settle_signs(other)
    for name in ("words", "scales", "shapes"):
        assert getattr(settled, name).tobytes() == getattr(again, name).tobytes()
    assert settled.words.dtype == np.int8
    assert (settled.words.max(axis=1) == 127).all()
    assert (settled.shapes[2] == 0.0).all()
    before, after = (project_sentence(case.atoms, one).prod(axis=0) for one in (packed, settled))
    np.testing.assert_array_equal(after * settled.shapes[0], before * packed.shapes[0])


def test_rare_features_have_no_row() -> None:
    often, ever = Case(9, 8, least=4), Case(9, 8, least=1)
    assert often.words.shape[1] < ever.words.shape[1]
    assert (often.features.counts <= ever.features.counts).all()
    assert often.features.counts.sum() < ever.features.counts.sum()
    assert often.features.counts.min() >= 1
    assert (often.features.rows[:, 0] == 0).all()


@pytest.mark.parametrize("most", [0, 1, 7, 40])
def test_no_more_rows_than_asked_for_and_the_most_frequent_ones(most: int) -> None:
    sentences = small_corpus.sample(20)
    encoder = Encoder.fit(sentences)
    encoded = encoder.encode(sentences)
    templates = read_templates(WORD_TEMPLATES, roles=("w",), atoms=encoder.names)
    few = frequent_slots(encoded, templates, atoms=encoder.names, least=2, most=most)
    some = frequent_slots(encoded, templates, atoms=encoder.names, least=2, most=10_000)
    assert len(few) <= most < len(some)
    assert set(few) <= set(some)
    assert (np.diff(some) > 0).all()
