"""Fields in one list against fields in rows."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.corpus import format_sentence, parse_sentences
from headway.corpus.fields import Fields

FIELD = st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), max_size=3)


@st.composite
def tables(draw, *, width=None):
    """Lines with IDs of words, ranges and empty nodes, not always in order."""
    columns = width or draw(st.integers(2, 5))
    ids = draw(st.lists(st.sampled_from(["1", "2", "3", "1-2", "2.1", "12"]), min_size=1, max_size=6))
    if draw(st.booleans()):
        ids = [str(number) for number in range(1, draw(st.integers(1, 300)) + 1)]
    fields = draw(st.lists(FIELD, min_size=columns - 1, max_size=columns - 1))
    return [[text, *(f"{field}{line}" for field in fields)] for line, text in enumerate(ids)]


def lines(rows):
    return "\n".join(map("\t".join, rows))


def words(rows):
    return [row for row in rows if row[0].isdigit()]


@given(tables())
def test_columns_are_those_of_the_rows(rows):
    fields = Fields.split(lines(rows))
    assert fields is not None
    assert fields.text() == lines(rows)
    assert fields.rows() == (rows, words(rows))
    assert fields.ids() == [row[0] for row in rows]
    assert fields.count == len(words(rows))
    for column in range(len(rows[0])):
        assert fields.column(column) == [row[column] for row in words(rows)]
    assert all(row[-1] in fields.notes() for row in rows)


@given(tables(width=4), st.sets(st.integers(1, 3)))
def test_new_columns_are_those_of_the_words_alone(rows, columns):
    fields = Fields.split(lines(rows))
    new = {column: [f"new {column} {word}" for word in range(fields.count)] for column in columns}
    changed = fields.with_columns(new)
    for column, values in new.items():
        for row, value in zip(words(rows), values, strict=True):
            row[column] = value
    assert changed.text() == lines(rows)
    assert changed.column(2) == [row[2] for row in words(rows)]


def test_copies_do_not_change_each_other():
    fields = Fields.split("1\ta\n2\tb")
    assert fields.with_columns({1: ["x", "y"]}).text() == "1\tx\n2\ty"
    assert fields.text() == "1\ta\n2\tb"


@given(st.lists(st.lists(st.sampled_from(["", "1", "2", "a"]), min_size=1, max_size=4), min_size=1, max_size=4))
def test_only_lines_of_the_same_width_and_with_ids_are_split(rows):
    fields = Fields.split(lines(rows))
    whole = len({len(row) for row in rows}) == 1 and len(rows[0]) > 1 and all(row[0] for row in rows)
    assert (fields is not None) == whole
    assert fields is None or fields.rows()[0] == rows


TABLE = "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n" + "".join(
    f"{number}\tw\t_\t_\t_\t_\t{number - 1}\tx\t_\tA=b\n" for number in (1, 2, 3)
)


def test_rows_that_were_asked_for_may_be_changed():
    [sentence] = parse_sentences(TABLE)
    sentence.rows[1][1] = "de"
    assert sentence.word_rows[0] is sentence.rows[1]
    assert sentence.forms == ["de", "w", "w"]
    assert format_sentence(sentence) == TABLE.replace("1\tw", "1\tde")
    assert sentence.with_tree([0, 1, 1], ["x"] * 3).forms[0] == "de"


@pytest.mark.parametrize("ask", [False, True])
def test_notes_are_found(ask):
    [sentence] = parse_sentences("# gap = 1\n" + TABLE)
    if ask:
        assert len(sentence.rows) == 4
    assert sentence.has_notes("gap", "X")
    assert sentence.has_notes("A=")
    assert not sentence.has_notes("HeadProb", "tree")
    assert sentence.with_misc("HeadProb", ["1", None, "0"]).has_notes("HeadProb")


def test_equal_sentences_are_equal_in_either_form():
    [one], [other] = parse_sentences(TABLE), parse_sentences(TABLE)
    assert len(other.rows) == 4
    assert one == other == pickle.loads(pickle.dumps(one))
    assert one != one.with_tree([0, 1, 1], ["x"] * 3)
