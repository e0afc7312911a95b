import numpy as np
import pytest
import slow_features
import small_corpus

from headway.corpus import Sentence
from headway.encoding import Encoded, Encoder
from headway.features.arc import ROW, ArcPlan, arc_hashes, make_arc_plan
from headway.learning.arcs import scores_kernel
from headway.scorers.linear import EVERY_ARC, arcs_vector
from headway.scorers.linear_models import ArcModel
from headway.scorers.linear_scorer import arc_scores
from headway.scorers.rows import pack, plain_rows
from headway.scorers.sparse import sparse_dot

SLOTS = 1 << 8  # few, so that features collide
TEXT = """
h.form
h-1.upos h.upos
m.form m+1.upos
m.suffix2
h.form m.form
h.upos h+1.upos m-1.upos m.upos
h.upos m.upos between.tags
h.upos m.upos between.verbs
"""
LINES = [slow_features.read_line(line) for line in TEXT.split("\n") if line]


class Case:
    """A random sentence, an encoder that knows it, and random weights that bytes can hold."""

    def __init__(self, seed: int, length: int) -> None:
        generator = np.random.default_rng(seed)
        others = [small_corpus.random_sentence(generator, 10) for _ in range(6)]
        self.sentence: Sentence = small_corpus.random_sentence(generator, length)
        self.encoder = Encoder.fit([*others, self.sentence])
        self.encoded: Encoded = self.encoder.encode([self.sentence])
        self.plan: ArcPlan = make_arc_plan(
            TEXT, atoms=self.encoder.names, constant=(), tag_class=self.encoder.tag_classes()
        )
        self.weights = generator.integers(-127, 128, size=(SLOTS, ROW)).astype(np.float32) / 32
        self.weights[0, 0] = 127 / 32
        self.generator = generator

    def score(self, head: int, modifier: int) -> float:
        """The sum of an arc's weights, template by template; a modifier alone has no bare weight."""
        atoms, names = self.encoded.atoms, self.encoder.names
        pairs = [line for line in LINES if len({role for role, _, _ in line}) > 1]
        slots = slow_features.arc_slots(
            pairs, head, modifier, atoms, names,
            ["", *self.sentence.upos], self.encoded.tags.tolist(), self.plan.salts, SLOTS,
        )  # fmt: skip
        bare, direction, place = slow_features.weight_places(head, modifier)
        total = 0.0
        for slot in slots + self.word_slots("h", head):
            total += sum(float(self.weights[slot, column]) for column in (bare, direction, place))
        for slot in self.word_slots("m", modifier):
            total += sum(float(self.weights[slot, column]) for column in (direction, place))
        return total

    def word_slots(self, role: str, word: int) -> list[int]:
        lines = [line for line in LINES if {other for other, _, _ in line} == {role}]
        return [
            slow_features.word_hash(line, role, word, self.encoded.atoms, self.encoder.names) % SLOTS for line in lines
        ]

    def table(self, allowed: np.ndarray | None = None) -> np.ndarray:
        size = len(self.sentence) + 1
        scores = np.full((size, size), -np.inf)
        for modifier in range(1, size):
            for head in range(size):
                if head != modifier and (allowed is None or allowed[head, modifier]):
                    scores[head, modifier] = self.score(head, modifier)
        return scores

    def kernel_table(self, allowed: np.ndarray) -> np.ndarray:
        size = len(self.sentence) + 1
        scores = np.empty((size, size))
        scores_kernel(self.encoded.atoms, self.encoded.tags, self.plan, self.weights, allowed, scores)
        return scores


@pytest.mark.parametrize(("seed", "length"), [(1, 1), (2, 2), (3, 6), (4, 14)])
def test_every_score_is_the_sum_of_the_weights_of_its_features(seed: int, length: int) -> None:
    case = Case(seed, length)
    np.testing.assert_allclose(case.kernel_table(EVERY_ARC), case.table(), atol=1e-9)


@pytest.mark.parametrize("seed", [5, 6])
def test_arcs_that_are_not_allowed_have_no_score(seed: int) -> None:
    case = Case(seed, 8)
    allowed = case.generator.random((9, 9)) < 0.4
    np.testing.assert_allclose(case.kernel_table(allowed), case.table(allowed), atol=1e-9)


@pytest.mark.parametrize("seed", [7, 8])
def test_packed_weights_score_the_same(seed: int) -> None:
    case = Case(seed, 7)
    case.weights[case.generator.random(SLOTS) < 0.5] = 0.0
    case.weights[0, 0] = 127 / 32
    packed = pack(case.weights, most=SLOTS)
    assert 0 < len(packed.values) < SLOTS
    plain = arc_scores(case.encoded, 0, ArcModel(case.plan, plain_rows(case.weights)))
    np.testing.assert_array_equal(arc_scores(case.encoded, 0, ArcModel(case.plan, packed)), plain)
    np.testing.assert_allclose(plain, case.table(), atol=1e-9)


def test_second_sentence_of_several() -> None:
    case = Case(9, 5)
    other = small_corpus.random_sentence(case.generator, 3)
    both = case.encoder.encode([other, case.sentence])
    scores = arc_scores(both, 1, ArcModel(case.plan, plain_rows(case.weights)))
    np.testing.assert_allclose(scores, case.table(), atol=1e-9)


@pytest.mark.parametrize("seed", [10, 11, 12])
def test_a_score_is_the_product_of_features_and_weights(seed: int) -> None:
    case = Case(seed, 7)
    coefficients = case.generator.normal(size=(8, 8)) * (case.generator.random((8, 8)) < 0.3)
    np.fill_diagonal(coefficients, 0.0)
    coefficients[:, 0] = 0.0
    hashes = arc_hashes(case.encoded.atoms, case.encoded.tags, case.plan)
    vector = arcs_vector(coefficients, hashes, case.plan, np.uint32(SLOTS - 1))
    used = coefficients != 0.0
    expected = (coefficients[used] * case.table()[used]).sum()
    assert sparse_dot(vector, case.weights.reshape(-1)) == pytest.approx(expected)


def test_features_are_the_gradient_of_the_score() -> None:
    case = Case(13, 5)
    coefficients = np.zeros((6, 6))
    coefficients[2, 4] = 1.0
    hashes = arc_hashes(case.encoded.atoms, case.encoded.tags, case.plan)
    vector = arcs_vector(coefficients, hashes, case.plan, np.uint32(SLOTS - 1))
    gradient = np.zeros(SLOTS * ROW)
    places = vector.order[: vector.size[0]]
    gradient[vector.keys[places]] = vector.values[places]
    before = case.kernel_table(EVERY_ARC)[2, 4]
    touched = np.flatnonzero(gradient)
    untouched = case.generator.choice(np.flatnonzero(gradient == 0), 40)
    for weight in [*touched, *untouched]:
        case.weights.reshape(-1)[weight] += 1.0
        assert case.kernel_table(EVERY_ARC)[2, 4] - before == pytest.approx(gradient[weight])
        case.weights.reshape(-1)[weight] -= 1.0


def test_no_arcs_no_features() -> None:
    case = Case(14, 3)
    hashes = arc_hashes(case.encoded.atoms, case.encoded.tags, case.plan)
    assert arcs_vector(np.zeros((4, 4)), hashes, case.plan, np.uint32(SLOTS - 1)).size[0] == 0
