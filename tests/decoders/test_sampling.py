"""Sampling as a decoder: annealing, samples of real scorers, and exact samples, against the list of all trees."""

from dataclasses import replace

import brute_force
import high_order_samples
import numpy as np
import part_samples
import pytest
from frequencies import p_value
from numpy.typing import NDArray
from test_hill_climbing import one_move_away

from headway.decoders import RunsChains, SamplesTrees, find_decoder
from headway.decoders.hill_climbing import HillClimbing
from headway.decoders.sampling import PROPOSALS, Sampling
from headway.errors import ConstraintError, UsageError
from headway.parts import Candidates, Kind, Scores
from headway.parts.kinds import KINDS
from headway.parts.links import make_links, set_tree
from headway.parts.table_scores import possible_scores
from headway.parts.tree_scorer import tree_total
from headway.support.threads import Threads

every_proposal = pytest.mark.parametrize("proposal", PROPOSALS)


def sample_case(seed: int, n: int, kinds: list[Kind]) -> part_samples.Case:
    generator = np.random.default_rng(seed)
    return part_samples.Case(generator, brute_force.random_table(generator, n, "normal"), kinds)


def chosen(n: int, *, projective: bool, single_root: bool) -> NDArray[np.bool_]:
    trees = brute_force.trees(n)
    return (trees.projective | (not projective)) & (trees.single_root | (not single_root))


def count_trees(n: int, heads: NDArray[np.int32], some: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the number of times that each of some trees is among samples."""
    digits = (n + 1) ** np.arange(n)
    places = {int(tree @ digits): row for row, tree in enumerate(brute_force.trees(n).heads[some])}
    return np.bincount([places[int(tree @ digits)] for tree in heads[:, 1:]], minlength=int(some.sum()))


@every_proposal
def test_optima_of_five_words_are_nearly_always_found(proposal: str) -> None:
    found = 0
    for seed in range(40):
        case = sample_case(seed, 5, [Kind.SIBLING, Kind.GRANDPARENT, Kind.HEAD_BIGRAM])
        best = case.tree_scores()[chosen(5, projective=False, single_root=True)].max()
        decoder = Sampling(proposal=proposal, sweeps=40, temperature=2.0, cooling=0.9, words=2)
        parse = decoder.decode(case.candidates, case.scores)
        found += parse.score == pytest.approx(best)
    assert found >= 38


@every_proposal
def test_a_chain_that_cools_begins_like_a_warm_one_and_ends_higher(proposal: str) -> None:
    ends = []
    for seed in range(20):
        case = sample_case(seed, 4, [Kind.SIBLING, Kind.GRANDPARENT])
        best = case.tree_scores()[chosen(4, projective=False, single_root=True)].max()
        decoder = Sampling(proposal=proposal, words=2, burn_in=0, thinning=5)
        scorer = possible_scores(case.candidates, case.scores)
        cold = decoder.sample_chain(scorer, 1, count=20, temperature=4.0, cooling=0.8, seed=seed)
        warm = decoder.sample_chain(scorer, 1, count=20, temperature=4.0, seed=seed)
        assert (cold.heads[0] == warm.heads[0]).all()
        ends.append([draws.scores[-1] == pytest.approx(best) for draws in (cold, warm)])
    at_best = np.sum(ends, axis=0)
    assert at_best[0] >= 2 * at_best[1]
    assert at_best[0] >= 12


@every_proposal
@pytest.mark.parametrize("projective", [True, False])
def test_the_tree_is_the_best_that_chains_met_and_no_word_can_be_moved_to_advantage(
    proposal: str, projective: bool
) -> None:
    for seed in range(5):
        scorer = high_order_samples.Case(seed, length=9).scores()
        decoder = Sampling(projective=projective, proposal=proposal, chains=3, sweeps=4, seed=seed)
        parse = decoder.decode_trees(scorer)
        links = make_links(10)
        set_tree(links, parse.heads)
        assert tree_total(scorer, links) == pytest.approx(parse.score, abs=1e-9)
        scores = [decoder.anneal(scorer, chain).score for chain in range(3)]
        assert parse.score == pytest.approx(max(scores), abs=1e-8)
        assert scores[int(parse.statistics["chain"])] == parse.score
        for tree in one_move_away(parse.heads.astype(np.int64), projective):
            set_tree(links, np.array([-1, *tree], dtype=np.int32))
            assert tree_total(scorer, links) <= parse.score + 1e-7


@every_proposal
@pytest.mark.parametrize("projective", [True, False])
def test_a_chain_that_climbs_ends_at_a_tree_that_no_sample_and_no_move_is_above(
    proposal: str, projective: bool
) -> None:
    for seed in range(5):
        scorer = high_order_samples.Case(seed, length=9).scores()
        decoder = Sampling(projective=projective, proposal=proposal, burn_in=0, thinning=2)
        climbed, plain = (
            decoder.sample_chain(scorer, 1, count=3, temperature=1.0, cooling=0.5, climb=climb, seed=seed)
            for climb in (True, False)
        )
        assert (climbed.heads[:-1] == plain.heads[:-1]).all()
        assert climbed.scores[-1] >= plain.scores.max() - 1e-7
        links = make_links(10)
        set_tree(links, climbed.heads[-1])
        assert tree_total(scorer, links) == pytest.approx(climbed.scores[-1], abs=1e-9)
        for tree in one_move_away(climbed.heads[-1].astype(np.int64), projective):
            set_tree(links, np.array([-1, *tree], dtype=np.int32))
            assert tree_total(scorer, links) <= climbed.scores[-1] + 1e-7


@every_proposal
@pytest.mark.parametrize(("single_root", "projective"), [(True, False), (False, True)])
def test_tables_of_all_kinds_are_sampled_as_the_model_says(proposal: str, single_root: bool, projective: bool) -> None:
    case = sample_case(7, 4, list(KINDS))
    some = chosen(4, projective=projective, single_root=single_root)
    totals = case.tree_scores()[some]
    chances = np.exp((totals - totals.max()) / 2.0)
    decoder = Sampling(projective=projective, proposal=proposal, chains=4, thinning=25)
    samples = decoder.sample(case.candidates, case.scores.scaled(0.5), count=4_000, single_root=single_root)
    assert p_value(count_trees(4, samples.heads, some), chances / chances.sum()) > 1e-4
    assert samples.r_hat < 1.02
    assert samples.effective.min() > 200


@pytest.mark.parametrize("name", ["spanning-tree", "eisner", "model1"])
@pytest.mark.parametrize("single_root", [True, False])
def test_exact_samples_are_as_the_model_says(name: str, single_root: bool) -> None:
    decoder = find_decoder(name)
    case = sample_case(3, 4, [kind for kind in KINDS if kind in decoder.reads])
    some = chosen(4, projective=name != "spanning-tree", single_root=single_root)
    totals = case.tree_scores()[some]
    chances = np.exp(totals) / np.exp(totals).sum()
    samples = decoder.sample(case.candidates, case.scores, count=4_000, seed=1, single_root=single_root)
    counts = count_trees(4, samples.heads, some)
    assert p_value(counts, chances) > 1e-4
    assert samples.chains == 0
    assert samples.r_hat == 1.0
    arcs = decoder.marginals(case.candidates, case.scores, single_root=single_root).arc
    assert (np.abs(case.candidates.gather(samples.arcs) - arcs) < 5 * case.candidates.gather(samples.errors)).all()
    known = {tuple(tree): total for tree, total in zip(brute_force.trees(4).heads[some].tolist(), totals, strict=True)}
    for tree, score in zip(samples.heads[:50, 1:].tolist(), samples.scores, strict=False):
        assert score == pytest.approx(known[tuple(tree)])


@pytest.mark.filterwarnings("ignore::headway.errors.MixingWarning")
def test_the_seed_decides_and_the_number_of_threads_does_not() -> None:
    case = high_order_samples.Case(2, length=14, kinds=KINDS)

    def found(threads: int, seed: int) -> tuple[list[int], list[list[int]]]:
        search = case.search(Sampling(chains=5, sweeps=2, seed=seed, burn_in=5))
        with Threads(threads) as pool:
            [parse] = search.trees(case.encoded, threads=pool)
            samples = search.sample(case.encoded, 0, 60, seed=seed, threads=pool)
        return parse.heads.tolist(), samples.heads.tolist()

    first = found(1, 3)
    assert found(2, 3) == found(4, 3) == first
    assert len({str(found(1, seed)[1]) for seed in range(3)}) == 3


def test_abilities() -> None:
    assert isinstance(Sampling(), RunsChains)
    assert isinstance(Sampling(), SamplesTrees)
    assert not isinstance(HillClimbing(), SamplesTrees)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"proposal": "guess"}, "gibbs, walk"),
        ({"temperature": 0.0}, "temperature must be above 0"),
        ({"cooling": 1.5}, "cooling rate"),
        ({"chains": 0}, "chains, words and thinning"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        replace(Sampling(), **options)


def test_no_samples_and_no_trees_are_refused() -> None:
    candidates = Candidates.all(3)
    scores = Scores(np.zeros(len(candidates)))
    twice = candidates.restrict({1: 0, 2: 0}, single_root=False)
    for decoder in (Sampling(), find_decoder("spanning-tree"), find_decoder("eisner")):
        assert isinstance(decoder, SamplesTrees)
        with pytest.raises(UsageError, match="must be at least 1"):
            decoder.sample(candidates, scores, count=0)
        with pytest.raises(ConstraintError, match="single child of the root"):
            decoder.sample(twice, Scores(np.zeros(len(twice))), count=1)
        nothing = decoder.sample(Candidates.all(0), Scores(np.zeros(0)), count=2)
        assert nothing.heads.tolist() == [[-1], [-1]]
        assert nothing.arcs.shape == (1, 1)


def test_words_that_only_have_each_other_give_an_error_and_not_an_endless_walk() -> None:
    table = np.full((3, 3), -np.inf)
    table[2, 1] = table[1, 2] = 800.0
    table[0, 1] = table[0, 2] = 0.0
    candidates = Candidates.from_mask(table > -np.inf)
    scores = Scores(candidates.gather(table))
    with pytest.raises(UsageError, match="higher temperature"):
        find_decoder("spanning-tree").sample(candidates, scores, count=3, single_root=False)
    assert set(Sampling(chains=2).sample(candidates, scores, count=8, single_root=False).scores) == {800.0}
    assert Sampling().decode_trees(possible_scores(candidates, scores), single_root=False).score == 800.0
