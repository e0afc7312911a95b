import numpy as np
import small_corpus
from hypothesis import given
from hypothesis import strategies as st
from slow_structures import Tree

from headway.parts.links import Links, is_below, link, make_links, set_tree, unlink
from headway.parts.spans import narrow_spans, set_spans, widen_spans


def slow_spans(links: Links) -> list[tuple[int, int]]:
    """Of all words that hang on something; those taken out have no head."""
    size = len(links.heads)
    tree = Tree(links.heads.tolist(), [""] * size, [0] * size, [""] * size)
    return [tree.span(word) for word in range(1, size)]


@given(seed=st.integers(0, 10_000), length=st.integers(1, 14))
def test_spans_follow_every_move(seed: int, length: int) -> None:
    generator = np.random.default_rng(seed)
    links = make_links(length + 1)
    set_tree(links, np.array([-1, *small_corpus.random_heads(generator, length)], dtype=np.int32))
    spans = np.zeros((length + 1, 2), dtype=np.int64)
    set_spans(spans, links)
    assert [tuple(span) for span in spans[1:].tolist()] == slow_spans(links)
    for _ in range(10):
        modifier = int(generator.integers(1, length + 1))
        unlink(links, modifier)
        narrow_spans(spans, links, modifier)
        head, links.heads[modifier] = links.heads[modifier], -1
        assert [tuple(span) for span in spans[1:].tolist()] == slow_spans(links)
        links.heads[modifier] = head
        possible = [other for other in range(length + 1) if not is_below(links, other, modifier)]
        link(links, modifier, int(generator.choice(possible)))
        widen_spans(spans, links, modifier)
        assert [tuple(span) for span in spans[1:].tolist()] == slow_spans(links)
