"""Parse the bytes of one sentence to a `Sentence`, or report the errors in them.

Each sentence is tested as a whole with a few operations that run in C (is there an empty field anywhere? are
the IDs those of an unbroken count?). Only if such a test fails are the lines checked one by one
(`checks.py`).
"""

import operator
import re
from collections.abc import Iterator
from typing import NamedTuple

from headway.corpus.blocks import LARGEST_BLOCK, Block
from headway.corpus.checks import encoding_problems, id_problems, line_problems
from headway.corpus.layout import Layout
from headway.corpus.sentence import Row, Sentence
from headway.errors import CorpusError

_COMMON = 256  # sentences of more words than this are checked by the slower method
_COMMON_IDS = [str(number) for number in range(1, _COMMON + 1)]
_COMMON_HEADS = [frozenset(["_", "0", *_COMMON_IDS[:count]]) for count in range(_COMMON + 1)]
_LEADING_BLANKS = re.compile(r"(?: *\r?\n)*(?: *\r?\Z)?")
_BLANK_STARTS = frozenset(" \r\n\ufeff")


def block_problems(block: Block, *, layout: Layout, path: str) -> Iterator[CorpusError]:
    """Yield every format error of one block."""
    if block.oversized:
        reason = f"no blank line within {LARGEST_BLOCK >> 20} MiB: this is not {layout.name}"
        yield CorpusError(reason, path=path, line=block.line)
        return
    yield from encoding_problems(block, path)
    text = _unwrap(block, block.body.decode(errors="replace"))
    first = block.line + text.before.count("\n")
    for reason, offset, column in line_problems(text.lines, layout):
        yield CorpusError(reason, path=path, line=first + offset, column=column)


def parse_block(block: Block, *, layout: Layout, path: str) -> Sentence:
    """Turn a block into a sentence (without rows, if the block has none), or raise its first error."""
    try:
        text = _unwrap(block, "" if block.oversized else block.body.decode())
    except UnicodeDecodeError:
        raise next(encoding_problems(block, path)) from None
    lines, count = text.lines, 0
    while count < len(lines) and lines[count].startswith("#"):
        count += 1
    rows = [line.split("\t") for line in lines[count:]]
    words = _words(rows)
    if not _surely_sound(text.body, rows, words, layout):
        for problem in block_problems(block, layout=layout, path=path):
            raise problem
    return Sentence(
        layout,
        lines[:count],
        rows,
        words,
        line=block.line + text.before.count("\n"),
        path=path,
        before=text.before,
        newline=text.newline,
        after=text.after,
    )


class _Text(NamedTuple):
    """A decoded block: what comes before its lines, the lines (also as one string), and what comes after."""

    before: str
    body: str
    lines: list[str]
    newline: str
    after: str


def _unwrap(block: Block, body: str) -> _Text:
    """Remove the byte-order mark, leading blank lines and CRLF from the lines of a block.

    A sentence with both kinds of line end keeps its carriage returns inside the last fields.
    """
    before, newline, after = "", "\n", block.after.decode()
    if body[:1] in _BLANK_STARTS:
        start = int(block.line == 1 and body.startswith("\ufeff"))
        blanks = _LEADING_BLANKS.match(body, start)
        start = blanks.end() if blanks else start
        before, body = body[:start], body[start:]
    if "\r" in body and _all_crlf(body, last_line_ends=bool(after)):
        newline = "\r\n"
        if after:
            body, after = body[:-1], "\r" + after
        body = body.replace("\r\n", "\n")
    return _Text(before, body, body.split("\n") if body else [], newline, after)


def _all_crlf(body: str, *, last_line_ends: bool) -> bool:
    ends_right = body.endswith("\r") if last_line_ends else "\n" in body
    return ends_right and body.count("\r\n") == body.count("\n")


def _words(rows: list[Row]) -> list[Row]:
    if [row[0] for row in rows] == _COMMON_IDS[: len(rows)]:
        return rows.copy()
    return [row for row in rows if row[0].isdigit()]


def _surely_sound(body: str, rows: list[Row], words: list[Row], layout: Layout) -> bool:
    """Return whether the sentence is certainly free of errors; False only means that it needs a closer look."""
    if "\t\t" in body or "\0" in body or "" in [row[-1] for row in rows]:
        return False
    widths = set(map(len, rows))
    if len(widths) != 1 or not _fits(widths.pop(), layout):
        return False
    count, column = len(words), layout.head
    ids = [row[0] for row in words]
    heads = [row[column] for row in words]
    if ids != _COMMON_IDS[:count] or not _COMMON_HEADS[min(count, _COMMON)].issuperset(heads):
        return False
    if any(map(operator.eq, ids, heads)):
        return False
    if len(rows) == count:
        return True
    return all(row[0] for row in rows) and not any(id_problems(list(enumerate(rows)), layout))


def _fits(width: int, layout: Layout) -> bool:
    return width == layout.columns or (layout.open_ended and width > layout.columns)
