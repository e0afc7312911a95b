import numpy as np
import pytest
import small_corpus

from headway.encoding import Encoder
from headway.features.label import make_label_plan
from headway.learning.averaging import AveragedTable, averaged_table
from headway.learning.gold import gold_trees
from headway.learning.labels import learn_labels, possible_labels
from headway.scorers.linear_models import LabelModel
from headway.scorers.rows import plain_rows
from headway.search.labels import find_labels
from headway.support.threads import Threads

LABELS = ["a", "b", "c", "root"]
TEXT = "m.form\nm.upos\nh.upos m.upos\nh.form m.form\nl.upos m.upos\n"


class Lesson:
    def __init__(self, labels: list[list[str]], heads: list[list[int]]) -> None:
        generator = np.random.default_rng(4)
        plain = [small_corpus.random_sentence(generator, len(tree)) for tree in heads]
        sentences = [s.with_tree(tree, names) for s, tree, names in zip(plain, heads, labels, strict=True)]
        encoder = Encoder.fit(sentences)
        self.gold = gold_trees(sentences, encoder, LABELS)
        self.plan = make_label_plan(TEXT, atoms=encoder.names, constant=())
        self.possible = possible_labels(self.gold, len(LABELS))
        self.table: AveragedTable = averaged_table(1 << 10, len(LABELS))

    def learn(self, *, largest_step: float, step: int = 0) -> int:
        order = np.arange(len(self.gold), dtype=np.int64)
        return learn_labels(
            self.gold, order, plan=self.plan, possible=self.possible, table=self.table,
            largest_step=largest_step, step=step,
        )  # fmt: skip

    def found(self) -> list[int]:
        model = LabelModel(self.plan, plain_rows(self.table.values), self.possible)
        with Threads(1) as threads:
            return find_labels(self.gold.encoded, self.gold.heads, model, threads=threads).tolist()


def test_possible_labels_are_those_seen() -> None:
    lesson = Lesson([["root", "a", "b"], ["root"]], [[0, 1, 1], [0]])
    assert lesson.possible.tolist() == [[True, True, False, False], [False, False, False, True]]


def test_where_nothing_was_seen_everything_is_possible() -> None:
    lesson = Lesson([["root"], ["root"]], [[0], [0]])
    assert lesson.possible.tolist() == [[True] * 4, [False, False, False, True]]


def test_an_uncapped_step_makes_a_margin_of_one() -> None:
    lesson = Lesson([["root", "b"], ["root", "a"]], [[0, 1], [0, 1]])
    lesson.gold.encoded.starts.setflags(write=False)
    order = np.zeros(1, dtype=np.int64)  # the first sentence alone: "b", where "a" comes first
    violations = learn_labels(
        lesson.gold, order, plan=lesson.plan, possible=lesson.possible, table=lesson.table, largest_step=1e9, step=5
    )
    assert violations == 1
    touched = lesson.table.values[lesson.table.values[:, 1] != 0]
    assert touched[:, 1].sum() - touched[:, 0].sum() == pytest.approx(1.0)
    np.testing.assert_allclose(touched[:, 0], -touched[:, 1])
    np.testing.assert_allclose(lesson.table.changes, 5 * lesson.table.values, rtol=1e-6)


def test_margins_count_what_other_scores_say() -> None:
    lesson = Lesson([["root", "b"], ["root", "a"]], [[0, 1], [0, 1]])
    beside = np.zeros((6, 4), dtype=np.float32)
    options = {"plan": lesson.plan, "possible": lesson.possible, "table": lesson.table, "largest_step": 1e9, "step": 0}
    beside[2] = [-1.0, 0.5, 0.0, 0.0]
    order = np.zeros(1, dtype=np.int64)
    assert learn_labels(lesson.gold, order, beside=beside, **options) == 0
    assert not lesson.table.values.any()
    beside[2] = [1.0, 0.5, 0.0, 0.0]
    assert learn_labels(lesson.gold, order, beside=beside, **options) == 1
    touched = lesson.table.values[lesson.table.values[:, 1] != 0]
    assert touched[:, 1].sum() - touched[:, 0].sum() - 0.5 == pytest.approx(1.0)


def test_a_capped_step() -> None:
    lesson = Lesson([["root", "b"], ["root", "a"]], [[0, 1], [0, 1]])
    lesson.learn(largest_step=0.001)
    assert np.abs(lesson.table.values).max() <= 0.0025  # two sentences, one step each
    assert lesson.table.values.any()


def test_learns_to_separate_separable_data() -> None:
    labels = [["a", "root", "b", "c"], ["root", "b"], ["c", "a", "root"]]
    lesson = Lesson(labels, [[2, 0, 2, 3], [0, 1], [3, 3, 0]])
    assert lesson.found() != lesson.gold.labels.tolist()
    for epoch in range(30):
        if lesson.learn(largest_step=1.0, step=3 * epoch) == 0:
            break
    assert lesson.found() == lesson.gold.labels.tolist()
