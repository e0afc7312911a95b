"""Charts over trained scores: random sentences and weights, against all projective trees, part by part."""

import high_order_samples as samples
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import logsumexp
from slow_charts import PARTS, parts_of, projective_trees

from headway.charts import factorizations
from headway.charts.factorizations import FACTORIZATIONS, Factorization
from headway.decoders.third_order import ChartDecoder
from headway.learning.expectations import _expected_difference
from headway.parts.candidate_batch import CandidateBatch
from headway.parts.kinds import KINDS, keep_outer, list_parts, most_parts, part_key, read_key
from headway.parts.links import make_links, set_tree
from headway.scorers.sparse import SparseVector
from headway.search import Search
from headway.search.charts import chart_space, sentence_chart
from headway.support.threads import Threads

LENGTH = 4
every_factorization = pytest.mark.parametrize("factorization", FACTORIZATIONS.values(), ids=lambda one: one.name)


def everything(length: int = LENGTH) -> NDArray[np.bool_]:
    return np.ones((length + 1, length + 1), dtype=np.bool_)


def slow_parts(heads: NDArray[np.int32], factorization: Factorization) -> list[samples.Key]:
    """The parts of a tree that a factorization scores, with their shapes."""
    parts = {(part[0], part[2]) for part in parts_of(heads, factorization.name)}
    return [key for key in samples.slow_parts(heads, PARTS[factorization.name]) if (key[0], key[2]) in parts]


def slow_totals(case: samples.Case, factorization: Factorization, single_root: bool = True) -> NDArray[np.float64]:
    scores = case.scores()
    totals = []
    for heads in projective_trees(case.length, single_root=single_root):
        total = sum(scores.arc[scores.layout.number[heads[m], m]] for m in range(1, len(heads)))
        totals.append(total + sum(case.part(*key) for key in slow_parts(heads, factorization)))
    return np.array(totals)


def search_of(case: samples.Case, factorization: Factorization) -> Search:
    return case.search(ChartDecoder(factorization.name))


@every_factorization
@pytest.mark.parametrize("seed", range(4))
def test_trees_score_what_their_parts_do(factorization: Factorization, seed: int) -> None:
    case = samples.Case(seed, LENGTH)
    totals = slow_totals(case, factorization)
    parses = search_of(case, factorization).best(case.encoded, 0, k=len(totals) + 1)
    np.testing.assert_allclose([parse.score for parse in parses], np.sort(totals)[::-1], atol=1e-5)
    trees = [tuple(tree) for tree in projective_trees(LENGTH, single_root=True)]
    for parse in parses:
        assert parse.score == pytest.approx(totals[trees.index(tuple(parse.heads))], abs=1e-5)


@every_factorization
def test_many_sentences_get_their_best_trees(factorization: Factorization) -> None:
    case = samples.Case(7, 9)
    with Threads(2) as pool:
        [fast] = search_of(case, factorization).trees(case.encoded, threads=pool)
    [plain] = search_of(case, factorization).best(case.encoded, 0)
    np.testing.assert_array_equal(fast.heads, plain.heads)
    assert fast.score == pytest.approx(plain.score, abs=1e-6)


def test_arcs_alone_decide_where_pruned_arcs_hold_no_tree() -> None:
    case, factorization = samples.Case(3, LENGTH), FACTORIZATIONS["model1"]
    nothing = CandidateBatch(np.array([0, (LENGTH + 1) ** 2]), np.zeros((LENGTH + 1) ** 2, dtype=np.bool_))
    [parse] = search_of(case, factorization).trees(case.encoded, nothing)
    [free] = search_of(case, factorizations.FIRST_ORDER).trees(case.encoded)
    np.testing.assert_array_equal(parse.heads, free.heads)
    assert parse.ignored == set(KINDS)


def test_too_large_a_chart_is_parsed_with_siblings(monkeypatch: pytest.MonkeyPatch) -> None:
    case, space = samples.Case(3, 60), None
    space = chart_space(FACTORIZATIONS["model1"], case.model)
    chart, _, _ = sentence_chart(case.encoded.atoms, case.encoded.tags, everything(60), case.model, space, True)
    assert not chart.knows_grandparent
    [best] = search_of(case, FACTORIZATIONS["sibling"]).trees(case.encoded)
    [lower] = search_of(case, FACTORIZATIONS["model1"]).trees(case.encoded)
    np.testing.assert_array_equal(lower.heads, best.heads)
    assert (best.exact, lower.exact, lower.bound) == (True, False, None)


@every_factorization
def test_arc_probabilities_are_those_of_all_trees(factorization: Factorization) -> None:
    case, temperature = samples.Case(11, LENGTH), 0.7
    totals = slow_totals(case, factorization) / temperature
    chances = np.exp(totals - logsumexp(totals))
    expected = np.zeros((LENGTH + 1, LENGTH + 1))
    for heads, chance in zip(projective_trees(LENGTH, single_root=True), chances, strict=True):
        expected[heads[1:], np.arange(1, LENGTH + 1)] += chance
    table = search_of(case, factorization).chances(case.encoded, 0)(temperature).arcs
    np.testing.assert_allclose(table, expected, atol=1e-5)


@every_factorization
def test_parts_of_a_tree_are_those_of_the_factorization(factorization: Factorization) -> None:
    wanted = np.array([kind in factorization.kinds for kind in KINDS])
    for heads in projective_trees(6, single_root=False)[::17]:
        links = make_links(len(heads))
        set_tree(links, heads)
        keys = np.empty(most_parts(links, wanted), dtype=np.int64)
        count = keep_outer(links, factorization.outer, keys, list_parts(links, wanted, keys))
        assert sorted(keys[:count]) == sorted(key_of(part) for part in slow_parts(heads, factorization))


def key_of(part: samples.Key) -> int:
    kind, shape, words = part
    return part_key(KINDS.index(kind), shape, *words, *(0,) * (4 - len(words)))


def as_dict(vector: SparseVector) -> dict[int, float]:
    places = vector.order[: vector.size[0]]
    return {int(vector.keys[place]): float(vector.values[place]) for place in places}


@every_factorization
def test_the_gradient_is_gold_minus_expected_parts(factorization: Factorization) -> None:
    case = samples.Case(5, LENGTH)
    trees = projective_trees(LENGTH, single_root=True)
    totals, gold = slow_totals(case, factorization), 3
    chances = np.exp(totals - logsumexp(totals))
    arcs, parts = np.zeros((LENGTH + 1, LENGTH + 1)), dict[int, float]()
    for number, (heads, chance) in enumerate(zip(trees, chances, strict=True)):
        weight = float(number == gold) - chance
        arcs[heads[1:], np.arange(1, LENGTH + 1)] += weight
        for part in slow_parts(heads, factorization):
            parts[key_of(part)] = parts.get(key_of(part), 0.0) + weight
    loss, coefficients, difference = _expected_difference(
        case.encoded.atoms, case.encoded.tags, trees[gold], everything(), case.model,
        chart_space(factorization, case.model), True,
    )  # fmt: skip
    assert loss == pytest.approx(logsumexp(totals) - totals[gold], abs=1e-5)
    np.testing.assert_allclose(coefficients, arcs, atol=2e-3)  # what is below a thousandth is left out
    found = as_dict(difference)
    for key in parts.keys() | found.keys():
        assert found.get(key, 0.0) == pytest.approx(parts.get(key, 0.0), abs=2e-3), read_key(key)
