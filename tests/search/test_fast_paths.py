"""Fast paths find the trees of the plain path, sentence by sentence, on random models."""

from dataclasses import replace

import high_order_samples as samples
import numpy as np
import pytest

from headway.decoders import Decoder, find_decoder
from headway.parts import Kind
from headway.parts.candidate_batch import ALL_ARCS, CandidateBatch, TreeBatch
from headway.parts.kinds import KINDS
from headway.search import Search, SearchRule, register_fast_path
from headway.search.fast_paths import find_fast_path
from headway.support.threads import Threads

CLIMBS = [
    SearchRule(start, restarts=3, seed=4).decoder(projective=some) for start in ("map", "uniform") for some in (0, 1)
]
CHARTS = ("sibling", "model0", "model1", "model2", "carreras", "tri-sibling")
DECODERS = [*CLIMBS, *map(find_decoder, ("eisner", "spanning-tree", *CHARTS))]
every_decoder = pytest.mark.parametrize(
    "decoder", DECODERS, ids=lambda one: f"{one.name} {getattr(one, 'start', '')} {one.projective}"
)


def plain(search: Search, batch: TreeBatch) -> tuple[list[int], float, bool]:
    search.write_plainly(batch, threads=Threads())
    return batch.heads.tolist(), float(batch.outcomes[0, 0]), bool(batch.exact[0])


def fast(search: Search, batch: TreeBatch) -> tuple[list[int], float, bool]:
    assert find_fast_path(search.scorer, search.decoder) is not None
    search.write_trees(batch, threads=Threads())
    return batch.heads.tolist(), float(batch.outcomes[0, 0]), bool(batch.exact[0])


@every_decoder
@pytest.mark.parametrize("costs", [False, True])
def test_the_fast_path_is_the_plain_path(decoder: Decoder, costs: bool) -> None:
    kinds = [kind for kind in KINDS if kind in decoder.reads]
    for seed in range(6):
        case = samples.Case(seed, 2 + seed, kinds)
        gold = case.tree() if costs else np.empty(0, dtype=np.int32)
        mask = case.generator.random((case.length + 1,) * 2) < 0.8
        tree = case.tree()
        mask[tree[1:], np.arange(1, case.length + 1)] = True
        mask |= np.eye(case.length + 1, k=1, dtype=np.bool_)  # a chain: a tree for every decoder
        pruned = CandidateBatch(np.array([0, mask.size]), mask.reshape(-1))
        search = case.search(decoder)
        for candidates in (ALL_ARCS, pruned):
            one, other = (
                find(search, TreeBatch.of(case.encoded, np.zeros(1, dtype=np.int64), candidates, gold=gold))
                for find in (fast, plain)
            )
            assert one[1] == pytest.approx(other[1], abs=1e-5)
            assert one[0] == other[0]
            if decoder.name != "hill-climbing":  # its bound is met only by chance
                assert one[2]
                assert other[2]


def test_ignored_kinds_are_ignored_on_every_path() -> None:
    case = samples.Case(3, 6)
    for name in ("eisner", "model1", "carreras"):
        search = Search(case.search(find_decoder("eisner")).scorer, find_decoder(name), ignore=frozenset(Kind))
        [parse] = search.trees(case.encoded)
        [best] = search.best(case.encoded, 0)
        assert parse.ignored == best.ignored == search.ignored
        assert parse.score == pytest.approx(best.score, abs=1e-5)


def test_a_proof_does_not_depend_on_the_rounding_of_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    case, decoder = samples.Case(3, 4), find_decoder("integer-program")
    decode = type(decoder).decode

    def with_rounded_bound(self, *args, **options):
        parse = decode(self, *args, **options)
        assert parse.exact
        return replace(parse, bound=parse.score + 1e-12)

    monkeypatch.setattr(type(decoder), "decode", with_rounded_bound)
    [parse] = case.search(decoder).trees(case.encoded)
    assert parse.bound > parse.score
    assert parse.exact


def test_a_custom_path() -> None:
    case, decoder = samples.Case(3, 4), find_decoder("integer-program")
    search = case.search(decoder)

    def path(scorer, decoder, batch, *, single_root, threads):
        batch.heads[:] = np.arange(-1, 4)
        batch.outcomes[:] = 1.0, 2.0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("headway.search.fast_paths._FAST_PATHS", {})
        register_fast_path(type(search.scorer), type(decoder), path)
        [parse] = search.trees(case.encoded)
    assert (parse.heads.tolist(), parse.score, parse.bound, parse.exact) == ([-1, 0, 1, 2, 3], 1.0, 2.0, False)
