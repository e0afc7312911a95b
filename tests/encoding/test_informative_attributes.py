import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_atoms import attribute

from headway.encoding.encoder import informative_attributes

PAIRS = st.lists(
    st.tuples(
        st.sampled_from(["NOUN", "VERB", "ADJ"]),
        st.lists(st.sampled_from(["A=1", "B=1", "B=2", "C=1", "C=2", "D"]), max_size=3, unique_by=lambda f: f[0]),
    ),
    min_size=1,
    max_size=30,
)


def conditional_entropy(words: list[tuple[str, str]], name: str) -> float:
    """H(value of the attribute | tag), absence being a value, from its definition."""
    total = 0.0
    for tag in {tag for tag, _ in words}:
        values = Counter(attribute(feats, name) for other, feats in words if other == tag)
        count = sum(values.values())
        total += count / len(words) * -sum(n / count * math.log2(n / count) for n in values.values())
    return total


@given(PAIRS)
def test_largest_conditional_entropy_first(drawn: list[tuple[str, list[str]]]) -> None:
    words = [(tag, "|".join(feats) or "_") for tag, feats in drawn]
    entropies = {name: conditional_entropy(words, name) for name in "ABCD"}
    found = informative_attributes(Counter(words))
    assert set(found) == {name for name, entropy in entropies.items() if entropy > 1e-9}
    ranked = [entropies[name] for name in found]
    assert ranked == pytest.approx(sorted(ranked, reverse=True))
    assert informative_attributes(Counter(words), most=2) == found[:2]


def test_an_attribute_that_follows_from_the_tag_is_left_out() -> None:
    pairs = Counter({("NOUN", "Kind=Noun|Case=Nom"): 2, ("NOUN", "Kind=Noun|Case=Acc"): 2, ("VERB", "_"): 3})
    assert informative_attributes(pairs) == ["Case"]


def test_by_hand() -> None:
    pairs = Counter(
        {
            ("NOUN", "Case=Nom|Number=Sing"): 4,  # Number: 4 to 4, Case: 7 to 1
            ("NOUN", "Case=Nom|Number=Plur"): 3,
            ("NOUN", "Case=Acc|Number=Plur"): 1,
            ("VERB", "Tense=Past"): 1,  # Tense: one word with it, three without
            ("VERB", "_"): 3,
        }
    )
    assert informative_attributes(pairs) == ["Number", "Case", "Tense"]


def test_ties_go_by_name() -> None:
    assert informative_attributes(Counter({("X", "B=1|A=1"): 1, ("X", "_"): 1})) == ["A", "B"]


def test_no_morphology() -> None:
    assert informative_attributes(Counter({("X", "_"): 5})) == []
