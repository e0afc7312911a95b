"""Sums of scorers against sums of what the scorers say, and every decoder over them against the list of all trees."""

from collections.abc import Collection

import brute_force
import high_order_samples
import numpy as np
import part_samples
import pytest

from headway.decoders import decoder_names, find_decoder
from headway.encoding import Encoded
from headway.errors import UsageError
from headway.parts import Candidates, Kind, Scores
from headway.parts.kinds import KINDS
from headway.parts.scorer import TableScorer
from headway.parts.table_scores import restrict_scores
from headway.scorers.linear_scorer import LinearScorer
from headway.scorers.sum import Sum
from headway.search import Search

FEWER = {
    "hill-climbing": {"restarts": 10},
    "sampling": {"sweeps": 5},
    "dual-decomposition": {"iterations": 200},
    "ad3": {"iterations": 100},
}
NO_WORDS = Encoded(*(np.empty(0, dtype=np.int32) for _ in range(4)))


class Listed(TableScorer):
    """The scores of a sample, whatever the sentence."""

    name = "listed"

    def __init__(self, sample: part_samples.Case) -> None:
        self.sample, self.kinds, self.outer = sample, sample.scores.kinds, sample.outer

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        found = restrict_scores(self.sample.candidates, self.sample.scores, candidates)
        return found if kinds is None else found.without(found.kinds - set(kinds))


def samples(
    seed: int, n: int, kinds: Collection[Kind], outer: int = 0
) -> tuple[part_samples.Case, part_samples.Case, Candidates]:
    """Two samples over the same arcs, each with about half of the kinds, and some with both."""
    generator = np.random.default_rng(seed)
    table = brute_force.random_table(generator, n, "normal")
    drawn = [[kind for kind in kinds if generator.random() < 0.6] for _ in range(2)]
    first = part_samples.Case(generator, table, drawn[0], outer=outer)
    other = np.where(table > -np.inf, generator.normal(size=table.shape), -np.inf)
    return first, part_samples.Case(generator, other, drawn[1], outer=outer), first.candidates


def test_tables_are_added() -> None:
    for seed in range(8):
        first, second, candidates = samples(seed, 4, KINDS)
        total = Sum(Listed(first), Listed(second), weights=(1.0, 0.5))
        assert total.kinds == {Kind.ARC, *first.kinds, *second.kinds}
        found = total.scores(NO_WORDS, 0, candidates)
        assert found.kinds == total.kinds
        for kind in total.kinds:
            one, other = first.scores.table(kind), second.scores.table(kind)
            expected = (0.0 if one is None else one) + (0.0 if other is None else 0.5 * other)
            np.testing.assert_allclose(found.table(kind), expected)
        assert total.scores(NO_WORDS, 0, candidates, {Kind.ARC}).kinds == {Kind.ARC}


@pytest.mark.parametrize("name", decoder_names())
def test_every_decoder_answers_as_brute_force_does(name: str) -> None:
    decoder = find_decoder(name, projective=False, **FEWER.get(name, {}))
    outer = int(getattr(decoder, "outer", 0))
    for seed in range(4):
        first, second, candidates = samples(seed, 4, [kind for kind in KINDS if kind in decoder.reads], outer)
        search = Search(Sum(Listed(first), Listed(second), weights=(1.0, 0.5)), decoder)
        totals, trees = first.tree_scores() + 0.5 * second.tree_scores(), brute_force.trees(4)
        chosen = trees.single_root & (trees.projective | (not getattr(decoder, "projective", False)))
        parse = search.decode(NO_WORDS, 0, candidates)
        place = int((trees.heads == parse.heads[1:]).all(axis=1).argmax())
        assert chosen[place]
        assert parse.score == pytest.approx(totals[place], abs=1e-8)
        best = float(totals[chosen].max())
        assert parse.score <= best + 1e-8
        assert not parse.exact or parse.score >= best - 1e-8
        assert parse.bound is None or parse.bound >= best - 1e-8


HALVES = [(KINDS[::2], KINDS[1::2]), ((), KINDS)]


def lazy_sum(seed: int, length: int, kinds: tuple[Collection[Kind], Collection[Kind]]) -> tuple[Sum, Encoded]:
    """A linear scorer of some kinds, plus tables of others."""
    case = high_order_samples.Case(seed, length, kinds[1])
    generator = np.random.default_rng(seed)
    table = brute_force.random_table(generator, length, "normal")
    tables = Listed(part_samples.Case(generator, np.where(table > -np.inf, table, 0.0), kinds[0]))
    return Sum(LinearScorer(case.arcs, case.parts), tables, weights=(0.7, 1.3)), case.encoded


class Tables(Listed):
    """Scores that are given."""

    def __init__(self, scores: Scores) -> None:
        self.given, self.kinds, self.outer = scores, scores.kinds, 0

    def scores(
        self, encoded: Encoded, sentence: int, candidates: Candidates, kinds: Collection[Kind] | None = None
    ) -> Scores:
        return self.given


@pytest.mark.parametrize("kinds", HALVES, ids=["tables of parts", "tables of arcs"])
def test_climbs_over_whole_trees_are_those_over_tables(kinds: tuple[Collection[Kind], Collection[Kind]]) -> None:
    decoder = find_decoder("hill-climbing", projective=False, restarts=20)
    for seed in range(3):
        total, encoded = lazy_sum(seed, 5, kinds)
        candidates = Candidates.all(5)
        tables = Tables(total.scores(encoded, 0, candidates))
        climbed, expected = (Search(one, decoder).decode(encoded, 0, candidates) for one in (total, tables))
        assert climbed.heads.tolist() == expected.heads.tolist()
        assert climbed.score == pytest.approx(expected.score, abs=1e-4)


def test_arcs_that_one_of_them_forbids_are_left_out() -> None:
    total, encoded = lazy_sum(1, 4, ((), KINDS))
    tables = total.scorers[1]
    assert isinstance(tables, Listed)
    tables.sample.arc[2, 1] = -np.inf
    tables.kinds = frozenset({Kind.ARC})
    scores = total.tree_scorer(encoded, 0, Candidates.all(4))
    assert scores.layout.number[2, 1] == -1
    assert len(scores.arc) == len(Candidates.all(4)) - 1
    assert np.isneginf(total.scores(encoded, 0, Candidates.all(4)).arc).sum() == 1


def test_a_linear_scorer_beside_arcs_stays_as_fast_as_it_is() -> None:
    case = high_order_samples.Case(3, 4, KINDS)
    arcs = Tables(Scores(np.arange(16.0)))
    linear = LinearScorer(case.arcs, case.parts)
    found = Sum(linear, arcs).tree_scorer(case.encoded, 0, Candidates.all(4))
    plain = linear.tree_scorer(case.encoded, 0, Candidates.all(4))
    assert type(found) is type(plain)
    np.testing.assert_allclose(found.arc, plain.arc + np.arange(16.0))


def test_what_cannot_be_added_is_refused() -> None:
    first, second, _ = samples(1, 3, ())
    with pytest.raises(UsageError, match="1 weights for 2 scorers"):
        Sum(Listed(first), Listed(second), weights=(1.0,))
    with pytest.raises(UsageError, match="above 0"):
        Sum(Listed(first), weights=(0.0,))
    case = high_order_samples.Case(3, 4, (Kind.GRANDPARENT,))
    with pytest.raises(UsageError, match="grandparents of different children"):
        Sum(LinearScorer(case.arcs, case.parts), LinearScorer(case.arcs, case.parts, outer=1))
    with pytest.raises(UsageError, match="cannot be saved"):
        Sum(LinearScorer(case.arcs), LinearScorer(case.arcs)).tensors()
