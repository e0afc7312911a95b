"""Pictures of trees: sound XML, every word and label there, arcs that cross only where the tree does."""

from itertools import permutations
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from headway import Sentence
from headway.plots import tree_svg
from headway.plots.tree_svg import arc_levels


def test_words_labels_and_chances_are_drawn():
    sentence = Sentence.from_words(["R&D", "<3"], upos=["NOUN", "SYM"], heads=[0, 1], labels=["root", "dep"])
    sentence = sentence.with_misc("HeadProb", ["1.000", "0.417"])
    picture = ElementTree.fromstring(tree_svg(sentence))
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["root 100%", "dep 42%", "R&D", "NOUN", "<3", "SYM"]
    assert tree_svg(sentence).count("stroke-dasharray") == 1


def test_characters_illegal_in_xml_are_replaced():
    sentence = Sentence.from_words(["a\x07b\ufffe"], upos=["X"], heads=[0], labels=["root"])
    picture = ElementTree.fromstring(tree_svg(sentence))
    assert "a\ufffdb\ufffd" in [text.text for text in picture.iter()]


def test_without_probabilities():
    sentence = Sentence.from_words(["yes"], upos=["INTJ"], heads=[0], labels=["root"])
    assert ">root<" in tree_svg(sentence)


@given(st.integers(1, 9).flatmap(lambda n: st.permutations(range(1, n + 1)).map(lambda order: (n, order))), st.data())
def test_an_arc_lies_above_the_arcs_that_it_spans(drawn, data):
    length, order = drawn
    heads = [0] * length
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[data.draw(st.integers(0, place - 1))]
    levels = arc_levels(heads)
    spans = [(min(h, w), max(h, w), levels[w - 1]) for w, h in enumerate(heads, start=1) if h]
    for (a, b, first), (c, d, second) in permutations(spans, 2):
        if a < d and c < b:
            assert first != second
        if c <= a and b <= d:
            assert first < second
