"""What every decoder promises, checked against the list of all trees. A new decoder joins by one line."""

from dataclasses import dataclass

import brute_force
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headway.decoders import DECODERS, Decoder
from headway.errors import ConstraintError, UsageError
from headway.parts import Candidates, Parse, Scores, tree_score


@dataclass(frozen=True)
class Case:
    name: str
    projective: bool = False
    tables: int = 12  # for each draw

    @property
    def decoder(self) -> Decoder:
        return DECODERS[self.name]

    def best_score(self, table: NDArray[np.float64], single_root: bool) -> float:
        return brute_force.best_score(table, projective=self.projective, single_root=single_root)


CASES = [
    Case("spanning-tree"),
    Case("eisner", projective=True),
    Case("hill-climbing"),
    *(Case(name, tables=2) for name in ("dual-decomposition", "ad3", "exact", "integer-program")),  # much slower
    *(Case(name, projective=True) for name in ("sibling", "model0", "model1", "model2", "carreras", "tri-sibling")),
]

lengths = st.integers(1, brute_force.LARGEST)
kinds = st.sampled_from(brute_force.KINDS)
seeds = st.integers(0, 2**32 - 1)
every_decoder = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def test_every_decoder_is_here() -> None:
    assert {case.name for case in CASES} == set(DECODERS)


def check_parse(case: Case, parse: Parse, candidates: Candidates, scores: Scores, single_root: bool) -> None:
    """A tree of the right kind over all words, whose score is that of its parts."""
    n = candidates.length
    assert parse.heads.shape == (n + 1,)
    assert parse.heads.dtype == np.int32
    assert parse.heads[0] == -1
    trees = brute_force.candidates_of(n, case.projective, single_root)
    assert (trees == parse.heads[1:]).all(axis=1).any()
    assert all(candidates.index(parse.heads[word], word) >= 0 for word in range(1, n + 1))
    assert parse.score == pytest.approx(tree_score(candidates, scores, parse.heads), rel=1e-12, abs=1e-12)
    if parse.bound is not None:
        assert parse.bound >= parse.score


def check_score(case: Case, parse: Parse, table: NDArray[np.float64], single_root: bool) -> None:
    """No better than the best tree, and as good if the decoder says so."""
    best = case.best_score(table, single_root)
    slack = 1e-12 * (1 + np.abs(table[np.isfinite(table)]).sum())
    assert parse.score <= best + slack
    if parse.bound is not None:
        assert parse.bound >= best - slack
    if parse.exact:
        assert parse.score >= best - slack


@every_decoder
@given(n=lengths, kind=kinds, seed=seeds, single_root=st.booleans(), pruned=st.booleans())
@settings(max_examples=150)
def test_answers_as_brute_force_does(case: Case, n: int, kind: str, seed: int, single_root: bool, pruned: bool) -> None:
    generator = np.random.default_rng(seed)
    for _ in range(case.tables):
        table = brute_force.random_table(generator, n, kind)
        candidates = Candidates.from_mask(table > -np.inf) if pruned else Candidates.all(n)
        scores = Scores(arc=candidates.gather(table))
        if case.best_score(table, single_root) == -np.inf:
            with pytest.raises(ConstraintError, match="hold no tree"):
                case.decoder(candidates, scores, single_root=single_root)
            continue
        parse = case.decoder(candidates, scores, single_root=single_root)
        check_parse(case, parse, candidates, scores, single_root)
        check_score(case, parse, table, single_root)
        again = case.decoder(candidates, scores, single_root=single_root)
        np.testing.assert_array_equal(again.heads, parse.heads)


@every_decoder
@given(n=st.integers(1, 5), kind=kinds, seed=seeds, single_root=st.booleans())
@settings(max_examples=80)
def test_honours_required_and_forbidden_arcs(case: Case, n: int, kind: str, seed: int, single_root: bool) -> None:
    generator = np.random.default_rng(seed)
    for _ in range(case.tables):
        table = brute_force.random_table(generator, n, kind)
        forbidden = [(int(h), int(m)) for h, m in generator.integers(0, n + 1, size=(n, 2)) if m > 0 and h != m]
        words = np.flatnonzero(generator.random(n) < 0.3) + 1
        required = {int(m): int(h) for m, h in zip(words, generator.integers(0, n + 1, n), strict=False)}
        constrained = table.copy()
        for head, modifier in forbidden:
            constrained[head, modifier] = -np.inf
        for modifier, head in required.items():
            constrained[np.arange(n + 1) != head, modifier] = -np.inf
        if case.best_score(constrained, single_root) == -np.inf:
            with pytest.raises(ConstraintError):
                constrained_parse(case, table, required, forbidden, single_root)
            continue
        candidates, scores, parse = constrained_parse(case, table, required, forbidden, single_root)
        check_parse(case, parse, candidates, scores, single_root)
        check_score(case, parse, constrained, single_root)
        assert all(parse.heads[modifier] == head for modifier, head in required.items())
        assert all(parse.heads[modifier] != head for head, modifier in forbidden)


def constrained_parse(
    case: Case,
    table: NDArray[np.float64],
    required: dict[int, int],
    forbidden: list[tuple[int, int]],
    single_root: bool,
) -> tuple[Candidates, Scores, Parse]:
    candidates = Candidates.from_mask(table > -np.inf)
    candidates = candidates.restrict(required, forbidden, single_root=single_root)
    scores = Scores(arc=candidates.gather(table))
    return candidates, scores, case.decoder(candidates, scores, single_root=single_root)


@every_decoder
@given(n=st.integers(1, 5), seed=seeds, single_root=st.booleans())
@settings(max_examples=50)
def test_costs_are_part_of_the_score(case: Case, n: int, seed: int, single_root: bool) -> None:
    generator = np.random.default_rng(seed)
    candidates = Candidates.all(n)
    for _ in range(case.tables):
        scores = Scores(arc=generator.normal(size=len(candidates)))
        cost = generator.integers(0, 3, size=len(candidates)).astype(np.float64)
        augmented = Scores(arc=scores.arc + cost)
        parse = case.decoder(candidates, scores, single_root=single_root, cost=cost)
        check_parse(case, parse, candidates, augmented, single_root)
        check_score(case, parse, candidates.dense(augmented.arc, -np.inf), single_root)


@every_decoder
@pytest.mark.parametrize("single_root", [True, False])
def test_no_words_have_one_tree(case: Case, single_root: bool) -> None:
    parse = case.decoder(Candidates.all(0), Scores(np.zeros(0)), single_root=single_root)
    assert parse.heads.tolist() == [-1]
    assert parse.score == 0.0


@every_decoder
def test_a_single_root_is_the_default(case: Case) -> None:
    candidates = Candidates.all(4)
    scores = Scores(arc=np.where(candidates.heads == 0, 100.0, 0.0))
    assert np.sum(case.decoder(candidates, scores).heads == 0) == 1
    assert np.sum(case.decoder(candidates, scores, single_root=False).heads == 0) == 4


@every_decoder
def test_says_when_only_several_roots_would_do(case: Case) -> None:
    candidates = Candidates.all(3).restrict({1: 0, 2: 0}, single_root=False)
    scores = Scores(arc=np.zeros(len(candidates)))
    case.decoder(candidates, scores, single_root=False)
    with pytest.raises(ConstraintError, match="single child of the root"):
        case.decoder(candidates, scores)


@every_decoder
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_refuses_scores_that_are_no_scores(case: Case, wrong: float) -> None:
    candidates = Candidates.all(3)
    arc = np.zeros(len(candidates))
    arc[2] = wrong
    with pytest.raises(UsageError, match="NaN or"):
        case.decoder(candidates, Scores(arc=arc))


@every_decoder
def test_refuses_arrays_of_another_length(case: Case) -> None:
    candidates = Candidates.all(3)
    with pytest.raises(UsageError, match="9 candidate arcs"):
        case.decoder(candidates, Scores(arc=np.zeros(8)))
    with pytest.raises(UsageError, match="costs have shape"):
        case.decoder(candidates, Scores(arc=np.zeros(9)), cost=np.zeros(10))
