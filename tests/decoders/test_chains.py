"""Chains over trees against matrices that are computed by listing all trees."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
import slow_chains
from frequencies import p_value
from listed_scores import Listed
from numpy.typing import NDArray

from headway.decoders.chains import _ROOT_MOVES, GIBBS, WALK, Draws, Moves, Schedule, run_chains
from headway.decoders.starts import arc_starts
from headway.support.interrupts import stop_flag

KINDS_OF_TREES = list(itertools.product([True, False], [True, False]))
PROPOSALS = {"gibbs": (GIBBS, 1), "walk of two": (WALK, 2), "walk of three": (WALK, 3), "walk of all": (WALK, 9)}
every_kind = pytest.mark.parametrize(("single_root", "projective"), KINDS_OF_TREES)
every_proposal = pytest.mark.parametrize("proposal", PROPOSALS)


def draw(
    case: Listed, proposal: str, *, temperature: float, count: int, steps: int, seed: int = 1, burn_in: int = 100
) -> NDArray[np.int32]:
    """(count, n + 1) Trees of one chain, so many steps apart."""
    kind, words = PROPOSALS[proposal]
    moves = Moves(kind, words, case.projective, case.single_root)
    schedule = Schedule(temperature, 1.0, steps, burn_in, seed, 1, 1, stop_flag(), False)
    draws = Draws(np.empty((count, case.n + 1), dtype=np.int32), np.empty(count))
    starts = arc_starts(case.scores.layout, case.scores.arc, False, case.single_root)
    score, _, _ = run_chains(case.scores, starts, moves, schedule, np.empty(case.n + 1, dtype=np.int32), draws)
    assert score > -np.inf
    np.testing.assert_allclose(draws.scores, case.totals[case.rows(draws.heads)], atol=1e-7)
    return draws.heads


def matrix(case: Listed, proposal: str, temperature: float) -> NDArray[np.float64]:
    kind, words = PROPOSALS[proposal]
    if kind == GIBBS:
        return slow_chains.gibbs(case, temperature, _ROOT_MOVES)
    return slow_chains.walk(case, temperature, words)


def elementary(case: Listed, temperature: float) -> Iterator[NDArray[np.float64]]:
    """Every move by itself."""
    words = range(1, case.n + 1)
    yield from (slow_chains.redraw(case, temperature, {word}) for word in words)
    if case.single_root:
        roots = [word for word in words if case.table[0, word] > -np.inf]
        yield np.mean([slow_chains.redraw_root(case, temperature, word) for word in roots], axis=0)
    for size in range(1, case.n + 1):
        yield from (slow_chains.walk_some(case, temperature, set(some)) for some in itertools.combinations(words, size))


@every_kind
@pytest.mark.parametrize("pruned", [False, True])
def test_every_move_is_in_detailed_balance_with_the_model(single_root: bool, projective: bool, pruned: bool) -> None:
    for seed, temperature in enumerate((0.4, 1.0, 3.0)):
        case = Listed(seed, 3 + (seed == 1), single_root=single_root, projective=projective, pruned=pruned)
        chances = case.chances(temperature)
        for step in elementary(case, temperature):
            np.testing.assert_allclose(step.sum(axis=1), 1.0, atol=1e-12)
            flow = chances[:, None] * step
            np.testing.assert_allclose(flow, flow.T, atol=1e-12)
            np.testing.assert_allclose(chances @ step, chances, atol=1e-12)


def test_a_root_move_for_a_fixed_word_is_not_balanced() -> None:
    """Why the word is drawn anew every time."""
    case = Listed(0, 3, single_root=True, projective=False)
    chances = case.chances(1.0)
    assert np.abs(chances @ slow_chains.redraw_root(case, 1.0, 1) - chances).max() > 1e-3


@every_kind
@every_proposal
def test_all_trees_can_be_reached_by_all_arcs(single_root: bool, projective: bool, proposal: str) -> None:
    for n in (2, 3, 4):
        case = Listed(n, n, single_root=single_root, projective=projective)
        reached = np.linalg.matrix_power((matrix(case, proposal, 1.0) > 0.0).astype(np.float64), 20)
        assert (reached > 0.0).all()


@every_kind
@every_proposal
@pytest.mark.parametrize("pruned", [False, True])
def test_steps_are_as_probable_as_by_definition(
    single_root: bool, projective: bool, proposal: str, pruned: bool
) -> None:
    """Every pair of consecutive trees of a long chain against the row of the first."""
    judged = list[float]()
    for seed, (n, temperature) in enumerate([(3, 0.5), (4, 1.0), (3, 2.5)]):
        case = Listed(seed + 10, n, single_root=single_root, projective=projective, pruned=pruned)
        rows = case.rows(draw(case, proposal, temperature=temperature, count=30_000, steps=1))
        chances = matrix(case, proposal, temperature)
        counts = np.zeros(chances.shape, dtype=np.int64)
        np.add.at(counts, (rows[:-1], rows[1:]), 1)
        judged += [p_value(counts[row], chances[row]) for row in range(len(counts)) if counts[row].sum() >= 200]
    assert len(judged) > 3
    assert min(judged) > 1e-4 / len(judged)


@every_kind
@pytest.mark.parametrize("proposal", ["gibbs", "walk of three"])
@pytest.mark.parametrize("temperature", [1.0, 2.0, 5.0])
def test_trees_are_met_as_often_as_the_model_says(
    single_root: bool, projective: bool, proposal: str, temperature: float
) -> None:
    """Five words: up to 1,296 trees, drawn so far apart that they are all but independent."""
    case = Listed(5, 5, single_root=single_root, projective=projective)
    heads = draw(case, proposal, temperature=temperature, count=4_000, steps=150)
    best = (case.rows(heads) == case.totals.argmax()).astype(np.float64)
    assert abs(np.corrcoef(best[1:], best[:-1])[0, 1]) < 0.2
    assert p_value(case.count(heads), case.chances(temperature)) > 1e-4 / 24  # there are so many of these tests
