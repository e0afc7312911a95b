"""Constraints on labels and structure hold for every decoder, and labels are the best that keep them."""

import itertools

import numpy as np
import pytest
import small_corpus
from hypothesis import given, settings
from hypothesis import strategies as st

from headway import presets
from headway.corpus import Sentence
from headway.errors import ConstraintError, UsageError
from headway.learning import TrainingOptions
from headway.parser import Parser
from headway.search.constraints import Constraint, constrained_labels, find_constraints

LABELS = ("nsubj", "nsubj:pass", "obj", "dep", "root")


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 4))
@settings(max_examples=60)
def test_labels_are_the_best_that_keep_the_constraints(seed: int, n: int) -> None:
    generator = np.random.default_rng(seed)
    heads = np.array([-1, *small_corpus.random_heads(generator, n)], dtype=np.int32)
    scores = generator.normal(size=(n + 1, len(LABELS)))
    scores[generator.random(scores.shape) < 0.2] = -np.inf
    scores[:, 3] = generator.normal(size=n + 1)  # one label that every arc can have
    groups = [Constraint(one_of=some).labels(LABELS) for some in (("nsubj",), ("obj",))]
    assert [group.tolist() for group in groups] == [[1, 1, 0, 0, 0], [0, 0, 1, 0, 0]]
    best = -np.inf
    for labels in itertools.product(range(len(LABELS)), repeat=n):
        kept = all(
            np.count_nonzero(group[np.array(labels)[heads[1:] == head]]) <= 1
            for group in groups
            for head in range(n + 1)
        )
        if kept:
            best = max(best, scores[np.arange(1, n + 1), labels].sum())
    found = constrained_labels(scores, heads, groups)
    assert found[0] == -1
    for group, head in itertools.product(groups, range(n + 1)):
        assert np.count_nonzero(group[found[1:][heads[1:] == head]]) <= 1
    assert scores[np.arange(1, n + 1), found[1:]].sum() == pytest.approx(best)


@pytest.fixture(scope="module")
def parser() -> Parser:
    """One that calls every child of a verb a subject, and hangs words on punctuation."""
    forms, tags = ["dogs", "cats", "bark", "!"], ["NOUN", "NOUN", "VERB", "PUNCT"]
    tree = Sentence.from_words(forms, upos=tags, heads=[3, 3, 4, 0], labels=["nsubj", "nsubj", "dep", "root"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, "small", small_corpus.SMALL)
        return Parser.train([tree] * 20, preset="small", options=TrainingOptions(epochs=3))


SENTENCE = Sentence.from_words(["dogs", "cats", "bark", "!"], upos=["NOUN", "NOUN", "VERB", "PUNCT"])


@pytest.mark.parametrize("decoder", [None, "hill-climbing", "exact", "eisner"])
def test_every_decoder_keeps_them(parser: Parser, decoder: str | None) -> None:
    [free] = parser.parse([SENTENCE], decoder=decoder, confidence=True)
    assert free.labels.count("nsubj") == 2
    assert free.heads[2] == 4
    assert all(0.0 <= float(chance) <= 1.0 for chance in free.misc("LabelProb"))
    [kept] = parser.parse(
        [SENTENCE], decoder=decoder, constraints=find_constraints(["one-subject", "leaf-punctuation"])
    )
    assert kept.labels.count("nsubj") == 1
    assert 4 not in kept.heads
    [again] = parser.parse([free], decoder=decoder)
    assert again.misc("LabelProb") == [None] * 4


def test_punctuation_of_other_tag_sets_is_found_by_the_tag_map() -> None:
    [rule] = find_constraints(["leaf-punctuation"])
    sentence = Sentence.from_words(["dogs", ",", "(", "bark", "!"], upos=["NN", "$,", "FM", "_", "PUNCT"])
    assert rule.childless(sentence, {}) == [2, 5]
    assert rule.childless(sentence, {"FM": "PUNCT", "$,": "X"}) == [3, 5]
    assert rule.applies(["SBJ"])
    [subjects] = find_constraints(["one-subject"])
    assert subjects.applies(["dep", "csubj:pass"])
    assert not subjects.applies(["SBJ", "OBJ"])


def test_given_labels_count(parser: Parser) -> None:
    given = SENTENCE.with_tree([3, 3, 4, 0], ["_", "nsubj", "_", "_"])
    [kept] = parser.parse([given], keep_heads=True, constraints=find_constraints(["one-subject"]))
    assert kept.labels[1] == "nsubj"
    assert kept.labels[0] != "nsubj"


def test_given_labels_that_break_a_constraint_are_refused(parser: Parser) -> None:
    given = SENTENCE.with_tree([3, 3, 4, 0], ["nsubj:pass", "nsubj", "_", "_"])
    rule = find_constraints(["one-subject"])
    for k in (1, 2):
        with pytest.raises(
            ConstraintError, match="the constraints cannot be kept: no labels of the children of word 3"
        ):
            list(parser.parse([given], keep_heads=True, constraints=rule, k_best=k))
    told: list[Exception] = []
    options = {"keep_heads": True, "constraints": rule, "report": told.append}
    assert [kept.heads for kept in parser.parse([given, SENTENCE], **options)] == [[3, 3, 4, 0]]
    assert len(told) == 1
    apart = SENTENCE.with_tree([3, 1, 4, 0], ["nsubj", "nsubj", "_", "_"])
    [kept] = parser.parse([apart], keep_heads=True, constraints=rule)
    assert kept.labels[:2] == ["nsubj", "nsubj"]


def test_a_given_label_that_the_model_lacks_counts(parser: Parser) -> None:
    assert "csubj:outer" not in parser.model.labels
    given = SENTENCE.with_tree([3, 3, 4, 0], ["csubj:outer", "_", "_", "_"])
    [free] = parser.parse([given], keep_heads=True, confidence=True)
    assert free.labels[:2] == ["csubj:outer", "nsubj"]
    assert free.misc("LabelProb")[0] == "0.000"
    [kept] = parser.parse([given], keep_heads=True, constraints=find_constraints(["one-subject"]))
    assert kept.labels[0] == "csubj:outer"
    assert kept.labels[1] != "nsubj"


def test_constraints_that_no_tree_keeps(parser: Parser) -> None:
    marks = Sentence.from_words(["!", "?"], upos=["PUNCT", "PUNCT"])
    rule = find_constraints(["leaf-punctuation"])
    with pytest.raises(ConstraintError, match="the constraints cannot be kept"):
        list(parser.parse([marks], constraints=rule))
    told: list[Exception] = []
    assert [s.forms for s in parser.parse([marks, SENTENCE], constraints=rule, report=told.append)] == [SENTENCE.forms]
    assert len(told) == 1
    with pytest.raises(UsageError, match="no constraint 'two-subjects'; choose from one-subject"):
        find_constraints(["two-subjects"])
