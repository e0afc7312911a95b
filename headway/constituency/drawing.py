"""Constituent trees as pictures: lines of text for a terminal, or SVG."""

from collections.abc import Sequence

from headway.constituency.tree import Tree
from headway.plots.tree_svg import legal_text, text_width

_LETTER, _GAP, _LEVEL = 8.5, 18.0, 44.0
_INK, _QUIET = "#1b1f24", "#6b7480"


def tree_text(tree: Tree) -> str:
    """Return a tree as lines, a node each, with branches drawn at their left.

    >>> from headway.constituency.brackets import parse_trees
    >>> print(tree_text(next(parse_trees("(S (NP (NN dogs)) (VP (VBP bark)))"))), end="")
    S
    ├─ NP
    │  └─ NN dogs
    └─ VP
       └─ VBP bark
    """
    indents = [""] * len(tree.labels)
    lines = []
    for node, (label, parent, word) in enumerate(zip(tree.labels, tree.parents, tree.words, strict=True)):
        branch = ""
        if parent >= 0:
            is_last = tree.children[parent][-1] == node
            branch = indents[parent] + ("└─ " if is_last else "├─ ")
            indents[node] = indents[parent] + ("   " if is_last else "│  ")
        lines.append(f"{branch}{label}{'' if word is None else ' ' + word}\n")
    return "".join(lines)


def draw_tree(trees: Sequence[Tree]) -> str:
    """Return trees below each other as one SVG document, which needs no font or script from elsewhere."""
    pieces, width, top = list[str](), 0.0, 0.0
    for tree in trees:
        own, wide, high = _picture(tree, top)
        pieces += own
        width, top = max(width, wide), top + high
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{top:.0f}" '
        f'viewBox="0 0 {width:.0f} {top:.0f}" font-family="Helvetica, Arial, sans-serif" text-anchor="middle">'
    )
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *pieces, "</svg>\n"])


def _picture(tree: Tree, top: float) -> tuple[list[str], float, float]:
    """The elements of one tree, its width and its height: words stand in a row, phrases over the middle of theirs."""
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
    return pieces, right, ground - top + 40


def _text(text: str, x: float, y: float, colour: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="14" fill="{colour}">{legal_text(text)}</text>'
