"""Guess from a file's name and first lines whether it is plain text, a table of words or bracketed trees."""

import codecs
import io
import os
import re
import sys

from headway.corpus.files import check_readable, open_input, read_chunks
from headway.corpus.layout import CONLL2009, CONLLU, CONLLX, Layout
from headway.corpus.remote import is_remote
from headway.errors import CorpusError

_START = 1 << 14
"""The number of bytes read for guessing the format."""

_TABLE_NAMES = (".conllu", ".conllx", ".conll", ".conll09", ".conll2009", ".tsv")
_ID = re.compile(rb"\d+([-.]\d+)?$")
_COMMENT = re.compile(rb"#\s*(sent_id|text|newdoc|newpar|global\.columns)\b")
_CONLL2009_COLUMNS = len(CONLL2009.names)


def start_of(path: str) -> bytes:
    """Return the first bytes of a file, without consuming standard input; b"" for a named pipe or a damaged file."""
    if path != "-":
        check_readable(path)
        if not is_remote(path) and not os.path.isfile(path):
            return b""  # a named pipe can be read only once
        with open_input(path) as stream:
            try:
                return next(read_chunks(stream, path), b"")[:_START]
            except CorpusError:
                return b""  # reading the file will report the error
    stream = sys.stdin.buffer
    try:
        if isinstance(stream, io.BufferedReader):
            return stream.peek(_START)[:_START]
        position = stream.tell()
        start = stream.read(_START)
        stream.seek(position)
    except (OSError, ValueError):
        return b""
    return start


def looks_like_text(path: str) -> bool:
    """Return whether a file is plain text: by its name or, for standard input and other names, by its content.

    A table begins with a comment of CoNLL-U, such as ``# text``, or its first line that is not a comment begins with a
    number and a tab, or has at least seven tabs. An empty file counts as a table.
    """
    name = path.lower().removesuffix(".gz").removesuffix(".xz")
    if name.endswith(".txt"):
        return True
    if name.endswith(_TABLE_NAMES):
        return False
    start = start_of(path)
    lines = [line for line in start.splitlines() if line.strip()]
    if not lines or any(_COMMENT.match(line) for line in lines[:1]):
        return False
    first = next((line for line in lines if not line.startswith(b"#")), b"")
    return not (first.count(b"\t") >= 7 or (b"\t" in first and _ID.match(first.split(b"\t")[0])))


def looks_like_trees(path: str) -> bool:
    """Return whether a file holds bracketed trees: it begins with a bracket, comments (``#``) and blank lines apart."""
    lines = map(bytes.strip, start_of(path).removeprefix(codecs.BOM_UTF8).splitlines())
    return next((line for line in lines if line and not line.startswith(b"#")), b"").startswith(b"(")


def guess_layout(path: str) -> Layout:
    """Return the table format of a file: CoNLL-U unless its lines or its name indicate another.

    CoNLL 2009 has at least 14 columns. CoNLL-X and CoNLL-U have ten; a number in the ninth, PHEAD, means CoNLL-X.
    """
    name = path.lower().removesuffix(".gz").removesuffix(".xz")
    if name.endswith(".conllx"):
        return CONLLX
    try:
        lines = start_of(path).splitlines()
    except CorpusError:
        return CONLLU
    rows = [line.split(b"\t") for line in lines if line and not line.startswith(b"#")]
    if rows and len(rows[0]) >= _CONLL2009_COLUMNS:
        return CONLL2009
    if any(len(row) == 10 and row[8].isdigit() for row in rows):
        return CONLLX
    return CONLLU
