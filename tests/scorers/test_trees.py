import high_order_samples
import numpy as np
import pytest

from headway.parts.kinds import KINDS
from headway.parts.links import is_below, link, make_links, set_tree, unlink
from headway.parts.tree_scorer import make_options, tree_total, weigh
from headway.scorers.memo import make_memo, memo_place, remember
from headway.scorers.rows import pack

every_kind = pytest.mark.parametrize("kinds", [(), *[(kind,) for kind in KINDS], KINDS], ids=str)


@every_kind
def test_a_tree_scores_the_sum_of_its_parts(kinds: tuple[str, ...]) -> None:
    for seed in range(15):
        case = high_order_samples.Case(seed, length=1 + seed % 8, kinds=kinds)
        scores, links = case.scores(), make_links(case.length + 1)
        for _ in range(4):
            heads = case.tree(roots=1 + seed % 2)
            set_tree(links, heads)
            assert tree_total(scores, links) == pytest.approx(case.slow_total(heads, scores), abs=1e-4)


@every_kind
def test_gains_of_moves_equal_differences_of_scores(kinds: tuple[str, ...]) -> None:
    for seed in range(12):
        case = high_order_samples.Case(seed, length=2 + seed, kinds=kinds)
        scores, size = case.scores(), case.length + 1
        links, moved, options = make_links(size), make_links(size), make_options(size)
        for _ in range(6):
            heads = case.tree(roots=1 + seed % 2)
            set_tree(links, heads)
            before = tree_total(scores, links)
            word = int(case.generator.integers(1, size))
            unlink(links, word)
            others = [h for h in range(size) if h != heads[word] and not is_below(links, h, word)]
            options.heads[: len(others) + 1] = [heads[word], *others]
            weigh(scores, links, word, options, len(others) + 1)
            for option, head in enumerate(others, start=1):
                again = heads.copy()
                again[word] = head
                set_tree(moved, again)
                change = options.gains[option] - options.gains[0]
                assert change == pytest.approx(tree_total(scores, moved) - before, abs=1e-9)
            link(links, word, heads[word])
            assert links.first.tolist() == (set_tree(moved, heads), moved.first.tolist())[1]


def test_packed_weights_score_nearly_the_same() -> None:
    case = high_order_samples.Case(3, length=9)
    heads = case.tree()
    links = make_links(10)
    set_tree(links, heads)
    plain = tree_total(case.scores(), links)
    packed = pack(case.parts.rows.values, most=high_order_samples.SLOTS)
    case.model = case.model._replace(part_rows=packed)
    assert tree_total(case.scores(), links) == pytest.approx(plain, abs=100 * packed.scale)
    assert tree_total(case.scores(), links) != plain


def test_a_full_cache_is_cleared_and_stays_right() -> None:
    memo = make_memo(16)
    for key in np.random.default_rng(1).integers(0, 1 << 60, size=200):
        place = memo_place(memo, int(key))
        assert memo.keys[place] != key
        remember(memo, place, int(key), float(key % 97))
        assert memo.values[memo_place(memo, int(key))] == key % 97
        assert memo.size[0] == np.count_nonzero(memo.keys >= 0) <= 13
