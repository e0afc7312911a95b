"""Greedy inference: the paper's example, its identity, and a slow twin that computes everything anew."""

import brute_force
import numpy as np
import part_samples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_greedy import SlowGreedy

from headway.decoders.arc_sets import list_arc_sets
from headway.decoders.greedy import Greedy
from headway.decoders.partial_tree import (
    choose_arc,
    make_beam,
    modifiers_of,
    plant_seed,
    softmax_chances,
    tree_at,
    weigh_arcs,
)
from headway.errors import UsageError
from headway.parts import Candidates, Kind, Scores, tree_score
from headway.parts.arc_index import grandparent_place
from headway.parts.kinds import KINDS
from headway.parts.table_scores import possible_scores

seeds = st.integers(0, 2**32 - 1)


def draw(seed: int, n: int, share: float) -> part_samples.Case:
    """Random scores of some kinds over random candidates that hold a tree."""
    generator = np.random.default_rng(seed)
    table = brute_force.random_table(generator, n, "normal")
    mask = generator.random(table.shape) < 0.3
    words = brute_force.candidates_of(n, False, True)
    kept = words[generator.integers(len(words))]
    mask[kept, np.arange(1, n + 1)] = False
    table[mask] = -np.inf
    kinds = [kind for kind in KINDS if generator.random() < share]
    return part_samples.Case(generator, table, kinds)


def test_the_example_of_figure_1() -> None:
    """Of the arcs to "home", that from "walked" is chosen: v = 1.5, 5.5 and -1.5."""
    arcs = {(0, 2): 0.7, (2, 1): 0.4, (0, 3): 2.0, (1, 3): 1.0, (2, 3): 1.5}
    chains = {(0, 2, 1): 0.3, (0, 2, 3): 2.0, (2, 1, 3): -1.0}
    candidates = Candidates.from_mask(np.array([[(h, m) in arcs for m in range(4)] for h in range(4)]))
    arc = np.array([arcs[h, m] for h, m in zip(candidates.heads.tolist(), candidates.modifiers.tolist(), strict=True)])
    zeros = possible_scores(candidates, Scores(arc))
    grandparent = np.zeros(zeros.layout.sizes[1])
    for words, score in chains.items():
        grandparent[grandparent_place(zeros.layout, *words)] = score
    tables = possible_scores(candidates, Scores(arc, grandparent=grandparent))
    index, modifiers = tables.layout, modifiers_of(tables.layout)
    chances = softmax_chances(index, tables.arc, 1.0, 0.5, True, False)
    sets = list_arc_sets(tables, False)
    beam = make_beam(index, sets, 2, True, False)
    tree = tree_at(beam.trees, 0)
    plant_seed(index, sets, chances, tree)
    for head, modifier in ((0, 2), (2, 1)):
        choose_arc(index, sets, chances, beam, tree, modifiers, index.number[head, modifier])
    values = weigh_arcs(index, sets, chances, tree, modifiers)
    assert values[index.number[[0, 1, 2], 3]] == pytest.approx([1.5, 5.5, -1.5])
    assert int(np.argmin(values)) == index.number[2, 3]


@given(n=st.integers(1, 5), seed=seeds, single_root=st.booleans(), share=st.sampled_from([0.0, 0.4, 1.0]))
@settings(max_examples=60)
def test_the_values_of_basic_inference_sum_to_the_score(n: int, seed: int, single_root: bool, share: float) -> None:
    """Σ v - Σ W = -2 · score(T): every part is lost or gained just once, those with absent arcs too."""
    case = draw(seed, n, share)
    heads, score, _, values = Greedy(basic=True, beam=1, swaps=0).trace(
        case.candidates, case.scores, single_root=single_root
    )
    assert score == pytest.approx(tree_score(case.candidates, case.scores, heads))
    slow = SlowGreedy(case, sharpness=1.0, balance=0.5, basic=True, single_root=single_root)
    weights = sum(part.weight for part in slow.parts)
    assert values.sum() - weights == pytest.approx(-2.0 * (score - slow.constant), abs=1e-8)


@given(
    n=st.integers(1, 5), seed=seeds, single_root=st.booleans(), basic=st.booleans(), beam=st.sampled_from([1, 1, 3]),
    sharpness=st.sampled_from([0.0, 0.5, 2.0]), balance=st.sampled_from([0.2, 0.3, 0.45]),
)  # fmt: skip
@settings(max_examples=40)
def test_chooses_and_values_arcs_as_a_slow_twin_does(
    n: int, seed: int, single_root: bool, basic: bool, beam: int, sharpness: float, balance: float
) -> None:
    case = draw(seed, n, 0.5)
    decoder = Greedy(sharpness, balance, beam=beam, swaps=0, basic=basic)
    heads, score, _, values = decoder.trace(case.candidates, case.scores, single_root=single_root)
    slow = SlowGreedy(case, sharpness=sharpness, balance=balance, basic=basic, single_root=single_root)
    finished = slow.search(beam)
    trees = [np.array([-1, *({m: h for h, m in tree}[word] for word in range(1, n + 1))]) for _, _, tree in finished]
    scores = [tree_score(case.candidates, case.scores, tree.astype(np.int32)) for tree in trees]
    best = int(np.argmax(scores))
    assert score == pytest.approx(scores[best])
    np.testing.assert_array_equal(heads, trees[best])
    assert values.sum() == pytest.approx(finished[best][0], abs=1e-7)
    if beam == 1:
        np.testing.assert_allclose(values, finished[best][1], atol=1e-7)


@given(n=st.integers(1, 5), seed=seeds, single_root=st.booleans())
@settings(max_examples=30)
def test_swaps_arcs_as_long_as_that_gains(n: int, seed: int, single_root: bool) -> None:
    case = draw(seed, n, 0.5)
    slow = SlowGreedy(case, sharpness=1.0, balance=0.3, basic=False, single_root=single_root)

    def score(heads: tuple[int, ...]) -> float:
        return tree_score(case.candidates, case.scores, np.array([-1, *heads], dtype=np.int32))

    before = Greedy(beam=1, swaps=0).decode(case.candidates, case.scores, single_root=single_root)
    heads, made = tuple(before.heads[1:].tolist()), 0
    for rounds in range(4):
        parse = Greedy(beam=1, swaps=rounds).decode(case.candidates, case.scores, single_root=single_root)
        assert parse.score == pytest.approx(score(heads))
        assert parse.statistics["swaps"] == made
        better = max(slow.swapped(heads), key=score, default=heads)
        if score(better) > score(heads) + 1e-9:
            heads, made = better, made + 1


@pytest.mark.parametrize("n", [8, 16, 32])
def test_updates_a_few_times_as_many_parts_as_there_are(n: int) -> None:
    """All updates together are O(n³) for siblings and grandparents, of which there are O(n³)."""
    generator, candidates = np.random.default_rng(n), Candidates.all(n)
    sizes = possible_scores(candidates, Scores(np.zeros(len(candidates)))).layout.sizes
    scores = Scores(
        3.0 * generator.normal(size=len(candidates)),
        sibling=generator.normal(size=sizes[0]),
        grandparent=generator.normal(size=sizes[1]),
    )
    tables = possible_scores(candidates, scores)
    index, modifiers = tables.layout, modifiers_of(tables.layout)
    chances = softmax_chances(index, tables.arc, 1.0, 0.3, False, True)
    sets = list_arc_sets(tables, True)
    beam = make_beam(index, sets, 1, False, False)
    tree, updates = tree_at(beam.trees, 0), 0
    plant_seed(index, sets, chances, tree)
    for _ in range(n):
        values = weigh_arcs(index, sets, chances, tree, modifiers)
        choose_arc(index, sets, chances, beam, tree, modifiers, int(np.argmin(values)))
        updates += int((beam.stamps == beam.clock[0]).sum())
    assert updates <= 3 * len(sets.weights)


def test_reads_all_kinds_that_tables_hold() -> None:
    assert Greedy.reads == {Kind.ARC, *KINDS}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sharpness": -1.0}, "sharpness"),
        ({"balance": 1.5}, "balance"),
        ({"sharpness": np.nan}, "sharpness"),
        ({"beam": 0}, "the beam must be at least 1, not 0"),
        ({"swaps": -1}, "swaps at least 0, not -1"),
    ],
)
def test_refuses_options_that_make_no_sense(options: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Greedy(**options)
