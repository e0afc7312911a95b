"""Drawings of very long sentences: time and memory grow with the words, not with their square."""

from headway.corpus import Sentence
from headway.plots.drawing import draw_tree
from headway.plots.tree_svg import tree_svg

WORDS = 50_000


def test_a_long_sentence_can_be_drawn() -> None:
    """Pieces of 50 words whose first words hang on the first of all, as `headway.search.pieces` makes them."""
    heads = [0 if word == 1 else 1 if word % 50 == 1 else word - 1 for word in range(1, WORDS + 1)]
    lines = draw_tree(heads)
    assert len(lines) == WORDS
    assert len(lines[0]) < 200
    sentence = Sentence.from_words(["word"] * WORDS, heads=heads, labels=["dep"] * WORDS)
    assert tree_svg(sentence).count("<path") == 2 * WORDS
