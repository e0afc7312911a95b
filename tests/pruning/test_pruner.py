"""The pruner: what it keeps, that a tree always remains, and that cross-fitting never lets a model see its own fold."""

import brute_force
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import sample

from headway.corpus import is_projective, is_tree
from headway.decoders.eisner import Eisner
from headway.decoders.spanning_tree import SpanningTree
from headway.encoding import Encoder
from headway.features.pruner import PRUNER_TEMPLATES
from headway.learning import pruner as learning
from headway.learning.gold import gold_trees
from headway.learning.pruner import PrunerTraining, cross_fitted_arcs, train_pruner
from headway.model import arc_plan
from headway.parts import Candidates, Scores
from headway.progress import Progress
from headway.pruning import PruningRule, keep_gold, prune, pruning_report
from headway.pruning.pruner import prune_table
from headway.support.threads import Threads

TRAINING = PrunerTraining(slots=1 << 12, epochs=2, folds=3)


def random_scores(length, seed):
    return np.random.default_rng(seed).normal(0.0, 3.0, (length + 1, length + 1))


@pytest.fixture(scope="module")
def gold():
    sentences = sample(40)
    encoder = Encoder.fit(sentences)
    return encoder, gold_trees(sentences, encoder, [])


@given(length=st.integers(1, 6), seed=st.integers(0, 10_000), most=st.integers(1, 7), projective=st.booleans())
def test_keeps_the_heads_of_the_rule(length, seed, most, projective):
    scores = random_scores(length, seed)
    ratio = 10.0 ** np.random.default_rng(seed).uniform(-4, 0)
    allowed = np.zeros(scores.shape, dtype=np.bool_)
    prune_table(scores, ratio, most, projective, allowed)
    every = Candidates.all(length)
    _, table = brute_force.log_partition_and_marginals(scores, projective=False, single_root=True)
    best = (Eisner() if projective else SpanningTree()).decode(every, Scores(arc=every.gather(scores))).heads
    for modifier in range(1, length + 1):
        ranked = sorted((head for head in range(length + 1) if head != modifier), key=lambda h: -table[h, modifier])
        expected = {h for h in ranked[:most] if table[h, modifier] >= ratio * table[ranked[0], modifier]}
        expected.add(best[modifier])
        assert set(np.flatnonzero(allowed[:, modifier])) == expected


@given(length=st.integers(1, 6), seed=st.integers(0, 10_000), projective=st.booleans())
def test_a_tree_always_remains(length, seed, projective):
    scores = random_scores(length, seed)
    allowed = np.zeros(scores.shape, dtype=np.bool_)
    prune_table(scores, 1.0, 1, projective, allowed)
    left = Candidates.from_mask(allowed)
    decoder = Eisner() if projective else SpanningTree()
    heads = decoder.decode(left, Scores(arc=left.gather(scores))).heads[1:].tolist()
    assert is_tree(heads, single_root=True)
    assert is_projective(heads) or not projective


def test_gold_arcs_are_put_back_and_counted(gold):
    encoder, trees = gold
    plan = arc_plan(encoder, PRUNER_TEMPLATES)
    with Threads() as threads:
        model = train_pruner(trees, plan=plan, training=TRAINING, threads=threads, progress=Progress())
        table = prune(trees.encoded, model, PruningRule(ratio=0.9, most=1), threads=threads)
    kept = sum(int(table.of(sentence).sum()) for sentence in range(len(trees)))
    hits = _gold_arcs(trees, table)
    report = pruning_report(table, trees.encoded, trees.heads)
    keep_gold(table, trees.encoded, trees.heads)
    words = len(trees.heads) - len(trees)
    assert (report.words, report.kept, report.found) == (words, kept, hits)
    assert hits < words
    assert _gold_arcs(trees, table) == words


def test_each_fold_is_pruned_by_a_model_of_the_others(gold, monkeypatch):
    encoder, trees = gold
    seen = []
    real = learning.learn_arcs

    def spy(some, order, **options):
        seen.append(set(order.tolist()))
        return real(some, order, **options)

    pruned = []
    real_prune = learning.prune

    def spy_prune(encoded, model, rule, *, threads):
        pruned.append(len(encoded))
        return real_prune(encoded, model, rule, threads=threads)

    monkeypatch.setattr(learning, "learn_arcs", spy)
    monkeypatch.setattr(learning, "prune", spy_prune)
    plan = arc_plan(encoder, PRUNER_TEMPLATES)
    with Threads() as threads:
        table, report = cross_fitted_arcs(
            trees, plan=plan, training=TRAINING, rule=PruningRule(), threads=threads, progress=Progress()
        )
    left_out = [set(range(len(trees))) - some for some in seen[:: TRAINING.epochs]]
    assert sum(map(len, left_out)) == len(trees)
    assert set().union(*left_out) == set(range(len(trees)))
    assert [len(some) for some in left_out] == pruned
    assert _gold_arcs(trees, table) == report.words
    assert 50.0 < report.recall <= 100.0


def test_one_sentence_is_enough():
    sentences = sample(1)
    encoder = Encoder.fit(sentences)
    trees = gold_trees(sentences, encoder, [])
    with Threads() as threads:
        table, _ = cross_fitted_arcs(
            trees, plan=arc_plan(encoder, PRUNER_TEMPLATES), training=TRAINING, rule=PruningRule(),
            threads=threads, progress=Progress(),
        )  # fmt: skip
    assert _gold_arcs(trees, table) == len(sentences[0])


def _gold_arcs(trees, table):
    total = 0
    for sentence, start in enumerate(trees.encoded.starts[:-1]):
        mask = table.of(sentence)
        total += sum(mask[trees.heads[start + word], word] for word in range(1, len(mask)))
    return total
