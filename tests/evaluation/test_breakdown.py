"""Breakdowns: by hand, that they add up to the totals, and arcs' projectivity against its definition."""

import numpy as np
import pytest
from evaluation_samples import sentence_pairs, small_corpus
from hypothesis import given
from hypothesis import strategies as st

from headway.evaluation import Evaluation, Row, evaluate
from headway.evaluation.breakdown import bin_names, bin_of
from headway.evaluation.metrics import CONTENT_RELATIONS


@pytest.fixture(scope="module")
def small() -> Evaluation:
    return evaluate(*small_corpus())


def test_relations_by_hand(small: Evaluation) -> None:
    assert small.by_relation["nsubj"] == Row(2, 2, 1, 1, 1, 1)
    assert small.by_relation["nsubj:pass"] == Row(0, 0, 0, 1, 1, 0)
    assert small.by_relation["punct"] == Row(3, 2, 1, 2, 1, 1)
    assert small.by_universal_relation["nsubj"] == Row(2, 2, 2, 2, 2, 2)
    assert list(small.by_relation)[:2] == ["root", "punct"]
    row = small.by_relation["punct"]
    assert (row.precision, row.recall, row.f1) == pytest.approx((50, 100 / 3, 40))
    assert (row.unlabelled_precision, row.unlabelled_recall) == pytest.approx((50, 200 / 3))


def test_arc_lengths_by_hand(small: Evaluation) -> None:
    assert small.by_arc_length() == {
        "root": Row(3, 3, 3, 3, 3, 3),
        "1": Row(6, 4, 2, 4, 4, 2),
        "2": Row(1, 1, 1, 3, 1, 1),
    }
    assert list(small.by_arc_length((2, 4))) == ["root", "1-2"]


def test_projectivity_by_hand(small: Evaluation) -> None:
    assert small.by_arc_projectivity["non-projective"] == Row(0, 0, 0, 2, 1, 1)
    groups = small.by_sentence_projectivity()
    assert (len(groups["projective"].rows), len(groups["non-projective"].rows)) == (3, 0)


def test_sentence_lengths_by_hand(small: Evaluation) -> None:
    groups = small.by_sentence_length((2, 3))
    assert {name: len(group.rows) for name, group in groups.items()} == {"1-2": 1, "3": 1, ">3": 1}
    assert groups[">3"].score("UAS").f1 == 60


def test_arc_can_be_nonprojective_on_one_side_only() -> None:
    gold, _ = small_corpus()
    gold_sentence = gold[0].with_tree([3, 4, 0, 3, 4], gold[0].labels)
    system = gold_sentence.with_tree([4, 4, 4, 0, 4], gold[0].labels)
    row = evaluate([gold_sentence], [system]).by_arc_projectivity["non-projective"]
    assert (row.gold, row.gold_heads, row.system) == (1, 1, 0)
    assert (row.unlabelled_recall, row.unlabelled_f1) == (100, 0)


@pytest.mark.parametrize("bounds", [(1, 2, 5), (5, 10), (3,)])
def test_bins_hold_what_their_names_say(bounds: tuple[int, ...]) -> None:
    names = bin_names(bounds)
    for length in range(1, bounds[-1] + 3):
        name = names[bin_of(length, bounds)]
        if name.startswith(">"):
            assert length > int(name[1:])
        else:
            first, _, last = name.partition("-")
            assert int(first) <= length <= int(last or first)


@given(st.lists(sentence_pairs(), min_size=1, max_size=5))
def test_rows_add_up_to_the_totals(pairs: list) -> None:
    evaluation = evaluate(*zip(*pairs, strict=True))
    words, heads = evaluation.words, evaluation.score("UAS").correct
    labelled, universal = evaluation.score("LAS").correct, evaluation.score("LAS-universal").correct
    tables = [
        (evaluation.by_relation, labelled),
        (evaluation.by_universal_relation, universal),
        (evaluation.by_arc_length(), labelled),
        (evaluation.by_arc_projectivity, labelled),
    ]
    for table, right in tables:
        assert sum(table.values(), start=Row()) == Row(words, heads, right, words, heads, right)


@given(st.lists(sentence_pairs(), min_size=1, max_size=5))
def test_groups_add_up_to_the_totals(pairs: list) -> None:
    evaluation = evaluate(*zip(*pairs, strict=True))
    for groups in (evaluation.by_sentence_length((2, 4)), evaluation.by_sentence_projectivity()):
        total = sum(group.rows.sum(axis=0) for group in groups.values())
        np.testing.assert_array_equal(total, evaluation.counts.rows.sum(axis=0))


@given(st.lists(sentence_pairs(), min_size=1, max_size=5))
def test_clas_is_the_sum_of_its_relations(pairs: list) -> None:
    evaluation = evaluate(*zip(*pairs, strict=True))
    rows = [row for label, row in evaluation.by_universal_relation.items() if label in CONTENT_RELATIONS]
    total, clas = sum(rows, start=Row()), evaluation.score("CLAS")
    assert (total.gold_labelled, total.gold, total.system) == (clas.correct, clas.gold, clas.system)
