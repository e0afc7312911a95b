"""Confidences beside the truth."""

import numpy as np
import pytest

from headway.analysis.reliability import Claims, measure_reliability
from headway.corpus import Sentence


def test_bins_hold_every_claim() -> None:
    generator = np.random.default_rng(1)
    confidence = np.concatenate([generator.uniform(size=5000), [0.0, 1.0, 0.5]])
    honest = Claims(confidence, generator.uniform(size=len(confidence)) < confidence)
    assert sum(count for _, _, count, _, _ in honest.bins()) == len(confidence)
    for low, high, _, mean, share in honest.bins():
        assert low <= mean <= high
        assert share == pytest.approx(mean, abs=0.12)
    assert honest.error() < 0.03
    boastful = Claims(np.sqrt(confidence), honest.right)
    assert boastful.error() > 0.1


def test_arcs_and_trees_are_counted() -> None:
    gold = [
        Sentence.from_words(["a", "b"], heads=[2, 0], labels=["x", "root"]),
        Sentence.from_words(["c"], heads=[0], labels=["root"]),
    ]
    wrong = gold[0].with_tree([0, 1], ["root", "x"])
    parsed = [
        wrong.with_misc("HeadProb", ["0.6", "0.2"]).with_comments("# tree_prob = 0.3"),
        gold[1].with_misc("HeadProb", ["1.000"]).with_comments("# tree_prob = 1.000"),
    ]
    found = measure_reliability(gold, parsed)
    assert found.arcs.confidence.tolist() == [0.6, 0.2, 1.0]
    assert found.arcs.right.tolist() == [False, False, True]
    assert found.trees.right.tolist() == [False, True]
    rows = found.rows()
    assert [row["number"] for row in rows if row["confidence"] == "all"] == [3, 2]
    assert len(found.charts()) == 2


def test_no_sentences() -> None:
    found = measure_reliability([], [])
    assert found.rows() == []
    assert found.arcs.error() == 0.0
