from itertools import pairwise

import numpy as np
import pytest
import small_corpus

from headway.encoding import Encoder
from headway.features.arc import ROW, ArcPlan, arc_hashes, make_arc_plan
from headway.features.templates import read_templates
from headway.features.words import NO_WORDS, frequent_slots, make_word_plan
from headway.learning.gold import gold_trees
from headway.learning.tensor_start import SparseTensor, factors_of, random_start, sparse_start
from headway.scorers.linear import EVERY_ARC, score_arcs
from headway.scorers.rows import plain_rows
from headway.scorers.tensor import Tensor, add_arc_tensor, project_sentence

ROWS, SHAPES = 12, 5


def test_a_tensor_of_low_rank_comes_back_whole() -> None:
    generator = np.random.default_rng(1)
    heads, _ = np.linalg.qr(generator.normal(size=(ROWS, 3)))
    modifiers, shapes = generator.normal(size=(ROWS, 3)), generator.normal(size=(SHAPES, 3))
    # orthogonal head vectors and unequal sizes make the singular triples those of the tensor
    modifiers, _ = np.linalg.qr(modifiers)
    whole = np.einsum("r,hr,mr,sr->hms", [9.0, 4.0, 1.0], heads, modifiers, shapes / np.linalg.norm(shapes, axis=0))
    first, second = np.indices((ROWS, ROWS)).reshape(2, -1)
    words, factor = factors_of(SparseTensor(first, second, whole.reshape(-1, SHAPES)), rows=ROWS, rank=3, seed=1)
    np.testing.assert_allclose(np.einsum("hr,mr,sr->hms", words[0], words[1], factor), whole, atol=1e-5)
    lengths = [np.linalg.norm(part, axis=0) for part in (*words, factor)]
    np.testing.assert_allclose(lengths, np.tile(np.cbrt([9.0, 4.0, 1.0]), (3, 1)), rtol=1e-5)


@pytest.mark.parametrize("seed", [2, 3])
def test_the_same_factors_every_time(seed: int) -> None:
    generator = np.random.default_rng(seed)
    pairs = generator.integers(ROWS, size=(2, 30))
    sparse = SparseTensor(pairs[0], pairs[1], generator.normal(size=(30, SHAPES)))
    one, two = (factors_of(sparse, rows=ROWS, rank=4, seed=7) for _ in range(2))
    for left, right in zip(one, two, strict=True):
        np.testing.assert_array_equal(left, right)


def test_more_rank_than_the_tensor_has() -> None:
    sparse = SparseTensor(np.array([1, 2]), np.array([2, 1]), np.diag([2.0, 1.0, 1.0, 1.0, 1.0])[:2])
    words, factor = factors_of(sparse, rows=3, rank=8, seed=1)
    assert words.shape == (2, 3, 8)
    assert np.isfinite(words).all()
    assert np.isfinite(factor).all()
    found = np.einsum("hr,mr,sr->hms", words[0], words[1], factor)
    assert found[1, 2, 0] == pytest.approx(2.0, abs=1e-5)
    assert found[2, 1, 1] == pytest.approx(1.0, abs=1e-5)


ARCS = "h.upos m.upos\nh.form\nm.form m+1.upos\nh.upos m-1.upos\nh.upos m.upos between.tags\nh.xpos m.upos"
WORDS = "w.upos\nw.form\nw-1.upos\nw.form w+1.upos"
FACTORING = "h.upos m.upos\nh.form\nm.form m+1.upos\nh.upos m-1.upos"


class Model:
    """Random sentences and sparse weights that are of rank one in the shapes, so that factors can hold them."""

    def __init__(self) -> None:
        generator = np.random.default_rng(4)
        trees = [
            (small_corpus.random_sentence(generator, 9), small_corpus.random_heads(generator, 9)) for _ in range(5)
        ]
        sentences = [sentence.with_tree(heads, ["dep"] * 9) for sentence, heads in trees]
        self.encoder = Encoder.fit(sentences)
        self.gold = gold_trees(sentences, self.encoder, ["dep"])
        columns = generator.normal(size=ROW)
        columns[0] = 0.0  # a modifier alone has no bare weight
        self.weights = np.outer(generator.normal(size=1 << 14), columns).astype(np.float32)

    def arc_plan(self, text: str) -> ArcPlan:
        return make_arc_plan(text, atoms=self.encoder.names, constant=(), tag_class=self.encoder.tag_classes())

    def tensor(self, arcs: str, *, rank: int) -> Tensor:
        names = self.encoder.names
        words = read_templates(WORDS, roles=("w",), atoms=names)
        kept = frequent_slots(self.gold.encoded, words, atoms=names, least=1, most=1000)
        arc_templates = read_templates(arcs, roles=("h", "m"), atoms=names)
        plan = make_word_plan(words, atoms=names, kept=kept)
        return sparse_start(self.gold, self.weights, self.arc_plan(arcs), arc_templates, plan, words, rank=rank, seed=1)


def test_with_enough_rank_gold_arcs_score_as_in_the_sparse_model() -> None:
    model = Model()
    tensor, plan = model.tensor(ARCS, rank=30), model.arc_plan(FACTORING)
    encoded, compared = model.gold.encoded, 0
    for begin, end in pairwise(encoded.starts):
        atoms, tags = encoded.atoms[begin:end], encoded.tags[begin:end]
        expected, found = np.empty((end - begin, end - begin)), np.zeros((end - begin, end - begin))
        score_arcs(arc_hashes(atoms, tags, plan), plan, plain_rows(model.weights), EVERY_ARC, expected)
        add_arc_tensor(project_sentence(atoms, tensor), tensor.shapes, EVERY_ARC, found)
        for modifier in range(1, end - begin):
            head = model.gold.heads[begin + modifier]
            if abs(head - modifier) > 1:  # side by side, arc features do not show the other word as a neighbour
                assert found[head, modifier] == pytest.approx(expected[head, modifier], abs=1e-3)
                compared += 1
    assert compared > 10


def test_ranks_beyond_the_sparse_model_start_at_random() -> None:
    model = Model()
    model.weights[:] = 0.0
    tensor = model.tensor(ARCS, rank=4)
    assert (tensor.shapes[0] == 1.0).all()
    assert tensor.words.all()


PLAN = NO_WORDS._replace(row_of_slot=np.arange(50, dtype=np.int32))


def test_random_starts_are_small_and_reproducible() -> None:
    one, two, other = (random_start(PLAN, modes=3, shapes=4, rank=8, seed=seed, scale=0.01) for seed in (1, 1, 2))
    assert one.words.shape == (3, 50, 8)
    assert one.shapes.shape == (4, 8)
    np.testing.assert_array_equal(one.words, two.words)
    assert not np.array_equal(one.words, other.words)
    assert 0.005 < one.words.std() < 0.02
    assert (one.shapes[0] == 1.0).all()
