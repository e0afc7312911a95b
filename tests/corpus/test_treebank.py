from collections import Counter

import numpy as np
import pytest
from corpus_samples import ODD, sentence_of
from hypothesis import given
from hypothesis import strategies as st

from headway.corpus import TreebankStatistics, folds, parse_sentences, read_sentences, split, statistics
from headway.errors import UsageError


def test_statistics_by_hand():
    trees = [[2, 0], [3, 0, 2, 2], [0, 0, 2], [2, 1], [-1, -1, -1, -1, -1]]
    counted = statistics([*parse_sentences(ODD), *map(sentence_of, trees)])
    assert counted == TreebankStatistics(
        sentences=6,
        words=24,
        ranges=1,
        empty_nodes=1,
        mean_length=4.0,
        longest=8,
        distinct_forms=13,
        distinct_lemmas=8,
        distinct_upos=8,
        distinct_xpos=0,
        distinct_feats=2,
        distinct_relations=9,
        nonprojective_sentences=1,
        nonprojective_arcs=1,
        several_roots=1,
        invalid_trees=2,
    )


def test_statistics_of_nothing():
    counted = statistics([])
    assert (counted.sentences, counted.words, counted.mean_length, counted.distinct_forms) == (0, 0, 0.0, 0)


def test_statistics_of_a_treebank(treebanks):
    counted = statistics(read_sentences(treebanks / "UD_English-EWT" / "dev.conllu.xz"))
    assert (counted.sentences, counted.words) == (2001, 25147)
    assert (counted.ranges, counted.empty_nodes) == (359, 4)
    assert (counted.invalid_trees, counted.several_roots) == (0, 0)
    assert 0 < counted.nonprojective_sentences <= counted.nonprojective_arcs


@given(st.lists(st.integers(1, 20), min_size=1, max_size=5), st.integers(1, 200), st.integers(0, 9))
def test_parts_keep_to_their_share_all_the_way(weights, count, seed):
    fractions = [weight / sum(weights) for weight in weights]
    sentences = [sentence_of([0])] * count
    dealt: Counter[int] = Counter()
    for number, (part, _) in enumerate(split(sentences, fractions=fractions, seed=seed), start=1):
        dealt[part] += 1
        assert dealt[part] < fractions[part] * number + 1
    assert dealt.total() == count


def test_split_keeps_the_order_and_follows_the_seed():
    sentences = [sentence_of([0] * length) for length in range(1, 101)]
    one = list(split(sentences, fractions=[0.8, 0.1, 0.1], seed=1))
    assert [sentence for _, sentence in one] == sentences
    assert [part for part, _ in one] == [part for part, _ in split(sentences, fractions=[0.8, 0.1, 0.1], seed=1)]
    assert [part for part, _ in one] != [part for part, _ in split(sentences, fractions=[0.8, 0.1, 0.1], seed=2)]
    assert all(
        abs(count - share) <= 2 for count, share in zip(np.bincount([p for p, _ in one]), (80, 10, 10), strict=True)
    )


def test_split_holds_nothing_back():
    def endless():
        while True:
            yield sentence_of([0])

    dealt = split(endless(), fractions=[0.5, 0.5], seed=0)
    assert sorted(part for part, _ in (next(dealt), next(dealt))) == [0, 1]


@pytest.mark.parametrize("fractions", [[], [0.5], [0.5, 0.6], [1.5, -0.5]])
def test_fractions_must_make_sense(fractions):
    with pytest.raises(UsageError, match="sum to 1"):
        split([], fractions=fractions, seed=0)


@given(st.integers(2, 200), st.data())
def test_folds_hold_every_index_once(count, data):
    number = data.draw(st.integers(2, count))
    made = folds(count, number=number, seed=3)
    assert len(made) == number
    assert sorted(np.concatenate(made)) == list(range(count))
    assert {len(fold) for fold in made} <= {count // number, count // number + 1}
    assert all(np.all(np.diff(fold) > 0) for fold in made)
    assert all(fold.dtype == np.int64 for fold in made)


def test_folds_follow_the_seed():
    assert all(map(np.array_equal, folds(50, number=5, seed=1), folds(50, number=5, seed=1)))
    assert not all(map(np.array_equal, folds(50, number=5, seed=1), folds(50, number=5, seed=2)))


@pytest.mark.parametrize(("count", "number"), [(10, 1), (10, 0), (3, 4), (0, 2)])
def test_folds_must_make_sense(count, number):
    with pytest.raises(UsageError, match="folds"):
        folds(count, number=number, seed=0)
