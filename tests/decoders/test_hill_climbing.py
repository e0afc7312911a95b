import brute_force
import high_order_samples
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headway.decoders.climbing import climb, crosses, polish
from headway.decoders.hill_climbing import STARTS, HillClimbing
from headway.decoders.spanning_tree import SpanningTree
from headway.errors import UsageError
from headway.parts import Candidates, Scores
from headway.parts.arc_index import ArcIndex, grandparent_place, index_arcs, sibling_place
from headway.parts.kinds import KINDS
from headway.parts.links import make_links, set_tree
from headway.parts.tree_scorer import tree_total
from headway.search import SearchRule

seeds = st.integers(0, 2**32 - 1)


def second_order(seed: int, n: int) -> tuple[Candidates, Scores, ArcIndex]:
    generator = np.random.default_rng(seed)
    candidates = Candidates.all(n)
    index = index_arcs(candidates.mask())
    tables = [generator.normal(size=size) for size in (len(candidates), *index.sizes)]
    return candidates, Scores(*tables), index


def slow_score(scores: Scores, index: ArcIndex, heads: NDArray[np.int64]) -> float:
    heads = np.array([-1, *heads], dtype=np.int32)
    total = sum(scores.arc[index.number[heads[m], m]] for m in range(1, len(heads)))
    for kind, shape, words in high_order_samples.slow_parts(heads, ("sibling", "grandparent")):
        if kind == "sibling":
            total += scores.sibling[sibling_place(index, words[0], (shape - 1) // 3, *words[1:])]
        else:
            total += scores.grandparent[grandparent_place(index, *words)]
    return float(total)


@given(
    seed=seeds, n=st.integers(1, 5), projective=st.booleans(), single_root=st.booleans(), start=st.sampled_from(STARTS)
)
@settings(max_examples=80)
def test_second_order_scores_against_all_trees(
    seed: int, n: int, projective: bool, single_root: bool, start: str
) -> None:
    candidates, scores, index = second_order(seed, n)
    parse = HillClimbing(projective, start, restarts=50).decode(candidates, scores, single_root=single_root)
    trees = brute_force.candidates_of(n, projective, single_root)
    assert (trees == parse.heads[1:]).all(axis=1).any()
    assert parse.score == pytest.approx(slow_score(scores, index, parse.heads[1:]))
    best = max(slow_score(scores, index, tree) for tree in trees)
    assert parse.score <= best + 1e-9
    assert parse.bound is not None
    assert parse.bound >= best - 1e-9
    if parse.exact:
        assert parse.score == pytest.approx(best)


def test_second_order_optima_are_nearly_always_found() -> None:
    found = 0
    for seed in range(60):
        candidates, scores, index = second_order(seed, 5)
        best = max(slow_score(scores, index, tree) for tree in brute_force.candidates_of(5, False, True))
        found += HillClimbing(restarts=100).decode(candidates, scores).score == pytest.approx(best)
    assert found >= 58


def test_arcs_alone_are_searched_to_the_optimum() -> None:
    generator, found = np.random.default_rng(4), 0
    for _ in range(100):
        candidates = Candidates.all(int(generator.integers(5, 16)))
        scores = Scores(arc=generator.normal(size=len(candidates)))
        best = SpanningTree().decode(candidates, scores).score
        parse = HillClimbing(restarts=300, seed=3).decode(candidates, scores)
        found += parse.score == pytest.approx(best)
        assert parse.bound == pytest.approx(best)
    assert found >= 97


@pytest.mark.parametrize("projective", [True, False])
def test_a_climb_ends_where_no_word_can_move_to_advantage(projective: bool) -> None:
    for seed in range(10):
        case = high_order_samples.Case(seed, length=8)
        scores, links, other = case.scores(), make_links(9), make_links(9)
        heads = case.tree()
        if projective:
            heads = np.arange(-1, 8, dtype=np.int32)
        set_tree(links, heads)
        before = tree_total(scores, links)
        rise = climb(scores, links, True, projective)
        top = tree_total(scores, links)
        assert top - before == pytest.approx(rise, abs=1e-9)
        assert np.count_nonzero(links.heads == 0) == 1
        assert not projective or brute_force.is_projective(links.heads[1:])
        trees = {tuple(np.r_[-1, tree]) for tree in one_move_away(links.heads, projective)}
        for tree in trees:
            set_tree(other, np.array(tree, dtype=np.int32))
            assert tree_total(scores, other) <= top + 1e-7


@pytest.mark.parametrize("projective", [True, False])
def test_polishing_keeps_the_tree_a_tree_and_never_loses(projective: bool) -> None:
    rises = []
    for seed in range(20):
        case = high_order_samples.Case(seed, length=8)
        scores, links = case.scores(), make_links(9)
        heads = np.arange(-1, 8, dtype=np.int32) if projective else case.tree()
        set_tree(links, heads)
        climb(scores, links, True, projective)
        before = tree_total(scores, links)
        rises.append(polish(scores, links, True, projective))
        assert tree_total(scores, links) - before == pytest.approx(rises[-1], abs=1e-7)
        assert is_tree(links.heads)
        assert np.count_nonzero(links.heads == 0) == 1
        assert not projective or brute_force.is_projective(links.heads[1:])
    assert min(rises) >= 0.0
    assert max(rises) > 0.0


def one_move_away(heads: NDArray[np.int64], projective: bool) -> list[NDArray[np.int64]]:
    found = []
    for word in range(1, len(heads)):
        for head in range(len(heads)):
            tree = heads.copy()
            tree[word] = head
            if head != word and is_tree(tree) and (not projective or brute_force.is_projective(tree[1:])):
                found.append(tree[1:])
    return found


def is_tree(heads: NDArray[np.int64]) -> bool:
    for word in range(1, len(heads)):
        seen = {word}
        while heads[word] > 0:
            word = int(heads[word])
            if word in seen:
                return False
            seen.add(word)
    return int(np.count_nonzero(heads == 0)) == 1


@given(seed=seeds, n=st.integers(1, 8))
def test_crossing_arcs_are_seen(seed: int, n: int) -> None:
    heads = high_order_samples.Case(seed % 1000, length=n, kinds=()).tree().astype(np.int64)
    crossing = any(crosses(heads, heads[m], m) for m in range(1, n + 1))
    assert crossing != brute_force.is_projective(heads[1:])


def test_the_seed_decides_and_more_restarts_do_not_hurt() -> None:
    case = high_order_samples.Case(2, length=14, kinds=KINDS)

    def search(restarts: int, seed: int) -> tuple[float, list[int]]:
        decoder = SearchRule(start="uniform", restarts=restarts, seed=seed).decoder(projective=False)
        [parse] = case.search(decoder).trees(case.encoded)
        return parse.score, parse.heads.tolist()

    assert search(3, 1) == search(3, 1)
    assert search(30, 1)[0] >= search(3, 1)[0]
    assert len({search(0, seed)[0] for seed in range(8)}) > 1


def test_an_unknown_start_is_refused() -> None:
    with pytest.raises(UsageError, match="uniform, first-order, map"):
        HillClimbing(start="best")
