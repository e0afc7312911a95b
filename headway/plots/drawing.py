"""Draw a tree with characters: one word per line, and for each head a vertical bar to the left of its words.

::

        ┌─ The      det
     ┌──┴─ pilot    nsubj
    ─┼──── repaired root
     └──── it       obj

A bar joins a head with its children; the line that enters a word from the left comes from its head. Bars
are further left the more words are below them, so in a projective tree no line crosses another. In a
non-projective tree, a line that passes behind a bar has a gap there.
"""

import functools
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headway.corpus import Sentence, check_tree
from headway.support.printable import printable

if TYPE_CHECKING:
    from rich.text import Text

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_CHARACTERS = {
    0: " ",
    _LEFT | _RIGHT: "─",
    _UP | _DOWN: "│",
    _UP | _RIGHT: "└",
    _DOWN | _RIGHT: "┌",
    _UP | _DOWN | _RIGHT: "├",
    _UP | _LEFT | _RIGHT: "┴",
    _DOWN | _LEFT | _RIGHT: "┬",
    _UP | _DOWN | _LEFT | _RIGHT: "┼",
}
_WIDTH = 3
"""The number of characters between neighbouring bars."""


def tree_lines(sentence: Sentence) -> "list[Text]":
    """Return a line for each word of a parsed sentence: the drawing, the word, its relation, and the confidence."""
    from rich.cells import cell_len
    from rich.text import Text

    forms, labels = list(map(printable, sentence.forms)), list(map(printable, sentence.labels))
    width = max(map(cell_len, forms), default=0)
    label_width = max(map(len, labels), default=0)
    columns = zip(draw_tree(sentence.heads), forms, labels, sentence.misc("HeadProb"), strict=True)
    return [
        Text.assemble(
            (drawing, "dim"),
            (f" {form}{' ' * (width - cell_len(form))}", "bold"),
            (f"  {label.ljust(label_width)}", "cyan"),
            (f"  {float(chance):4.0%}" if chance else "", "green" if float(chance or 0) > 0.9 else "yellow"),
        )
        for drawing, form, label, chance in columns
    ]


def draw_tree(heads: Sequence[int]) -> list[str]:
    """Draw the arcs of a tree.

    Parameters
    ----------
    heads : sequence of int, (n,)
        Entry i is the head of word i + 1; 0 is the root. Several roots are allowed.

    Returns
    -------
    list of str, (n,)
        The lines, all of the same length, to be put before the words.

    Raises
    ------
    TreeError
        If `heads` is not a tree.
    """
    check_tree(heads, single_root=False)
    joined = _joined(heads)
    levels = _levels(heads, joined)
    count = max(levels.values(), default=-1) + 1
    columns = {head: _WIDTH * (count - level) - 2 for head, level in levels.items()}
    canvas = [[0] * max(1, _WIDTH * count) for _ in heads]
    for row, head in zip(canvas, heads, strict=True):
        _draw_line(row, columns.get(head))
    for head, rows in joined.items():
        _draw_bar(canvas, columns[head], rows)
    return ["".join(_CHARACTERS[cell] for cell in row) for row in canvas]


def _joined(heads: Sequence[int]) -> dict[int, list[int]]:
    """Return the rows that the bar of each head joins, in order: the head's own row and those of its children."""
    joined: dict[int, list[int]] = {}
    for modifier, head in enumerate(heads, start=1):
        if head:
            joined.setdefault(head, [head]).append(modifier)
    return {head: sorted(rows) for head, rows in joined.items()}


def _levels(heads: Sequence[int], joined: dict[int, list[int]]) -> dict[int, int]:
    """Return the column of each bar: to the left of the bars below it, and of any bar that it would overlap."""
    levels: dict[int, int] = {}
    taken = [0] * (len(heads) + 1)  # the levels of the bars that pass each row, one bit per level
    depths = _depths(heads)
    for head in sorted(joined, key=lambda word: depths[word], reverse=True):
        rows = joined[head]
        level = 1 + max((levels.get(child, -1) for child in rows), default=-1)
        overlapping = functools.reduce(operator.or_, taken[rows[0] : rows[-1] + 1])
        while overlapping >> level & 1:
            level += 1
        levels[head] = level
        for row in range(rows[0], rows[-1] + 1):
            taken[row] |= 1 << level
    return levels


def _depths(heads: Sequence[int]) -> list[int]:
    """(n + 1,) The number of arcs above the arc of each word; -1 for the root."""
    depths = [-1] + [-2] * len(heads)
    for word in range(1, len(depths)):
        path = []
        while depths[word] == -2:
            path.append(word)
            word = heads[word - 1]
        for below, node in enumerate(reversed(path), start=1):
            depths[node] = depths[word] + below
    return depths


def _draw_line(row: list[int], start: int | None) -> None:
    """Draw the line to a word from its head's bar, or from the edge if its head is the root."""
    if start is not None:
        row[start] |= _RIGHT
    for column in range(0 if start is None else start + 1, len(row)):
        row[column] |= _LEFT | _RIGHT


def _draw_bar(canvas: list[list[int]], column: int, rows: list[int]) -> None:
    joined = set(rows)
    for row in range(rows[0], rows[-1] + 1):
        cell = canvas[row - 1][column] if row in joined else 0
        upright = (_UP if row > rows[0] else 0) | (_DOWN if row < rows[-1] else 0)
        canvas[row - 1][column] = cell | upright
