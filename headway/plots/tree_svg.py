"""A dependency tree as an SVG picture: words in a row, arcs above them; less certain arcs are warmer and dashed.

An arc is just high enough to pass over the arcs below it, so arcs cross only if the tree is non-projective.
The picture needs no other font or script.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from unicodedata import combining, east_asian_width

import numpy as np

from headway.corpus import Sentence

_LETTER = 9.0
_GAP = 22.0
_STEP = 34.0
_INK, _QUIET = "#1b1f24", "#6b7480"
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow, even escaped."""
_COLOURS = ((0.95, _INK), (0.8, "#7c5a12"), (0.6, "#b45309"), (0.0, "#c81e1e"))
"""The colours of arcs with at least this confidence; all but the first are dashed."""


def tree_svg(sentence: Sentence) -> str:
    """Draw a parsed sentence; if MISC has ``HeadProb``, it is written next to the labels.

    Parameters
    ----------
    sentence : Sentence
        A sentence in which every word has a head.

    Returns
    -------
    str
        An SVG document.
    """
    centres, width = _centres(sentence)
    levels, chances = arc_levels(sentence.heads), sentence.misc("HeadProb")
    ground = _STEP * (max(levels, default=0) + 1) + 10
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{ground + 52:.0f}" '
        f'viewBox="0 0 {width:.0f} {ground + 52:.0f}" font-family="Helvetica, Arial, sans-serif" text-anchor="middle">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for word, (head, label) in enumerate(zip(sentence.heads, sentence.labels, strict=True), start=1):
        chance = chances[word - 1]
        pieces.append(_arc(centres, word, head, levels[word - 1], ground, label, float(chance) if chance else None))
    for word, (form, tag) in enumerate(zip(sentence.forms, sentence.upos, strict=True), start=1):
        for text, below, size, colour in ((form, 22, 16, _INK), (tag, 42, 11, _QUIET)):
            place = f'x="{centres[word]:.1f}" y="{ground + below:.1f}"'
            pieces.append(f'<text {place} font-size="{size}" fill="{colour}">{legal_text(text)}</text>')
    return "\n".join([*pieces, "</svg>\n"])


def trees_svg(sentences: Iterable[Sentence]) -> str:
    """Draw parsed sentences below each other, as one picture."""
    pictures, width, height = list[str](), 0.0, 0.0
    for sentence in sentences:
        picture = tree_svg(sentence)
        wide, high = map(float, re.findall(r'(?:width|height)="(\d+)"', picture)[:2])
        pictures.append(picture.replace("<svg ", f'<svg y="{height:.0f}" ', 1))
        width, height = max(width, wide), height + high
    box = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>\n{"".join(pictures)}</svg>\n'


def arc_levels(heads: Sequence[int]) -> list[int]:
    """(n,) Return the level of each word's arc: 1 for the lowest, one more than the arcs below it; 0 for the root's.

    >>> arc_levels([2, 0, 4, 2])
    [1, 0, 1, 2]
    """
    spans = [(min(head, word), max(head, word), word) for word, head in enumerate(heads, start=1) if head > 0]
    levels = [0] * len(heads)
    heights = np.zeros(len(heads) + 1, dtype=np.int64)  # the level of the highest arc above each gap between two words
    for left, right, word in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        levels[word - 1] = 1 + int(heights[left:right].max())
        heights[left:right] = levels[word - 1]
    return levels


def _centres(sentence: Sentence) -> tuple[list[float], float]:
    """Return the horizontal centre of each word (entry 0 is not used), and the width of the picture."""
    centres, right = [0.0], 16.0
    for form, label, tag in zip(sentence.forms, sentence.labels, sentence.upos, strict=True):
        room = max(text_width(form) * _LETTER, len(label) * _LETTER * 0.72 + 30, len(tag) * _LETTER * 0.8)
        centres.append(right + room / 2)
        right += room + _GAP
    return centres, right


def legal_text(text: str) -> str:
    """Return text for XML: escaped, with U+FFFD in place of characters that XML does not allow."""
    return escape(_ILLEGAL.sub("\ufffd", text))


def text_width(text: str) -> int:
    """Return the width of a text in letters: ideographs and emoji count twice, combining marks not at all."""
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _arc(
    centres: list[float], word: int, head: int, level: int, ground: float, label: str, chance: float | None
) -> str:
    colour = _INK if chance is None else next(colour for least, colour in _COLOURS if chance >= least)
    dashes = "" if colour == _INK else ' stroke-dasharray="5 3"'
    name = legal_text(label) if chance is None else f"{legal_text(label)} {chance:.0%}"
    end = centres[word]
    style = f'fill="none" stroke="{colour}" stroke-width="1.4"{dashes}'
    if head <= 0:
        path, text = f"M {end:.1f} 6 V {ground - 4:.1f}", (end, 16.0, ' text-anchor="start" dx="6"')
    else:
        side = 1 if head > word else -1
        start, top = centres[head] - 5 * side, ground - _STEP * level
        bend = min(14.0, abs(start - end) / 2)
        path = (
            f"M {start:.1f} {ground - 4:.1f} V {top + bend:.1f} Q {start:.1f} {top:.1f} {start - side * bend:.1f} "
            f"{top:.1f} H {end + side * bend:.1f} Q {end:.1f} {top:.1f} {end:.1f} {top + bend:.1f} V {ground - 4:.1f}"
        )
        text = ((start + end) / 2, top - 4, "")
    tip = f'<path d="M {end - 4:.1f} {ground - 8:.1f} h 8 l -4 8 z" fill="{colour}"/>'
    caption = f'<text x="{text[0]:.1f}" y="{text[1]:.1f}" font-size="12" fill="{colour}"{text[2]}>{name}</text>'
    return f'<path d="{path}" {style}/>{tip}{caption}'
