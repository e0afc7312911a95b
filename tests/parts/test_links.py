import numpy as np
import small_corpus
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from headway.parts.links import Links, bottom_up, is_below, link, make_links, place, set_tree, unlink


def children(links: Links, head: int, side: int) -> list[int]:
    found, child = [], int(links.first[head, side])
    while child != len(links.heads):
        found.append(child)
        child = int(links.following[child])
    return found


def expected(heads: NDArray[np.int32], head: int, side: int, without: int = 0) -> list[int]:
    children_there = [
        m for m in range(1, len(heads)) if heads[m] == head and (m > head) == (side == 1) and m != without
    ]
    return sorted(children_there, key=lambda m: abs(m - head))


def random_tree(seed: int, length: int) -> tuple[np.random.Generator, NDArray[np.int32]]:
    generator = np.random.default_rng(seed)
    return generator, np.array([-1, *small_corpus.random_heads(generator, length)], dtype=np.int32)


trees = given(seed=st.integers(0, 2**32 - 1), length=st.integers(1, 12))


@trees
def test_lists_hold_the_children_nearest_first(seed: int, length: int) -> None:
    generator, heads = random_tree(seed, length)
    links = make_links(length + 1)
    set_tree(links, heads)
    for _ in range(10):
        word = int(generator.integers(1, length + 1))
        unlink(links, word)
        for head in range(length + 1):
            for side in (0, 1):
                assert children(links, head, side) == expected(heads, head, side, without=word)
        others = [h for h in range(length + 1) if not is_below(links, h, word)]
        heads[word] = generator.choice(others)
        siblings = expected(heads, int(heads[word]), int(word > heads[word]))
        here = siblings.index(word)
        neighbours = place(links, word, int(heads[word]))
        assert neighbours == (
            siblings[here - 1] if here else length + 1,
            siblings[here + 1] if here + 1 < len(siblings) else length + 1,
        )
        link(links, word, int(heads[word]))
        assert links.heads.tolist() == heads.tolist()


@trees
def test_below_and_bottom_up(seed: int, length: int) -> None:
    _, heads = random_tree(seed, length)
    links = make_links(length + 1)
    set_tree(links, heads)

    def path(word: int) -> list[int]:
        return [word, *path(int(heads[word]))] if word > 0 else [0]

    for word in range(length + 1):
        for above in range(length + 1):
            assert is_below(links, word, above) == (above in path(word))
    order = np.empty(length, dtype=np.int64)
    bottom_up(links, order)
    assert sorted(order) == list(range(1, length + 1))
    depths = [len(path(int(word))) for word in order]
    assert depths == sorted(depths, reverse=True)
