import numpy as np
import pytest
import slow_features
import slow_label_sets
import small_corpus

from headway.encoding import Encoder
from headway.features.label import make_label_plan
from headway.scorers.labels import best_possible
from headway.scorers.linear_models import LabelModel
from headway.scorers.rows import Rows, pack, plain_rows
from headway.search.labels import find_labels
from headway.support.threads import Threads

SLOTS, LABELS = 1 << 8, 5
TEXT = """
m.form
h.upos m.upos
g.upos h.form m+1.upos
l.upos m.upos r.upos
f.form m.upos e.upos
"""
LINES = [slow_features.read_line(line) for line in TEXT.split("\n") if line]
SET_TEXT = "c.form m.upos\nh.upos m.upos s.upos\n"
SET_LINES = [slow_features.read_line(line) for line in SET_TEXT.splitlines()]
EVERYWHERE = np.ones((2, LABELS), dtype=np.bool_)


class Case:
    """Two random sentences with trees, and random weights that bytes can hold."""

    def __init__(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        sentences = [small_corpus.random_sentence(generator, length) for length in (1, 7)]
        self.encoder = Encoder.fit(sentences)
        self.encoded = self.encoder.encode(sentences)
        self.trees = [[-1, *small_corpus.random_heads(generator, len(sentence))] for sentence in sentences]
        self.heads = np.array([head for tree in self.trees for head in tree], dtype=np.int32)
        self.plan = make_label_plan(TEXT + SET_TEXT, atoms=self.encoder.names, constant=())
        self.weights = generator.integers(-127, 128, size=(SLOTS, LABELS)).astype(np.float32) / 32
        self.weights[generator.random(SLOTS) < 0.3] = 0.0
        self.weights[0, 0] = 127 / 32

    def fast(self, rows: Rows, possible: np.ndarray) -> list[int]:
        with Threads(1) as threads:
            model = LabelModel(self.plan, rows, possible)
            return find_labels(self.encoded, self.heads, model, threads=threads).tolist()

    def slow(self, possible: np.ndarray) -> list[int]:
        answer = []
        for sentence, tree in enumerate(self.trees):
            atoms = self.encoded.atoms[self.encoded.starts[sentence] : self.encoded.starts[sentence + 1]]
            answer.append(-1)
            for modifier in range(1, len(tree)):
                words = slow_features.tree_roles(tree, modifier)
                slots = slow_features.label_slots(LINES, words, atoms, self.encoder.names, self.plan.salts, SLOTS)
                for line in SET_LINES:
                    slots += slow_label_sets.set_slots(
                        line, tree, modifier, atoms, self.encoder.names, self.plan.salts, SLOTS
                    )
                totals = [sum(float(self.weights[slot, label]) for slot in slots) for label in range(LABELS)]
                allowed = [label for label in range(LABELS) if possible[int(tree[modifier] == 0), label]]
                answer.append(max(allowed, key=lambda label: totals[label]))
        return answer


@pytest.mark.parametrize("seed", range(6))
def test_best_labels_plain_and_packed(seed: int) -> None:
    case = Case(seed)
    expected = case.slow(EVERYWHERE)
    assert case.fast(plain_rows(case.weights), EVERYWHERE) == expected
    assert case.fast(pack(case.weights, most=SLOTS), EVERYWHERE) == expected


@pytest.mark.parametrize("seed", range(6))
def test_labels_of_the_root_are_for_arcs_from_the_root(seed: int) -> None:
    case = Case(seed)
    possible = np.array([[True, True, True, False, False], [False, False, False, True, True]])
    found = case.fast(plain_rows(case.weights), possible)
    assert found == case.slow(possible)
    for head, label in zip(case.heads, found, strict=True):
        assert label == -1 if head < 0 else (label >= 3) == (head == 0)


def test_the_first_of_equals() -> None:
    totals = np.array([1, 3, 3, 2, 5], dtype=np.float32)
    assert best_possible(totals, np.array([True, True, True, True, False])) == 1
    assert best_possible(-totals, np.array([False, False, False, False, True])) == 4
