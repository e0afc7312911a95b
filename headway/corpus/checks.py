"""Find the errors in the lines of a sentence, each with its line and column.

The reader has a quick test that almost all sentences pass. Only the others are checked here, so this need not be fast.
"""

import re
from collections.abc import Iterator

from headway.corpus.blocks import Block
from headway.corpus.layout import Layout
from headway.errors import CorpusError

_NUMBER = "[1-9][0-9]{0,8}"
_WORD = re.compile(rf"{_NUMBER}\Z")
_RANGE = re.compile(rf"({_NUMBER})-({_NUMBER})\Z")
_EMPTY_NODE = re.compile(rf"(0|{_NUMBER})\.({_NUMBER})\Z")
_HEAD = re.compile(r"[0-9]+\Z")

Problem = tuple[str, int, int | None]
"""Reason, line (from 0, within the given lines) and column (from 1)."""


def is_word_id(text: str) -> bool:
    """Return whether `text` is the ID of a word, not of a range or an empty node."""
    return _WORD.match(text) is not None


def encoding_problems(block: Block, path: str) -> Iterator[CorpusError]:
    """Yield one error for each line of `block` that is not UTF-8."""
    for offset, line in enumerate(block.body.split(b"\n")):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            column = line.count(b"\t", 0, error.start) + 1
            reason = f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is not UTF-8"
            yield CorpusError(reason, path=path, line=block.line + offset, column=column)


def line_problems(lines: list[str], layout: Layout) -> list[Problem]:
    """List the errors in the lines of one sentence, in order.

    Parameters
    ----------
    lines : list of str
        The lines of the sentence, without their line ends.
    layout : Layout
        The table format that the lines should follow.
    """
    numbered = list(enumerate(lines))
    first = next((number for number, line in numbered if not line.startswith("#")), len(lines))
    table = [(number, line.split("\t")) for number, line in numbered[first:] if not line.startswith("#")]
    problems = [
        *_character_problems(lines),
        *(_misplaced(number) for number, line in numbered[first:] if line.startswith("#")),
        *_field_problems(table, layout),
        *id_problems(table, layout),
        *_head_problems(table, layout),
    ]
    return sorted(problems, key=lambda problem: problem[1])


def _character_problems(lines: list[str]) -> Iterator[Problem]:
    for number, line in enumerate(lines):
        if "\0" in line:
            yield "NUL byte", number, line.count("\t", 0, line.index("\0")) + 1


def _misplaced(number: int) -> Problem:
    return "comment in the middle of a sentence", number, None


TEXT_OPTION = "headway parse --text"
"""The option to use for plain text; the server names a parameter of the request instead."""

_ONE_FIELD = f"a table has one word per line, and tabs between fields; for plain text, use {TEXT_OPTION}"


def _field_problems(table: list[tuple[int, list[str]]], layout: Layout) -> Iterator[Problem]:
    expected_fields = layout.columns
    if layout.open_ended and table:
        expected_fields = max(expected_fields, len(table[0][1]))
    for number, row in table:
        if len(row) != expected_fields:
            fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
            hint = f" ({_ONE_FIELD})" if len(row) == 1 else ""
            yield f"{fields} instead of the {expected_fields} of {layout.name}{hint}", number, None
        for column, field in enumerate(row, start=1):
            if not field:
                yield "empty field", number, column


def id_problems(table: list[tuple[int, list[str]]], layout: Layout) -> Iterator[Problem]:
    """Yield the errors in the numbering of `table`, a list of line numbers and their fields.

    Words count 1, 2, 3 …; a range precedes its first word, an empty node follows the word that it is numbered after.
    """
    last_word = last_range = last_empty = 0
    range_line = 0
    for number, row in table:
        text = row[0]
        if is_word_id(text):
            if int(text) != last_word + 1:
                yield _order_reason(text, last_word), number, 1
            last_word, last_empty = int(text), 0
        elif layout.has_ranges and (match := _RANGE.match(text)):
            first, last = int(match[1]), int(match[2])
            if reason := _range_reason(text, first, last, last_word, last_range):
                yield reason, number, 1
            else:
                last_range, range_line = last, number
        elif layout.has_ranges and (match := _EMPTY_NODE.match(text)):
            after, count = int(match[1]), int(match[2])
            if after != last_word or count <= last_empty:
                yield f"empty node {text} is out of order after word {last_word}", number, 1
            last_empty = count
        elif text:
            yield f"ID {text!r} is not a number", number, 1
    if table and last_word == 0:
        yield "sentence without words", table[0][0], None
    elif last_range > last_word:
        yield f"the range ends at word {last_range}, but the last word is {last_word}", range_line, 1


def _order_reason(text: str, last_word: int) -> str:
    if int(text) == last_word:
        return f"ID {text} comes twice"
    return f"ID {text} is out of order: {last_word + 1} should come here"


def _range_reason(text: str, first: int, last: int, last_word: int, last_range: int) -> str | None:
    if last < first:
        return f"range {text} ends before it starts"
    if first <= last_range:
        return f"range {text} overlaps the range before it"
    if first != last_word + 1:
        return f"range {text} is out of order: it should stand right before word {first}"
    return None


def _head_problems(table: list[tuple[int, list[str]]], layout: Layout) -> Iterator[Problem]:
    words = [(number, row) for number, row in table if is_word_id(row[0]) and len(row) > layout.head]
    count = sum(is_word_id(row[0]) for _, row in table)
    for number, row in words:
        head, column = row[layout.head], layout.head + 1
        if not head or head == "_":
            continue
        if not _HEAD.match(head):
            yield f"HEAD {head!r} is not a number", number, column
        elif len(head) > 9 or int(head) > count:
            yield f"HEAD {head} is not a word: the sentence has {count}", number, column
        elif int(head) == int(row[0]):
            yield f"HEAD {head} is the word itself", number, column
