"""Draw constituent trees with dependencies, as text for a terminal or as SVG."""

from collections.abc import Sequence

from headway.constituency.tree import Tree
from headway.plots.tree_svg import arc_levels, legal_text, text_width

_LETTER, _GAP, _LEVEL = 8.5, 18.0, 44.0
_STEP = 16.0
_INK, _QUIET, _ARC = "#1b1f24", "#6b7480", "#1f5fa8"


def tree_text(tree: Tree, heads: Sequence[int] | None = None) -> str:
    """Draw a tree as text: one node per line, with branches on the left and dependency arcs on the right.

    >>> from headway.constituency.brackets import parse_trees
    >>> print(tree_text(next(parse_trees("(S (NP (NN dogs)) (VP (VBP bark)))"))), end="")
    S
    ├─ NP
    │  └─ NN dogs
    └─ VP
       └─ VBP bark
    >>> print(tree_text(next(parse_trees("(S (NP (NN dogs)) (VP (VBP bark)))")), [2, 0]), end="")
    S
    ├─ NP
    │  └─ NN dogs   ─┐ ← bark
    └─ VP            │
       └─ VBP bark  ─┘ ← root
    """
    indents = [""] * len(tree.labels)
    lines = []
    for node, (label, parent, word) in enumerate(zip(tree.labels, tree.parents, tree.words, strict=True)):
        branch = ""
        if parent >= 0:
            is_last = tree.children[parent][-1] == node
            branch = indents[parent] + ("└─ " if is_last else "├─ ")
            indents[node] = indents[parent] + ("   " if is_last else "│  ")
        lines.append(f"{branch}{label}{'' if word is None else ' ' + word}")
    if heads is not None:
        width = max(map(text_width, lines)) + 2
        arcs = _arc_columns(tree, heads)
        lines = [line + " " * (width - text_width(line)) + arc for line, arc in zip(lines, arcs, strict=True)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


_CORNERS = {(True, False): "┘┴", (False, True): "┐┬", (True, True): "┤┼"}
"""The corner where arcs from above, below or both meet a line; the second character is for lines that continue."""


def _arc_columns(tree: Tree, heads: Sequence[int]) -> list[str]:
    """Return, line by line, the dependency arcs, in one column per level, and the head of each word."""
    levels, leaves = arc_levels(heads), tree.leaves
    rows = [["" for _ in range(max(levels, default=0))] for _ in tree.labels]
    ends: dict[tuple[int, int], tuple[bool, bool]] = {}
    for word, head in enumerate(heads, start=1):
        if head == 0:
            continue
        column, (top, bottom) = levels[word - 1] - 1, sorted((leaves[word - 1], leaves[head - 1]))
        for row in range(top + 1, bottom):
            rows[row][column] = "│"
        ends[top, column] = (ends.get((top, column), (False, False))[0], True)
        ends[bottom, column] = (True, ends.get((bottom, column), (False, False))[1])
    lines = []
    for row, cells in enumerate(rows):
        last = max((column for line, column in ends if line == row), default=-1)
        for column in range(last + 1):
            corner = _CORNERS.get(ends.get((row, column), (False, False)), "──")
            cells[column] = corner[0 if column == last else 1]
        drawn = "".join(("─" if column <= last else " ") + (cell or " ") for column, cell in enumerate(cells))
        lines.append(drawn)
    for word, head in enumerate(heads):
        lines[leaves[word]] += f" ← {tree.words[leaves[head - 1]] if head else 'root'}"
    return lines


def draw_tree(
    trees: Sequence[Tree], heads: Sequence[Sequence[int]] | None = None, *, notes: Sequence[str] | None = None
) -> str:
    """Draw trees below each other as one self-contained SVG document.

    Parameters
    ----------
    heads : sequence of sequences of int, optional
        The dependencies of each tree, which are drawn below its words.
    notes : sequence of str, optional
        A line to write below each tree.
    """
    pieces, width, top = list[str](), 0.0, 0.0
    for number, tree in enumerate(trees):
        shapes, wide, high = _picture(tree, top, None if heads is None else heads[number])
        if notes is not None:
            room = _LETTER * text_width(notes[number])
            shapes.append(_text(notes[number], _GAP + room / 2, top + high, _QUIET))
            wide, high = max(wide, room + 2 * _GAP), high + _STEP
        pieces += shapes
        width, top = max(width, wide), top + high
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{top:.0f}" '
        f'viewBox="0 0 {width:.0f} {top:.0f}" font-family="Helvetica, Arial, sans-serif" text-anchor="middle">'
    )
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *pieces, "</svg>\n"])


def _picture(tree: Tree, top: float, heads: Sequence[int] | None) -> tuple[list[str], float, float]:
    """Return the SVG elements of one tree, its width and its height; phrases are centred over their words."""
    depth = [0] * len(tree.labels)
    for node in range(1, len(depth)):
        depth[node] = depth[tree.parents[node]] + 1
    ground = top + _LEVEL * max(depth) + 30
    centres, right = [0.0] * len(depth), _GAP
    for leaf in tree.leaves:
        room = _LETTER * max(text_width(tree.words[leaf] or ""), text_width(tree.labels[leaf]), 2)
        centres[leaf], right = right + room / 2, right + room + _GAP
    pieces = []
    for node in range(len(depth) - 1, -1, -1):
        below = tree.children[node]
        if below:
            centres[node] = (centres[below[0]] + centres[below[-1]]) / 2
        height = top + _LEVEL * depth[node] + 30 if below else ground
        for child in below:
            end = ground if not tree.children[child] else top + _LEVEL * depth[child] + 30
            pieces.append(
                f'<path d="M {centres[node]:.1f} {height + 5:.1f} L {centres[child]:.1f} {end - 14:.1f}" '
                f'stroke="{_QUIET}" fill="none"/>'
            )
        pieces.append(_text(tree.labels[node], centres[node], height, _INK if below else _QUIET))
        if not below:
            pieces.append(_text(tree.words[node] or "", centres[node], height + 20, _INK))
    if heads is None:
        return pieces, right, ground - top + 40
    levels, under = arc_levels(heads), ground + 30
    for word, head in enumerate(heads, start=1):
        if head > 0:
            pieces.append(_arc(centres[tree.leaves[word - 1]], centres[tree.leaves[head - 1]], levels[word - 1], under))
    return pieces, right, under - top + _STEP * max(levels) + 20


def _arc(end: float, start: float, level: int, top: float) -> str:
    """Draw an arc below the words, from a head to its modifier."""
    side = 1 if start > end else -1
    start -= 5.0 * side
    low, bend = top + _STEP * level, min(8.0, abs(start - end) / 2)
    path = (
        f"M {start:.1f} {top:.1f} V {low - bend:.1f} Q {start:.1f} {low:.1f} {start - side * bend:.1f} {low:.1f} "
        f"H {end + side * bend:.1f} Q {end:.1f} {low:.1f} {end:.1f} {low - bend:.1f} V {top:.1f}"
    )
    tip = f'<path d="M {end - 3:.1f} {top + 4:.1f} h 6 l -3 -7 z" fill="{_ARC}"/>'
    return f'<path d="{path}" fill="none" stroke="{_ARC}"/>{tip}'


def _text(text: str, x: float, y: float, colour: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="14" fill="{colour}">{legal_text(text)}</text>'
