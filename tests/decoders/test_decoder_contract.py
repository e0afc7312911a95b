"""The promises of every decoder, over all kinds of parts, checked against the list of all trees.

A new decoder joins by one line in `CASES`.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import brute_force
import numpy as np
import part_samples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headway.decoders import Decoder, HasMarginals, ListsTrees, decoder_names, find_decoder
from headway.errors import ConstraintError, UsageError
from headway.parts import Candidates, Kind, Parse, Scores, tree_score
from headway.parts.kinds import KINDS


@dataclass(frozen=True)
class Case:
    name: str
    projective: bool = False
    options: tuple[tuple[str, object], ...] = ()  # those that make it fast enough to try often
    tables: int = 4  # for each draw
    outer: int = 0
    proves: bool = False  # that its tree is the best one, always

    @property
    def decoder(self) -> Decoder:
        return find_decoder(self.name, projective=self.projective, **dict(self.options))

    @property
    def reads(self) -> list[Kind]:
        return [kind for kind in KINDS if kind in self.decoder.reads]

    def best_score(self, table: NDArray[np.float64], single_root: bool) -> float:
        return brute_force.best_score(table, projective=self.projective, single_root=single_root)


_SLOW = {"dual-decomposition": 200, "ad3": 100, "exact": None}
CASES = [
    Case("spanning-tree", proves=True),
    Case("eisner", projective=True, proves=True),
    *(Case("hill-climbing", projective=some, options=(("restarts", 10),), tables=2) for some in (False, True)),
    *(Case("sampling", projective=some, options=(("sweeps", 5),), tables=2) for some in (False, True)),
    *(
        Case(name, projective=some, options=(("iterations", most),), tables=1, proves=name == "exact")
        for name, most in _SLOW.items()
        for some in (False, True)
    ),
    Case("greedy", tables=2),
    Case("integer-program", tables=1, proves=True),
    *(Case(name, projective=True, proves=True) for name in ("sibling", "model0", "model1", "tri-sibling")),
    Case("model2", projective=True, outer=2, proves=True),
    Case("carreras", projective=True, outer=1, proves=True),
]

VARIANTS = [
    Case("hill-climbing", options=(("start", "first-order"), ("thorough", True), ("restarts", 3)), tables=1),
    Case("hill-climbing", True, (("start", "map"), ("marginal_roots", False), ("restarts", 0)), tables=1),
    Case("sampling", options=(("proposal", "gibbs"), ("sweeps", 2), ("chains", 2)), tables=1),
    Case("greedy", options=(("basic", True), ("beam", 1), ("swaps", 0)), tables=1),
    Case("greedy", options=(("sharpness", 0.0), ("balance", 0.9)), tables=1),
    Case("dual-decomposition", options=(("step", "polyak"), ("iterations", 100)), tables=1),
    Case("ad3", True, (("iterations", 1),), tables=1),
    Case("exact", options=(("seconds", 0.0),), tables=1),
    Case("integer-program", options=(("relaxed", True),), tables=1),
]
"""Decoders with other options."""

lengths = st.integers(1, brute_force.LARGEST)
table_kinds = st.sampled_from(brute_force.KINDS)
seeds = st.integers(0, 2**32 - 1)
every_decoder = pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.name}-projective" if case.options and case.projective else case.name
)


def test_every_decoder_is_here() -> None:
    assert {case.name for case in CASES} == set(decoder_names())


def check_parse(case: Case, parse: Parse, candidates: Candidates, scores: Scores, single_root: bool) -> None:
    """A tree of the right kind over all words, whose score is that of its parts."""
    n = candidates.length
    assert parse.heads.shape == (n + 1,)
    assert parse.heads.dtype == np.int32
    assert parse.heads[0] == -1
    trees = brute_force.candidates_of(n, case.projective, single_root)
    assert (trees == parse.heads[1:]).all(axis=1).any()
    assert all(candidates.index(parse.heads[word], word) >= 0 for word in range(1, n + 1))
    slack = 1e-11 * (1.0 + np.abs(scores.arc[np.isfinite(scores.arc)]).sum())
    assert parse.score == pytest.approx(tree_score(candidates, scores, parse.heads), rel=1e-11, abs=slack)
    if parse.bound is not None:
        assert parse.bound >= parse.score


def check_score(case: Case, parse: Parse, best: float, size: float) -> None:
    """No better than the best tree, and as good if the decoder says so; `size` is that of the numbers added up."""
    assert parse.exact or not case.proves
    slack = 1e-8 * (1.0 + size)
    assert parse.score <= best + slack
    if parse.bound is not None:
        assert parse.bound >= best - slack
    if parse.exact:
        assert parse.score >= best - slack


def some_kinds(case: Case, generator: np.random.Generator) -> list[Kind]:
    """None, one, some or all of the kinds that a decoder reads."""
    share = generator.choice([0.0, 0.5, 1.0])
    drawn = [kind for kind in case.reads if generator.random() < share]
    return drawn if drawn or not case.reads or share == 0.0 else [case.reads[generator.integers(len(case.reads))]]


def best_of(case: Case, sample: part_samples.Case, single_root: bool) -> float:
    trees = brute_force.trees(sample.n)
    chosen = np.ones(len(trees.heads), dtype=bool)
    if case.projective:
        chosen &= trees.projective
    if single_root:
        chosen &= trees.single_root
    return float(sample.tree_scores()[chosen].max(initial=-np.inf))


def size_of(sample: part_samples.Case) -> float:
    return float(np.abs(sample.arc[np.isfinite(sample.arc)]).sum() + sum(map(abs, sample.parts.values())))


@every_decoder
@given(n=st.integers(1, 5), kind=table_kinds, seed=seeds, single_root=st.booleans(), forbids=st.booleans())
@settings(max_examples=40)
def test_answers_as_brute_force_does(
    case: Case, n: int, kind: str, seed: int, single_root: bool, forbids: bool
) -> None:
    check_answers(case, n, kind, seed, single_root, forbids)


@pytest.mark.parametrize("case", VARIANTS, ids=lambda case: f"{case.name} {dict(case.options)}")
@given(n=st.integers(1, 5), kind=table_kinds, seed=seeds, single_root=st.booleans(), forbids=st.booleans())
@settings(max_examples=10)
def test_answers_as_brute_force_does_with_other_options(
    case: Case, n: int, kind: str, seed: int, single_root: bool, forbids: bool
) -> None:
    check_answers(case, n, kind, seed, single_root, forbids)


def check_answers(case: Case, n: int, kind: str, seed: int, single_root: bool, forbids: bool) -> None:
    """Over all kinds that it reads, with costs, and with arcs that are forbidden or are no candidates."""
    generator = np.random.default_rng(seed)
    for _ in range(case.tables):
        table = brute_force.random_table(generator, n, kind)
        sample = part_samples.Case(generator, table, some_kinds(case, generator), outer=case.outer)
        candidates, scores = sample.candidates, sample.scores
        cost = generator.integers(0, 3, size=len(candidates)).astype(np.float64)
        sample.arc = sample.arc + candidates.dense(cost, 0.0)
        if forbids and len(candidates):
            banned = int(generator.integers(len(candidates)))
            scores.arc[banned] = -np.inf
            sample.arc[candidates.heads[banned], candidates.modifiers[banned]] = -np.inf
        best = best_of(case, sample, single_root)
        if best == -np.inf:
            with pytest.raises(ConstraintError, match="contain no"):
                case.decoder.decode(candidates, scores, single_root=single_root, cost=cost)
            continue
        parse = case.decoder.decode(candidates, scores, single_root=single_root, cost=cost)
        check_parse(case, parse, candidates, replace(scores, arc=scores.arc + cost), single_root)
        check_score(case, parse, best, size_of(sample))
        assert parse.ignored == frozenset()
        again = case.decoder.decode(candidates, scores, single_root=single_root, cost=cost)
        np.testing.assert_array_equal(again.heads, parse.heads)


@every_decoder
def test_answers_as_brute_force_does_for_six_words(case: Case) -> None:
    generator = np.random.default_rng(6)
    table = brute_force.random_table(generator, 6, "normal")
    sample = part_samples.Case(generator, table, some_kinds(case, generator), outer=case.outer)
    parse = case.decoder.decode(sample.candidates, sample.scores)
    check_parse(case, parse, sample.candidates, sample.scores, single_root=True)
    check_score(case, parse, best_of(case, sample, single_root=True), size_of(sample))
    for kind in ("ties", "cycles", "sparse large"):
        draws = (
            check_constrained(case, generator, 6, kind, single_root=kind == "ties", costs=True) for _ in range(100)
        )
        assert any(draws)


@every_decoder
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_refuses_what_it_cannot_read_unless_told_to_ignore_it(case: Case, kind: Kind) -> None:
    generator = np.random.default_rng(1)
    table = brute_force.random_table(generator, 4, "normal")
    sample = part_samples.Case(generator, table, [kind])
    decoder = case.decoder
    if kind in decoder.reads and not (case.outer and kind in ("grandparent", "grand_sibling")):
        assert decoder.decode(sample.candidates, sample.scores).ignored == frozenset()
        return
    with pytest.raises(UsageError, match=f"cannot read {kind.replace('_', '-')} parts"):
        decoder.decode(sample.candidates, sample.scores)
    parse = decoder.decode(sample.candidates, sample.scores, ignore={kind})
    assert parse.ignored == {kind}
    arcs = Scores(sample.scores.arc)
    check_parse(case, parse, sample.candidates, arcs, single_root=True)
    assert parse.score == pytest.approx(decoder.decode(sample.candidates, arcs).score)


@every_decoder
@given(n=st.integers(1, 5), seed=seeds, single_root=st.booleans(), k=st.integers(1, 12))
@settings(max_examples=25)
def test_lists_the_best_trees_if_it_can(case: Case, n: int, seed: int, single_root: bool, k: int) -> None:
    decoder = case.decoder
    if not isinstance(decoder, ListsTrees):
        return
    generator = np.random.default_rng(seed)
    table = brute_force.random_table(generator, n, "normal")
    sample = part_samples.Case(generator, table, some_kinds(case, generator), outer=case.outer)
    trees = brute_force.trees(n)
    chosen = (trees.projective | (not case.projective)) & (trees.single_root | (not single_root))
    best = np.sort(sample.tree_scores()[chosen])[::-1][:k]
    found = decoder.k_best(sample.candidates, sample.scores, k=k, single_root=single_root)
    np.testing.assert_allclose([parse.score for parse in found], best, atol=1e-9)
    assert len({tuple(parse.heads.tolist()) for parse in found}) == len(found)
    assert found[0].exact or not case.proves
    for parse in found:
        check_parse(case, parse, sample.candidates, sample.scores, single_root)


@every_decoder
@given(n=st.integers(1, 5), seed=seeds, single_root=st.booleans())
@settings(max_examples=25)
def test_its_marginals_are_those_of_all_trees_if_it_has_some(case: Case, n: int, seed: int, single_root: bool) -> None:
    decoder = case.decoder
    if not isinstance(decoder, HasMarginals):
        return
    generator = np.random.default_rng(seed)
    table = brute_force.random_table(generator, n, "normal")
    sample = part_samples.Case(generator, table, some_kinds(case, generator), outer=case.outer)
    trees = brute_force.trees(n)
    chosen = (trees.projective | (not case.projective)) & (trees.single_root | (not single_root))
    weights = np.exp(sample.tree_scores()[chosen])
    marginals = decoder.marginals(sample.candidates, sample.scores, single_root=single_root)
    assert marginals.log_partition == pytest.approx(np.log(weights.sum()), abs=1e-8)
    for arc, chance in enumerate(marginals.arc):
        head, modifier = sample.candidates.heads[arc], sample.candidates.modifiers[arc]
        has = trees.heads[chosen][:, modifier - 1] == head
        assert chance == pytest.approx(weights[has].sum() / weights.sum(), abs=1e-8)


@every_decoder
@given(n=st.integers(1, 5), kind=table_kinds, seed=seeds, single_root=st.booleans(), costs=st.booleans())
@settings(max_examples=40)
def test_honours_required_and_forbidden_arcs(
    case: Case, n: int, kind: str, seed: int, single_root: bool, costs: bool
) -> None:
    generator = np.random.default_rng(seed)
    for _ in range(case.tables):
        check_constrained(case, generator, n, kind, single_root=single_root, costs=costs)


def check_constrained(
    case: Case, generator: np.random.Generator, n: int, kind: str, *, single_root: bool, costs: bool
) -> bool:
    """With some required and some forbidden arcs, and with or without costs; return whether there is a tree."""
    table = brute_force.random_table(generator, n, kind)
    forbidden = [(int(h), int(m)) for h, m in generator.integers(0, n + 1, size=(n, 2)) if m > 0 and h != m]
    words = np.flatnonzero(generator.random(n) < 0.3) + 1
    required = {int(m): int(h) for m, h in zip(words, generator.integers(0, n + 1, n), strict=False)}
    constrained = table.copy()
    for head, modifier in forbidden:
        constrained[head, modifier] = -np.inf
    for modifier, head in required.items():
        constrained[np.arange(n + 1) != head, modifier] = -np.inf
    kinds = some_kinds(case, generator)
    if case.best_score(constrained, single_root) == -np.inf:
        with pytest.raises(ConstraintError):
            constrained_parse(case, generator, table, kinds, required, forbidden, single_root, costs)
        return False
    sample, parse = constrained_parse(case, generator, table, kinds, required, forbidden, single_root, costs)
    check_parse(case, parse, sample.candidates, sample.scores, single_root)
    check_score(case, parse, best_of(case, sample, single_root), size_of(sample))
    assert all(parse.heads[modifier] == head for modifier, head in required.items())
    assert all(parse.heads[modifier] != head for head, modifier in forbidden)
    return True


def constrained_parse(
    case: Case,
    generator: np.random.Generator,
    table: NDArray[np.float64],
    kinds: Collection[Kind],
    required: dict[int, int],
    forbidden: list[tuple[int, int]],
    single_root: bool,
    costs: bool,
) -> tuple[part_samples.Case, Parse]:
    """Return the scores, with the costs added to them, and the tree."""
    candidates = Candidates.from_mask(table > -np.inf).restrict(required, forbidden, single_root=single_root)
    allowed = np.where(candidates.mask(), table, -np.inf)
    sample = part_samples.Case(generator, allowed, kinds, outer=case.outer)
    scores, cost = sample.scores, None
    if costs:
        cost = generator.integers(0, 3, size=len(sample.candidates)).astype(np.float64)
        sample.arc = sample.arc + sample.candidates.dense(cost, 0.0)
    return sample, case.decoder.decode(sample.candidates, scores, single_root=single_root, cost=cost)


@every_decoder
@pytest.mark.parametrize("single_root", [True, False])
def test_an_empty_sentence_has_one_tree(case: Case, single_root: bool) -> None:
    parse = case.decoder.decode(Candidates.all(0), Scores(np.zeros(0)), single_root=single_root)
    assert parse.heads.tolist() == [-1]
    assert parse.score == 0.0


@every_decoder
def test_a_single_root_is_the_default(case: Case) -> None:
    candidates = Candidates.all(4)
    scores = Scores(arc=np.where(candidates.heads == 0, 100.0, 0.0))
    assert np.sum(case.decoder.decode(candidates, scores).heads == 0) == 1
    assert np.sum(case.decoder.decode(candidates, scores, single_root=False).heads == 0) == 4


@every_decoder
def test_says_when_only_several_roots_would_do(case: Case) -> None:
    candidates = Candidates.all(3).restrict({1: 0, 2: 0}, single_root=False)
    scores = Scores(arc=np.zeros(len(candidates)))
    case.decoder.decode(candidates, scores, single_root=False)
    with pytest.raises(ConstraintError, match="single child of the root"):
        case.decoder.decode(candidates, scores)


@every_decoder
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_refuses_scores_that_are_no_scores(case: Case, wrong: float) -> None:
    candidates = Candidates.all(3)
    arc = np.zeros(len(candidates))
    arc[2] = wrong
    with pytest.raises(UsageError, match="NaN or"):
        case.decoder.decode(candidates, Scores(arc=arc))


@every_decoder
def test_refuses_arrays_of_another_length(case: Case) -> None:
    candidates = Candidates.all(3)
    with pytest.raises(UsageError, match="9 candidate arcs"):
        case.decoder.decode(candidates, Scores(arc=np.zeros(8)))
    with pytest.raises(UsageError, match="costs have shape"):
        case.decoder.decode(candidates, Scores(arc=np.zeros(9)), cost=np.zeros(10))
