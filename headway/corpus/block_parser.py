"""Parse the bytes of one sentence into a `Sentence`, or report their errors.

Each sentence is tested as a whole with a few operations that run in C (is there an empty field anywhere? are
all heads words of the sentence?). Only when such a test fails are the lines looked at one by one
(`checks.py`).
"""

import operator
import re
from collections.abc import Iterator
from typing import NamedTuple

from headway.corpus.blocks import LARGEST_BLOCK, Block
from headway.corpus.checks import encoding_problems, id_problems, line_problems
from headway.corpus.fields import Fields
from headway.corpus.layout import Layout
from headway.corpus.sentence import Sentence
from headway.errors import CorpusError

_COMMON = 256
"""Sentence length up to which IDs and heads are compared with precomputed strings."""

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
    for reason, offset, column in line_problems(text.body.split("\n") if text.body else [], layout):
        yield CorpusError(reason, path=path, line=first + offset, column=column)


def parse_block(block: Block, *, layout: Layout, path: str) -> Sentence:
    """Turn a block into a sentence (without rows, if the block has none), or raise its first error."""
    try:
        text = _unwrap(block, "" if block.oversized else block.body.decode())
    except UnicodeDecodeError:
        raise next(encoding_problems(block, path)) from None
    comments, lines = _cut_comments(text.body)
    fields = Fields.split(lines) if lines else None
    if fields is None or "\0" in text.body or not _are_surely_sound(fields, lines, layout):
        for problem in block_problems(block, layout=layout, path=path):
            raise problem
    return Sentence(
        layout,
        comments,
        fields or [],
        line=block.line + text.before.count("\n"),
        path=path,
        before=text.before,
        newline=text.newline,
        after=text.after,
    )


def _cut_comments(body: str) -> tuple[list[str], str]:
    """Return the comments before the first line of the table, and the table."""
    start = 0
    while body.startswith("#", start):
        start = body.find("\n", start) + 1
        if start == 0:
            return body.split("\n"), ""
    return body[: start - 1].split("\n") if start else [], body[start:]


class _Text(NamedTuple):
    """A decoded block: what comes before its lines, the lines without the last line end, and what comes after."""

    before: str
    body: str
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
    return _Text(before, body, newline, after)


def _all_crlf(body: str, *, last_line_ends: bool) -> bool:
    ends_right = body.endswith("\r") if last_line_ends else "\n" in body
    return ends_right and body.count("\r\n") == body.count("\n")


def _are_surely_sound(fields: Fields, lines: str, layout: Layout) -> bool:
    """Return whether the fields of `lines` are certainly valid; False means that they must be checked one by one."""
    if "\t\t" in lines or "\t\n" in lines or lines.endswith("\t"):
        return False
    width, count = fields.stride + 1, fields.count
    if width != layout.columns and not (layout.open_ended and width > layout.columns):
        return False
    ids = _COMMON_IDS if count <= _COMMON else list(map(str, range(1, count + 1)))
    known = _COMMON_HEADS[count] if count <= _COMMON else frozenset(["_", "0", *ids])
    heads = fields.column(layout.head)
    if not known.issuperset(heads) or any(map(operator.eq, ids, heads)):
        return False
    if fields.places is None:
        return True
    lines_ids = fields.ids()
    if layout.has_ranges and _are_words_and_ranges(lines_ids, ids[:count]):
        return True
    return not any(id_problems([(line, [text]) for line, text in enumerate(lines_ids)], layout))


def _are_words_and_ranges(found: list[str], words: list[str]) -> bool:
    """Return whether `found` consists of the IDs of these words, and of ranges that precede their first word."""
    others = [(line, text) for line, text in enumerate(found) if not text.isdigit()]
    if [text for text in found if text.isdigit()] != words:
        return False
    covered = 0
    for skipped, (line, text) in enumerate(others):
        before = line - skipped  # words
        first, _, last = text.partition("-")
        if first != str(before + 1) or before < covered or last not in words[before:]:
            return False
        covered = int(last)
    return True
