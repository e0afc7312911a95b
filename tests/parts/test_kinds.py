import high_order_samples
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.parts.arc_index import grandparent_place, index_arcs, sibling_place
from headway.parts.kinds import KINDS, LONGEST, list_parts, most_parts, part_key, read_key
from headway.parts.links import make_links, set_tree

words = st.integers(0, LONGEST + 1)


@given(kind=st.integers(0, 7), shape=st.integers(0, 7), part_words=st.tuples(words, words, words, words))
def test_keys_say_what_they_were_made_of(kind: int, shape: int, part_words: tuple[int, int, int, int]) -> None:
    key = part_key(kind, shape, *part_words)
    assert key >= 0
    assert read_key(key) == (kind, shape, *part_words)


@pytest.mark.parametrize("kinds", [*[[kind] for kind in KINDS], KINDS], ids=str)
def test_parts_of_a_tree_are_those_of_the_definitions(kinds: list[str]) -> None:
    wanted = np.array([kind in kinds for kind in KINDS])
    for seed in range(60):
        case = high_order_samples.Case(seed, length=1 + seed % 9, kinds=())
        heads = case.tree(roots=1 + seed % 3)
        links = make_links(len(heads))
        set_tree(links, heads)
        keys = np.empty(most_parts(links, wanted), dtype=np.int64)
        count = list_parts(links, wanted, keys)
        found = []
        for key in keys[:count]:
            kind, shape, *part_words = read_key(int(key))
            roles = 3 if KINDS[kind] in ("sibling", "grandparent", "head_bigram", "arbitrary_sibling") else 4
            found.append((KINDS[kind], shape, tuple(part_words[:roles])))
        assert sorted(found) == sorted(high_order_samples.slow_parts(heads, kinds))


@given(seed=st.integers(0, 2**32 - 1), length=st.integers(0, 8), share=st.floats(0.2, 1.0))
def test_every_second_order_part_has_a_place_of_its_own(seed: int, length: int, share: float) -> None:
    allowed = np.random.default_rng(seed).random((length + 1, length + 1)) < share
    index = index_arcs(allowed)
    arcs = [(h, m) for m in range(1, length + 1) for h in range(length + 1) if h != m and allowed[h, m]]
    assert [(int(index.heads[index.number[h, m]]), h) for h, m in arcs] == [(h, h) for h, _ in arcs]
    none, siblings, grandparents = length + 1, [], []
    for head in range(length + 1):
        for side in (0, 1):
            children = sorted((m for h, m in arcs if h == head and (m > h) == (side == 1)), key=lambda m: abs(m - head))
            row = [none, *children, none]
            for outer in range(1, len(row)):
                siblings += [sibling_place(index, head, side, row[inner], row[outer]) for inner in range(outer)]
    for head, modifier in arcs:
        grandparents += [grandparent_place(index, g, head, modifier) for g, h in arcs if h == head]
    assert sorted(siblings) == list(range(index.sizes[0]))
    assert sorted(grandparents) == list(range(index.sizes[1]))
