from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from headway.encoding import END, MIDDLE, ROOT, START, UNKNOWN, Vocabulary
from headway.encoding.vocabulary import FIRST_FREE


def test_reserved_ids_are_distinct_and_below_the_free_ones() -> None:
    assert len({START, END, MIDDLE, ROOT, UNKNOWN}) == FIRST_FREE
    assert max(START, END, MIDDLE, ROOT, UNKNOWN) < FIRST_FREE


def test_frequent_first_ties_by_alphabet_rare_ones_left_out() -> None:
    vocabulary = Vocabulary.count(Counter({"b": 3, "a": 3, "c": 5, "d": 1}), cutoff=2)
    assert vocabulary.strings == ["c", "a", "b"]
    assert [vocabulary[string] for string in "cabd"] == [FIRST_FREE, FIRST_FREE + 1, FIRST_FREE + 2, UNKNOWN]
    assert len(vocabulary) == 3


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 5)), st.integers(1, 4))
def test_ids_do_not_depend_on_the_order_of_counting(counts: dict[str, int], cutoff: int) -> None:
    one = Vocabulary.count(Counter(counts), cutoff=cutoff)
    other = Vocabulary.count(Counter(dict(reversed(counts.items()))), cutoff=cutoff)
    assert one.strings == other.strings
    assert set(one.strings) == {string for string, count in counts.items() if count >= cutoff}
    assert [one[string] for string in one.strings] == list(range(FIRST_FREE, FIRST_FREE + len(one)))
