"""Trees as drawings."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.corpus import Sentence, is_projective, projectivize
from headway.errors import TreeError
from headway.plots.drawing import draw_tree, tree_lines


def random_tree(size: int, seed: int) -> list[int]:
    generator = random.Random(seed)
    order = generator.sample(range(1, size + 1), size)
    heads = [0] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[generator.randrange(place)]
    return heads


def heads_read_from(drawing: list[str]) -> list[int]:
    """Follow each word's line to the left up to its head's bar, and the bar to the row that its line crosses.

    Only the drawings of projective trees can be read so simply.
    """
    heads = []
    for row, line in enumerate(drawing):
        start = next(column for column in range(len(line)) if not set(line[column:]) - set("─┌├└┬┴┼"))
        heads.append(0 if line[start] == "─" else _owner(drawing, row, start))
    return heads


def _owner(drawing: list[str], row: int, column: int) -> int:
    """The row on the bar through (row, column) that has a line coming in from the left."""
    for step, going in ((-1, "│├┬┌┼"), (1, "│├┴└┼")):
        place = row
        first = drawing[row][column]
        if first not in ("├└" if step < 0 else "├┌"):
            continue
        while True:
            place += step
            character = drawing[place][column]
            assert character in going
            if character in "┬┴┼":
                return place + 1
            if character not in "│├":
                break
    raise AssertionError("a bar without a head")


def test_a_small_tree():
    assert draw_tree([2, 3, 0, 3]) == [
        "    ┌─",
        " ┌──┴─",
        "─┼────",
        " └────",
    ]


def test_crossing_arcs_leave_a_gap():
    assert draw_tree([3, 0, 2, 1, 2]) == [
        "    ┌──┬─",
        "─┬──│──│─",
        " ├──┴──│─",
        " │     └─",
        " └───────",
    ]


def test_trees_of_one_word_none_and_several_roots():
    assert draw_tree([0]) == ["─"]
    assert draw_tree([]) == []
    assert draw_tree([0, 0]) == ["─", "─"]


def test_wide_letters_take_two_columns():
    sentence = Sentence.from_words(["我们", "go"], heads=[2, 0], labels=["nsubj", "root"])
    first, second = (line.plain for line in tree_lines(sentence))
    assert first.index("nsubj") + 2 == second.index("root")


def test_control_characters_are_escaped():
    sentence = Sentence.from_words(["\x1b[2J", "10\xa0000\u202e"], heads=[0, 1], labels=["ro\x9bot", "x"])
    drawn = "".join(line.plain for line in tree_lines(sentence))
    assert "\\x1b[2J" in drawn
    assert "10\xa0000\\u202e" in drawn
    assert "ro\\x9bot" in drawn
    assert drawn.replace("\xa0", " ").isprintable()


def test_no_tree_no_drawing():
    with pytest.raises(TreeError, match="cycle"):
        draw_tree([2, 1, 0])


@given(size=st.integers(1, 12), seed=st.integers(0, 10_000))
def test_projective_trees_can_be_read_back(size, seed):
    heads = projectivize(random_tree(size, seed))
    assert heads_read_from(draw_tree(heads)) == heads


@given(size=st.integers(1, 12), seed=st.integers(0, 10_000))
def test_drawings_are_as_wide_in_every_line(size, seed):
    heads = random_tree(size, seed)
    drawing = draw_tree(heads)
    assert len(drawing) == size
    assert len({len(line) for line in drawing}) == 1
    assert "".join(drawing).count("│") >= (not is_projective(heads))
